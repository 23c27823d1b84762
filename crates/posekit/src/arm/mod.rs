//! Serial robot arms: the joint values for a pose of the tool.
//!
//! An [`Arm`] is the path of hinges and slides from the world to one tool, compiled once for a kernel of fixed size: one walk over the joints gives
//! the tool and its Jacobian, and one damped step within the limits takes a quarter of a microsecond. [`Arm::solve`] descends from the given
//! configuration if that is near, otherwise from the nearest of a table of poses, and from others until one reaches the target. It neither
//! allocates nor keeps anything between calls, so one arm serves any number of threads.
//!
//! For several tools, other tasks, priorities, or joints with more than one value there is [`solve`](crate::solve).
//!
//! ```
//! use posekit::arm::{Arm, ArmSettings};
//! use posekit::glam::{DQuat, DVec3};
//! use posekit::math::Pose;
//! use posekit::skeleton::{Frame, Joint, Limit, Skeleton};
//!
//! let limit = Limit::Range { min: -2.5, max: 2.5 };
//! let mut builder = Skeleton::builder();
//! let mut last = builder.add(Joint::revolute("base", DVec3::Z).with_limit(limit));
//! for (name, axis, length) in [
//!     ("shoulder", DVec3::Y, 0.3), ("elbow", DVec3::Y, 0.4),
//!     ("roll", DVec3::X, 0.3), ("pitch", DVec3::Y, 0.0), ("yaw", DVec3::Z, 0.0),
//! ] {
//!     let placement = Pose::from_translation(DVec3::X * length);
//!     let joint = Joint::revolute(name, axis).child_of(last).at(placement).with_limit(limit);
//!     last = builder.add(joint);
//! }
//! let robot = builder.build()?;
//! let arm = Arm::new(&robot, Frame::new(last, Pose::from_translation(DVec3::X * 0.1)))?;
//!
//! let mut q = robot.neutral();
//! let target = Pose::new(DQuat::IDENTITY, DVec3::new(0.6, 0.2, 0.3));
//! let solution = arm.solve(target, &mut q, &ArmSettings::default())?;
//! assert!(solution.is_reached() && robot.within_limits(&q, 0.0));
//! assert!(arm.pose(&q)?.translation.distance(target.translation) < 1e-6);
//! # Ok::<(), posekit::Error>(())
//! ```

mod goal;
mod kernel;
pub mod map;
mod path;
mod search;
mod starts;

use crate::error::{ErrorKind, Result};
use crate::math::{Pose, check_unit, normalised};
use crate::skeleton::{Frame, Mimic, Skeleton};
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ops::ControlFlow;
use goal::Goal;
use kernel::Kernel;
use path::{MOST_JOINTS, Path};
use search::{Found, Search};
use starts::Starts;

/// The path of hinges and slides from the world to a tool, compiled to be solved fast.
///
/// See the [module](self).
#[derive(Debug, Clone)]
pub struct Arm {
    path: Path,
    kernel: Sized,
    skeleton_values: usize,
    /// For each mimic of a joint of the arm: its value, that of its driver, and how it follows.
    mimics: Vec<(usize, usize, Mimic)>,
    /// The tool behind the last joint, to follow a configuration.
    n_joints: usize,
}

/// Which of the poses that reach the target is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
#[non_exhaustive]
pub enum Prefer {
    /// The nearest to the given configuration of those found, by the sum of squared changes; redundant joints move towards it as far as the
    /// target permits. The default.
    #[default]
    Nearest,
    /// The first that is found: the fastest. From a configuration near the target it is usually the nearest, too.
    First,
}

/// Tolerances of a solve, and the work that it may take. Plain data.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
#[non_exhaustive]
pub struct ArmSettings {
    /// Distance from the target that counts as reached \[m\]; `None` means 1e-6 of the arm's length.
    pub tolerance: Option<f64>,
    /// Angle from the target's orientation that counts as reached \[rad\]; `None` means 1e-6.
    pub orientation_tolerance: Option<f64>,
    /// How far the tool may be from the target along x, y and z \[m\], and rotated about x, y and z \[rad\], in the target's own axes. Infinite
    /// where an axis does not matter. Default 0: the whole pose.
    pub slack: [f64; 6],
    /// Which pose is wanted.
    pub prefer: Prefer,
    /// The most starts from which the target is tried. Default 200; fewer if it is proven out of reach.
    pub starts: u32,
}

