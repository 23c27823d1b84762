//! A picture of a map: three slices, each through the layer with the largest reach.

use super::reach_map::{Cell, ReachMap};
use crate::draw::svg::{Markup, Tag, circle, line, number, root};
use crate::draw::{share_style, significant, svg_style};

/// Size of the picture and its margins \[px\].
const WIDTH: f64 = 1024.0;
const MARGIN: f64 = 32.0;
const HEAD: f64 = 84.0;
const FOOT: f64 = 104.0;
/// Gap between two slices, with the labels of the axis \[px\].
const GAP: f64 = 56.0;
/// Number of classes of shares: steps are easier to read than a continuous scale.
const CLASSES: u32 = 10;
/// Width of a class in the legend \[px\].
const SWATCH: f64 = 32.0;

/// For each slice its horizontal and vertical axis, the axis across it, and the names of all.
const SLICES: [(usize, usize, usize); 3] = [(0, 1, 2), (0, 2, 1), (1, 2, 0)];
const NAMES: [&str; 3] = ["x", "y", "z"];

/// The picture as SVG.
pub(super) fn svg(map: &ReachMap) -> String {
    let about = &map.about;
    let side = (WIDTH - 2.0 * MARGIN - 3.0 * GAP) / 3.0 + GAP / 3.0;
    let scale = side / (2.0 * about.reach + about.voxel);
    let size = [WIDTH, HEAD + side + FOOT];
    let title = format!("Where {} can hold {}", about.robot, about.tip);
    let mut out = Markup::new();
    out.open(&root(size, &title));
    out.raw(&format!("<style>{}{}</style>\n", svg_style(), share_style(CLASSES)));
    out.leaf(&Tag::new("rect").pair(["width", "height"], size).class("paper"));
    text(&mut out, [MARGIN, 36.0], "heading", &title);
    text(&mut out, [MARGIN, 58.0], "label-quiet", &words(map));
    for (k, axes) in (0_u32..).zip(SLICES) {
        let left = MARGIN + 12.0 + f64::from(k) * (side + GAP);
        let slice = Slice { map, axes, scale, left, top: HEAD, side };
        slice.draw(&mut out);
    }
    legend(&mut out, size[1] - 40.0);
    out.finish()
}

fn words(map: &ReachMap) -> String {
    let about = &map.about;
    let reached: Vec<&Cell> = map.cells.iter().filter(|cell| cell.measured.reached > 0).collect();
    let volume = reached.len() as f64 * about.voxel * about.voxel * about.voxel;
    let volume = match volume < 0.1 {
        true => format!("{} litres", significant(volume * 1e3, 3)),
        false => format!("{} m³", significant(volume, 3)),
    };
    let share = reached.iter().map(|cell| map.share(cell)).sum::<f64>();
    let mean = share / (reached.len() as f64).max(1.0);
    format!(
        "{volume} reached, on average in {} % of {} orientations; voxels of {} mm. Each slice is the layer with the largest reach.",
        significant(mean * 100.0, 2),
        about.orientations,
        significant(about.voxel * 1e3, 3),
    )
}

/// One slice, from above or from the side.
struct Slice<'m> {
    map: &'m ReachMap,
    /// Across, up, and through.
    axes: (usize, usize, usize),
    /// \[px/m\]
    scale: f64,
    left: f64,
    top: f64,
    side: f64,
}

