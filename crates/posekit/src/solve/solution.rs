//! What comes back.

use super::Method;
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
    /// Proven: the target is farther from the root, or nearer to it, than the bones allow.
    Unreachable {
        /// By how much, in the problem's units.
        shortfall: f64,
    },
    /// No progress, and these joints stand at limits, or at their largest change, and hold the effector back; [`Solution::holds`] says which.
    Blocked {
        /// Indices of the joints, ascending.
        joints: Vec<usize>,
    },
    /// No progress and no proof why.
    Stalled,
    /// The iterations ran out.
    #[default]
    IterationLimit,
    /// The caller stopped it.
    Cancelled,
}

impl Status {
    /// The word used in files and on the command line.
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

/// A joint that holds the effectors back, because it may not go further.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Hold {
    /// Index of the joint.
    pub joint: usize,
    /// What keeps it.
    pub kind: HoldKind,
    /// By how much the root of the weighted sum of squared misses would fall per radian (or metre) beyond the limit, or the largest change, to first
    /// order \[m/rad, m/m\]. 0 where the pose is at rest and no single limit is to blame.
    pub relief: f64,
}

/// What keeps a joint from going further. Where both do, it is the limit.
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
    /// How far it may change from where it starts: [`JointOptions::largest_change`](super::JointOptions::largest_change), such as a velocity
    /// times a time step. The limit itself may be far away.
    LargestChange,
}

impl HoldKind {
    /// The word used in files.
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
    /// Why, in words: `asked for by name`, or what [`Method::Auto`] saw in the problem.
    #[cfg_attr(feature = "serde", serde(skip_deserializing))]
    pub reason: &'static str,
}

/// The best that was found: finite, inside the limits, whatever the status.
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[must_use]
#[non_exhaustive]
pub struct Solution {
    /// How it ended.
    pub status: Status,
    /// Iterations run, those of other methods (see `escaped_at`, `accelerated_at`) included.
    pub iterations: u32,
    /// Largest distance by which a task of level 1 is missed, measured by forward kinematics on what is returned here.
    pub error: f64,
    /// The distance that counted as reached.
    pub tolerance: f64,
    /// Largest angle by which one is missed \[rad\]; 0 when none asks for one.
    pub orientation_error: f64,
    /// How far each task is from holding, in the order of the tasks, measured likewise; empty for a chain.
    pub misses: Vec<Miss>,
    /// The limits and largest changes that hold the effectors back, where no more is to be gained: the joints of [`Status::Blocked`], what keeps each,
    /// and how much it would give.
    pub holds: Vec<Hold>,
    /// The method that ran, and why.
    pub choice: Choice,
    /// Joint values of the skeleton; empty for a [`Chain`](crate::chain::Chain).
    pub configuration: Vec<f64>,
    /// Further configurations that reach equally well, best first; only closed forms fill it.
    pub others: Vec<Vec<f64>>,
    /// Numbers per point.
    pub dimension: usize,
    /// The points, flat. For a chain: its points. For a skeleton: the joints that move an effector, in the order of
    /// the skeleton, then the effectors, in the order of the tasks of level 1 that weigh something and give a point.
    pub points: Vec<f64>,
    /// The iteration in which a lock-up was left: an iteration of the method had changed nothing.
    pub escaped_at: Option<u32>,
    /// The iteration in which slow progress was cut short; [`Method::Auto`] alone does so.
    pub accelerated_at: Option<u32>,
    /// The method that did either.
    pub escaped_by: Option<Method>,
    /// The steps, as far as [`Settings::trace`](super::Settings::trace) asked for them.
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
    /// One pass of constraint relaxation.
    Pass(u32),
    /// A lock-up was left.
    Escape,
    /// Slow progress was cut short.
    Acceleration,
    /// What the tasks leave free was used for tasks of lower levels, or for the least change.
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
    /// Largest angle by which a frame is off \[rad\]; 0 where no task asks for an orientation.
    pub turn: f64,
    /// Joint values; empty for a chain.
    pub configuration: Vec<f64>,
    /// Points as in [`Solution::points`]; for relaxation the relaxed points, whose distances may be off.
    pub points: Vec<f64>,
}