impl Default for ArmSettings {
    fn default() -> Self {
        Self {
            tolerance: None,
            orientation_tolerance: None,
            slack: [0.0; 6],
            prefer: Prefer::Nearest,
            starts: 200,
        }
    }
}

/// What became of a solve.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum ArmStatus {
    /// The tool is at the target, within the tolerances.
    Reached,
    /// Proven: the target is further than the arm is long.
    Unreachable {
        /// By how much \[m\].
        shortfall: f64,
    },
    /// No start led to the target: it is out of reach, or only reached outside the limits, or hard to find.
    NotFound,
}

/// The outcome of a solve. The configuration is in the caller's slice.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct ArmSolution {
    /// Whether the target was reached.
    pub status: ArmStatus,
    /// Distance of the tool from the target beyond the [slack](ArmSettings::slack) \[m\].
    pub distance: f64,
    /// Angle of the tool from the target's orientation beyond the slack \[rad\].
    pub angle: f64,
    /// Steps over all starts.
    pub iterations: u32,
    /// Starts that were tried.
    pub starts: u32,
}

impl ArmSolution {
    /// Whether the tool is at the target.
    #[must_use]
    pub fn is_reached(&self) -> bool {
        self.status == ArmStatus::Reached
    }
}

/// A kernel with its table of starts.
#[derive(Debug, Clone)]
struct Of<const N: usize> {
    kernel: Kernel<N>,
    starts: Starts<N>,
}

/// The sizes of kernels; an arm takes the smallest that holds its joints.
#[derive(Debug, Clone)]
enum Sized {
    Six(Box<Of<6>>),
    Seven(Box<Of<7>>),
    Eight(Box<Of<8>>),
    Sixteen(Box<Of<16>>),
    Most(Box<Of<MOST_JOINTS>>),
}

/// Evaluates an expression with the kernel of an arm.
macro_rules! with_kernel {
    ($sized:expr, $of:ident => $result:expr) => {
        match $sized {
            Sized::Six($of) => $result,
            Sized::Seven($of) => $result,
            Sized::Eight($of) => $result,
            Sized::Sixteen($of) => $result,
            Sized::Most($of) => $result,
        }
    };
}

/// Starts for a target that is proven out of reach.
const OUT_OF_REACH: u32 = 8;

/// Starts after which the nearest pose is chosen: nearly always all branches of an arm with six joints were found by then.
const STARTS_FOR_NEAREST: u32 = 32;

impl Arm {
    /// The arm that ends at a tool.
    ///
    /// # Errors
    /// [`Error::is_unsuited`](crate::Error::is_unsuited) if there are ball or free joints on the path, no moving joints, or more than 32; those of
    /// [`Skeleton::check_frame`].
    pub fn new(skeleton: &Skeleton, tool: Frame) -> Result<Self> {
        Self::with_held(skeleton, tool, &[], &[])
    }

    /// The same with some joints held: they, and the joints that mimic them, stay as they are in a configuration.
    ///
    /// - `held`: indices of joints, of any kind
    /// - `q`: the configuration
    ///
    /// # Errors
    /// Those of [`new`](Self::new) and [`Skeleton::check`]; [`Error::is_no_such_joint`](crate::Error::is_no_such_joint).
    pub fn with_held(skeleton: &Skeleton, tool: Frame, held: &[usize], q: &[f64]) -> Result<Self> {
        let path = Path::new(skeleton, &tool, held, q)?;
        let n_joints = path.joints.len();
        let kernel = match n_joints {
            0..=6 => Sized::Six(Of::boxed(&path)),
            7 => Sized::Seven(Of::boxed(&path)),
            8 => Sized::Eight(Of::boxed(&path)),
            9..=16 => Sized::Sixteen(Of::boxed(&path)),
            _ => Sized::Most(Of::boxed(&path)),
        };
        let mimics = (0..skeleton.n_joints()).filter_map(|joint| {
            let mimic = skeleton.mimic(joint)?;
            let [value, driver] =
                [joint, mimic.joint].map(|joint| skeleton.value_range(joint).start);
            path.values.contains(&Some(driver)).then_some((value, driver, mimic))
        });
        let mimics = mimics.collect();
        Ok(Self { kernel, mimics, n_joints, skeleton_values: skeleton.n_values(), path })
    }

