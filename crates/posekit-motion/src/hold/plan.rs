//! Which limb holds which contact, and where the root is that carries them.

use core::cell::OnceCell;
use core::ops::Range;
use std::sync::Arc;

use posekit::glam::DVec3;
use posekit::math::Pose;
use posekit::skeleton::{Frame, JointKind, Skeleton};

use super::few;
use super::joints::Column;
use super::rest::Rest;
use super::{HoldSettings, Keep};
use crate::bend::STRAIGHT;
use crate::error::{Error, Result};
use crate::leg::{BETTER, Shape, Side};
use crate::names::{Part, Words, words};
use crate::space_time::usual_axis;
use crate::tracks::Tracks;
use crate::{Clip, Contact, Hold, Limb, Support};

/// How much longer or shorter than a limb its other one may be for the two to be a pair.
const PAIR: core::ops::RangeInclusive<f64> = 0.8..=1.25;

/// Largest size of a coordinate: the bound of posekit's skeletons.
const LARGEST: f64 = 1e100;

/// What is held where, in frames.
#[derive(Debug, Clone)]
pub(super) struct Point {
    /// Which contact.
    pub(super) contact: usize,
    pub(super) frame: Frame,
    pub(super) frames: Range<usize>,
    /// What is held, in the frame of what it is on.
    own: Target,
    /// Where that is, frame after frame; none for the world.
    supports: Arc<[Pose]>,
    /// In frames.
    pub(super) ease_in: f64,
    pub(super) ease_out: f64,
}

impl Point {
    /// What is held in a frame, in the world.
    #[inline]
    pub(super) fn target(&self, frame: usize) -> Target {
        match (self.supports.get(frame), self.own) {
            (None, own) => own,
            (Some(on), Target::Position(point)) => Target::Position(on.transform_point(point)),
            (Some(on), Target::Pose(pose)) => Target::Pose(*on * pose),
            (Some(on), Target::Surface(point, normal)) => {
                Target::Surface(on.transform_point(point), on.rotation * normal)
            }
        }
    }

    /// A pose in the world of a frame, seen from what is held.
    fn seen(&self, frame: usize, pose: Pose) -> Pose {
        self.supports.get(frame).map_or(pose, |on| on.inverse() * pose)
    }

    /// Whether one of two has not quite gone as the other comes.
    fn meets(&self, other: &Self) -> bool {
        let begins = |point: &Self| point.frames.start as f64 - point.ease_in;
        let ends = |point: &Self| point.frames.end as f64 + point.ease_out;
        begins(self) <= ends(other) && begins(other) <= ends(self)
    }

    /// How far in its ease it is in a frame: 1 while it holds, 0 where it does not yet or no more.
    pub(super) fn coming(&self, frame: usize) -> f64 {
        if self.frames.contains(&frame) {
            return 1.0;
        }
        let ease = if frame < self.frames.start { self.ease_in } else { self.ease_out };
        let away = self
            .frames
            .start
            .saturating_sub(frame)
            .max((frame + 1).saturating_sub(self.frames.end));
        let coming = 1.0 - away as f64 / (ease + 1.0);
        if coming > 0.0 && !self.frames.is_empty() { coming } else { 0.0 }
    }

    /// The frames in which it holds, and its eases.
    pub(super) fn eased(&self) -> Range<usize> {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it saturates")]
        let whole = |frames: f64| frames.ceil() as usize;
        let is_empty = self.frames.is_empty();
        let first = self.frames.start.saturating_sub(whole(self.ease_in));
        let end = self.frames.end.saturating_add(whole(self.ease_out));
        if is_empty { self.frames.clone() } else { first..end }
    }
}

/// How far the nearest of some points is in its ease, at rest where it begins and ends.
pub(super) fn held_part(points: &[Point], frame: usize) -> f64 {
    at_rest(points.iter().map(|point| point.coming(frame)).fold(0.0, f64::max))
}

