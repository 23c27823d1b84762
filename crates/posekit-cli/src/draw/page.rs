//! The report page of `posekit demo`.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::figure::{MARGIN, picture};
use super::look::{SolverLook, page_style};
use super::plot::{Plot, plot, swatch};
use super::view::View;
use super::words::{Effort, length_words, microseconds, scientific_page, status_words};
use super::{ErrorCurve, Outcome, PoseDrawing};

/// A page that compares solvers on models.
#[derive(Debug, Clone)]
pub(crate) struct Report {
    /// Title of the document, one or a few words.
    pub(crate) title: String,
    /// The answer, in one sentence.
    pub(crate) answer: String,
    /// A sentence or two on what was done; may be empty.
    pub(crate) about: String,
    /// The models, in order.
    pub(crate) models: Vec<Model>,
    /// Details: settings, machine, exact numbers.
    pub(crate) details: Vec<DetailTable>,
    /// The footer: how the page was made. May be empty.
    pub(crate) footer: String,
}

/// One model with the result of each solver.
#[derive(Debug, Clone)]
pub(crate) struct Model {
    /// Its name.
    pub(crate) name: String,
    /// A description: "7 hinges, reach 86 cm".
    pub(crate) about: String,
    /// Unit of its lengths: "m", or empty if unknown.
    pub(crate) unit: String,
    /// The error that counts as reached, in that unit.
    pub(crate) tolerance: Option<f64>,
    /// The pose before, with the target (a drawing without a result).
    pub(crate) start: PoseDrawing,
    /// One entry for each solver.
    pub(crate) runs: Vec<Run>,
}

/// One solver on one model.
#[derive(Debug, Clone)]
pub(crate) struct Run {
    /// Name shown: the command-line name, or "auto (direct)".
    pub(crate) solver: String,
    /// Colour, dash and marker.
    pub(crate) look: SolverLook,
    /// The outcome.
    pub(crate) outcome: Outcome,
    /// Iterations taken; 0 for closed forms.
    pub(crate) iterations: u32,
    /// Distance from tip to target, in the model's unit.
    pub(crate) error: f64,
    /// Time of one solve \[microseconds\].
    pub(crate) microseconds: f64,
    /// The iteration at which it escaped from a lock-up, and the method that took over.
    pub(crate) escape: Option<(usize, &'static str)>,
    /// The pose after.
    pub(crate) drawing: PoseDrawing,
    /// Error before the first and after each iteration; empty for solvers without iterations.
    pub(crate) errors: Vec<f64>,
}

/// A plain table of text.
#[derive(Debug, Clone)]
pub(crate) struct DetailTable {
    /// Its title.
    pub(crate) title: String,
    /// Heads of the columns; empty for a list of names and values.
    pub(crate) head: Vec<String>,
    /// Rows; the first cell names the row.
    pub(crate) rows: Vec<Vec<String>>,
}

/// Width of a small picture, and the range of its height, which depends on its figure \[px\].
const TILE_WIDTH: f64 = 320.0;
const TILE_HEIGHTS: [f64; 2] = [176.0, 344.0];
/// The same for a start and a single result, which share the width of the page.
const LARGE_TILE_WIDTH: f64 = 536.0;
const LARGE_TILE_HEIGHTS: [f64; 2] = [240.0, 560.0];
/// Sizes of a plot \[px\]: both are on the page, and the one that fits the window is shown.
const WIDE_PLOT: [f64; 2] = [1088.0, 300.0];
const NARROW_PLOT: [f64; 2] = [360.0, 300.0];

/// A page in one file, which needs no other; browsers enforce it.
///
/// - `has_scripts`: it may contain scripts
pub(crate) fn document(title: &str, style: &str, has_scripts: bool, body: &Markup) -> String {
    let scripts = if has_scripts { "; script-src 'unsafe-inline'" } else { "" };
    let policy = format!("default-src 'none'; style-src 'unsafe-inline'{scripts}");
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content=(policy);
                title { (title) }
                style { (PreEscaped(page_style())) (PreEscaped(style)) }
            }
            body { (body) }
        }
    };
    page.into_string() + "\n"
}

/// The whole page as self-contained HTML. The same report gives the same bytes.
pub(crate) fn report_page(report: &Report) -> String {
    let body = html! {
        main {
            p.kicker { (report.title) }
            h1 { (report.answer) }
            @if !report.about.is_empty() {
                p { (report.about) }
            }
            @if !report.models.is_empty() {
                (summary(&report.models))
            }
            @for (index, model) in report.models.iter().enumerate() {
                (model_section(model, &anchor(index)))
            }
            @if !report.details.is_empty() {
                (details(&report.details))
            }
            @if !report.footer.is_empty() {
                footer { (report.footer) }
            }
        }
    };
    document(&report.title, "", false, &body)
}

