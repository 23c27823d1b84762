//! The caller's choices.

use crate::chain::relaxation::Reading;
use crate::skeleton::Skeleton;
use crate::{ErrorKind, Result};
use alloc::vec::Vec;

/// The solvers by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
#[non_exhaustive]
pub enum Method {
    /// Chooses for the problem: the closed form if there is one, otherwise the fastest method that handles all tasks. See
    /// [`Solution::choice`](super::Solution::choice).
    #[default]
    Auto,
    /// Two bones in closed form.
    TwoBone,
    /// The kernel and the closed forms of serial [arms](crate::arm): the whole pose of the tip of an unbranched path of hinges and slides.
    Arm,
    /// Cyclic coordinate descent.
    Ccd,
    /// Forward and backward reaching.
    Fabrik,
    /// Constraint relaxation.
    Relaxation,
    /// The direct solver of free chains: least change of the bone directions, a convex problem.
    Direct,
    /// Damped least squares: any tasks on any skeleton.
    LeastSquares,
}

impl Method {
    /// All methods, in the order in which tables list them.
    pub const ALL: [Self; 8] = [
        Self::Auto,
        Self::TwoBone,
        Self::Arm,
        Self::Direct,
        Self::Ccd,
        Self::Fabrik,
        Self::Relaxation,
        Self::LeastSquares,
    ];

    /// The name used in files and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::TwoBone => "two-bone",
            Self::Arm => "arm",
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

/// Plain data: tolerances, limits on the work, and options of joints and methods. The defaults suit most problems.
///
/// # Example: a stiff spine and a locked wrist
/// ```
/// use posekit::glam::DVec3;
/// use posekit::skeleton::{Joint, Skeleton};
/// use posekit::solve::Settings;
///
/// let mut builder = Skeleton::builder();
/// let spine = builder.add(Joint::ball("spine"));
/// builder.add(Joint::revolute("wrist", DVec3::Z).child_of(spine));
/// let skeleton = builder.build()?;
///
/// let mut settings = Settings::default();
/// settings.joint(spine).stiffness = 10.0;
/// settings.joint_named(&skeleton, "wrist")?.locked = true;
/// assert!(settings.joint_named(&skeleton, "tail").is_err());
/// # Ok::<(), posekit::Error>(())
/// ```
#[derive(Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
#[non_exhaustive]
pub struct Settings {
    /// Distance between effector and target that counts as reached, in the problem's units; `None` means 1e-6 of the
    /// chain's reach.
    ///
    /// Larger is faster and coarser. At 0 every iteration is run. Distances below 1e-14 of the reach are rounding and always count as
    /// reached.
    pub tolerance: Option<f64>,
    /// Angle between an effector's orientation and its target that counts as reached \[rad\]; `None` means 1e-6.
    ///
    /// Larger is faster and coarser. Angles below 1e-14 are rounding and always count as reached.
    pub orientation_tolerance: Option<f64>,
    /// Iterations after which to stop. Default 500; 0 only measures the start.
    pub iterations: u32,
    /// Run the published iteration exactly as in its source: absolute thresholds, early exit, no escape from
    /// lock-ups, no acceleration. For study and comparison. Default false.
    pub classic: bool,
    /// What to record in the trace. Default nothing.
    pub trace: Detail,
    /// How each joint of the skeleton may move, by index. Joints beyond the end of the list have the defaults; a list longer than the skeleton
    /// is refused.
    pub joints: Vec<JointOptions>,
    /// For [`Method::Relaxation`](Method::Relaxation).
    pub relaxation: Relaxation,
    /// For [`Method::LeastSquares`](Method::LeastSquares).
    pub least_squares: LeastSquares,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            tolerance: None,
            orientation_tolerance: None,
            iterations: 500,
            classic: false,
            trace: Detail::Off,
            joints: Vec::new(),
            relaxation: Relaxation::default(),
            least_squares: LeastSquares::default(),
        }
    }
}

