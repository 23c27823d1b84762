//! The drawings of a report: heights and speeds of feet, how far plants slide, and the worst of them from above.

use std::ops::Range;

use super::record::{ClipRecord, PlantRecord};
use super::view::{ClipView, Foot, Worst};
use super::words::{NOTICED, digits, millimetres};
use crate::draw::svg::{Markup, Path, Tag, circle, line, root};

/// The size of a plot over time \[px\], and the margins for its labels.
const WIDTH: f64 = 1088.0;
const LEFT: f64 = 48.0;
const RIGHT: f64 = 8.0;
const HEIGHT_PLOT: f64 = 96.0;
const SPEED_PLOT: f64 = 120.0;
const GAP: f64 = 28.0;
const BAR: f64 = 10.0;

/// Spacing of the points of a curve \[px\]: if there are more frames, the lowest and highest of each column are drawn.
const COLUMNS: usize = 1032;

/// Marks of the speed axis \[m/s\], which shows the square root, so that a slow slide is visible beside a swing.
const SPEED_MARKS: [f64; 6] = [0.0, 0.1, 0.5, 1.0, 2.0, 4.0];

/// Edges of the columns of the histogram \[mm\].
const EDGES: [f64; 11] = [0.0, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 21.0, 50.0, 100.0];

/// Heights and speeds of one leg's foot over time, with its plants as bars.
pub(super) fn leg_plot(view: &ClipView, leg: usize) -> String {
    let feet: Vec<&Foot> = view.feet.iter().filter(|foot| foot.leg == leg).collect();
    let parts: Vec<&str> = feet.iter().map(|foot| foot.part).collect();
    let side = view.record.leg_word(leg);
    let bars = (BAR + 4.0) * feet.len() as f64;
    let height = 20.0 + HEIGHT_PLOT + GAP + SPEED_PLOT + 12.0 + bars + 46.0;
    let title = format!("Height and speed of the {side} foot over time, with its plants");
    let mut out = Markup::new();
    out.open(&root([WIDTH, height], &title));
    let x = TimeAxis::new(&view.times);
    let top = 20.0;
    let high =
        feet.iter().flat_map(|foot| foot.height.iter().flatten()).copied().fold(100.0, f64::max);
    let low =
        feet.iter().flat_map(|foot| foot.height.iter().flatten()).copied().fold(0.0, f64::min);
    let y = move |value: f64| top + HEIGHT_PLOT * (1.0 - (value - low) / (high - low));
    text(&mut out, [0.0, 10.0], "label-quiet", "height (mm)");
    for mark in marks(low, high) {
        scale_line(&mut out, y(mark), &digits(mark, 0));
    }
    shade_plants(&mut out, view, leg, &x, top..top + HEIGHT_PLOT);
    curves(&mut out, &feet, &x, |foot| &foot.height, y);
    let top = top + HEIGHT_PLOT + GAP;
    let fastest = most_of(feet.iter().flat_map(|foot| foot.speed.iter().flatten()).copied());
    let y = move |value: f64| top + SPEED_PLOT * (1.0 - (value.max(0.0) / fastest).min(1.0).sqrt());
    text(&mut out, [0.0, top - 10.0], "label-quiet", "speed along the floor (m/s)");
    for mark in SPEED_MARKS.into_iter().filter(|&mark| mark <= fastest) {
        scale_line(&mut out, y(mark), &digits(mark, 1));
    }
    shade_plants(&mut out, view, leg, &x, top..top + SPEED_PLOT);
    curves(&mut out, &feet, &x, |foot| &foot.speed, y);
    let mut row = top + SPEED_PLOT + 12.0;
    for part in parts {
        text(&mut out, [0.0, row + 9.0], "label-quiet", part);
        for plant in of_foot(&view.record, leg, part) {
            let width = (x.at(plant.to) - x.at(plant.from)).max(2.0);
            let tag = Tag::new("rect")
                .pair(["x", "y"], [x.at(plant.from), row])
                .pair(["width", "height"], [width, BAR])
                .num("rx", 2.0)
                .class(&format!("bar {}", plant.verdict));
            out.open(&tag);
            out.element(&Tag::new("title"), &plant_words(plant));
            out.close_line();
        }
        row += BAR + 4.0;
    }
    x.draw(&mut out, row + 4.0);
    out.finish()
}

