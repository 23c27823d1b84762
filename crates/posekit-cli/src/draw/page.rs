//! The report page of `posekit demo`, and the stand-alone SVG of `posekit draw`.

use super::figure::{MARGIN, draw_pose, picture};
use super::look::{SolverLook, page_style, svg_style};
use super::plot::{Plot, draw_plot, plot, swatch};
use super::svg::{Markup, Path, Tag, circle, number, root};
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

/// The whole page as self-contained HTML. The same report gives the same bytes.
pub(crate) fn report_page(report: &Report) -> String {
    let mut out = Markup::new();
    out.raw("<!doctype html>\n");
    out.open(&Tag::new("html").set("lang", "en"));
    out.open(&Tag::new("head"));
    out.raw("<meta charset=\"utf-8\">\n");
    out.raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    // The page needs no script and no other file; this makes browsers enforce it.
    out.raw("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n");
    out.element(&Tag::new("title"), &report.title);
    out.open(&Tag::new("style"));
    out.raw(&page_style());
    out.close_line();
    out.close_line();
    out.open(&Tag::new("body"));
    out.open(&Tag::new("main"));
    out.element(&Tag::new("p").class("kicker"), &report.title);
    out.element(&Tag::new("h1"), &report.answer);
    if !report.about.is_empty() {
        out.element(&Tag::new("p"), &report.about);
    }
    summary(&mut out, &report.models);
    for (index, model) in report.models.iter().enumerate() {
        model_section(&mut out, model, &anchor(index));
    }
    details(&mut out, &report.details);
    if !report.footer.is_empty() {
        out.element(&Tag::new("footer"), &report.footer);
    }
    out.finish() + "\n"
}

/// Identifier of a model's section: by its index, because names may be duplicates and contain anything.
fn anchor(index: usize) -> String {
    format!("model-{}", index + 1)
}

fn summary(out: &mut Markup, models: &[Model]) {
    if models.is_empty() {
        return;
    }
    out.open(&Tag::new("table").class("summary"));
    out.open(&Tag::new("thead"));
    out.open(&Tag::new("tr"));
    for (title, class) in [
        ("model", ""),
        ("solver", ""),
        ("status", "status"),
        ("iterations", "n"),
        ("error", "n"),
        ("time (µs)", "n"),
    ] {
        out.element(&Tag::new("th").set("scope", "col").class(class), title);
    }
    out.close();
    out.close_line();
    for (index, model) in models.iter().enumerate() {
        out.open(&Tag::new("tbody"));
        for (row, run) in model.runs.iter().enumerate() {
            out.open(&Tag::new("tr"));
            if row == 0 {
                let rows = model.runs.len().to_string();
                out.open(&Tag::new("th").set("scope", "rowgroup").set("rowspan", &rows));
                out.element(
                    &Tag::new("a").set("href", &format!("#{}", anchor(index))),
                    &model.name,
                );
                out.close();
            }
            summary_row(out, model, run);
            out.close_line();
        }
        out.close_line();
    }
    out.close_line();
}