/// From 0 at 0 to 1 at 1, at rest at both.
pub(super) fn at_rest(t: f64) -> f64 {
    t * t * t * (10.0 - 15.0 * t + 6.0 * t * t)
}

/// [`Hold`] with what was left open filled in.
#[derive(Debug, Clone, Copy)]
pub(super) enum Target {
    Position(DVec3),
    Pose(Pose),
    /// A point and a unit normal.
    Surface(DVec3, DVec3),
}

impl Target {
    /// Where a point must be, that is here now.
    #[inline]
    pub(super) fn position(&self, here: DVec3) -> DVec3 {
        match *self {
            Self::Position(point) => point,
            Self::Pose(pose) => pose.translation,
            Self::Surface(point, normal) => here + normal * normal.dot(point - here),
        }
    }
}

/// A limb and all that it holds.
#[derive(Debug, Clone)]
pub(super) struct LimbPlan {
    pub(super) limb: Limb,
    /// The root goes along with what it holds.
    pub(super) is_leg: bool,
    /// In the order of their first frames.
    pub(super) points: Vec<Point>,
    /// Its columns, where its joints turn about too few axes for the closed form.
    pub(super) columns: Option<Vec<Column>>,
    /// The axis that it bends about where the motion tells nothing of it, in the frame of its mid; zero where nothing else does.
    pub(super) rest_axis: DVec3,
}

impl LimbPlan {
    /// The axis that it mostly bends about, in the frame of its mid: in the motion, or at rest where it is as good as straight in all of it.
    pub(super) fn usual_axis(&self, clip: &Clip, tracks: &Tracks) -> DVec3 {
        usual_axis(clip, self.limb, tracks, (STRAIGHT, self.rest_axis))
    }

    /// Gives up some points, and what meets them: by itself the limb would hold that in another way, and the body jump from one to the other.
    fn leave(&mut self, is_left: impl FnMut(&mut Point) -> bool) -> Vec<Point> {
        let mut left: Vec<Point> = self.points.extract_if(.., is_left).collect();
        let mut k = 0;
        while let Some(point) = left.get(k).cloned() {
            left.extend(self.points.extract_if(.., |other| point.meets(other)));
            k += 1;
        }
        left
    }
}

/// Everything that is held.
#[derive(Debug)]
pub(super) struct Plan<'k> {
    /// What a file keeps.
    pub(super) keep: Option<&'k Keep>,
    pub(super) limbs: Vec<LimbPlan>,
    /// What no limb holds by itself: the whole body does.
    pub(super) others: Vec<Point>,
    /// The joint that carries all limbs and can be moved.
    pub(super) root: Option<usize>,
}

impl Plan<'_> {
    /// Whether a limb moves with the root.
    pub(super) fn carries(&self, skeleton: &Skeleton, limb: Limb) -> bool {
        self.root
            .is_some_and(|root| skeleton.ancestors(limb.start).skip(1).any(|joint| joint == root))
    }

    /// Leaves to the whole body what an arm does not reach: the root, going along by itself, would drag the feet, and does not bend a back.
    ///
    /// - `tracks`: with the joints of all limbs
    pub(super) fn leave_to_body(&mut self, tracks: &Tracks) {
        let Self { limbs, others, .. } = self;
        for arm in limbs.iter_mut().filter(|limb| !limb.is_leg) {
            let limb = arm.limb;
            let is_beyond = |point: &mut Point| {
                point.frames.clone().any(|frame| {
                    let [start, mid, end] = positions(limb, tracks, frame);
                    let here = tracks.frame_pose(frame, &point.frame).translation;
                    let goal = end + point.target(frame).position(here) - here;
                    goal.distance(start) > start.distance(mid) + mid.distance(end)
                })
            };
            others.extend(arm.leave(is_beyond));
        }
    }
}

