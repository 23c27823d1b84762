//! Error curves: the error's logarithm over the iterations.

use super::ErrorCurve;
use super::look::{Marker, SolverLook};
use super::svg::{Markup, Path, Tag, circle, line, root};
use super::words::superscript;

/// The content of a plot.
#[derive(Debug, Clone)]
pub(super) struct Plot<'a> {
    /// The text alternative of the plot.
    pub(super) title: &'a str,
    /// The curves, in the order of the legend.
    pub(super) curves: &'a [ErrorCurve],
    /// The error that counts as reached, drawn as a dashed line.
    pub(super) tolerance: Option<f64>,
    /// Unit of the errors, or empty.
    pub(super) unit: &'a str,
}

/// With more iterations than this the horizontal axis is logarithmic as well, so that quick solvers stay readable beside slow ones.
const LINEAR_UP_TO: usize = 40;
/// At most this many powers of ten are shown; smaller errors are drawn on the bottom line.
const MOST_DECADES: i32 = 21;
/// Distance of marks along a curve \[px\].
const MARK_SPACING: f64 = 13.0;
/// Width of a character of the labels \[px\], a little generous.
const CHARACTER: f64 = 6.9;
/// Height of a line of the legend \[px\].
const LEGEND_LINE: f64 = 22.0;
/// Iterations that may be labelled on a logarithmic axis.
const ROUND_ITERATIONS: [usize; 13] = [0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000, 20_000];

/// A plot as an `svg` element of this size \[px\]; empty text when there is nothing to show.
pub(super) fn plot(what: &Plot<'_>, size: [f64; 2]) -> String {
    if what.curves.iter().all(|curve| positive(curve).next().is_none()) {
        return String::new();
    }
    let mut out = Markup::new();
    out.open(&root(size, what.title));
    draw_plot(&mut out, what, size);
    out.close();
    out.finish()
}

/// Draws into an open `svg` or group, from (0, 0) to `size`.
pub(super) fn draw_plot(out: &mut Markup, what: &Plot<'_>, size: [f64; 2]) {
    let legend = legend_places(what.curves, size[0]);
    let top = legend.last().map_or(0.0, |place| place[1]) + 44.0;
    let axes = Axes::new(what, [58.0, top], [size[0] - 12.0, size[1] - 36.0]);
    draw_scales(out, what, &axes);
    draw_tolerance(out, what, &axes);
    let (mut escapes, mut points) = (Vec::new(), Vec::new());
    for curve in what.curves {
        out.open(&Tag::new("g").class(curve.look.class()));
        let drawn = draw_curve(out, curve, &axes);
        escapes.extend(curve.escaped_at.and_then(|i| drawn.get(i).copied().flatten()));
        points.extend(drawn.into_iter().flatten());
        out.close_line();
    }
    label_escapes(out, &escapes, &points, &axes);
    for (curve, &place) in what.curves.iter().zip(&legend) {
        out.open(&Tag::new("g").class(curve.look.class()));
        swatch_at(out, curve.look, place);
        out.element(
            &Tag::new("text").pair(["x", "y"], [place[0] + 36.0, place[1] + 4.0]).class("label"),
            &curve.solver,
        );
        out.close_line();
    }
}

/// A solver's dash and marker as an `svg` element of 28 x 12, for use before its name.
pub(super) fn swatch(look: SolverLook) -> String {
    let mut out = Markup::new();
    out.open(
        &Tag::new("svg")
            .set("viewBox", "0 0 28 12")
            .set("aria-hidden", "true")
            .class(&format!("swatch {}", look.class())),
    );
    swatch_at(&mut out, look, [0.0, 6.0]);
    out.close();
    out.finish()
}

fn swatch_at(out: &mut Markup, look: SolverLook, [x, y]: [f64; 2]) {
    out.leaf(&dashed(line([x, y], [x + 28.0, y]).class("curve"), look));
    draw_mark(out, look.marker(), [x + 14.0, y], 4.0);
}

