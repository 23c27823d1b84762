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

mod closed;
mod dexterity;
mod frame;
mod goal;
mod kernel;
mod many;
pub mod map;
mod path;
mod search;
mod settings;
mod solve;
mod starts;
mod track;
mod velocity;

pub use closed::{Family, FamilyKind, SelfMotion, subproblems};
pub use dexterity::Dexterity;
pub use settings::{ArmSettings, ArmSolution, ArmStatus, Prefer};
pub use track::{Track, TrackEnd, TrackFrom, TrackSample, TrackStatus};
pub use velocity::ArmStep;

pub(crate) use many::Row;
pub(crate) use path::write_key;
pub(crate) use solve::{check_settings, checked};

use crate::error::{ErrorKind, Result};
use crate::math::Pose;
use crate::skeleton::{Frame, Mimic, Skeleton};
use alloc::boxed::Box;
use alloc::vec::Vec;
use closed::Closed;
use kernel::Kernel;
use path::{MOST_JOINTS, Path};
use starts::Starts;
use velocity::Rates;

/// The path of hinges and slides from the world to a tool, compiled to be solved fast.
///
/// See the [module](self).
#[derive(Debug, Clone)]
pub struct Arm {
    path: Path,
    solver: BySize,
    closed: Option<Box<Closed>>,
    /// Numbers of a configuration of the skeleton.
    n_values: usize,
    /// Degrees of freedom of the skeleton.
    n_dofs: usize,
    /// For each mimic of a joint of the arm: its value, that of its driver, and how it follows.
    mimics: Vec<(usize, usize, Mimic)>,
}

/// What solves an arm of up to `N` joints.
#[derive(Debug, Clone)]
struct Solver<const N: usize> {
    kernel: Kernel<N>,
    starts: Starts<N>,
    posture: [f64; N],
    rates: Rates<N>,
}

/// The sizes; an arm takes the smallest that holds its joints. In WebAssembly there are two, as every size is code to download: a joint that an arm lacks
/// changes no bit.
#[derive(Debug, Clone)]
enum BySize {
    #[cfg(not(target_arch = "wasm32"))]
    Six(Box<Solver<6>>),
    Seven(Box<Solver<7>>),
    #[cfg(not(target_arch = "wasm32"))]
    Eight(Box<Solver<8>>),
    #[cfg(not(target_arch = "wasm32"))]
    Sixteen(Box<Solver<16>>),
    Most(Box<Solver<MOST_JOINTS>>),
}

/// Evaluates an expression with the solver of an arm.
macro_rules! by_size {
    ($by_size:expr, $solver:ident => $result:expr) => {
        match $by_size {
            #[cfg(not(target_arch = "wasm32"))]
            $crate::arm::BySize::Six($solver) => $result,
            $crate::arm::BySize::Seven($solver) => $result,
            #[cfg(not(target_arch = "wasm32"))]
            $crate::arm::BySize::Eight($solver) => $result,
            #[cfg(not(target_arch = "wasm32"))]
            $crate::arm::BySize::Sixteen($solver) => $result,
            $crate::arm::BySize::Most($solver) => $result,
        }
    };
}
use by_size;

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
        let solver = match path.joints.len() {
            #[cfg(not(target_arch = "wasm32"))]
            0..=6 => BySize::Six(Solver::boxed(&path)),
            0..=7 => BySize::Seven(Solver::boxed(&path)),
            #[cfg(not(target_arch = "wasm32"))]
            8 => BySize::Eight(Solver::boxed(&path)),
            #[cfg(not(target_arch = "wasm32"))]
            9..=16 => BySize::Sixteen(Solver::boxed(&path)),
            _ => BySize::Most(Solver::boxed(&path)),
        };
        let mimics = (0..skeleton.n_joints()).filter_map(|joint| {
            let mimic = skeleton.mimic(joint)?;
            let [value, driver] =
                [joint, mimic.joint].map(|joint| skeleton.value_range(joint).start);
            path.joints().any(|joint| joint == mimic.joint).then_some((value, driver, mimic))
        });
        let mimics = mimics.collect();
        let (n_values, n_dofs) = (skeleton.n_values(), skeleton.n_dofs());
        let closed = Closed::find(&path).map(Box::new);
        Ok(Self { solver, closed, mimics, n_values, n_dofs, path })
    }

    /// With a posture for [`Prefer::Posture`]; without it, it is the middle of all limits, and 0 for joints without limits.
    ///
    /// - `q`: a configuration of the whole skeleton
    ///
    /// # Errors
    /// [`Error::is_wrong_length`](crate::Error::is_wrong_length) or [`is_not_finite`](crate::Error::is_not_finite) for `q`.
    pub fn with_posture(mut self, q: &[f64]) -> Result<Self> {
        self.check(q)?;
        by_size!(&mut self.solver, solver => solver.posture = self.path.read(q));
        Ok(self)
    }

    /// The joints that a solve moves, by their indices in the skeleton, from the base to the tool. A joint outside the path is among them if joints on
    /// the path mimic it.
    pub fn joints(&self) -> impl Iterator<Item = usize> + '_ {
        self.path.joints()
    }

    /// The largest distance of the tool from the axis of the first joint's origin \[m\]: the sum of all lengths; infinite with a slide without limits.
    #[must_use]
    pub fn reach(&self) -> f64 {
        self.path.reach * self.path.unit
    }

    /// The frame of the first joint in the world, from whose origin the [reach](Self::reach) is measured.
    #[must_use]
    pub const fn base(&self) -> Pose {
        self.path.base
    }

    /// Why the arm has a closed form, if it has one: then [`solutions`](Self::solutions) finds all branches by formulas.
    #[must_use]
    pub fn family(&self) -> Option<&Family> {
        self.closed.as_deref().map(Closed::family)
    }

    /// The pose of the tool in the world.
    ///
    /// # Errors
    /// [`Error::is_wrong_length`](crate::Error::is_wrong_length) or [`is_not_finite`](crate::Error::is_not_finite) for `q`.
    pub fn pose(&self, q: &[f64]) -> Result<Pose> {
        self.check(q)?;
        let base = &frame::Frame::IDENTITY;
        let tool = by_size!(&self.solver, solver => solver.kernel.tool(base, &self.path.read(q)));
        Ok(self.path.base * tool.pose(self.path.unit))
    }

    /// How many numbers a configuration has: those of the whole skeleton.
    #[must_use]
    pub fn n_values(&self) -> usize {
        self.n_values
    }

    fn check(&self, q: &[f64]) -> Result<()> {
        if q.len() != self.n_values {
            return Err(ErrorKind::Length {
                what: "configuration",
                expected: self.n_values,
                found: q.len(),
            }
            .into());
        }
        match q.iter().position(|x| !x.is_finite()) {
            Some(index) => Err(ErrorKind::NonFinite { what: "configuration", index }.into()),
            None => Ok(()),
        }
    }

    /// Writes the unknowns of the kernel into a configuration, and moves the mimics.
    fn write<const N: usize>(&self, x: &[f64; N], q: &mut [f64]) {
        self.path.write(x, q);
        for (value, driver, mimic) in &self.mimics {
            q[*value] = mimic.value(q[*driver]);
        }
    }
}

