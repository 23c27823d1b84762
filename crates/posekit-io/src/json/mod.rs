//! JSON with places: a tree of values with paths, a writer with a fixed layout, and edits of a text
//! that keep the rest of it unchanged.
//!
//! `serde_json` checks the grammar; this module adds the needs of file formats: duplicate keys are refused, lists and strings are
//! limited while they are read, and every error names a path such as `bones[3].length` with its line and column.

mod cursor;
mod locate;
mod shapes;
mod spans;
mod write;

use core::cell::RefCell;
use core::fmt;
use std::borrow::Cow;

use serde::de::{DeserializeSeed, Error as _, MapAccess, SeqAccess, Visitor};

use crate::error::{Error, Place, Result};
use crate::limits::Limits;
use crate::text;

pub use cursor::schema_of;
pub(crate) use cursor::{Cursor, Object, check_schema, check_schema_among};
pub(crate) use spans::{Spans, Splices};
pub(crate) use write::{file, shortest, text_value};

/// A JSON value. Numbers are f64, like every number in posekit's formats.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Node {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    List(Vec<Self>),
    Object(Vec<(String, Self)>),
}

/// One step from a value to a value inside it. Names are borrowed from the document, because every cursor has a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Step<'d> {
    Field(Cow<'d, str>),
    Element(usize),
}

/// A parsed text.
#[derive(Debug)]
pub(crate) struct Document<'a> {
    text: &'a str,
    root: Node,
}

impl<'a> Document<'a> {
    /// Parses the text of a JSON file.
    ///
    /// Nesting deeper than 127 is refused by `serde_json` before it costs stack.
    pub(crate) fn parse(text: &'a str, limits: &Limits) -> Result<Self> {
        text::check_size(text.len() as u64, limits)?;
        let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
        let progress = RefCell::new(Progress { path: Vec::new(), cap: None });
        let mut deserializer = serde_json::Deserializer::from_str(text);
        let seed = NodeSeed { progress: &progress, limits };
        let parsed = seed.deserialize(&mut deserializer).and_then(|root| {
            deserializer.end()?;
            Ok(root)
        });
        match parsed {
            Ok(root) => Ok(Self { text, root }),
            Err(error) => Err(syntax_error(text, &error, progress.into_inner())),
        }
    }

    /// The outermost value.
    pub(crate) const fn root(&self) -> Cursor<'_> {
        Cursor::new(self.text, &self.root)
    }
}

/// A path for people: `bones[3].length`. Empty for the outermost value.
pub(crate) fn path_text(path: &[Step<'_>]) -> String {
    let mut out = String::new();
    for step in path {
        match step {
            Step::Field(name) if out.is_empty() => out.push_str(name),
            Step::Field(name) => {
                out.push('.');
                out.push_str(name);
            }
            Step::Element(index) => out.push_str(&format!("[{index}]")),
        }
    }
    out
}

/// The same error with the line and column of the value that it names, if it was found after reading and so has none. The text is the one
/// that was read.
pub(crate) fn located_in(mut error: Error, text: &str, limits: &Limits) -> Error {
    if let Some(place) = error.place_mut().filter(|place| place.line == 0)
        && let Ok(document) = Document::parse(text, limits)
        && let Some(path) = path_of(&document.root, &place.subject)
    {
        let byte = locate::locate(document.text, &path);
        *place = Place::at(document.text, byte, core::mem::take(&mut place.subject));
    }
    error
}

/// The steps that [`path_text`] writes like this. Names may hold dots, so all of the document is compared, not the text taken apart.
fn path_of<'d>(root: &'d Node, subject: &str) -> Option<Vec<Step<'d>>> {
    // The nodes to visit, with their names and the lengths of their paths.
    let mut ahead = vec![(root, String::new(), Vec::new())];
    while let Some((node, name, path)) = ahead.pop() {
        if name == subject {
            return Some(path);
        }
        let mut enter = |step: Step<'d>, child| {
            let mut path = path.clone();
            path.push(step);
            let name = path_text(&path);
            if subject.starts_with(&name) {
                ahead.push((child, name, path));
            }
        };
        match node {
            Node::List(list) => {
                list.iter().enumerate().for_each(|(i, child)| enter(Step::Element(i), child));
            }
            Node::Object(fields) => {
                fields
                    .iter()
                    .for_each(|(key, child)| enter(Step::Field(Cow::Borrowed(key)), child));
            }
            _ => {}
        }
    }
    None
}

