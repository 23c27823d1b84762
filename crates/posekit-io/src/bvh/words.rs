//! The hierarchy as words.

use super::file::shown;
use super::source::{Source, n_characters, place_in};
use crate::error::{Error, Place, Result};

/// A word of the hierarchy: a place in the line at hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Word {
    start: usize,
    end: usize,
    /// From 1.
    column: usize,
}

/// The words of a text, line by line. A brace at the front of a word is a word.
pub(super) struct Words<'s, 'a> {
    source: &'s mut Source<'a>,
    /// The line at hand; a copy, so that the source can go on.
    line: Vec<u8>,
    number: usize,
    byte: usize,
    at: usize,
    /// Up to where characters have been counted, and how many; a hierarchy on one line would otherwise be counted again for every word.
    counted: (usize, usize),
}

/// True for what separates words; line ends are not among it.
pub(crate) const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | 0x0B | 0x0C)
}

/// Where a name that begins a line ends: at a brace that stands alone, or at the end of the line; blanks before it are not part of it.
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

impl<'s, 'a> Words<'s, 'a> {
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
                encoding: "binary (it holds a NUL byte)".into(),
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

    /// The name that follows in this line; it may be empty.
    pub(super) fn name(&mut self) -> Word {
        self.skip_blanks();
        let start = self.at;
        self.at += name_end(&self.line[start..]);
        self.word_from(start)
    }

    /// The word from here to the present place.
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

    /// The rest of the line at hand.
    pub(super) fn rest(&self) -> &[u8] {
        &self.line[self.at..]
    }

    /// Number of the line at hand, from 1.
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

    /// The place behind all that was given.
    pub(super) fn here(&self, subject: impl Into<String>) -> Place {
        place_in(&self.line, self.at, self.number.max(1), self.byte, subject)
    }

    /// The next word, which must be there.
    pub(super) fn expect(&mut self, expected: &str) -> Result<Word> {
        let message = || format!("the file ends where {expected} was expected");
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
