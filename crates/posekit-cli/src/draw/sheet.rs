//! The stand-alone SVG of `posekit draw`.

use super::figure::draw_pose;
use super::look::svg_style;
use super::plot::{Plot, draw_plot};
use super::svg::{Markup, Tag, number, root};
use super::view::View;
use super::words::length_words;
use super::{ErrorCurve, PoseDrawing};

/// A solution as a stand-alone picture: pose and trace, and below them the error.
#[derive(Debug, Clone)]
pub(crate) struct Sheet {
    /// The pose before and after, ghosts and trail of the trace.
    pub(crate) drawing: PoseDrawing,
    /// Name of the solver as shown.
    pub(crate) solver: String,
    /// The outcome in words, as from [`status_words`](super::status_words).
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
    use super::super::fixtures::sheet;
    use super::*;

    #[test]
    fn sheets_stand_alone() {
        let text = solution_svg(&sheet());
        assert!(text.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""), "an SVG file");
        assert!(!text.contains("var(--"), "viewers without variables see it too");
        assert_eq!(text, solution_svg(&sheet()), "same sheet, same bytes");
        assert_eq!(text.matches("<g").count(), text.matches("</g>").count(), "closed groups");
    }

    #[test]
    fn names_are_text() {
        let mut sheet = sheet();
        sheet.drawing.title = "<script>alert(1)</script>".to_owned();
        assert!(!solution_svg(&sheet).contains("<script"), "no markup from names");
    }
}
