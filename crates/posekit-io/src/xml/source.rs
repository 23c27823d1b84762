//! The text of an XML file: the checks before it is parsed, and the conversion of offsets to lines.

use crate::error::{Error, Place, Result};
use crate::limits::Limits;
use crate::text;

/// The largest number of attributes of an element. The XML parser compares each with all before it, so their number must be bounded; URDF's own elements have at
/// most seven.
const MAX_ATTRIBUTES: usize = 256;

/// The largest number of namespace declarations in a file. The XML parser copies the list of the parents for each element that declares one, so their number must
/// be bounded; real files declare about a dozen.
const MAX_NAMESPACES: usize = 1024;

/// Bytes between two stored positions: few enough to count through for each warning, enough to need little memory.
const CHECKPOINT: usize = 1024;

/// A text and its line numbers.
#[derive(Debug)]
pub(crate) struct Source<'t> {
    pub(crate) text: &'t str,
    /// Its index among the files that are read together.
    pub(crate) file: usize,
    /// Its path, for places; empty for the requested file.
    path: &'t str,
    /// Line and column (from 1) of every byte whose offset is a multiple of [`CHECKPOINT`].
    checkpoints: Vec<(usize, usize)>,
}

impl<'t> Source<'t> {
    /// Takes a text without its byte-order mark; refuses document types, nesting beyond the limit and other costly markup.
    pub(crate) fn new(text: &'t str, limits: &Limits) -> Result<Self> {
        Self::of_file(text, 0, "", limits)
    }

    /// The same for one of several files.
    pub(crate) fn of_file(
        text: &'t str,
        file: usize,
        path: &'t str,
        limits: &Limits,
    ) -> Result<Self> {
        text::check_size(text.len() as u64, limits)?;
        let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
        let source = Self { text, file, path, checkpoints: checkpoints(text) };
        if text.trim_ascii().is_empty() {
            return Err(source.syntax(text.len(), "the file is empty"));
        }
        source.check_markup(limits)?;
        Ok(source)
    }

    /// The place of an offset, in constant time.
    pub(crate) fn place(&self, byte: usize, subject: impl Into<String>) -> Place {
        let byte = byte.min(self.text.len());
        let (mut line, mut column) =
            self.checkpoints.get(byte / CHECKPOINT).copied().unwrap_or((1, 1));
        for &passed in &self.text.as_bytes()[byte / CHECKPOINT * CHECKPOINT..byte] {
            step(passed, &mut line, &mut column);
        }
        let mut subject = subject.into();
        if !self.path.is_empty() {
            let comma = if subject.is_empty() { "" } else { ", " };
            subject = format!("{}{comma}{subject}", self.path);
        }
        Place { subject, line, column, byte }
    }

    pub(crate) fn syntax(&self, byte: usize, message: impl Into<String>) -> Error {
        Error::Syntax { place: self.place(byte, ""), message: message.into() }
    }

    fn unsupported(&self, byte: usize, message: impl Into<String>) -> Error {
        Error::Unsupported { place: self.place(byte, ""), message: message.into() }
    }

    /// One pass over the tags, with constant stack. Malformed markup is reported by the XML parser.
    fn check_markup(&self, limits: &Limits) -> Result<()> {
        let mut at = 0;
        let mut depth = 0_usize;
        let mut namespaces = 0;
        while let Some(found) = self.text[at..].find('<') {
            let start = at + found;
            let markup = &self.text[start..];
            let end = if markup.starts_with("<!--") {
                end_of(markup, 4, "-->")
            } else if markup.starts_with("<![CDATA[") {
                end_of(markup, 9, "]]>")
            } else if markup.starts_with("<?") {
                end_of(markup, 2, "?>")
            } else if is_document_type(markup) {
                return Err(self.unsupported(
                    start,
                    "a document type (DTD) is not allowed: entities are neither expanded nor fetched",
                ));
            } else if markup.starts_with("</") {
                depth = depth.saturating_sub(1);
                end_of(markup, 2, ">")
            } else {
                let tag = read_tag(markup.as_bytes());
                namespaces += tag.namespaces;
                if tag.attributes > MAX_ATTRIBUTES || namespaces > MAX_NAMESPACES {
                    return Err(self.unsupported(start, "too many attributes or namespaces"));
                }
                depth += usize::from(!tag.closed);
                if depth > limits.xml_depth {
                    return Err(self.too_deep(start, limits));
                }
                tag.end
            };
            match end {
                Some(end) => at = start + end,
                None => return Ok(()),
            }
        }
        Ok(())
    }

