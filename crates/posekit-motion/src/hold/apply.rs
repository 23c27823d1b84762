//! From displacements to joint values.

use core::cell::OnceCell;

use posekit::glam::{DQuat, DVec3};
use posekit::math::{Pose, atan2, so3_exp, so3_log};
use posekit::skeleton::{JointKind, Skeleton};

use super::bend::{Bones, Turns, bend_axis, cos_of, hinge_side};
use super::ease::{Overshoot, fill, read_of};
use super::few::Few;
use super::need::Need;
use super::plan::{LimbPlan, Plan, positions};
use super::{Along, HoldSettings, whole};
use crate::Clip;
use crate::tracks::Tracks;

/// A displacement below this part of the limb is rounding: such frames keep their bits.
const NOTHING: f64 = 1e-10;

/// How far a change may swing over on its way out, as a part of the limb, or \[rad\]: less than viewers see of a foot.
const OVERSHOOT: f64 = 0.006;

/// The same for bends \[rad\].
const OVERBEND: f64 = 0.05;

/// Bones that would become longer by no more than this part of their length keep it: what is missed by less holds.
const LEAST_GROWTH: f64 = 5e-5;

/// The clip with everything applied, and the joints that changed.
pub(super) fn apply(
    clip: &Clip,
    plan: &Plan<'_>,
    tracks: &Tracks,
    needs: &[Need],
    (root, along): (&[DVec3], Along<'_>),
    settings: &HoldSettings,
) -> (Clip, Vec<usize>) {
    let skeleton = clip.skeleton();
    let n = skeleton.n_values();
    let frame_time = clip.frame_time();
    let mut values = clip.values().to_vec();
    let mut is_changed = vec![false; skeleton.n_joints()];
    if let Some(joint) = plan.root {
        is_changed[joint] = move_root(clip, joint, tracks, (root, along), settings, &mut values);
    }
    let moved = OnceCell::new();
    for (limb, need) in plan.limbs.iter().zip(needs).filter(|(_, need)| !need.shifts.is_empty()) {
        let mut writer = Writer::new(clip, limb, tracks, settings);
        let is_any = match &limb.columns {
            Some(columns) => {
                let clip = moved.get_or_init(|| {
                    let path = whole::moved(clip, plan, (along.path, 1.0));
                    whole::moved(&path, plan, (root, 1.0)).into_owned()
                });
                let few = Few { clip, limb, columns };
                let joints = few.joints();
                let changes = few.hold(need, |frame| writer.bend_to(frame, need.shifts[frame]));
                let mut is_any = false;
                for (frame, mut change) in changes {
                    let share = settings.strength * along.share(frame);
                    change.iter_mut().for_each(|x| *x *= share);
                    is_any |= change.iter().any(|x| *x != 0.0);
                    let q = &mut values[frame * n..(frame + 1) * n];
                    let changed = joints.changed(q, &change);
                    q.copy_from_slice(&changed);
                }
                is_any
            }
            None => {
                writer.stretch_only_to_reach(need, settings.strength);
                let moves = writer.moves(need, frame_time, settings.strength);
                let nothing = NOTHING * need.length;
                let mut is_any = false;
                for ((frame, q), moved) in values.chunks_exact_mut(n).enumerate().zip(moves) {
                    let share = along.share(frame);
                    let moved = moved.part(share);
                    let turn = need.turn(frame).filter(|_| settings.strength * share > 0.0);
                    if moved.size(need.length) > nothing || turn.is_some() {
                        let turn = turn.map(|turn| part(turn, settings.strength * share));
                        writer.write(frame, moved, turn, q);
                        is_any = true;
                    }
                }
                is_any
            }
        };
        for joint in limb.limb.joints() {
            is_changed[joint] |= is_any;
        }
    }
    let changed: Vec<usize> = (0..is_changed.len()).filter(|&joint| is_changed[joint]).collect();
    (clip.with_edited(values, &changed), changed)
}

/// Brings the ends of limbs into poses, or as near as they reach, and turned as there.
///
/// - `limbs`: each with frames, and the pose of its end there
pub(super) fn bring_ends(clip: Clip, limbs: &[(&LimbPlan, Vec<(usize, Pose)>)]) -> Clip {
    let joints: Vec<usize> = limbs.iter().flat_map(|(plan, _)| plan.limb.joints()).collect();
    let tracks = Tracks::new(&clip, &joints);
    let n = clip.skeleton().n_values();
    let mut values = clip.values().to_vec();
    let settings = HoldSettings::default();
    for (plan, poses) in limbs {
        let writer = Writer::new(&clip, plan, &tracks, &settings);
        let shift = |frame, goal: Pose| goal.translation - tracks.place(frame, plan.limb.end);
        if let Some(columns) = &plan.columns {
            let few = Few { clip: &clip, limb: plan, columns };
            let bend = |frame, goal| writer.bend_to(frame, shift(frame, goal));
            for ((frame, _), q) in poses.iter().zip(few.bring(poses, bend)) {
                values[frame * n..(frame + 1) * n].copy_from_slice(&q);
            }
            continue;
        }
        for &(frame, goal) in poses {
            let q = &mut values[frame * n..(frame + 1) * n];
            let now = tracks.pose(frame, plan.limb.end);
            let shift = shift(frame, goal);
            let turn = goal.rotation * now.rotation.conjugate();
            writer.write(frame, Move::To(shift), Some(turn), q);
        }
    }
    clip.with_edited(values, &joints)
}

/// Part of a rotation.
pub(super) fn part(turn: DQuat, strength: f64) -> DQuat {
    if strength == 1.0 { turn } else { posekit::math::slerp(DQuat::IDENTITY, turn, strength) }
}

/// Moves the root; false where it stays where it is.
fn move_root(
    clip: &Clip,
    joint: usize,
    tracks: &Tracks,
    (root, along): (&[DVec3], Along<'_>),
    settings: &HoldSettings,
    values: &mut [f64],
) -> bool {
    let skeleton = clip.skeleton();
    let (n, place) = (skeleton.n_values(), skeleton.value_range(joint).start);
    let placement = skeleton.parent_from_joint(joint).rotation;
    let mut is_any = false;
    if root.is_empty() && along.path.is_empty() {
        return false;
    }
    for (frame, q) in values.chunks_exact_mut(n).enumerate() {
        let [root, path] =
            [root, along.path].map(|shifts| shifts.get(frame).copied().unwrap_or(DVec3::ZERO));
        let shift = root * (settings.strength * along.share(frame)) + path * along.path_part;
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
    /// The axis that the mid joint mostly bends about, in its own frame; its own axis or the opposite one where it is a hinge.
    axis_in_mid: DVec3,
    /// The axis of the mid joint where it is a hinge.
    hinge: Option<DVec3>,
    /// How long the bones of the limb may become together; 0 where they keep their lengths.
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
        let mid = limb.limb.mid;
        let hinge = match skeleton.kind(mid) {
            JointKind::Revolute { axis } => Some(axis),
            _ => None,
        };
        Self {
            skeleton,
            limb,
            tracks,
            axis_in_mid: limb.usual_axis(clip, tracks),
            hinge,
            longest: if settings.max_stretch > 0.0 && limb.limb.can_stretch(skeleton) {
                (1.0 + settings.max_stretch) * usual_length(clip, limb, tracks)
            } else {
                0.0
            },
        }
    }

    /// Lets the bones keep their lengths where all that is held can be reached with them, but for what is no miss.
    fn stretch_only_to_reach(&mut self, need: &Need, strength: f64) {
        if self.longest == 0.0 {
            return;
        }
        let growth = |frame: usize| {
            let (bones, goal) = self.bones(frame, need.shifts[frame] * strength);
            self.growth(&bones, goal)
        };
        let mut held = need.spans.iter().flat_map(|span| span.frames.clone());
        if !held.any(|frame| growth(frame) > LEAST_GROWTH) {
            self.longest = 0.0;
        }
    }

    /// How the limb moves in each frame: where it holds something as its end must, and between by turns that die away.
    ///
    /// Turns, because a displacement that dies away straightens knees that are already nearly straight in the source, all at once.
    fn moves(&self, need: &Need, frame_time: f64, strength: f64) -> Vec<Move> {
        let n = need.shifts.len();
        let nothing = NOTHING * need.length;
        let shift = |frame: usize| {
            let shift = need.shifts[frame] * strength;
            (shift.length_squared() > nothing * nothing).then_some(shift)
        };
        let [mut swings, mut bends] = [vec![DVec3::ZERO; n], vec![DVec3::ZERO; n]];
        let mut growths = vec![DVec3::ZERO; if self.longest > 0.0 { n } else { 0 }];
        for frame in need.spans.iter().flat_map(|span| read_of(span, frame_time)) {
            if let Some(shift) = shift(frame) {
                let (bones, goal) = self.bones(frame, shift);
                let growth = self.growth(&bones, goal);
                let turns = bones.grown(growth).turns(goal);
                swings[frame] = so3_log(turns.start);
                bends[frame].x = angle_about(turns.mid, bones.axis);
                if let Some(of_frame) = growths.get_mut(frame) {
                    of_frame.x = growth;
                }
            }
        }
        fill(&mut swings, &need.spans, frame_time, Overshoot(OVERSHOOT));
        fill(&mut bends, &need.spans, frame_time, Overshoot(OVERBEND));
        if growths.iter().any(|growth| *growth != DVec3::ZERO) {
            fill(&mut growths, &need.spans, frame_time, Overshoot(0.0));
        }
        let between = |(frame, (swing, bend)): (usize, (DVec3, DVec3))| {
            let growth = growths.get(frame).map_or(0.0, |growth| growth.x);
            Move::By { swing, bend: bend.x, growth }
        };
        let mut moves: Vec<Move> = swings.into_iter().zip(bends).enumerate().map(between).collect();
        for frame in need.spans.iter().flat_map(|span| span.frames.clone()) {
            moves[frame] = shift(frame).map_or(Move::None, Move::To);
        }
        moves
    }

    /// The turn of the middle that the closed form makes for the end to move, as a rotation vector.
    fn bend_to(&self, frame: usize, shift: DVec3) -> DVec3 {
        let (bones, goal) = self.bones(frame, shift);
        bones.axis * angle_about(bones.turns(goal).mid, bones.axis)
    }

    /// The limb in one frame, to move its end by this much, and where that is wanted, as seen from its start.
    fn bones(&self, frame: usize, shift: DVec3) -> (Bones, DVec3) {
        let [u, v, usual] = self.bones_and_usual_axis(frame);
        let goal = u + v + shift;
        let cos = cos_of(u, v, goal.length_squared());
        let bones = match self.hinge {
            Some(_) => Bones { u, v, axis: usual, side: hinge_side(u, v, usual, cos) },
            None => Bones { u, v, axis: bend_axis(u, v, usual, cos), side: 1.0 },
        };
        (bones, goal)
    }

    /// The turn of the mid in one frame that bends it by an angle more.
    fn bend(&self, frame: usize, more: f64) -> DQuat {
        let [u, v, usual] = self.bones_and_usual_axis(frame);
        let axis = if self.hinge.is_some() {
            usual
        } else {
            let bent = so3_exp(usual * more) * v;
            bend_axis(u, v, usual, cos_of(u, v, (u + bent).length_squared()))
        };
        so3_exp(axis * more)
    }

    /// Both bones of the limb in one frame, and the axis that it mostly bends about.
    fn bones_and_usual_axis(&self, frame: usize) -> [DVec3; 3] {
        let [start, mid, end] = positions(self.limb.limb, self.tracks, frame);
        let turn = self.tracks.pose(frame, self.limb.limb.mid).rotation;
        [mid - start, end - mid, turn * self.axis_in_mid]
    }

    /// How much longer bones become to reach a goal, as a part of their length; no more than they may.
    fn growth(&self, bones: &Bones, goal: DVec3) -> f64 {
        let (length, reach) = (bones.u.length() + bones.v.length(), bones.reach());
        if self.longest <= length || goal.length() <= reach {
            return 0.0;
        }
        (goal.length() / reach).min(self.longest / length) - 1.0
    }

    /// Writes the limb's joints of one frame: its end moved and turned by this much against its start.
    fn write(&self, frame: usize, moved: Move, turn: Option<DQuat>, q: &mut [f64]) {
        let limb = self.limb.limb;
        let [start, mid, end] = limb.joints().map(|joint| self.tracks.pose(frame, joint).rotation);
        let turns = match moved {
            Move::None => Turns { start: DQuat::IDENTITY, mid: DQuat::IDENTITY },
            Move::By { swing, bend, growth } => {
                self.grow(growth, q);
                Turns { start: so3_exp(swing), mid: self.bend(frame, bend) }
            }
            Move::To(shift) => {
                let (bones, goal) = self.bones(frame, shift);
                let growth = self.growth(&bones, goal);
                self.grow(growth, q);
                bones.grown(growth).turns(goal)
            }
        };
        self.turn(limb.start, start, turns.start, q);
        if let Some(axis) = self.hinge {
            let angle = angle_about(turns.mid, mid * axis);
            q[self.skeleton.value_range(limb.mid).start] += angle;
        } else {
            self.turn(limb.mid, mid, turns.mid, q);
        }
        let back = (turns.start * turns.mid).conjugate();
        let turn = turn.map_or(back, |turn| back * turn);
        self.turn(limb.end, end, turn, q);
    }

    /// Puts a rotation of the world on top of a joint's.
    fn turn(&self, joint: usize, world_from_joint: DQuat, turn: DQuat, q: &mut [f64]) {
        let place = self.skeleton.value_range(joint).end - 4;
        let now = DQuat::from_xyzw(q[place], q[place + 1], q[place + 2], q[place + 3]);
        let new = now * (world_from_joint.conjugate() * turn * world_from_joint);
        let new = new * (1.0 / new.length());
        q[place..place + 4].copy_from_slice(&new.to_array());
    }

    /// Makes both bones longer by a part of their length.
    fn grow(&self, growth: f64, q: &mut [f64]) {
        if growth > 0.0 {
            self.stretch(self.limb.limb.mid, 1.0 + growth, q);
            self.stretch(self.limb.limb.end, 1.0 + growth, q);
        }
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

/// How a limb moves in one frame.
#[derive(Debug, Clone, Copy)]
enum Move {
    /// Not at all.
    None,
    /// Its end by this much against its start.
    To(DVec3),
    /// By turns, where nothing is held: of its start in the world, and of its middle about its axis \[rad\]; its bones are still longer by a part of their length.
    By { swing: DVec3, bend: f64, growth: f64 },
}

impl Move {
    /// Part of it.
    fn part(self, share: f64) -> Self {
        match self {
            Self::None => Self::None,
            Self::To(shift) => Self::To(shift * share),
            Self::By { swing, bend, growth } => {
                Self::By { swing: swing * share, bend: bend * share, growth: growth * share }
            }
        }
    }

    /// How far the end of a limb of this length gets at most.
    fn size(&self, length: f64) -> f64 {
        match *self {
            Self::None => 0.0,
            Self::To(shift) => shift.length(),
            Self::By { swing, bend, growth } => length * (swing.length() + bend.abs() + growth),
        }
    }
}

/// The angle of a rotation about a unit axis.
fn angle_about(turn: DQuat, axis: DVec3) -> f64 {
    2.0 * atan2(turn.xyz().dot(axis), turn.w)
}

/// How long the bones of a limb mostly are together: the median, as those that an earlier cleaning made longer must not be made longer again.
fn usual_length(clip: &Clip, limb: &LimbPlan, tracks: &Tracks) -> f64 {
    let length = |frame| {
        let [start, mid, end] = positions(limb.limb, tracks, frame);
        start.distance(mid) + mid.distance(end)
    };
    let mut lengths: Vec<f64> = (0..clip.n_frames()).map(length).collect();
    let middle = lengths.len() / 2;
    if lengths.is_empty() { 0.0 } else { *lengths.select_nth_unstable_by(middle, f64::total_cmp).1 }
}
