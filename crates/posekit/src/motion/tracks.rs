//! Where some joints are in every frame.

use glam::{DQuat, DVec3};

use crate::math::Pose;
use crate::skeleton::{Frame, Skeleton};

use super::Clip;

/// Poses in the world of the joints that matter and of their ancestors in every frame: forward kinematics of a few limbs, done once.
#[derive(Debug, Clone)]
pub(super) struct Tracks {
    /// The joints, parents first.
    joints: Vec<usize>,
    /// Place of each joint of the skeleton among `joints`.
    slots: Vec<Option<usize>>,
    n_frames: usize,
    /// Joint after joint, of each frame after frame: who asks for a joint mostly asks for it in many frames.
    rotations: Vec<DQuat>,
    /// In the same order.
    places: Vec<DVec3>,
    /// What all of them are moved by in each frame; no frames where they are not.
    shifts: Vec<DVec3>,
}

impl Tracks {
    /// The tracks of these joints over a clip.
    pub(super) fn new(clip: &Clip, wanted: &[usize]) -> Self {
        let skeleton = clip.skeleton();
        let mut tracks = Self::of_joints(skeleton, wanted);
        let (n_slots, n_frames) = (tracks.joints.len(), clip.n_frames());
        tracks.n_frames = n_frames;
        tracks.rotations = vec![DQuat::IDENTITY; n_slots * n_frames];
        tracks.places = vec![DVec3::ZERO; n_slots * n_frames];
        let parents = tracks.parents(skeleton);
        let mut poses = vec![Pose::IDENTITY; n_slots];
        for frame in 0..n_frames {
            let q = clip.frame(frame);
            for (slot, (&joint, parent)) in tracks.joints.iter().zip(&parents).enumerate() {
                let world_from_parent = parent.map_or(Pose::IDENTITY, |parent| poses[parent]);
                let pose = skeleton.pose_on(joint, q, world_from_parent);
                poses[slot] = pose;
                tracks.rotations[slot * n_frames + frame] = pose.rotation;
                tracks.places[slot * n_frames + frame] = pose.translation;
            }
        }
        tracks
    }

    /// The same joints over a clip with other values, in the same memory: of a clip at hand, that is as much as its own joints need. What moved them all is left out.
    ///
    /// - `old`: the clip that they are of, with as many frames
    pub(super) fn over(mut self, old: &Clip, new: &Clip) -> Self {
        self.shifts.clear();
        let (skeleton, parents) = (new.skeleton(), self.parents(new.skeleton()));
        let mut is_new = vec![false; self.joints.len()];
        for frame in 0..self.n_frames {
            let (was, is) = (old.frame(frame), new.frame(frame));
            for (slot, (&joint, parent)) in self.joints.iter().zip(&parents).enumerate() {
                let range = skeleton.value_range(joint);
                let differs = |(was, is): (&f64, &f64)| was.to_bits() != is.to_bits();
                is_new[slot] = parent.is_some_and(|parent| is_new[parent])
                    || was[range.clone()].iter().zip(&is[range]).any(differs);
                if is_new[slot] {
                    let world_from_parent = parent.map_or(Pose::IDENTITY, |parent| {
                        self.found(parent * self.n_frames + frame)
                    });
                    let pose = skeleton.pose_on(joint, is, world_from_parent);
                    self.rotations[slot * self.n_frames + frame] = pose.rotation;
                    self.places[slot * self.n_frames + frame] = pose.translation;
                }
            }
        }
        self
    }

    /// The same at every so many frames from the first.
    pub(super) fn every(&self, step: usize) -> Self {
        let n = self.n_frames.max(1);
        let rotations = self.rotations.chunks_exact(n).flat_map(|all| all.iter().step_by(step));
        let places = self.places.chunks_exact(n).flat_map(|all| all.iter().step_by(step));
        Self {
            joints: self.joints.clone(),
            slots: self.slots.clone(),
            n_frames: self.n_frames.div_ceil(step),
            rotations: rotations.copied().collect(),
            places: places.copied().collect(),
            shifts: self.shifts.iter().copied().step_by(step).collect(),
        }
    }

    /// The number of frames.
    pub(super) const fn n_frames(&self) -> usize {
        self.n_frames
    }

    /// Whether all of these joints have a track.
    pub(super) fn has(&self, wanted: &[usize]) -> bool {
        wanted.iter().all(|&joint| self.slots.get(joint).copied().flatten().is_some())
    }

    /// The places of a joint in all frames, as it is before all are moved; none for joints without a track.
    pub(super) fn places(&self, joint: usize) -> &[DVec3] {
        let slot = self.slots.get(joint).copied().flatten();
        let start = slot.map_or(self.places.len(), |slot| slot * self.n_frames);
        self.places.get(start..start + self.n_frames).unwrap_or_default()
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
        let (rotations, places, shifts) = (Vec::new(), Vec::new(), Vec::new());
        Self { joints, slots, n_frames: 0, rotations, places, shifts }
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
            self.at(frame, joint).map_or(Pose::IDENTITY, |at| self.found(at));
        Pose { rotation, translation: self.shifted(frame, translation) }
    }

    /// Place of a joint in the world; the origin for joints without a track.
    #[inline]
    pub(super) fn place(&self, frame: usize, joint: usize) -> DVec3 {
        let place = self.at(frame, joint).map_or(DVec3::ZERO, |at| self.places[at]);
        self.shifted(frame, place)
    }

    /// Where a joint's pose of a frame stands.
    #[inline]
    fn at(&self, frame: usize, joint: usize) -> Option<usize> {
        Some(self.slots[joint]? * self.n_frames + frame).filter(|_| frame < self.n_frames)
    }

    #[inline]
    fn found(&self, at: usize) -> Pose {
        Pose { rotation: self.rotations[at], translation: self.places[at] }
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