/// Identifier of a model's section: by its index, because names may be duplicates and contain anything.
fn anchor(index: usize) -> String {
    format!("model-{}", index + 1)
}

fn summary(models: &[Model]) -> Markup {
    html! {
        table.summary {
            thead {
                tr {
                    th scope="col" { "model" }
                    th scope="col" { "solver" }
                    th.status scope="col" { "status" }
                    th.n scope="col" { "iterations" }
                    th.n scope="col" { "error" }
                    th.n scope="col" { "time (µs)" }
                }
            }
            @for (index, model) in models.iter().enumerate() {
                tbody {
                    @for (row, run) in model.runs.iter().enumerate() {
                        tr {
                            @if row == 0 {
                                th scope="rowgroup" rowspan=(model.runs.len()) {
                                    a href={ "#" (anchor(index)) } { (model.name) }
                                }
                            }
                            td { span.solver { (solver(run)) } }
                            td.status { (status_line(model, run)) }
                            td.n data-unit=" it." { (run.iterations) }
                            td.n data-unit="" { (error_words(run.error, &model.unit)) }
                            td.n data-unit=" µs" { (microseconds(run.microseconds)) }
                        }
                    }
                }
            }
        }
    }
}

/// Its mark and name.
fn solver(run: &Run) -> Markup {
    html! {
        (PreEscaped(swatch(run.look)))
        span { (run.solver) }
    }
}

/// An error with its unit, in powers of ten so that a column can be compared at a glance.
fn error_words(error: f64, unit: &str) -> String {
    match (error.is_finite(), unit.is_empty()) {
        (false, _) => "–".to_owned(),
        (true, true) => scientific_page(error),
        (true, false) => format!("{} {unit}", scientific_page(error)),
    }
}

/// Mark and text.
fn status_line(model: &Model, run: &Run) -> Markup {
    let effort = Effort::of(run.look, run.iterations);
    html! {
        span.words {
            (icon(&run.outcome))
            span { (status_words(&run.outcome, effort, &model.unit, run.escape)) }
        }
    }
}

/// A mark of 16 x 16 in the colour of the text beside it.
fn icon(outcome: &Outcome) -> Markup {
    let strokes = match outcome {
        Outcome::Reached => "M3 8.5L6.5 12L13 4.5",
        // An arrow that ends short of a wall; an arrow against it; and so on.
        Outcome::Unreachable { .. } => "M1.5 8L9 8M6 5L9 8L6 11M14 3L14 13",
        Outcome::Blocked { .. } => "M2 8L11.5 8M8.5 5L11.5 8L8.5 11M13.5 2.5L13.5 13.5",
        Outcome::Stalled => "M5.5 3.5L5.5 12.5M10.5 3.5L10.5 12.5",
        Outcome::IterationLimit => "M8 4.5L8 8L10.5 9.5",
        Outcome::Cancelled => "M4 4L12 12M12 4L4 12",
    };
    html! {
        svg.icon viewBox="0 0 16 16" aria-hidden="true" {
            path d=(strokes) {}
            @if matches!(outcome, Outcome::IterationLimit) {
                circle cx="8" cy="8" r="6.5" {}
            }
        }
    }
}

fn model_section(model: &Model, id: &str) -> Markup {
    let mut drawings: Vec<&PoseDrawing> = vec![&model.start];
    drawings.extend(model.runs.iter().map(|run| &run.drawing));
    let view = View::of(&drawings);
    let tile = tile_size(&view, drawings.len());
    let cell = format!("grid {}", length_words(view.grid_step(), &model.unit));
    html! {
        section.model id=(id) {
            h2 { (model.name) }
            p.about {
                @if !model.about.is_empty() {
                    (model.about) " · "
                }
                (cell)
            }
            div.tiles style={ "--n:" (tile_columns(drawings.len())) } {
                (start_tile(model, &view, tile))
                @for run in &model.runs {
                    figure.tile {
                        (PreEscaped(picture(&run.drawing, &view, tile)))
                        figcaption {
                            span.who { (solver(run)) }
                            (status_line(model, run))
                        }
                    }
                }
            }
            (error_plot(model))
        }
    }
}

/// The size of a model's pictures: as high as its figures require.
fn tile_size(view: &View, pictures: usize) -> [f64; 2] {
    let (width, [least, most]) = match pictures {
        0..=2 => (LARGE_TILE_WIDTH, LARGE_TILE_HEIGHTS),
        _ => (TILE_WIDTH, TILE_HEIGHTS),
    };
    let inner = (width - 2.0 * MARGIN) * view.aspect();
    [width, (inner + 2.0 * MARGIN).clamp(least, most).round()]
}

/// Columns for a number of pictures: one row for up to five, then rows as full as can be.
const fn tile_columns(pictures: usize) -> usize {
    match pictures {
        0..=2 => 2,
        3..=5 => pictures,
        6 | 9 => 3,
        7 | 8 | 11 | 12 => 4,
        _ => 5,
    }
}

