//! Python's door: the package `posekit`, over `NumPy` arrays.
//!
//! maturin builds it as the module `posekit._posekit`; what is written in Python is in `python/posekit`. Rust has here what is fast or needs the library, Python the
//! classes of results and whatever other packages are needed for.
//!
//! # Conventions
//! - Metres, radians, seconds; matrices are 4 × 4 for column vectors, quaternions x, y, z, w. Arrays are float64 in C order.
//! - Every fault is a `ValueError` of `posekit.errors`; no input causes a panic.
//! - The interpreter is free while a solve runs, save for steps of servo loops, which are shorter than giving it away. Long calls look for signals at least every tenth
//!   of a second (`interrupt.rs`).
//! - Objects are immutable, so that threads may share them, and can be pickled.
#![cfg(feature = "python")]
#![allow(
    clippy::doc_markdown,
    reason = "docstrings are read as plain text, in the form that NumPy has for them"
)]

mod arrays;
mod chains;
mod clips;
mod description;
mod fault;
mod interrupt;
mod joints;
mod path;
mod poses;
mod problems;
mod robot;
mod solve;
mod status;
mod tasks;
mod tool;

/// The compiled part of posekit.
#[pyo3::pymodule]
mod _posekit {
    #[pymodule_export]
    use crate::chains::{Chain, aim, two_bone};
    #[pymodule_export]
    use crate::clips::Clip;
    #[pymodule_export]
    use crate::description::Description;
    #[pymodule_export]
    use crate::problems::{Digest, case_names, solve_json};
    #[pymodule_export]
    use crate::robot::Robot;

    /// The text of a URDF to try things with: a six-axis arm.
    #[pymodule_export]
    const ARM6: &str = include_str!("../../../testdata/arm6.urdf");

    /// The version of the package.
    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "Python's name for it")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