    /// Solves for a pose of the tool.
    ///
    /// - `target`: in the world
    /// - `q`: the configuration of the whole skeleton to start from; on return the best one found, inside the limits. Only joints of the arm, and their
    ///   mimics, change.
    ///
    /// # Errors
    /// [`Error::is_wrong_length`](crate::Error::is_wrong_length) or [`is_not_finite`](crate::Error::is_not_finite) for `q`; a target that is not finite or
    /// whose rotation is further than 0.001 from unit length; a negative or NaN tolerance or slack. `q` is unchanged then.
    pub fn solve(
        &self,
        target: Pose,
        q: &mut [f64],
        settings: &ArmSettings,
    ) -> Result<ArmSolution> {
        let goal = self.goal(target, q, settings)?;
        Ok(with_kernel!(&self.kernel, of => self.solve_with(of, &goal, q, settings)))
    }

    /// All distinct configurations found that reach a target, the nearest to `q` first. An arm with more than six joints has infinitely many: of these
    /// it is one for each branch found, the nearest.
    ///
    /// # Errors
    /// Those of [`solve`](Self::solve).
    pub fn solutions(
        &self,
        target: Pose,
        q: &[f64],
        settings: &ArmSettings,
    ) -> Result<Vec<Vec<f64>>> {
        let goal = self.goal(target, q, settings)?;
        Ok(with_kernel!(&self.kernel, of => self.solutions_with(of, &goal, q, settings)))
    }

    /// The pose of the tool in the world.
    ///
    /// # Errors
    /// [`Error::is_wrong_length`](crate::Error::is_wrong_length) or [`is_not_finite`](crate::Error::is_not_finite) for `q`.
    pub fn pose(&self, q: &[f64]) -> Result<Pose> {
        self.check(q)?;
        let tool = with_kernel!(&self.kernel, of => of.kernel.tool(&goal::Frame::IDENTITY, &self.unknowns(q)));
        Ok(self.path.base * tool.pose(self.path.unit))
    }

    /// The frame of the first joint in the world, which the reach is measured from.
    #[must_use]
    pub const fn base(&self) -> Pose {
        self.path.base
    }

    /// The tool is never further from the origin of the base \[m\]. Infinite with a slide without limits.
    #[must_use]
    pub fn reach(&self) -> f64 {
        self.path.reach * self.path.unit
    }

    /// `J Jᵀ` of a configuration, its lengths in reaches.
    fn gram(&self, q: &[f64]) -> [kernel::Column; 6] {
        let is_slide = |i: usize| self.path.joints.get(i).is_some_and(|joint| joint.is_slide);
        let reach = if self.path.reach.is_finite() { self.path.reach } else { 1.0 };
        with_kernel!(&self.kernel, of => {
            map::gram(&of.kernel.jacobian(&self.unknowns(q)), is_slide, reach)
        })
    }

    fn check(&self, q: &[f64]) -> Result<()> {
        if q.len() != self.skeleton_values {
            return Err(ErrorKind::Length {
                what: "configuration",
                expected: self.skeleton_values,
                found: q.len(),
            }
            .into());
        }
        match q.iter().position(|x| !x.is_finite()) {
            Some(index) => Err(ErrorKind::NonFinite { what: "configuration", index }.into()),
            None => Ok(()),
        }
    }

    fn goal(&self, target: Pose, q: &[f64], settings: &ArmSettings) -> Result<Goal> {
        self.check(q)?;
        let numbers = target.translation.to_array().into_iter().chain(target.rotation.to_array());
        if let Some(index) = numbers.enumerate().find_map(|(k, x)| (!x.is_finite()).then_some(k)) {
            return Err(ErrorKind::NonFinite { what: "target", index }.into());
        }
        check_unit(target.rotation)
            .map_err(|length| ErrorKind::NotUnit { what: "target rotation", length })?;
        let ArmSettings { tolerance, orientation_tolerance, slack, .. } = *settings;
        let length = if self.path.reach.is_finite() {
            self.path.reach * self.path.unit
        } else {
            self.path.unit
        };
        let tolerances =
            [tolerance.unwrap_or(TOLERANCE * length), orientation_tolerance.unwrap_or(TOLERANCE)];
        let numbers = tolerances.into_iter().chain(slack);
        for (index, value) in numbers.enumerate() {
            if value.is_nan() || value < 0.0 {
                let what = ["tolerance", "orientation tolerance", "slack"][index.min(2)];
                return Err(ErrorKind::OutOfRange {
                    what,
                    index: index.saturating_sub(2),
                    value,
                    need: "0 or more",
                }
                .into());
            }
        }
        let target = Pose::new(normalised(target.rotation), target.translation);
        Ok(Goal::new(&self.path, target, &slack, tolerances))
    }

