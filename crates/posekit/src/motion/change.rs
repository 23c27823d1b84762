//! What a change cost: a motion against the one it was made from.

use glam::DVec3;

use super::clip::Clip;
use super::leg::Leg;
use super::metrics::knee_angles;
use super::paths::Paths;
use crate::math::{Pose, acos};

/// A knee straighter than this is over-stretched, where the source's is not \[rad\]: 178 degrees.
const STRAIGHT: f64 = 178.0 / 180.0 * core::f64::consts::PI;

/// And by how much straighter than the straightest of the source \[rad\]: half a degree.
const STRAIGHTER: f64 = 0.5 / 180.0 * core::f64::consts::PI;

/// How far a motion is from its source. Lengths are of a figure with legs of [`LEG_LENGTH`](super::LEG_LENGTH).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub struct Change {
    /// Mean over frames and joints of the distance between both, the roots laid upon each other \[m\].
    pub pose_distance: f64,
    /// The largest of these \[m\].
    pub pose_distance_max: f64,
    /// Mean over frames and joints of the distance between both in the world \[m\].
    pub distance: f64,
    /// Mean over frames and joints of the angle between both joints' rotations on their parents \[rad\].
    pub angle: f64,
    /// The largest of these \[rad\].
    pub angle_max: f64,
    /// The largest shift of the root along the floor, and up or down \[m\].
    pub root_level_max: f64,
    /// See above \[m\].
    pub root_height_max: f64,
    /// The root mean square of the root's shift \[m\].
    pub root_rms: f64,
    /// The largest difference between second differences of a knee's angle \[rad/s²\].
    pub knee_pop: f64,
    /// Frames in which a knee is straighter than 178 degrees and than any of the source by half a degree.
    pub overstretched: usize,
    /// Mean difference of the second differences of the legs' joints \[m/s²\].
    pub acceleration: f64,
    /// The largest part by which a bone of a leg changed its length.
    pub stretch: f64,
}

/// `None` where joints or frames differ in number.
pub(super) fn change_from(clip: &Clip, source: &Clip, legs: &[Leg], scale: f64) -> Option<Change> {
    let n = clip.skeleton().n_joints();
    if n != source.skeleton().n_joints() || clip.n_frames() != source.n_frames() {
        return None;
    }
    let mut change = Change::default();
    poses(clip, source, scale, &mut change);
    let (after, before) = (Paths::new(clip, legs), Paths::new(source, legs));
    knees(&after, &before, &mut change);
    accelerations(&after, &before, scale, &mut change);
    Some(change)
}

fn poses(clip: &Clip, source: &Clip, scale: f64, change: &mut Change) {
    let (n, n_frames) = (clip.skeleton().n_joints(), clip.n_frames());
    if n_frames == 0 {
        return;
    }
    let mut after = vec![Pose::IDENTITY; n];
    let mut before = vec![Pose::IDENTITY; n];
    let up = clip.up();
    let mut squares = 0.0;
    for frame in 0..n_frames {
        clip.skeleton().forward_kinematics(clip.frame(frame), &mut after);
        source.skeleton().forward_kinematics(source.frame(frame), &mut before);
        let shift = (after[0].translation - before[0].translation) * scale;
        let height = shift.dot(up);
        change.root_height_max = change.root_height_max.max(height.abs());
        change.root_level_max = change.root_level_max.max((shift - up * height).length());
        squares += shift.length_squared();
        for joint in 0..n {
            let apart = (after[joint].translation - before[joint].translation) * scale;
            let distance = (apart - shift).length();
            change.distance += apart.length();
            change.pose_distance += distance;
            change.pose_distance_max = change.pose_distance_max.max(distance);
            let on_parent = |poses: &[Pose]| match clip.skeleton().parent(joint) {
                Some(parent) => poses[parent].rotation.conjugate() * poses[joint].rotation,
                None => poses[joint].rotation,
            };
            let cosine = on_parent(&after).dot(on_parent(&before)).abs();
            // Where nothing changed, rounding is no angle.
            let angle = if cosine > 1.0 - 1e-15 { 0.0 } else { 2.0 * acos(cosine) };
            change.angle += angle;
            change.angle_max = change.angle_max.max(angle);
        }
    }
    let count = (n * n_frames) as f64;
    change.distance /= count;
    change.pose_distance /= count;
    change.angle /= count;
    change.root_rms = (squares / n_frames as f64).sqrt();
}

fn knees(after: &Paths, before: &Paths, change: &mut Change) {
    let rate = 1.0 / after.frame_time;
    for (a, b) in after.legs.iter().zip(&before.legs) {
        let (angles, sources) = (knee_angles(a), knee_angles(b));
        let straightest = sources.iter().copied().fold(0.0, f64::max) + STRAIGHTER;
        let limit = straightest.max(STRAIGHT);
        change.overstretched += angles.iter().filter(|angle| **angle > limit).count();
        for (a, b) in angles.windows(3).zip(sources.windows(3)) {
            let second = |x: &[f64]| (x[2] - x[1]) - (x[1] - x[0]);
            let pop = (second(a) - second(b)).abs() * rate * rate;
            change.knee_pop = change.knee_pop.max(pop);
        }
        for frame in 0..after.n_frames {
            let bones =
                [(&a.hip, &a.knee, &b.hip, &b.knee), (&a.knee, &a.ankle, &b.knee, &b.ankle)];
            for (top, end, source_top, source_end) in bones {
                let source = source_top[frame].distance(source_end[frame]);
                if source > 0.0 {
                    let ratio = top[frame].distance(end[frame]) / source;
                    change.stretch = change.stretch.max((ratio - 1.0).abs());
                }
            }
        }
    }
}

fn accelerations(after: &Paths, before: &Paths, scale: f64, change: &mut Change) {
    let rate = 1.0 / after.frame_time;
    let (mut sums, mut count) = (Vec::new(), 0_usize);
    for (a, b) in after.legs.iter().zip(&before.legs) {
        for (a, b) in [(&a.hip, &b.hip), (&a.knee, &b.knee), (&a.ankle, &b.ankle)] {
            let second = |p: &[DVec3]| (p[2] - p[1]) - (p[1] - p[0]);
            let differences = a.windows(3).zip(b.windows(3));
            let size = differences.map(|(a, b)| (second(a) - second(b)).length());
            sums.push(size.sum::<f64>() * scale * rate * rate);
            count += a.len().saturating_sub(2);
        }
    }
    sums.sort_by(f64::total_cmp);
    change.acceleration = sums.iter().sum::<f64>() / count.max(1) as f64;
}
