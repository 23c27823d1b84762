//! A picture of a motion before and after: the figure from the side at several moments, and the paths of its feet, thick where they stand.

use core::ops::Range;

use posekit::glam::DVec3;
use posekit::math::direction_or;
use posekit_motion::{Clip, Floor, Leg, Part, Plant};

use super::feet::{Places, along};
use super::view::{Sides, head, heading, root};
use super::words::millimetres;
use crate::draw::svg::{Markup, Path, Tag, circle, line, root as svg_root};
use crate::draw::svg_style;

/// The largest number of seconds shown.
const SHOWN: f64 = 3.0;

/// Seconds from one figure to the next.
const APART: f64 = 0.3;

/// The largest width of the picture \[px\], and the largest height of a figure.
const WIDTH: f64 = 1024.0;
const MARGIN: f64 = 32.0;
const HEAD: f64 = 44.0;
const MOST_HIGH: f64 = 260.0;

/// The content of a picture.
pub(super) struct Strip<'a> {
    pub(super) title: &'a str,
    pub(super) sides: Sides<'a>,
    pub(super) legs: &'a [Leg],
    pub(super) floor: &'a Floor,
    pub(super) plants: &'a [Plant],
    /// The largest slide of a plant, before and after \[mm\].
    pub(super) slides: [f64; 2],
    /// A frame that must be shown.
    pub(super) middle: usize,
}

