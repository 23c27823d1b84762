//! How well feet stand, measured on clips alone, by no part of what cleans them.

use core::ops::Range;

use posekit::glam::DVec3;
use posekit::math::Pose;
use posekit_motion::{Clip, Leg, Limb, Part, Plant};

/// A leg of this length is what millimetres speak of \[m\].
const LEG: f64 = 0.85;

/// What a part of a foot may roll while it stands \[mm\].
pub const ROLL: f64 = 8.0;

/// What people see of a plant's drift \[mm\] \[prazak11\].
const SEEN: f64 = 21.0;

/// Figures of one clip, or of many together.
#[derive(Debug, Clone, Default)]
pub struct Figures {
    /// Of every plant, the largest distance along the floor from its median \[mm\].
    pub drifts: Vec<f64>,
    /// Steps along the floor from frame to frame within plants \[mm\].
    pub slides: Vec<f64>,
    /// Of every clip, the largest second difference of a knee's angle \[rad/s²\].
    pub knee_pops: Vec<f64>,
    /// Of every clip, the mean third derivative of the ways of hips, knees and feet \[m/s³\].
    pub jerks: Vec<f64>,
    /// Of all joints and frames, the distance from the joint as it was, roots brought together \[cm\].
    pub changes: Vec<f64>,
    /// The same from the sound clip that the fault was put into.
    pub errors: Vec<f64>,
    /// Of all frames, the distance of the root from that of the sound clip, the means of both brought together \[mm\]: where a fault put the whole figure is not known.
    pub root_errors: Vec<f64>,
    /// Of all frames, the distance of the root from that of the clip that was cleaned \[mm\].
    pub root_shifts: Vec<f64>,
    /// Time of the cleaning \[s\], and the frames that it took.
    pub seconds: f64,
    /// Frames that were cleaned.
    pub frames: usize,
}

impl Figures {
    /// Takes in the figures of another clip.
    pub fn add(&mut self, other: Self) {
        self.drifts.extend(other.drifts);
        self.slides.extend(other.slides);
        self.changes.extend(other.changes);
        self.errors.extend(other.errors);
        self.root_errors.extend(other.root_errors);
        self.root_shifts.extend(other.root_shifts);
        self.knee_pops.extend(other.knee_pops);
        self.jerks.extend(other.jerks);
        self.seconds += other.seconds;
        self.frames += other.frames;
    }

    /// Share of the plants whose drift people see.
    #[must_use]
    pub fn seen(&self) -> f64 {
        let seen = self.drifts.iter().filter(|&&drift| drift > SEEN).count();
        seen as f64 / self.drifts.len().max(1) as f64
    }
}

/// The middle one of some numbers, the lower of two; 0 for none.
#[must_use]
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len().saturating_sub(1) / 2).copied().unwrap_or(0.0)
}

/// The largest, 0 for none.
#[must_use]
pub fn largest(values: &[f64]) -> f64 {
    values.iter().copied().fold(0.0, f64::max)
}

/// The mean, 0 for none.
#[must_use]
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// Measures a clip.
///
/// - `source`: the clip that was cleaned; `sound`: the one that the fault was put into; all of the same frames
/// - `plants`: when feet stand in the sound clip
#[must_use]
pub fn figures(
    clip: &Clip,
    source: &Clip,
    sound: &Clip,
    legs: &[Leg],
    plants: &[Plant],
) -> Figures {
    let ways = Ways::new(clip, legs);
    let (poses, metre) = (&ways.poses, ways.metre);
    let n = clip.skeleton().n_joints();
    let mut figures = Figures::default();
    for plant in plants {
        let path = ways.of(joint_of(&legs[plant.leg], plant.part), plant.frames.clone());
        let middle = middle(&path);
        let drift = largest(&path.iter().map(|p| p.distance(middle)).collect::<Vec<_>>());
        figures.drifts.push(drift / metre * 1e3);
        figures.slides.extend(path.windows(2).map(|w| w[0].distance(w[1]) / metre * 1e3));
    }
    let (rate, mut pop) = (1.0 / clip.frame_time(), 0.0);
    for leg in legs {
        let angles: Vec<f64> = poses.chunks_exact(n).map(|poses| knee(poses, leg)).collect();
        let pops = angles.windows(3).map(|w| (w[2] - 2.0 * w[1] + w[0]).abs() * rate * rate);
        pop = pops.fold(pop, f64::max);
    }
    figures.knee_pops.push(pop);
    let joints = |leg: &Leg| {
        let Limb { start, mid, end } = leg.limb;
        [Some(start), Some(mid), Some(end), leg.ball].into_iter().flatten()
    };
    let thirds = legs.iter().flat_map(joints).flat_map(|joint| {
        let way: Vec<DVec3> = poses.chunks_exact(n).map(|poses| poses[joint].translation).collect();
        let third = |p: &[DVec3]| (p[3] - p[0] - 3.0 * (p[2] - p[1])).length();
        way.windows(4).map(third).collect::<Vec<_>>()
    });
    figures.jerks.push(mean(&thirds.collect::<Vec<_>>()) * rate * rate * rate / metre);
    let (source, sound) = (source.poses(), sound.poses());
    figures.changes = distances(poses, &source, n, metre);
    figures.errors = distances(poses, &sound, n, metre);
    let apart = |other: &[Pose]| -> Vec<DVec3> {
        let frames = poses.chunks_exact(n).zip(other.chunks_exact(n));
        frames.map(|(p, o)| (p[0].translation - o[0].translation) / metre * 1e3).collect()
    };
    let off = apart(&sound);
    let mean = off.iter().sum::<DVec3>() / off.len().max(1) as f64;
    figures.root_errors = off.iter().map(|off| off.distance(mean)).collect();
    figures.root_shifts = apart(&source).iter().map(|shift| shift.length()).collect();
    figures.frames = clip.n_frames();
    figures
}

