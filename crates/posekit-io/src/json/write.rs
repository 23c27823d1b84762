//! Writing JSON in one fixed layout: stable field order, one object of a list per line, numbers in the shortest form that reads back exactly.

use crate::error::{Error, Result};

/// The fields of an object, in the order in which they are added.
#[derive(Debug, Default)]
pub(crate) struct Fields {
    list: Vec<(&'static str, String)>,
}

impl Fields {
    pub(crate) const fn new() -> Self {
        Self { list: Vec::new() }
    }

    /// Adds a field whose value is JSON already.
    pub(crate) fn add(&mut self, name: &'static str, value: impl Into<String>) {
        self.list.push((name, value.into()));
    }

    /// Adds a field when there is a value.
    pub(crate) fn add_some(&mut self, name: &'static str, value: Option<String>) {
        if let Some(value) = value {
            self.add(name, value);
        }
    }

    /// `{ "a": 1, "b": 2 }`
    pub(crate) fn inline(&self) -> String {
        let fields: Vec<String> =
            self.list.iter().map(|(name, value)| format!("\"{name}\": {value}")).collect();
        format!("{{ {} }}", fields.join(", "))
    }

    /// The object of a whole file: one field per line, and a line feed at the end.
    pub(crate) fn file(&self) -> String {
        let fields: Vec<String> =
            self.list.iter().map(|(name, value)| format!("  \"{name}\": {value}")).collect();
        format!("{{\n{}\n}}\n", fields.join(",\n"))
    }
}

/// `[a, b]`
pub(crate) fn list_inline(values: &[String]) -> String {
    format!("[{}]", values.join(", "))
}

/// A list inside a file's object, one element per line.
pub(crate) fn list_in_lines(values: &[String]) -> String {
    if values.is_empty() {
        return "[]".to_owned();
    }
    format!("[\n    {}\n  ]", values.join(",\n    "))
}

/// An object inside a file's object, one field per line, whose names are data.
pub(crate) fn object(fields: &[(String, String)]) -> String {
    let lines: Vec<String> =
        fields.iter().map(|(name, value)| format!("    {}: {value}", text_value(name))).collect();
    if lines.is_empty() {
        return "{}".to_owned();
    }
    format!("{{\n{}\n  }}", lines.join(",\n"))
}

/// An object in a line, whose names are data.
pub(crate) fn object_inline(fields: &[(String, String)]) -> String {
    let fields: Vec<String> =
        fields.iter().map(|(name, value)| format!("{}: {value}", text_value(name))).collect();
    if fields.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", fields.join(", ")) }
}

/// A number in the shortest form that reads back to the same bits, except that -0 is written as 0 (they compare equal, and the sign means
/// nothing to a reader).
///
/// # Errors
/// [`Error::NotFinite`] with `field`.
pub(crate) fn number(value: f64, field: &str) -> Result<String> {
    if !value.is_finite() {
        return Err(Error::NotFinite { field: field.to_owned() });
    }
    let mut text = format!("{:?}", value + 0.0);
    if text.ends_with(".0") {
        text.truncate(text.len() - 2);
    }
    Ok(text)
}

/// A list of numbers.
///
/// # Errors
/// [`Error::NotFinite`] with `field` and the index.
pub(crate) fn numbers(values: &[f64], field: &str) -> Result<String> {
    let texts: Result<Vec<String>> = values
        .iter()
        .enumerate()
        .map(|(index, &value)| {
            number(value, field)
                .map_err(|_| Error::NotFinite { field: format!("{field}[{index}]") })
        })
        .collect();
    Ok(list_inline(&texts?))
}

/// A string with its quotes and escapes.
pub(crate) fn text_value(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            control if u32::from(control) < 0x20 => {
                out.push_str(&format!("\\u{:04x}", u32::from(control)));
            }
            other => out.push(other),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
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
            let text = number(value, "x").unwrap();
            assert_eq!(text, expected);
            let back: f64 = serde_json::from_str(&text).unwrap();
            assert_eq!(back.to_bits(), (value + 0.0).to_bits(), "{text}");
        }
    }

    #[test]
    fn what_is_not_finite_is_refused_by_name() {
        let error = numbers(&[0.0, f64::NAN], "angles").unwrap_err();
        assert_eq!(error, Error::NotFinite { field: "angles[1]".into() });
        assert!(number(f64::INFINITY, "error").is_err());
    }

    #[test]
    fn strings_are_escaped() {
        let text = "a\"b\\c\n\u{1}é";
        let back: String = serde_json::from_str(&text_value(text)).unwrap();
        assert_eq!(back, text);
    }
}
