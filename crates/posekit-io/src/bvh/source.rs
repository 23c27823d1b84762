//! A text as lines. A stream is read in pieces: only the current line is in memory.

use std::borrow::Cow;
use std::io::{ErrorKind, Read};

use memchr::memchr2;

use crate::error::{Error, Place, Result};
use crate::limits::Limits;
use crate::text::{too_large_motion, wide_encoding};

/// Number of bytes read at a time; a row of 100 joints has 3 000.
const PIECE: usize = 1 << 18;

/// The source of a text.
pub(crate) enum Input<'a> {
    /// It is in memory, and is not copied.
    Text(&'a [u8]),
    Stream(&'a mut dyn Read),
}

impl Input<'_> {
    /// The size of the text \[bytes\], 0 if unknown.
    pub(super) const fn size(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Stream(_) => 0,
        }
    }
}

/// The lines of a text. A line ends with LF, CR LF or CR.
pub(super) struct Source<'a> {
    /// The rest of the stream; empty for a text in memory.
    input: Option<&'a mut dyn Read>,
    limits: &'a Limits,
    /// The bytes that have been read and are still needed, up to `filled`; the rest is spare capacity.
    buffer: Cow<'a, [u8]>,
    filled: usize,
    /// Offset of the buffer in the file.
    base: usize,
    is_drained: bool,
    /// The current line, in the buffer.
    line: core::ops::Range<usize>,
    /// The start of the next line, in the buffer.
    next: usize,
    number: usize,
    has_line_end: bool,
    is_again: bool,
}

impl<'a> Source<'a> {
    /// A text at its first line. A byte-order mark is skipped.
    pub(super) fn new(input: Input<'a>, limits: &'a Limits) -> Result<Self> {
        if input.size() > limits.motion_bytes {
            return Err(too_large_motion(limits));
        }
        let (input, buffer, filled) = match input {
            Input::Text(text) => (None, Cow::Borrowed(text), text.len()),
            Input::Stream(stream) => (Some(stream), Cow::Owned(vec![0; PIECE]), 0),
        };
        let mut source = Self {
            is_drained: input.is_none(),
            input,
            limits,
            buffer,
            filled,
            base: 0,
            line: 0..0,
            next: 0,
            number: 0,
            has_line_end: true,
            is_again: false,
        };
        while source.filled < 4 && !source.is_drained {
            source.fill()?;
        }
        let start = &source.buffer[..source.filled];
        if let Some(encoding) = wide_encoding(start) {
            return Err(Error::Encoding { encoding: encoding.into(), byte: 0 });
        }
        if start.starts_with(b"glTF") {
            return Err(Error::Encoding { encoding: "a binary glTF".into(), byte: 0 });
        }
        if start.starts_with(b"\xEF\xBB\xBF") {
            source.next = 3;
        }
        Ok(source)
    }

    /// Goes to the next line; false at the end of the text.
    pub(super) fn advance(&mut self) -> Result<bool> {
        if core::mem::take(&mut self.is_again) {
            return Ok(true);
        }
        let mut searched = self.next;
        loop {
            let end = memchr2(b'\n', b'\r', &self.buffer[searched..self.filled]);
            let end = end.map(|end| searched + end);
            // The byte after a CR must be read, because it may be an LF.
            let is_known = |end: usize| self.buffer[end] == b'\n' || end + 1 < self.filled;
            match end {
                Some(end) if self.is_drained || is_known(end) => {
                    let rest = &self.buffer[end..self.filled];
                    self.step(end, if rest.starts_with(b"\r\n") { 2 } else { 1 });
                    return Ok(true);
                }
                None if self.is_drained => {
                    let has_more = self.next < self.filled;
                    if has_more {
                        self.step(self.filled, 0);
                    }
                    return Ok(has_more);
                }
                _ => {
                    searched = end.unwrap_or(self.filled) - self.next;
                    self.fill()?;
                    searched += self.next;
                }
            }
        }
    }

    /// Makes the next call return the current line once more.
    pub(super) const fn again(&mut self) {
        self.is_again = true;
    }

    fn step(&mut self, end: usize, mark: usize) {
        self.line = self.next..end;
        self.next = end + mark;
        self.number += 1;
        self.has_line_end = mark > 0;
    }

