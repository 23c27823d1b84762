//! XML with places: what the readers of robot files have in common.
//!
//! [`Source`] checks a text before an XML parser sees it, [`parse`] parses it, and [`Element`] reads attributes and numbers; every error has line and column.

mod element;
mod source;

use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::text;

pub(crate) use element::{Element, Infinite, Unknown, only, parse, shortened, xacro};
pub(crate) use source::Source;

/// The text of a file's bytes, which must be UTF-8 and declare nothing else.
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
