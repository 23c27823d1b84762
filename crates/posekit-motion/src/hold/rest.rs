//! Which way limbs bend that never bend in a motion: as at rest, and where they are straight there, too, knees forward and elbows back.

use posekit::glam::DVec3;
use posekit::math::{Pose, direction_or};
use posekit::skeleton::Skeleton;

use super::plan::LimbPlan;
use crate::Limb;
use crate::bend::STRAIGHT;
use crate::leg::Side;
use crate::names::words;

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
        let legs = || limbs.iter().filter(|limb| limb.is_leg).map(|leg| leg.limb);
        let side = if of.is_leg {
            self.forward(of.limb, legs()).cross(second)
        } else {
            second.cross(legs().map(|leg| self.forward(leg, legs())).sum())
        };
        let axis = first.cross(second) + STRAIGHT * direction_or(side, DVec3::ZERO);
        let in_mid = self.poses[of.limb.mid].rotation.conjugate() * axis;
        direction_or(in_mid, DVec3::ZERO)
    }

    /// Both bones of a limb.
    fn bones(&self, limb: Limb) -> (DVec3, DVec3) {
        let [start, mid, end] = limb.joints().map(|joint| self.place(joint));
        (mid - start, end - mid)
    }

    fn place(&self, joint: usize) -> DVec3 {
        self.poses[joint].translation
    }

    /// Where a leg is to go forward, at a right angle to it: where its toes point, else where a figure looks whose left legs are to its left; zero where
    /// nothing tells.
    fn forward(&self, leg: Limb, legs: impl Iterator<Item = Limb>) -> DVec3 {
        let (u, v) = self.bones(leg);
        let along = direction_or(u + v, DVec3::ZERO);
        let ankle = self.place(leg.end);
        let children = self.skeleton.children(leg.end).iter();
        let toes: DVec3 = children.map(|child| self.place(*child) - ankle).sum();
        let ahead = direction_or(toes - along * toes.dot(along), DVec3::ZERO);
        if ahead != DVec3::ZERO {
            return ahead;
        }
        let sides = legs.map(|leg| match words(self.skeleton.name(leg.start)).side {
            Side::Left => (self.place(leg.start), 1),
            Side::Right => (-self.place(leg.start), -1),
            Side::Middle => (DVec3::ZERO, 0),
        });
        let (across, more) =
            sides.fold((DVec3::ZERO, 0), |(sum, n), (place, k)| (sum + place, n + k));
        let to_left = if more == 0 { across } else { DVec3::ZERO };
        direction_or(along.cross(to_left), DVec3::ZERO)
    }
}
