//! Contacts that hold exactly, with the least change to a motion.
//!
//! 1. Every contact finds its limb ([`plan`]).
//! 2. What limbs can hold by themselves they do, and the root goes along with legs, by one least squares over all frames ([`limbs`]). Where joints turn about too few axes
//!    for that, another one finds the angles ([`few`]).
//! 3. What no limb can hold by itself the whole body does, by the same in its joints ([`whole`], [`joints`]); then limbs hold once more, exactly, on the body as it is.
//! 4. What contacts on joints of the figure hold goes where these have gone, until they rest ([`support`]).

mod few;
mod joints;
mod keep;
mod limbs;
mod plan;
mod rest;
mod support;
mod whole;

use core::ops::Range;

use posekit::glam::DVec3;

use super::tracks::Tracks;
use super::{Clip, Contact, Limb};
use crate::error::{Error, Result};
use crate::space_time::ROOT;
use limbs::Limbs;
use plan::{Plan, Target};

pub(super) use few::has_few_turns;
pub use keep::Keep;
pub(crate) use keep::moves_in_world;
pub(super) use plan::root_of;
pub(crate) use plan::{check_contacts, check_limb};
pub(super) use support::hold_on_joints;

/// How contacts are held. The defaults suit figures of any size and clips of any rate.
#[derive(Debug, Clone, PartialEq)]
pub struct HoldSettings {
    /// Limbs that carry the body: the root goes along with what these hold. Arms and other limbs are found by their names and shapes, and move the root, or with it
    /// the whole body, only where they do not reach. Default none.
    pub legs: Vec<Limb>,
    /// How much of the correction to apply, from 0 (none) to 1 (all, the default).
    pub strength: f64,
    /// How unwillingly the root goes along by a leg length, against turns of legs by a radian; above 0. Default 2: it takes up nearly all of what would pop a
    /// straight knee, and little of what only swings a leg.
    pub root_stiffness: f64,
    /// How much longer bones may become to reach, as a part of their length. Default 0; only joints that can be moved
    /// ([`Free`](posekit::skeleton::JointKind::Free)) can follow. People see 0.03 when they look for it.
    pub max_stretch: f64,
    /// Contacts are put by hand on a motion that is to stay as it is besides: feet that hold nothing stay where they are, as far as their legs reach, while the root goes along
    /// with others. Default false: feet go along with the hips where they do not stand.
    pub by_hand: bool,
}

impl Default for HoldSettings {
    fn default() -> Self {
        Self {
            legs: Vec::new(),
            strength: 1.0,
            root_stiffness: ROOT,
            max_stretch: 0.0,
            by_hand: false,
        }
    }
}

/// A clip whose contacts hold.
#[derive(Debug, Clone, PartialEq)]
#[must_use]
pub struct Held {
    /// The edited clip. Frames in which nothing had to change keep every bit.
    pub clip: Clip,
    /// How well each contact holds, in the order in which they were given.
    pub contacts: Vec<ContactReport>,
    /// The joints that were changed, in ascending order.
    pub changed: Vec<usize>,
}

/// How well a contact holds, measured on the edited clip.
#[derive(Debug, Clone, PartialEq)]
pub struct ContactReport {
    /// The frames at which it should hold.
    pub frames: Range<usize>,
    /// The limb that holds it; `None` where the whole body does.
    pub limb: Option<Limb>,
    /// The largest distance from where it should be \[the clip's unit\].
    pub residual: f64,
    /// The largest angle from how it should be turned \[rad\]; 0 where that is left free.
    pub angle: f64,
    /// Frames in which it is missed by more than a ten-thousandth of its limb.
    pub missed: Vec<usize>,
    /// It is within reach, and missed by what joints cannot turn or what [`Keep`] leaves out.
    pub by_channels: bool,
}

