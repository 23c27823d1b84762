//! The ranges of all values in a JSON text, so that a part of it can be replaced while the rest is unchanged, byte for byte.

use core::ops::Range;

/// The values of a text that is known to be valid JSON, in the order of the text.
#[derive(Debug)]
pub(crate) struct Spans<'t> {
    text: &'t str,
    values: Vec<Value>,
}

#[derive(Debug, Clone, Copy)]
struct Value {
    /// The range of the key, with its quotes; empty if it has none.
    key: (usize, usize),
    start: usize,
    end: usize,
    /// The first value that is not inside this one.
    next: usize,
}

impl<'t> Spans<'t> {
    /// Finds all values, without recursion. For a text that is not JSON, the result is meaningless.
    pub(crate) fn new(text: &'t str) -> Self {
        let bytes = text.as_bytes();
        let mut values: Vec<Value> = Vec::new();
        let mut open: Vec<usize> = Vec::new();
        let mut key = (0, 0);
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            let start = at;
            match byte {
                b' ' | b'\t' | b'\n' | b'\r' | b',' | b':' => at += 1,
                b'}' | b']' => {
                    at += 1;
                    if let Some(closed) = open.pop() {
                        values[closed].end = at;
                        values[closed].next = values.len();
                    }
                }
                b'{' | b'[' => {
                    at += 1;
                    open.push(values.len());
                    values.push(Value { key: core::mem::take(&mut key), start, end: at, next: 0 });
                }
                _ => {
                    at = end_of_scalar(bytes, at);
                    let is_inside_object =
                        open.last().is_some_and(|&parent| bytes[values[parent].start] == b'{');
                    if is_inside_object && key == (0, 0) {
                        key = (start, at);
                        continue;
                    }
                    let next = values.len() + 1;
                    values.push(Value { key: core::mem::take(&mut key), start, end: at, next });
                }
            }
        }
        Self { text, values }
    }

    /// The outermost value.
    pub(crate) const fn root(&self) -> usize {
        0
    }

    /// The direct children of an object or a list.
    pub(crate) fn children(&self, parent: usize) -> impl Iterator<Item = usize> + '_ {
        let next = self.values.get(parent).map_or(0, |value| value.next);
        let first = Some(parent + 1).filter(|&first| first < next);
        core::iter::successors(first, move |&child| {
            Some(self.values[child].next).filter(|&sibling| sibling < next)
        })
    }

    /// All values inside a value, and itself.
    pub(crate) fn all_inside(&self, value: usize) -> Range<usize> {
        value..self.values.get(value).map_or(value, |value| value.next)
    }

    /// The field of an object.
    pub(crate) fn field(&self, object: usize, name: &str) -> Option<usize> {
        self.children(object).find(|&child| self.has_key(child, name))
    }

    /// True for a field of this name.
    pub(crate) fn has_key(&self, value: usize, name: &str) -> bool {
        let (start, end) = self.values[value].key;
        let key = &self.text[start..end];
        if key.contains('\\') {
            return serde_json::from_str::<String>(key).is_ok_and(|key| key == name);
        }
        key.strip_prefix('"').and_then(|key| key.strip_suffix('"')) == Some(name)
    }

    /// The text of a value.
    pub(crate) fn text(&self, value: usize) -> &'t str {
        &self.text[self.range(value)]
    }

    /// A whole number that is not negative, if it is one.
    pub(crate) fn index(&self, value: usize) -> Option<usize> {
        let number: f64 = self.text(value).parse().ok()?;
        #[expect(clippy::cast_possible_truncation, reason = "the value is compared afterwards")]
        #[expect(clippy::cast_sign_loss, reason = "negative values become 0 and differ")]
        let index = number as usize;
        (index as f64 == number).then_some(index)
    }

    fn range(&self, value: usize) -> Range<usize> {
        self.values[value].start..self.values[value].end
    }

    /// The white space before a child and its key: the layout of the list or object.
    fn space_before(&self, child: usize) -> &'t str {
        let value = self.values[child];
        let start = if value.key == (0, 0) { value.start } else { value.key.0 };
        let before = &self.text[..start];
        &before[before.trim_end_matches([' ', '\t', '\n', '\r']).len()..]
    }

    /// The text between the key of a field and its value.
    fn colon(&self, child: usize) -> &'t str {
        let value = self.values[child];
        if value.key == (0, 0) { ":" } else { &self.text[value.key.1..value.start] }
    }
}

fn end_of_scalar(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    if bytes[start] != b'"' {
        let is_end = |byte: &u8| b",:]} \t\r\n".contains(byte);
        return bytes[at..].iter().position(is_end).map_or(bytes.len(), |length| at + length);
    }
    while let Some(&byte) = bytes.get(at) {
        at += if byte == b'\\' { 2 } else { 1 };
        if byte == b'"' {
            break;
        }
    }
    at.min(bytes.len())
}

/// Replacements and insertions, applied all at once.
#[derive(Debug)]
pub(crate) struct Splices<'s, 't> {
    spans: &'s Spans<'t>,
    list: Vec<(Range<usize>, String)>,
}

impl<'s, 't> Splices<'s, 't> {
    pub(crate) const fn new(spans: &'s Spans<'t>) -> Self {
        Self { spans, list: Vec::new() }
    }

    /// Replaces a value by another text.
    pub(crate) fn replace(&mut self, value: usize, text: String) {
        self.list.push((self.spans.range(value), text));
    }

