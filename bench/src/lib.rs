//! posekit and its peers on the same problems, in the same run.
//!
//! The rules of the comparison:
//!
//! - Every solver gets the same problems, from one seeded generator, and the same tolerance:
//!   1e-4 of the reach. Iterative solvers may take up to [`MAX_ITERATIONS`].
//! - A solver is used as its author recommends, in its own number type, with its state built
//!   before the clock starts; only solving is timed.
//! - A batch holds hundreds of different problems, so that the branch predictor cannot learn one.
//! - Solvers take turns, round after round, so that a busy moment of the machine hits all of them.
//! - What a solver says of itself is not believed: the returned pose is measured in f64
//!   ([`verify`]), and its success stands beside its time.
//! - A solver that may never return is tried in a process of its own first ([`probe`]).

pub mod arms;
pub mod entrant;
pub mod measure;
pub mod motion;
pub mod peers;
pub mod posekit_adapter;
pub mod probe;
pub mod problems;
pub mod random;
pub mod report;
pub mod steps;
pub mod verify;

/// Tolerance that every solver is given, and that a result must meet, as a part of the reach.
pub const TOLERANCE: f64 = 1e-4;

/// Iterations that an iterative solver may take. Generous on purpose: a solver that fails has failed
/// by itself, not by this number.
pub const MAX_ITERATIONS: u32 = 1000;

/// Seed of every problem.
pub const SEED: u64 = 20_260_101;
