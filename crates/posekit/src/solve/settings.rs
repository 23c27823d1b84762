//! What the caller may choose.

use crate::chain::relaxation::Reading;
use crate::skeleton::Skeleton;
use crate::{ErrorKind, Result};
use alloc::vec::Vec;

/// Plain data: how far and how exactly to solve. The defaults suit most problems.
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
pub struct Settings {
    /// Distance between effector and target that counts as reached, in the problem's units; `None` means 1e-6 of the
    /// chain's reach.
    ///
    /// Larger is faster and coarser. At 0 every iteration is run. Distances below 1e-14 of the reach are rounding and count
    /// as reached whatever is asked for.
    pub tolerance: Option<f64>,
    /// Angle between an effector's orientation and its target that counts as reached \[rad\]; `None` means 1e-6.
    ///
    /// Larger is faster and coarser. Angles below 1e-14 are rounding and count as reached whatever is asked for.
    pub orientation_tolerance: Option<f64>,
    /// Iterations after which to stop. Default 500; 0 only measures the start.
    pub iterations: u32,
    /// Run the published iteration exactly as its text gives it: absolute thresholds, early exit, no way out of a
    /// stall, no acceleration. For study and comparison. Default false.
    pub classic: bool,
    /// What to record on the way. Default nothing.
    pub trace: Detail,
    /// How each joint of the skeleton may move, by index. Joints beyond the end of the list have the defaults, and so do all when it is empty; a
    /// list longer than the skeleton is refused.
    pub joints: Vec<JointOptions>,
    /// For [`Method::Relaxation`](super::Method::Relaxation).
    pub relaxation: Relaxation,
    /// For [`Method::LeastSquares`](super::Method::LeastSquares).
    pub least_squares: LeastSquares,
    /// What the [root](crate::skeleton::Skeleton::is_root) does: the first joint that moves. Default [`Root::Free`].
    ///
    /// How the skeleton hangs on the world is not decided here but by that joint's kind: only a [free](crate::skeleton::JointKind::Free) one floats.
    pub root: Root,
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
            root: Root::Free,
        }
    }
}

impl Settings {
    /// For one solve per frame that begins from the last configuration: at most 50 iterations, no [restarts](LeastSquares::restarts) and no
    /// [least change](LeastSquares::least_change).
    ///
    /// Between frames targets move little, so that few iterations suffice; where they do not, the next frame goes on, and a miss for a frame is
    /// better than a jump to another fold. For a pose out of nowhere use the defaults. These are choices of least squares, which
    /// [`Method::Auto`](super::Method::Auto) therefore runs.
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
        let least_squares =
            LeastSquares { restarts: 0, least_change: false, ..LeastSquares::default() };
        Self { iterations: 50, least_squares, ..Self::default() }
    }

    /// The options of a joint, to be changed; the list grows as far as that joint.
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

    /// The options that a joint has: those in the list, or the defaults.
    #[must_use]
    pub fn joint_options(&self, index: usize) -> JointOptions {
        self.joints.get(index).copied().unwrap_or_default()
    }

    /// [`orientation_tolerance`](Self::orientation_tolerance) or its default \[rad\].
    #[must_use]
    pub fn angle_tolerance(&self) -> f64 {
        self.orientation_tolerance.unwrap_or(1e-6)
    }

    /// Whether something is asked for that only least squares does.
    pub(super) fn need_least_squares(&self) -> bool {
        self.least_squares != LeastSquares::default()
            || self.joints.iter().any(|joint| joint.stiffness != 1.0 || joint.is_bounded())
    }
}