    /// Replaces one field by others, each a name and a value.
    pub(crate) fn replace_field(&mut self, field: usize, fields: &[(&str, String)]) {
        let Value { key, end, .. } = self.spans.values[field];
        let (colon, space) = (self.spans.colon(field), self.spans.space_before(field));
        let texts: Vec<String> =
            fields.iter().map(|(name, value)| format!("\"{name}\"{colon}{value}")).collect();
        self.list.push((key.0..end, texts.join(&format!(",{space}"))));
    }

    /// Sets the value of a field of an object; adds the field if there is none.
    pub(crate) fn set(&mut self, object: usize, name: &str, text: String) {
        match self.spans.field(object, name) {
            Some(value) => self.replace(value, text),
            None => self.add_field(object, name, &text),
        }
    }

    /// Adds a field to an object that has others.
    pub(crate) fn add_field(&mut self, object: usize, name: &str, text: &str) {
        let last = self.spans.children(object).last();
        let colon = last.map_or(":", |last| self.spans.colon(last));
        self.add_behind(object, last, &[format!("\"{name}\"{colon}{text}")]);
    }

    /// Adds elements to a list, all of them at once.
    pub(crate) fn add_elements(&mut self, list: usize, texts: &[String]) {
        self.add_behind(list, self.spans.children(list).last(), texts);
    }

    /// Adds elements to a list of an object, or the list itself if there is none.
    pub(crate) fn extend_list(&mut self, object: usize, name: &str, texts: &[String]) {
        match self.spans.field(object, name) {
            Some(list) => self.add_elements(list, texts),
            None if texts.is_empty() => {}
            None => self.add_field(object, name, &format!("[{}]", texts.join(","))),
        }
    }

    fn add_behind(&mut self, parent: usize, last: Option<usize>, texts: &[String]) {
        if texts.is_empty() {
            return;
        }
        let (at, text) = match last {
            Some(last) => {
                let space = self.spans.space_before(last);
                let added = texts.iter().map(|text| format!(",{space}{text}")).collect();
                (self.spans.range(last).end, added)
            }
            None => (self.spans.range(parent).start + 1, texts.join(",")),
        };
        self.list.push((at..at, text));
    }

    /// The edited text. Insertions at one place are in the order in which they were added.
    pub(crate) fn apply(mut self) -> String {
        self.list.sort_by_key(|(range, _)| (range.start, range.end));
        let mut out = String::with_capacity(self.spans.text.len());
        let mut done = 0;
        for (range, text) in &self.list {
            debug_assert!(done <= range.start, "replacements must not overlap");
            out.push_str(&self.spans.text[done..range.start]);
            out.push_str(text);
            done = range.end;
        }
        out.push_str(&self.spans.text[done..]);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = " { \"a\" : [ 1, {\"x\": \"],}\"}, \"\\\"\" ],\n  \"b\\u0063\" : { \"d\" : -2.5 }, \"e\" : [], \"f\" : {} } ";

    #[test]
    fn values_are_found() {
        let spans = Spans::new(TEXT);
        let a = spans.field(spans.root(), "a").unwrap();
        let texts: Vec<&str> = spans.children(a).map(|child| spans.text(child)).collect();
        assert_eq!(texts, ["1", "{\"x\": \"],}\"}", "\"\\\"\""]);
        assert_eq!(spans.index(spans.children(a).next().unwrap()), Some(1));
        let inside = spans.field(spans.root(), "bc").unwrap();
        let number = spans.field(inside, "d").unwrap();
        assert_eq!((spans.text(number), spans.index(number)), ("-2.5", None));
        assert_eq!(spans.children(spans.field(spans.root(), "e").unwrap()).count(), 0);
        assert_eq!(spans.field(spans.root(), "f").map(|f| spans.text(f)), Some("{}"));
        assert_eq!(spans.field(spans.root(), "none"), None);
        assert_eq!(spans.all_inside(a), a..a + 5);
        assert_eq!(Spans::new("3").text(0), "3");
    }

    #[test]
    fn splices_keep_the_rest_and_its_layout() {
        let spans = Spans::new(TEXT);
        let root = spans.root();
        assert_eq!(Splices::new(&spans).apply(), TEXT);
        let mut splices = Splices::new(&spans);
        splices.add_elements(spans.field(root, "e").unwrap(), &["1".into(), "2".into()]);
        splices.add_elements(spans.field(root, "a").unwrap(), &["7".into(), "8".into()]);
        let inside = spans.field(root, "bc").unwrap();
        splices.set(inside, "d", "9".into());
        splices.set(inside, "new", "10".into());
        splices.set(inside, "last", "11".into());
        splices.add_field(spans.field(root, "f").unwrap(), "g", "12");
        let mut others = Splices::new(&spans);
        others.replace_field(inside, &[("x", "1".into()), ("y", "2".into())]);
        assert_eq!(
            others.apply(),
            TEXT.replace("\"b\\u0063\" : { \"d\" : -2.5 }", "\"x\" : 1,\n  \"y\" : 2")
        );
        let expected = " { \"a\" : [ 1, {\"x\": \"],}\"}, \"\\\"\", 7, 8 ],\n  \"b\\u0063\" : { \"d\" : 9, \"new\" : 10, \"last\" : 11 }, \"e\" : [1,2], \"f\" : {\"g\":12} } ";
        assert_eq!(splices.apply(), expected);
    }

    #[test]
    fn texts_that_are_no_json_do_no_harm() {
        for text in ["", "{", "]", "\"", "\"\\", "{\"a\"", "[[[", "{:,}", "\u{e9}"] {
            let spans = Spans::new(text);
            let _ = (spans.field(0, "a"), Splices::new(&spans).apply());
        }
    }
}