pub(super) fn positions(limb: Limb, tracks: &Tracks, frame: usize) -> [DVec3; 3] {
    limb.joints().map(|joint| tracks.place(frame, joint))
}

/// Joints whose motion holding needs.
pub(super) fn joints_of(plan: &Plan<'_>) -> Vec<usize> {
    let limbs = plan.limbs.iter().flat_map(|limb| {
        let Limb { start, mid, end } = limb.limb;
        [start, mid, end].into_iter().chain(limb.points.iter().map(|point| point.frame.joint))
    });
    limbs.chain(plan.root).chain(plan.others.iter().map(|point| point.frame.joint)).collect()
}

/// Checks the contacts, finds their limbs and the root; targets that are left open stay so until [`fill_targets`].
pub(super) fn plan<'k>(
    clip: &Clip,
    contacts: &[Contact],
    settings: &HoldSettings,
    keep: Option<&'k Keep>,
) -> Result<Plan<'k>> {
    let skeleton = clip.skeleton();
    check_contacts(skeleton, contacts)?;
    let mut plan = Plan { keep, limbs: Vec::new(), others: Vec::new(), root: None };
    let limb_plan = |limb: Limb, is_leg: bool| {
        let columns = few::columns(skeleton, limb, keep);
        LimbPlan { limb, is_leg, points: Vec::new(), columns, rest_axis: DVec3::ZERO }
    };
    for &limb in &settings.legs {
        check_limb(skeleton, limb)?;
        plan.limbs.push(limb_plan(limb, true));
    }
    let limbs = Limbs::new(skeleton);
    for (index, contact) in contacts.iter().enumerate() {
        let point = point(clip, index, contact);
        let Some(limb) = limbs.holding(&plan.limbs, contact.frame.joint) else {
            plan.others.push(point);
            continue;
        };
        match plan.limbs.iter_mut().find(|plan| plan.limb == limb) {
            Some(plan) => plan.points.push(point),
            None => {
                plan.limbs.push(LimbPlan { points: vec![point], ..limb_plan(limb, false) });
            }
        }
    }
    for limb in &mut plan.limbs {
        limb.points.sort_by_key(|point| (point.frames.start, point.contact));
    }
    let rest = Rest::new(skeleton);
    let axes: Vec<DVec3> =
        plan.limbs.iter().map(|limb| rest.axis_in_mid(limb, &plan.limbs)).collect();
    for (limb, axis) in plan.limbs.iter_mut().zip(axes) {
        limb.rest_axis = axis;
    }
    let starts: Vec<usize> = plan.limbs.iter().map(|plan| plan.limb.start).collect();
    plan.root = root_of(skeleton, &starts);
    Ok(plan)
}

/// Refuses contacts that make no sense on a skeleton.
pub(crate) fn check_contacts(skeleton: &Skeleton, contacts: &[Contact]) -> Result<()> {
    contacts.iter().enumerate().try_for_each(|(index, contact)| check(skeleton, index, contact))
}

