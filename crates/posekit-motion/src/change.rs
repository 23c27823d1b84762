//! What a change cost: a motion against the one it was made from.

use posekit::glam::DVec3;
use posekit::math::{Pose, acos};

use super::clip::Clip;
use super::leg::Leg;
use super::metrics::knee_angles;
use super::paths::Paths;
use super::travel::carrier;

/// A knee straighter than this is over-stretched, where the source's is not \[rad\]: 178 degrees.
const STRAIGHT: f64 = 178.0 / 180.0 * core::f64::consts::PI;

/// And by how much straighter than the straightest of the source \[rad\]: half a degree.
const STRAIGHTER: f64 = 0.5 / 180.0 * core::f64::consts::PI;

/// How far a motion is from its source. Lengths are of a figure with legs of [`LEG_LENGTH`](super::LEG_LENGTH).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub struct Change {
    /// Mean over frames and the joints that the root carries of the distance between both, the roots laid upon each other \[m\]. The root is the joint that
    /// carries the legs and can be moved ([`carrier`](super::carrier())); without one the first joint, and all joints count.
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
    // What is moved where the root's path is set right is not the first joint in every figure.
    poses(clip, source, carrier(source, legs), scale, &mut change);
    let (after, before) = (Paths::new(clip, legs), Paths::new(source, legs));
    knees(&after, &before, &mut change);
    accelerations(&after, &before, scale, &mut change);
    Some(change)
}

fn poses(clip: &Clip, source: &Clip, root: Option<usize>, scale: f64, change: &mut Change) {
    let (n, n_frames) = (clip.skeleton().n_joints(), clip.n_frames());
    if n_frames == 0 {
        return;
    }
    let mut after = vec![Pose::IDENTITY; n];
    let mut before = vec![Pose::IDENTITY; n];
    let up = clip.up();
    // What the root hangs on, and what hangs beside it, stays where it is and is no part of the pose.
    let skeleton = clip.skeleton();
    let mut carried = vec![root.is_none(); n];
    for joint in 0..n {
        let above = skeleton.parent(joint).is_some_and(|parent| carried[parent]);
        carried[joint] |= above || root == Some(joint);
    }
    let n_carried = carried.iter().filter(|carried| **carried).count();
    let root = root.unwrap_or(0);
    let mut squares = 0.0;
    for frame in 0..n_frames {
        clip.skeleton().forward_kinematics(clip.frame(frame), &mut after);
        source.skeleton().forward_kinematics(source.frame(frame), &mut before);
        let shift = (after[root].translation - before[root].translation) * scale;
        let height = shift.dot(up);
        change.root_height_max = change.root_height_max.max(height.abs());
        change.root_level_max = change.root_level_max.max((shift - up * height).length());
        squares += shift.length_squared();
        for joint in 0..n {
            let apart = (after[joint].translation - before[joint].translation) * scale;
            let distance = (apart - shift).length();
            change.distance += apart.length();
            if carried[joint] {
                change.pose_distance += distance;
                change.pose_distance_max = change.pose_distance_max.max(distance);
            }
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
    change.pose_distance /= (n_carried * n_frames) as f64;
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

#[cfg(test)]
mod tests {
    use super::*;
    use posekit::skeleton::{Joint, Skeleton};

    #[test]
    fn the_root_is_what_carries_the_legs() {
        // As in many glTFs, what the hips hang on does not move.
        let down = Pose::from_translation(DVec3::NEG_Y);
        let mut joints = vec![Joint::fixed("scene"), Joint::free("hips").child_of(0)];
        for side in ["left", "right"] {
            let hip = joints.len();
            joints.push(Joint::ball(format!("{side} thigh")).child_of(1));
            joints.push(Joint::ball(format!("{side} shin")).child_of(hip).at(down));
            joints.push(Joint::ball(format!("{side} foot")).child_of(hip + 1).at(down));
        }
        let skeleton = Skeleton::try_new(joints).unwrap();
        let legs = [4, 7].map(|foot| Leg::ending_at(&skeleton, foot).unwrap());
        let values = skeleton.neutral().repeat(5);
        let source = Clip::try_new(skeleton, 0.1, values).unwrap();
        let way = vec![DVec3::new(3.0, 0.0, 4.0); 5];
        let moved = crate::along_path(&source, &legs, &way).unwrap().unwrap();
        let change = change_from(&moved, &source, &legs, 0.5).unwrap();
        let near = |value: f64, expected: f64| (value - expected).abs() < 1e-12;
        assert!(near(change.root_rms, 2.5) && near(change.root_level_max, 2.5), "{change:?}");
        // Seven of eight joints went along, and no pose changed; what the hips hang on stayed behind.
        assert!(near(change.distance, 2.5 * 7.0 / 8.0), "{change:?}");
        assert!(near(change.pose_distance, 0.0), "{change:?}");
    }
}
