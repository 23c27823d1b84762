//! XML elements with places: attributes, numbers, and a list of unknown tags and attributes.

use roxmltree::{Attribute, Document, Node, ParsingOptions};

use super::source::Source;
use crate::error::{Error, Place, Result};
use crate::limits::{LARGEST, Limits};
use crate::warnings::Warnings;

/// An element of the document.
#[derive(Clone, Copy)]
pub(crate) struct Element<'x> {
    source: &'x Source<'x>,
    node: Node<'x, 'x>,
    limits: &'x Limits,
}

/// Parses the text. Document types were refused by [`Source::new`], and are refused here again.
pub(crate) fn parse<'t>(source: &Source<'t>, limits: &Limits) -> Result<Document<'t>> {
    let options =
        ParsingOptions { allow_dtd: false, nodes_limit: limits.xml_nodes, ..Default::default() };
    Document::parse_with_options(source.text, options).map_err(|error| match error {
        roxmltree::Error::NodesLimitReached => Error::TooLarge {
            what: "the number of XML nodes".into(),
            limit: limits.xml_nodes as usize,
            field: "xml_nodes",
        },
        roxmltree::Error::UnknownNamespace(prefix, position) if prefix == "xacro" => {
            xacro(source.place(offset_of(source.text, position), ""))
        }
        other => syntax(source, &other),
    })
}

/// The error of a parser, which has no position for something missing at the end of the text.
fn syntax(source: &Source<'_>, error: &roxmltree::Error) -> Error {
    use roxmltree::Error as Xml;
    let text = source.text;
    match error {
        Xml::UnclosedRootNode | Xml::UnexpectedEndOfStream | Xml::NoRootNode => {
            source.syntax(text.len(), format!("the file ends too early: {error}"))
        }
        other => {
            let position = other.pos();
            let message = other.to_string().replace(&format!(" at {position}"), "");
            source.syntax(offset_of(text, position), message)
        }
    }
}

fn offset_of(text: &str, position: roxmltree::TextPos) -> usize {
    let (row, column) = (position.row as usize, position.col as usize);
    let start = match row {
        0 | 1 => 0,
        _ => text.match_indices('\n').nth(row - 2).map_or(text.len(), |(at, _)| at + 1),
    };
    text[start..]
        .char_indices()
        .nth(column.saturating_sub(1))
        .map_or(text.len(), |(offset, _)| start + offset)
}

/// The error of a template in place of a description.
fn xacro(place: Place) -> Error {
    Error::Unsupported {
        place,
        message: "this is a xacro template; expand it first, for example with \
                  `xacro model.urdf.xacro > model.urdf` (posekit runs no programs)"
            .into(),
    }
}

impl<'x> Element<'x> {
    pub(crate) fn root(
        source: &'x Source<'x>,
        document: &'x Document<'x>,
        limits: &'x Limits,
    ) -> Self {
        Self { source, node: document.root_element(), limits }
    }

