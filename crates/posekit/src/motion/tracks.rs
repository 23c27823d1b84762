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
        let mut tracks = Self::of_joints(clip.skeleton(), wanted);
        let parents = tracks.parents(clip.skeleton());
        tracks.n_frames = clip.n_frames();
        tracks.rotations.reserve_exact(parents.len() * tracks.n_frames);
        tracks.places.reserve_exact(parents.len() * tracks.n_frames);
        // Joint after joint, as they stand in memory.
        for (slot, parent) in parents.into_iter().enumerate() {
            for frame in 0..tracks.n_frames {
                let Pose { rotation, translation } = tracks.pose_of(clip, frame, slot, parent);
                tracks.rotations.push(rotation);
                tracks.places.push(translation);
            }
        }
        tracks
    }

    /// The same joints over the clip with other values, in the same memory. What moved them all is left out.
    ///
    /// - `changed`: the joints whose values may differ
    pub(super) fn over(mut self, clip: &Clip, changed: &[usize]) -> Self {
        self.shifts.clear();
        let parents = self.parents(clip.skeleton());
        let mut is_new = vec![false; parents.len()];
        for (slot, parent) in parents.into_iter().enumerate() {
            is_new[slot] =
                changed.contains(&self.joints[slot]) || parent.is_some_and(|parent| is_new[parent]);
            for frame in (0..self.n_frames).filter(|_| is_new[slot]) {
                let Pose { rotation, translation } = self.pose_of(clip, frame, slot, parent);
                self.rotations[slot * self.n_frames + frame] = rotation;
                self.places[slot * self.n_frames + frame] = translation;
            }
        }
        self
    }

    /// Pose of a joint in a frame of a clip, from that of its parent, which is known.
    #[inline(always)]
    fn pose_of(&self, clip: &Clip, frame: usize, slot: usize, parent: Option<usize>) -> Pose {
        let world_from_parent =
            parent.map_or(Pose::IDENTITY, |parent| self.found(parent * self.n_frames + frame));
        clip.skeleton().pose_on(self.joints[slot], clip.frame(frame), world_from_parent)
    }

    /// The same at every so many frames from the first.
    pub(super) fn every(&self, step: usize) -> Self {
        Self {
            joints: self.joints.clone(),
            slots: self.slots.clone(),
            n_frames: self.n_frames.div_ceil(step),
            rotations: every(&self.rotations, self.n_frames, step),
            places: every(&self.places, self.n_frames, step),
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

/// Of the values of each joint in so many frames those in every so many.
fn every<T: Copy>(values: &[T], n_frames: usize, step: usize) -> Vec<T> {
    let mut seen = Vec::with_capacity(values.len() / step + values.len() / n_frames.max(1));
    for of_joint in values.chunks_exact(n_frames.max(1)) {
        seen.extend(of_joint.iter().step_by(step));
    }
    seen
}
