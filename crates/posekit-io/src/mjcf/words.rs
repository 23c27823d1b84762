//! Keywords and names in attributes.

use crate::error::Result;
use crate::xml::{Element, shortened};

/// Index of the value of an attribute among the allowed words.
pub(super) fn keyword(
    element: Element<'_>,
    attribute: &str,
    subject: &str,
    word: &str,
    words: &[&str],
) -> Result<usize> {
    words.iter().position(|known| *known == word).ok_or_else(|| {
        let known = words.join(", ");
        let message = format!("`{attribute}` is `{}`, expected {known}", shortened(word));
        element.invalid(attribute, subject, message)
    })
}

/// The subject of an element in messages: its tag and, if it has one, its name.
pub(super) fn subject(element: Element<'_>) -> String {
    match element.attribute("name", "") {
        Ok(Some(name)) => format!("{} `{}`", element.tag(), shortened(name)),
        _ => format!("<{}>", element.tag()),
    }
}
