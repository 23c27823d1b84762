//! Buffers: the bytes that accessors point into, fetched when they are needed.

use base64::Engine;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use super::accessors::{Accessor, Lists};
use super::uri::Uri;
use crate::error::{Error, Result};
use crate::json::Cursor;
use crate::limits::Limits;
use crate::text::check_size;

/// Reads base64 with or without padding, writes it with padding.
pub(super) const BASE64: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Gives the bytes of a file of the asset's folder: the path is decoded, checked, and has `/` between its parts.
pub(super) type Resolve<'r> = &'r mut dyn FnMut(&str) -> Result<Vec<u8>>;

/// The buffers of a file.
pub(super) struct Buffers<'r, 'd> {
    /// The data of a binary container.
    data: Option<&'d [u8]>,
    loaded: Vec<Option<Loaded>>,
    resolve: Resolve<'r>,
    limits: Limits,
    /// The size of all buffers outside the container \[bytes\].
    total: usize,
}

#[derive(Debug)]
enum Loaded {
    Container,
    Own(Vec<u8>),
}

impl<'r, 'd> Buffers<'r, 'd> {
    pub(super) fn new(
        lists: &Lists<'d>,
        data: Option<&'d [u8]>,
        resolve: Resolve<'r>,
        limits: &Limits,
    ) -> Self {
        let loaded = lists.buffers.iter().map(|_| None).collect();
        Self { data, loaded, resolve, limits: *limits, total: 0 }
    }

    /// The bytes of a buffer, at least as many as declared.
    pub(super) fn load(&mut self, lists: &Lists<'d>, index: usize) -> Result<&[u8]> {
        if self.loaded[index].is_none() {
            self.loaded[index] = Some(self.fetch(lists, index)?);
        }
        Ok(match &self.loaded[index] {
            Some(Loaded::Own(bytes)) => bytes,
            Some(Loaded::Container) => self.data.unwrap_or_default(),
            None => &[],
        })
    }

    /// True if the numbers of an accessor are stored in the file. Times without data are zeros, which are not valid times; a buffer without a URI may be
    /// filled by an extension.
    pub(super) fn has_bytes(&self, lists: &Lists<'d>, accessor: &Accessor<'d>) -> bool {
        let has_bytes = |index: usize| {
            let uri = lists.buffers[index].as_object().and_then(|fields| fields.optional("uri"));
            uri.is_some() || index == 0 && self.data.is_some()
        };
        accessor.spans().next().is_some() && accessor.spans().all(|span| has_bytes(span.buffer))
    }

    /// True if the bytes of a buffer are available without another file.
    pub(super) fn is_at_hand(&self, lists: &Lists<'d>, index: usize) -> bool {
        let uri = lists.buffers[index].as_object().and_then(|fields| fields.optional("uri"));
        let is_data =
            |uri: &Cursor<'d>| matches!(uri.as_text().map(Uri::of), Some(Ok(Uri::Data { .. })));
        self.loaded[index].is_some() || uri.is_none_or(|uri| is_data(&uri))
    }

    fn fetch(&mut self, lists: &Lists<'d>, index: usize) -> Result<Loaded> {
        let buffer = &lists.buffers[index];
        let fields = buffer.any_object()?;
        let length = fields.required("byteLength")?;
        let (loaded, found) = match fields.optional("uri") {
            None => match self.data.filter(|_| index == 0) {
                Some(data) => (Loaded::Container, data.len()),
                None => {
                    return Err(buffer.invalid("has no `uri`, and the file has no chunk for it"));
                }
            },
            Some(field) => {
                let bytes = match Uri::read(&field)? {
                    Uri::Data { base64, .. } => {
                        self.check_room(base64.len() / 4 * 3)?;
                        decode(base64).map_err(|message| field.invalid(message))?
                    }
                    Uri::File(path) => (self.resolve)(&path)?,
                };
                self.check_room(bytes.len())?;
                self.total += bytes.len();
                let found = bytes.len();
                (Loaded::Own(bytes), found)
            }
        };
        let declared = length.count()?;
        if found < usize::try_from(declared).unwrap_or(usize::MAX) {
            return Err(
                length.invalid(format!("{declared} bytes are declared, but there are {found}"))
            );
        }
        Ok(loaded)
    }

    /// All buffers together are limited to the size of a file, because many may name the same one.
    fn check_room(&self, more: usize) -> Result<()> {
        check_size(self.total.saturating_add(more) as u64, &self.limits).map_err(
            |error| match error {
                Error::TooLarge { limit, field, .. } => Error::TooLarge {
                    what: "the size of all buffers together in bytes".into(),
                    limit,
                    field,
                },
                other => other,
            },
        )
    }
}

/// The bytes of a data URI.
pub(super) fn decode(base64: &str) -> core::result::Result<Vec<u8>, String> {
    BASE64.decode(base64).map_err(|error| format!("the data is not base64: {error}"))
}