impl<const N: usize> Solver<N> {
    fn boxed(path: &Path) -> Box<Self> {
        let kernel = Kernel::new(&path.joints, path.tool, path.tool_turn);
        let starts = Starts::new(&kernel);
        let posture = kernel.joints.each_ref().map(kernel::Joint::neutral);
        Box::new(Self { kernel, starts, posture, rates: Rates::NONE })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot set up its problem must stop")]
mod tests {
    use std::format;

    use glam::DVec3;

    use super::*;
    use crate::skeleton::{Joint, Limit};

    /// Joints about these axes, one behind the other.
    fn chain(axes: &[DVec3], offsets: &[DVec3]) -> (Skeleton, Frame) {
        let mut builder = Skeleton::builder();
        let mut last = None;
        for (k, (&axis, &offset)) in axes.iter().zip(offsets).enumerate() {
            let placement = Pose::from_translation(offset);
            let limit = Limit::Range { min: -2.2, max: 2.6 };
            let joint = Joint::revolute(format!("j{k}"), axis).at(placement).with_limit(limit);
            last = Some(builder.add(last.into_iter().fold(joint, Joint::child_of)));
        }
        let frame = Frame::new(last.unwrap(), Pose::from_translation(DVec3::X * 0.1));
        (builder.build().unwrap(), frame)
    }

    #[test]
    fn joints_that_an_arm_lacks_change_no_bit() {
        let [x, y, z] = DVec3::AXES;
        let in_line = [0.0, 0.3, 0.4, 0.3, 0.0, 0.0, 0.2, 0.1, 0.1, 0.2].map(|length| x * length);
        let uneven = in_line.map(|offset| offset + DVec3::new(0.02, 0.05, -0.1));
        let axes = [z, y, y, x, y, x, z, y, x, y];
        for (offsets, n_joints) in
            [in_line, uneven].iter().flat_map(|o| [4, 6, 8, 10].map(|n| (o, n)))
        {
            let (skeleton, tool) = chain(&axes[..n_joints], &offsets[..n_joints]);
            let arm = Arm::new(&skeleton, tool).unwrap();
            let solver = match n_joints {
                0..7 => BySize::Seven(Solver::boxed(&arm.path)),
                _ => BySize::Most(Solver::boxed(&arm.path)),
            };
            let wide = Arm { solver, ..arm.clone() };
            for k in 0..16 {
                let angle = |joint: i32| crate::math::sin(f64::from(k * (joint + 3))) * 2.2;
                let q: Vec<f64> = (0..).take(n_joints).map(angle).collect();
                let mut target = arm.pose(&q).unwrap();
                if k % 4 == 3 {
                    target.translation *= 1.2;
                }
                for prefer in
                    [Prefer::First, Prefer::Nearest, Prefer::Posture, Prefer::Manipulability]
                {
                    let settings = ArmSettings::default().with_prefer(prefer);
                    let solved = |arm: &Arm| {
                        let mut q = skeleton.neutral();
                        let status = arm.solve(target, &mut q, &settings).unwrap().status;
                        (status, q.into_iter().map(f64::to_bits).collect::<Vec<_>>())
                    };
                    assert_eq!(
                        solved(&arm),
                        solved(&wide),
                        "{n_joints} joints, case {k}, {prefer:?}"
                    );
                }
            }
        }
    }
}
