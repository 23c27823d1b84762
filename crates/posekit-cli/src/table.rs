//! Tables for the terminal: aligned, with heads and a maximum width, readable without colour.

use anstyle::{AnsiColor, Style};
use tabled::builder::Builder;
use tabled::settings::formatting::{AlignmentStrategy, TrimStrategy};
use tabled::settings::object::Columns;
use tabled::settings::peaker::Peaker;
use tabled::settings::style::HorizontalLine;
use tabled::settings::themes::Theme;
use tabled::settings::{Alignment, Color, Padding, Settings, Width};

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
    /// Heads, and how their columns are aligned.
    columns: Vec<(Cell, Align)>,
    rows: Vec<Vec<Cell>>,
    /// How many rows are above each rule.
    rules: Vec<usize>,
}

impl Table {
    /// A table with these columns and no rows.
    pub(crate) fn new(columns: &[(&str, Align)]) -> Self {
        let column =
            |&(title, align): &(&str, Align)| (Cell { style: HEAD, ..Cell::new(title) }, align);
        let columns = columns.iter().map(column).collect();
        Self { columns, rows: Vec::new(), rules: Vec::new() }
    }

    /// Adds a row to the current group. Missing cells are empty, cells beyond the last column are dropped.
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        let mut cells: Vec<Cell> = cells.into_iter().collect();
        cells.resize_with(self.columns.len(), || Cell::new(""));
        self.rows.push(cells);
    }

    /// Ends the current group; the following rows are below a rule.
    pub(crate) fn end_group(&mut self) {
        self.rules.push(self.rows.len());
    }

    /// The table as lines of at most `width` characters (at least as many as its columns need at their narrowest), each ended by a line
    /// feed, with colours as ANSI sequences. Print it through `anstream`, which removes them where there is no terminal.
    ///
    /// If it would be too wide, the widest column of text is narrowed, and its text wraps.
    pub(crate) fn render(&self, width: usize) -> String {
        let heads: Vec<Cell> = self.columns.iter().map(|(head, _)| head.clone()).collect();
        let rows = || core::iter::once(&heads).chain(&self.rows);
        let texts = rows().map(|row| row.iter().map(|cell| cell.text.as_str()));
        let mut table = texts.collect::<Builder>().build();
        let mut theme = Theme::default();
        for above in core::iter::once(0).chain(self.rules.iter().copied()) {
            if above < self.rows.len() {
                theme.insert_horizontal_line(above + 1, HorizontalLine::new('─'));
            }
        }
        table.with(theme);
        for (column, (_, align)) in self.columns.iter().enumerate() {
            let align = match align {
                Align::Left => Alignment::left(),
                Align::Right => Alignment::right(),
            };
            let gap = if column == 0 { 0 } else { GAP };
            let settings = Settings::new(align, Padding::new(gap, 0, 0, 0));
            // A blank at which a text wraps is not the first letter of its next line.
            let settings = settings.with(AlignmentStrategy::PerLine).with(TrimStrategy::Horizontal);
            table.modify(Columns::one(column), settings);
        }
        for (row, cells) in rows().enumerate() {
            for (column, Cell { text, style }) in cells.iter().enumerate() {
                if !text.is_empty() && !style.is_plain() {
                    let [on, off] = [style.render().to_string(), style.render_reset().to_string()];
                    table.modify((row, column), Color::new(on, off));
                }
            }
        }
        let words = Words(self.columns.iter().map(|(_, align)| *align == Align::Left).collect());
        table.with(Width::wrap(width.min(WIDTH)).keep_words(true).priority(words));
        let end = Style::new().bold().render_reset().to_string();
        let trimmed = |line: &str| match (line.trim_end(), line.strip_suffix(&end)) {
            (rule, _) if rule.starts_with('─') => format!("{QUIET}{rule}{QUIET:#}\n"),
            (_, Some(styled)) => format!("{}{end}\n", styled.trim_end()),
            (plain, None) => format!("{plain}\n"),
        };
        table.to_string().lines().map(trimmed).collect()
    }
}

/// Which column is narrowed: the widest one of those with words.
struct Words(Vec<bool>);

impl Peaker for Words {
    fn peak(&mut self, least: &[usize], widths: &[usize]) -> Option<usize> {
        let least = |column: usize| least.get(column).copied().unwrap_or(0) + NARROWEST;
        let may = |column: &usize| self.0[*column] && widths[*column] > least(*column);
        (0..widths.len()).filter(may).max_by_key(|column| widths[*column])
    }
}

#[cfg(test)]
mod tests {
    use tabled::grid::util::string::get_line_width;

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
                assert!(get_line_width(line) <= width.min(WIDTH), "{width}: {line}");
                assert_eq!(line, line.trim_end(), "no blanks at the end");
            }
            let all: String = text.split_whitespace().collect();
            assert!(all.matches('y').count() >= 150, "no letter is lost");
        }
    }

    #[test]
    fn the_next_line_begins_with_a_word() {
        let mut table = Table::new(&[("n", Align::Right), ("solved by", Align::Left)]);
        table.row(["7", "closed form: axes 1, 2 and 3 meet, 5 and 6 meet"].map(Cell::new));
        for width in 12..60 {
            let text = plain(&table, width);
            let mut lines = text.lines().skip(3).peekable();
            assert!(lines.peek().is_some() || width > 49, "{width}: it wraps");
            assert!(
                lines.all(|line| line.starts_with("   ") && !line.starts_with("    ")),
                "{text}"
            );
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
