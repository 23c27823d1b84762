//! Servo loops.

use std::sync::Arc;

use numpy::PyArray1;
use posekit::arm::{ArmSettings, ArmStep};
use pyo3::prelude::*;

use crate::arrays::{Array, vector};
use crate::fault::library;
use crate::poses;
use crate::tool::Tool;

/// A servo loop: a configuration that follows a target in steps of one period. Made by `Robot.servo`.
///
/// It has the steps of `Robot.step` at half the cost of a call, because it keeps the configuration and the settings. Unlike a robot it changes: each thread needs its own.
#[pyclass(module = "posekit._posekit")]
pub(crate) struct Servo {
    tool: Arc<Tool>,
    q: Vec<f64>,
    dt: f64,
    settings: ArmSettings,
    last: Option<ArmStep>,
}

impl Servo {
    pub(crate) fn new(tool: &Arc<Tool>, q: Vec<f64>, dt: f64, settings: ArmSettings) -> Self {
        Self { tool: Arc::clone(tool), q, dt, settings, last: None }
    }

    fn last(&self, of: impl Fn(&ArmStep) -> f64) -> f64 {
        self.last.as_ref().map_or(f64::NAN, of)
    }
}

#[pymethods]
impl Servo {
    /// Moves towards a target for one period, inside the limits of joints and velocities.
    ///
    /// Parameters
    /// ----------
    /// target, rotation
    ///     As in `Robot.solve`.
    ///
    /// Returns
    /// -------
    /// ndarray (n_values,)
    ///     The configuration after the step [rad, m].
    #[pyo3(signature = (target, rotation=None))]
    fn step<'py>(
        &mut self,
        py: Python<'py>,
        target: &Bound<'py, PyAny>,
        rotation: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let (target, has_free_rotation) = poses::target(target, rotation)?;
        let mut settings = self.settings;
        if has_free_rotation {
            settings.bounds[3..].fill(f64::INFINITY);
        }
        let step = self.tool.arm.step(target, &mut self.q, self.dt, &settings);
        self.last = Some(step.map_err(|error| library(&error))?);
        Ok(vector(py, &self.q))
    }

    /// The configuration, shape (n_values,) [rad, m]; it can be set, to what encoders measure.
    #[getter]
    fn q<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        vector(py, &self.q)
    }

    #[setter]
    fn set_q(&mut self, q: &Bound<'_, PyAny>) -> PyResult<()> {
        self.q = Array::vector(q, "q", self.q.len())?.values().to_vec();
        Ok(())
    }

    /// The period [s].
    #[getter]
    fn dt(&self) -> f64 {
        self.dt
    }

    /// Distance of the tool from the target before the last step [m]; NaN without one.
    #[getter]
    fn distance(&self) -> f64 {
        self.last(|step| step.distance)
    }

    /// Angle before the last step [rad]; NaN without one.
    #[getter]
    fn angle(&self) -> f64 {
        self.last(|step| step.angle)
    }

    /// The part of the last step that velocity limits permitted, 0 to 1; NaN without one.
    #[getter]
    fn scale(&self) -> f64 {
        self.last(|step| step.scale)
    }
}
