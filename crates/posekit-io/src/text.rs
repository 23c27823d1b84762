//! From bytes to text: encodings, byte-order marks, file sizes.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::error::{Error, Result};
use crate::limits::Limits;

/// The text of a file's bytes: UTF-8, with or without a byte-order mark (which is removed).
///
/// # Errors
/// [`Error::Encoding`] names the encoding of anything else: UTF-16 and UTF-32 by their marks or their zero bytes, others by the first byte
/// that UTF-8 does not allow. [`Error::TooLarge`] beyond [`Limits::file_bytes`].
pub fn decode_text<'a>(bytes: &'a [u8], limits: &Limits) -> Result<&'a str> {
    check_size(bytes.len() as u64, limits)?;
    if let Some(encoding) = wide_encoding(bytes) {
        return Err(Error::Encoding { encoding: encoding.into(), byte: 0 });
    }
    let start = if bytes.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
    if let Some(byte) = bytes.iter().position(|&byte| byte == 0) {
        return Err(Error::Encoding { encoding: "binary (it contains a NUL byte)".into(), byte });
    }
    core::str::from_utf8(&bytes[start..]).map_err(|error| Error::Encoding {
        encoding: "in an 8-bit encoding such as Latin-1".into(),
        byte: start + error.valid_up_to(),
    })
}

/// Reads a text file, as [`decode_text`] does, without ever reading more than [`Limits::file_bytes`].
///
/// # Errors
/// [`Error::Read`] with the path when the system cannot read it, otherwise the errors of [`decode_text`].
pub fn read_text(path: &Path, limits: &Limits) -> Result<String> {
    let bytes = read_bytes(path, limits)?;
    Ok(decode_text(&bytes, limits)?.to_owned())
}

/// Reads a file of at most [`Limits::file_bytes`].
pub(crate) fn read_bytes(path: &Path, limits: &Limits) -> Result<Vec<u8>> {
    let failed = |error: std::io::Error| Error::Read {
        message: error.to_string(),
        path: path.display().to_string(),
    };
    let file = File::open(path).map_err(failed)?;
    let mut bytes = Vec::new();
    // Reading one byte more than the limit distinguishes a file of exactly the limit from a longer one, even if the size is unknown (a pipe).
    let cap = (limits.file_bytes as u64).saturating_add(1);
    file.take(cap).read_to_end(&mut bytes).map_err(failed)?;
    check_size(bytes.len() as u64, limits)?;
    Ok(bytes)
}

/// Refuses a text beyond the limit.
pub(crate) fn check_size(bytes: u64, limits: &Limits) -> Result<()> {
    if bytes > limits.file_bytes as u64 {
        let what = "the size of the file in bytes".into();
        return Err(Error::TooLarge { what, limit: limits.file_bytes, field: "file_bytes" });
    }
    Ok(())
}

/// The error of a motion beyond the limit.
pub(crate) fn too_large_motion(limits: &Limits) -> Error {
    let what = "the size of the motion file in bytes".into();
    Error::TooLarge { what, limit: limits.motion_bytes, field: "motion_bytes" }
}

/// The name of a two- or four-byte encoding, recognised by its mark or by the zero bytes beside a first ASCII character.
pub(crate) fn wide_encoding(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0xFF, 0xFE, 0, 0, ..] | [1..=0x7F, 0, 0, 0, ..] => Some("UTF-32 (little-endian)"),
        [0, 0, 0xFE, 0xFF, ..] | [0, 0, 0, 1..=0x7F, ..] => Some("UTF-32 (big-endian)"),
        [0xFF, 0xFE, ..] | [1..=0x7F, 0, 1..=0x7F, 0, ..] => Some("UTF-16 (little-endian)"),
        [0xFE, 0xFF, ..] | [0, 1..=0x7F, 0, 1..=0x7F, ..] => Some("UTF-16 (big-endian)"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoding_of(bytes: &[u8]) -> String {
        match decode_text(bytes, &Limits::default()) {
            Err(Error::Encoding { encoding, .. }) => encoding,
            other => panic!("expected an encoding error, got {other:?}"),
        }
    }

    #[test]
    fn utf8_with_and_without_mark() {
        let limits = Limits::default();
        assert_eq!(decode_text(b"{}", &limits).unwrap(), "{}");
        assert_eq!(decode_text(b"\xEF\xBB\xBF{}", &limits).unwrap(), "{}");
        assert_eq!(decode_text(b"", &limits).unwrap(), "");
    }

    #[test]
    fn other_encodings_are_named() {
        assert!(encoding_of(b"\xFF\xFE<\0").starts_with("UTF-16 (little"), "mark");
        assert!(encoding_of(b"<\0r\0").starts_with("UTF-16 (little"), "no mark");
        assert!(encoding_of(b"\0<\0r").starts_with("UTF-16 (big"), "no mark");
        assert!(encoding_of(b"\0\0\0<").starts_with("UTF-32 (big"), "no mark");
        assert!(encoding_of(b"caf\xE9").contains("Latin-1"), "8 bit");
        assert!(encoding_of(b"{\"a\": 1}\0").contains("NUL"), "binary");
    }

    #[test]
    fn the_size_cap_is_exact() {
        let limits = Limits::default().with_file_bytes(3);
        assert!(decode_text(b"abc", &limits).is_ok());
        assert!(matches!(decode_text(b"abcd", &limits), Err(Error::TooLarge { limit: 3, .. })));
    }
}