/// A bound on nearly all speeds, with a margin, at least 1: a single jump must not flatten all else.
fn most_of(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    let index = values.len().saturating_sub(1 + values.len() / 100);
    values.get(index).map_or(1.0, |value| (value * 1.1).max(1.0))
}

/// A plant as text.
pub(super) fn plant_words(plant: &PlantRecord) -> String {
    let mm = |value: Option<f64>| value.map_or("–".to_owned(), millimetres);
    let slide = match plant.drift_after {
        Some(after) => {
            format!("{} mm before, {} mm after", mm(plant.drift_before), millimetres(after))
        }
        None => format!("{} mm", mm(plant.drift_before)),
    };
    let why = if plant.reason.is_empty() { String::new() } else { format!(" ({})", plant.reason) };
    let from_to = format!("{} to {} s", digits(plant.from, 2), digits(plant.to, 2));
    format!("{}, {from_to}: {}{why}, slides {slide}", plant.part, plant.verdict)
}

fn of_foot<'a>(
    record: &'a ClipRecord,
    leg: usize,
    part: &'a str,
) -> impl Iterator<Item = &'a PlantRecord> {
    record.plants.iter().filter(move |plant| plant.leg == leg && plant.part == part)
}

/// The times of plants as light columns behind the curves.
fn shade_plants(out: &mut Markup, view: &ClipView, leg: usize, x: &TimeAxis, rows: Range<f64>) {
    for plant in view.record.plants.iter().filter(|plant| plant.leg == leg) {
        let width = (x.at(plant.to) - x.at(plant.from)).max(1.0);
        let tag = Tag::new("rect")
            .pair(["x", "y"], [x.at(plant.from), rows.start])
            .pair(["width", "height"], [width, rows.end - rows.start])
            .class("planted");
        out.leaf(&tag);
    }
}

/// One curve for each part of the foot and each side; those before are drawn below.
fn curves(
    out: &mut Markup,
    feet: &[&Foot],
    x: &TimeAxis,
    of: impl Fn(&Foot) -> &Vec<Vec<f64>>,
    y: impl Fn(f64) -> f64,
) {
    let sides = feet.iter().map(|foot| of(foot).len()).max().unwrap_or(0);
    for side in 0..sides {
        for (index, foot) in feet.iter().enumerate() {
            let Some(values) = of(foot).get(side) else { continue };
            let points: Vec<[f64; 2]> =
                thinned(values).map(|(frame, value)| [x.of_frame(frame), y(value)]).collect();
            let is_after = side + 1 == sides && sides > 1 || sides == 1;
            let class = if is_after { "line now" } else { "line was" };
            // The heel's line is dashed, so that the parts are distinguishable without colour.
            let tag = Path::through(&points).tag().class(class);
            let is_dashed = feet.len() > 1 && index == 0;
            out.leaf(&if is_dashed { tag.set("stroke-dasharray", "4 2.5") } else { tag });
        }
    }
}

/// Frames and values of a curve, at most two for each column of pixels.
fn thinned(values: &[f64]) -> impl Iterator<Item = (usize, f64)> + '_ {
    let bucket = values.len().div_ceil(COLUMNS).max(1);
    let is_dense = bucket > 1;
    values.chunks(bucket).enumerate().flat_map(move |(column, chunk)| {
        let at = |index: usize| (column * bucket + index, chunk[index]);
        let by_value = |a: &usize, b: &usize| chunk[*a].total_cmp(&chunk[*b]);
        let low = (0..chunk.len()).min_by(by_value).unwrap_or(0);
        let high = (0..chunk.len()).max_by(by_value).unwrap_or(0);
        let second = (is_dense && low != high).then(|| at(low.max(high)));
        [Some(at(low.min(high))), second].into_iter().flatten()
    })
}

