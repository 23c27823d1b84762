//! The view of a pose, and its fit into a picture.

use posekit::glam::{DQuat, DVec3};

use super::{Figure, PoseDrawing, Rod, Space};

/// Elevation of the camera \[degrees\]: high enough to show the floor, low enough to show a figure upright.
const ELEVATION_DEG: f64 = 22.0;
/// The default azimuth of the camera \[degrees from the first floor axis\].
const AZIMUTH_DEG: f64 = -55.0;
/// Number of azimuths tried.
const AZIMUTHS: u32 = 24;
/// Another azimuth is used only if it spreads the figure by this factor more than the default.
const USUAL_SIDE_BONUS: f64 = 1.12;
/// Approximate number of grid cells across the larger side of a picture.
const GRID_CELLS: f64 = 7.0;
/// The floor reaches at least this fraction of the figure's size in each direction, so that it looks like a floor.
const LEAST_FLOOR: f64 = 0.42;
/// The largest number of grid lines in one direction, whatever the data.
const MOST_LINES: f64 = 120.0;

/// An orthographic camera.
#[derive(Debug, Clone, Copy)]
pub(super) struct Camera {
    right: DVec3,
    up: DVec3,
    /// From the figure to the viewer.
    toward: DVec3,
}

impl Camera {
    const PLANE: Self = Self { right: DVec3::X, up: DVec3::Y, toward: DVec3::Z };

    /// A camera over the floor spanned by `floor`, `azimuth` degrees from its first axis.
    fn around(floor: &Axes, azimuth_deg: f64) -> Self {
        let sideways = turned(floor.first, floor.up, azimuth_deg.to_radians());
        let right = floor.up.cross(sideways);
        // Raising the eye rotates `sideways` towards `up`, which is a negative rotation about `right`.
        let toward = turned(sideways, right, -ELEVATION_DEG.to_radians());
        Self { right, up: toward.cross(right), toward }
    }

    fn flat(&self, point: DVec3) -> [f64; 2] {
        [point.dot(self.right), point.dot(self.up)]
    }

    /// Larger is nearer to the viewer.
    pub(super) fn depth(&self, point: DVec3) -> f64 {
        point.dot(self.toward)
    }
}

/// Two axes of the floor and the direction up: a right-handed, unit basis.
#[derive(Debug, Clone, Copy)]
struct Axes {
    first: DVec3,
    second: DVec3,
    up: DVec3,
}

impl Axes {
    fn new(up: DVec3) -> Self {
        let up = up.try_normalize().unwrap_or(DVec3::Z);
        let seed = if up.x.abs() < 0.9 { DVec3::X } else { DVec3::Y };
        let first = (seed - up * seed.dot(up)).try_normalize().unwrap_or(DVec3::Y);
        Self { first, second: up.cross(first), up }
    }
}

/// The floor under a figure in space.
#[derive(Debug, Clone, Copy)]
struct Floor {
    axes: Axes,
    level: f64,
    low: [f64; 2],
    high: [f64; 2],
}

impl Floor {
    fn at(&self, a: f64, b: f64) -> DVec3 {
        self.axes.first * a + self.axes.second * b + self.axes.up * self.level
    }
}

/// A view of one or several drawings, so that pictures side by side share direction, scale and grid.
#[derive(Debug, Clone)]
pub(crate) struct View {
    camera: Camera,
    floor: Option<Floor>,
    low: [f64; 2],
    high: [f64; 2],
    /// Distance of grid lines, in the drawings' unit.
    step: f64,
}

impl View {
    /// A view of all these drawings together. The first one determines whether they are in the plane.
    pub(crate) fn of(drawings: &[&PoseDrawing]) -> Self {
        let points: Vec<DVec3> =
            drawings.iter().flat_map(|d| points_of(d)).filter(|p| p.is_finite()).collect();
        match drawings.first().map(|d| d.space) {
            Some(Space::Up(up)) => {
                let azimuth = drawings.iter().find_map(|drawing| drawing.azimuth_deg);
                Self::in_space(&points, Axes::new(up), azimuth)
            }
            Some(Space::Plane) | None => Self::framed(Camera::PLANE, None, &points, None),
        }
    }

    /// Distance of grid lines, in the drawings' unit.
    pub(crate) const fn grid_step(&self) -> f64 {
        self.step
    }