impl Settings {
    /// For one solve per frame that begins from the last configuration: at most 50 iterations, no [restarts](LeastSquares::restarts) and no
    /// [least change](LeastSquares::least_change).
    ///
    /// Targets move little between frames, so few iterations suffice. When they do not, the next frame continues: an error for one frame is
    /// better than a jump to a differently folded pose. Use the defaults to solve from an unrelated pose. These are options of least squares,
    /// which [`Method::Auto`](Method::Auto) therefore runs.
    ///
    /// # Example: a tool follows a moving target
    /// ```
    /// use posekit::glam::DVec3;
    /// use posekit::math::Pose;
    /// use posekit::skeleton::{Frame, Joint, Skeleton};
    /// use posekit::solve::{Method, Settings, Workspace};
    /// use posekit::task::Position;
    ///
    /// let bone = Pose::from_translation(DVec3::X);
    /// let mut builder = Skeleton::builder();
    /// let shoulder = builder.add(Joint::ball("shoulder"));
    /// let elbow = builder.add(Joint::revolute("elbow", DVec3::Z).child_of(shoulder).at(bone));
    /// let arm = builder.build()?;
    /// let (tool, settings) = (Frame::new(elbow, bone), Settings::tracking());
    ///
    /// let (mut workspace, mut q) = (Workspace::default(), arm.neutral());
    /// for frame in 0..60 {
    ///     let target = DVec3::new(1.6 - 0.01 * f64::from(frame), 0.5, 0.2);
    ///     let tasks = [Position::new(tool, target).into()];
    ///     workspace.begin(&arm, &q, &tasks, Method::LeastSquares, &settings)?;
    ///     q.clone_from(&workspace.run().configuration);
    /// }
    /// assert!(workspace.solution().is_reached());
    /// # Ok::<(), posekit::Error>(())
    /// ```
    #[must_use]
    pub fn tracking() -> Self {
        let least_squares = LeastSquares::default().with_restarts(0).with_least_change(false);
        Self::default().with_iterations(50).with_least_squares(least_squares)
    }

    /// Mutable options of a joint; the list grows to include it.
    pub fn joint(&mut self, index: usize) -> &mut JointOptions {
        if self.joints.len() <= index {
            self.joints.resize(index + 1, JointOptions::default());
        }
        &mut self.joints[index]
    }

    /// The same by name.
    ///
    /// # Errors
    /// [`Error::is_no_such_joint`](crate::Error::is_no_such_joint) when the skeleton has no joint of that name.
    pub fn joint_named(&mut self, skeleton: &Skeleton, name: &str) -> Result<&mut JointOptions> {
        match skeleton.find(name) {
            Some(index) => Ok(self.joint(index)),
            None => Err(ErrorKind::NoSuchName { name: name.into() }.into()),
        }
    }

    /// The options of a joint: those in the list, or the defaults.
    #[must_use]
    pub fn joint_options(&self, index: usize) -> JointOptions {
        self.joints.get(index).copied().unwrap_or_default()
    }

    /// [`orientation_tolerance`](Self::orientation_tolerance) or its default \[rad\].
    #[must_use]
    pub fn angle_tolerance(&self) -> f64 {
        self.orientation_tolerance.unwrap_or(1e-6)
    }

    /// The same settings with the options of all joints, from the first on.
    #[must_use]
    pub fn with_joints(mut self, joints: impl IntoIterator<Item = JointOptions>) -> Self {
        self.joints = joints.into_iter().collect();
        self
    }

    /// The same settings with the options of one joint replaced.
    #[must_use]
    pub fn with_joint(mut self, index: usize, options: JointOptions) -> Self {
        *self.joint(index) = options;
        self
    }

    /// Whether an option is set that only least squares supports.
    pub(super) fn need_least_squares(&self) -> bool {
        // Restarts are for every method that gets stuck.
        let restarts = self.least_squares.restarts;
        self.least_squares != LeastSquares::default().with_restarts(restarts)
            || self.joints.iter().any(|joint| joint.stiffness != 1.0 || joint.is_bounded())
    }
}

/// How one joint may move. To hold it at its start, lock it.
///
/// A joint that [mimics](crate::skeleton::Mimic) another follows the options of that joint, except for `share` and `weight`.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
#[non_exhaustive]
pub struct JointOptions {
    /// The joint stays at its start with every method, and so do joints that mimic it. Default false.
    pub locked: bool,
    /// A [free](crate::skeleton::JointKind::Free) joint is first moved by the mean error of the effectors that it moves, and then solved for like
    /// any other. For the root of a figure that is dragged far. Not with [`classic`](Settings::classic). Default false.
    pub pre_pulled: bool,
    /// Resistance to motion, above 0. For [`Method::LeastSquares`](Method::LeastSquares). Default 1.
    ///
    /// Among the poses that satisfy the tasks, the solution minimises the sum of stiffness times squared change: a spine ten times as stiff as
    /// an arm bends a tenth as much. A radian counts like the reach. The minimum is local: the one near the pose found first or, after a
    /// [restart](LeastSquares::restarts), near the pose found by the restart.
    pub stiffness: f64,
    /// Largest change from the start \[rad, or m for slides\], at least 0. For [`Method::LeastSquares`](Method::LeastSquares). Default infinite.
    ///
    /// For tracking: the largest velocity times the time step. A free joint's position is not bounded.
    #[cfg_attr(feature = "serde", serde(with = "unbounded"))]
    pub largest_change: f64,
    /// Fraction of its best move that the joint makes, above 0 and at most 1. For [`Method::Ccd`](Method::Ccd). Default 1.
    ///
    /// An escape from a lock-up ignores it.
    pub share: f64,
    /// Weight of its point, at least 0: larger moves more. For [`Method::Relaxation`](Method::Relaxation). Default 1. A
    /// [`Chain`](crate::chain::Chain) has its own weights.
    pub weight: f64,
}