/// The positions of the legend's entries, in rows that fit the width.
fn legend_places(curves: &[ErrorCurve], width: f64) -> Vec<[f64; 2]> {
    let (mut x, mut y) = (2.0, 10.0);
    let mut places = Vec::with_capacity(curves.len());
    for curve in curves {
        let letters = u32::try_from(curve.solver.chars().count()).unwrap_or(u32::MAX);
        let entry = 36.0 + CHARACTER * f64::from(letters);
        if x > 2.0 && x + entry > width {
            (x, y) = (2.0, y + LEGEND_LINE);
        }
        places.push([x, y]);
        x += entry + 20.0;
    }
    places
}

/// From iterations and errors to pixels.
struct Axes {
    low: [f64; 2],
    high: [f64; 2],
    /// Lowest and highest power of ten.
    decades: [i32; 2],
    iterations: usize,
    is_logarithmic: bool,
}

impl Axes {
    fn new(what: &Plot<'_>, low: [f64; 2], high: [f64; 2]) -> Self {
        // A little below the tolerance, so that its line does not coincide with the axis.
        let tolerance = what.tolerance.filter(|t| t.is_finite() && *t > 0.0).map(|t| 0.5 * t);
        let errors = what.curves.iter().flat_map(positive).chain(tolerance);
        let (mut least, mut most) = (f64::INFINITY, 0.0_f64);
        for error in errors {
            (least, most) = (least.min(error), most.max(error));
        }
        let (bottom, top) = (whole(log10(least).floor()), whole(log10(most).ceil()));
        let has_zero = what.curves.iter().any(|curve| curve.values.contains(&0.0));
        let bottom = if has_zero { bottom - 1 } else { bottom };
        let iterations = what.curves.iter().map(|curve| curve.values.len()).max().unwrap_or(0);
        let iterations = iterations.saturating_sub(1).max(1);
        Self {
            low,
            high,
            decades: [bottom.min(top - 1).max(top - MOST_DECADES), top],
            iterations,
            is_logarithmic: iterations > LINEAR_UP_TO,
        }
    }

    fn x(&self, iteration: usize) -> f64 {
        let along = |i: usize| {
            let i = f64::from(u32::try_from(i).unwrap_or(u32::MAX));
            if self.is_logarithmic { log10(1.0 + i) } else { i }
        };
        self.low[0] + (self.high[0] - self.low[0]) * along(iteration) / along(self.iterations)
    }

    /// The height of a power of ten.
    fn y(&self, power: f64) -> f64 {
        let [bottom, top] = self.decades.map(f64::from);
        let fraction = ((power - bottom) / (top - bottom)).clamp(0.0, 1.0);
        self.high[1] - (self.high[1] - self.low[1]) * fraction
    }

    /// Labels on the vertical axis are this many powers of ten apart: three where they read m, mm, µm.
    fn decade_step(&self) -> i32 {
        let count = self.decades[1] - self.decades[0];
        match count {
            ..=4 => 1,
            5..=15 => 3,
            _ => 6,
        }
    }

    /// Iterations to label.
    fn iteration_ticks(&self) -> Vec<usize> {
        if self.is_logarithmic {
            return ROUND_ITERATIONS.into_iter().filter(|i| *i <= self.iterations).collect();
        }
        let steps = [1, 2, 5, 10];
        let step = steps.into_iter().find(|s| self.iterations / s <= 10).unwrap_or(10);
        (0..=self.iterations).step_by(step).collect()
    }
}

fn positive(curve: &ErrorCurve) -> impl Iterator<Item = f64> + '_ {
    curve.values.iter().copied().filter(|v| v.is_finite() && *v > 0.0)
}

