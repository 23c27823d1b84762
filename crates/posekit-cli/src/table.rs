//! Tables for the terminal: aligned, with heads and a maximum width, readable without colour.

use anstyle::{AnsiColor, Style};
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// The widest table that any command prints.
pub(crate) const WIDTH: usize = 100;

/// The width of the terminal, at most [`WIDTH`]; [`WIDTH`] without a terminal.
pub(crate) fn width() -> usize {
    let found = terminal_size::terminal_size_of(std::io::stdout());
    found.map_or(WIDTH, |(columns, _)| usize::from(columns.0).clamp(NARROWEST * 5, WIDTH))
}

/// Blanks between columns.
const GAP: usize = 2;
/// The least width of a column that is narrowed.
const NARROWEST: usize = 8;

/// The one accent colour.
const ACCENT: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Cyan)));
/// Heads of columns.
const HEAD: Style = Style::new().bold();
/// Rules, and less important text.
const QUIET: Style = Style::new().dimmed();

/// The alignment of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// A head and the alignment of its column.
#[derive(Debug, Clone)]
struct Column {
    title: String,
    align: Align,
}

/// One cell.
#[derive(Debug, Clone)]
pub(crate) struct Cell {
    text: String,
    style: Style,
}

impl Cell {
    /// A cell in the terminal's own colour. Control characters, which could move the cursor or change colours, become `�`.
    pub(crate) fn new(text: impl AsRef<str>) -> Self {
        let text = text.as_ref().chars().map(|c| if c.is_control() { '\u{FFFD}' } else { c });
        Self { text: text.collect(), style: Style::new() }
    }

    /// The same cell in the accent colour.
    pub(crate) fn accent(self) -> Self {
        Self { style: ACCENT, ..self }
    }

    /// The same cell, dimmed.
    pub(crate) fn quiet(self) -> Self {
        Self { style: QUIET, ..self }
    }
}

/// A table that grows row by row.
#[derive(Debug, Clone, Default)]
pub(crate) struct Table {
    columns: Vec<Column>,
    /// Rows in groups; a rule stands between groups.
    groups: Vec<Vec<Vec<Cell>>>,
}

impl Table {
    /// A table with these columns and no rows.
    pub(crate) fn new(columns: &[(&str, Align)]) -> Self {
        let column =
            |&(title, align): &(&str, Align)| Column { title: Cell::new(title).text, align };
        Self { columns: columns.iter().map(column).collect(), groups: Vec::new() }
    }

    /// Adds a row to the current group. Missing cells are empty, cells beyond the last column are dropped.
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        let mut cells: Vec<Cell> = cells.into_iter().collect();
        cells.resize_with(self.columns.len(), || Cell::new(""));
        if self.groups.is_empty() {
            self.groups.push(Vec::new());
        }
        if let Some(group) = self.groups.last_mut() {
            group.push(cells);
        }
    }

    /// Ends the current group; the following rows are below a rule.
    pub(crate) fn end_group(&mut self) {
        if self.groups.last().is_some_and(|group| !group.is_empty()) {
            self.groups.push(Vec::new());
        }
    }

    /// The table as lines of at most `width` characters (at least as many as its columns need at their narrowest), each ended by a line
    /// feed, with colours as ANSI sequences. Print it through `anstream`, which removes them where there is no terminal.
    ///
    /// If it would be too wide, the widest column of text is narrowed, and its text wraps.
    pub(crate) fn render(&self, width: usize) -> String {
        let widths = self.widths(width.min(WIDTH));
        let total = widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1);
        let mut out = String::new();
        let heads: Vec<Cell> =
            self.columns.iter().map(|c| Cell { text: c.title.clone(), style: HEAD }).collect();
        self.push_row(&mut out, &heads, &widths);
        for group in self.groups.iter().filter(|group| !group.is_empty()) {
            out.push_str(&painted(&"─".repeat(total), QUIET));
            out.push('\n');
            for row in group {
                self.push_row(&mut out, row, &widths);
            }
        }
        out
    }

    /// Widths of the columns, so that all of them fit.
    fn widths(&self, width: usize) -> Vec<usize> {
        let mut widths: Vec<usize> = self.columns.iter().map(|c| c.title.width()).collect();
        for row in self.groups.iter().flatten() {
            for (widest, cell) in widths.iter_mut().zip(row) {
                *widest = (*widest).max(cell.text.width());
            }
        }
        let gaps = GAP * widths.len().saturating_sub(1);
        loop {
            let excess = (widths.iter().sum::<usize>() + gaps).saturating_sub(width);
            let words = |(i, w): &(usize, &mut usize)| {
                self.columns[*i].align == Align::Left && **w > NARROWEST
            };
            let widest = widths.iter_mut().enumerate().filter(words).max_by_key(|(_, w)| **w);
            match widest {
                // One step at a time, so that two wide columns are narrowed alike.
                Some((_, widest)) if excess > 0 => *widest -= 1,
                _ => return widths,
            }
        }
    }

    fn push_row(&self, out: &mut String, cells: &[Cell], widths: &[usize]) {
        let wrapped: Vec<Vec<String>> =
            cells.iter().zip(widths).map(|(cell, &width)| wrap(&cell.text, width)).collect();
        let height = wrapped.iter().map(Vec::len).max().unwrap_or(0);
        for line in 0..height {
            let mut text = String::new();
            let mut blanks = 0;
            for (index, (cell, lines)) in cells.iter().zip(&wrapped).enumerate() {
                let part = lines.get(line).map_or("", String::as_str);
                let missing = widths[index].saturating_sub(part.width());
                let is_right = self.columns[index].align == Align::Right;
                if is_right {
                    blanks += missing;
                }
                if !part.is_empty() {
                    // Blanks are written only before text, so no line ends with one.
                    text.push_str(&" ".repeat(blanks));
                    text.push_str(&painted(part, cell.style));
                    blanks = 0;
                } else if is_right {
                    blanks += part.width();
                }
                blanks += GAP + if is_right { 0 } else { missing };
            }
            out.push_str(&text);
            out.push('\n');
        }
    }
}

