//! Where some joints are in every frame.

use glam::DVec3;

use crate::math::Pose;
use crate::skeleton::{Frame, Skeleton};

use super::Clip;

/// Poses in the world of the joints that matter and of their ancestors, frame after frame: forward kinematics of a few limbs, done once.
#[derive(Debug, Clone)]
pub(super) struct Tracks {
    /// The joints, parents first.
    joints: Vec<usize>,
    /// Place of each joint of the skeleton among `joints`.
    slots: Vec<Option<usize>>,
    poses: Vec<Pose>,
    /// What all of them are moved by in each frame; no frames where they are not.
    shifts: Vec<DVec3>,
}

impl Tracks {
    /// The tracks of these joints over a clip.
    pub(super) fn new(clip: &Clip, wanted: &[usize]) -> Self {
        let mut tracks = Self::of_joints(clip.skeleton(), wanted);
        let n_slots = tracks.joints.len();
        tracks.poses = vec![Pose::IDENTITY; n_slots * clip.n_frames()];
        let parents = tracks.parents(clip.skeleton());
        for (frame, poses) in tracks.poses.chunks_exact_mut(n_slots.max(1)).enumerate() {
            place(clip.skeleton(), clip.frame(frame), &tracks.joints, &parents, poses);
        }
        tracks
    }

    /// The same joints over a clip with other values, in the same memory: of a clip at hand, that is as much as its own joints need. What moved them all is left out.
    ///
    /// - `old`: the clip that they are of, with as many frames
    pub(super) fn over(mut self, old: &Clip, new: &Clip) -> Self {
        self.shifts.clear();
        let n_slots = self.joints.len().max(1);
        let (skeleton, parents) = (new.skeleton(), self.parents(new.skeleton()));
        let mut is_new = vec![false; n_slots];
        for (frame, poses) in self.poses.chunks_exact_mut(n_slots).enumerate() {
            let (was, is) = (old.frame(frame), new.frame(frame));
            for (slot, (&joint, parent)) in self.joints.iter().zip(&parents).enumerate() {
                let range = skeleton.value_range(joint);
                let differs = |(was, is): (&f64, &f64)| was.to_bits() != is.to_bits();
                is_new[slot] = parent.is_some_and(|parent| is_new[parent])
                    || was[range.clone()].iter().zip(&is[range]).any(differs);
                if is_new[slot] {
                    let world_from_parent = parent.map_or(Pose::IDENTITY, |parent| poses[parent]);
                    poses[slot] = skeleton.pose_on(joint, is, world_from_parent);
                }
            }
        }
        self
    }

    /// The same at every so many frames from the first.
    pub(super) fn every(&self, step: usize) -> Self {
        let frames = self.poses.chunks_exact(self.joints.len().max(1));
        let poses = frames.step_by(step).flatten().copied().collect();
        let shifts = self.shifts.iter().copied().step_by(step).collect();
        Self { joints: self.joints.clone(), slots: self.slots.clone(), poses, shifts }
    }

    /// The number of frames.
    pub(super) fn n_frames(&self) -> usize {
        self.poses.len().checked_div(self.joints.len()).unwrap_or(0)
    }

    /// Whether all of these joints have a track.
    pub(super) fn has(&self, wanted: &[usize]) -> bool {
        wanted.iter().all(|&joint| self.slot(joint).is_some())
    }

    /// The places of a joint in so many frames; the origin for joints without a track.
    pub(super) fn places(&self, joint: usize, n_frames: usize) -> Vec<DVec3> {
        let Some(slot) = self.slot(joint) else { return vec![DVec3::ZERO; n_frames] };
        let frames = self.poses.chunks_exact(self.joints.len());
        frames.map(|poses| poses[slot].translation).collect()
    }

    fn slot(&self, joint: usize) -> Option<usize> {
        self.slots.get(joint).copied().flatten()
    }

    /// The same, moved in the world frame by frame, as by a root that carries all of these joints but those above it.
    pub(super) fn moved(self, shifts: &[DVec3]) -> Self {
        Self { shifts: shifts.to_vec(), ..self }
    }

    /// Tracks of no frames.
    fn of_joints(skeleton: &Skeleton, wanted: &[usize]) -> Self {
        let mut is_needed = vec![false; skeleton.n_joints()];
        for &joint in wanted {
            for above in skeleton.ancestors(joint) {
                is_needed[above] = true;
            }
        }
        let joints: Vec<usize> = (0..is_needed.len()).filter(|&joint| is_needed[joint]).collect();
        let mut slots = vec![None; is_needed.len()];
        joints.iter().enumerate().for_each(|(slot, &joint)| slots[joint] = Some(slot));
        Self { joints, slots, poses: Vec::new(), shifts: Vec::new() }
    }

    /// For each joint of the tracks, where its parent's pose is.
    fn parents(&self, skeleton: &Skeleton) -> Vec<Option<usize>> {
        self.joints
            .iter()
            .map(|&joint| skeleton.parent(joint).and_then(|parent| self.slots[parent]))
            .collect()
    }

    /// Pose of a joint in the world; the identity for joints without a track.
    #[inline]
    pub(super) fn pose(&self, frame: usize, joint: usize) -> Pose {
        let Pose { rotation, translation } =
            self.found(frame, joint).copied().unwrap_or(Pose::IDENTITY);
        Pose { rotation, translation: self.shifted(frame, translation) }
    }

    /// Place of a joint in the world; the origin for joints without a track.
    #[inline]
    pub(super) fn place(&self, frame: usize, joint: usize) -> DVec3 {
        let place = self.found(frame, joint).map_or(DVec3::ZERO, |pose| pose.translation);
        self.shifted(frame, place)
    }

    #[inline]
    fn found(&self, frame: usize, joint: usize) -> Option<&Pose> {
        let slot = self.slots[joint]?;
        self.poses.get(frame * self.joints.len() + slot)
    }

    #[inline]
    fn shifted(&self, frame: usize, place: DVec3) -> DVec3 {
        self.shifts.get(frame).map_or(place, |shift| place + *shift)
    }

    /// Pose of a frame that stands on a joint.
    #[inline]
    pub(super) fn frame_pose(&self, frame: usize, on: &Frame) -> Pose {
        self.pose(frame, on.joint) * on.joint_from_frame
    }

    /// Place of a frame that stands on a joint.
    #[inline]
    pub(super) fn frame_place(&self, frame: usize, on: &Frame) -> DVec3 {
        let Pose { rotation, translation } = self.pose(frame, on.joint);
        rotation * on.joint_from_frame.translation + translation
    }
}

fn place(
    skeleton: &Skeleton,
    q: &[f64],
    joints: &[usize],
    parents: &[Option<usize>],
    poses: &mut [Pose],
) {
    for (slot, (&joint, parent)) in joints.iter().zip(parents).enumerate() {
        let world_from_parent = parent.map_or(Pose::IDENTITY, |parent| poses[parent]);
        poses[slot] = skeleton.pose_on(joint, q, world_from_parent);
    }
}