fn draw_scales(out: &mut Markup, what: &Plot<'_>, axes: &Axes) {
    let [bottom, top] = axes.decades;
    let mut grid = Path::new();
    for power in bottom..=top {
        let y = axes.y(f64::from(power));
        grid = grid.to([axes.low[0], y]).line([axes.high[0], y]);
    }
    out.leaf(&grid.tag().class("grid"));
    let step = axes.decade_step();
    for power in (bottom..=top).filter(|power| power.rem_euclid(step) == 0) {
        let at = [axes.low[0] - 8.0, axes.y(f64::from(power)) + 4.0];
        let tag = Tag::new("text").pair(["x", "y"], at).class("label-quiet end");
        out.element(&tag, &decade_label(power, what.unit));
    }
    let base = axes.high[1];
    out.leaf(&line([axes.low[0], base], [axes.high[0], base]).class("axis"));
    for iteration in axes.iteration_ticks() {
        let x = axes.x(iteration);
        out.leaf(&line([x, base], [x, base + 4.0]).class("axis"));
        let tag = Tag::new("text").pair(["x", "y"], [x, base + 17.0]).class("label-quiet middle");
        out.element(&tag, &iteration.to_string());
    }
    let unit = if what.unit.is_empty() { String::new() } else { format!(" ({})", what.unit) };
    let tag = Tag::new("text").pair(["x", "y"], [2.0, axes.low[1] - 14.0]).class("label-quiet");
    out.element(&tag, &format!("error{unit}"));
    let word = if axes.is_logarithmic { "iteration, logarithmic" } else { "iteration" };
    let at = [axes.high[0], base + 32.0];
    out.element(&Tag::new("text").pair(["x", "y"], at).class("label-quiet end"), word);
}

/// A power of ten for people: "1 mm" where there is a metric prefix, else "10⁻⁴".
fn decade_label(power: i32, unit: &str) -> String {
    match (unit, power) {
        ("m", 3) => "1 km".to_owned(),
        ("m", 0) => "1 m".to_owned(),
        ("m", -3) => "1 mm".to_owned(),
        ("m", -6) => "1 µm".to_owned(),
        ("m", -9) => "1 nm".to_owned(),
        ("m", -12) => "1 pm".to_owned(),
        (_, 0) => "1".to_owned(),
        _ => format!("10{}", superscript(&power.to_string())),
    }
}

fn draw_tolerance(out: &mut Markup, what: &Plot<'_>, axes: &Axes) {
    let Some(tolerance) = what.tolerance.filter(|t| t.is_finite() && *t > 0.0) else { return };
    let y = axes.y(log10(tolerance));
    out.leaf(&line([axes.low[0], y], [axes.high[0], y]).class("limit-line"));
    // Curves begin high on the left, so the line's left end is the free one.
    let at = [axes.low[0] + 4.0, y - 5.0];
    out.element(&Tag::new("text").pair(["x", "y"], at).class("label-quiet halo"), "tolerance");
}

/// Draws a curve and returns its points, `None` where it has a gap.
fn draw_curve(out: &mut Markup, curve: &ErrorCurve, axes: &Axes) -> Vec<Option<[f64; 2]>> {
    let mut path = Path::new();
    let mut is_drawing = false;
    let mut points: Vec<Option<[f64; 2]>> = Vec::with_capacity(curve.values.len());
    for (iteration, &error) in curve.values.iter().enumerate() {
        let point = (error.is_finite() && error >= 0.0).then(|| {
            let power = if error > 0.0 { log10(error) } else { f64::from(axes.decades[0]) };
            [axes.x(iteration), axes.y(power)]
        });
        if let Some(at) = point {
            path = if is_drawing { path.line(at) } else { path.to(at) };
        }
        is_drawing = point.is_some();
        points.push(point);
    }
    out.leaf(&dashed(path.tag().class("curve"), curve.look));
    let mut last = f64::NEG_INFINITY;
    for (iteration, point) in points.iter().enumerate() {
        let Some(at) = *point else { continue };
        if at[0] - last >= MARK_SPACING || iteration + 1 == points.len() {
            draw_mark(out, curve.look.marker(), at, 3.4);
            last = at[0];
        }
    }
    points
}