/// From seconds to pixels.
struct TimeAxis {
    from: f64,
    step: f64,
    seconds: f64,
}

impl TimeAxis {
    fn new(times: &[f64]) -> Self {
        let from = times.first().copied().unwrap_or(0.0);
        let to = times.last().copied().unwrap_or(1.0);
        let step = if times.len() > 1 { (to - from) / (times.len() - 1) as f64 } else { 0.0 };
        Self { from, step, seconds: (to - from).max(1e-6) }
    }

    fn at(&self, time: f64) -> f64 {
        LEFT + (WIDTH - LEFT - RIGHT) * (time - self.from) / self.seconds
    }

    fn of_frame(&self, frame: usize) -> f64 {
        self.at(self.from + self.step * frame as f64)
    }

    fn draw(&self, out: &mut Markup, y: f64) {
        let step = round_step(self.seconds / 10.0);
        let mut mark = (self.from / step).ceil() * step;
        while mark <= self.from + self.seconds * 1.000_001 {
            let x = self.at(mark);
            out.leaf(&line([x, y - 4.0], [x, y]).class("axis"));
            text(out, [x, y + 14.0], "label-quiet middle", &digits(mark, 2));
            mark += step;
        }
        // On a line of its own, because the first mark is at the left end.
        text(out, [0.5 * (LEFT + WIDTH - RIGHT), y + 32.0], "label-quiet middle", "time (s)");
    }
}

/// The least of 1, 2 or 5 times a power of ten that is not below a value.
fn round_step(value: f64) -> f64 {
    let mut step = 1e-3;
    for factor in [2.0, 2.5, 2.0].into_iter().cycle().take(24) {
        if step >= value {
            break;
        }
        step *= factor;
    }
    step
}

/// A few round marks between two values.
fn marks(low: f64, high: f64) -> Vec<f64> {
    let step = round_step((high - low) / 3.5);
    let first = (low / step).ceil();
    (0..8).map(|k| (first + f64::from(k)) * step).take_while(|&mark| mark <= high).collect()
}

fn scale_line(out: &mut Markup, y: f64, label: &str) {
    out.leaf(&line([LEFT, y], [WIDTH - RIGHT, y]).class("grid"));
    text(out, [LEFT - 6.0, y + 4.0], "label-quiet end", label);
}

fn text(out: &mut Markup, at: [f64; 2], class: &str, words: &str) {
    out.element(&Tag::new("text").pair(["x", "y"], at).class(class), words);
}

/// A histogram of the slides of plants; `None` without plants.
pub(super) fn histogram(plants: &[&PlantRecord]) -> Option<String> {
    const SIZE: [f64; 2] = [536.0, 232.0];
    const BASE: f64 = 184.0;
    if plants.is_empty() {
        return None;
    }
    let column = |value: f64| EDGES.iter().rposition(|&edge| value >= edge).unwrap_or(0);
    let mut counts = [[0_u32; 2]; EDGES.len()];
    let mut has_after = false;
    for plant in plants {
        if let Some(before) = plant.drift_before {
            counts[column(before)][0] += 1;
        }
        if let Some(after) = plant.drift_after {
            counts[column(after)][1] += 1;
            has_after = true;
        }
    }
    let most = counts.iter().flatten().copied().max().unwrap_or(1).max(1);
    let width = (SIZE[0] - 32.0) / EDGES.len() as f64;
    // Below the label of the mark.
    let high = |count: u32| 120.0 * f64::from(count) / f64::from(most);
    let mut out = Markup::new();
    out.open(&root(SIZE, "How many plants slide how far"));
    text(&mut out, [0.0, 12.0], "label-quiet", "plants");
    for (index, pair) in counts.iter().enumerate() {
        let left = 24.0 + width * index as f64;
        let sides = if has_after { 2 } else { 1 };
        for (side, &count) in pair.iter().take(sides).enumerate().filter(|(_, count)| **count > 0) {
            let share = (width - 8.0) / sides as f64;
            let at = [left + 4.0 + share * side as f64, BASE - high(count)];
            let class = if has_after && side == 0 { "column was" } else { "column now" };
            let tag = Tag::new("rect")
                .pair(["x", "y"], at)
                .pair(["width", "height"], [share - 1.0, high(count)]);
            out.leaf(&tag.class(class));
            text(
                &mut out,
                [at[0] + share / 2.0, at[1] - 4.0],
                "label-quiet middle",
                &count.to_string(),
            );
        }
        text(&mut out, [left, BASE + 18.0], "label-quiet middle", &digits(EDGES[index], 1));
    }
    text(&mut out, [24.0 + width * EDGES.len() as f64, BASE + 18.0], "label-quiet middle", "∞");
    out.leaf(&line([24.0, BASE], [SIZE[0] - 8.0, BASE]).class("axis"));
    let noticed = 24.0 + width * column(NOTICED) as f64;
    out.leaf(&line([noticed, 36.0], [noticed, BASE]).class("limit-line"));
    text(&mut out, [noticed + 6.0, 34.0], "label-quiet", "visible");
    text(
        &mut out,
        [24.0 + width * EDGES.len() as f64 / 2.0, BASE + 38.0],
        "label-quiet middle",
        "slide of a plant (mm)",
    );
    Some(out.finish())
}