    fn too_deep(&self, byte: usize, limits: &Limits) -> Error {
        Error::TooLarge {
            what: format!("the depth of nested elements ({})", self.place(byte, "")),
            limit: limits.xml_depth,
            field: "xml_depth",
        }
    }
}

/// The properties of a start tag for the checks.
struct Tag {
    /// Offset just after it; `None` if the text ends first.
    end: Option<usize>,
    closed: bool,
    attributes: usize,
    namespaces: usize,
}

fn read_tag(bytes: &[u8]) -> Tag {
    let mut tag = Tag { end: None, closed: false, attributes: 0, namespaces: 0 };
    let mut quote = None;
    let mut at = 1;
    while let Some(&byte) = bytes.get(at) {
        match (quote, byte) {
            (Some(open), _) if byte == open => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => {
                quote = Some(byte);
                tag.attributes += 1;
            }
            (None, b'x') => {
                tag.namespaces += usize::from(bytes[at..].starts_with(b"xmlns"));
            }
            (None, b'>') => {
                tag.closed = bytes[at - 1] == b'/';
                tag.end = Some(at + 1);
                break;
            }
            (None, _) => {}
        }
        at += 1;
    }
    tag
}

fn is_document_type(markup: &str) -> bool {
    const START: &str = "<!DOCTYPE";
    markup.get(..START.len()).is_some_and(|start| start.eq_ignore_ascii_case(START))
}

fn end_of(markup: &str, from: usize, terminator: &str) -> Option<usize> {
    markup.get(from..)?.find(terminator).map(|at| from + at + terminator.len())
}

fn checkpoints(text: &str) -> Vec<(usize, usize)> {
    let (mut line, mut column) = (1, 1);
    let mut list = Vec::with_capacity(text.len() / CHECKPOINT + 1);
    for (at, &byte) in text.as_bytes().iter().enumerate() {
        if at % CHECKPOINT == 0 {
            list.push((line, column));
        }
        step(byte, &mut line, &mut column);
    }
    if text.len().is_multiple_of(CHECKPOINT) {
        list.push((line, column));
    }
    list
}

/// Advances a position by one byte. Continuation bytes of UTF-8 do not count as characters.
const fn step(byte: u8, line: &mut usize, column: &mut usize) {
    if byte == b'\n' {
        *line += 1;
        *column = 1;
    } else if byte & 0xC0 != 0x80 {
        *column += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> Source<'_> {
        Source::new(text, &Limits::default()).unwrap()
    }

    #[test]
    fn places_agree_with_the_plain_count() {
        let mut text = String::from("<robot>\n");
        for index in 0..1000 {
            text.push_str(if index % 7 == 0 { "zeile ä\n" } else { "€ x " });
        }
        let source = source(&text);
        for byte in (0..=text.len()).filter(|&byte| text.is_char_boundary(byte)) {
            assert_eq!(source.place(byte, "s"), Place::at(&text, byte, "s"));
        }
    }

    #[test]
    fn markup_inside_comments_and_quotes_does_not_count() {
        let limits = Limits::default().with_xml_depth(2);
        let fine = r#"<?xml version="1.0"?><!-- <a><b><c><d> --><a x="<b> >"><b y='/>'/><c><![CDATA[<q><q><q>]]></c></a>"#;
        assert!(Source::new(fine, &limits).is_ok());
        let deep = "<a><b><c/><c></c></b></a>";
        let error = Source::new(deep, &limits).unwrap_err();
        assert!(error.to_string().contains("line 1, column 11"), "{error}");
    }

    #[test]
    fn costly_markup_is_refused() {
        let many = format!("<a {}/>", "a='' ".repeat(1000));
        assert!(Source::new(&many, &Limits::default()).is_err());
        let spaces = "<a xmlns:b='x'>".repeat(5).to_string() + &"<c xmlns:d='y'/>".repeat(2000);
        assert!(Source::new(&spaces, &Limits::default()).is_err());
    }
}