/// Rings the points at which solvers escaped from a lock-up, and labels each beside it, on the sides with more space, and once for rings that are close together.
///
/// - `points`: of all curves
fn label_escapes(out: &mut Markup, escapes: &[[f64; 2]], points: &[[f64; 2]], axes: &Axes) {
    /// Width and height of the label \[px\].
    const LABEL: [f64; 2] = [145.0, 14.0];
    /// What it hides below its base line \[px\].
    const HALO: f64 = 4.0;
    let mut labelled: Vec<[f64; 2]> = Vec::new();
    for &at in escapes {
        out.leaf(&circle(at, 7.5).class("escape"));
        let is_near = |other: &[f64; 2]| {
            (at[0] - other[0]).abs() < LABEL[0] && (at[1] - other[1]).abs() < LABEL[1]
        };
        if labelled.iter().any(is_near) {
            continue;
        }
        labelled.push(at);
        let is_left = at[0] + LABEL[0] > axes.high[0];
        let (aside, class) =
            if is_left { (-11.0, "label-quiet halo end") } else { (11.0, "label-quiet halo") };
        let x = at[0] + aside;
        let covered = |y: f64| {
            let is_under = |point: &&[f64; 2]| {
                let along = if is_left { x - point[0] } else { point[0] - x };
                (0.0..LABEL[0]).contains(&along) && (-HALO..LABEL[1]).contains(&(y - point[1]))
            };
            points.iter().filter(is_under).count()
        };
        let (above, below) = (at[1] - 7.0, at[1] + 18.0);
        let y = if covered(below) < covered(above) { below } else { above };
        let label = Tag::new("text").pair(["x", "y"], [x, y]);
        out.element(&label.class(class), "escape from the lock-up");
    }
}

fn dashed(tag: Tag, look: SolverLook) -> Tag {
    match look.dash() {
        Some(dash) => tag.set("stroke-dasharray", dash),
        None => tag,
    }
}

fn draw_mark(out: &mut Markup, marker: Marker, at: [f64; 2], size: f64) {
    let corners = |unit: &[[f64; 2]]| {
        let points: Vec<[f64; 2]> =
            unit.iter().map(|[x, y]| [at[0] + x * size, at[1] + y * size]).collect();
        Path::through(&points).shut().tag()
    };
    let tag = match marker {
        Marker::Circle => circle(at, 0.95 * size),
        Marker::Square => corners(&[[-0.86, -0.86], [0.86, -0.86], [0.86, 0.86], [-0.86, 0.86]]),
        Marker::Triangle => corners(&[[0.0, -1.15], [1.05, 0.75], [-1.05, 0.75]]),
        Marker::Diamond => corners(&[[0.0, -1.2], [1.1, 0.0], [0.0, 1.2], [-1.1, 0.0]]),
        Marker::Wedge => corners(&[[0.0, 1.15], [1.05, -0.75], [-1.05, -0.75]]),
        Marker::Plus => {
            let (a, b) = (0.38, 1.15);
            corners(&[
                [-a, -b],
                [a, -b],
                [a, -a],
                [b, -a],
                [b, a],
                [a, a],
                [a, b],
                [-a, b],
                [-a, a],
                [-b, a],
                [-b, -a],
                [-a, -a],
            ])
        }
        Marker::Hexagon => corners(&[
            [-1.05, 0.0],
            [-0.52, -0.92],
            [0.52, -0.92],
            [1.05, 0.0],
            [0.52, 0.92],
            [-0.52, 0.92],
        ]),
    };
    out.leaf(&tag.class("mark"));
}

/// A whole number of decades.
fn whole(value: f64) -> i32 {
    format!("{value:.0}").parse().unwrap_or(0)
}

