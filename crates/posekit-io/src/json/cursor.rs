//! A cursor into a parsed document that knows its path.

use std::borrow::Cow;
use std::rc::Rc;

use super::{Document, Node, Step, locate, path_text};
use crate::error::{Error, Place, Result};
use crate::limits::Limits;

/// A value of a document and the path to it.
#[derive(Debug, Clone)]
pub(crate) struct Cursor<'d> {
    text: &'d str,
    node: &'d Node,
    path: Option<Rc<Path<'d>>>,
    /// Largest absolute value of a number.
    largest: f64,
}

/// The last step of a path, and the steps before it. Paths share their common steps, because files have hundreds of thousands of values.
#[derive(Debug)]
struct Path<'d> {
    step: Step<'d>,
    above: Option<Rc<Self>>,
}

/// An object whose fields are all known ones.
#[derive(Debug)]
pub(crate) struct Object<'d> {
    cursor: Cursor<'d>,
    fields: &'d [(String, Node)],
}

impl<'d> Cursor<'d> {
    pub(super) const fn new(text: &'d str, node: &'d Node) -> Self {
        Self { text, node, path: None, largest: f64::MAX }
    }

    /// The same value, whose numbers, including nested ones, must not exceed this absolute value.
    pub(crate) fn with_largest(self, largest: f64) -> Self {
        Self { largest, ..self }
    }

    fn child(&self, step: Step<'d>, node: &'d Node) -> Self {
        let path = Some(Rc::new(Path { step, above: self.path.clone() }));
        Self { text: self.text, node, path, largest: self.largest }
    }

    /// The steps from the outermost value to this one.
    fn steps(&self) -> Vec<Step<'d>> {
        let path = core::iter::successors(self.path.as_deref(), |path| path.above.as_deref());
        let mut steps: Vec<Step<'d>> = path.map(|path| path.step.clone()).collect();
        steps.reverse();
        steps
    }

    /// The path for people.
    pub(crate) fn path(&self) -> String {
        path_text(&self.steps())
    }

    pub(crate) fn place(&self) -> Place {
        Place::at(self.text, locate::locate(self.text, &self.steps()), self.path())
    }

    /// An error about this value.
    pub(crate) fn invalid(&self, message: impl Into<String>) -> Error {
        Error::Value { place: self.place(), message: message.into() }
    }

    fn expected(&self, what: &str) -> Error {
        let found = match self.node {
            Node::Null => "null".to_owned(),
            Node::Bool(value) => value.to_string(),
            Node::Number(value) => format!("the number {value}"),
            Node::Text(_) => "a string".to_owned(),
            Node::List(list) => format!("a list of {}", list.len()),
            Node::Object(_) => "an object".to_owned(),
        };
        self.invalid(format!("expected {what}, found {found}"))
    }

    /// The object here; a field that is not in `known` is an error that names it.
    pub(crate) fn object(&self, known: &[&str]) -> Result<Object<'d>> {
        let object = self.any_object()?;
        for (name, node) in object.fields {
            if !known.contains(&name.as_str()) {
                let place = self.child(Step::Field(Cow::Borrowed(name)), node).place();
                let expected = known.join(", ");
                return Err(Error::UnknownField { place, field: name.clone(), expected });
            }
        }
        Ok(object)
    }

    /// The object here, whatever its fields.
    pub(crate) fn any_object(&self) -> Result<Object<'d>> {
        match self.node {
            Node::Object(fields) => Ok(Object { cursor: self.clone(), fields }),
            _ => Err(self.expected("an object")),
        }
    }

    /// The elements of the list here.
    pub(crate) fn list(&self) -> Result<Vec<Self>> {
        match self.node {
            Node::List(list) => Ok(list
                .iter()
                .enumerate()
                .map(|(index, node)| self.child(Step::Element(index), node))
                .collect()),
            _ => Err(self.expected("a list")),
        }
    }

    /// A finite number. (JSON has no others, and the parser refuses what overflows.)
    pub(crate) fn number(&self) -> Result<f64> {
        match self.node {
            // Written so that NaN, which the parser cannot give, would be refused.
            Node::Number(value) if value.abs() <= self.largest => Ok(*value),
            Node::Number(value) => Err(self.invalid(format!(
                "{value:?} is larger than {:?}, the largest number allowed",
                self.largest
            ))),
            _ => Err(self.expected("a number")),
        }
    }

    /// A finite number that is not negative; `what` names it in the error.
    pub(crate) fn non_negative(&self, what: &str) -> Result<f64> {
        let value = self.number()?;
        if value < 0.0 {
            return Err(self.invalid(format!("{what} must not be negative, found {value}")));
        }
        Ok(value)
    }

    /// A whole number from 0 to 2^32 - 1.
    pub(crate) fn count(&self) -> Result<u32> {
        let value = self.number()?;
        if value < 0.0 || value > f64::from(u32::MAX) || value.fract() != 0.0 {
            return Err(self.expected("a whole number"));
        }
        #[expect(clippy::cast_possible_truncation, reason = "the value is whole and in range")]
        #[expect(clippy::cast_sign_loss, reason = "the value is not negative")]
        Ok(value as u32)
    }

    pub(crate) fn text(&self) -> Result<&'d str> {
        match self.node {
            Node::Text(text) => Ok(text),
            _ => Err(self.expected("a string")),
        }
    }

    /// The object here, if it is one. Unlike an error, `None` takes no time to find the place.
    pub(crate) fn as_object(&self) -> Option<Object<'d>> {
        match self.node {
            Node::Object(fields) => Some(Object { cursor: self.clone(), fields }),
            _ => None,
        }
    }

    /// The elements of the list here, if it is one.
    pub(crate) fn as_list(&self) -> Option<Vec<Self>> {
        if self.is_list() { self.list().ok() } else { None }
    }

    /// The string here, if it is one.
    pub(crate) fn as_text(&self) -> Option<&'d str> {
        match self.node {
            Node::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The whole number here, from 0 to 2^32 - 1, if it is one.
    pub(crate) fn as_index(&self) -> Option<usize> {
        match *self.node {
            Node::Number(value)
                if value >= 0.0 && value <= f64::from(u32::MAX) && value.fract() == 0.0 =>
            {
                usize::try_from(self.count().ok()?).ok()
            }
            _ => None,
        }
    }

    /// True or false.
    pub(crate) fn flag(&self) -> Result<bool> {
        match self.node {
            Node::Bool(value) => Ok(*value),
            _ => Err(self.expected("true or false")),
        }
    }

    /// True for `null`.
    pub(crate) const fn is_null(&self) -> bool {
        matches!(self.node, Node::Null)
    }

    /// True for a string, for fields that may be a name or an object.
    pub(crate) const fn is_text(&self) -> bool {
        matches!(self.node, Node::Text(_))
    }

    /// True for a list, for fields that may be a number or a list.
    pub(crate) const fn is_list(&self) -> bool {
        matches!(self.node, Node::List(_))
    }

    /// A list of finite numbers of any length.
    pub(crate) fn numbers(&self) -> Result<Vec<f64>> {
        let Node::List(list) = self.node else { return Err(self.expected("a list")) };
        list.iter()
            .enumerate()
            .map(|(index, node)| match node {
                Node::Number(value) if value.abs() <= self.largest => Ok(*value),
                // Only a fault needs the element's path.
                _ => self.child(Step::Element(index), node).number(),
            })
            .collect()
    }

    /// A list of exactly `count` finite numbers; `why` explains the count in the error.
    pub(crate) fn numbers_exact(&self, count: usize, why: &str) -> Result<Vec<f64>> {
        let found = match self.node {
            Node::List(list) => list.len(),
            _ => return Err(self.expected(&format!("a list of {count} numbers ({why})"))),
        };
        if found != count {
            return Err(self.invalid(format!("expected {count} numbers ({why}), found {found}")));
        }
        self.numbers()
    }

    /// A list of exactly N values; `why` explains the count in the error.
    pub(crate) fn list_of<const N: usize>(&self, why: &str) -> Result<[Self; N]> {
        let list = self.list()?;
        let found = list.len();
        list.try_into()
            .map_err(|_| self.invalid(format!("expected a list of {N} ({why}), found {found}")))
    }

    /// A list of exactly N finite numbers.
    pub(crate) fn array<const N: usize>(&self, why: &str) -> Result<[f64; N]> {
        let numbers = self.numbers_exact(N, why)?;
        let mut array = [0.0; N];
        array.copy_from_slice(&numbers);
        Ok(array)
    }
}