/// Text between the sequences that switch a style on and off; plain text stays plain.
fn painted(text: &str, style: Style) -> String {
    format!("{style}{text}{style:#}")
}

/// Text in lines of at most `width` columns, broken at blanks, and inside a word only if the word alone is too wide.
fn wrap(text: &str, width: usize) -> Vec<String> {
    if text.width() <= width {
        return vec![text.to_owned()];
    }
    let push = |lines: &mut Vec<String>, c: char| {
        if let Some(line) = lines.last_mut() {
            line.push(c);
        }
    };
    let mut lines = vec![String::new()];
    let mut used = 0;
    for word in text.split(' ') {
        let long = word.width();
        if used > 0 && used + 1 + long > width {
            lines.push(String::new());
            used = 0;
        }
        for (index, c) in word.chars().enumerate() {
            let wide = c.width().unwrap_or(0);
            if used + wide > width && used > 0 {
                lines.push(String::new());
                used = 0;
            } else if index == 0 && used > 0 {
                push(&mut lines, ' ');
                used += 1;
            }
            push(&mut lines, c);
            used += wide;
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(table: &Table, width: usize) -> String {
        anstream::adapter::strip_str(&table.render(width)).to_string()
    }

    fn sample() -> Table {
        let mut table = Table::new(&[
            ("model", Align::Left),
            ("solver", Align::Left),
            ("status", Align::Left),
            ("iterations", Align::Right),
            ("error", Align::Right),
            ("µs", Align::Right),
        ]);
        let cells = |row: [&str; 6]| row.map(Cell::new);
        table.row(cells([
            "two-bone limb",
            "two-bone",
            "✓ reached without iterating",
            "0",
            "0 m",
            "0.08",
        ]));
        table.row(cells(["", "ccd", "✓ reached in 7 iterations", "7", "3.2e-9 m", "1.40"]));
        table.end_group();
        table.row(cells([
            "rope of 100",
            "fabrik",
            "○ out of reach by 12 cm",
            "12",
            "1.2e-1 m",
            "210",
        ]));
        table
    }

    #[test]
    fn columns_are_aligned_and_headed() {
        let expected = "\
model          solver    status                       iterations     error    µs
────────────────────────────────────────────────────────────────────────────────
two-bone limb  two-bone  ✓ reached without iterating           0       0 m  0.08
               ccd       ✓ reached in 7 iterations             7  3.2e-9 m  1.40
────────────────────────────────────────────────────────────────────────────────
rope of 100    fabrik    ○ out of reach by 12 cm              12  1.2e-1 m   210
";
        assert_eq!(plain(&sample(), WIDTH), expected);
    }

    #[test]
    fn long_words_go_on_in_the_next_line() {
        let mut table = sample();
        let long = "reached in 31 iterations; escaped from a lock-up at iteration 3; ".repeat(4);
        table.row([Cell::new("x"), Cell::new("y".repeat(150)), Cell::new(&long)]);
        for width in [60, 80, WIDTH, 500] {
            let text = plain(&table, width);
            for line in text.lines() {
                assert!(line.width() <= width.min(WIDTH), "{width}: {line}");
                assert_eq!(line, line.trim_end(), "no blanks at the end");
            }
            let all: String = text.split_whitespace().collect();
            assert!(all.matches('y').count() >= 150, "no letter is lost");
        }
    }

    #[test]
    fn colours_are_extra() {
        let mut table = sample();
        table.row([Cell::new("a").accent(), Cell::new("b").quiet()]);
        let coloured = table.render(WIDTH);
        assert!(coloured.contains("\u{1b}["), "a terminal gets colours");
        assert!(!plain(&table, WIDTH).contains('\u{1b}'), "others do not");
    }

    #[test]
    fn names_cannot_steer_the_terminal() {
        let mut table = Table::new(&[("a\u{1b}", Align::Left)]);
        table.row([Cell::new("\u{1b}[31mred\n\r\u{7}")]);
        let inner = plain(&table, WIDTH);
        assert!(inner.contains("\u{FFFD}[31mred\u{FFFD}\u{FFFD}\u{FFFD}"), "{inner}");
    }

    #[test]
    fn odd_tables_are_harmless() {
        assert_eq!(plain(&Table::new(&[]), WIDTH), "");
        let mut table = Table::new(&[("a", Align::Left)]);
        table.end_group();
        table.row([]);
        table.row([Cell::new("1"), Cell::new("2")]);
        assert!(table.render(0).contains('1'), "the narrowest width still shows the cells");
    }
}