/// The progress of the parser: the path of the current value, kept when an error ends the parse.
struct Progress {
    path: Vec<Step<'static>>,
    /// The limit that ended the parse, if one did.
    cap: Option<Error>,
}

fn syntax_error(text: &str, error: &serde_json::Error, progress: Progress) -> Error {
    if let Some(cap) = progress.cap {
        return cap;
    }
    let whole = error.to_string();
    let message = whole.rfind(" at line ").map_or(whole.as_str(), |end| &whole[..end]).to_owned();
    let byte = byte_of(text, error.line(), error.column());
    Error::Syntax { place: Place::at(text, byte, path_text(&progress.path)), message }
}

/// Offset of the last byte that `serde_json` had read: it counts lines from 1, and columns in bytes.
fn byte_of(text: &str, line: usize, column: usize) -> usize {
    let line_start = match line {
        0 | 1 => 0,
        _ => text.match_indices('\n').nth(line - 2).map_or(text.len(), |(at, _)| at + 1),
    };
    let at_end = line_start + column >= text.len();
    line_start + if at_end { column } else { column.saturating_sub(1) }
}

/// Reads one value, keeping `progress` up to date.
#[derive(Clone, Copy)]
struct NodeSeed<'p> {
    progress: &'p RefCell<Progress>,
    limits: &'p Limits,
}

