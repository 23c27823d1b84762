//! posekit for the browser and Node: problems, solvers, robot arms, crowds and motions over flat typed arrays.
//!
//! `cargo xtask wasm` builds it as the npm package `posekit`, in three modules: `posekit` with the feature `solving`, `posekit/robots` with `robots`, which contains
//! `solving`, and `posekit/motion` with `motion`.
//! `npm/package/README.md` shows its use from JavaScript. [`session`], [`robot`], [`arm`], [`crowd`] and [`motion`] are plain Rust; the exported types wrap them
//! and convert errors to JavaScript's.
//!
//! # Conventions
//! - Numbers are f64 (f32 for crowds), metres, radians; quaternions are x, y, z, w; a pose is 7 numbers: x, y, z, then the quaternion.
//! - Arrays are flat. Results of every frame are written into an array of the caller, without allocation; an array that is too short is an
//!   error.
//! - Every object holds memory until `free()`.
//! - Every fault is an `Error` named `PosekitError`, whose `line`, `column` and `subject` locate it in a text, if there is one. No input causes a
//!   panic; after a panic the module would have to be loaded again.
#![cfg_attr(
    target_arch = "wasm32",
    allow(unsafe_code, reason = "only the bindings that the macro generates")
)]

#[cfg(feature = "robots")]
pub mod arm;
#[cfg(feature = "solving")]
pub mod crowd;
#[cfg(feature = "motion")]
pub mod motion;
#[cfg(feature = "robots")]
pub mod robot;
#[cfg(feature = "solving")]
pub mod session;

pub mod bindings;
mod fault;
#[cfg(test)]
mod types;

pub use fault::{Fault, Result};

/// Number of values of a pose.
pub const POSE: usize = 7;