fn check(skeleton: &Skeleton, index: usize, contact: &Contact) -> Result<()> {
    skeleton.check_frame(&contact.frame)?;
    if let Support::Joint(joint) = contact.on {
        let n_joints = skeleton.n_joints();
        if joint >= n_joints {
            return Err(Error::NoSuchJoint { what: "what a contact is on", joint, n_joints });
        }
        if skeleton.ancestors(joint).any(|above| above == contact.frame.joint) {
            let need = "contacts on joints that do not hang on what they hold";
            return Err(Error::Unsuited { method: "hold", need });
        }
    }
    let times = [contact.from, contact.to, contact.ease_in, contact.ease_out];
    if times.iter().any(|time| !time.is_finite()) {
        return Err(Error::NonFinite { what: "a contact's times", index });
    }
    let is_ordered =
        contact.from <= contact.to && contact.ease_in >= 0.0 && contact.ease_out >= 0.0;
    if !is_ordered {
        let need = "no later than its end, with eases of 0 or more";
        return Err(Error::OutOfRange { what: "contact", index, value: contact.from, need });
    }
    let is_finite = match contact.hold {
        Hold::Position(point) => point.is_none_or(DVec3::is_finite),
        Hold::Pose(pose) => pose.is_none_or(Pose::is_finite),
        Hold::Surface { point, normal } => point.is_finite() && normal.is_finite(),
    };
    if !is_finite {
        return Err(Error::NonFinite { what: "what a contact holds", index });
    }
    let place = match contact.hold {
        Hold::Position(point) => point.unwrap_or_default(),
        Hold::Pose(pose) => pose.map_or(DVec3::ZERO, |pose| pose.translation),
        Hold::Surface { point, .. } => point,
    };
    let own = contact.frame.joint_from_frame.translation;
    let path = match &contact.on {
        Support::Moving(path) => path.poses(),
        Support::World | Support::Joint(_) => &[],
    };
    let path = path.iter().map(|pose| ("place of what a contact is on", pose.translation));
    let places = [("place of a contact", place), ("offset of a contact", own)];
    for (field, place) in places.into_iter().chain(path) {
        let beyond = place.to_array().into_iter().find(|value| value.abs() > LARGEST);
        if let Some(value) = beyond {
            let (min, max) = (-LARGEST, LARGEST);
            let joint = skeleton.name(contact.frame.joint).to_owned();
            return Err(Error::JointOutOfBounds { joint, field, value, min, max });
        }
    }
    match contact.hold {
        Hold::Surface { normal, .. } if normal == DVec3::ZERO => {
            Err(Error::ZeroLength { what: "a contact's normal" })
        }
        Hold::Pose(Some(pose)) if (pose.rotation.length() - 1.0).abs() > 1e-3 => {
            let length = pose.rotation.length();
            Err(Error::NotUnit { what: "rotation of a contact's pose", length })
        }
        _ => Ok(()),
    }
}

/// Refuses a limb that is no branch.
pub(crate) fn check_limb(skeleton: &Skeleton, limb: Limb) -> Result<()> {
    let n_joints = skeleton.n_joints();
    for joint in limb.joints() {
        if joint >= n_joints {
            return Err(Error::NoSuchJoint { what: "limb", joint, n_joints });
        }
    }
    let is_branch = limb.start != limb.mid
        && limb.mid != limb.end
        && skeleton.ancestors(limb.end).any(|joint| joint == limb.mid)
        && skeleton.ancestors(limb.mid).any(|joint| joint == limb.start);
    if is_branch {
        Ok(())
    } else {
        Err(Error::Unsuited { method: "hold", need: "limbs whose joints follow each other" })
    }
}

fn point(clip: &Clip, index: usize, contact: &Contact) -> Point {
    let unit = |pose: Pose| Pose { rotation: pose.rotation.normalize(), ..pose };
    let own = match contact.hold {
        // What is left open is NaN until it is filled in.
        Hold::Position(point) => Target::Position(point.unwrap_or(DVec3::NAN)),
        Hold::Pose(pose) => Target::Pose(pose.map_or(Pose::from_translation(DVec3::NAN), unit)),
        Hold::Surface { point, normal } => {
            Target::Surface(point, posekit::math::direction_or(normal, DVec3::Y))
        }
    };
    let frames = clip.frames(contact.from, contact.to);
    Point {
        contact: index,
        frame: contact.frame,
        frames,
        own,
        supports: match &contact.on {
            Support::Moving(path) => {
                (0..clip.n_frames()).map(|frame| path.pose(clip.time(frame))).collect()
            }
            Support::World | Support::Joint(_) => Arc::new([]),
        },
        ease_in: contact.ease_in / clip.frame_time(),
        ease_out: contact.ease_out / clip.frame_time(),
    }
}