impl NodeSeed<'_> {
    fn enter(&self, step: Step<'static>) {
        self.progress.borrow_mut().path.push(step);
    }

    fn leave(&self) {
        self.progress.borrow_mut().path.pop();
    }

    /// Whether a list or an object of this size is refused. Those of applications, in the `extras` of a glTF, may have any size.
    fn is_over(&self, size: usize) -> bool {
        let is_own = |step: &Step<'_>| matches!(step, Step::Field(name) if name == "extras");
        size > self.limits.joints && !self.progress.borrow().path.iter().any(is_own)
    }

    fn cap<E: serde::de::Error>(&self, what: &str, limit: usize, field: &'static str) -> E {
        let mut progress = self.progress.borrow_mut();
        let what = match path_text(&progress.path) {
            path if path.is_empty() => what.to_owned(),
            path => format!("{what} of `{path}`"),
        };
        progress.cap = Some(Error::TooLarge { what, limit, field });
        E::custom("cap")
    }

    fn check_text<E: serde::de::Error>(&self, text: &str) -> core::result::Result<(), E> {
        if text.len() > self.limits.text_bytes {
            return Err(self.cap("the length in bytes", self.limits.text_bytes, "text_bytes"));
        }
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for NodeSeed<'_> {
    type Value = Node;

    fn deserialize<D: serde::Deserializer<'de>>(
        self,
        deserializer: D,
    ) -> core::result::Result<Node, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for NodeSeed<'_> {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> core::result::Result<Node, E> {
        Ok(Node::Null)
    }

    fn visit_bool<E>(self, value: bool) -> core::result::Result<Node, E> {
        Ok(Node::Bool(value))
    }

    fn visit_u64<E>(self, value: u64) -> core::result::Result<Node, E> {
        Ok(Node::Number(value as f64))
    }

    fn visit_i64<E>(self, value: i64) -> core::result::Result<Node, E> {
        Ok(Node::Number(value as f64))
    }

    fn visit_f64<E>(self, value: f64) -> core::result::Result<Node, E> {
        Ok(Node::Number(value))
    }

    fn visit_str<E: serde::de::Error>(self, value: &str) -> core::result::Result<Node, E> {
        self.check_text(value)?;
        Ok(Node::Text(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> core::result::Result<Node, A::Error> {
        let mut list = Vec::new();
        loop {
            self.enter(Step::Element(list.len()));
            let Some(node) = seq.next_element_seed(self)? else { break };
            self.leave();
            // A chain of n bones has n + 1 points.
            if self.is_over(list.len()) {
                return Err(self.cap("the number of elements", self.limits.joints, "joints"));
            }
            list.push(node);
        }
        self.leave();
        Ok(Node::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> core::result::Result<Node, A::Error> {
        let mut fields: Vec<(String, Node)> = Vec::new();
        while let Some(key) = map.next_key::<String>()? {
            self.check_text(&key)?;
            // No format here has objects with many fields, except those keyed by joint names; both are refused beyond the limit.
            if self.is_over(fields.len()) {
                return Err(self.cap("the number of fields", self.limits.joints, "joints"));
            }
            if fields.len() < UNSORTED && fields.iter().any(|(known, _)| *known == key) {
                return Err(A::Error::custom(format!("duplicate field `{key}`")));
            }
            self.enter(Step::Field(Cow::Owned(key.clone())));
            let node = map.next_value_seed(self)?;
            self.leave();
            fields.push((key, node));
        }
        match first_duplicate(&fields) {
            Some(key) => Err(A::Error::custom(format!("duplicate field `{key}`"))),
            None => Ok(Node::Object(fields)),
        }
    }
}

/// Up to this number of fields a new key is compared with all before it, so that a duplicate is reported at its place; beyond, sorting at the
/// end keeps the time in proportion.
const UNSORTED: usize = 32;

fn first_duplicate(fields: &[(String, Node)]) -> Option<&str> {
    if fields.len() <= UNSORTED {
        return None;
    }
    let mut names: Vec<&str> = fields.iter().map(|(name, _)| name.as_str()).collect();
    names.sort_unstable();
    names.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_error(text: &str) -> Error {
        Document::parse(text, &Limits::default()).unwrap_err()
    }

    #[test]
    fn syntax_errors_name_path_line_and_column() {
        let error = parse_error("{\n  \"bones\": [ { \"length\": 1e999 } ]\n}");
        let Error::Syntax { place, message } = error else { panic!("{error:?}") };
        assert_eq!(place.subject, "bones[0].length");
        assert_eq!(place.line, 2);
        assert_eq!(message, "number out of range");
    }

    #[test]
    fn duplicate_fields_are_refused_in_small_and_large_objects() {
        assert!(parse_error(r#"{"a": 1, "a": 2}"#).to_string().contains("duplicate field `a`"));
        let mut text = String::from("{");
        for index in 0..100 {
            text.push_str(&format!("\"k{index}\": 0, "));
        }
        text.push_str("\"k77\": 1}");
        assert!(parse_error(&text).to_string().contains("duplicate field `k77`"));
    }

    #[test]
    fn deep_nesting_is_refused_without_stack() {
        let text = "[".repeat(1_000_000);
        assert!(parse_error(&text).to_string().contains("recursion limit"));
        let text = "{\"a\":".repeat(1_000_000);
        assert!(parse_error(&text).to_string().contains("recursion limit"));
    }

    #[test]
    fn long_lists_and_strings_meet_their_caps() {
        let limits = Limits { text_bytes: 4, ..Limits::default().with_joints(3) };
        let check = |text: &str| Document::parse(text, &limits).map(|_| ());
        assert!(check("[1,2,3,4]").is_ok());
        let free = Limits::default().with_joints(3);
        let check_free = |text: &str| Document::parse(text, &free).map(|_| ());
        assert!(check_free(r#"{"extras":{"samples":[1,2,3,4,5]}}"#).is_ok());
        assert!(check_free(r#"{"other":{"samples":[1,2,3,4,5]}}"#).is_err());
        assert!(matches!(check("[1,2,3,4,5]"), Err(Error::TooLarge { field: "joints", .. })));
        assert!(matches!(
            check(r#"{"abcde": 1}"#),
            Err(Error::TooLarge { field: "text_bytes", .. })
        ));
        assert!(matches!(
            check(r#"{"a": "12345"}"#),
            Err(Error::TooLarge { field: "text_bytes", .. })
        ));
    }

    #[test]
    fn what_follows_the_value_is_refused() {
        assert!(parse_error("{} {}").to_string().contains("trailing"));
        assert!(parse_error("").to_string().contains("EOF"));
    }

    #[test]
    fn cut_files_report_their_end() {
        let text = "{ \"schema\": \"posekit.chain/1\", \"bones\": [ {";
        let Error::Syntax { place, .. } = parse_error(text) else { panic!("not a syntax error") };
        assert_eq!(place.byte, text.len());
    }
}
