//! The task solver: a differential step, and the way to convergence, next to peers in Python.
//!
//! The problems are those of `bench/python` (its README describes the file and the rules), read from the same file, and a
//! figure of sixty joints that no peer is asked for. Success is judged by forward kinematics of the returned
//! configuration, against the targets, whatever the solver says.

pub mod cold;
pub mod figure;
pub mod file;
pub mod measure;
pub mod model;
pub mod peers;
pub mod report;

/// A target is met within this \[m, rad\].
pub const TOLERANCE: f64 = 1e-6;

/// One step along a path leaves an error of second order in its length; more than this \[m, rad\] is a wrong step.
pub const TRACKING_TOLERANCE: f64 = 1e-3;

/// Steps that a warm start may take.
pub const MOST_STEPS: u32 = 50;
