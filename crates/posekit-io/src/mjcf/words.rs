//! Keywords and names in attributes.

use crate::error::Result;
use crate::xml::{Element, shortened};

/// Index of a word among those that an attribute may hold.
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

/// How messages call an element: by its tag and, where it has one, its name.
pub(super) fn subject(element: Element<'_>) -> String {
    match element.attribute("name", "") {
        Ok(Some(name)) => format!("{} `{}`", element.tag(), shortened(name)),
        _ => format!("<{}>", element.tag()),
    }
}
