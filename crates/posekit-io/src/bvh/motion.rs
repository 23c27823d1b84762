//! The second half of a file: the number of frames, the frame time, and the rows.

use core::ops::Range;

use super::Options;
use super::file::{FRAME_TIMES, File, Node, frame_time_message, shown};
use super::fill::fill_gaps;
use super::hierarchy::fault_message;
use super::lexer::is_blank;
use super::number::{Fault, read_number};
use super::source::Source;
use crate::error::{Error, Place, Result};
use crate::warnings::Warnings;

/// The lines before the rows.
#[derive(Debug, Default)]
struct Head {
    /// The value of `Frames`, and its place.
    declared: Option<(u64, Place)>,
    frame_time: Option<f64>,
    /// The place of the frame time in the text, and its value.
    time_word: Range<usize>,
    time_told: Option<f64>,
}

/// The places of the numbers of a motion in its text, so that one can be replaced without changing the rest.
#[derive(Debug, Clone, Default)]
pub(crate) struct Layout {
    /// The offset of the line of each row \[bytes\].
    pub(crate) lines: Vec<usize>,
    /// The offset of each number in its line, row by row \[bytes\].
    pub(crate) words: Vec<u32>,
    /// The range of the frame time \[bytes\].
    pub(crate) time_word: Range<usize>,
    /// The number there, if it is one.
    pub(crate) time_told: Option<f64>,
}

/// The rows as they are read.
struct Rows {
    n_channels: usize,
    values: Vec<f64>,
    n_frames: usize,
    /// Indices of gaps in `values`, ascending, and the place of the first in the text.
    gaps: Vec<usize>,
    first_gap: Option<Place>,
    /// The places of the numbers in the text.
    layout: Layout,
    /// The last row is complete, but the file ends with it, possibly within its last number.
    may_be_cut: bool,
}

/// Why a row cannot be used.
enum RowFault {
    /// A word that is not a number, `at` in the line, for the channel.
    Word { at: usize, channel: usize, fault: Fault },
    /// Only this many numbers.
    Short(usize),
    /// More words after the last channel, the first of them `at` in the line.
    Long { at: usize },
    /// Out of memory.
    Memory,
}

/// Reads the part after the word `MOTION`.
///
/// - `size`: of the whole text \[bytes\], 0 if unknown
pub(super) fn read_motion(
    source: &mut Source<'_>,
    nodes: Vec<Node>,
    options: &Options,
    size: usize,
    warnings: &mut Warnings,
) -> Result<(File, Option<Layout>)> {
    let head = read_head(source, options, warnings)?;
    let frame_time = options.frame_time.or(head.frame_time).unwrap_or(super::NO_FRAME_TIME);
    let n_channels = nodes.iter().map(|node| node.channels.len()).sum();
    let values = Vec::new();
    let mut rows = Rows {
        n_channels,
        values,
        n_frames: 0,
        gaps: Vec::new(),
        first_gap: None,
        layout: Layout::default(),
        may_be_cut: false,
    };
    rows.reserve(&head, size);
    read_rows(source, &mut rows, &nodes, options, warnings)?;
    settle_count(&mut rows, &head, options, warnings)?;
    let is_as_told = head.declared.as_ref().is_some_and(|(n, _)| *n == rows.n_frames as u64)
        && rows.layout.lines.len() == rows.n_frames
        && rows.layout.words.len() == rows.values.len()
        && rows.first_gap.is_none()
        && !head.time_word.is_empty();
    let Rows { mut values, gaps, first_gap, layout, .. } = rows;
    let layout = Layout { time_word: head.time_word, time_told: head.time_told, ..layout };
    if let Some(place) = first_gap.filter(|_| !gaps.is_empty()) {
        fill_gaps(&mut values, &gaps, &nodes)?;
        let message = format!(
            "{} values that are not finite are interpolated; this is the first",
            gaps.len()
        );
        warnings.push(place, message);
    }
    Ok((File::from_checked(nodes, frame_time, values), is_as_told.then_some(layout)))
}

/// The position in a line after a keyword and a colon; blanks are allowed around them and between the words of the keyword.
fn after_keyword(line: &[u8], words: &[&str]) -> Option<usize> {
    let skip = |at: usize| at + line[at..].iter().take_while(|&&byte| is_blank(byte)).count();
    let mut at = skip(0);
    for word in words {
        let found = line.get(at..at + word.len())?;
        if !found.eq_ignore_ascii_case(word.as_bytes()) {
            return None;
        }
        at = skip(at + word.len());
    }
    Some(if line.get(at) == Some(&b':') { skip(at + 1) } else { at })
}

fn trimmed(mut line: &[u8]) -> &[u8] {
    while let [first, rest @ ..] = line
        && is_blank(*first)
    {
        line = rest;
    }
    while let [rest @ .., last] = line
        && is_blank(*last)
    {
        line = rest;
    }
    line
}

