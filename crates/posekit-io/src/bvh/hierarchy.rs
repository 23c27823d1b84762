//! The first half of a file: roots, joints and End Sites, up to the word `MOTION`.

use posekit::glam::DVec3;

use super::Options;
use super::file::{Channel, Node, shown};
use super::lexer::{Lexer, Word};
use super::number::{Fault, read_number};
use super::source::Source;
use crate::error::{Error, Place, Result};
use crate::limits::Limits;
use crate::warnings::Warnings;

/// A node whose closing brace has not been read.
struct Open {
    node: usize,
    /// The start of the node.
    place: Place,
    /// Lines of its fields, from 1.
    offset_line: Option<usize>,
    channels_line: Option<usize>,
}

/// The state of the parser.
struct Reader<'r, 's, 'a> {
    words: Lexer<'s, 'a>,
    options: &'r Options,
    limits: &'r Limits,
    warnings: &'r mut Warnings,
    nodes: Vec<Node>,
    /// From a root down to the current node.
    open: Vec<Open>,
    has_motion: bool,
}

/// Reads up to the word `MOTION`, or, leniently, to the end of the text; also returns which of the two it was.
pub(super) fn read_hierarchy(
    source: &mut Source<'_>,
    options: &Options,
    limits: &Limits,
    warnings: &mut Warnings,
) -> Result<(Vec<Node>, bool)> {
    let words = Lexer::new(source);
    let (nodes, open) = (Vec::new(), Vec::new());
    let has_motion = false;
    let mut reader = Reader { words, options, limits, warnings, nodes, open, has_motion };
    reader.first_word()?;
    while reader.next_part()? {}
    if reader.nodes.is_empty() {
        let place = reader.words.here("");
        return Err(Error::Missing { place, field: "ROOT".into() });
    }
    Ok((reader.nodes, reader.has_motion))
}

