//! Contacts that hold also in what a file keeps of a clip: of a root that cannot go everywhere, and of a whole body.

use posekit::glam::DVec3;

use super::plan::{self, LimbPlan, Plan, positions};
use super::{Along, ContactReport, Held, HoldSettings, hold_once, looked_at, reach, report, size};
use crate::Clip;
use crate::error::Result;
use crate::plant::CLEAN;
use crate::tracks::Tracks;

/// What a file keeps of a clip of its own skeleton and frames. A BVH may have fewer channels than a joint can turn, and cuts what they cannot say.
pub struct Keep<'k> {
    /// Of each joint the axes that it can be turned about, one turn inside the other, where these are fewer than its kind has: two at most and the first outermost, at right
    /// angles, in the joint's own frame. `None` for joints that turn as their kind does.
    pub axes: Vec<Option<Vec<DVec3>>>,
    /// Cuts off a clip what is not kept.
    pub cut: Box<Cut<'k>>,
}

/// What is kept of a clip; `None` where that is all of it.
pub type Cut<'k> = dyn Fn(&Clip) -> Option<Clip> + 'k;

impl core::fmt::Debug for Keep<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Keep").field("axes", &self.axes).finish_non_exhaustive()
    }
}

/// How often what is missed is held again, at most.
const ROUNDS: usize = 24;

/// Holding again goes on as long as a miss becomes less than this part of what it was.
const LESS: f64 = 0.9;

/// What rounding takes off a place, as a part of the figure.
const ROUNDED: f64 = 1e-6;

/// A leg whose end is nearer to its start than this part of its length could still go farther.
const STRAIGHT: f64 = 0.9999;

/// What is kept of a clip in which contacts were held, and what they miss in it by that held again, until they hold or come no nearer.
pub(super) fn hold_again(
    (held, tracks): (Held, Tracks),
    mut plan: Plan,
    along: Along<'_>,
    also: &[usize],
    settings: &HoldSettings,
    keep: Option<&Keep<'_>>,
) -> Result<(Held, Tracks)> {
    let cut = keep.and_then(|keep| (keep.cut)(&held.clip));
    let is_missed = held.contacts.iter().any(|contact| !contact.missed.is_empty());
    if cut.is_none() && !(is_missed && plan.limbs.iter().any(|limb| limb.turns.is_some())) {
        return Ok((held, tracks));
    }
    let joints: Vec<usize> =
        plan::joints_of(&plan).into_iter().chain(looked_at(&plan, also)).collect();
    let reached = held.contacts.clone();
    if let Some(cut) = &cut {
        // Where the root cannot go, the limbs do it alone.
        plan.root = plan.root.filter(|root| !is_moved((&held.clip, cut), *root));
    }
    let measured = |clip: Clip, changed: Vec<usize>, plan: &Plan| {
        let tracks = Tracks::new(&clip, &joints);
        report((clip, changed, tracks), plan, reached.len())
    };
    let (clip, changed) = (cut.unwrap_or(held.clip), held.changed);
    let (mut best, mut tracks) = measured(clip, changed, &plan);
    let along = Along { path: &[], ..along };
    for _ in 0..ROUNDS {
        let is_held = best.contacts.iter().all(|contact| contact.missed.is_empty());
        if is_held || settings.strength < 1.0 {
            break;
        }
        let (clip, mut changed, _) =
            hold_once(&best.clip, &plan, along, tracks.clone(), also, settings)?;
        changed.extend(&best.changed);
        changed.sort_unstable();
        changed.dedup();
        let clip = keep.and_then(|keep| (keep.cut)(&clip)).unwrap_or(clip);
        let (next, next_tracks) = measured(clip, changed, &plan);
        let is_nearer = |(new, old): (&ContactReport, &ContactReport)| {
            !old.missed.is_empty() && new.residual < LESS * old.residual
        };
        let goes_on = next.contacts.iter().zip(&best.contacts).any(is_nearer);
        if total(&next.contacts) >= total(&best.contacts) {
            break;
        }
        (best, tracks) = (next, next_tracks);
        if !goes_on {
            break;
        }
    }
    let limbs = limbs(&plan, reached.len());
    for ((contact, reached), limb) in best.contacts.iter_mut().zip(&reached).zip(limbs) {
        let of_limb = limb.filter(|limb| limb.turns.is_some());
        contact.by_channels = contact.missed.iter().any(|frame| match of_limb {
            Some(limb) => !is_straight(limb, &tracks, *frame),
            None => !reached.missed.contains(frame),
        });
        let size = size(limb.map(|limb| limb.limb), &best.clip);
        // What stands so well already is left as it is, and so holds.
        if (of_limb.is_some() || contact.by_channels)
            && contact.residual <= CLEAN * size
            && contact.angle <= CLEAN
        {
            contact.missed.clear();
            contact.by_channels = false;
        }
    }
    Ok((best, tracks))
}

/// Which limb holds each contact.
fn limbs(plan: &Plan, n_contacts: usize) -> Vec<Option<&LimbPlan>> {
    let mut limbs = vec![None; n_contacts];
    for limb in &plan.limbs {
        limb.points.iter().for_each(|point| limbs[point.contact] = Some(limb));
    }
    limbs
}

fn is_straight(limb: &LimbPlan, tracks: &Tracks, frame: usize) -> bool {
    let [start, mid, end] = positions(limb.limb, tracks, frame);
    start.distance(end) > STRAIGHT * (start.distance(mid) + mid.distance(end))
}

/// Whether a joint that can be moved is elsewhere on its parent in one clip than in the other.
fn is_moved((a, b): (&Clip, &Clip), joint: usize) -> bool {
    let place = a.skeleton().value_range(joint).start;
    let at = |clip: &Clip, frame: usize| DVec3::from_slice(&clip.frame(frame)[place..place + 3]);
    let least = ROUNDED * reach(a);
    (0..a.n_frames()).any(|frame| at(a, frame).distance(at(b, frame)) > least)
}

fn total(contacts: &[ContactReport]) -> f64 {
    contacts.iter().map(|contact| contact.residual + contact.angle).sum()
}