impl<'d> Object<'d> {
    /// An optional field.
    pub(crate) fn optional(&self, name: &str) -> Option<Cursor<'d>> {
        self.fields
            .iter()
            .find(|(field, _)| field == name)
            .map(|(field, node)| self.cursor.child(Step::Field(Cow::Borrowed(field)), node))
    }

    /// A required field.
    pub(crate) fn required(&self, name: &str) -> Result<Cursor<'d>> {
        self.optional(name)
            .ok_or_else(|| Error::Missing { place: self.cursor.place(), field: name.to_owned() })
    }

    /// Every field, in the order of the file.
    pub(crate) fn fields(&self) -> impl Iterator<Item = (&'d str, Cursor<'d>)> {
        self.fields.iter().map(|(name, node)| {
            (name.as_str(), self.cursor.child(Step::Field(Cow::Borrowed(name)), node))
        })
    }
}

/// Refuses a file of another schema, before any of its fields is read.
pub(crate) fn check_schema(root: &Cursor<'_>, schema: &str) -> Result<()> {
    check_schema_among(root, &[schema])
}

/// The same with several accepted schemas.
pub(crate) fn check_schema_among(root: &Cursor<'_>, schemas: &[&str]) -> Result<()> {
    let found = root.any_object()?.required("schema")?;
    if schemas.contains(&found.text()?) {
        return Ok(());
    }
    let known: Vec<String> = schemas.iter().map(|schema| format!("`{schema}`")).collect();
    Err(Error::Unsupported {
        place: found.place(),
        message: format!("the schema is `{}`, expected {}", found.text()?, known.join(" or ")),
    })
}

/// The schema of a JSON text; `None` for an object without one, or another value.
///
/// # Errors
/// Every fault of the text.
pub fn schema_of(text: &str, limits: &Limits) -> Result<Option<String>> {
    let document = Document::parse(text, limits)?;
    let Ok(object) = document.root().any_object() else { return Ok(None) };
    Ok(object.optional("schema").and_then(|schema| schema.text().ok().map(str::to_owned)))
}
