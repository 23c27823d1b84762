//! A small writer for SVG (and HTML) text: escaped, and the same bytes for the same picture.

use std::fmt::Write as _;

/// Numbers are written with this many decimals, in the picture's pixels: finer than any screen, and stable.
const DECIMALS: usize = 2;

/// Coordinates beyond this many pixels are drawn at the bound; viewers cannot show them anyway.
const FARTHEST: f64 = 1e5;

/// A number as text: at most two decimals, no exponent, no `-0`. Anything that is not finite becomes 0, so that one bad value
/// cannot make a whole picture unreadable.
pub(crate) fn number(value: f64) -> String {
    if !value.is_finite() {
        return "0".to_owned();
    }
    let mut text = format!("{:.DECIMALS$}", value.clamp(-FARTHEST, FARTHEST));
    while text.ends_with('0') {
        text.pop();
    }
    if text.ends_with('.') {
        text.pop();
    }
    if text == "-0" { "0".to_owned() } else { text }
}

/// Text escaped for element content and quoted attributes. Control characters, which XML forbids, become `�`.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(' '),
            c if c.is_control() || matches!(c, '\u{FFFE}' | '\u{FFFF}') => out.push('\u{FFFD}'),
            c => out.push(c),
        }
    }
    out
}

/// An opening tag under construction. Tag and attribute names come from the program, values are escaped.
#[derive(Debug, Clone)]
pub(crate) struct Tag {
    name: &'static str,
    attributes: String,
}

impl Tag {
    /// A tag without attributes.
    pub(crate) const fn new(name: &'static str) -> Self {
        Self { name, attributes: String::new() }
    }

    /// Adds an attribute; its value is escaped.
    pub(crate) fn set(mut self, name: &str, value: &str) -> Self {
        let _ = write!(self.attributes, " {name}=\"{}\"", escape(value));
        self
    }

    /// Adds the class.
    pub(crate) fn class(self, value: &str) -> Self {
        self.set("class", value)
    }

    /// Adds a number.
    pub(crate) fn num(self, name: &str, value: f64) -> Self {
        let value = number(value);
        self.set(name, &value)
    }

    /// Adds a pair of numbers under two names.
    pub(crate) fn pair(self, names: [&str; 2], values: [f64; 2]) -> Self {
        self.num(names[0], values[0]).num(names[1], values[1])
    }
}

/// Markup that is built element by element.
#[derive(Debug, Default)]
pub(crate) struct Markup {
    text: String,
    open: Vec<&'static str>,
}

impl Markup {
    /// Nothing yet.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Opens an element; everything until [`Self::close`] goes inside it.
    pub(crate) fn open(&mut self, tag: &Tag) {
        let _ = write!(self.text, "<{}{}>", tag.name, tag.attributes);
        self.open.push(tag.name);
    }

    /// Closes the element opened last.
    pub(crate) fn close(&mut self) {
        if let Some(name) = self.open.pop() {
            let _ = write!(self.text, "</{name}>");
        }
    }

    /// Closes the element opened last and ends the line, which keeps files readable and diffs short.
    pub(crate) fn close_line(&mut self) {
        self.close();
        self.text.push('\n');
    }

    /// An SVG element without content.
    pub(crate) fn leaf(&mut self, tag: &Tag) {
        let _ = writeln!(self.text, "<{}{}/>", tag.name, tag.attributes);
    }

    /// An element around plain text, which is escaped.
    pub(crate) fn element(&mut self, tag: &Tag, content: &str) {
        let _ = writeln!(
            self.text,
            "<{}{}>{}</{}>",
            tag.name,
            tag.attributes,
            escape(content),
            tag.name
        );
    }

    /// Markup made elsewhere in this module tree, written without escaping.
    pub(crate) fn raw(&mut self, markup: &str) {
        self.text.push_str(markup);
    }

    /// Closes all open elements and returns the text.
    pub(crate) fn finish(mut self) -> String {
        while !self.open.is_empty() {
            self.close();
        }
        self.text
    }
}

