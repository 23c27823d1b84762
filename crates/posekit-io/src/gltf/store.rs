//! Storage of new numbers: over old ones, at the end of a container's data, in a data URI, or in a separate file.

use std::collections::BTreeMap;

use base64::Engine;

use super::accessors::{Lists, Span};
use super::asset::BufferFile;
use super::buffers::{BASE64, decode};
use super::container::ALIGNMENT;
use super::uri::{Uri, encode};
use crate::error::{Error, Place, Result};
use crate::json::{Spans, Splices, shortest};

/// The beginning of a new data URI, if the file has none to follow.
const HEAD: &str = "data:application/octet-stream;base64,";

/// New numbers, and the accessors that name them.
#[derive(Debug, Default)]
pub(super) struct Store {
    bytes: Vec<u8>,
    /// The JSON of new accessors without the buffer view, which is known at the end.
    accessors: Vec<String>,
    /// New lists of times by their bits, so that channels share them.
    times: BTreeMap<Vec<u32>, usize>,
    /// The number of accessors in the file.
    n_accessors: usize,
}

/// The buffers of a file whose bytes are in the file itself.
#[derive(Debug, Default)]
pub(super) struct Own {
    buffers: BTreeMap<usize, Option<OwnBuffer>>,
}

#[derive(Debug)]
struct OwnBuffer {
    bytes: Vec<u8>,
    /// The value in the text, and the prefix of the data; `None` for the data of a container.
    uri: Option<(usize, String)>,
    is_changed: bool,
}

/// The text of a file, and its structure.
pub(super) struct Text<'s, 'd> {
    pub(super) spans: &'s Spans<'d>,
    pub(super) lists: &'s Lists<'d>,
    /// The original data of a binary container.
    pub(super) data: Option<&'d [u8]>,
    pub(super) is_binary: bool,
}

/// The changes besides the text.
#[derive(Debug, Default)]
pub(super) struct Beside {
    pub(super) data: Option<Vec<u8>>,
    pub(super) file: Option<BufferFile>,
}

impl Store {
    pub(super) fn new(n_accessors: usize) -> Self {
        Self { n_accessors, ..Self::default() }
    }

    /// The accessor of these times.
    pub(super) fn add_times(&mut self, times: &[f32]) -> Result<usize> {
        let bits: Vec<u32> = times.iter().map(|time| time.to_bits()).collect();
        if let Some(&index) = self.times.get(&bits) {
            return Ok(index);
        }
        let [min, max] = bounds(times, 1)?;
        let index = self.add(times, 1, &format!("\"SCALAR\",\"min\":{min},\"max\":{max}"));
        self.times.insert(bits, index);
        Ok(index)
    }

    /// The accessor of these values.
    pub(super) fn add_values(&mut self, values: &[f32], width: usize) -> usize {
        self.add(values, width, if width == 4 { "\"VEC4\"" } else { "\"VEC3\"" })
    }

    /// The accessor of numbers of any kind, as a JSON text.
    pub(super) fn add(&mut self, numbers: &[f32], width: usize, kind: &str) -> usize {
        let (offset, count) = (self.bytes.len(), numbers.len() / width);
        self.accessors.push(format!(
            "\"byteOffset\":{offset},\"componentType\":5126,\"count\":{count},\"type\":{kind}}}"
        ));
        self.bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        self.n_accessors + self.accessors.len() - 1
    }

    /// Writes new numbers into the text and beside it, in the format of the file.
    pub(super) fn finish(
        self,
        text: &Text<'_, '_>,
        splices: &mut Splices<'_, '_>,
        data: Option<Vec<u8>>,
        stem: &str,
    ) -> Result<Beside> {
        let mut beside = Beside { data, file: None };
        if self.accessors.is_empty() {
            return Ok(beside);
        }
        let (spans, length) = (text.spans, self.bytes.len());
        let root = spans.root();
        let buffers = spans.field(root, "buffers");
        let buffer_list: Vec<usize> =
            buffers.map_or_else(Vec::new, |list| spans.children(list).collect());
        let in_container = text.is_binary
            && match buffer_list.first() {
                // A chunk that is shorter than its buffer declares is not extended: declaring its actual size would cut off other views.
                Some(&first) => is_whole(text) && spans.field(first, "uri").is_none(),
                None => true,
            };
        let (buffer, start) = if in_container {
            let mut data =
                beside.data.take().or_else(|| text.data.map(<[u8]>::to_vec)).unwrap_or_default();
            let start = data.len().next_multiple_of(ALIGNMENT);
            data.resize(start, 0);
            data.extend_from_slice(&self.bytes);
            match buffer_list.first() {
                Some(&first) => splices.set(first, "byteLength", data.len().to_string()),
                None => splices.extend_list(
                    root,
                    "buffers",
                    &[format!("{{\"byteLength\":{}}}", data.len())],
                ),
            }
            beside.data = Some(data);
            (0, start)
        } else {
            let (uri, file) = self.new_uri(text, buffer_list.len(), stem)?;
            beside.file = file.map(|path| BufferFile { path, bytes: self.bytes });
            splices.extend_list(
                root,
                "buffers",
                &[format!("{{\"uri\":\"{uri}\",\"byteLength\":{length}}}")],
            );
            (buffer_list.len(), 0)
        };
        let view = text.lists.views.len();
        let view_text =
            format!("{{\"buffer\":{buffer},\"byteOffset\":{start},\"byteLength\":{length}}}");
        splices.extend_list(root, "bufferViews", &[view_text]);
        let accessor = |rest: &String| format!("{{\"bufferView\":{view},{rest}");
        let accessors: Vec<String> = self.accessors.iter().map(accessor).collect();
        splices.extend_list(root, "accessors", &accessors);
        Ok(beside)
    }

