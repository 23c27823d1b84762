//! From displacements to joint values.

use glam::{DQuat, DVec3};

use super::HoldSettings;
use super::bend::{Bones, bend_axis};
use super::need::{Need, is_carried};
use super::plan::{LimbPlan, Plan};
use crate::math::{atan2, direction_or};
use crate::motion::Clip;
use crate::motion::tracks::Tracks;
use crate::skeleton::{JointKind, Skeleton};

/// A displacement below this part of the limb is rounding: such frames keep their bits.
const NOTHING: f64 = 1e-10;

/// How many frames of a clip, spread over it, tell about which axis a knee mostly bends.
const AXIS_SAMPLES: usize = 200;

/// The clip with everything applied, and the joints that changed.
pub(super) fn apply(
    clip: &Clip,
    plan: &Plan,
    tracks: &Tracks,
    needs: &[Need],
    (root, path): (&[DVec3], &[DVec3]),
    settings: &HoldSettings,
) -> (Clip, Vec<usize>) {
    let skeleton = clip.skeleton();
    let n = skeleton.n_values();
    let mut values = clip.values().to_vec();
    let mut is_changed = vec![false; skeleton.n_joints()];
    if let Some(joint) = plan.root {
        is_changed[joint] = move_root(clip, joint, tracks, (root, path), settings, &mut values);
    }
    for (limb, need) in plan.limbs.iter().zip(needs).filter(|(_, need)| !need.shifts.is_empty()) {
        let mut writer = Writer::new(clip, limb, tracks, settings);
        let carried: &[DVec3] = if is_carried(clip, plan, limb) { root } else { &[] };
        let nothing = NOTHING * need.length;
        let mut is_any = false;
        for (frame, q) in values.chunks_exact_mut(n).enumerate() {
            let (shift, turn) = (need.shifts[frame], need.turn(frame));
            if shift.length_squared() > nothing * nothing || turn.is_some() {
                let shift = shift * settings.strength;
                let turn = turn.map(|turn| part(turn, settings.strength));
                let held = carried.get(frame).is_some();
                writer.write(frame, shift, turn, held, q);
                is_any = true;
            }
        }
        for joint in [limb.limb.start, limb.limb.mid, limb.limb.end] {
            is_changed[joint] |= is_any;
        }
    }
    let changed: Vec<usize> = (0..is_changed.len()).filter(|&joint| is_changed[joint]).collect();
    (clip.with_edited(values, &changed), changed)
}

/// Part of a rotation.
fn part(turn: DQuat, strength: f64) -> DQuat {
    if strength == 1.0 { turn } else { crate::math::slerp(DQuat::IDENTITY, turn, strength) }
}

/// Moves the root; false where it stays where it is.
fn move_root(
    clip: &Clip,
    joint: usize,
    tracks: &Tracks,
    (root, path): (&[DVec3], &[DVec3]),
    settings: &HoldSettings,
    values: &mut [f64],
) -> bool {
    let skeleton = clip.skeleton();
    let (n, place) = (skeleton.n_values(), skeleton.value_range(joint).start);
    let placement = skeleton.parent_from_joint(joint).rotation;
    let mut is_any = false;
    if root.is_empty() && path.is_empty() {
        return false;
    }
    for (frame, q) in values.chunks_exact_mut(n).enumerate() {
        let [root, path] =
            [root, path].map(|shifts| shifts.get(frame).copied().unwrap_or(DVec3::ZERO));
        let shift = root * settings.strength + path;
        if shift == DVec3::ZERO {
            continue;
        }
        is_any = true;
        let before = match skeleton.parent(joint) {
            Some(parent) => tracks.pose(frame, parent).rotation * placement,
            None => placement,
        };
        let local = before.conjugate() * shift;
        for (value, more) in q[place..place + 3].iter_mut().zip(local.to_array()) {
            *value += more;
        }
    }
    is_any
}

/// Writes one limb.
struct Writer<'a> {
    skeleton: &'a Skeleton,
    limb: &'a LimbPlan,
    tracks: &'a Tracks,
    /// The axis that the mid joint mostly bends about, in its own frame; its own axis where it is a hinge.
    axis_in_mid: DVec3,
    is_hinge: bool,
    end_turns: bool,
    /// Bones may grow to this many times their length.
    longest: f64,
}

