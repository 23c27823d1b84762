//! Whether a second run may see in a cleaned clip what the first did not see in its source.
//!
//! What is decided about a foot depends on the others: on the floor that they stand on, and on how it slides under them. Both are others in the clip in which they
//! stand. So [`clean`](super::clean()) looks once more at what it made, and holds what then comes to light, too. That costs as much as the first look; but mostly it is
//! clear beforehand that there is nothing to be found.

use super::Contact;
use super::clean::{CleanSettings, moved_back};
use super::clip::Clip;
use super::decide::{Decided, decide_as};
use super::firm::{Past, REST, SURE};
use super::leg::Leg;
use super::metrics::{LEG_LENGTH, VISIBLE_SLIDE};
use super::pace::Pace;
use super::paths::{joints_of, mean_length};
use super::plant::Part;
use super::tracks::Tracks;
use super::verdict::Verdict;

/// Feet may stand that move by this much faster from frame to frame than those that do: they are smoothed when plants are looked for.
const FASTER: f64 = 1.2;

/// What a second run would decide, where that may be more; `None` where it is not, or where what is held was not decided here. Where nothing is held a second run may
/// still move the path again.
///
/// - `held`: the clip in which contacts hold with all of the strength, on the path that was decided
/// - `after`: its tracks, with the feet
pub(super) fn see_again(
    held: &Clip,
    after: &Tracks,
    decided: &Decided,
    legs: &[Leg],
    settings: &CleanSettings,
) -> Option<Decided> {
    let is_moved = !decided.in_place && !decided.path.is_empty();
    if settings.contacts.is_some() || decided.contacts.is_empty() && !is_moved {
        return None;
    }
    let joints = joints_of(legs);
    if decided.in_place {
        let clip = moved_back(held, legs, &decided.path);
        return Some(decide_as(&clip, &Tracks::new(&clip, &joints), legs, settings, Past::Shown));
    }
    let may_be_more = is_little(decided) || may_stand(held, after, decided, legs, settings);
    may_be_more.then(|| match after.has(&joints) {
        true => decide_as(held, after, legs, settings, Past::Shown),
        false => decide_as(held, &Tracks::new(held, &joints), legs, settings, Past::Shown),
    })
}

/// Whether so little is held that the clip may not be known as a cleaned one, or something that stands is left as it is.
fn is_little(decided: &Decided) -> bool {
    let is_left = |verdict: &Verdict| matches!(verdict, Verdict::Released { .. } | Verdict::Kept);
    2 * decided.contacts.len() <= decided.reports.len()
        || decided.left().next().is_some()
        || decided.reports.iter().any(|report| is_left(&report.verdict))
}

/// Whether a part of a foot may stand, and slide, away from all that is held of that foot.
fn may_stand(
    held: &Clip,
    after: &Tracks,
    decided: &Decided,
    legs: &[Leg],
    settings: &CleanSettings,
) -> bool {
    let length = mean_length(held, legs);
    let seen = VISIBLE_SLIDE / LEG_LENGTH * length;
    let step = Pace::new(held.frame_time(), held.n_frames()).step();
    let time = held.frame_time() * step as f64;
    let fast = FASTER * settings.detect.leave_slip * length * time;
    legs.iter().any(|leg| {
        let near = near_contacts(held, leg, &decided.contacts, step);
        let slides = |joint: usize| {
            let at = |k: usize| after.place(k * step, joint);
            let mut first = 0;
            near.iter().enumerate().skip(1).any(|(k, is_near)| {
                if *is_near || at(k).distance(at(k - 1)) >= fast {
                    first = k;
                }
                (k - first) as f64 * time >= SURE && at(k).distance(at(first)) > seen
            })
        };
        slides(leg.limb.end) || leg.ball.is_some_and(slides)
    })
}

/// In which of every so many frames a foot is held, or was or will be shortly.
fn near_contacts(clip: &Clip, leg: &Leg, contacts: &[Contact], step: usize) -> Vec<bool> {
    let mut near = vec![false; clip.n_frames().div_ceil(step)];
    let time = clip.frame_time() * step as f64;
    let is_own = |contact: &&Contact| {
        [Part::Heel, Part::Ball].into_iter().any(|part| leg.joint(part) == contact.frame.joint)
    };
    for contact in contacts.iter().filter(is_own) {
        let [from, to] =
            [contact.from - REST, contact.to + REST].map(|t| (t - clip.start()) / time);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
        let [from, to] = [from.max(0.0).ceil() as usize, to.max(0.0).floor() as usize + 1];
        let n = near.len();
        near[from.min(n)..to.clamp(from.min(n), n)].fill(true);
    }
    near
}
