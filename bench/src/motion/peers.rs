//! What others do about sliding feet, from their descriptions.
//!
//! Both are given the plants, so that they are compared in how they clean and not in what they find.

use nalgebra::{Cholesky, DMatrix, DVector};
use posekit::glam::{DQuat, DVec3};
use posekit::limb::TwoBone;
use posekit::math::Pose;
use posekit::skeleton::{Frame, Skeleton};
use posekit_motion::Result;
use posekit_motion::{Clip, Limb};

/// A joint of a foot, and the frames of one run in which it stands.
#[derive(Debug, Clone)]
pub struct Stand {
    /// The limb that the foot ends.
    pub limb: Limb,
    /// The joint that stands: the ankle, or the ball of the foot.
    pub joint: usize,
    /// From the first to the one after the last.
    pub frames: core::ops::Range<usize>,
}

/// Pins every foot where it first stands: hip and knee bend so that the point stays, the foot keeps its turn, nothing is eased, the hips stay.
///
/// Of a foot that stands on ankle and ball at once, the stand that is first in the list is pinned.
///
/// # Errors
/// Those of the library, which clips that were read do not cause.
pub fn naive_pin(clip: &Clip, stands: &[Stand]) -> Result<Clip> {
    let skeleton = clip.skeleton();
    let (n, mut values) = (skeleton.n_values(), clip.values().to_vec());
    let mut world = vec![Pose::IDENTITY; skeleton.n_joints()];
    let mut is_pinned = vec![Vec::new(); clip.n_frames()];
    for stand in stands {
        skeleton.forward_kinematics(clip.frame(stand.frames.start), &mut world);
        let place = world[stand.joint].translation;
        for frame in stand.frames.clone() {
            if is_pinned[frame].contains(&stand.limb.end) {
                continue;
            }
            is_pinned[frame].push(stand.limb.end);
            let q = &mut values[frame * n..(frame + 1) * n];
            skeleton.forward_kinematics(q, &mut world);
            reach(skeleton, q, &world, stand.limb, place - world[stand.joint].translation)?;
        }
    }
    clip.with_values(values)
}

/// Bends a limb so that its end moves by this, turned as before.
fn reach(skeleton: &Skeleton, q: &mut [f64], world: &[Pose], limb: Limb, by: DVec3) -> Result<()> {
    let Limb { start, mid, end } = limb;
    let at = |joint: usize| world[joint].translation;
    let job = TwoBone::new(at(start), at(mid), at(end), at(end) + by);
    let solved = job.solve()?;
    let turned = |joint: usize| world[joint].rotation;
    let above = |joint: usize| skeleton.parent(joint).map_or(DQuat::IDENTITY, turned);
    set_rotation(skeleton, q, start, solved.parent_from_start(above(start), turned(start)));
    set_rotation(skeleton, q, mid, solved.parent_from_mid(above(mid), turned(mid)));
    // What is between knee and ankle turns with the knee.
    let shin = solved.mid_correction * above(end);
    set_rotation(skeleton, q, end, shin.inverse() * turned(end));
    Ok(())
}

/// Turns a ball so that its frame is turned like this against its parent's.
fn set_rotation(skeleton: &Skeleton, q: &mut [f64], joint: usize, parent_from_joint: DQuat) {
    let motion = skeleton.parent_from_joint(joint).rotation.inverse() * parent_from_joint;
    let values = &mut q[skeleton.value_range(joint)];
    let start = values.len() - 4;
    values[start..].copy_from_slice(&motion.to_array());
}

/// Frames over which the averaging cleaner fades, before and after a run.
const FADE: usize = 5;
/// Its iterations for each frame.
const ITERATIONS: usize = 10;
/// Its damping, for lengths in centimetres of a figure whose legs are 85 of them long.
const DAMPING: f64 = 4.0;
const LEG: f64 = 85.0;

/// The averaging cleaner of the published motion editors: the points of each run are set to their average, faded over five frames on either side, and then
/// the whole figure follows all its joints' positions, feet and others alike, by ten damped Jacobian steps a frame. Targets are approached, never held.
///
/// - `leg`: length of a leg, in the clip's unit
///
/// # Errors
/// Those of the library, which clips that were read do not cause.
pub fn averaged(clip: &Clip, stands: &[Stand], leg: f64) -> Result<Clip> {
    let skeleton = clip.skeleton();
    let (n_joints, n) = (skeleton.n_joints(), skeleton.n_values());
    let mut targets: Vec<DVec3> = clip.poses().iter().map(|pose| pose.translation).collect();
    set_to_averages(&mut targets, stands, n_joints, clip.n_frames());
    let mut values = clip.values().to_vec();
    let mut follower = Follower::new(skeleton, DAMPING * leg / LEG);
    for (q, targets) in values.chunks_exact_mut(n).zip(targets.chunks_exact(n_joints)) {
        (0..ITERATIONS).for_each(|_| follower.step(skeleton, q, targets));
    }
    clip.with_values(values)
}