impl Reader<'_, '_, '_> {
    fn first_word(&mut self) -> Result<()> {
        let Some(word) = self.words.next()? else {
            let place = self.words.here("");
            return Err(Error::Syntax { place, message: "the file is empty".into() });
        };
        if self.words.is(word, "HIERARCHY") {
            return Ok(());
        }
        let found = shown(self.words.text(word));
        let message = format!("a BVH begins with `HIERARCHY`; found {found}");
        Err(Error::Syntax { place: self.words.place(word, ""), message })
    }

    /// Reads a field, a brace, or the beginning of a node; false at the end of the hierarchy.
    fn next_part(&mut self) -> Result<bool> {
        let Some(word) = self.words.next()? else { return self.end_of_text() };
        let is = |keyword| self.words.is(word, keyword);
        if is("}") {
            self.close(word)?;
        } else if is("OFFSET") {
            self.offset(word)?;
        } else if is("CHANNELS") {
            self.channels(word)?;
        } else if is("JOINT") || is("ROOT") || is("End") {
            self.begin(word)?;
        } else if is("MOTION") {
            return self.motion(word);
        } else {
            return Err(self.stray(word));
        }
        Ok(true)
    }

    fn end_of_text(&mut self) -> Result<bool> {
        if let Some(open) = self.open.last() {
            let message = "its closing brace is missing: the file ends before it".into();
            return Err(Error::Syntax { place: open.place.clone(), message });
        }
        let place = self.words.here("");
        if !self.options.is_lenient {
            return Err(Error::Missing { place, field: "MOTION".into() });
        }
        self.warnings.push(place, "there is no `MOTION`; the file has no frames");
        Ok(false)
    }

    fn motion(&mut self, word: Word) -> Result<bool> {
        if let Some(open) = self.open.last() {
            let message = format!(
                "its closing brace is missing: `MOTION` follows at line {}",
                self.words.number()
            );
            return Err(Error::Syntax { place: open.place.clone(), message });
        }
        if self.words.rest().iter().any(|&byte| !super::lexer::is_blank(byte)) {
            let message =
                format!("nothing may follow `MOTION`; found {}", shown(self.words.rest()));
            return Err(Error::Syntax { place: self.words.place(word, ""), message });
        }
        self.has_motion = true;
        Ok(false)
    }

    fn stray(&self, word: Word) -> Error {
        let expected = if self.open.is_empty() {
            "`ROOT` or `MOTION`"
        } else {
            "`OFFSET`, `CHANNELS`, `JOINT`, `End Site` or `}`"
        };
        let text = self.words.text(word);
        let hint = match Channel::from_word(text) {
            Some(_) => "; there are more channels than `CHANNELS` declares",
            None => "",
        };
        let message = format!("expected {expected}, found {}{hint}", shown(text));
        Error::Syntax { place: self.words.place(word, ""), message }
    }

    /// A node from its keyword to its opening brace.
    fn begin(&mut self, keyword: Word) -> Result<()> {
        let is_end_site = self.words.is(keyword, "End");
        let place = self.words.place(keyword, "");
        let parent = self.open.last();
        if self.words.is(keyword, "ROOT") != parent.is_none() {
            let message = match parent {
                Some(_) => "a `ROOT` is inside another joint; a brace is missing",
                None => "only a `ROOT` may be outside of all others",
            };
            return Err(Error::Tree { place, message: message.into() });
        }
        if let Some(parent) = parent.filter(|parent| self.nodes[parent.node].is_end_site) {
            let message = format!("it is inside the End Site of line {}", parent.place.line);
            return Err(Error::Tree { place, message });
        }
        if is_end_site {
            self.words.expect_word("Site")?;
        }
        let name = self.words.name();
        let name = self.words.text(name).to_vec();
        if name.len() > self.limits.text_bytes {
            let what = format!("the length of the name at line {} in bytes", place.line);
            return Err(Error::TooLarge {
                what,
                limit: self.limits.text_bytes,
                field: "text_bytes",
            });
        }
        if self.nodes.len() == self.limits.joints {
            let what = "the number of joints and End Sites".into();
            return Err(Error::TooLarge { what, limit: self.limits.joints, field: "joints" });
        }
        let subject = if is_end_site { "End Site".into() } else { shown(&name) };
        let place = Place { subject, ..place };
        self.words.expect_word("{")?;
        let parent = parent_of(&self.open);
        let node = self.nodes.len();
        let (offset, channels) = (DVec3::ZERO, Vec::new());
        self.nodes.push(Node { name, parent, offset, channels, is_end_site });
        self.open.push(Open { node, place, offset_line: None, channels_line: None });
        Ok(())
    }

    /// A closing brace. The node must have an `OFFSET`, and should have `CHANNELS`.
    fn close(&mut self, brace: Word) -> Result<()> {
        let Some(open) = self.open.pop() else {
            let message = "this brace closes nothing".into();
            return Err(Error::Syntax { place: self.words.place(brace, ""), message });
        };
        if open.offset_line.is_none() {
            if !self.options.is_lenient {
                return Err(Error::Missing { place: open.place, field: "OFFSET".into() });
            }
            self.warnings.push(open.place.clone(), "there is no `OFFSET`; it is read as zero");
        }
        if open.channels_line.is_none() && !self.nodes[open.node].is_end_site {
            self.warnings.push(open.place, "there is no `CHANNELS`; the joint does not move");
        }
        Ok(())
    }

    /// The current node, for a field that it may have once.
    fn field(
        &mut self,
        keyword: Word,
        line_of: fn(&mut Open) -> &mut Option<usize>,
    ) -> Result<usize> {
        let place = self.words.place(keyword, "");
        let name = String::from_utf8_lossy(self.words.text(keyword)).into_owned();
        let Some(open) = self.open.last_mut() else {
            let message = format!("`{name}` is outside of all joints");
            return Err(Error::Syntax { place, message });
        };
        match line_of(open).replace(place.line) {
            None => Ok(open.node),
            Some(first_line) => {
                let place = Place { subject: open.place.subject.clone(), ..place };
                Err(Error::Duplicate { place, message: format!("a second `{name}`"), first_line })
            }
        }
    }

    fn offset(&mut self, keyword: Word) -> Result<()> {
        let node = self.field(keyword, |open| &mut open.offset_line)?;
        let mut offset = [0.0; 3];
        for coordinate in &mut offset {
            let word = self.words.expect("a number of `OFFSET`")?;
            let text = self.words.text(word);
            let value = read_number(text, 0).map(|(value, _)| value);
            *coordinate = value.map_err(|fault| {
                let place = self.words.place(word, format!("OFFSET of {}", self.subject()));
                let message = match fault {
                    Fault::NoNumber => {
                        format!("an offset has three numbers; found {}", shown(text))
                    }
                    _ => fault_message(fault, text),
                };
                Error::Value { place, message }
            })?;
        }
        self.nodes[node].offset = DVec3::from_array(offset);
        Ok(())
    }

    /// The current node, for messages.
    fn subject(&self) -> String {
        self.open.last().map(|open| open.place.subject.clone()).unwrap_or_default()
    }

    fn channels(&mut self, keyword: Word) -> Result<()> {
        let node = self.field(keyword, |open| &mut open.channels_line)?;
        let word = self.words.expect("the number of channels")?;
        let text = core::str::from_utf8(self.words.text(word)).unwrap_or_default();
        // Only digits: the standard library would accept a sign as well.
        let declared = text.parse::<u64>().ok().filter(|_| !text.starts_with('+'));
        let found = shown(self.words.text(word));
        let place = self.words.place(word, format!("CHANNELS of {}", self.subject()));
        let Some(declared) = declared.filter(|&n| n <= Channel::ALL.len() as u64) else {
            let message = format!("the number of channels is 0 to 6; found {found}");
            return Err(Error::Value { place, message });
        };
        if declared > 0 && self.nodes[node].is_end_site {
            let message = "an End Site with channels; make it a `JOINT`".into();
            return Err(Error::Unsupported { place, message });
        }
        for read in 0..declared {
            let channel = self.channel(node, declared, read)?;
            self.nodes[node].channels.push(channel);
        }
        Ok(())
    }

    fn channel(&mut self, node: usize, declared: u64, read: u64) -> Result<Channel> {
        let word = self.words.expect("the name of a channel")?;
        let text = self.words.text(word);
        let place = self.words.place(word, format!("CHANNELS of {}", self.subject()));
        match Channel::from_word(text) {
            Some(channel) if self.nodes[node].channels.contains(&channel) => {
                let message = format!("a second {}", channel.name());
                Err(Error::Duplicate { first_line: place.line, place, message })
            }
            Some(channel) => Ok(channel),
            None if is_keyword(text) => {
                let message = format!("{declared} channels are declared, {read} are named");
                Err(Error::Value { place, message })
            }
            None => {
                let message = format!(
                    "{} is not a channel; there are Xposition, Yposition, Zposition, Xrotation, Yrotation and Zrotation",
                    shown(text)
                );
                Err(Error::Unsupported { place, message })
            }
        }
    }
}

/// The innermost open node.
fn parent_of(open: &[Open]) -> Option<usize> {
    open.last().map(|open| open.node)
}

/// True for a keyword.
fn is_keyword(word: &[u8]) -> bool {
    const KEYWORDS: [&str; 8] = ["JOINT", "ROOT", "End", "OFFSET", "CHANNELS", "MOTION", "{", "}"];
    KEYWORDS.iter().any(|keyword| word.eq_ignore_ascii_case(keyword.as_bytes()))
}

/// The error message for a word that is not a usable number.
pub(super) fn fault_message(fault: Fault, word: &[u8]) -> String {
    let word = shown(word);
    match fault {
        Fault::NotFinite => {
            format!("{word} is not finite, or too large for the programs that use BVH")
        }
        Fault::Comma => {
            format!("{word} has a decimal comma; BVH has points, and blanks between numbers")
        }
        Fault::NoNumber => format!("{word} is not a number"),
    }
}
