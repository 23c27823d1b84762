//! Serial robot arms: posekit's and its peers' solvers on the same targets, judged by kinematics of our own.
//!
//! - [`matrix`], [`robot`], [`chain`]: the judge, which reads URDF files itself and shares no arithmetic with posekit (models of MuJoCo are read by `posekit-io`);
//! - [`problem`]: targets by forward kinematics of random configurations inside the bounds, and starts that have nothing to do with them;
//! - [`solver`], [`ours`], [`peers`]: who solves them, behind one interface;
//! - [`cold`]: success, and times from a random start;
//! - [`lines`]: straight lines at 500 Hz, each target from the answer to the one before;
//! - [`kernel`]: what the pieces of a solve cost, and how far that is from what the processor can do;
//! - [`limbs`], [`success`]: every arm and limb of every robot in a folder;
//! - [`python`], [`report`]: the peers in Python, and the tables.

pub mod chain;
pub mod cold;
pub mod kernel;
pub mod limbs;
pub mod lines;
pub mod matrix;
pub mod ours;
pub mod peers;
pub mod problem;
pub mod python;
pub mod report;
pub mod robot;
pub mod solver;
pub mod success;

/// A target is met within this \[m, rad\]; every solver is asked for it.
pub const TOLERANCE: f64 = 1e-6;

/// Between the judge's kinematics and a solver's that stopped at the tolerance \[m, rad\].
pub const ROUNDING: f64 = 1e-9;

/// The most starts of solvers that are started again by this crate.
pub const STARTS: u32 = 200;
