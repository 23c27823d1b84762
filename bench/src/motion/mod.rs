//! Sliding feet: clips with a known fault, cleaned by posekit and in the ways of others.

pub mod gate;
pub mod holds;
pub mod measure;
pub mod peers;