/// How one joint may move. To hold it where it starts, lock it.
///
/// A joint that [mimics](crate::skeleton::Mimic) another moves as that one may; only `share` and `weight` are its own.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
#[non_exhaustive]
pub struct JointOptions {
    /// It stays where it starts, whatever the method, and so do joints that mimic it. Default false.
    pub locked: bool,
    /// How unwillingly it moves, above 0. For [`Method::LeastSquares`](super::Method::LeastSquares). Default 1.
    ///
    /// Among the poses that do what is asked, one with the least sum of stiffness times squared change is returned: a spine ten
    /// times as stiff as an arm bends a tenth as much. Radians and parts of the reach count alike. The sum is the least nearby, a local minimum: that of the
    /// poses around the one that was found first, or, where a [restart](LeastSquares::restarts) was needed, around the one that it found.
    pub stiffness: f64,
    /// Largest change from where it starts \[rad, or m for slides\], at least 0. For [`Method::LeastSquares`](super::Method::LeastSquares). Default infinite.
    ///
    /// For tracking: the largest velocity times the time step. A free joint's position is not bounded.
    #[cfg_attr(feature = "serde", serde(with = "unbounded"))]
    pub largest_change: f64,
    /// Share of its best move that it makes, above 0 and at most 1. For [`Method::Ccd`](super::Method::Ccd). Default 1.
    ///
    /// Shares shape the descent; an escape from a lock-up ignores them.
    pub share: f64,
    /// How willingly it moves, at least 0. For [`Method::Relaxation`](super::Method::Relaxation). Default 1. A
    /// [`Chain`](crate::chain::Chain) has its own weights.
    pub weight: f64,
}

impl Default for JointOptions {
    fn default() -> Self {
        Self {
            locked: false,
            stiffness: 1.0,
            largest_change: f64::INFINITY,
            share: 1.0,
            weight: 1.0,
        }
    }
}

impl JointOptions {
    /// These, but [locked](Self::locked) or not.
    #[must_use]
    pub const fn with_locked(self, locked: bool) -> Self {
        Self { locked, ..self }
    }

    /// These with another [stiffness](Self::stiffness).
    #[must_use]
    pub const fn with_stiffness(self, stiffness: f64) -> Self {
        Self { stiffness, ..self }
    }

    /// These with another [largest change](Self::largest_change).
    #[must_use]
    pub const fn with_largest_change(self, largest_change: f64) -> Self {
        Self { largest_change, ..self }
    }

    /// These with another [share](Self::share).
    #[must_use]
    pub const fn with_share(self, share: f64) -> Self {
        Self { share, ..self }
    }

    /// These with another [weight](Self::weight).
    #[must_use]
    pub const fn with_weight(self, weight: f64) -> Self {
        Self { weight, ..self }
    }

    fn is_bounded(&self) -> bool {
        self.largest_change < f64::INFINITY
    }
}

/// An infinite bound is written as none: JSON has no infinity.
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

/// How much of the way is recorded in [`Solution::trace`](super::Solution::trace).
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
    /// Also the state after every half-step: each joint for cyclic coordinate descent, each half for FABRIK, each pass for
    /// relaxation.
    HalfSteps,
}

/// Choices of constraint relaxation.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct Relaxation {
    /// Passes over the bones per iteration. More passes take longer and leave less error in the lengths. Default 1.
    pub passes: u32,
    /// How relaxed points become a pose. Default [`Reading::Angles`].
    pub reading: Reading,
}

impl Default for Relaxation {
    fn default() -> Self {
        Self { passes: 1, reading: Reading::Angles }
    }
}

/// What the [root](crate::skeleton::Skeleton::is_root) does: the first joint that moves, or each of them where the skeleton branches before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
#[non_exhaustive]
pub enum Root {
    /// It moves as its kind lets it.
    #[default]
    Free,
    /// It stays where it starts, turned as it is: as if [`JointOptions::locked`] were set for it.
    Pinned,
    /// A [free](crate::skeleton::JointKind::Free) root is first carried along with its effectors: moved by the mean of their misses, and
    /// then solved for like any other joint. For figures that are dragged far.
    PrePulled,
}

/// Choices of least squares.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct LeastSquares {
    /// How much staying at the start counts against the tasks of each level, at least 0. Default 0: tasks come first, and staying
    /// decides among the poses that do them equally well.
    ///
    /// Above 0 it is traded against them: poses change more smoothly next to singular ones, and targets are missed by a
    /// little.
    pub regularisation: f64,
    /// Look for the least change among the poses that do what is asked and are near the first that is found. Default true; false returns that first one and takes
    /// fewer iterations.
    pub least_change: bool,
    /// Other starts to try when the first does not arrive, as far as the [iterations](Settings::iterations) go. Default 100; 0 for tracking, where
    /// a jump is worse than a miss.
    pub restarts: u32,
}

impl Default for LeastSquares {
    fn default() -> Self {
        Self { regularisation: 0.0, least_change: true, restarts: 100 }
    }
}

// By hand, because a derived `clone_from` throws the list away and allocates a new one, and a workspace takes its settings over with every problem.
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
