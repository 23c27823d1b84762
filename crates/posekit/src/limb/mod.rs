//! Closed forms: limbs of two bones, in the plane and in space, and a joint that aims at a point.
//!
//! A closed form has no iterations, no tolerance and no starting guess: it costs the same every time and either places the
//! end of the limb on the target or proves that it cannot. This room knows no skeleton. It speaks of positions and
//! rotations in one common space, so it works on limbs whose joints are not neighbours (a leg with twist bones) and on
//! poses from anywhere.
//!
//! | Item | Question it answers |
//! |---|---|
//! | [`plane::solve`] | Which two pairs of angles put the tip of a planar arm on a point? |
//! | [`TwoBone`] | How must hip and knee turn so that the ankle is on the target, with the knee pointing there? |
//! | [`Aim`] | How must this joint turn so that its forward ray meets the target? |
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
pub use two_bone::{Pole, TwoBone, TwoBoneSolution};