/// Makes contacts hold, exactly wherever they can be reached, and changes as little as that takes.
///
/// - `contacts`: any number, at any times, on any joints; where several hold at once on one limb, two points and one
///   pose are as much as a limb can hold
///
/// A contact's limb is the one of `settings.legs` that it stands on, else that of the hand or foot that it is part of by the names of its joints, else one of a pair
/// of limbs by the skeleton's shape. What stands on none, such as a head or an elbow, is held by the whole body, as is what an arm does not reach;
/// feet that hold nothing stay where they are then, each by itself, as far as that leaves them. The end of a limb keeps its direction in the world where one point holds, and turns
/// by the least turn where two do, as far as its joints have the axes for it. Turns of hip and knee are put on top of their rotations, so twists survive.
///
/// # Degenerate cases
/// Without contacts, or where all hold already, the clip comes back as it is. Contacts outside the clip's time have no frames.
/// # Errors
/// [`Error::NoSuchJoint`], [`Error::NonFinite`], [`Error::OutOfRange`], [`Error::JointOutOfBounds`], [`Error::ZeroLength`], [`Error::NotUnit`] for contacts and settings that
/// make no sense; [`Error::Posekit`] for a contact's frame on no joint;
/// [`Error::Unsuited`] for legs that are no branches.
/// # Method
/// After Kovar, Schreiner and Gleicher \[kovar02\]: exact goals, hips that follow them, knees that are spared near straight. Other than there, the hips' displacement
/// is found together with the turns of the legs, by one least squares over the time that something is held, as [`clean`](crate::clean()) does.
pub fn hold(clip: &Clip, contacts: &[Contact], settings: &HoldSettings) -> Result<Held> {
    hold_within(clip, contacts, settings, None)
}

/// [`hold`] for a file that may not keep all of a clip: contacts hold in what it keeps, as far as they can, and that is the clip that comes back.
///
/// - `keep`: what the file keeps; `None` where it keeps every clip
///
/// # Errors
/// As [`hold`].
pub fn hold_within(
    clip: &Clip,
    contacts: &[Contact],
    settings: &HoldSettings,
    keep: Option<&Keep>,
) -> Result<Held> {
    let along = Along { path: &[], path_part: 1.0, shares: &[] };
    hold_on_joints(clip, contacts, |contacts| hold_on_path(clip, along, contacts, settings, keep))
}

/// What is known of the root, and of how much is applied, before anything is held.
#[derive(Clone, Copy)]
pub(super) struct Along<'a> {
    /// By how much the root is moved in each frame; empty for not at all. Contacts are on it.
    pub(super) path: &'a [DVec3],
    /// How much of that is applied in the end.
    pub(super) path_part: f64,
    /// How much of all else is applied in each frame, besides the strength; empty for all of it.
    pub(super) shares: &'a [f64],
}

impl Along<'_> {
    /// How much of what holding changes is applied in a frame, besides the strength.
    fn share(&self, frame: usize) -> f64 {
        self.shares.get(frame).copied().unwrap_or(1.0)
    }
}

/// [`hold_within`] on a clip whose root is moved first, for contacts on the world and on what moves in it.
pub(super) fn hold_on_path(
    clip: &Clip,
    along: Along<'_>,
    contacts: &[Contact],
    settings: &HoldSettings,
    keep: Option<&Keep>,
) -> Result<Held> {
    check(settings)?;
    let mut plan = plan::plan(clip, contacts, settings, keep)?;
    let on_path = whole::moved(clip, &plan, (along.path, 1.0));
    let tracks = Tracks::new(&on_path, &plan::joints_of(&plan));
    for limb in &mut plan.limbs {
        plan::fill_targets(&mut limb.points, &tracks);
    }
    plan::fill_targets(&mut plan.others, &tracks);
    plan.leave_to_body(&tracks);
    let made = hold_once((clip, &on_path), &plan, along, settings)?;
    let mut held = report((clip, made), &plan, contacts.len());
    if keep.is_some() && held.contacts.iter().any(|contact| !contact.missed.is_empty()) {
        let free = hold_on_path(clip, along, contacts, settings, None)?;
        for (contact, free) in held.contacts.iter_mut().zip(free.contacts) {
            contact.by_channels |= contact.missed.iter().any(|frame| !free.missed.contains(frame));
        }
    }
    Ok(held)
}

