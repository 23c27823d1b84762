//! URIs in a file: data, or another file of the same folder.

use crate::error::{Error, Result};
use crate::json::Cursor;

/// The scheme of data URIs.
const DATA_SCHEME: &str = "data:";

/// The place of the bytes of a buffer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Uri<'d> {
    /// In the URI: the prefix of the data, with the comma, and the data in base64.
    Data { head: &'d str, base64: &'d str },
    /// In a file: its path from the asset's folder, decoded, with `/` between its parts.
    File(String),
}

/// The fault of a URI.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fault {
    Bad(&'static str),
    Outside(&'static str),
}

impl<'d> Uri<'d> {
    /// Reads a URI and refuses paths out of the asset's folder.
    pub(super) fn read(field: &Cursor<'d>) -> Result<Self> {
        match Self::of(field.text()?) {
            Ok(uri) => Ok(uri),
            Err(Fault::Bad(message)) => Err(field.invalid(message)),
            Err(Fault::Outside(why)) => {
                let message = format!("only files in the asset's folder are read; this URI {why}");
                Err(Error::Unsupported { place: field.place(), message })
            }
        }
    }

    /// The same for a text; a fault has no place, which would take time to find.
    pub(super) fn of(text: &'d str) -> core::result::Result<Self, Fault> {
        if text.get(..DATA_SCHEME.len()).is_some_and(|head| head.eq_ignore_ascii_case(DATA_SCHEME))
        {
            return match text.split_once(',') {
                Some((head, base64)) if head.ends_with(";base64") => {
                    Ok(Self::Data { head: &text[..=head.len()], base64 })
                }
                _ => Err(Fault::Bad("of data URIs, only those in base64 are read")),
            };
        }
        let path = decode(text).map_err(Fault::Bad)?;
        if let Some(why) = outside(&path) {
            return Err(Fault::Outside(why));
        }
        let parts: Vec<&str> = path.split('/').filter(|part| *part != ".").collect();
        Ok(Self::File(parts.join("/")))
    }
}

/// The percent-decoded text. Characters that should have been encoded are kept, because some files have them.
fn decode(text: &str) -> core::result::Result<String, &'static str> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit =
            || char::from(rest.next()?).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
        match (digit(), digit()) {
            (Some(high), Some(low)) => bytes.push(high * 16 + low),
            _ => return Err("two hexadecimal digits must follow a `%`"),
        }
    }
    String::from_utf8(bytes).map_err(|_| "its percent-decoded bytes are not UTF-8")
}

/// Why a path leaves its folder, on any system.
fn outside(path: &str) -> Option<&'static str> {
    // Windows drops dots and blanks at the end of a name, so `.. ` is `..` there.
    let is_up = |part: &str| part.len() > 1 && part.trim_end_matches(['.', ' ']).is_empty();
    let is_nothing = |part: &str| part.trim_matches(' ').is_empty();
    if path.contains(':') {
        Some("has a scheme or a drive")
    } else if path.contains('\\') {
        Some("has a backslash")
    } else if path.contains(|c: char| c.is_control()) {
        Some("has a control character")
    } else if path.starts_with('/') {
        Some("is absolute")
    } else if path.split('/').any(is_up) {
        Some("leads upwards")
    } else if path.split('/').any(is_nothing) || path.split('/').all(|part| part == ".") {
        Some("names no file")
    } else {
        None
    }
}

/// A percent-encoded path: reserved characters and those that are not ASCII are encoded.
pub(super) fn encode(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'/' | b'-' | b'.' | b'_' | b'~' => out.push(char::from(byte)),
            _ if byte.is_ascii_alphanumeric() => out.push(char::from(byte)),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percent_signs_are_decoded_once() {
        assert_eq!(decode("a%20b.bin").as_deref(), Ok("a b.bin"));
        assert_eq!(decode("a b.bin").as_deref(), Ok("a b.bin"));
        assert_eq!(decode("%C3%A9é").as_deref(), Ok("éé"));
        assert_eq!(decode("%252e").as_deref(), Ok("%2e"));
        for bad in ["%", "%2", "%zz", "a%+1", "%FF.bin", "%C3"] {
            assert!(decode(bad).is_err(), "{bad}");
        }
        for path in ["a b/é+%.bin", "plain.bin"] {
            assert_eq!(decode(&encode(path)).as_deref(), Ok(path));
        }
    }

    #[test]
    fn paths_stay_inside() {
        for path in ["a.bin", "b/a.bin", "./a.bin", "..a", "a..", ".a", "%2e%2e", "a b"] {
            assert_eq!(outside(path), None, "{path}");
        }
        for path in [
            "",
            ".",
            "./.",
            "..",
            "../a",
            "a/../b",
            "a/..",
            "...",
            ".. /a",
            ". ./../a",
            "/a",
            "//host/a",
            "a//b",
            "\\\\host\\a",
            "a\\b",
            "c:a",
            "file:///a",
            "http://a/b",
            "a\0b",
            " ",
            "a/",
        ] {
            assert!(outside(path).is_some(), "{path}");
        }
    }
}