/// The pose before, with the target's distance.
fn start_tile(model: &Model, view: &View, size: [f64; 2]) -> Markup {
    let drawn = &model.start;
    // If some effectors look and others reach, the largest distance to reach is shown.
    let farthest = drawn.start.as_ref().filter(|_| !drawn.targets.is_empty()).map(|figure| {
        let reached = figure.tips.iter().zip(&drawn.targets).filter(|(_, to)| !to.is_seen);
        reached.map(|(tip, to)| tip.distance(to.at)).fold(0.0, f64::max)
    });
    html! {
        figure.tile {
            (PreEscaped(picture(drawn, view, size)))
            figcaption {
                span.who { span { "start" } }
                @if let Some(distance) = farthest {
                    span.words { "target " (length_words(distance, &model.unit)) " away" }
                }
            }
        }
    }
}

fn error_plot(model: &Model) -> Markup {
    let curves: Vec<ErrorCurve> = model
        .runs
        .iter()
        .filter(|run| run.errors.len() > 1)
        .map(|run| ErrorCurve {
            solver: run.solver.clone(),
            look: run.look,
            values: run.errors.clone(),
            escaped_at: run.escape.map(|(at, _)| at),
        })
        .collect();
    let title = format!("Error of each solver on {} over its iterations", model.name);
    let what =
        Plot { title: &title, curves: &curves, tolerance: model.tolerance, unit: &model.unit };
    let [wide, narrow] = [WIDE_PLOT, NARROW_PLOT].map(|size| plot(&what, size));
    html! {
        @if !wide.is_empty() {
            div.plot {
                div.wide { (PreEscaped(wide)) }
                div.narrow { (PreEscaped(narrow)) }
            }
        }
    }
}

fn details(tables: &[DetailTable]) -> Markup {
    html! {
        section.model {
            h2 { "Detail" }
            @for table in tables {
                h3 { (table.title) }
                div.scroll {
                    table.plain style="margin-top:0" {
                        @if !table.head.is_empty() {
                            thead {
                                tr {
                                    @for title in &table.head {
                                        th scope="col" { (title) }
                                    }
                                }
                            }
                        }
                        tbody {
                            @for row in &table.rows {
                                (detail_row(row))
                            }
                        }
                    }
                }
            }
        }
    }
}

/// One row; its first cell is its name.
fn detail_row(row: &[String]) -> Markup {
    html! {
        tr {
            @for (index, cell) in row.iter().enumerate() {
                @if index == 0 {
                    th scope="row" style="font-weight:400" { (cell) }
                } @else {
                    td { (cell) }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::report;
    use super::*;

    #[test]
    fn the_page_answers_first_and_shows_every_run() {
        let report = report();
        let text = report_page(&report);
        let place = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part} is on the page"));
        assert!(place("<h1>") < place("class=\"summary\""), "answer, then figures");
        assert!(place("class=\"summary\"") < place("class=\"tiles\""), "table, then drawings");
        assert!(place("class=\"tiles\"") < place(">Detail<"), "drawings, then detail");
        let runs: usize = report.models.iter().map(|model| model.runs.len()).sum();
        let pictures = text.matches("<figure").count();
        assert_eq!(pictures, runs + report.models.len(), "a start and one picture for each run");
        assert_eq!(text, report_page(&report), "same report, same bytes");
    }

    #[test]
    fn the_page_asks_for_nothing_from_outside() {
        let text = report_page(&report());
        let links = text.matches("http").count();
        let namespaces = text.matches("http://www.w3.org/2000/svg").count();
        assert_eq!(links, namespaces + 1, "only SVG's namespace and http-equiv");
        for part in ["<script", "src=", "url(", "@import", "NaN", "inf "] {
            assert!(!text.contains(part), "{part} is not on the page");
        }
    }

    #[test]
    fn names_are_text() {
        let mut report = report();
        let name = "<script>alert(1)</script>";
        report.title = name.to_owned();
        report.answer = name.to_owned();
        report.models[0].name = name.to_owned();
        report.models[0].runs[0].solver = name.to_owned();
        report.models[0].unit = name.to_owned();
        report.details[0].rows[0][0] = name.to_owned();
        let text = report_page(&report);
        assert!(!text.contains("<script"), "no markup from names");
        assert!(text.contains("&lt;script&gt;alert(1)"), "the name is shown as it is");
    }

    #[test]
    fn an_empty_report_is_a_page() {
        let empty = Report {
            title: "demo".to_owned(),
            answer: "Nothing was solved: there are no models.".to_owned(),
            about: String::new(),
            models: Vec::new(),
            details: Vec::new(),
            footer: String::new(),
        };
        assert!(report_page(&empty).contains("Nothing was solved"), "it still says so");
    }
}