    /// The tag as in the file, with its prefix.
    pub(crate) fn tag(self) -> &'x str {
        let text = &self.source.text[self.byte()..];
        let name = text.strip_prefix('<').unwrap_or(text);
        let end = name.find(|c: char| c.is_ascii_whitespace() || c == '>' || c == '/');
        &name[..end.unwrap_or(name.len())]
    }

    /// Checks that this is the root of a robot's description: `<robot>`, without xacro elements below it.
    ///
    /// - `format`: with its article, for the message
    pub(crate) fn check_robot(self, format: &str) -> Result<()> {
        if let Some(template) = self.descendants().find(|element| element.is_xacro()) {
            return Err(xacro(template.place(format!("<{}>", template.tag()))));
        }
        if self.tag() != "robot" {
            let message = format!("{format} begins with <robot>, this file with <{}>", self.tag());
            return Err(Error::Unsupported { place: self.place(""), message });
        }
        Ok(())
    }

    /// True for a tag of a template: with the prefix `xacro`, or in xacro's namespace under another prefix.
    fn is_xacro(self) -> bool {
        let namespace = self.node.tag_name().namespace();
        self.tag().starts_with("xacro:")
            || namespace.is_some_and(|uri| uri.trim_end_matches('/').ends_with("/xacro"))
    }

    /// The number of its file.
    pub(crate) fn file(self) -> usize {
        self.source.file
    }

    pub(crate) fn byte(self) -> usize {
        self.node.range().start
    }

    /// Line, from 1.
    pub(crate) fn line(self) -> usize {
        self.source.place(self.byte(), "").line
    }

    pub(crate) fn place(self, subject: impl Into<String>) -> Place {
        self.source.place(self.byte(), subject)
    }

    pub(crate) fn children(self) -> impl Iterator<Item = Self> {
        self.node.children().filter(Node::is_element).map(move |node| Self { node, ..self })
    }

    /// All elements below this one and itself.
    pub(crate) fn descendants(self) -> impl Iterator<Item = Self> {
        self.node.descendants().filter(Node::is_element).map(move |node| Self { node, ..self })
    }

    /// Whether it has an attribute.
    pub(crate) fn has(self, name: &str) -> bool {
        self.node.has_attribute(name)
    }

    /// The value of an attribute, refused if it is too long or still contains a template's expression.
    pub(crate) fn attribute(self, name: &str, subject: &str) -> Result<Option<&'x str>> {
        let Some(attribute) = self.node.attribute_node(name) else { return Ok(None) };
        let value = attribute.value();
        if value.len() > self.limits.text_bytes {
            return Err(Error::TooLarge {
                what: format!("the length in bytes of `{name}` of {subject}"),
                limit: self.limits.text_bytes,
                field: "text_bytes",
            });
        }
        if value.contains("${") || value.contains("$(") {
            return Err(xacro(self.attribute_place(&attribute, subject)));
        }
        Ok(Some(value))
    }

    pub(crate) fn required(self, name: &str, subject: &str) -> Result<&'x str> {
        self.attribute(name, subject)?.ok_or_else(|| self.missing(name, subject))
    }

    /// The error of a missing attribute.
    pub(crate) fn missing(self, name: &str, subject: &str) -> Error {
        Error::Missing { place: self.place(subject), field: format!("{}/@{name}", self.tag()) }
    }

    /// The error of an element that is refused.
    pub(crate) fn unsupported(self, subject: &str, message: impl Into<String>) -> Error {
        Error::Unsupported { place: self.place(subject), message: message.into() }
    }

    /// A name: required, and not blank.
    pub(crate) fn name(self, attribute: &str, subject: &str) -> Result<&'x str> {
        let name = self.required(attribute, subject)?;
        if name.trim().is_empty() {
            return Err(self.invalid(attribute, subject, "the name is empty"));
        }
        Ok(name)
    }

    /// A list of exactly N numbers separated by white space; infinite ones only where `infinite` allows them.
    pub(crate) fn numbers<const N: usize>(
        self,
        name: &str,
        subject: &str,
        infinite: Infinite,
    ) -> Result<Option<[f64; N]>> {
        let Some(text) = self.attribute(name, subject)? else { return Ok(None) };
        let mut numbers = [0.0; N];
        let mut found = 0;
        for word in text.split_ascii_whitespace() {
            let number = parse_number(word, infinite)
                .map_err(|message| self.invalid(name, subject, message))?;
            if let Some(slot) = numbers.get_mut(found) {
                *slot = number;
            }
            found += 1;
        }
        if found != N {
            let message = format!("expected {N} numbers in `{name}`, found {found}");
            return Err(self.invalid(name, subject, message));
        }
        Ok(Some(numbers))
    }

    /// Up to `most` finite numbers separated by white space. Their text may be longer than a name, because it is bounded by their number.
    pub(crate) fn number_list(
        self,
        name: &str,
        subject: &str,
        most: usize,
    ) -> Result<Option<Vec<f64>>> {
        let Some(attribute) = self.node.attribute_node(name) else { return Ok(None) };
        let mut numbers = Vec::new();
        for word in attribute.value().split_ascii_whitespace() {
            if numbers.len() == most {
                let message = format!("expected at most {most} numbers in `{name}`");
                return Err(self.invalid(name, subject, message));
            }
            let number = parse_number(word, Infinite::Refused)
                .map_err(|message| self.invalid(name, subject, message))?;
            numbers.push(number);
        }
        Ok(Some(numbers))
    }

    /// At least one finite number, without an upper bound.
    pub(crate) fn list(self, name: &str, subject: &str) -> Result<Vec<f64>> {
        let number = |word| {
            parse_number(word, Infinite::Refused)
                .map_err(|message| self.invalid(name, subject, message))
        };
        let text = self.required(name, subject)?;
        let numbers: Vec<f64> = text.split_ascii_whitespace().map(number).collect::<Result<_>>()?;
        if numbers.is_empty() {
            return Err(self.invalid(name, subject, format!("expected numbers in `{name}`")));
        }
        Ok(numbers)
    }

    /// One finite number.
    pub(crate) fn number(self, name: &str, subject: &str) -> Result<Option<f64>> {
        Ok(self.numbers::<1>(name, subject, Infinite::Refused)?.map(|[number]| number))
    }

    /// An error about the value of an attribute.
    pub(crate) fn invalid(self, name: &str, subject: &str, message: impl Into<String>) -> Error {
        let place = self
            .node
            .attribute_node(name)
            .map_or_else(|| self.place(subject), |node| self.attribute_place(&node, subject));
        Error::Value { place, message: message.into() }
    }

    fn attribute_place(self, attribute: &Attribute<'_, '_>, subject: &str) -> Place {
        self.source.place(attribute.range_value().start, subject)
    }

    /// Notes attributes that are not in `known`, except those of other namespaces, which belong to other programs.
    pub(crate) fn note_unknown_attributes(self, known: &[&str], unknown: &mut Unknown<'x>) {
        for attribute in self.node.attributes() {
            if attribute.namespace().is_none() && !known.contains(&attribute.name()) {
                let what = What::Attribute(self.tag(), attribute.name());
                unknown.note(what, attribute.range().start);
            }
        }
    }
}