impl Strip<'_> {
    /// The picture as SVG.
    pub(super) fn svg(&self) -> String {
        let frames = self.frames();
        let axis = self.axis(&frames);
        let rows: Vec<(&Places, &str, &str)> = [
            Some((self.sides.before, "was", "Before")),
            self.sides.after.map(|after| (after, "now", "After")),
        ]
        .into_iter()
        .flatten()
        .collect();
        let flat = |point: DVec3, from: f64| {
            [(point - self.floor.point).dot(axis) - from, self.floor.height(point)]
        };
        // Both rows have the same origin and scale.
        let spans: Vec<[f64; 2]> =
            rows.iter().map(|(places, ..)| self.span(places, &frames, axis)).collect();
        let wide = spans.iter().map(|span| span[1] - span[0]).fold(1e-9, f64::max);
        let tall = self.tall(&frames);
        let scale = ((WIDTH - 2.0 * MARGIN) / wide).min(MOST_HIGH / tall);
        let row = tall * scale + 64.0;
        let size = [wide * scale + 2.0 * MARGIN, HEAD + row * rows.len() as f64];
        let mut out = Markup::new();
        out.open(&svg_root(size, self.title));
        out.open(&Tag::new("style"));
        out.raw(&svg_style());
        out.raw(STYLE);
        out.close_line();
        out.leaf(&Tag::new("rect").pair(["width", "height"], size).class("paper"));
        out.element(&Tag::new("text").pair(["x", "y"], [MARGIN, 28.0]).class("label"), self.title);
        for (index, ((places, class, words), span)) in rows.iter().zip(&spans).enumerate() {
            let ground = HEAD + row * (index + 1) as f64 - 40.0;
            let screen = |point: DVec3| {
                let [x, y] = flat(point, span[0]);
                [MARGIN + x * scale, ground - y * scale]
            };
            out.open(&Tag::new("g").class(class));
            out.leaf(&line([MARGIN, ground], [size[0] - MARGIN, ground]).class("axis"));
            let slide = millimetres(self.slides[index.min(1)]);
            let words = format!("{words}: standing feet slide by {slide} mm at most");
            let at = [MARGIN, ground + 24.0];
            out.element(&Tag::new("text").pair(["x", "y"], at).class("label-quiet"), &words);
            self.figures(&mut out, places, &frames, &screen);
            self.trails(&mut out, places, &frames, &screen);
            out.close_line();
        }
        out.finish() + "\n"
    }

    /// The frames shown: at most [`SHOWN`] around the required one.
    fn frames(&self) -> Range<usize> {
        let n = self.sides.clip.n_frames();
        let shown = count(SHOWN, self.sides.clip).min(n);
        let first = self.middle.saturating_sub(shown / 2).min(n - shown);
        first..first + shown
    }

    /// The direction along the floor that is horizontal in the picture.
    fn axis(&self, frames: &Range<usize>) -> DVec3 {
        let [x, y] = along(self.floor.normal);
        let root = root(self.sides.clip, self.legs);
        let local =
            |point: DVec3| DVec3::new(point.dot(x), point.dot(y), point.dot(self.floor.normal));
        let angle = heading(self.sides.before, self.legs, root, local, frames.clone());
        x * posekit::math::cos(angle) + y * posekit::math::sin(angle)
    }

    /// The extent of a figure along the axis.
    fn span(&self, places: &Places, frames: &Range<usize>, axis: DVec3) -> [f64; 2] {
        let all = frames.clone().flat_map(|frame| places.frame(frame));
        all.map(|point| (*point - self.floor.point).dot(axis))
            .fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| [low.min(x), high.max(x)])
    }

    /// The height of a figure, with a margin for the head.
    fn tall(&self, frames: &Range<usize>) -> f64 {
        let all = frames.clone().flat_map(|frame| self.sides.before.frame(frame));
        all.map(|point| self.floor.height(*point)).fold(1e-9, f64::max) * 1.12
    }

    /// The figure at several moments, older ones paler.
    fn figures(
        &self,
        out: &mut Markup,
        places: &Places,
        frames: &Range<usize>,
        screen: &impl Fn(DVec3) -> [f64; 2],
    ) {
        let apart = count(APART, self.sides.clip);
        let skeleton = self.sides.clip.skeleton();
        let root = root(self.sides.clip, self.legs);
        let head = head(self.sides.clip);
        let n = frames.len().div_ceil(apart);
        for (index, frame) in frames.clone().step_by(apart).enumerate() {
            let fade = 0.35 + 0.65 * (index + 1) as f64 / n as f64;
            out.open(&Tag::new("g").num("opacity", fade));
            let mut path = Path::new();
            for joint in 0..skeleton.n_joints() {
                // Ancestors of the hips, such as the origin of a scene, are not part of the body.
                let is_above =
                    |parent: &usize| skeleton.ancestors(root).skip(1).any(|above| above == *parent);
                // Nor are descendants of the head, which is drawn as a disc.
                let is_in_head = skeleton.ancestors(joint).skip(1).any(|above| Some(above) == head);
                let parent = skeleton.parent(joint).filter(|parent| !is_above(parent));
                let Some(parent) = parent.filter(|_| !is_in_head) else { continue };
                let (from, to) =
                    (screen(places.at(frame, parent)), screen(places.at(frame, joint)));
                path = path.to(from).line(to);
            }
            out.leaf(&path.tag().class("stick"));
            self.head(out, places, frame, screen);
            out.close_line();
        }
    }

    /// A disc for the head, if there is a joint of that name.
    fn head(
        &self,
        out: &mut Markup,
        places: &Places,
        frame: usize,
        screen: &impl Fn(DVec3) -> [f64; 2],
    ) {
        let skeleton = self.sides.clip.skeleton();
        let Some(head) = head(self.sides.clip) else { return };
        let Some(neck) = skeleton.parent(head) else { return };
        let (from, to) = (places.at(frame, neck), places.at(frame, head));
        // As large as an eighth of the figure, upon the neck.
        let radius = 0.055 * self.floor.height(to);
        let middle = to + direction_or(to - from, self.floor.normal) * radius;
        let (at, edge) = (screen(middle), screen(middle + self.floor.normal * radius));
        out.leaf(&circle(at, (at[1] - edge[1]).abs()).class("stick"));
    }

    /// The paths of the feet, thick where they stand.
    fn trails(
        &self,
        out: &mut Markup,
        places: &Places,
        frames: &Range<usize>,
        screen: &impl Fn(DVec3) -> [f64; 2],
    ) {
        for leg in self.legs {
            let joint = leg.joint(Part::Ball);
            let points: Vec<[f64; 2]> =
                frames.clone().map(|frame| screen(places.at(frame, joint))).collect();
            out.leaf(&Path::through(&points).tag().class("path"));
        }
        for plant in self.plants {
            let shown = plant.frames.start.max(frames.start)..plant.frames.end.min(frames.end);
            if shown.is_empty() {
                continue;
            }
            let joint = self.legs[plant.leg].joint(plant.part);
            let points: Vec<[f64; 2]> =
                shown.map(|frame| screen(places.at(frame, joint))).collect();
            // A foot that stands still is a dot.
            out.leaf(&circle(points[0], 2.5).class("spot"));
            out.leaf(&Path::through(&points).tag().class("stand"));
        }
    }
}

/// A time in frames, at least one.
fn count(seconds: f64, clip: &Clip) -> usize {
    let frames = (seconds / clip.frame_time()).round().clamp(1.0, 1e6);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
    let frames = frames as usize;
    frames
}

/// Rules specific to these pictures; colours are written out because SVG viewers may not support variables.
const STYLE: &str = "\
.stick{fill:none;stroke-width:2;stroke-linecap:round;stroke-linejoin:round;stroke:#4590BA}
.path{fill:none;stroke-width:1;stroke:#4590BA;stroke-opacity:.8}
.stand{fill:none;stroke-width:5;stroke-linecap:round;stroke:#0072B2}
.spot{fill:#0072B2}
.was .stick,.was .path{stroke:#86898D}
.was .stand{stroke:#D55E00}
.was .spot{fill:#D55E00}
@media (prefers-color-scheme:dark){.stick,.path{stroke:#56B4E9}.stand{stroke:#9AD3F4}.spot{fill:#9AD3F4}}
";
