//! Feet that hold nothing stay where they are while the root goes along with others.

use posekit::glam::DVec3;
use posekit::limb::SoftReach;
use posekit::math::Pose;

use super::apply;
use super::need::is_carried;
use super::plan::{LimbPlan, Plan, held_part};
use crate::tracks::Tracks;
use crate::{Clip, Limb};

/// How far a leg may be straightened for its foot to stay, as a part of its length, where it is not straighter in the motion. Over the rest it goes straight little by
/// little.
pub(super) const STRAIGHT_TO_STAY: f64 = 0.993;

/// Takes feet back to where they are without the root's displacement, as far as they hold nothing, and their legs reach.
///
/// - `before`: the motion, with tracks of all limbs and the root
/// - `after`: the same with the root gone along, and what limbs hold held
pub(super) fn stay(before: &Tracks, after: Clip, plan: &Plan<'_>) -> Clip {
    let Some(root) = plan.root else { return after };
    let legs = plan.limbs.iter().filter(|limb| limb.is_leg && is_carried(&after, plan, limb));
    let legs: Vec<&LimbPlan> = legs.collect();
    let joints = legs.iter().flat_map(|LimbPlan { limb, .. }| limb.joints());
    let now = Tracks::new(&after, &joints.chain([root]).collect::<Vec<_>>());
    let mut feet: Vec<(&LimbPlan, Vec<(usize, Pose)>)> = Vec::with_capacity(legs.len());
    for leg in legs {
        let Limb { start, mid, end } = leg.limb;
        let back = |frame: usize| {
            let shift = before.place(frame, root) - now.place(frame, root);
            let part = 1.0 - held_part(&leg.points, frame);
            if part <= 0.0 || shift == DVec3::ZERO {
                return None;
            }
            let own = [start, mid, end].map(|joint| before.place(frame, joint));
            let foot = now.pose(frame, end);
            let place = soft(own, now.place(frame, start), foot.translation + shift * part);
            Some((frame, Pose::new(foot.rotation, place)))
        };
        feet.push((leg, (0..after.n_frames()).filter_map(back).collect()));
    }
    apply::bring_ends(after, &feet)
}

/// Where the end of a limb goes for a goal, that it might reach only straight.
///
/// - `own`: places of its joints in a pose in which it may be straighter
/// - `start`: where it starts
pub(super) fn soft([own_start, own_mid, own_end]: [DVec3; 3], start: DVec3, goal: DVec3) -> DVec3 {
    let length = own_start.distance(own_mid) + own_mid.distance(own_end);
    let (own, line) = (own_start.distance(own_end), goal - start);
    let ratio = (1.0 - STRAIGHT_TO_STAY).min(1.0 - own / length);
    let distance = line.length();
    let soft = SoftReach::Finite { ratio }.distance(distance, length, 0.0);
    if soft < distance { start + line * (soft / distance) } else { goal }
}