impl Default for JointOptions {
    fn default() -> Self {
        Self {
            locked: false,
            pre_pulled: false,
            stiffness: 1.0,
            largest_change: f64::INFINITY,
            share: 1.0,
            weight: 1.0,
        }
    }
}

impl JointOptions {
    fn is_bounded(&self) -> bool {
        self.largest_change < f64::INFINITY
    }
}

/// Writes an infinite bound as none, because JSON has no infinity.
#[cfg(feature = "serde")]
mod unbounded {
    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde says so")]
    pub(super) fn serialize<S: Serializer>(bound: &f64, to: S) -> Result<S::Ok, S::Error> {
        (*bound != f64::INFINITY).then_some(*bound).serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
        Option::deserialize(from).map(|bound| bound.unwrap_or(f64::INFINITY))
    }
}

/// What is recorded in [`Solution::trace`](super::Solution::trace).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum Detail {
    /// Nothing; nothing is allocated.
    #[default]
    Off,
    /// The state after every iteration.
    Iterations,
    /// Also the state after every half-step: each joint in cyclic coordinate descent, each half in FABRIK, each bone and
    /// each pass in relaxation.
    HalfSteps,
}

/// Options of constraint relaxation.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
#[non_exhaustive]
pub struct Relaxation {
    /// Passes over the bones per iteration. More passes take longer and bring the lengths closer. Default 1.
    pub passes: u32,
    /// How relaxed points become a pose. Default [`Reading::Angles`].
    pub reading: Reading,
}

impl Default for Relaxation {
    fn default() -> Self {
        Self { passes: 1, reading: Reading::Angles }
    }
}

/// Options of least squares.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
#[non_exhaustive]
pub struct LeastSquares {
    /// Weight of staying at the start against the tasks of each level, at least 0. Default 0: the tasks come first, and least change
    /// decides among the poses that satisfy them equally.
    ///
    /// Above 0 the two are traded off: poses vary more smoothly near singular ones, and targets are missed slightly.
    pub regularisation: f64,
    /// Minimise the change from the start among the nearby poses that satisfy the tasks. Default true; false returns the first pose found, in
    /// fewer iterations.
    pub least_change: bool,
    /// Restarts from other configurations when the first descent fails, within the [iterations](Settings::iterations). Default 100; 0 for
    /// tracking, where a jump is worse than an error.
    pub restarts: u32,
}

impl Default for LeastSquares {
    fn default() -> Self {
        Self { regularisation: 0.0, least_change: true, restarts: 100 }
    }
}

/// Setters: the same options with one field replaced.
macro_rules! setters {
    ($options:ident: $($setter:ident, $field:ident: $value:ty;)+) => {
        impl $options {
            $(
                #[doc = concat!("The same with [`", stringify!($field), "`](Self::", stringify!($field), ") as given.")]
                #[must_use]
                pub fn $setter(mut self, $field: $value) -> Self {
                    self.$field = $field.into();
                    self
                }
            )+
        }
    };
}

setters! { Settings:
    with_tolerance, tolerance: impl Into<Option<f64>>;
    with_orientation_tolerance, orientation_tolerance: impl Into<Option<f64>>;
    with_iterations, iterations: u32;
    with_classic, classic: bool;
    with_trace, trace: Detail;
    with_relaxation, relaxation: Relaxation;
    with_least_squares, least_squares: LeastSquares;
}

setters! { JointOptions:
    with_locked, locked: bool;
    with_pre_pulled, pre_pulled: bool;
    with_stiffness, stiffness: f64;
    with_largest_change, largest_change: f64;
    with_share, share: f64;
    with_weight, weight: f64;
}

setters! { Relaxation:
    with_passes, passes: u32;
    with_reading, reading: Reading;
}

setters! { LeastSquares:
    with_regularisation, regularisation: f64;
    with_least_change, least_change: bool;
    with_restarts, restarts: u32;
}

// By hand: a derived `clone_from` would drop the list and allocate a new one, and a workspace copies the settings with every problem.
impl Clone for Settings {
    fn clone(&self) -> Self {
        Self { joints: self.joints.clone(), ..*self }
    }

    fn clone_from(&mut self, source: &Self) {
        let mut joints = core::mem::take(&mut self.joints);
        joints.clone_from(&source.joints);
        *self = Self { joints, ..*source };
    }
}