/// The clip in which a plan holds.
///
/// - `on_path`: the clip with its root moved
fn hold_once(
    (clip, on_path): (&Clip, &Clip),
    plan: &Plan<'_>,
    along: Along<'_>,
    settings: &HoldSettings,
) -> Result<Clip> {
    let limbs = Limbs { clip: on_path, plan, settings, root_moves: true };
    if plan.others.iter().all(|point| point.frames.is_empty()) {
        let held = limbs.hold(|frame| settings.strength * along.share(frame));
        return Ok(whole::moved(&held, plan, (along.path, along.path_part - 1.0)).into_owned());
    }
    // All of it is found first: limbs hold what they can, the whole body does the rest, and what limbs hold is made exact on that.
    let carried = limbs.hold(|_| 1.0);
    let solved = whole::hold((on_path, &carried), plan)?;
    let solved = Limbs { clip: &solved, root_moves: false, ..limbs }.hold(|_| 1.0);
    whole::blended((clip, &solved), plan, along, settings.strength)
}

/// The joints that are not in one clip as in another.
fn changed_in(before: &Clip, after: &Clip) -> Vec<usize> {
    let skeleton = before.skeleton();
    let is_changed = |joint: &usize| {
        let range = skeleton.value_range(*joint);
        let is_other =
            |frame| before.frame(frame)[range.clone()] != after.frame(frame)[range.clone()];
        (0..before.n_frames()).any(is_other)
    };
    (0..skeleton.n_joints()).filter(is_changed).collect()
}

fn check(settings: &HoldSettings) -> Result<()> {
    let HoldSettings { legs: _, strength, root_stiffness, max_stretch, by_hand: _ } = *settings;
    let ranges = [
        ("strength", strength, 0.0..=1.0, "from 0 to 1"),
        ("root stiffness", root_stiffness, 1e-6..=1e9, "from 1e-6 to 1e9"),
        ("stretch", max_stretch, 0.0..=1.0, "from 0 to 1"),
    ];
    for (what, value, range, need) in ranges {
        if !range.contains(&value) {
            return Err(Error::OutOfRange { what, index: 0, value, need });
        }
    }
    Ok(())
}

/// A miss larger than this part of a limb is one.
pub(crate) const MISS: f64 = 1e-4;

/// Measures how the contacts hold.
///
/// - `clip`: the edited clip, after the one that was edited
fn report((source, clip): (&Clip, Clip), plan: &Plan<'_>, n_contacts: usize) -> Held {
    let joints = points(plan).map(|(_, point)| point.frame.joint);
    let joints = joints.chain(plan::joints_of(plan)).collect::<Vec<usize>>();
    let tracks = Tracks::new(&clip, &joints);
    let empty = ContactReport {
        frames: 0..0,
        limb: None,
        residual: 0.0,
        angle: 0.0,
        missed: Vec::new(),
        by_channels: false,
    };
    let mut contacts = vec![empty; n_contacts];
    for (limb, point) in points(plan) {
        let size = size(limb, &clip);
        let report = &mut contacts[point.contact];
        report.frames = point.frames.clone();
        report.limb = limb;
        for frame in point.frames.clone() {
            let pose = tracks.frame_pose(frame, &point.frame);
            let target = point.target(frame);
            let distance = pose.translation.distance(target.position(pose.translation));
            let angle = match target {
                Target::Pose(target) => {
                    posekit::math::so3_log(target.rotation * pose.rotation.conjugate()).length()
                }
                Target::Position(_) | Target::Surface(..) => 0.0,
            };
            report.residual = if distance > report.residual { distance } else { report.residual };
            report.angle = if angle > report.angle { angle } else { report.angle };
            if distance > MISS * size || angle > MISS {
                report.missed.push(frame);
            }
        }
    }
    keep::tell_few(&mut contacts, plan, (&clip, &tracks));
    Held { changed: changed_in(source, &clip), contacts, clip }
}

fn points<'p>(plan: &'p Plan<'_>) -> impl Iterator<Item = (Option<Limb>, &'p plan::Point)> {
    let of_limbs = plan
        .limbs
        .iter()
        .flat_map(|limb| limb.points.iter().map(move |point| (Some(limb.limb), point)));
    of_limbs.chain(plan.others.iter().map(|point| (None, point)))
}

/// What a miss is a part of: the length of a limb, or the reach of the body.
fn size(limb: Option<Limb>, clip: &Clip) -> f64 {
    limb.map_or_else(|| reach(clip), |limb| limb.length(clip.skeleton()))
}

/// The longest way along the bones.
fn reach(clip: &Clip) -> f64 {
    let shape = super::leg::Shape::new(clip.skeleton());
    shape.reaches.iter().copied().fold(0.0, f64::max)
}
