//! Where some joints are in every frame.

use posekit::glam::{DQuat, DVec3};
use posekit::math::Pose;
use posekit::skeleton::{Frame, JointKind, Skeleton};

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
        tracks.rotations = vec![DQuat::IDENTITY; parents.len() * tracks.n_frames];
        tracks.places = vec![DVec3::ZERO; parents.len() * tracks.n_frames];
        for (slot, parent) in parents.into_iter().enumerate() {
            tracks.fill(clip, slot, parent);
        }
        tracks
    }

    /// Finds the poses of a joint in all frames of a clip, from those of its parent, which are known.
    fn fill(&mut self, clip: &Clip, slot: usize, parent: Option<usize>) {
        let (skeleton, joint, n) = (clip.skeleton(), self.joints[slot], self.n_frames);
        let (rotations_above, rotations) = self.rotations.split_at_mut(slot * n);
        let (places_above, places) = self.places.split_at_mut(slot * n);
        let own = rotations[..n].iter_mut().zip(&mut places[..n]).enumerate();
        let Some(parent) = parent else {
            for (frame, (rotation, place)) in own {
                let pose = skeleton.pose_on(joint, clip.frame(frame), Pose::IDENTITY);
                (*rotation, *place) = (pose.rotation, pose.translation);
            }
            return;
        };
        let above = rotations_above[parent * n..].iter().zip(&places_above[parent * n..]);
        let placed = skeleton.parent_from_joint(joint);
        let start = skeleton.value_range(joint).start;
        // The joints of captures are balls that stand as their parents do: of their own pose nothing is to be multiplied.
        if skeleton.kind(joint) == JointKind::Ball && placed.rotation == DQuat::IDENTITY {
            for ((frame, (rotation, place)), (turned, at)) in own.zip(above) {
                let turn = DQuat::from_slice(&clip.frame(frame)[start..start + 4]);
                *rotation = *turned * turn;
                *place = *turned * placed.translation + *at;
            }
            return;
        }
        for ((frame, (rotation, place)), (turned, at)) in own.zip(above) {
            let world_from_parent = Pose { rotation: *turned, translation: *at };
            let pose = skeleton.pose_on(joint, clip.frame(frame), world_from_parent);
            (*rotation, *place) = (pose.rotation, pose.translation);
        }
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