    /// The current line, without its line end.
    pub(super) fn line(&self) -> &[u8] {
        &self.buffer[self.line.clone()]
    }

    /// Number of the current line, from 1.
    pub(super) const fn number(&self) -> usize {
        self.number
    }

    /// False for a last line without a line end.
    pub(super) const fn has_line_end(&self) -> bool {
        self.has_line_end
    }

    /// A place in the current line.
    pub(super) fn place(&self, at: usize, subject: impl Into<String>) -> Place {
        place_in(self.line(), at, self.number, self.base + self.line.start, subject)
    }

    /// Offset of the current line in the file \[bytes\].
    pub(super) const fn byte(&self) -> usize {
        self.base + self.line.start
    }

    /// Reads more bytes. Moves `next` to the front, so the current line is lost.
    fn fill(&mut self) -> Result<()> {
        let Some(input) = &mut self.input else { return Ok(()) };
        let buffer = self.buffer.to_mut();
        buffer.copy_within(self.next..self.filled, 0);
        self.base += self.next;
        self.filled -= self.next;
        self.next = 0;
        self.line = 0..0;
        if self.filled + PIECE > buffer.len() {
            buffer.resize(2 * self.filled + PIECE, 0);
        }
        loop {
            match input.read(&mut buffer[self.filled..]) {
                Ok(read) => {
                    self.is_drained = read == 0;
                    self.filled += read;
                    break;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => {
                    let path = "the stream".into();
                    return Err(Error::Read { message: error.to_string(), path });
                }
            }
        }
        if self.base + self.filled > self.limits.motion_bytes {
            return Err(too_large_motion(self.limits));
        }
        Ok(())
    }
}

/// Number of characters of a text. Bytes that are not UTF-8 count as their replacement characters.
pub(super) fn n_characters(text: &[u8]) -> usize {
    String::from_utf8_lossy(text).chars().count()
}

/// A place `at` bytes into a line. Columns count characters.
pub(super) fn place_in(
    line: &[u8],
    at: usize,
    number: usize,
    line_byte: usize,
    subject: impl Into<String>,
) -> Place {
    let at = at.min(line.len());
    let column = n_characters(&line[..at]) + 1;
    Place { subject: subject.into(), line: number, column, byte: line_byte + at }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives so many bytes at a time.
    struct Drip<'a>(&'a [u8], usize);

    impl Read for Drip<'_> {
        fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
            let n = self.1.min(self.0.len()).min(out.len());
            out[..n].copy_from_slice(&self.0[..n]);
            self.0 = &self.0[n..];
            Ok(n)
        }
    }

    fn lines(text: &[u8], step: usize) -> Vec<(Vec<u8>, usize, bool)> {
        let limits = Limits::default();
        let mut drip = Drip(text, step);
        // In no pieces is in memory.
        let input = if step > 0 { Input::Stream(&mut drip) } else { Input::Text(text) };
        let mut source = Source::new(input, &limits).unwrap();
        let mut lines = Vec::new();
        while source.advance().unwrap() {
            lines.push((source.line().to_vec(), source.byte(), source.has_line_end()));
        }
        lines
    }

    #[test]
    fn every_line_end_in_pieces_of_any_size() {
        let text = b"\xEF\xBB\xBFone\r\ntwo\rthree\n\n\r\r\nlong enough for two words\nlast";
        let expected: Vec<(Vec<u8>, usize, bool)> = [
            (&b"one"[..], 3, true),
            (b"two", 8, true),
            (b"three", 12, true),
            (b"", 18, true),
            (b"", 19, true),
            (b"", 20, true),
            (b"long enough for two words", 22, true),
            (b"last", 48, false),
        ]
        .map(|(line, byte, ends)| (line.to_vec(), byte, ends))
        .to_vec();
        for step in 0..=text.len() {
            assert_eq!(lines(text, step), expected, "{step} bytes at a time");
        }
    }

    #[test]
    fn a_line_longer_than_a_piece_is_whole() {
        let mut text = vec![b'x'; 3 * PIECE + 5];
        text.push(b'\n');
        assert_eq!(lines(&text, 10_000)[0].0.len(), 3 * PIECE + 5);
    }
}