/// The `d` of a path.
#[derive(Debug, Default)]
pub(crate) struct Path {
    data: String,
}

impl Path {
    /// A path without points.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// A path through points, open.
    pub(crate) fn through(points: &[[f64; 2]]) -> Self {
        let mut path = Self::new();
        for (i, &point) in points.iter().enumerate() {
            path = if i == 0 { path.to(point) } else { path.line(point) };
        }
        path
    }

    /// Starts a new piece at a point.
    pub(crate) fn to(self, point: [f64; 2]) -> Self {
        self.command("M", &point)
    }

    /// A straight line to a point.
    pub(crate) fn line(self, point: [f64; 2]) -> Self {
        self.command("L", &point)
    }

    /// A circular arc to a point; `large` selects the longer arc, `clockwise` (on the screen) the direction.
    pub(crate) fn arc(self, radius: f64, large: bool, clockwise: bool, point: [f64; 2]) -> Self {
        let flag = |on: bool| if on { 1.0 } else { 0.0 };
        self.command("A", &[radius, radius, 0.0, flag(large), flag(clockwise), point[0], point[1]])
    }

    /// A straight line back to the start of the piece.
    pub(crate) fn shut(mut self) -> Self {
        self.data.push('Z');
        self
    }

    /// The path as a tag.
    pub(crate) fn tag(&self) -> Tag {
        Tag::new("path").set("d", &self.data)
    }

    fn command(mut self, letter: &str, values: &[f64]) -> Self {
        self.data.push_str(letter);
        for (i, &value) in values.iter().enumerate() {
            if i > 0 {
                self.data.push(' ');
            }
            self.data.push_str(&number(value));
        }
        self
    }
}

/// A circle.
pub(crate) fn circle(at: [f64; 2], radius: f64) -> Tag {
    Tag::new("circle").pair(["cx", "cy"], at).num("r", radius)
}

/// A straight line.
pub(crate) fn line(from: [f64; 2], to: [f64; 2]) -> Tag {
    Tag::new("line").pair(["x1", "y1"], from).pair(["x2", "y2"], to)
}

/// An `svg` root with a view box and a text alternative.
pub(crate) fn root(size: [f64; 2], label: &str) -> Tag {
    let view = format!("0 0 {} {}", number(size[0]), number(size[1]));
    Tag::new("svg")
        .set("xmlns", "http://www.w3.org/2000/svg")
        .set("viewBox", &view)
        .set("role", "img")
        .set("aria-label", label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_always_finite() {
        let cases = [
            (0.0, "0"),
            (-0.001, "0"),
            (1.5, "1.5"),
            (2.0, "2"),
            (-3.256, "-3.26"),
            (100.0, "100"),
            (f64::NAN, "0"),
            (f64::INFINITY, "0"),
            (1e300, "100000"),
        ];
        for (value, text) in cases {
            assert_eq!(number(value), text, "{value}");
        }
    }

    #[test]
    fn names_are_text_never_markup() {
        assert_eq!(
            escape("<script>\"a\" & 'b'\u{1b}[0m"),
            "&lt;script&gt;&quot;a&quot; &amp; &#39;b&#39;\u{FFFD}[0m"
        );
        let mut markup = Markup::new();
        markup.open(&Tag::new("g").set("aria-label", "\"><script>"));
        markup.element(&Tag::new("text"), "</text>");
        assert_eq!(
            markup.finish(),
            "<g aria-label=\"&quot;&gt;&lt;script&gt;\"><text>&lt;/text&gt;</text>\n</g>"
        );
    }

    #[test]
    fn paths_are_written_in_order() {
        let path =
            Path::through(&[[0.0, 0.0], [1.0, 2.0]]).arc(3.0, false, true, [4.0, 5.0]).shut();
        let mut markup = Markup::new();
        markup.leaf(&path.tag());
        assert_eq!(markup.finish(), "<path d=\"M0 0L1 2A3 3 0 0 1 4 5Z\"/>\n");
    }
}