    /// The unknowns of the kernel, from a configuration.
    fn unknowns<const N: usize>(&self, q: &[f64]) -> [f64; N] {
        let mut x = [0.0; N];
        for (x, (value, joint)) in x.iter_mut().zip(self.path.values.iter().zip(&self.path.joints))
        {
            if let Some(value) = value {
                *x = q[*value] / joint.unit;
            }
        }
        x
    }

    /// Writes the unknowns into a configuration.
    fn write<const N: usize>(&self, x: &[f64; N], q: &mut [f64]) {
        for (x, (value, joint)) in x.iter().zip(self.path.values.iter().zip(&self.path.joints)) {
            if let Some(value) = value {
                q[*value] = x * joint.unit;
            }
        }
        for (value, driver, mimic) in &self.mimics {
            q[*value] = mimic.value(q[*driver]);
        }
    }

    fn search<'a, const N: usize>(
        &self,
        of: &'a Of<N>,
        goal: &'a Goal,
        q: &[f64],
        most: u32,
    ) -> Search<'a, N> {
        let mut start = self.unknowns::<N>(q);
        for (x, joint) in start.iter_mut().zip(&of.kernel.joints) {
            *x = joint.clamp(*x);
        }
        let most =
            if goal.shortfall(self.path.reach) > 0.0 { most.min(OUT_OF_REACH) } else { most };
        Search { kernel: &of.kernel, starts: &of.starts, goal, start, most }
    }

    fn solve_with<const N: usize>(
        &self,
        of: &Of<N>,
        goal: &Goal,
        q: &mut [f64],
        settings: &ArmSettings,
    ) -> ArmSolution {
        let search = self.search(of, goal, q, settings.starts.max(1));
        let mut best: Option<(f64, [f64; N])> = None;
        let mut starts = 0;
        let mut found = search.run(|x, tried| {
            if settings.prefer == Prefer::First {
                return ControlFlow::Break(());
            }
            let mut x = *x;
            if self.n_joints > 6 || goal.has_slack() {
                of.kernel.settle(goal, &mut x, &search.start);
            }
            let cost = distance_squared(&x, &search.start);
            if best.is_none_or(|(least, _)| cost < least) {
                best = Some((cost, x));
            }
            starts = tried;
            if tried < STARTS_FOR_NEAREST {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        });
        if let Some((_, x)) = best {
            (found.x, found.residual) = (x, of.kernel.residual(goal, &x));
        }
        self.write(&found.x, q);
        self.solution(&found, goal)
    }

    fn solutions_with<const N: usize>(
        &self,
        of: &Of<N>,
        goal: &Goal,
        q: &[f64],
        settings: &ArmSettings,
    ) -> Vec<Vec<f64>> {
        let search = self.search(of, goal, q, settings.starts.max(1));
        let mut all: Vec<(f64, [f64; N])> = Vec::new();
        search.run(|x, _| {
            let mut x = *x;
            if self.n_joints > 6 || goal.has_slack() {
                of.kernel.settle(goal, &mut x, &search.start);
            }
            if all.iter().all(|(_, other)| distance_squared(&x, other) > SAME) {
                all.push((distance_squared(&x, &search.start), x));
            }
            ControlFlow::Continue(())
        });
        all.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        let write = |(_, x): &(f64, [f64; N])| {
            let mut q = q.to_vec();
            self.write(x, &mut q);
            q
        };
        all.iter().map(write).collect()
    }

    fn solution<const N: usize>(&self, found: &Found<N>, goal: &Goal) -> ArmSolution {
        let shortfall = goal.shortfall(self.path.reach) * self.path.unit;
        let distance = found.residual.distance * self.path.unit;
        let status = match () {
            () if found.has_reached => ArmStatus::Reached,
            () if shortfall > 0.0 => ArmStatus::Unreachable { shortfall },
            () => ArmStatus::NotFound,
        };
        ArmSolution {
            status,
            distance,
            angle: found.residual.angle,
            iterations: found.steps,
            starts: found.starts,
        }
    }
}

impl<const N: usize> Of<N> {
    fn boxed(path: &Path) -> Box<Self> {
        let kernel = Kernel::new(&path.joints, path.tool, path.tool_turn);
        let starts = Starts::new(&kernel);
        Box::new(Self { kernel, starts })
    }
}

/// Relative to the arm's length, and \[rad\].
const TOLERANCE: f64 = 1e-6;

/// Two solutions are the same if the sum of the squares of their differences is less.
const SAME: f64 = 1e-6;

fn distance_squared<const N: usize>(a: &[f64; N], b: &[f64; N]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}
