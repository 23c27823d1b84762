//! Closed forms: limbs of two bones, in the plane and in space, and a joint that aims at a point.
//!
//! A closed form has no iterations, no tolerance and no starting guess: it always costs the same and either places the end of
//! the limb on the target or proves that it cannot. The closed forms take positions and rotations in one common
//! space, so they work on limbs whose joints are not neighbours (a leg with twist bones) and on poses of any origin.
//! On a [`Skeleton`](crate::skeleton::Skeleton), [`TwoBone::on_skeleton`] reads a limb and [`TwoBoneSolution::apply`] writes the joint values.
//!
//! | Item | Question it answers |
//! |---|---|
//! | [`plane::solve`] | Which two pairs of angles put the tip of a planar arm on a point? |
//! | [`TwoBone`] | Which rotations of hip and knee put the ankle on the target, with the knee pointing at the pole? |
//! | [`Aim`] | Which rotation of a joint makes its forward ray meet the target? |
//! | [`SoftReach`] | How does a limb approach full extension without its knee snapping straight? |
//! | [`Reach`] | Was the target in range, and if not, by how much? |
//!
//! Every item is free of scale: a limb in millimetres and the same limb in kilometres take the same steps, and results
//! scale exactly by powers of two. Bad input (not a finite number) is an [`Error`](crate::Error) that names the field; a
//! target out of range is an answer, not an error.

mod aim;
mod apply;
pub mod plane;
mod reach;
mod rotation;
mod soft;
mod triangle;
mod two_bone;

pub use aim::{Aim, AimSolution};
pub use reach::Reach;
pub use soft::SoftReach;
pub(crate) use two_bone::NO_DIRECTION;
pub use two_bone::{Pole, TwoBone, TwoBoneSolution};