    /// Height over width of the view; between a quarter and four.
    pub(super) fn aspect(&self) -> f64 {
        let ratio = (self.high[1] - self.low[1]) / (self.high[0] - self.low[0]);
        // Unequal to itself only if both extents are zero or infinite.
        if ratio.is_nan() { 1.0 } else { ratio.clamp(0.25, 4.0) }
    }

    fn in_space(points: &[DVec3], axes: Axes, azimuth_deg: Option<f64>) -> Self {
        let (low, high) = bounds(points.iter().map(|&p| [p.dot(axes.first), p.dot(axes.second)]));
        let (bottom, top) = bounds(points.iter().map(|&p| [p.dot(axes.up), 0.0]));
        let size = (high[0] - low[0]).max(high[1] - low[1]).max(top[0] - bottom[0]);
        let step = grid_step(size);
        let mut floor = Floor { axes, level: bottom[0], low, high };
        for i in 0..2 {
            let missing = (LEAST_FLOOR * size - (high[i] - low[i])).max(0.0) / 2.0;
            floor.low[i] = ((low[i] - missing) / step - 0.25).floor() * step;
            floor.high[i] = ((high[i] + missing) / step + 0.25).ceil() * step;
        }
        let camera = match azimuth_deg {
            Some(azimuth) => Camera::around(&axes, azimuth),
            None => best_camera(points, &axes),
        };
        Self::framed(camera, Some(floor), points, Some(step))
    }

    fn framed(camera: Camera, floor: Option<Floor>, points: &[DVec3], step: Option<f64>) -> Self {
        let corners = floor.map_or_else(Vec::new, |f| {
            let (a, b) = (f.low, f.high);
            vec![f.at(a[0], a[1]), f.at(b[0], a[1]), f.at(b[0], b[1]), f.at(a[0], b[1])]
        });
        let (low, high) = bounds(points.iter().chain(&corners).map(|&p| camera.flat(p)));
        let step = step.unwrap_or_else(|| grid_step((high[0] - low[0]).max(high[1] - low[1])));
        Self { camera, floor, low, high, step }
    }

    /// The view fitted into a picture of this size with this margin \[px\].
    pub(super) fn fit(&self, size: [f64; 2], margin: f64) -> Screen<'_> {
        let extent = [self.high[0] - self.low[0], self.high[1] - self.low[1]];
        let room = [size[0] - 2.0 * margin, size[1] - 2.0 * margin];
        let scale = (room[0] / extent[0]).min(room[1] / extent[1]);
        let scale = if scale.is_finite() && scale > 0.0 { scale } else { 1.0 };
        let middle =
            [f64::midpoint(self.low[0], self.high[0]), f64::midpoint(self.low[1], self.high[1])];
        Screen { view: self, scale, size, middle }
    }
}

/// A view fitted to a size: from coordinates to pixels.
#[derive(Debug)]
pub(super) struct Screen<'a> {
    view: &'a View,
    /// Pixels for one unit of length.
    pub(super) scale: f64,
    size: [f64; 2],
    middle: [f64; 2],
}

impl Screen<'_> {
    /// The pixel of a point; y grows downwards.
    pub(super) fn at(&self, point: DVec3) -> [f64; 2] {
        let flat = self.view.camera.flat(point);
        [
            self.size[0] / 2.0 + (flat[0] - self.middle[0]) * self.scale,
            self.size[1] / 2.0 - (flat[1] - self.middle[1]) * self.scale,
        ]
    }

    /// Larger is nearer to the viewer.
    pub(super) fn depth(&self, point: DVec3) -> f64 {
        self.view.camera.depth(point)
    }

    /// True when there is a floor, with shadows on it.
    pub(super) const fn has_floor(&self) -> bool {
        self.view.floor.is_some()
    }

    /// The pixel of a point's shadow on the floor; `None` in the plane.
    pub(super) fn shadow(&self, point: DVec3) -> Option<[f64; 2]> {
        let floor = self.view.floor?;
        let up = floor.axes.up;
        Some(self.at(point + up * (floor.level - point.dot(up))))
    }

    /// Both ends of each grid line \[px\].
    pub(super) fn grid(&self) -> Vec<[[f64; 2]; 2]> {
        match self.view.floor {
            Some(floor) => self.floor_grid(&floor),
            None => self.plane_grid(),
        }
    }

    fn floor_grid(&self, floor: &Floor) -> Vec<[[f64; 2]; 2]> {
        let (low, high) = (floor.low, floor.high);
        let mut lines = Vec::new();
        for a in ruled(low[0], high[0], self.view.step) {
            lines.push([self.at(floor.at(a, low[1])), self.at(floor.at(a, high[1]))]);
        }
        for b in ruled(low[1], high[1], self.view.step) {
            lines.push([self.at(floor.at(low[0], b)), self.at(floor.at(high[0], b))]);
        }
        lines
    }

    /// Lines over the whole picture, at the multiples of the step.
    fn plane_grid(&self) -> Vec<[[f64; 2]; 2]> {
        let mut lines = Vec::new();
        let [width, height] = self.size;
        let half = [width / 2.0 / self.scale, height / 2.0 / self.scale];
        for x in ruled(self.middle[0] - half[0], self.middle[0] + half[0], self.view.step) {
            let column = width / 2.0 + (x - self.middle[0]) * self.scale;
            lines.push([[column, 0.0], [column, height]]);
        }
        for y in ruled(self.middle[1] - half[1], self.middle[1] + half[1], self.view.step) {
            let row = height / 2.0 - (y - self.middle[1]) * self.scale;
            lines.push([[0.0, row], [width, row]]);
        }
        lines
    }
}