/// Stores an element in its slot, which must be empty.
pub(crate) fn only<'x>(
    slot: &mut Option<Element<'x>>,
    element: Element<'x>,
    subject: &str,
) -> Result<()> {
    if let Some(first) = slot {
        return Err(Error::Duplicate {
            place: element.place(subject),
            message: format!("a second <{}>", element.tag()),
            first_line: first.line(),
        });
    }
    *slot = Some(element);
    Ok(())
}

/// Whether a number may be infinite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Infinite {
    Allowed,
    Refused,
}

fn parse_number(word: &str, infinite: Infinite) -> core::result::Result<f64, String> {
    let number: f64 = word.parse().map_err(|_| {
        let hint = if word.contains(',') { " (a decimal comma?)" } else { "" };
        format!("`{}` is not a number{hint}", shortened(word))
    })?;
    if number.is_nan() || (number.is_infinite() && infinite == Infinite::Refused) {
        return Err(format!("`{}` is not a finite number", shortened(word)));
    }
    if number.is_finite() && number.abs() > LARGEST {
        return Err(format!("{number:?} is larger than {LARGEST:?}, the largest number allowed"));
    }
    Ok(number)
}

/// A word short enough for a message.
pub(crate) fn shortened(word: &str) -> String {
    const LONGEST: usize = 40;
    match word.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}...", &word[..end]),
        None => word.to_owned(),
    }
}

/// A tag or attribute that is unknown to this reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum What<'x> {
    /// An element, by its tag.
    Tag(&'x str),
    /// An attribute: tag and name.
    Attribute(&'x str, &'x str),
}

/// Elements that simulators and controllers add to robots, at any depth. Those of other programs have a prefix, such as `drake:`.
const EXTENSIONS: [&str; 7] =
    ["gazebo", "transmission", "mujoco", "ros2_control", "sensor", "contact", "verbose"];

/// Unknown tags and attributes: each once, with its first place and the number of times.
#[derive(Debug, Default)]
pub(crate) struct Unknown<'x> {
    seen: std::collections::BTreeMap<What<'x>, (usize, usize)>,
}

impl<'x> Unknown<'x> {
    fn note(&mut self, what: What<'x>, byte: usize) {
        self.seen.entry(what).or_insert((byte, 0)).1 += 1;
    }

    /// Notes an element, unless it is a known extension that does not affect kinematics.
    pub(crate) fn note_tag(&mut self, element: Element<'x>) {
        let tag = element.tag();
        if !EXTENSIONS.contains(&tag) && !tag.contains(':') {
            self.note_any_tag(element);
        }
    }

    /// Notes an element.
    pub(crate) fn note_any_tag(&mut self, element: Element<'x>) {
        self.note(What::Tag(element.tag()), element.byte());
    }

    /// One warning for each, in the order of the file.
    pub(crate) fn report(&self, source: &Source<'_>, warnings: &mut Warnings) {
        let mut list: Vec<_> = self.seen.iter().collect();
        list.sort_unstable_by_key(|(_, (byte, _))| *byte);
        for (what, &(byte, count)) in list {
            let times = if count == 1 { String::new() } else { format!(", {count} times") };
            let message = match what {
                What::Tag(tag) => {
                    format!("<{}> does not affect the joints; ignored{times}", shortened(tag))
                }
                What::Attribute(tag, name) => {
                    format!("unknown attribute `{}` of <{tag}>; ignored{times}", shortened(name))
                }
            };
            warnings.push(source.place(byte, ""), message);
        }
    }
}
