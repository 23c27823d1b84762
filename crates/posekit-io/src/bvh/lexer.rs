//! The words of the hierarchy.

use super::file::shown;
use super::source::{Source, n_characters, place_in};
use crate::error::{Error, Place, Result};

/// A word of the hierarchy: a range of the current line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Word {
    start: usize,
    end: usize,
    /// The line, from 1.
    column: usize,
}

/// The words of a text, line by line. A brace at the beginning of a word is a word of its own.
pub(super) struct Lexer<'s, 'a> {
    source: &'s mut Source<'a>,
    /// A copy of the current line, so that the source can continue.
    line: Vec<u8>,
    number: usize,
    byte: usize,
    at: usize,
    /// The offset up to which characters have been counted, and their number, so that a hierarchy on one line is not counted again for every word.
    counted: (usize, usize),
}

/// True for a blank between words; line ends are not blanks.
pub(crate) const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | 0x0B | 0x0C)
}

/// The end of a name: a separate brace, or the end of the line; blanks before it are not part of the name.
pub(super) fn name_end(line: &[u8]) -> usize {
    let stands_alone = |&at: &usize| {
        let before = at == 0 || is_blank(line[at - 1]);
        before && line.get(at + 1).is_none_or(|&byte| is_blank(byte))
    };
    let braces = line.iter().enumerate().filter(|(_, byte)| **byte == b'{').map(|(at, _)| at);
    let mut end = braces.into_iter().find(stands_alone).unwrap_or(line.len());
    while end > 0 && is_blank(line[end - 1]) {
        end -= 1;
    }
    end
}

impl<'s, 'a> Lexer<'s, 'a> {
    pub(super) const fn new(source: &'s mut Source<'a>) -> Self {
        Self { source, line: Vec::new(), number: 0, byte: 0, at: 0, counted: (0, 0) }
    }

    /// The next word, or `None` at the end of the text.
    pub(super) fn next(&mut self) -> Result<Option<Word>> {
        loop {
            self.skip_blanks();
            if let Some(&first) = self.line.get(self.at) {
                let start = self.at;
                let rest = &self.line[start..];
                let is_brace = matches!(first, b'{' | b'}');
                let length = rest.iter().position(|&byte| is_blank(byte)).unwrap_or(rest.len());
                self.at += if is_brace { 1 } else { length };
                return Ok(Some(self.word_from(start)));
            }
            if !self.source.advance()? {
                return Ok(None);
            }
            self.take_line()?;
        }
    }

    fn take_line(&mut self) -> Result<()> {
        self.line.clear();
        self.line.extend_from_slice(self.source.line());
        (self.number, self.byte) = (self.source.number(), self.source.byte());
        (self.at, self.counted) = (0, (0, 0));
        match self.line.iter().position(|&byte| byte == 0) {
            Some(at) => Err(Error::Encoding {
                encoding: "binary (it contains a NUL byte)".into(),
                byte: self.byte + at,
            }),
            None => Ok(()),
        }
    }

    fn skip_blanks(&mut self) {
        while self.line.get(self.at).is_some_and(|&byte| is_blank(byte)) {
            self.at += 1;
        }
    }

    /// The following name in this line, which may be empty.
    pub(super) fn name(&mut self) -> Word {
        self.skip_blanks();
        let start = self.at;
        self.at += name_end(&self.line[start..]);
        self.word_from(start)
    }

    /// The word from an offset to the current one.
    fn word_from(&mut self, start: usize) -> Word {
        let (at, characters) = self.counted;
        self.counted = (start, characters + n_characters(&self.line[at..start]));
        Word { start, end: self.at, column: self.counted.1 + 1 }
    }

    pub(super) fn text(&self, word: Word) -> &[u8] {
        &self.line[word.start..word.end]
    }

    pub(super) fn is(&self, word: Word, keyword: &str) -> bool {
        self.text(word).eq_ignore_ascii_case(keyword.as_bytes())
    }

    /// The rest of the current line.
    pub(super) fn rest(&self) -> &[u8] {
        &self.line[self.at..]
    }

    /// Number of the current line, from 1.
    pub(super) const fn number(&self) -> usize {
        self.number
    }

    pub(super) fn place(&self, word: Word, subject: impl Into<String>) -> Place {
        Place {
            subject: subject.into(),
            line: self.number,
            column: word.column,
            byte: self.byte + word.start,
        }
    }

    /// The place after the words returned so far.
    pub(super) fn here(&self, subject: impl Into<String>) -> Place {
        place_in(&self.line, self.at, self.number.max(1), self.byte, subject)
    }

    /// The next word, which must exist.
    pub(super) fn expect(&mut self, expected: &str) -> Result<Word> {
        let message = || format!("expected {expected}, but the file ends");
        match self.next()? {
            Some(word) => Ok(word),
            None => Err(Error::Syntax { place: self.here(""), message: message() }),
        }
    }

    /// Consumes this word.
    pub(super) fn expect_word(&mut self, keyword: &str) -> Result<Word> {
        let word = self.expect(&format!("`{keyword}`"))?;
        if self.is(word, keyword) {
            return Ok(word);
        }
        let message = format!("expected `{keyword}`, found {}", shown(self.text(word)));
        Err(Error::Syntax { place: self.place(word, ""), message })
    }
}
