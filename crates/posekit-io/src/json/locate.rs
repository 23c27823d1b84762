//! The place of a value in a text. Used only for errors, on a text that is known to be valid JSON.

use super::Step;

/// Offset of the value at `path`, or of the last value along the path that is found.
pub(super) fn locate(text: &str, path: &[Step<'_>]) -> usize {
    let mut scan = Scan { text, at: 0 };
    scan.space();
    let mut found = scan.at;
    for step in path {
        let entered = match step {
            Step::Field(name) => scan.enter_field(name),
            Step::Element(index) => scan.enter_element(*index),
        };
        if entered.is_none() {
            break;
        }
        found = scan.at;
    }
    found
}

struct Scan<'a> {
    text: &'a str,
    at: usize,
}

impl Scan<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn eat(&mut self, byte: u8) -> Option<()> {
        self.space();
        (self.peek()? == byte).then(|| self.at += 1)?;
        self.space();
        Some(())
    }

    /// From the opening brace to the value of the field.
    fn enter_field(&mut self, name: &str) -> Option<()> {
        self.eat(b'{')?;
        loop {
            let start = self.at;
            self.skip_text()?;
            let key = &self.text[start..self.at];
            self.eat(b':')?;
            if serde_json::from_str::<String>(key).is_ok_and(|key| key == name) {
                return Some(());
            }
            self.skip_value()?;
            self.eat(b',')?;
        }
    }

    /// From the opening bracket to the element.
    fn enter_element(&mut self, index: usize) -> Option<()> {
        self.eat(b'[')?;
        for _ in 0..index {
            self.skip_value()?;
            self.eat(b',')?;
        }
        Some(())
    }

    fn skip_text(&mut self) -> Option<()> {
        self.at += 1;
        loop {
            match self.peek()? {
                b'"' => break,
                b'\\' => self.at += 2,
                _ => self.at += 1,
            }
        }
        self.at += 1;
        Some(())
    }

    fn skip_value(&mut self) -> Option<()> {
        let mut depth = 0_usize;
        loop {
            match self.peek()? {
                b'"' => {
                    self.skip_text()?;
                    if depth == 0 {
                        return Some(());
                    }
                }
                b'{' | b'[' => {
                    depth += 1;
                    self.at += 1;
                }
                b'}' | b']' if depth == 0 => return Some(()),
                b'}' | b']' => {
                    depth -= 1;
                    self.at += 1;
                    if depth == 0 {
                        return Some(());
                    }
                }
                b',' if depth == 0 => return Some(()),
                _ => self.at += 1,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found<'a>(text: &'a str, path: &[Step<'_>]) -> &'a str {
        &text[locate(text, path)..]
    }

    #[test]
    fn values_are_found_behind_others() {
        let text = r#" { "a": [ 1, {"x": "],}"}, "\"" , 4 ], "b\u0063": { "d": -2.5 } }"#;
        let field = |name: &str| Step::Field(name.to_owned().into());
        assert!(found(text, &[]).starts_with("{ \"a\""));
        assert!(found(text, &[field("a"), Step::Element(2)]).starts_with(r#""\"" ,"#));
        assert!(found(text, &[field("a"), Step::Element(3)]).starts_with("4 ]"));
        assert!(found(text, &[field("bc"), field("d")]).starts_with("-2.5"));
        assert!(found(text, &[field("a"), Step::Element(9)]).starts_with("[ 1"));
    }
}
