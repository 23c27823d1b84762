//! Python's door: the package `posekit`, over `NumPy` arrays.
//!
//! maturin builds it as the module `posekit._posekit`. What must be fast or needs the library is here; the classes of results, and everything that needs other
//! packages, are in `python/posekit`.
//!
//! # Conventions
//! - Metres, radians, seconds; matrices are 4 × 4 for column vectors, quaternions x, y, z, w. Arrays are float64 in C order.
//! - Every fault is a `ValueError` of `posekit.errors`; no input causes a panic.
//! - The interpreter is released while a solve runs, except for steps of servo loops, which are shorter than releasing it. Long calls check for signals at least every
//!   tenth of a second (`interrupt.rs`).
//! - Objects are immutable, so that threads may share them, and can be pickled; except a `Servo`, which is the state of a loop.
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
mod jobs;
mod joints;
mod path;
mod poses;
mod problems;
mod results;
mod robot;
mod servo;
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
    use crate::jobs::solve_jobs;
    #[pymodule_export]
    use crate::problems::{Digest, case_names, solve_json};
    #[pymodule_export]
    use crate::robot::Robot;
    #[pymodule_export]
    use crate::servo::Servo;

    /// The text of a URDF for experiments: a six-axis arm.
    #[pymodule_export]
    const ARM6: &str = include_str!("../../../testdata/arm6.urdf");

    /// The version of the package.
    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "Python's name for it")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