/// The lines `Frames` and `Frame Time`, in any order.
fn read_head(source: &mut Source<'_>, options: &Options, warnings: &mut Warnings) -> Result<Head> {
    let mut head = Head::default();
    let mut has_time = false;
    while (head.declared.is_none() || !has_time) && source.advance()? {
        let line = source.line();
        let count = after_keyword(line, &["Frames"]).filter(|_| head.declared.is_none());
        let time = after_keyword(line, &["Frame", "Time"]).filter(|_| !has_time);
        if let Some(at) = count {
            head.declared = Some(read_count(source, at)?);
        } else if let Some(at) = time {
            let word = trimmed(&line[at..]);
            // The text after the keyword has no leading blanks.
            let start = source.byte() + at;
            head.time_word = start..start + word.len();
            let number = read_number(word, 0).ok().filter(|(_, end)| *end == word.len());
            head.time_told = number.map(|(time, _)| time);
            head.frame_time = read_frame_time(source, at, options)?;
            has_time = true;
        } else if !trimmed(line).is_empty() {
            source.again();
            break;
        }
    }
    if head.declared.is_none() {
        let place = source.place(0, "MOTION");
        if !options.is_lenient {
            return Err(Error::Missing { place, field: "Frames".into() });
        }
        warnings.push(place, "there is no `Frames`; every row is a frame");
    }
    if !has_time && options.frame_time.is_none() {
        let place = source.place(0, "MOTION (`Options::with_frame_time` gives one)");
        return Err(Error::Missing { place, field: "Frame Time".into() });
    }
    Ok(head)
}

/// A number of frames, digits only. It is compared with the number of rows, and nothing is allocated by it.
fn read_count(source: &Source<'_>, at: usize) -> Result<(u64, Place)> {
    let text = trimmed(&source.line()[at..]);
    let place = source.place(at, "Frames");
    let digits = core::str::from_utf8(text).ok().filter(|text| !text.starts_with('+'));
    match digits.and_then(|digits| digits.parse::<u64>().ok()) {
        Some(count) => Ok((count, place)),
        None => {
            let message = format!("{} is not a number of frames", shown(text));
            Err(Error::Value { place, message })
        }
    }
}

/// The seconds in a line `Frame Time`; not parsed if the caller gives them.
fn read_frame_time(source: &Source<'_>, start: usize, options: &Options) -> Result<Option<f64>> {
    if options.frame_time.is_some() {
        return Ok(None);
    }
    let text = trimmed(&source.line()[start..]);
    let message = match read_number(text, 0) {
        Ok((time, end)) if end < text.len() => {
            format!("{} follows {time}", shown(trimmed(&text[end..])))
        }
        Ok((time, _)) if !FRAME_TIMES.contains(&time) => frame_time_message(time),
        Ok((time, _)) => return Ok(Some(time)),
        Err(fault) => fault_message(fault, text),
    };
    Err(Error::Value { place: source.place(start, "Frame Time"), message })
}

/// All rows. When reading leniently, a fault ends it with a warning.
fn read_rows(
    source: &mut Source<'_>,
    rows: &mut Rows,
    nodes: &[Node],
    options: &Options,
    warnings: &mut Warnings,
) -> Result<()> {
    while source.advance()? {
        let whole = rows.values.len();
        match read_row(source, rows, options) {
            Ok(false) => {}
            Ok(true) => {
                rows.n_frames += 1;
                rows.layout.lines.push(source.byte());
                rows.may_be_cut = !source.has_line_end();
            }
            Err(fault) => {
                let error = row_error(source, rows, nodes, &fault);
                let Error::Value { place, message } = error else { return Err(error) };
                if !options.is_lenient {
                    return Err(Error::Value { place, message });
                }
                rows.keep(whole);
                let left_out = 1 + remaining_rows(source)?;
                let message = format!("{message}; the rows from here on, {left_out}, are omitted");
                warnings.push(place, message);
                return Ok(());
            }
        }
    }
    Ok(())
}

/// One line; false for a blank one.
fn read_row(
    source: &Source<'_>,
    rows: &mut Rows,
    options: &Options,
) -> core::result::Result<bool, RowFault> {
    let line = source.line();
    let skip = |mut at: usize| {
        while line.get(at).is_some_and(|&byte| is_blank(byte)) {
            at += 1;
        }
        at
    };
    let mut at = skip(0);
    if at == line.len() {
        return Ok(false);
    }
    let start = rows.values.len();
    rows.make_room().map_err(|_| RowFault::Memory)?;
    let values = rows.values[start..].iter_mut();
    for (channel, (value, word)) in values.zip(&mut rows.layout.words[start..]).enumerate() {
        if at >= line.len() {
            return Err(RowFault::Short(channel));
        }
        // A line of more than 4 GiB is beyond every sensible limit, and then its words are not those of the layout.
        *word = u32::try_from(at).unwrap_or(u32::MAX);
        match read_number(line, at) {
            Ok((number, end)) => (*value, at) = (number, end),
            Err(Fault::NotFinite) if options.fills_gaps => {
                rows.gaps.push(start + channel);
                rows.first_gap.get_or_insert_with(|| source.place(at, ""));
                *value = f64::NAN;
                at += line[at..].iter().take_while(|&&byte| !is_blank(byte)).count();
            }
            Err(fault) => return Err(RowFault::Word { at, channel, fault }),
        }
        // A number ends at a blank, or with the line.
        at = skip(at + 1);
    }
    if at < line.len() { Err(RowFault::Long { at }) } else { Ok(true) }
}