/// `vector` rotated about a unit axis by an angle \[rad\].
pub(super) fn turned(vector: DVec3, axis_unit: DVec3, angle: f64) -> DVec3 {
    DQuat::from_axis_angle(axis_unit, angle) * vector
}

/// Every point that must be in the picture.
fn points_of(drawing: &PoseDrawing) -> Vec<DVec3> {
    let of_figure = |figure: &Figure| {
        let mut points: Vec<DVec3> = figure.bones.iter().flatten().copied().collect();
        points.extend(figure.root);
        points.extend(figure.tips.iter().chain(figure.plates.iter().flatten()));
        points
    };
    let mut points: Vec<DVec3> =
        [&drawing.start, &drawing.result].into_iter().flatten().flat_map(of_figure).collect();
    points.extend(drawing.ghosts.iter().flatten().flatten());
    points.extend(&drawing.trail);
    points.extend(drawing.targets.iter().map(|target| target.at));
    points.extend(drawing.rods.iter().flat_map(|rod| rod.ends));
    points.extend(drawing.plates.iter().flatten());
    points.extend(drawing.pole.map(|pole| pole.at));
    let outer: Vec<DVec3> =
        drawing.obstacles.iter().chain(&drawing.hulls).flat_map(extremes).collect();
    let finite = || points.iter().copied().filter(|point| point.is_finite());
    let low = finite().fold(DVec3::INFINITY, DVec3::min);
    let high = finite().fold(DVec3::NEG_INFINITY, DVec3::max);
    if low.is_finite() && high.is_finite() {
        // A floor that is a ball of a kilometre need not be visible as a whole.
        let room = DVec3::splat((high - low).max_element());
        let outer = outer.into_iter().filter(|point| point.is_finite());
        points.extend(outer.map(|point| point.clamp(low - room, high + room)));
    }
    points
}

/// The outermost points of a rod along the axes.
fn extremes(rod: &Rod) -> impl Iterator<Item = DVec3> + '_ {
    let steps = DVec3::AXES.into_iter().flat_map(|axis| [axis, -axis]);
    steps.flat_map(|step| rod.ends.map(|end| end + step * rod.radius))
}

/// The camera that spreads the points most over the picture; the default unless another is clearly better.
fn best_camera(points: &[DVec3], axes: &Axes) -> Camera {
    let mut best = Camera::around(axes, AZIMUTH_DEG);
    let mut best_spread = spread(points, &best) * USUAL_SIDE_BONUS;
    for turn in 1..AZIMUTHS {
        let azimuth = AZIMUTH_DEG + 360.0 * f64::from(turn) / f64::from(AZIMUTHS);
        let camera = Camera::around(axes, azimuth);
        let found = spread(points, &camera);
        if found > best_spread {
            (best, best_spread) = (camera, found);
        }
    }
    best
}