fn summary_row(out: &mut Markup, model: &Model, run: &Run) {
    out.open(&Tag::new("td"));
    out.open(&Tag::new("span").class("solver"));
    out.raw(&swatch(run.look));
    out.element(&Tag::new("span"), &run.solver);
    out.close();
    out.close();
    out.open(&Tag::new("td").class("status"));
    status_line(out, model, run);
    out.close();
    let number = |unit: &str| Tag::new("td").class("n").set("data-unit", unit);
    out.element(&number(" it."), &run.iterations.to_string());
    out.element(&number(""), &error_words(run.error, &model.unit));
    out.element(&number(" µs"), &microseconds(run.microseconds));
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
fn status_line(out: &mut Markup, model: &Model, run: &Run) {
    out.open(&Tag::new("span").class("words"));
    out.raw(&icon(&run.outcome));
    let effort = Effort::of(run.look, run.iterations);
    let words = status_words(&run.outcome, effort, &model.unit, run.escape);
    out.element(&Tag::new("span"), &words);
    out.close();
}

/// A mark of 16 x 16 in the colour of the text beside it.
fn icon(outcome: &Outcome) -> String {
    let strokes = match outcome {
        Outcome::Reached => Path::new().to([3.0, 8.5]).line([6.5, 12.0]).line([13.0, 4.5]),
        // An arrow that ends short of a wall; an arrow against it; and so on.
        Outcome::Unreachable { .. } => Path::new()
            .to([1.5, 8.0])
            .line([9.0, 8.0])
            .to([6.0, 5.0])
            .line([9.0, 8.0])
            .line([6.0, 11.0])
            .to([14.0, 3.0])
            .line([14.0, 13.0]),
        Outcome::Blocked { .. } => Path::new()
            .to([2.0, 8.0])
            .line([11.5, 8.0])
            .to([8.5, 5.0])
            .line([11.5, 8.0])
            .line([8.5, 11.0])
            .to([13.5, 2.5])
            .line([13.5, 13.5]),
        Outcome::Stalled => {
            Path::new().to([5.5, 3.5]).line([5.5, 12.5]).to([10.5, 3.5]).line([10.5, 12.5])
        }
        Outcome::IterationLimit => Path::new().to([8.0, 4.5]).line([8.0, 8.0]).line([10.5, 9.5]),
        Outcome::Cancelled => {
            Path::new().to([4.0, 4.0]).line([12.0, 12.0]).to([12.0, 4.0]).line([4.0, 12.0])
        }
    };
    let mut out = Markup::new();
    out.open(&Tag::new("svg").set("viewBox", "0 0 16 16").class("icon").set("aria-hidden", "true"));
    out.leaf(&strokes.tag());
    if matches!(outcome, Outcome::IterationLimit) {
        out.leaf(&circle([8.0, 8.0], 6.5));
    }
    out.close();
    out.finish()
}

fn model_section(out: &mut Markup, model: &Model, id: &str) {
    let mut drawings: Vec<&PoseDrawing> = vec![&model.start];
    drawings.extend(model.runs.iter().map(|run| &run.drawing));
    let view = View::of(&drawings);
    let tile = tile_size(&view, model.runs.len() + 1);
    out.open(&Tag::new("section").class("model").set("id", id));
    out.element(&Tag::new("h2"), &model.name);
    let cell = format!("grid {}", length_words(view.grid_step(), &model.unit));
    let about = if model.about.is_empty() { cell } else { format!("{} · {cell}", model.about) };
    out.element(&Tag::new("p").class("about"), &about);
    let columns = format!("--n:{}", tile_columns(model.runs.len() + 1));
    out.open(&Tag::new("div").class("tiles").set("style", &columns));
    start_tile(out, model, &view, tile);
    for run in &model.runs {
        out.open(&Tag::new("figure").class("tile"));
        out.raw(&picture(&run.drawing, &view, tile));
        out.open(&Tag::new("figcaption"));
        out.open(&Tag::new("span").class("who"));
        out.raw(&swatch(run.look));
        out.element(&Tag::new("span"), &run.solver);
        out.close();
        status_line(out, model, run);
        out.close();
        out.close_line();
    }
    out.close_line();
    error_plot(out, model);
    out.close_line();
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
fn start_tile(out: &mut Markup, model: &Model, view: &View, size: [f64; 2]) {
    out.open(&Tag::new("figure").class("tile"));
    out.raw(&picture(&model.start, view, size));
    out.open(&Tag::new("figcaption"));
    out.open(&Tag::new("span").class("who"));
    out.element(&Tag::new("span"), "start");
    out.close();
    if let (Some(figure), false) = (&model.start.start, model.start.targets.is_empty()) {
        // If some effectors look and others reach, the largest distance to reach is shown.
        let reached = figure.tips.iter().zip(&model.start.targets).filter(|(_, to)| !to.is_seen);
        let distance = reached.map(|(tip, to)| tip.distance(to.at)).fold(0.0, f64::max);
        let words = format!("target {} away", length_words(distance, &model.unit));
        out.element(&Tag::new("span").class("words"), &words);
    }
    out.close();
    out.close_line();
}

fn error_plot(out: &mut Markup, model: &Model) {
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
    if wide.is_empty() {
        return;
    }
    out.open(&Tag::new("div").class("plot"));
    for (class, text) in [("wide", wide), ("narrow", narrow)] {
        out.open(&Tag::new("div").class(class));
        out.raw(&text);
        out.close();
    }
    out.close_line();
}

fn details(out: &mut Markup, tables: &[DetailTable]) {
    if tables.is_empty() {
        return;
    }
    out.open(&Tag::new("section").class("model"));
    out.element(&Tag::new("h2"), "Detail");
    for table in tables {
        out.element(&Tag::new("h3"), &table.title);
        out.open(&Tag::new("div").class("scroll"));
        out.open(&Tag::new("table").class("plain").set("style", "margin-top:0"));
        if !table.head.is_empty() {
            out.open(&Tag::new("thead"));
            out.open(&Tag::new("tr"));
            for title in &table.head {
                out.element(&Tag::new("th").set("scope", "col"), title);
            }
            out.close();
            out.close_line();
        }
        out.open(&Tag::new("tbody"));
        for row in &table.rows {
            detail_row(out, row);
        }
        out.close();
        out.close();
        out.close_line();
    }
    out.close_line();
}

/// One row; its first cell is its name.
fn detail_row(out: &mut Markup, row: &[String]) {
    out.open(&Tag::new("tr"));
    for (index, cell) in row.iter().enumerate() {
        if index == 0 {
            let tag = Tag::new("th").set("scope", "row").set("style", "font-weight:400");
            out.element(&tag, cell);
        } else {
            out.element(&Tag::new("td"), cell);
        }
    }
    out.close_line();
}

/// A solution as a stand-alone picture: pose and trace, and below them the error.
#[derive(Debug, Clone)]
pub(crate) struct Sheet {
    /// The pose before and after, ghosts and trail of the trace.
    pub(crate) drawing: PoseDrawing,
    /// Name of the solver as shown.
    pub(crate) solver: String,
    /// The outcome in words, as from [`status_words`].
    pub(crate) words: String,
    /// Error curves, drawn when there is one with more than one value.
    pub(crate) curves: Vec<ErrorCurve>,
    /// The error that counts as reached.
    pub(crate) tolerance: Option<f64>,
}

/// Size of the sheet's picture and of its plot, and the height of its head \[px\].
const SHEET_POSE: [f64; 2] = [720.0, 520.0];
const SHEET_PLOT: [f64; 2] = [672.0, 250.0];
const SHEET_HEAD: f64 = 72.0;

/// A stand-alone SVG file for light and dark backgrounds. The same sheet gives the same bytes.
pub(crate) fn solution_svg(sheet: &Sheet) -> String {
    let has_plot = sheet.curves.iter().any(|curve| curve.values.len() > 1);
    let height = SHEET_HEAD + SHEET_POSE[1] + if has_plot { SHEET_PLOT[1] + 48.0 } else { 24.0 };
    let size = [SHEET_POSE[0], height];
    let mut out = Markup::new();
    let tag = root(size, &format!("{}: {}", sheet.drawing.title, sheet.words));
    out.open(&tag.pair(["width", "height"], size));
    out.element(&Tag::new("title"), &sheet.drawing.title);
    out.open(&Tag::new("style"));
    out.raw(&svg_style());
    out.close_line();
    out.leaf(&Tag::new("rect").pair(["width", "height"], size).class("paper"));
    sheet_head(&mut out, sheet);
    let view = View::of(&[&sheet.drawing]);
    let moved = |x: f64, y: f64| {
        Tag::new("g").set("transform", &format!("translate({} {})", number(x), number(y)))
    };
    // The nested element clips the grid at the picture's edge.
    out.open(&moved(0.0, SHEET_HEAD));
    out.open(&Tag::new("svg").pair(["width", "height"], SHEET_POSE));
    draw_pose(&mut out, &sheet.drawing, &view, SHEET_POSE);
    out.close();
    out.close_line();
    let words = format!("grid {}", length_words(view.grid_step(), &sheet.drawing.unit));
    let at = [size[0] - 24.0, SHEET_HEAD + SHEET_POSE[1] - 12.0];
    out.element(&Tag::new("text").pair(["x", "y"], at).class("label-quiet end halo"), &words);
    if has_plot {
        out.open(&moved(24.0, SHEET_HEAD + SHEET_POSE[1] + 28.0));
        let what = Plot {
            title: "",
            curves: &sheet.curves,
            tolerance: sheet.tolerance,
            unit: &sheet.drawing.unit,
        };
        draw_plot(&mut out, &what, SHEET_PLOT);
        out.close_line();
    }
    out.finish() + "\n"
}

/// Drawings side by side with a caption under each, all in the same view, as a stand-alone SVG file.
#[cfg(test)]
pub(crate) fn strip_svg(title: &str, pictures: &[(PoseDrawing, String)]) -> String {
    const SIZE: [f64; 2] = [256.0, 200.0];
    let drawings: Vec<&PoseDrawing> = pictures.iter().map(|(drawing, _)| drawing).collect();
    let view = View::of(&drawings);
    let has_words = pictures.iter().any(|(_, words)| !words.is_empty());
    let count = u32::try_from(pictures.len()).unwrap_or(1);
    let size = [SIZE[0] * f64::from(count), SIZE[1] + if has_words { 32.0 } else { 0.0 }];
    let mut out = Markup::new();
    out.open(&root(size, title).pair(["width", "height"], size));
    out.element(&Tag::new("title"), title);
    out.open(&Tag::new("style"));
    out.raw(&svg_style());
    out.close_line();
    out.leaf(&Tag::new("rect").pair(["width", "height"], size).class("paper"));
    let mut left = 0.0;
    for (drawing, words) in pictures {
        out.open(&Tag::new("svg").num("x", left).pair(["width", "height"], SIZE));
        draw_pose(&mut out, drawing, &view, SIZE);
        out.close_line();
        let at = [left + SIZE[0] / 2.0, SIZE[1] + 16.0];
        out.element(&Tag::new("text").pair(["x", "y"], at).class("label middle"), words);
        left += SIZE[0];
    }
    out.finish() + "\n"
}

/// Title, and below it solver and outcome.
fn sheet_head(out: &mut Markup, sheet: &Sheet) {
    let text = |x: f64, y: f64| Tag::new("text").pair(["x", "y"], [x, y]);
    out.element(&text(24.0, 36.0).class("heading"), &sheet.drawing.title);
    let words = format!("{}: {}", sheet.solver, sheet.words);
    out.element(&text(24.0, 57.0).class("label-quiet"), &words);
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::{report, sheet};
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
        let mut sheet = sheet();
        sheet.drawing.title = name.to_owned();
        assert!(!solution_svg(&sheet).contains("<script"), "no markup in files either");
    }

    #[test]
    fn sheets_stand_alone() {
        let text = solution_svg(&sheet());
        assert!(text.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""), "an SVG file");
        assert!(!text.contains("var(--"), "viewers without variables see it too");
        assert_eq!(text, solution_svg(&sheet()), "same sheet, same bytes");
        assert_eq!(text.matches("<g").count(), text.matches("</g>").count(), "closed groups");
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
