//! Inverse kinematics for characters and robots.
#![forbid(unsafe_code)]

pub use glam;

pub mod chain;
pub mod error;
pub mod limb;
pub mod math;
pub mod skeleton;
pub mod solve;
pub mod task;

pub use error::{Error, Result};