/// The logarithm to base ten, to about 1e-9 for positive finite numbers and 0 for others: exact enough for a picture, and in plain
/// arithmetic, so that it is the same on every machine.
///
/// The exponent comes from the decimal text, the mantissa `m`, brought into `[0.316, 3.16]`, from `ln m = 2 atanh((m - 1) / (m + 1))`.
fn log10(value: f64) -> f64 {
    if !(value.is_finite() && value > 0.0) {
        return 0.0;
    }
    let text = format!("{value:e}");
    let Some((mantissa, exponent)) = text.split_once('e') else { return 0.0 };
    let (Ok(mut mantissa), Ok(mut power)) = (mantissa.parse::<f64>(), exponent.parse::<f64>())
    else {
        return 0.0;
    };
    if mantissa * mantissa > 10.0 {
        mantissa /= 10.0;
        power += 1.0;
    }
    let ratio = (mantissa - 1.0) / (mantissa + 1.0);
    let (square, mut term, mut sum, mut odd) = (ratio * ratio, ratio, 0.0, 1.0);
    while odd < 40.0 {
        sum += term / odd;
        term *= square;
        odd += 2.0;
    }
    power + 2.0 * sum / core::f64::consts::LN_10
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(values: Vec<f64>, escaped_at: Option<usize>) -> ErrorCurve {
        ErrorCurve { solver: "ccd".to_owned(), look: SolverLook::Ccd, values, escaped_at }
    }

    fn drawn(curves: &[ErrorCurve]) -> String {
        let what = Plot { title: "errors", curves, tolerance: Some(1e-6), unit: "m" };
        plot(&what, [720.0, 280.0])
    }

    #[test]
    fn logarithms_are_right() {
        let cases = [(1.0, 0.0), (10.0, 1.0), (1e-300, -300.0), (2.0, core::f64::consts::LOG10_2)];
        for (value, log) in cases {
            assert!((log10(value) - log).abs() < 1e-9, "{value}");
        }
        for step in 1..1000 {
            let value = f64::from(step) * 0.01;
            let product = log10(value) + log10(1.0 / value);
            assert!(product.abs() < 1e-9, "{value}");
        }
        assert!(log10(0.0) == 0.0 && log10(f64::NAN) == 0.0, "no number, no logarithm");
    }

    #[test]
    fn odd_errors_are_drawn_without_harm() {
        let many: Vec<f64> = (0..5000).map(|i| 1.0 / (1.0 + f64::from(i))).collect();
        for values in [
            vec![1.0],
            vec![0.5, 0.0],
            vec![1.0, f64::NAN, f64::INFINITY, 1e-3],
            vec![1e300, 1e-300],
            vec![3.0, 3.0, 3.0],
            many,
        ] {
            let text = drawn(&[curve(values, Some(1))]);
            assert!(text.contains("class=\"curve\""), "the curve is there");
            assert!(!text.contains("NaN") && !text.contains("inf"), "every number is finite");
        }
        assert!(drawn(&[curve(vec![0.0, f64::NAN], None)]).is_empty(), "nothing to show");
        assert!(drawn(&[]).is_empty(), "no curves");
    }

    #[test]
    fn lengths_of_long_axes_stay_labelled() {
        let text = drawn(&[curve(vec![1.0, 1e-3, 1e-9], Some(1))]);
        for label in
            ["1 m", "1 mm", "1 µm", "1 nm", "tolerance", "escape from the lock-up", "iteration"]
        {
            assert!(text.contains(&format!(">{label}<")), "{label}");
        }
    }

    #[test]
    fn the_label_of_an_escape_is_where_the_curve_is_not() {
        /// How far the label is below the ring \[px\].
        fn below(then: f64) -> f64 {
            let values = (0..40).map(|i| if (7..20).contains(&i) { then } else { 0.1 }).collect();
            let text = drawn(&[curve(values, Some(5))]);
            let number = |at: usize, key: &str| -> f64 {
                let from = &text[at..];
                let from = &from[from.find(key).unwrap() + key.len()..];
                from[..from.find('"').unwrap()].parse().unwrap()
            };
            let ring = text[..text.find("class=\"escape\"").unwrap()].rfind("<circle").unwrap();
            let label = text[..text.find(">escape from").unwrap()].rfind("<text").unwrap();
            number(label, " y=\"") - number(ring, " cy=\"")
        }
        assert!(below(0.2) > 0.0, "the curve rises");
        assert!(below(0.05) < 0.0, "the curve falls");
    }
}
