//! How far feet slide in a clip, measured over all its frames: from the joints' places alone, by nothing that cleaning uses.

use core::ops::Range;

use posekit::glam::DVec3;
use posekit::math::Pose;

use crate::plant::Part;
use crate::{Clip, Leg};

/// A part of a foot is low within this of its lowest height while slow \[leg lengths\]: 2.5 cm for a leg of 0.85 m.
const LOW: f64 = 0.03;

/// It is slow below this speed \[leg lengths/s\]; a swinging foot moves at 2 and more.
const SLOW: f64 = 0.5;

/// Shorter times are passed over \[s\].
const SHORTEST: f64 = 0.1;

/// A time in which a part of a foot is low and slow, and how far it slides meanwhile.
#[derive(Debug, Clone, PartialEq)]
pub struct Slide {
    /// Which leg.
    pub leg: usize,
    /// Which part of its foot.
    pub part: Part,
    /// The frames.
    pub frames: Range<usize>,
    /// The largest distance from where it is in the middle frame, along the floor \[leg lengths\].
    pub distance: f64,
}

/// The slides of all parts of all feet.
#[must_use]
pub fn slides(clip: &Clip, legs: &[Leg]) -> Vec<Slide> {
    let skeleton = clip.skeleton();
    let parts = legs.iter().enumerate().flat_map(|(leg, own)| {
        let length = own.limb.length(skeleton);
        let of_part = move |(part, joint): (Part, Option<usize>)| Some((leg, part, joint?, length));
        [(Part::Heel, Some(own.limb.end)), (Part::Ball, own.ball)].into_iter().filter_map(of_part)
    });
    let parts: Vec<(usize, Part, usize, f64)> = parts.collect();
    let mut paths = vec![Vec::with_capacity(clip.n_frames()); parts.len()];
    let mut poses = vec![Pose::IDENTITY; skeleton.n_joints()];
    for frame in 0..clip.n_frames() {
        skeleton.forward_kinematics(clip.frame(frame), &mut poses);
        for (path, (.., joint, length)) in paths.iter_mut().zip(&parts) {
            path.push(poses[*joint].translation / *length);
        }
    }
    let times = |path: &[DVec3]| standing(path, clip.up(), 1.0 / clip.frame_time());
    let of_part = |((leg, part, ..), path): (&(usize, Part, usize, f64), &Vec<DVec3>)| {
        let (leg, part) = (*leg, *part);
        let slide = move |(frames, distance)| Slide { leg, part, frames, distance };
        times(path).into_iter().map(slide).collect::<Vec<Slide>>()
    };
    parts.iter().zip(&paths).flat_map(of_part).collect()
}

/// When a part of a foot is low and slow, and how far it slides meanwhile.
///
/// - `path`: where it is, frame after frame
/// - `rate`: frames in a second
fn standing(path: &[DVec3], up: DVec3, rate: f64) -> Vec<(Range<usize>, f64)> {
    let is_slow = |frame: usize| {
        let (before, next) = (frame.saturating_sub(1), (frame + 1).min(path.len() - 1));
        let frames = (next - before).max(1) as f64;
        path[next].distance(path[before]) * rate / frames < SLOW
    };
    let slow: Vec<bool> = (0..path.len()).map(is_slow).collect();
    let heights = path.iter().map(|place| place.dot(up));
    let lowest = heights.zip(&slow).filter(|(_, is_slow)| **is_slow).map(|(height, _)| height);
    let lowest = lowest.fold(f64::INFINITY, f64::min);
    let stands = |frame: usize| slow[frame] && path[frame].dot(up) < lowest + LOW;
    let frames: Vec<usize> = (0..path.len()).filter(|frame| stands(*frame)).collect();
    let runs = frames.chunk_by(|frame, next| frame + 1 == *next);
    let long = runs.filter(|run| run.len() as f64 >= SHORTEST * rate);
    let slide = |run: &[usize]| {
        let frames = run[0]..run[0] + run.len();
        let middle = path[(frames.start + frames.end) / 2];
        let off = |place: &DVec3| {
            let off = *place - middle;
            (off - up * off.dot(up)).length()
        };
        let distance = path[frames.clone()].iter().map(off).fold(0.0, f64::max);
        (frames, distance)
    };
    long.map(slide).collect()
}
