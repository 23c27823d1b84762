//! posekit for the browser and Node: problems, solvers, robot arms, crowds and motions over flat typed arrays.
//!
//! `cargo xtask wasm` builds it as the npm package `posekit`; `npm/README.md` shows its use from JavaScript. [`session`], [`arm`],
//! [`crowd`] and [`motion`] are plain Rust; what is exported wraps them and turns errors into JavaScript's.
//!
//! # Conventions
//! - Numbers are f64 (f32 for crowds), metres, radians; quaternions are x, y, z, w; a pose is 7 numbers: x, y, z, then the quaternion.
//! - Arrays are flat. What is written every frame is written into an array of the caller: nothing is allocated on the way, and an array that is too short is an
//!   error.
//! - Every object holds memory until `free()`.
//! - Every fault is an `Error` named `PosekitError`, whose `line`, `column` and `subject` say where in a text, if it was in one. No input causes a
//!   panic; if there were one, the module would stop and would have to be loaded anew.
#![cfg_attr(
    target_arch = "wasm32",
    allow(unsafe_code, reason = "the bindings that the macro writes; no line of this crate is")
)]

pub mod arm;
pub mod crowd;
pub mod motion;
pub mod session;

pub mod bindings;
mod fault;

pub use fault::{Fault, Result};