/// The error of a fault in the current row, with its place.
fn row_error(source: &Source<'_>, rows: &Rows, nodes: &[Node], fault: &RowFault) -> Error {
    let (frame, n) = (rows.n_frames, rows.n_channels);
    let line = source.line();
    let (at, subject, message) = match *fault {
        RowFault::Word { at, channel, fault } => {
            let word = line[at..].split(|&byte| is_blank(byte)).next().unwrap_or_default();
            let subject = format!("frame {frame}, {}", File::channel_label(nodes, channel));
            (at, subject, fault_message(fault, word))
        }
        RowFault::Short(found) => {
            let cut = match source.has_line_end() {
                true => "",
                false => "; the file is cut here, and the complete rows can be read leniently",
            };
            let message = format!("the row has {found} numbers; there are {n} channels{cut}");
            (line.len(), format!("frame {frame}"), message)
        }
        RowFault::Long { at } => {
            let more = line[at..].split(|&byte| is_blank(byte)).filter(|word| !word.is_empty());
            let message =
                format!("the row has {} numbers; there are {n} channels", n + more.count());
            (at, format!("frame {frame}"), message)
        }
        RowFault::Memory => {
            let place = source.place(0, format!("frame {frame}"));
            let message = "there is not enough memory for more frames".into();
            return Error::Unsupported { place, message };
        }
    };
    Error::Value { place: source.place(at, subject), message }
}

/// Counts the rows to the end without reading them.
fn remaining_rows(source: &mut Source<'_>) -> Result<usize> {
    let mut n = 0;
    while source.advance()? {
        n += usize::from(!trimmed(source.line()).is_empty());
    }
    Ok(n)
}

/// Compares the number of rows with `Frames`. When reading leniently, a last row that may be truncated within a number is omitted.
fn settle_count(
    rows: &mut Rows,
    head: &Head,
    options: &Options,
    warnings: &mut Warnings,
) -> Result<()> {
    let Some((declared, place)) = &head.declared else { return Ok(()) };
    let (declared, found) = (*declared, rows.n_frames as u64);
    if declared == found {
        return Ok(());
    }
    let message = format!("`Frames` is {declared}, but {found} rows follow");
    if !options.is_lenient {
        let message = format!("{message}; the complete rows can be read leniently");
        return Err(Error::Value { place: place.clone(), message });
    }
    if found < declared && rows.may_be_cut {
        rows.n_frames -= 1;
        rows.keep(rows.n_frames * rows.n_channels);
        let message = format!("{message}; the last one has no line end and is omitted");
        warnings.push(place.clone(), message);
    } else {
        warnings.push(place.clone(), format!("{message}; all complete rows are used"));
    }
    Ok(())
}

impl Rows {
    /// Reserves memory for one more row.
    fn make_room(&mut self) -> core::result::Result<(), std::collections::TryReserveError> {
        let end = self.values.len() + self.n_channels;
        self.values.try_reserve(self.n_channels)?;
        self.layout.words.try_reserve(self.n_channels)?;
        self.values.resize(end, 0.0);
        self.layout.words.resize(end, 0);
        Ok(())
    }

    /// Reserves memory for the declared rows, at most as many as a text of this size can have: growing step by step would copy them repeatedly.
    fn reserve(&mut self, head: &Head, size: usize) {
        let declared = head.declared.as_ref().map_or(0, |(n, _)| *n);
        let most = size / (2 * self.n_channels).max(1);
        let n_rows = usize::try_from(declared).unwrap_or(usize::MAX).min(most);
        // If this fails, memory is reserved row by row, or the error is reported there.
        let _ = self.values.try_reserve_exact(n_rows * self.n_channels);
        let _ = self.layout.words.try_reserve_exact(n_rows * self.n_channels);
        let _ = self.layout.lines.try_reserve_exact(n_rows);
    }

    /// Drops the values from an index on.
    fn keep(&mut self, n_values: usize) {
        self.values.truncate(n_values);
        self.layout.words.truncate(n_values);
        self.gaps.retain(|&gap| gap < n_values);
    }
}