/// The parts of plants in which a sound clip's foot keeps its place, to [`ROLL`]: frames are taken off either end, where it has rolled farther, until it does.
#[must_use]
pub fn standing(clip: &Clip, legs: &[Leg], plants: Vec<Plant>) -> Vec<Plant> {
    let ways = Ways::new(clip, legs);
    let least = (LEAST / clip.frame_time()).round() as usize;
    let cut = |mut plant: Plant| {
        let way = ways.of(joint_of(&legs[plant.leg], plant.part), plant.frames.clone());
        let (mut from, mut to) = (0, way.len());
        while to - from > least.max(1) {
            let middle = middle(&way[from..to]);
            let drift = |frame: usize| way[frame].distance(middle) / ways.metre * 1e3;
            if (from..to).all(|frame| drift(frame) <= ROLL) {
                let first = plant.frames.start;
                plant.frames = first + from..first + to;
                return Some(plant);
            }
            if drift(from) > drift(to - 1) { from += 1 } else { to -= 1 }
        }
        None
    };
    plants.into_iter().filter_map(cut).collect()
}

/// A shorter part of a plant is none \[s\].
const LEAST: f64 = 0.1;

/// Where joints are along the floor.
struct Ways<'c> {
    clip: &'c Clip,
    poses: Vec<Pose>,
    /// The clip's unit for a metre of a figure with legs of [`LEG`].
    metre: f64,
}

impl<'c> Ways<'c> {
    fn new(clip: &'c Clip, legs: &[Leg]) -> Self {
        let lengths = legs.iter().map(|leg| leg.limb.length(clip.skeleton()));
        let metre = lengths.sum::<f64>() / legs.len().max(1) as f64 / LEG;
        Self { clip, poses: clip.poses(), metre }
    }

    fn of(&self, joint: usize, frames: Range<usize>) -> Vec<DVec3> {
        let (n, up) = (self.clip.skeleton().n_joints(), self.clip.up());
        let along = frames.map(|frame| self.poses[frame * n + joint].translation);
        along.map(|p| p - up * p.dot(up)).collect()
    }
}

/// The joint that stands.
#[must_use]
pub fn joint_of(leg: &Leg, part: Part) -> usize {
    match part {
        Part::Heel => leg.limb.end,
        Part::Ball => leg.ball.unwrap_or(leg.limb.end),
    }
}

fn middle(path: &[DVec3]) -> DVec3 {
    let of = |axis: usize| median(&path.iter().map(|p| p[axis]).collect::<Vec<_>>());
    DVec3::new(of(0), of(1), of(2))
}

fn knee(poses: &[Pose], leg: &Leg) -> f64 {
    let at = |joint: usize| poses[joint].translation;
    let (hip, knee, ankle) = (at(leg.limb.start), at(leg.limb.mid), at(leg.limb.end));
    let (up, down) = (hip - knee, ankle - knee);
    posekit::math::atan2(up.cross(down).length(), up.dot(down))
}

/// Distances of joints from one motion to another \[cm\], roots brought together.
fn distances(poses: &[Pose], other: &[Pose], n: usize, metre: f64) -> Vec<f64> {
    let frames = poses.chunks_exact(n).zip(other.chunks_exact(n));
    let in_frame = |(poses, other): (&[Pose], &[Pose])| {
        let apart = poses[0].translation - other[0].translation;
        let each = poses.iter().zip(other);
        let each = each.map(|(p, o)| (p.translation - o.translation - apart).length());
        each.sum::<f64>() / n as f64 / metre * 100.0
    };
    frames.map(in_frame).collect()
}
