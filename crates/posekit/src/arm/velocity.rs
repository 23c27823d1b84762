//! Limits of joint velocities and accelerations, and steps of servo loops that keep them.

use super::kernel::Kernel;
use super::{Arm, ArmSettings, Prefer, Solver, by_size};
use crate::Result;
use crate::error::ErrorKind;
use crate::math::Pose;

/// The rate at which a step approaches a posture or climbs to greater manipulability, where the task leaves it free \[1/s\].
const RATE: f64 = 2.0;

/// The largest velocities and accelerations of the unknowns.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rates<const N: usize> {
    pub(super) velocity: [f64; N],
    pub(super) acceleration: [f64; N],
}

impl<const N: usize> Rates<N> {
    pub(super) const NONE: Self =
        Self { velocity: [f64::INFINITY; N], acceleration: [f64::INFINITY; N] };

    /// The shortest time in which the unknowns can change by this much, by velocity alone \[s\].
    pub(super) fn shortest(&self, changes: &[f64; N]) -> f64 {
        let times = changes.iter().zip(&self.velocity).map(|(by, most)| by.abs() / most);
        times.fold(0.0, f64::max)
    }
}

/// What a step has done.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct ArmStep {
    /// Distance of the tool from the target before the step, outside the [bounds](ArmSettings::bounds) \[m\].
    pub distance: f64,
    /// Angle of the tool from the target before the step, outside the bounds \[rad\].
    pub angle: f64,
    /// The part of the step that velocity limits permitted, in 0..=1; all joints are slowed down alike, so that the tool keeps its direction.
    pub scale: f64,
}

impl Arm {
    /// With limits of joint velocities for [`step`](Self::step) and [`track`](Self::track); without them there are none.
    ///
    /// - `limits`: for each degree of freedom of the skeleton, above 0; infinite where there is none \[rad/s, m/s\]
    ///
    /// # Errors
    /// [`Error::is_wrong_length`](crate::Error::is_wrong_length); [`is_out_of_range`](crate::Error::is_out_of_range) for a limit that is not above 0.
    pub fn with_velocity_limits(mut self, limits: &[f64]) -> Result<Self> {
        check_rates("velocity limits", self.n_dofs, limits)?;
        by_size!(&mut self.solver, solver => solver.rates.velocity = self.path.rates(limits));
        Ok(self)
    }

    /// With limits of joint accelerations for [`track`](Self::track); without them there are none.
    ///
    /// - `limits`: for each degree of freedom of the skeleton, above 0; infinite where there is none \[rad/s², m/s²\]
    ///
    /// # Errors
    /// As [`with_velocity_limits`](Self::with_velocity_limits).
    pub fn with_acceleration_limits(mut self, limits: &[f64]) -> Result<Self> {
        check_rates("acceleration limits", self.n_dofs, limits)?;
        by_size!(&mut self.solver, solver => solver.rates.acceleration = self.path.rates(limits));
        Ok(self)
    }

    /// One step of a servo loop: moves `q` towards a target for a time `dt`, inside the limits of joints and velocities. Called again with the same target
    /// it converges to it; with a target that moves it follows.
    ///
    /// Redundant joints approach the posture or greater manipulability if the settings prefer one of these, else they move as little as possible.
    ///
    /// - `target`: in the world
    /// - `q`: the configuration of the whole skeleton
    /// - `dt`: \[s\], above 0
    ///
    /// # Degenerate cases
    /// Near a singular configuration the step stays finite and leaves out what it cannot do; a target out of reach is approached.
    ///
    /// # Errors
    /// Those of [`solve`](Self::solve); [`Error::is_out_of_range`](crate::Error::is_out_of_range) if `dt` is not above 0. `q` is unchanged then.
    pub fn step(
        &self,
        target: Pose,
        q: &mut [f64],
        dt: f64,
        settings: &ArmSettings,
    ) -> Result<ArmStep> {
        let goal = self.goal(target, q, settings)?;
        check_positive("dt", 0, dt)?;
        Ok(by_size!(&self.solver, solver => {
            let start = self.start(solver, q);
            let wanted = solver.wanted(&start, settings.prefer).map(|wanted| {
                wanted.map(|by| by * (RATE * dt).min(1.0))
            });
            let mut x = start;
            let residual = solver.kernel.advance(&goal, &mut x, wanted.as_ref());
            let changes = core::array::from_fn(|i| x[i] - start[i]);
            let scale = (dt / solver.rates.shortest(&changes)).min(1.0);
            for i in 0..x.len() {
                x[i] = start[i] + scale * changes[i];
            }
            self.write(&x, q);
            ArmStep { distance: residual.distance * self.path.unit, angle: residual.angle, scale }
        }))
    }
}

impl<const N: usize> Solver<N> {
    /// The change that redundant joints should make, if there is a preference beside the least.
    pub(super) fn wanted(&self, x: &[f64; N], prefer: Prefer) -> Option<[f64; N]> {
        match prefer {
            Prefer::Nearest | Prefer::First => None,
            Prefer::Posture => Some(core::array::from_fn(|i| self.posture[i] - x[i])),
            Prefer::Manipulability => Some(Kernel::climb(&self.kernel, x)),
        }
    }
}

fn check_rates(what: &'static str, expected: usize, limits: &[f64]) -> Result<()> {
    if limits.len() != expected {
        return Err(ErrorKind::Length { what, expected, found: limits.len() }.into());
    }
    let mut numbered = limits.iter().enumerate();
    numbered.try_for_each(|(index, limit)| check_positive(what, index, *limit))
}

fn check_positive(what: &'static str, index: usize, value: f64) -> Result<()> {
    if value > 0.0 {
        return Ok(());
    }
    Err(ErrorKind::OutOfRange { what, index, value, need: "above 0" }.into())
}