/// The path of the worst plant's foot along the floor, from above.
pub(super) fn worst_plot(worst: &Worst) -> String {
    const SIZE: [f64; 2] = [536.0, 232.0];
    let all = || worst.trails.iter().flatten();
    let middle = |axis: usize| {
        let (low, high) = all().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), point| {
            (low.min(point[axis]), high.max(point[axis]))
        });
        (0.5 * (low + high), high - low)
    };
    let ([cx, w], [cy, h]) = (<[f64; 2]>::from(middle(0)), <[f64; 2]>::from(middle(1)));
    // The longer extent is horizontal.
    let is_turned = h > w;
    let (w, h) = if is_turned { (h, w) } else { (w, h) };
    let scale = (440.0 / w.max(10.0)).min(136.0 / h.max(10.0));
    let at = |point: &[f64; 2]| {
        let (x, y) = (point[0] - cx, point[1] - cy);
        let (x, y) = if is_turned { (y, -x) } else { (x, y) };
        [SIZE[0] / 2.0 + x * scale, 100.0 - y * scale]
    };
    let mut out = Markup::new();
    out.open(&root(SIZE, "The path of the foot that slid the most, from above"));
    let n = worst.trails.len();
    for (side, trail) in worst.trails.iter().enumerate() {
        let is_now = side + 1 == n;
        let points: Vec<[f64; 2]> = trail.iter().map(at).collect();
        out.leaf(&Path::through(&points).tag().class(if is_now { "path now" } else { "path was" }));
        let stride = points.len().div_ceil(48).max(1);
        for &point in points.iter().step_by(stride) {
            out.leaf(&circle(point, if is_now { 2.5 } else { 2.0 }).class(if is_now {
                "dot now"
            } else {
                "dot was"
            }));
        }
        if let (Some(&first), false) = (points.first(), is_now && n > 1) {
            // Text is larger on a phone: near an end it extends inwards.
            let class = match first[0] / SIZE[0] {
                share if share > 0.7 => "label-quiet end halo",
                share if share < 0.3 => "label-quiet halo",
                _ => "label-quiet middle halo",
            };
            text(&mut out, [first[0], first[1] - 10.0], class, "touches down");
        }
    }
    let unit = round_step(w.max(10.0) / 5.0);
    let [left, right] = [24.0, 24.0 + unit * scale];
    out.leaf(
        &Path::new()
            .to([left, 206.0])
            .line([left, 212.0])
            .line([right, 212.0])
            .line([right, 206.0])
            .tag()
            .class("ground-line"),
    );
    text(&mut out, [right + 8.0, 214.0], "label-quiet", &format!("{} mm", digits(unit, 2)));
    out.finish()
}
