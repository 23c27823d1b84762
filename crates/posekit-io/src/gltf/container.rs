//! The outermost layer: JSON alone, or the chunks of a binary container.

use core::ops::Range;

use crate::error::{Error, Place, Result};
use crate::json::Object;
use crate::limits::Limits;
use crate::text;
use crate::warnings::Warnings;

/// The first bytes of a binary container.
pub(super) const MAGIC: &[u8] = b"glTF";

/// Sizes of the container's header (magic, version, length) and of a chunk's (length, kind) in bytes.
const HEADER: usize = 12;
const CHUNK_HEADER: usize = 8;

/// The alignment of chunks in bytes.
pub(super) const ALIGNMENT: usize = 4;

/// The ranges of the parts of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Container {
    /// The JSON text, without a byte-order mark.
    pub(super) json: Range<usize>,
    /// The rest of a binary container; `None` for a file of text.
    pub(super) binary: Option<Binary>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Binary {
    /// The data of the chunk `BIN`, if there is one.
    pub(super) data: Option<Range<usize>>,
    /// The start of the other chunks.
    rest: usize,
    /// The end of the container; further bytes are not part of it.
    end: usize,
}

impl Container {
    /// Finds the parts of a file in either format. Declared lengths are compared with the actual ones.
    pub(super) fn split(bytes: &[u8], limits: &Limits, warnings: &mut Warnings) -> Result<Self> {
        if !bytes.starts_with(MAGIC) {
            let text = text::decode_text(bytes, limits)?;
            return Ok(Self { json: bytes.len() - text.len()..bytes.len(), binary: None });
        }
        let end = container_end(bytes, warnings)?;
        let (kind, body) = chunk(bytes, HEADER, end, "the JSON chunk")?;
        if kind != b"JSON" {
            return Err(invalid("the first chunk must be JSON"));
        }
        let text = text::decode_text(&bytes[body.clone()], limits)?;
        let mut binary = Binary { data: None, rest: body.end, end };
        let mut at = body.end;
        while at < end {
            let (kind, chunk) = chunk(bytes, at, end, "a chunk")?;
            let is_first = at == body.end;
            at = chunk.end;
            match kind {
                b"BIN\0" if is_first => {
                    binary.rest = at;
                    binary.data = Some(chunk);
                }
                b"BIN\0" => return Err(invalid("only the second chunk may be BIN")),
                b"JSON" => return Err(invalid("only the first chunk may be JSON")),
                _ => {}
            }
        }
        Ok(Self { json: body.end - text.len()..body.end, binary: Some(binary) })
    }

    /// The JSON text.
    pub(super) fn text<'b>(&self, bytes: &'b [u8]) -> Result<&'b str> {
        core::str::from_utf8(&bytes[self.json.clone()]).map_err(|error| Error::Encoding {
            encoding: "not UTF-8".into(),
            byte: self.json.start + error.valid_up_to(),
        })
    }

    /// The data of the chunk `BIN`.
    pub(super) fn data<'b>(&self, bytes: &'b [u8]) -> Option<&'b [u8]> {
        Some(&bytes[self.binary.as_ref()?.data.clone()?])
    }

    /// The file with another JSON text and, if given, other data. All else is copied.
    pub(super) fn rebuild(&self, bytes: &[u8], json: &str, data: Option<&[u8]>) -> Result<Vec<u8>> {
        let Some(binary) = &self.binary else {
            return Ok(
                [&bytes[..self.json.start], json.as_bytes(), &bytes[self.json.end..]].concat()
            );
        };
        // The old text was padded with blanks.
        let blanks =
            json.bytes().rev().take(ALIGNMENT - 1).take_while(|&byte| byte == b' ').count();
        let mark = &bytes[HEADER + CHUNK_HEADER..self.json.start];
        let mut out = bytes[..HEADER].to_vec();
        add_chunk(
            &mut out,
            b"JSON",
            &[mark, &json.as_bytes()[..json.len() - blanks]].concat(),
            b' ',
        )?;
        match data {
            Some(data) => add_chunk(&mut out, b"BIN\0", data, 0)?,
            None => out.extend_from_slice(&bytes[self.json.end..binary.rest]),
        }
        out.extend_from_slice(&bytes[binary.rest..binary.end]);
        let length = length_bytes(out.len())?;
        out[8..HEADER].copy_from_slice(&length);
        out.extend_from_slice(&bytes[binary.end..]);
        Ok(out)
    }
}

/// Reads the header and returns the end of the container.
fn container_end(bytes: &[u8], warnings: &mut Warnings) -> Result<usize> {
    let header = |at: usize| number(bytes, at).ok_or_else(|| cut_short("the header"));
    let (version, declared) = (header(4)?, header(8)?);
    if version != 2 {
        let message = format!("the container has version {version}, only 2 is read");
        return Err(Error::Unsupported { place: Place::named("the container"), message });
    }
    if declared > bytes.len() {
        return Err(invalid(format!(
            "{declared} bytes are declared, but there are {}",
            bytes.len()
        )));
    }
    if declared < bytes.len() {
        let message = format!("{} bytes after its end are ignored", bytes.len() - declared);
        warnings.push(Place::named("the container"), message);
    }
    Ok(declared.max(HEADER).min(bytes.len()))
}

/// The kind of the chunk at `at`, and the range of its data.
fn chunk<'b>(
    bytes: &'b [u8],
    at: usize,
    end: usize,
    what: &str,
) -> Result<(&'b [u8], Range<usize>)> {
    let bytes = &bytes[..end];
    let start = at.saturating_add(CHUNK_HEADER);
    let length = number(bytes, at).ok_or_else(|| cut_short(what))?;
    let kind = bytes.get(at + 4..start).ok_or_else(|| cut_short(what))?;
    let stop = start.checked_add(length).filter(|&stop| stop <= end);
    Ok((kind, start..stop.ok_or_else(|| cut_short(what))?))
}

fn add_chunk(out: &mut Vec<u8>, kind: &[u8; 4], data: &[u8], fill: u8) -> Result<()> {
    let length = data.len().next_multiple_of(ALIGNMENT);
    out.extend_from_slice(&length_bytes(length)?);
    out.extend_from_slice(kind);
    out.extend_from_slice(data);
    out.resize(out.len() + length - data.len(), fill);
    Ok(())
}

fn length_bytes(length: usize) -> Result<[u8; 4]> {
    let length = u32::try_from(length)
        .map_err(|_| invalid(format!("{length} bytes are more than a binary container can hold")));
    Ok(length?.to_le_bytes())
}

/// Four bytes as a number, if there are as many.
fn number(bytes: &[u8], at: usize) -> Option<usize> {
    let four = bytes.get(at..at.checked_add(4)?)?;
    usize::try_from(u32::from_le_bytes(four.try_into().ok()?)).ok()
}

fn invalid(message: impl Into<String>) -> Error {
    Error::Value { place: Place::named("the container"), message: message.into() }
}

fn cut_short(what: &str) -> Error {
    invalid(format!("ends inside {what}"))
}

/// Refuses what is not glTF 2.
pub(super) fn check_version(file: &Object<'_>) -> Result<()> {
    let version = file.required("asset")?.any_object()?.required("version")?;
    if version.text()?.split('.').next() == Some("2") {
        return Ok(());
    }
    let message = format!("glTF {} is not read, only 2.0", version.text()?);
    Err(Error::Unsupported { place: version.place(), message })
}
