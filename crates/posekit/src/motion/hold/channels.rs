//! Contacts that hold also in what a file keeps of a clip, and where feet cannot turn on their legs.

use glam::DVec3;

use super::apply::End;
use super::carry::positions;
use super::plan::{self, LimbPlan, Plan};
use super::{Along, ContactReport, Held, HoldSettings, hold_once, looked_at, reach, report};
use crate::error::Result;
use crate::math::so3_log;
use crate::motion::Clip;
use crate::motion::tracks::Tracks;
use crate::motion::verdict::CLEAN;
use crate::skeleton::Skeleton;

/// What a file keeps of a clip of its own skeleton and frames; `None` where that is all of it. A BVH may have fewer channels than a joint can turn, and cuts
/// what they cannot say.
pub type Keep<'k> = dyn Fn(&Clip) -> Option<Clip> + 'k;

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
    let cut = keep.and_then(|keep| keep(&held.clip));
    let is_missed = held.contacts.iter().any(|contact| !contact.missed.is_empty());
    let is_any_bound = || plan.limbs.iter().any(|limb| is_bound(held.clip.skeleton(), limb));
    if cut.is_none() && !(is_missed && is_any_bound()) {
        return Ok((held, tracks));
    }
    let skeleton = held.clip.skeleton().clone();
    let joints: Vec<usize> =
        plan::joints_of(&plan).into_iter().chain(looked_at(&plan, also)).collect();
    let reached = held.contacts.clone();
    if let Some(cut) = &cut {
        leave_to_limbs(&mut plan, (&held.clip, cut));
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
        let clip = keep.and_then(|keep| keep(&clip)).unwrap_or(clip);
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
        let of_limb = limb.filter(|limb| is_bound(&skeleton, limb));
        contact.by_channels = contact.missed.iter().any(|frame| match of_limb {
            Some(limb) => !is_straight(limb, &tracks, *frame),
            None => !reached.missed.contains(frame),
        });
        let size = limb.map_or_else(|| reach(&best.clip), |limb| limb.limb.length(&skeleton));
        // What stands so well already is left as it is, and so holds.
        if contact.by_channels && contact.residual <= CLEAN * size && contact.angle <= CLEAN {
            contact.missed.clear();
            contact.by_channels = false;
        }
    }
    Ok((best, tracks))
}

/// Leaves to the limbs what the joints of a plan cannot do: to go where a root would have gone, and to turn as an end would have.
///
/// - `both`: the clip in which all holds, and what is kept of it
fn leave_to_limbs(plan: &mut Plan, both: (&Clip, &Clip)) {
    plan.root = plan.root.filter(|root| !is_moved(both, *root));
    for limb in &mut plan.limbs {
        limb.swivels |= !is_turned(both, limb.limb.start);
    }
}

/// Whether the end of a limb cannot turn as what it holds may need.
fn is_bound(skeleton: &Skeleton, limb: &LimbPlan) -> bool {
    !limb.points.is_empty() && End::of(skeleton, limb.limb.end) != End::Ball
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

/// Whether a joint is turned otherwise in one clip than in the other.
fn is_turned((a, b): (&Clip, &Clip), joint: usize) -> bool {
    let turn =
        |clip: &Clip, frame: usize| clip.skeleton().motion(joint, clip.frame(frame)).rotation;
    let differs =
        |frame: &usize| so3_log(turn(a, *frame).conjugate() * turn(b, *frame)).length() > ROUNDED;
    (0..a.n_frames()).any(|frame| differs(&frame))
}

fn total(contacts: &[ContactReport]) -> f64 {
    contacts.iter().map(|contact| contact.residual + contact.angle).sum()
}
