//! Limbs whose joints turn about few axes hold by least squares over the angles of these.

use posekit::glam::DVec3;
use posekit::math::{Pose, so3_log};
use posekit::skeleton::{JointKind, Skeleton};

use super::Keep;
use super::joints::{Aim, By, Column, Goal, HARD, Joints, Problem, columns_of, goals_of};
use super::plan::LimbPlan;
use crate::space_time::{BLEND, LegChange};
use crate::{Clip, Limb};

/// How much the end's direction counts, which it keeps as far as it can.
const DIRECTION: f64 = 1e-5;

/// The columns of a limb; `None` where the closed form will do: with balls at its start and its end, and a ball or a hinge in its middle.
pub(super) fn columns(skeleton: &Skeleton, limb: Limb, keep: Option<&Keep>) -> Option<Vec<Column>> {
    let kept = |joint: usize| keep.and_then(|keep| keep.turns(joint));
    let is_ball = |joint: usize| {
        let is_ball = matches!(skeleton.kind(joint), JointKind::Ball | JointKind::Free);
        is_ball && kept(joint).is_none()
    };
    let is_hinge = matches!(skeleton.kind(limb.mid), JointKind::Revolute { .. });
    if is_ball(limb.start) && is_ball(limb.end) && (is_ball(limb.mid) || is_hinge) {
        return None;
    }
    let of = |joint: usize| columns_of(skeleton, joint, [0.0, 1.0], keep);
    Some(limb.joints().into_iter().flat_map(of).collect())
}

/// Whether the closed form does not do for a limb.
pub(crate) fn has_few_turns(skeleton: &Skeleton, limb: Limb, keep: Option<&Keep>) -> bool {
    columns(skeleton, limb, keep).is_some()
}

/// A limb of few turns.
pub(super) struct Few<'a> {
    /// The motion, with its root where it is to be.
    pub(super) clip: &'a Clip,
    pub(super) limb: &'a LimbPlan,
    pub(super) columns: &'a [Column],
}

/// What a limb of few turns begins with in a frame in which it may change: what would do if its joints were balls.
#[derive(Clone, Copy)]
pub(super) struct Start {
    pub(super) frame: usize,
    pub(super) change: LegChange,
    /// Where its end is to be though it holds nothing.
    pub(super) stays: Option<DVec3>,
}

impl Few<'_> {
    /// The change in each frame in which there may be one.
    pub(super) fn hold(&self, starts: &[Start]) -> Vec<(usize, Vec<f64>)> {
        let n_frames = self.clip.n_frames();
        let of_run = |run: &[Start]| {
            let frames: Vec<usize> = run.iter().map(|start| start.frame).collect();
            let is_open = [frames[0] == 0, frames[frames.len() - 1] + 1 == n_frames];
            let goals: Vec<Vec<Goal>> = run.iter().map(|start| self.goals(start)).collect();
            let bend = |(start, goals): (&Start, &Vec<Goal>)| match goals.is_empty() {
                true => DVec3::ZERO,
                false => so3_log(start.change.knee),
            };
            let bends: Vec<DVec3> = run.iter().zip(&goals).map(bend).collect();
            let changes = self.problem(&frames, goals, (BLEND, is_open), bends.into_iter()).solve();
            frames.into_iter().zip(changes).collect::<Vec<_>>()
        };
        starts.chunk_by(|a, b| a.frame + 1 == b.frame).flat_map(of_run).collect()
    }

    /// The configurations of frames in which the end is in a pose, or near it and turned about as there.
    ///
    /// - `bends`: by how much the middle bends in the closed form, as a rotation vector of the world: a straight limb does not know by itself which way
    pub(super) fn bring(
        &self,
        poses: &[(usize, Pose)],
        bends: impl Iterator<Item = DVec3>,
    ) -> Vec<Vec<f64>> {
        let frames: Vec<usize> = poses.iter().map(|(frame, _)| *frame).collect();
        let goals = poses.iter().map(|(_, pose)| {
            vec![self.goal(Aim::At(pose.translation), HARD), self.turned(pose.rotation)]
        });
        // Each frame by itself.
        self.problem(&frames, goals.collect(), (0.0, [true; 2]), bends).configurations()
    }

    /// Its joints.
    pub(super) fn joints(&self) -> Joints<'_> {
        let skeleton = self.clip.skeleton();
        Joints::new(skeleton, self.columns, self.limb.limb.length(skeleton))
    }

    fn goals(&self, start: &Start) -> Vec<Goal> {
        let Start { frame, change, stays } = *start;
        let points = self.limb.points.iter().filter(|point| point.frames.contains(&frame));
        let mut goals: Vec<Goal> = points.flat_map(|point| goals_of(point, frame)).collect();
        goals.extend(stays.map(|place| self.goal(Aim::At(place), HARD)));
        if !goals.is_empty() {
            let poses = self.clip.skeleton().poses(self.clip.frame(frame));
            goals.push(self.turned(change.foot * poses[self.limb.limb.end].rotation));
        }
        goals
    }

    fn goal(&self, aim: Aim, weight: f64) -> Goal {
        Goal { joint: self.limb.limb.end, own: DVec3::ZERO, aim, weight }
    }

    fn turned(&self, rotation: posekit::glam::DQuat) -> Goal {
        self.goal(Aim::Turned(rotation), DIRECTION)
    }

    fn problem<'p>(
        &'p self,
        frames: &[usize],
        goals: Vec<Vec<Goal>>,
        (blend, is_open): (f64, [bool; 2]),
        bends: impl Iterator<Item = DVec3>,
    ) -> Problem<'p> {
        let (clip, skeleton) = (self.clip, self.clip.skeleton());
        let mut start = Vec::with_capacity(frames.len() * self.columns.len());
        for (frame, bend) in frames.iter().zip(bends) {
            let own = skeleton.poses(clip.frame(*frame))[self.limb.limb.mid].rotation;
            let of_mid = |column: &Column| match (column.by, skeleton.kind(column.joint)) {
                _ if column.joint != self.limb.limb.mid => 0.0,
                (By::Turn(axis), _) => bend.dot(own * DVec3::AXES[axis]),
                (By::Outer(axis) | By::Inner(axis), _) => bend.dot(own * axis),
                (By::Value, JointKind::Revolute { axis }) => bend.dot(own * axis),
                (By::Value | By::Move(_), _) => 0.0,
            };
            start.extend(self.columns.iter().map(of_mid));
        }
        Problem {
            joints: self.joints(),
            source: frames.iter().map(|frame| clip.frame(*frame)).collect(),
            goals,
            start,
            blend,
            is_open,
            frame_time: clip.frame_time(),
        }
    }
}
