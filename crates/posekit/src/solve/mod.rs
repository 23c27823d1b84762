//! Solvers: from a skeleton (or a chain of points) and its tasks to a pose.
//!
//! One target has many solvers ([`Method`]); any number of tasks, weighted and on levels, are for [`Method::LeastSquares`], which also
//! gets the others out of their lock-ups. [`Method::Auto`] chooses, and [`Solution::choice`] says what and why.
//!
//! *Settings → Workspace → Solution.* [`Settings`] are plain data. A [`Workspace`] owns every buffer; it solves problem after
//! problem without allocating, one step at a time or to the end. A [`Solution`] always comes back for a valid problem:
//! the best that was found, finite, inside the limits, with a [`Status`] that says how it ended, how far every task is from holding
//! ([`Solution::misses`]) and which limits hold it back, each with what relaxing it would give ([`Solution::holds`]).
//!
//! # Levels and the least change
//! Tasks of level 1 are solved first; the status speaks of them. Then each lower level is brought as near as it comes without disturbing those
//! above it. Of the poses that are left, the solution is one of least change from the start: the sum of stiffness times squared change
//! ([`JointOptions::stiffness`]) has a local minimum there, the one near the pose that was found; another fold, far from it, may have a smaller sum, and where a restart
//! was needed the minimum is the one near the pose that the restart found. Angles of hinges come back as the values nearest to where they started, not wrapped.
//!
//! # Never stuck silently
//! Iterative methods lock up: a straight limb with its target on its own line does not know where to bend. The driver that runs all of them
//! notices when an iteration changes nothing, and goes on by another method: free chains by the direct solver
//! ([`chain::direct`](crate::chain::direct)), joints with axes and limits by damped least squares, from there and from other starts.
//! [`Solution::escaped_at`] and [`Solution::escaped_by`] say so; [`Settings::classic`] turns it off. Otherwise a method that is named runs
//! itself to the end; [`Method::Auto`] also changes the method where one is slow ([`Solution::accelerated_at`]).

mod chain_run;
mod driver;
mod figure;
mod methods;
mod moves;
mod points;
mod pose;
mod problem;
mod reading;
mod report;
mod restarts;
mod settings;
mod solution;
mod workspace;

pub use settings::{Detail, JointOptions, LeastSquares, Relaxation, Root, Settings};
pub use solution::{Choice, Hold, HoldKind, Phase, Solution, Status, TraceStep};
pub use workspace::{Progress, Workspace};

use crate::Result;
use crate::chain::{Chain, Goals};
use crate::skeleton::Skeleton;
use crate::task::Task;

/// The solvers by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
#[non_exhaustive]
pub enum Method {
    /// The method that suits the problem: the closed form where there is one, else the fastest that can do what is asked. What it chose, and
    /// why, is in [`Solution::choice`].
    #[default]
    Auto,
    /// Two bones in closed form.
    TwoBone,
    /// Cyclic coordinate descent.
    Ccd,
    /// Forward and backward reaching.
    Fabrik,
    /// Constraint relaxation.
    Relaxation,
    /// The direct solver of free chains: the least change of all bone directions, a convex problem.
    Direct,
    /// Damped least squares: any tasks on any skeleton.
    LeastSquares,
}

impl Method {
    /// All methods, in the order in which tables list them.
    pub const ALL: [Self; 7] = [
        Self::Auto,
        Self::TwoBone,
        Self::Direct,
        Self::Ccd,
        Self::Fabrik,
        Self::Relaxation,
        Self::LeastSquares,
    ];

    /// The word used in files and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::TwoBone => "two-bone",
            Self::Ccd => "ccd",
            Self::Fabrik => "fabrik",
            Self::Relaxation => "relaxation",
            Self::Direct => "direct",
            Self::LeastSquares => "least-squares",
        }
    }

    /// The method of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|method| method.name() == name)
    }
}

/// Solves one problem on a skeleton.
///
/// - `start`: joint values to start from and to change least; values outside the limits are brought inside
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
/// Cyclic coordinate descent and the closed two-bone form need joints; for them make a skeleton.
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
