//! Inverse kinematics for characters and robots.
#![forbid(unsafe_code)]

pub use glam;

pub mod error;
pub mod math;
pub mod skeleton;
pub mod chain;
pub mod limb;
pub mod task;
pub mod solve;

pub use error::{Error, Result};