/// Area over which the points are spread as seen by a camera: the determinant of their scatter, plus a little of its trace so that points
/// on one line are still seen from the side.
fn spread(points: &[DVec3], camera: &Camera) -> f64 {
    let (low, high) = bounds(points.iter().map(|&p| camera.flat(p)));
    let middle = [f64::midpoint(low[0], high[0]), f64::midpoint(low[1], high[1])];
    let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
    for &point in points {
        let flat = camera.flat(point);
        let (x, y) = (flat[0] - middle[0], flat[1] - middle[1]);
        xx += x * x;
        xy += x * y;
        yy += y * y;
    }
    let trace = xx + yy;
    if trace > 0.0 { (xx * yy - xy * xy) / trace + 0.15 * trace } else { 0.0 }
}

/// Least and greatest values of a set of pairs; a unit square about the origin for an empty or unusable one, and about the point
/// where all pairs are the same.
fn bounds(pairs: impl Iterator<Item = [f64; 2]>) -> ([f64; 2], [f64; 2]) {
    let mut low = [f64::INFINITY; 2];
    let mut high = [f64::NEG_INFINITY; 2];
    for pair in pairs {
        for i in 0..2 {
            low[i] = low[i].min(pair[i]);
            high[i] = high[i].max(pair[i]);
        }
    }
    let usable = |i: usize| (high[i] - low[i]).is_finite() && low[i] <= high[i];
    if !usable(0) || !usable(1) {
        return ([-0.5; 2], [0.5; 2]);
    }
    if high[0] - low[0] <= 0.0 && high[1] - low[1] <= 0.0 {
        return (low.map(|v| v - 0.5), high.map(|v| v + 0.5));
    }
    (low, high)
}

/// The largest of 1, 2 and 5 times a power of ten that leaves about [`GRID_CELLS`] cells across `size`.
fn grid_step(size: f64) -> f64 {
    let wanted = size / GRID_CELLS;
    let text = format!("{wanted:e}");
    let decade = text.split_once('e').and_then(|(_, e)| format!("1e{e}").parse::<f64>().ok());
    match decade {
        Some(decade) if decade > 0.0 && decade.is_finite() => {
            let found = [5.0, 2.0].into_iter().find(|m| m * decade <= wanted * 1.000_001);
            found.unwrap_or(1.0) * decade
        }
        _ => 1.0,
    }
}

/// The multiples of `step` from `low` to `high`, none if there would be too many.
fn ruled(low: f64, high: f64, step: f64) -> Vec<f64> {
    // A multiple at the very edge belongs to the grid even if rounding moved it just outside.
    let first = (low / step - 1e-6).ceil();
    let last = (high / step + 1e-6).floor();
    if !(0.0..=MOST_LINES).contains(&(last - first)) {
        return Vec::new();
    }
    let mut lines = Vec::new();
    let mut count = first;
    while count <= last && lines.len() <= 128 {
        lines.push(count * step);
        count += 1.0;
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grid_steps_are_round() {
        for (size, step) in [(7.0, 1.0), (1.0, 0.1), (20.0, 2.0), (36.0, 5.0), (7e-6, 1e-6)] {
            assert!((grid_step(size) / step - 1.0).abs() < 1e-12, "{size}");
        }
        assert!((grid_step(0.0) - 1.0).abs() < 1e-12, "no size");
        assert!((grid_step(f64::NAN) - 1.0).abs() < 1e-12, "no number");
    }

    #[test]
    fn cameras_are_right_handed_and_look_down_a_little() {
        for up in [DVec3::Z, DVec3::Y, DVec3::X, DVec3::ZERO] {
            let axes = Axes::new(up);
            let camera = Camera::around(&axes, 30.0);
            assert!((camera.right.cross(camera.up) - camera.toward).length() < 1e-12, "{up}");
            assert!(camera.up.dot(axes.up) > 0.9, "{up} stays up");
            assert!(camera.toward.dot(axes.up) > 0.3, "{up} is seen from above");
        }
    }

    #[test]
    fn a_flat_figure_is_not_seen_edge_on() {
        for azimuth in 0..12 {
            let across = turned(DVec3::X, DVec3::Z, f64::from(azimuth) * 0.5);
            let points: Vec<DVec3> = (0..6)
                .map(|i| across * f64::from(i) + DVec3::Z * if i % 2 == 0 { 0.0 } else { 2.0 })
                .collect();
            let camera = best_camera(&points, &Axes::new(DVec3::Z));
            assert!(camera.right.dot(across).abs() > 0.6, "{across}");
        }
    }
}