/// What a contact holds, with what it leaves open as it is in the middle of its time.
///
/// - `contact`: on no joint
pub(super) fn filled(clip: &Clip, index: usize, contact: &Contact) -> Hold {
    let mut points = [point(clip, index, contact)];
    fill_targets(&mut points, &Tracks::new(clip, &[contact.frame.joint]));
    match (contact.hold, points[0].own) {
        (_, Target::Position(place)) if !place.is_nan() => Hold::Position(Some(place)),
        (_, Target::Pose(pose)) if pose.is_finite() => Hold::Pose(Some(pose)),
        (hold, _) => hold,
    }
}

/// Fills in the targets that contacts leave open: where the frame is in the middle of its time.
pub(super) fn fill_targets(points: &mut [Point], tracks: &Tracks) {
    for point in points.iter_mut().filter(|point| !point.frames.is_empty()) {
        let last = point.frames.end - 1;
        let (a, b) = ((point.frames.start + last) / 2, (point.frames.start + last).div_ceil(2));
        let [before, after] =
            [a, b].map(|frame| point.seen(frame, tracks.frame_pose(frame, &point.frame)));
        let middle = 0.5 * (before.translation + after.translation);
        match &mut point.own {
            Target::Position(target) if target.is_nan() => *target = middle,
            Target::Pose(target) if target.translation.is_nan() => {
                *target = Pose { rotation: before.rotation, translation: middle };
            }
            _ => {}
        }
    }
}

/// Which limb holds what: one that is known, else the arm or leg of the hand or foot that a joint is part of by the names, else one of a pair by the shape.
struct Limbs<'a> {
    shape: Shape<'a>,
    /// Looked for when first needed: mostly all limbs are known.
    named: OnceCell<Named>,
}

/// The limbs whose ends are called hands or feet.
struct Named {
    /// Of every joint the limb that ends there.
    ending: Vec<Option<Limb>>,
    /// Whether a joint carries such an end.
    carries: Vec<bool>,
}

impl<'a> Limbs<'a> {
    fn new(skeleton: &'a Skeleton) -> Self {
        Self { shape: Shape::new(skeleton), named: OnceCell::new() }
    }

    fn holding(&self, known: &[LimbPlan], joint: usize) -> Option<Limb> {
        let skeleton = self.shape.skeleton;
        for above in skeleton.ancestors(joint) {
            if let Some(plan) = known.iter().find(|plan| plan.limb.end == above) {
                return can_bend(skeleton, plan.limb).then_some(plan.limb);
            }
        }
        let named = self.named.get_or_init(|| Named::new(&self.shape));
        // A joint of a hand or foot may have their name, too: the uppermost is the wrist or ankle.
        let by_name = skeleton.ancestors(joint).filter_map(|end| named.ending[end]).last();
        by_name.or_else(|| self.by_shape(named, joint))
    }

    /// One of a pair of limbs that a joint is part of, the best from the joint up. What carries a hand or foot by its name is no end of a limb.
    fn by_shape(&self, named: &Named, joint: usize) -> Option<Limb> {
        let shape = &self.shape;
        let mut best: Option<(Limb, f64)> = None;
        for end in shape.skeleton.ancestors(joint).take_while(|&end| !named.carries[end]) {
            let Some((limb, score)) = shape.limb_ending_at(end) else { continue };
            // A limb farther up is better as an arm is than a finger. Of one start and middle the one farther down is: a foot is part of a leg, not the end of one.
            let is_better = best.is_none_or(|(lower, lower_score)| {
                if (limb.start, limb.mid) == (lower.start, lower.mid) {
                    BETTER * score > lower_score
                } else {
                    score > BETTER * lower_score
                }
            });
            let can_hold = can_bend(shape.skeleton, limb) && is_paired(shape, limb);
            if is_better && can_hold && !carries_more(shape, limb) {
                best = Some((limb, score));
            }
        }
        best.map(|(limb, _)| limb)
    }
}