    /// The URI of a new buffer, of the same kind as that of the file's last buffer with a URI, and the path if it is a file.
    fn new_uri(
        &self,
        text: &Text<'_, '_>,
        n_buffers: usize,
        stem: &str,
    ) -> Result<(String, Option<String>)> {
        let uri_of =
            |buffer: usize| text.lists.buffers.get(buffer)?.as_object()?.optional("uri")?.as_text();
        let uris: Vec<&str> = (0..n_buffers).filter_map(uri_of).collect();
        if uris
            .last()
            .is_none_or(|last| last.get(..5).is_some_and(|head| head.eq_ignore_ascii_case("data:")))
        {
            let head = match uris.last().map(|last| Uri::of(last)) {
                // A prefix that would have to be escaped in JSON is not a media type.
                Some(Ok(Uri::Data { head, .. })) if !head.contains(is_escaped) => head,
                _ => HEAD,
            };
            return Ok((head.to_owned() + &BASE64.encode(&self.bytes), None));
        }
        let is_taken = |path: &str| {
            uris.iter().any(|uri| matches!(Uri::of(uri), Ok(Uri::File(other)) if other.eq_ignore_ascii_case(path)))
        };
        let mut path = format!("{stem}.bin");
        let mut number = 2;
        while is_taken(&path) {
            path = format!("{stem}-{number}.bin");
            number += 1;
        }
        let uri = encode(&path);
        if stem.is_empty() || Uri::of(&uri) != Ok(Uri::File(path.clone())) {
            let message = format!("`{stem}` is not a valid name for a file in the asset's folder");
            return Err(Error::Value { place: Place::named("the new buffer"), message });
        }
        Ok((uri, Some(path)))
    }
}

/// Whether the chunk of a container is as long as its buffer declares.
fn is_whole(text: &Text<'_, '_>) -> bool {
    let declared = || text.lists.buffers.first()?.as_object()?.optional("byteLength")?.as_index();
    text.data.is_some_and(|data| declared().is_none_or(|declared| declared <= data.len()))
}

/// Whether JSON must escape a character.
fn is_escaped(c: char) -> bool {
    c.is_control() || matches!(c, '"' | '\\')
}

impl Own {
    /// Overwrites the numbers of a span, if the bytes are in the file itself.
    pub(super) fn put(&mut self, text: &Text<'_, '_>, span: &Span, numbers: &[f32]) -> bool {
        let buffer =
            self.buffers.entry(span.buffer).or_insert_with(|| OwnBuffer::read(text, span.buffer));
        let Some(buffer) = buffer else { return false };
        let start = usize::try_from(span.start).ok();
        let range =
            start.and_then(|start| Some(start..start.checked_add(numbers.len().checked_mul(4)?)?));
        let Some(bytes) = range.and_then(|range| buffer.bytes.get_mut(range)) else { return false };
        for (bytes, number) in bytes.chunks_exact_mut(4).zip(numbers) {
            bytes.copy_from_slice(&number.to_le_bytes());
        }
        buffer.is_changed = true;
        true
    }

    /// Writes data URIs into the text; returns the data of a container, if they have changed.
    pub(super) fn finish(self, splices: &mut Splices<'_, '_>) -> Option<Vec<u8>> {
        let mut data = None;
        for buffer in self.buffers.into_values().flatten().filter(|buffer| buffer.is_changed) {
            match buffer.uri {
                Some((value, head)) => {
                    splices.replace(value, format!("\"{head}{}\"", BASE64.encode(&buffer.bytes)));
                }
                None => data = Some(buffer.bytes),
            }
        }
        data
    }
}

impl OwnBuffer {
    /// A buffer whose bytes are in the file, in a form that can be reproduced exactly, and as many as declared: a reader refuses others.
    fn read(text: &Text<'_, '_>, index: usize) -> Option<Self> {
        let list = text.spans.field(text.spans.root(), "buffers")?;
        let buffer = text.spans.children(list).nth(index)?;
        let declared = text.lists.buffers.get(index)?.as_object()?.optional("byteLength")?;
        let declared = declared.as_index()?;
        let Some(value) = text.spans.field(buffer, "uri") else {
            let bytes = text.data.filter(|_| index == 0)?.to_vec();
            return (bytes.len() >= declared).then_some(Self {
                bytes,
                uri: None,
                is_changed: false,
            });
        };
        let written = text.spans.text(value).strip_prefix('"')?.strip_suffix('"')?;
        let Ok(Uri::Data { head, base64 }) = Uri::of(written) else { return None };
        let bytes = decode(base64).ok()?;
        let is_kept =
            !head.contains('\\') && BASE64.encode(&bytes) == base64 && bytes.len() >= declared;
        is_kept.then(|| Self { bytes, uri: Some((value, head.to_owned())), is_changed: false })
    }
}

/// The smallest and the largest of each component, as lists.
pub(super) fn bounds(numbers: &[f32], width: usize) -> Result<[String; 2]> {
    if !numbers.iter().all(|number| number.is_finite()) {
        return Err(Error::NotFinite { field: "bounds".into() });
    }
    let bound = |pick: fn(f32, f32) -> bool| {
        let component = |i: usize| {
            let all = numbers.iter().skip(i).step_by(width).copied();
            all.reduce(|best, next| if pick(next, best) { next } else { best }).unwrap_or(0.0)
        };
        let texts: Vec<String> = (0..width).map(|i| shortest(f64::from(component(i)))).collect();
        format!("[{}]", texts.join(","))
    };
    Ok([bound(|next, best| next < best), bound(|next, best| next > best)])
}
