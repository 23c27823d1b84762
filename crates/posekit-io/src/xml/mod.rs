//! XML with places, shared by the readers of robot files.
//!
//! [`Source`] checks a text before an XML parser sees it, [`parse`] parses it, and [`Element`] reads attributes and numbers; every error has line and column.

mod element;
mod source;

use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::text;

pub(crate) use element::{Element, Infinite, Unknown, only, parse, shortened};
pub(crate) use source::Source;

/// The text of a file's bytes, which must be UTF-8 and not declare another encoding.
pub(crate) fn decode<'a>(bytes: &'a [u8], limits: &Limits) -> Result<&'a str> {
    let text = text::decode_text(bytes, limits)?;
    match declared_encoding(text) {
        Some(encoding) if !is_ascii_or_utf8(encoding) => {
            let encoding = format!("declared as {}", shortened(encoding));
            Err(Error::Encoding { encoding, byte: 0 })
        }
        _ => Ok(text),
    }
}

/// The tag of the first element, after comments and the declaration; arbitrary for a text that is not XML.
pub(crate) fn first_tag(text: &str) -> Option<&str> {
    let mut rest = text;
    loop {
        rest = &rest[rest.find('<')? + 1..];
        let terminator = match rest.as_bytes().first()? {
            b'?' => "?>",
            b'!' if rest.starts_with("!--") => "-->",
            _ => return rest.split(|c: char| c.is_ascii_whitespace() || "/>".contains(c)).next(),
        };
        rest = &rest[rest.find(terminator)? + terminator.len()..];
    }
}

fn is_ascii_or_utf8(encoding: &str) -> bool {
    ["utf-8", "utf8", "us-ascii", "ascii"].iter().any(|name| encoding.eq_ignore_ascii_case(name))
}

/// The encoding named in the XML declaration.
fn declared_encoding(text: &str) -> Option<&str> {
    let declaration = text.strip_prefix("<?xml")?;
    let declaration = &declaration[..declaration.find("?>")?];
    let value = declaration[declaration.find("encoding")?..].split_once('=')?.1.trim_ascii_start();
    let quote = value.chars().next().filter(|&c| c == '"' || c == '\'')?;
    value[1..].split_once(quote).map(|(encoding, _)| encoding)
}

#[cfg(test)]
mod tests {
    use super::first_tag;

    #[test]
    fn the_first_tag_is_behind_comments_and_the_declaration() {
        for text in [
            "<mujoco/>",
            "<?xml version='1.0'?>\n<!-- <robot> --> <!----><mujoco model='<robot>'>",
            "<mujoco>",
            "<mujoco\nmodel='m'/>",
        ] {
            assert_eq!(first_tag(text), Some("mujoco"), "{text}");
        }
        assert_eq!(first_tag("<mujocoinclude/>"), Some("mujocoinclude"));
        for text in ["", "<!-- <mujoco>", "text", "<", "<?xml <mujoco>"] {
            assert_eq!(first_tag(text), None, "{text}");
        }
    }
}
