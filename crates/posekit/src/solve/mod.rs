//! Solvers: from a skeleton (or a chain of points) and its tasks to a pose.
//!
//! Every [`Method`] solves for one target. [`Method::LeastSquares`] solves for any number of tasks with weights and priority levels, and
//! frees the other methods from lock-ups. [`Method::Auto`] chooses; [`Solution::choice`] reports which and why.
//!
//! *Settings → Workspace → Solution.* [`Settings`] are plain data. A [`Workspace`] owns every buffer; it solves one problem
//! after another without allocating, step by step or to the end. A valid problem always has a [`Solution`]: the best configuration found,
//! finite and inside the limits, with a [`Status`], the error of every task ([`Solution::misses`]) and the limits that stand in the way, each
//! with the gain from relaxing it ([`Solution::holds`]).
//!
//! # Levels and the least change
//! Tasks of level 1 are solved first and decide the status. Each lower level is then solved as well as possible without disturbing those above
//! it. Among the remaining poses the solution is a local minimum of the change from the start, the sum of stiffness times squared change
//! ([`JointOptions::stiffness`]): the minimum near the pose found first or, after a restart, near the pose found by the restart. A distant
//! pose, folded differently, may have a smaller sum. Hinge angles are not wrapped: they are the values nearest to those at the start.
//!
//! # Never stuck silently
//! Iterative methods lock up: for a straight limb with its target on its own line, no joint has a direction in which to move. The driver
//! detects an iteration that changes nothing and continues with another method: free chains with the direct solver
//! ([`chain::direct`](crate::chain::direct)), joints with axes and limits with damped least squares, from that pose and then from others.
//! [`Solution::escaped_at`] and [`Solution::escaped_by`] report it; [`Settings::classic`] turns it off. Apart from lock-ups, a method that is
//! named runs to its own end; only [`Method::Auto`] also switches methods when one is slow ([`Solution::accelerated_at`]).

mod driver;
mod methods;
mod moves;
mod points;
mod pose;
mod problem;
mod reading;
mod recorder;
mod report;
mod restarts;
mod run;
mod settings;
mod solution;
mod workspace;

pub use settings::{Detail, JointOptions, LeastSquares, Method, Relaxation, Settings};
pub use solution::{Choice, Hold, HoldKind, Phase, Solution, Status, TraceStep};
pub use workspace::{Progress, Workspace};

use crate::Result;
use crate::chain::{Chain, Goals};
use crate::skeleton::Skeleton;
use crate::task::Task;

/// Solves one problem on a skeleton.
///
/// - `start`: initial joint values, from which the change is minimised; values outside the limits are clamped
/// - `tasks`: what must hold
///
/// # Errors
/// See [`Workspace::begin`].
///
/// # Example: a straight arm whose target lies on its own line
/// ```
/// use posekit::glam::DVec3;
/// use posekit::math::Pose;
/// use posekit::skeleton::{Frame, Joint, Skeleton};
/// use posekit::solve::{Method, Settings, solve};
/// use posekit::task::Position;
///
/// let mut builder = Skeleton::builder();
/// let shoulder = builder.add(Joint::revolute("shoulder", DVec3::Z));
/// let bone = Pose::from_translation(DVec3::X);
/// let elbow = builder.add(Joint::revolute("elbow", DVec3::Z).child_of(shoulder).at(bone));
/// let skeleton = builder.build()?;
/// let hand = Frame { joint: elbow, joint_from_frame: bone };
///
/// let task = Position::new(hand, DVec3::new(1.2, 0.0, 0.0)).into();
/// let solution = solve(&skeleton, &[0.0, 0.0], &[task], Method::Ccd, &Settings::default())?;
/// assert!(solution.is_reached());
/// assert!(solution.error < 1e-6);
/// assert!(solution.escaped_at.is_some());
/// # Ok::<(), posekit::Error>(())
/// ```
pub fn solve(
    skeleton: &Skeleton,
    start: &[f64],
    tasks: &[Task],
    method: Method,
    settings: &Settings,
) -> Result<Solution> {
    let mut workspace = Workspace::default();
    workspace.begin(skeleton, start, tasks, method, settings)?;
    workspace.run();
    Ok(workspace.into_solution())
}

/// Solves one problem on a chain of points, in any dimension.
///
/// Cyclic coordinate descent and the closed form of two bones need the joints of a skeleton.
///
/// # Errors
/// See [`Workspace::begin_chain`].
///
/// # Example: two tips in four dimensions
/// ```
/// use posekit::chain::{Chain, Goals};
/// use posekit::solve::{Method, Settings, solve_chain};
///
/// // A stem of one bone with two branches.
/// let points = [0., 0., 0., 0., 1., 0., 0., 0., 2., 0.1, 0., 0., 2., 0., 0.1, 0.];
/// let chain = Chain::try_tree(4, &points, &[0, 0, 1, 1])?;
/// let targets = [1.2, 0.9, 0.1, 0.0, 1.2, 0.0, 0.0, 0.9];
/// let goals = Goals { effectors: &[2, 3], targets: &targets };
/// let solution = solve_chain(&chain, goals, Method::Fabrik, &Settings::default())?;
/// assert!(solution.is_reached());
/// # Ok::<(), posekit::Error>(())
/// ```
pub fn solve_chain(
    chain: &Chain,
    goals: Goals<'_>,
    method: Method,
    settings: &Settings,
) -> Result<Solution> {
    let mut workspace = Workspace::default();
    workspace.begin_chain(chain, goals, method, settings)?;
    workspace.run();
    Ok(workspace.into_solution())
}