impl Slice<'_> {
    fn draw(&self, out: &mut Markup) {
        let (across, up, through) = self.axes;
        let layer = self.fullest_layer();
        let voxel = self.map.about.voxel;
        let at = (f64::from(layer) + 0.5) * voxel;
        let name = format!("{} = {} m", NAMES[through], significant(at, 3));
        text(out, [self.left, self.top - 6.0], "label", &name);
        self.grid(out);
        out.open(&Tag::new("g").set("shape-rendering", "crispEdges"));
        let mut cells: Vec<&Cell> =
            self.map.cells.iter().filter(|cell| cell.index[through] == layer).collect();
        cells.sort_by_key(|cell| (cell.index[up], cell.index[across]));
        let class = |cell: &Cell| class_of(self.map.share(cell));
        // Neighbours in a row with the same colour form one rectangle.
        let next = |a: &&Cell, b: &&Cell| {
            let are_beside = a.index[up] == b.index[up] && a.index[across] + 1 == b.index[across];
            are_beside && class(a) == class(b)
        };
        for run in cells.chunk_by(next) {
            let (Some(first), Some(last)) = (run.first(), run.last()) else { continue };
            let Some(class) = class(first) else { continue };
            let low = [f64::from(first.index[across]), f64::from(first.index[up])];
            let high = [f64::from(last.index[across]) + 1.0, low[1] + 1.0];
            let [x, bottom] = self.place(low.map(|i| i * voxel));
            let [right, y] = self.place(high.map(|i| i * voxel));
            let rect = Tag::new("rect").pair(["x", "y"], [x, y]);
            // Rectangles overlap a little: viewers that round would show lines between them.
            let rect = rect.pair(["width", "height"], [right - x + 0.4, bottom - y + 0.4]);
            out.leaf(&rect.class(&format!("share{class}")));
        }
        out.close_line();
        self.marks(out, at);
    }

    /// The index of the layer with the largest reach; of several, the one nearest to the base.
    fn fullest_layer(&self) -> i32 {
        let (_, _, through) = self.axes;
        let about = &self.map.about;
        let mut layers = std::collections::BTreeMap::new();
        for cell in &self.map.cells {
            *layers.entry(cell.index[through]).or_insert(0_u64) += u64::from(cell.measured.reached);
        }
        let off = |layer: i32| {
            let center = (f64::from(layer) + 0.5) * about.voxel;
            (center - about.center[through]).abs()
        };
        let better =
            |a: &(i32, u64), b: &(i32, u64)| a.1.cmp(&b.1).then(off(b.0).total_cmp(&off(a.0)));
        layers.into_iter().max_by(better).map_or(0, |(layer, _)| layer)
    }

    /// From metres across and up to pixels.
    fn place(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        let (across, up, _) = self.axes;
        let center = self.map.about.center;
        let half = 0.5 * self.side;
        [
            self.left + half + (x - center[across]) * self.scale,
            self.top + half - (y - center[up]) * self.scale,
        ]
    }

    /// Grid lines at round coordinates, with labels.
    fn grid(&self, out: &mut Markup) {
        let (across, up, _) = self.axes;
        let (center, reach) = (self.map.about.center, self.map.about.reach);
        let step = round_step(reach);
        let lines = |axis: usize| {
            let first = ((center[axis] - reach) / step).ceil();
            let count = ((center[axis] + reach) / step).floor() - first;
            (0..32).map(f64::from).take_while(move |k| *k <= count).map(move |k| (first + k) * step)
        };
        let bottom = self.top + self.side;
        for x in lines(across) {
            let [px, _] = self.place([x, center[up]]);
            out.leaf(&line([px, self.top], [px, bottom]).class("grid"));
            text(out, [px, bottom + 16.0], "label-quiet middle", &number(x));
        }
        for y in lines(up) {
            let [_, py] = self.place([center[across], y]);
            out.leaf(&line([self.left, py], [self.left + self.side, py]).class("grid"));
            text(out, [self.left - 6.0, py + 4.0], "label-quiet end", &number(y));
        }
        let name = format!("{} (m)", NAMES[across]);
        text(out, [self.left + 0.5 * self.side, bottom + 34.0], "label middle", &name);
        let up_name = format!("{} (m)", NAMES[up]);
        text(
            out,
            [self.left + self.side, self.top - 6.0],
            "label-quiet end",
            &format!("↑ {up_name}"),
        );
    }

    /// The length of the arm as a circle, and its first joint.
    fn marks(&self, out: &mut Markup, at: f64) {
        let (across, up, through) = self.axes;
        let about = &self.map.about;
        let off = at - about.center[through];
        let radius = (about.reach * about.reach - off * off).max(0.0).sqrt() * self.scale;
        let [x, y] = self.place([about.center[across], about.center[up]]);
        out.leaf(&circle([x, y], radius).class("limit-line"));
        let rect = Tag::new("rect").pair(["x", "y"], [x - 4.0, y - 4.0]);
        out.leaf(&rect.pair(["width", "height"], [8.0, 8.0]).class("root"));
    }
}

/// The class of a share; `None` for 0.
fn class_of(share: f64) -> Option<u32> {
    let above = |class: &u32| share * f64::from(CLASSES) > f64::from(*class);
    (0..CLASSES).rev().find(above)
}

/// A round distance between the lines of a grid: about five of them.
fn round_step(reach: f64) -> f64 {
    let mut step = 1e-6;
    // From 1 to 2 to 5 to 10 and on.
    for k in 0..60 {
        if reach / step <= 3.0 {
            break;
        }
        step *= [2.0, 2.5, 2.0][k % 3];
    }
    step
}

fn legend(out: &mut Markup, y: f64) {
    text(out, [MARGIN + 12.0, y + 11.0], "label", "Share of the orientations reached");
    let left = MARGIN + 232.0;
    for class in 0..CLASSES {
        let x = left + f64::from(class) * SWATCH;
        let rect = Tag::new("rect").pair(["x", "y"], [x, y]);
        out.leaf(&rect.pair(["width", "height"], [SWATCH, 14.0]).class(&format!("share{class}")));
    }
    for tenth in (0..=CLASSES).step_by(2) {
        let x = left + f64::from(tenth) * SWATCH;
        text(out, [x, y + 30.0], "label-quiet middle", &format!("{} %", tenth * 10));
    }
    let x = left + f64::from(CLASSES) * SWATCH + 56.0;
    let y = y + 7.0;
    let rect = Tag::new("rect").pair(["x", "y"], [x - 4.0, y - 4.0]);
    out.leaf(&rect.pair(["width", "height"], [8.0, 8.0]).class("root"));
    text(out, [x + 12.0, y + 4.0], "label", "first joint");
    out.leaf(&line([x + 104.0, y], [x + 132.0, y]).class("limit-line"));
    text(out, [x + 140.0, y + 4.0], "label", "length of the arm");
}

fn text(out: &mut Markup, [x, y]: [f64; 2], class: &str, content: &str) {
    out.element(&Tag::new("text").pair(["x", "y"], [x, y]).class(class), content);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_begin_above_their_bounds() {
        for (share, class) in
            [(0.0, None), (0.02, Some(0)), (0.1, Some(0)), (0.11, Some(1)), (1.0, Some(9))]
        {
            assert_eq!(class_of(share), class, "{share}");
        }
    }

    #[test]
    fn grids_have_a_few_round_lines() {
        for (reach, step) in [(0.9, 0.5), (1.3, 0.5), (30.0, 10.0), (0.05, 0.02), (2000.0, 1000.0)]
        {
            assert!((round_step(reach) / step - 1.0).abs() < 1e-12, "{reach}");
        }
    }
}