impl<'a> Writer<'a> {
    fn new(
        clip: &'a Clip,
        limb: &'a LimbPlan,
        tracks: &'a Tracks,
        settings: &HoldSettings,
    ) -> Self {
        let skeleton = clip.skeleton();
        let turns = |joint| matches!(skeleton.kind(joint), JointKind::Ball | JointKind::Free);
        let is_free = |joint| matches!(skeleton.kind(joint), JointKind::Free);
        let (mid, end) = (limb.limb.mid, limb.limb.end);
        let hinge = match skeleton.kind(mid) {
            JointKind::Revolute { axis } => Some(axis),
            _ => None,
        };
        let can_stretch = is_free(mid)
            && is_free(end)
            && skeleton.parent(mid) == Some(limb.limb.start)
            && skeleton.parent(end) == Some(mid);
        Self {
            skeleton,
            limb,
            tracks,
            axis_in_mid: hinge.unwrap_or_else(|| usual_axis(clip, limb, tracks)),
            is_hinge: hinge.is_some(),
            end_turns: turns(end),
            longest: if can_stretch { 1.0 + settings.max_stretch } else { 1.0 },
        }
    }

    /// Writes the limb's joints of one frame: its end moved and turned by this much against its start.
    fn write(
        &mut self,
        frame: usize,
        shift: DVec3,
        turn: Option<DQuat>,
        _held: bool,
        q: &mut [f64],
    ) {
        let limb = self.limb.limb;
        let [start, mid, end] =
            [limb.start, limb.mid, limb.end].map(|joint| self.tracks.pose(frame, joint));
        let (mut u, mut v) =
            (mid.translation - start.translation, end.translation - mid.translation);
        let usual = mid.rotation * self.axis_in_mid;
        let axis = if self.is_hinge { usual } else { bend_axis(u, v, usual) };
        let goal = u + v + shift;
        let mut bones = Bones { u, v, axis };
        if self.longest > 1.0 {
            let stretch = goal.length() / bones.reach();
            let stretch = if stretch < self.longest { stretch } else { self.longest };
            if stretch > 1.0 {
                (u, v) = (u * stretch, v * stretch);
                bones = Bones { u, v, axis };
                self.stretch(limb.mid, stretch, q);
                self.stretch(limb.end, stretch, q);
            }
        }
        let turns = bones.turns(goal);
        self.turn(limb.start, start.rotation, turns.start, q);
        if self.is_hinge {
            let angle = 2.0 * atan2(turns.mid.xyz().dot(axis), turns.mid.w);
            q[self.skeleton.value_range(limb.mid).start] += angle;
        } else {
            self.turn(limb.mid, mid.rotation, turns.mid, q);
        }
        if self.end_turns {
            let back = (turns.start * turns.mid).conjugate();
            let turn = turn.map_or(back, |turn| back * turn);
            self.turn(limb.end, end.rotation, turn, q);
        }
    }

    /// Puts a rotation of the world on top of a joint's.
    fn turn(&self, joint: usize, world_from_joint: DQuat, turn: DQuat, q: &mut [f64]) {
        let place = self.skeleton.value_range(joint).end - 4;
        let now = DQuat::from_xyzw(q[place], q[place + 1], q[place + 2], q[place + 3]);
        let new = now * (world_from_joint.conjugate() * turn * world_from_joint);
        let new = new / new.length();
        q[place..place + 4].copy_from_slice(&new.to_array());
    }

    /// Moves a joint away from its parent.
    fn stretch(&self, joint: usize, factor: f64, q: &mut [f64]) {
        let place = self.skeleton.value_range(joint).start;
        let parent_from_joint = self.skeleton.parent_from_joint(joint);
        let offset = parent_from_joint.rotation.conjugate() * parent_from_joint.translation;
        let now = DVec3::new(q[place], q[place + 1], q[place + 2]);
        let new = (now + offset) * factor - offset;
        q[place..place + 3].copy_from_slice(&new.to_array());
    }
}

/// The axis that a limb mostly bends about, in the frame of its mid joint; zero where it never bends.
fn usual_axis(clip: &Clip, limb: &LimbPlan, tracks: &Tracks) -> DVec3 {
    let limb = limb.limb;
    let step = clip.n_frames() / AXIS_SAMPLES + 1;
    let mut sum = DVec3::ZERO;
    for frame in (0..clip.n_frames()).step_by(step) {
        let [start, mid, end] =
            [limb.start, limb.mid, limb.end].map(|joint| tracks.pose(frame, joint));
        let (u, v) = (mid.translation - start.translation, end.translation - mid.translation);
        sum += mid.rotation.conjugate() * u.cross(v);
    }
    direction_or(sum, DVec3::ZERO)
}
