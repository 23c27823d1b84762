//! The result of a solve.

use super::settings::Method;
use crate::task::Miss;
use alloc::vec::Vec;

/// How a solve ended.
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
#[non_exhaustive]
pub enum Status {
    /// Every task is within its tolerance.
    Reached,
    /// Proven: the target is farther from the root, or closer to it, than the bones allow, or the closed form of an arm has no solution.
    Unreachable {
        /// By how much it is too far or too close, in the problem's units; 0 if that is not the reason.
        shortfall: f64,
    },
    /// No progress is possible because these joints are at a limit or at their largest change; see [`Solution::holds`].
    Blocked {
        /// Indices of the joints, ascending.
        joints: Vec<usize>,
    },
    /// No further progress, for no proven reason.
    Stalled,
    /// The iterations ran out.
    #[default]
    IterationLimit,
    /// The caller stopped it.
    Cancelled,
}

impl Status {
    /// The name used in files and on the command line.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Reached => "reached",
            Self::Unreachable { .. } => "unreachable",
            Self::Blocked { .. } => "blocked",
            Self::Stalled => "stalled",
            Self::IterationLimit => "iteration-limit",
            Self::Cancelled => "cancelled",
        }
    }
}

/// A joint whose limit prevents further progress.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Hold {
    /// Index of the joint.
    pub joint: usize,
    /// What stops it.
    pub kind: HoldKind,
    /// First-order decrease of the root of the weighted sum of squared misses per radian (or metre) beyond the limit or largest change
    /// \[m/rad, m/m\]. 0 when the pose is at a local minimum and no single limit is responsible.
    pub relief: f64,
}

/// What stops a joint; if both do, the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
#[non_exhaustive]
pub enum HoldKind {
    /// The joint's own [`Limit`](crate::skeleton::Limit).
    #[default]
    Limit,
    /// The largest change from its start: [`JointOptions::largest_change`](super::JointOptions::largest_change), for example a velocity
    /// times a time step. The limit itself may be far away.
    LargestChange,
}

impl HoldKind {
    /// The name used in files.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Limit => "limit",
            Self::LargestChange => "largest-change",
        }
    }
}

/// The method that ran, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Choice {
    /// The method; never [`Method::Auto`] once a solve has begun.
    pub method: Method,
    /// The reason as a phrase: `requested by name`, or the property of the problem for which [`Method::Auto`] chose it.
    #[cfg_attr(feature = "serde", serde(skip_deserializing))]
    pub reason: &'static str,
}

/// The best configuration found: finite and inside the limits, whatever the status.
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[must_use]
#[non_exhaustive]
pub struct Solution {
    /// How it ended.
    pub status: Status,
    /// Iterations run, including those of other methods (see `escaped_at`, `accelerated_at`).
    pub iterations: u32,
    /// Largest distance error of the tasks of level 1, measured by forward kinematics on this configuration.
    pub error: f64,
    /// The distance that counted as reached.
    pub tolerance: f64,
    /// Largest angular error of the tasks of level 1 \[rad\]; 0 if they constrain no angle.
    pub orientation_error: f64,
    /// The error of each task, in the order of the tasks, measured likewise; empty for a chain.
    pub misses: Vec<Miss>,
    /// The limits and largest changes that prevent further progress: the joints of [`Status::Blocked`], what stops each, and the gain from
    /// relaxing it.
    pub holds: Vec<Hold>,
    /// The method that ran, and why.
    pub choice: Choice,
    /// Joint values of the skeleton; empty for a [`Chain`](crate::chain::Chain).
    pub configuration: Vec<f64>,
    /// Further configurations that reach the targets equally well, best first; only closed forms provide them.
    pub others: Vec<Vec<f64>>,
    /// Numbers per point.
    pub dimension: usize,
    /// The points, flat. For a chain: its points. For a skeleton: the joints that move an effector, in the order of
    /// the skeleton, then the effectors, in the order of the tasks of level 1 that weigh something and give a point.
    pub points: Vec<f64>,
    /// The iteration that left a lock-up, in which the method changed nothing.
    pub escaped_at: Option<u32>,
    /// The iteration that cut slow convergence short; only [`Method::Auto`] does so.
    pub accelerated_at: Option<u32>,
    /// The method used in either case.
    pub escaped_by: Option<Method>,
    /// The steps that [`Settings::trace`](super::Settings::trace) records.
    pub trace: Vec<TraceStep>,
}

impl Solution {
    /// True when every task is within its tolerance.
    #[must_use]
    pub fn is_reached(&self) -> bool {
        self.status == Status::Reached
    }
}

/// What happened in a step of a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
#[non_exhaustive]
pub enum Phase {
    /// A whole iteration.
    #[default]
    Iteration,
    /// Cyclic coordinate descent has moved this joint.
    Joint(usize),
    /// FABRIK's half from the effectors inward.
    Backward,
    /// FABRIK's half from the root outward.
    Forward,
    /// Constraint relaxation has brought the bone that ends at this point to its length.
    Bone(usize),
    /// One pass of constraint relaxation over all bones, after which a pose is fitted.
    Pass(u32),
    /// An escape from a lock-up.
    Escape,
    /// Slow convergence cut short by another method.
    Acceleration,
    /// A step for tasks of lower levels, or towards least change, in the null space of the tasks above.
    Refinement,
}

/// One step of a trace.
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct TraceStep {
    /// Counts from 1.
    pub iteration: u32,
    /// What happened.
    pub phase: Phase,
    /// Largest distance between an effector and its target.
    pub error: f64,
    /// Largest angle between a frame and its target orientation \[rad\]; 0 if no task constrains an orientation.
    pub turn: f64,
    /// Joint values; empty for a chain.
    pub configuration: Vec<f64>,
    /// Points as in [`Solution::points`]; for relaxation the relaxed points, whose distances may be off.
    pub points: Vec<f64>,
}