/// Zero slope at both ends, 1 at 0, 0 at 1.
fn alpha(t: f64) -> f64 {
    2.0 * t * t * t - 3.0 * t * t + 1.0
}

fn set_to_averages(targets: &mut [DVec3], stands: &[Stand], n_joints: usize, n_frames: usize) {
    let mut joints: Vec<usize> = stands.iter().map(|stand| stand.joint).collect();
    joints.sort_unstable();
    joints.dedup();
    for joint in joints {
        let mut averages = vec![None; n_frames];
        for stand in stands.iter().filter(|stand| stand.joint == joint) {
            let sum: DVec3 =
                stand.frames.clone().map(|frame| targets[frame * n_joints + joint]).sum();
            averages[stand.frames.clone()].fill(Some(sum / stand.frames.len() as f64));
        }
        for frame in 0..n_frames {
            let target = &mut targets[frame * n_joints + joint];
            if let Some(average) = averages[frame] {
                *target = average;
                continue;
            }
            let near = |frames: &mut dyn Iterator<Item = usize>| {
                frames.take(FADE).enumerate().find_map(|(k, other)| {
                    averages.get(other).copied().flatten().map(|average| (k + 1, average))
                })
            };
            let before = near(&mut (0..frame).rev());
            let after = near(&mut (frame + 1..n_frames));
            let part = |k: usize| alpha(k as f64 / (FADE + 1) as f64);
            let drawn = |(k, average): (usize, DVec3)| target.lerp(average, part(k));
            *target = match (before, after) {
                (Some(before), Some(after)) => {
                    let place = before.0 as f64 / (before.0 + after.0) as f64;
                    drawn(after).lerp(drawn(before), alpha(place))
                }
                (Some(one), None) | (None, Some(one)) => drawn(one),
                (None, None) => *target,
            };
        }
    }
}

/// A figure that follows positions of its joints by damped least squares.
struct Follower {
    damping: f64,
    world: Vec<Pose>,
    /// Of one joint, 6 rows.
    jacobian: Vec<f64>,
    normal: Vec<f64>,
    step: Vec<f64>,
    next: Vec<f64>,
}

impl Follower {
    fn new(skeleton: &Skeleton, damping: f64) -> Self {
        let n = skeleton.n_dofs();
        Self {
            damping,
            world: vec![Pose::IDENTITY; skeleton.n_joints()],
            jacobian: vec![0.0; 6 * n],
            normal: vec![0.0; n * n],
            step: vec![0.0; n],
            next: vec![0.0; skeleton.n_values()],
        }
    }

    fn step(&mut self, skeleton: &Skeleton, q: &mut [f64], targets: &[DVec3]) {
        let n = skeleton.n_dofs();
        skeleton.forward_kinematics(q, &mut self.world);
        self.normal.fill(0.0);
        self.step.fill(0.0);
        for (joint, &target) in targets.iter().enumerate() {
            let frame = Frame { joint, joint_from_frame: Pose::IDENTITY };
            skeleton.jacobian(&self.world, &frame, &mut self.jacobian);
            let error = target - self.world[joint].translation;
            let columns = &self.jacobian;
            let column = |dof: usize| DVec3::from_slice(&columns[6 * dof..]);
            let used: Vec<usize> = (0..n).filter(|&dof| column(dof) != DVec3::ZERO).collect();
            for &i in &used {
                self.step[i] += column(i).dot(error);
                for &j in used.iter().filter(|&&j| j >= i) {
                    self.normal[i * n + j] += column(i).dot(column(j));
                }
            }
        }
        (0..n).for_each(|i| self.normal[i * n + i] += self.damping * self.damping);
        // Its lower triangle is what was filled: columns are rows here.
        let normal = DMatrix::from_column_slice(n, n, &self.normal);
        let Some(factor) = Cholesky::new(normal) else { return };
        let step = factor.solve(&DVector::from_column_slice(&self.step));
        self.step.copy_from_slice(step.as_slice());
        skeleton.integrate(q, &self.step, &mut self.next);
        q.copy_from_slice(&self.next);
    }
}
