//! User-defined tasks.

use super::condition::{Condition, out_of_range};
use super::rows::{Frames, Row, Rows, Unit, Wrench};
use crate::Result;
use crate::math::Pose;
use crate::skeleton::Frame;
use alloc::sync::Arc;
use core::fmt::Debug;
use glam::DVec3;

/// A user-defined condition: residuals on one or two frames of a skeleton, with their gradients.
///
/// Least squares solves it like any other task: with a weight, on a level, beside limits. The residual must be continuous, and differentiable nearly everywhere; its
/// gradient decides how fast it is solved.
///
/// # Example: the tip stays on a sphere
/// ```
/// use posekit::glam::DVec3;
/// use posekit::math::Pose;
/// use posekit::skeleton::{Frame, Joint, Skeleton};
/// use posekit::solve::{Method, Settings, solve};
/// use posekit::task::{Custom, Formula, Row, Task, Unit, Wrench};
///
/// #[derive(Debug)]
/// struct OnSphere {
///     tip: Frame,
///     center: DVec3,
///     radius: f64,
/// }
///
/// impl Formula for OnSphere {
///     fn name(&self) -> &'static str {
///         "on-sphere"
///     }
///
///     fn frames(&self) -> [Option<Frame>; 2] {
///         [Some(self.tip), None]
///     }
///
///     fn rows(&self, [tip, _]: &[Pose; 2], push: &mut dyn FnMut(Row)) {
///         let line = tip.translation - self.center;
///         let wrench = Wrench::push(line.normalize_or(DVec3::X));
///         push(Row::new(Unit::Length, self.radius - line.length(), wrench));
///     }
/// }
///
/// let mut builder = Skeleton::builder();
/// let bone = Pose::from_translation(DVec3::X);
/// let shoulder = builder.add(Joint::ball("shoulder"));
/// let elbow = builder.add(Joint::ball("elbow").child_of(shoulder).at(bone));
/// let arm = builder.build()?;
/// let tip = Frame::new(elbow, bone);
///
/// let task = Task::new(Custom::new(OnSphere { tip, center: DVec3::Y, radius: 0.5 }));
/// let solution = solve(&arm, &arm.neutral(), &[task], Method::Auto, &Settings::default())?;
/// assert!(solution.is_reached());
/// let at = tip.world(&arm.poses(&solution.configuration)).translation;
/// assert!((at.distance(DVec3::Y) - 0.5).abs() < 1e-6);
/// # Ok::<(), posekit::Error>(())
/// ```
pub trait Formula: Debug + Send + Sync {
    /// A name, for reports.
    fn name(&self) -> &'static str;

    /// The frames that it constrains, always the same: up to two, `None` for the world's own.
    fn frames(&self) -> [Option<Frame>; 2];

    /// Pushes the residual in a pose, row by row and always the same number of rows: target minus value, and the gradient of the value.
    ///
    /// - `world_from_frames`: poses of the frames \[m\]; the identity for `None`
    fn rows(&self, world_from_frames: &[Pose; 2], push: &mut dyn FnMut(Row));

    /// Whether the data are such that [`rows`](Self::rows) are finite in every pose. Others are refused when a solve begins.
    fn is_sound(&self) -> bool {
        true
    }
}

/// A task with a [`Formula`].
#[derive(Debug, Clone)]
pub struct Custom {
    formula: Arc<dyn Formula>,
    /// The solver's origin in the world \[m\], and its lengths per metre.
    origin: DVec3,
    scale: f64,
}

impl Custom {
    /// A condition of the program's own.
    #[must_use]
    pub fn new(formula: impl Formula + 'static) -> Self {
        Self { formula: Arc::new(formula), origin: DVec3::ZERO, scale: 1.0 }
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.formula.name()
    }

    /// A row in the solver's units.
    fn scaled(&self, row: Row) -> Row {
        let Row { mut reading, wrenches } = row;
        let (value, force) = match reading.unit {
            Unit::Length => (self.scale, 1.0),
            Unit::Angle | Unit::Chord => (1.0, self.scale.recip()),
        };
        reading.miss *= value;
        let scaled = |Wrench { force: f, moment }: Wrench| Wrench {
            force: f * force,
            moment: moment * value,
        };
        Row { reading, wrenches: wrenches.map(scaled) }
    }
}

/// Two are equal if they share one formula.
impl PartialEq for Custom {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.formula, &other.formula)
            && (self.origin, self.scale) == (other.origin, other.scale)
    }
}

impl From<Custom> for super::TaskKind {
    fn from(task: Custom) -> Self {
        Self::Custom(task)
    }
}

impl From<Custom> for super::Task {
    fn from(task: Custom) -> Self {
        Self::new(task)
    }
}

impl Condition for Custom {
    fn frames(&self) -> [Option<Frame>; 2] {
        self.formula.frames()
    }

    fn rows(&self, frames: &Frames, rows: &mut Rows) {
        let has_frame = self.formula.frames().map(|frame| frame.is_some());
        let world = [0, 1].map(|k| {
            let Pose { rotation, translation } = frames[k];
            let origin = if has_frame[k] { self.origin } else { DVec3::ZERO };
            Pose { rotation, translation: translation / self.scale + origin }
        });
        self.formula.rows(&world, &mut |row| rows.push(self.scaled(row)));
    }

    fn rebase(&mut self, origin: DVec3, by: f64) {
        self.origin += origin / self.scale;
        self.scale *= by;
    }

    fn is_alike(&self, other: &Self) -> bool {
        self.frames() == other.frames() && self.name() == other.name()
    }

    fn check(&self, task: usize) -> Result<()> {
        if self.formula.is_sound() {
            return Ok(());
        }
        out_of_range("task target", task, f64::NAN, "what its formula takes")
    }
}
