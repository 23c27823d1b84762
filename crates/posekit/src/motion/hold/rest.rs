//! Which way limbs bend that never bend in a motion: as at rest, and where they are straight there, too, knees forward, as toes are, and elbows back.

use glam::DVec3;

use super::plan::LimbPlan;
use crate::math::{Pose, direction_or};
use crate::motion::Limb;
use crate::skeleton::Skeleton;

/// How much where toes are tells, against how bent a limb is at rest: as much as three degrees.
const SHARE: f64 = 0.05;

/// The skeleton at rest.
pub(super) struct Rest<'a> {
    skeleton: &'a Skeleton,
    poses: Vec<Pose>,
}

impl<'a> Rest<'a> {
    pub(super) fn new(skeleton: &'a Skeleton) -> Self {
        Self { skeleton, poses: skeleton.poses(&skeleton.neutral()) }
    }

    /// The axis that a limb of some bends about, in the frame of its mid joint; zero where nothing tells.
    pub(super) fn axis_in_mid(&self, of: &LimbPlan, limbs: &[LimbPlan]) -> DVec3 {
        let (u, v) = self.bones(of.limb);
        let (first, second) = (direction_or(u, DVec3::ZERO), direction_or(v, DVec3::ZERO));
        let side = if of.is_leg {
            self.toes(of.limb).cross(second)
        } else {
            let legs = limbs.iter().filter(|limb| limb.is_leg);
            second.cross(legs.map(|leg| self.toes(leg.limb)).sum())
        };
        let axis = first.cross(second) + SHARE * direction_or(side, DVec3::ZERO);
        let in_mid = self.poses[of.limb.mid].rotation.conjugate() * axis;
        direction_or(in_mid, DVec3::ZERO)
    }

    /// Both bones of a limb.
    fn bones(&self, limb: Limb) -> (DVec3, DVec3) {
        let [start, mid, end] =
            [limb.start, limb.mid, limb.end].map(|joint| self.poses[joint].translation);
        (mid - start, end - mid)
    }

    /// Where the toes of a leg point, at a right angle to it; zero where it has none.
    fn toes(&self, leg: Limb) -> DVec3 {
        let (u, v) = self.bones(leg);
        let along = direction_or(u + v, DVec3::ZERO);
        let ankle = self.poses[leg.end].translation;
        let children = self.skeleton.children(leg.end).iter();
        let sum: DVec3 = children.map(|child| self.poses[*child].translation - ankle).sum();
        direction_or(sum - along * sum.dot(along), DVec3::ZERO)
    }
}
