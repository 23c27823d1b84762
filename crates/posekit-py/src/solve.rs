//! Solving for poses of one tool.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use numpy::{IntoPyArray as _, PyArrayDyn};
use posekit::arm::{Arm, ArmSettings, ArmSolution, ArmStatus, Prefer};
use posekit::batch;
use posekit::math::Pose;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;
use rayon::prelude::*;

use crate::arrays::{shaped, vector};
use crate::fault::{library, result_class};
use crate::interrupt::{cancellable, pool};
use crate::poses;
use crate::status::{Status, code_of};
use crate::tool::{SolveOptions, Tool};

/// Rows that a thread solves before it looks whether the call was ended: with the slowest targets there are, some tens of milliseconds. Those that are solved in the
/// lanes of a register are faster, and lanes run empty at the end of a part.
const ROWS: usize = 32;
const ROWS_IN_LANES: usize = 512;

/// A target of one tool, and how it is solved for.
pub(crate) struct Asked<'a> {
    tool: &'a Arc<Tool>,
    target: Pose,
    /// The start, then the result.
    q: Vec<f64>,
    settings: ArmSettings,
}

impl<'a> Asked<'a> {
    /// - `q`: the start
    pub(crate) fn new(
        tool: &'a Arc<Tool>,
        target: &Bound<'_, PyAny>,
        rotation: Option<&Bound<'_, PyAny>>,
        q: Vec<f64>,
        options: &SolveOptions<'_, '_>,
    ) -> PyResult<Self> {
        let (target, has_free_rotation) = poses::target(target, rotation)?;
        Ok(Self { tool, target, q, settings: options.settings(has_free_rotation)? })
    }

    /// Solves; a predicate is called with the interpreter held.
    pub(crate) fn solve<'py>(
        self,
        py: Python<'py>,
        accept: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        let Self { tool, target, mut q, settings } = self;
        let solution = match accept {
            None => py.detach(|| tool.arm.solve(target, &mut q, &settings)),
            Some(accept) => {
                let mut failed = None;
                let solution = tool.arm.solve_where(target, &mut q, &settings, |q| {
                    let answer = py
                        .check_signals()
                        .and_then(|()| accept.call1((vector(py, q.to_vec()),)))
                        .and_then(|answer| answer.is_truthy());
                    // After a fault the search ends with what it has.
                    answer.unwrap_or_else(|error| {
                        failed.get_or_insert(error);
                        true
                    })
                });
                if let Some(error) = failed {
                    return Err(error);
                }
                solution
            }
        };
        let ArmSolution { status, distance, angle, iterations, starts, .. } =
            solution.map_err(|error| library(&error))?;
        let shortfall = match status {
            ArmStatus::Unreachable { shortfall } => shortfall,
            _ => 0.0,
        };
        let status = Status::of_arm(status).member(py)?;
        let values = (vector(py, q), status, distance, angle, iterations, starts, shortfall);
        result_class(py, "Solution", &CLASS)?.call1(values)
    }

    /// All distinct solutions.
    pub(crate) fn all<'py>(self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let Self { tool, target, q, settings } = self;
        let all = py.detach(|| tool.arm.solutions(target, &q, &settings));
        let all = all.map_err(|error| library(&error))?;
        shaped(py, all.concat(), &[all.len(), q.len()])
    }

    /// One step of a servo loop.
    pub(crate) fn step<'py>(self, py: Python<'py>, dt: f64) -> PyResult<Bound<'py, PyAny>> {
        static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        let Self { tool, target, mut q, settings } = self;
        // A step is shorter than giving the interpreter away and taking it back.
        let step = tool.arm.step(target, &mut q, dt, &settings).map_err(|error| library(&error))?;
        let values = (vector(py, q), step.distance, step.angle, step.scale);
        result_class(py, "Step", &CLASS)?.call1(values)
    }
}

/// Solves for many targets.
///
/// - `starts`: one configuration for all, or one for each
pub(crate) fn batch<'py>(
    py: Python<'py>,
    arm: &Arm,
    targets: &[Pose],
    starts: &[f64],
    settings: &ArmSettings,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let (n, n_values) = (targets.len(), arm.n_values());
    let pool = pool(py, threads)?;
    let mut values = vec![0.0; n * n_values];
    let mut solutions = vec![ArmSolution::default(); n];
    let rows = if settings.prefer == Prefer::First { ROWS_IN_LANES } else { ROWS };
    let solved = cancellable(py, |is_cancelled| {
        let parts = values.par_chunks_mut(rows * n_values).zip(solutions.par_chunks_mut(rows));
        pool.install(|| {
            parts.enumerate().try_for_each(|(part, (values, solutions))| {
                if is_cancelled.load(Ordering::Relaxed) {
                    return Ok(());
                }
                let own = part * rows..part * rows + solutions.len();
                let starts = match starts.len() == n_values {
                    true => starts,
                    false => &starts[own.start * n_values..own.end * n_values],
                };
                batch::solve(arm, &targets[own], starts, settings, values, solutions)
            })
        })
    })?;
    solved.map_err(|error| library(&error))?;
    let statuses: Vec<u8> =
        solutions.iter().map(|found| code_of(Status::of_arm(found.status))).collect();
    let errors = solutions.iter().flat_map(|found| [found.distance, found.angle]).collect();
    let values = (
        shaped(py, values, &[n, n_values])?,
        statuses.into_pyarray(py),
        shaped(py, errors, &[n, 2])?,
    );
    result_class(py, "Batch", &CLASS)?.call1(values)
}
