//! Writing JSON in one fixed layout: a field per line, a joint, task or point per line, numbers in the shortest form that reads back exactly.

use core::cell::Cell;
use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};

use super::Document;
use crate::error::{Error, Result};
use crate::limits::Limits;

/// The text of a file: an object with one field per line.
///
/// # Errors
/// [`Error::NotFinite`] names the first NaN or infinity.
pub(crate) fn file(value: &impl Serialize) -> Result<String> {
    let is_finite = Cell::new(true);
    let mut out = Vec::new();
    let layout =
        Layout { depth: 0, element: None, in_lines: false, is_empty: true, is_finite: &is_finite };
    let written = value.serialize(&mut Serializer::with_formatter(&mut out, layout));
    out.push(b'\n');
    let text = written.ok().and_then(|()| String::from_utf8(out).ok());
    let text = text.expect("the formats have only strings as keys, and a vector takes all bytes");
    if is_finite.get() { Ok(text) } else { Err(Error::NotFinite { field: first_nan(&text) }) }
}

/// The path of the first number that is not finite: it is written as no JSON has it, so reading it ends there.
fn first_nan(text: &str) -> String {
    const ANY: usize = usize::MAX;
    let limits = Limits { file_bytes: ANY, joints: ANY, text_bytes: ANY, ..Limits::default() };
    match Document::parse(text, &limits) {
        Err(Error::Syntax { place, .. }) => place.subject,
        _ => String::new(),
    }
}

/// The depth to which the fields of objects, and elements that are no numbers, have lines of their own.
const IN_LINES: usize = 2;

/// The layout of a file.
struct Layout<'a> {
    /// Objects and lists that are open.
    depth: usize,
    /// At the beginning of an element of a list that may be in lines: whether it is the first.
    element: Option<bool>,
    /// Whether the elements of that list have lines of their own.
    in_lines: bool,
    /// Whether nothing is in the innermost object or list yet.
    is_empty: bool,
    /// False after a number that is not.
    is_finite: &'a Cell<bool>,
}

impl Layout<'_> {
    fn line<W: ?Sized + Write>(&self, out: &mut W) -> io::Result<()> {
        write!(out, "\n{:1$}", "", 2 * self.depth)
    }

    /// Begins what is in a line of its own as an element of a list of the file.
    fn begin_element<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        if self.element.take().is_none() {
            return Ok(());
        }
        self.in_lines = true;
        self.line(out)
    }

    fn open<W: ?Sized + Write>(&mut self, out: &mut W, bracket: &[u8]) -> io::Result<()> {
        self.begin_element(out)?;
        self.depth += 1;
        self.is_empty = true;
        out.write_all(bracket)
    }

    fn close(&mut self) -> bool {
        self.depth -= 1;
        !core::mem::replace(&mut self.is_empty, false)
    }
}

impl Formatter for Layout<'_> {
    fn begin_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.open(out, b"[")?;
        if self.depth == IN_LINES {
            self.in_lines = false;
        }
        Ok(())
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.is_empty = false;
        if self.depth == IN_LINES {
            self.element = Some(first);
            return if first { Ok(()) } else { out.write_all(b",") };
        }
        if first { Ok(()) } else { out.write_all(b", ") }
    }

    fn end_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        if self.close() && self.depth < IN_LINES && self.in_lines {
            self.line(out)?;
        }
        out.write_all(b"]")
    }

    fn begin_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.open(out, b"{")
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.is_empty = false;
        if !first {
            out.write_all(b",")?;
        }
        if self.depth <= IN_LINES { self.line(out) } else { out.write_all(b" ") }
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        out.write_all(b": ")
    }

    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        match self.close() {
            true if self.depth < IN_LINES => self.line(out)?,
            true => out.write_all(b" ")?,
            false => {}
        }
        out.write_all(b"}")
    }

    fn begin_string<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.begin_element(out)?;
        out.write_all(b"\"")
    }

    fn write_f64<W: ?Sized + Write>(&mut self, out: &mut W, value: f64) -> io::Result<()> {
        if self.element.take() == Some(false) {
            out.write_all(b" ")?;
        }
        out.write_all(shortest(value).as_bytes())
    }

    /// Only numbers that are not finite come here: fields without a value are left out, or write a null of their own.
    fn write_null<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.is_finite.set(false);
        out.write_all(b"NaN")
    }
}

/// A finite number in the shortest form that reads back to the same bits, except that -0 is written as 0 (they compare equal, and the sign means
/// nothing to a reader).
pub(crate) fn shortest(value: f64) -> String {
    let mut text = format!("{:?}", value + 0.0);
    if text.ends_with(".0") {
        text.truncate(text.len() - 2);
    }
    text
}

/// A string with its quotes and escapes.
pub(crate) fn text_value(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_are_short_and_exact() {
        let cases = [
            (0.0, "0"),
            (-0.0, "0"),
            (1.0, "1"),
            (-2.5, "-2.5"),
            (0.1 + 0.2, "0.30000000000000004"),
            (1e-7, "1e-7"),
            (5e-324, "5e-324"),
            (f64::MAX, "1.7976931348623157e308"),
            (1e16, "1e16"),
            (123_456_789.0, "123456789"),
        ];
        for (value, expected) in cases {
            let text = shortest(value);
            assert_eq!(text, expected);
            let back: f64 = serde_json::from_str(&text).unwrap();
            assert_eq!(back.to_bits(), (value + 0.0).to_bits(), "{text}");
        }
    }

    #[test]
    fn what_is_not_finite_is_refused_by_name() {
        #[derive(Serialize)]
        struct Bone {
            angles: Vec<f64>,
        }
        let bones =
            |angles| BTreeMap::from([("bones", [Bone { angles: vec![0.0] }, Bone { angles }])]);
        let error = file(&bones(vec![0.0, f64::NAN, 1.0])).unwrap_err();
        assert_eq!(error, Error::NotFinite { field: "bones[1].angles[1]".into() });
    }

    #[test]
    fn a_file_has_a_line_for_each_field_and_each_of_its_elements() {
        let value = json!({
            "a": [1.5, 2.0], "b": [], "c": {}, "d": [[1.0, 2.0], []], "e": ["x", "y"],
            "f": { "g": 1.0, "h": { "i": [{}, { "j": "k" }] } }, "l": [{ "m": 1.0, "n": "o" }], "p": "q\"\n",
        });
        let text = file(&value).unwrap();
        let expected = r#"{
  "a": [1.5, 2],
  "b": [],
  "c": {},
  "d": [
    [1, 2],
    []
  ],
  "e": [
    "x",
    "y"
  ],
  "f": {
    "g": 1,
    "h": { "i": [{}, { "j": "k" }] }
  },
  "l": [
    { "m": 1, "n": "o" }
  ],
  "p": "q\"\n"
}
"#;
        assert_eq!(text, expected);
    }
}
