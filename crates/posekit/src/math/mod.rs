//! Room `math`.
mod pose;
pub use pose::Pose;
