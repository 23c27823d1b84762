//! The outermost layer: JSON alone, or the chunks of a binary container.

use crate::error::{Error, Place, Result};
use crate::json::Object;
use crate::limits::Limits;
use crate::text;
use crate::warnings::Warnings;

/// What a binary container begins with.
pub(super) const MAGIC: &[u8] = b"glTF";

/// Bytes of the container's header (magic, version, length) and of a chunk's (length, kind).
const HEADER: usize = 12;
const CHUNK_HEADER: usize = 8;

/// The JSON of a file, whichever of the two forms it has. Lengths that the file declares are compared with the bytes that are there.
pub(super) fn json<'a>(
    bytes: &'a [u8],
    limits: &Limits,
    warnings: &mut Warnings,
) -> Result<&'a str> {
    if !bytes.starts_with(MAGIC) {
        return text::decode_text(bytes, limits);
    }
    let header = |at: usize| number(bytes, at).ok_or_else(|| cut_short("the header"));
    let (version, declared) = (header(4)?, header(8)?);
    if version != 2 {
        let message = format!("the container has version {version}, only 2 is read");
        return Err(Error::Unsupported { place: Place::named("the container"), message });
    }
    if declared > bytes.len() {
        let message = format!("{declared} bytes are declared, {} are there", bytes.len());
        return Err(Error::Value { place: Place::named("the container"), message });
    }
    if declared < bytes.len() {
        let message = format!("{} bytes behind its end are left out", bytes.len() - declared);
        warnings.push(Place::named("the container"), message);
    }
    let bytes = &bytes[..declared.max(HEADER).min(bytes.len())];
    let chunk = || cut_short("the JSON chunk");
    let length = number(bytes, HEADER).ok_or_else(chunk)?;
    let kind = bytes.get(HEADER + 4..HEADER + CHUNK_HEADER).ok_or_else(chunk)?;
    if kind != b"JSON" {
        let message = "the first chunk must be JSON".to_owned();
        return Err(Error::Value { place: Place::named("the container"), message });
    }
    let body = bytes[HEADER + CHUNK_HEADER..].get(..length).ok_or_else(chunk)?;
    text::decode_text(body, limits)
}

/// Four bytes as a number, if they are there.
fn number(bytes: &[u8], at: usize) -> Option<usize> {
    let four = bytes.get(at..at.checked_add(4)?)?;
    usize::try_from(u32::from_le_bytes(four.try_into().ok()?)).ok()
}

fn cut_short(what: &str) -> Error {
    let message = format!("ends inside {what}");
    Error::Value { place: Place::named("the container"), message }
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