impl Named {
    fn new(shape: &Shape<'_>) -> Self {
        let skeleton = shape.skeleton;
        let ending: Vec<Option<Limb>> =
            (0..skeleton.n_joints()).map(|joint| limb_by_name(shape, joint)).collect();
        let mut carries = vec![false; ending.len()];
        for joint in (0..ending.len()).rev() {
            if let Some(parent) = skeleton.parent(joint) {
                carries[parent] |= carries[joint] || ending[joint].is_some();
            }
        }
        Self { ending, carries }
    }
}

/// The limb that ends at a joint called a hand or foot of one side, of joints that are called that side's, too.
fn limb_by_name(shape: &Shape<'_>, end: usize) -> Option<Limb> {
    let skeleton = shape.skeleton;
    let Words { side, part, .. } = words(skeleton.name(end));
    let is_end = matches!(part, Some(Part::Wrist | Part::Ankle)) && side != Side::Middle;
    let is_beside = |joint: &usize| words(skeleton.name(*joint)).side == side;
    let limb = is_end.then(|| shape.limb_of(end, is_beside)).flatten()?;
    can_bend(skeleton, limb).then_some(limb)
}

/// Whether what hangs on the end of a limb is longer than it, as arms are on a spine.
fn carries_more(shape: &Shape<'_>, Limb { start, mid, end }: Limb) -> bool {
    shape.reaches[end] > shape.distance(start, mid) + shape.distance(mid, end)
}

/// Whether the closed form can move a limb: a ball at its start, a ball or a hinge in its middle.
fn can_bend(skeleton: &Skeleton, limb: Limb) -> bool {
    use posekit::skeleton::Limit;
    let is_free =
        |joint| matches!(skeleton.limit(joint), Limit::None) && skeleton.mimic(joint).is_none();
    let is_ball = |joint| matches!(skeleton.kind(joint), JointKind::Ball | JointKind::Free);
    let is_hinge = |joint| matches!(skeleton.kind(joint), JointKind::Revolute { .. });
    is_ball(limb.start)
        && is_free(limb.start)
        && (is_ball(limb.mid) || is_hinge(limb.mid))
        && is_free(limb.mid)
}

/// Whether the body carries another limb like this one: arms and legs come in pairs, a neck does not.
fn is_paired(shape: &Shape<'_>, limb: Limb) -> bool {
    let mut below = limb.start;
    while let Some(joint) = shape.skeleton.parent(below) {
        let own = shape.reach_through(below, joint);
        let others = shape.skeleton.children(joint).iter().filter(|&&child| child != below);
        let mut is_body = false;
        for &child in others {
            let reach = shape.reach_through(child, joint);
            if PAIR.contains(&(reach / own)) {
                return true;
            }
            is_body |= reach > own * PAIR.end();
        }
        if is_body {
            return false;
        }
        below = joint;
    }
    false
}

/// The joint to move: the one that carries the whole figure, else the first that carries all limbs.
pub(crate) fn root_of(skeleton: &Skeleton, starts: &[usize]) -> Option<usize> {
    let first = *starts.first()?;
    let is_free = |joint: usize| matches!(skeleton.kind(joint), JointKind::Free);
    let carries =
        |joint: usize, below: usize| skeleton.ancestors(below).any(|above| above == joint);
    let carries_limbs =
        |joint: usize| starts.iter().all(|&start| start != joint && carries(joint, start));
    let leaves: Vec<usize> =
        (0..skeleton.n_joints()).filter(|&joint| skeleton.children(joint).is_empty()).collect();
    let chain: Vec<usize> = skeleton.ancestors(first).filter(|&joint| is_free(joint)).collect();
    let carries_all = |joint: usize| leaves.iter().all(|&leaf| carries(joint, leaf));
    let whole = chain.iter().copied().find(|&joint| carries_limbs(joint) && carries_all(joint));
    whole.or_else(|| chain.iter().rev().copied().find(|&joint| carries_limbs(joint)))
}
