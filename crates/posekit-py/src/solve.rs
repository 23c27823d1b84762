//! Solving for poses of one tool.

use std::cell::RefCell;
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
use crate::fault::library;
use crate::interrupt::{Signals, cancellable, pool};
use crate::poses;
use crate::results::record;
use crate::status::{Status, code_of};
use crate::tool::{SolveOptions, Tool};

/// Rows that a thread solves before it checks whether the call was ended: some tens of milliseconds with the slowest targets. Rows that are solved in the lanes of a
/// register are faster, and need long parts, because lanes run empty at the end of each.
pub(crate) fn rows_of_part(settings: &ArmSettings) -> usize {
    if settings.prefer == Prefer::First { 512 } else { 32 }
}

/// A target of one tool, with a start and settings.
pub(crate) struct Problem<'a> {
    tool: &'a Arc<Tool>,
    target: Pose,
    /// The start, then the result.
    q: Vec<f64>,
    settings: ArmSettings,
}

impl<'a> Problem<'a> {
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

    /// Solves; the interpreter is released unless there is a predicate.
    pub(crate) fn solve<'py>(
        self,
        py: Python<'py>,
        accept: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        let Self { tool, target, mut q, settings } = self;
        let mut signals = Signals::default();
        let mut goes_on = || signals.go_on();
        let solution = match accept {
            None => py
                .detach(|| tool.arm.solve_while(target, &mut q, &settings, |_| true, &mut goes_on)),
            Some(accept) => {
                let failed = RefCell::new(None);
                let is_accepted = |q: &[f64]| {
                    if failed.borrow().is_some() {
                        return false;
                    }
                    let answer =
                        accept.call1((vector(py, q),)).and_then(|answer| answer.is_truthy());
                    answer.unwrap_or_else(|error| {
                        *failed.borrow_mut() = Some(error);
                        false
                    })
                };
                let goes_on = || failed.borrow().is_none() && goes_on();
                let arm = &tool.arm;
                let solution = arm.solve_while(target, &mut q, &settings, is_accepted, goes_on);
                if let Some(error) = failed.into_inner() {
                    return Err(error);
                }
                solution
            }
        };
        signals.check()?;
        let ArmSolution { status, distance, angle, iterations, starts, .. } =
            solution.map_err(|error| library(&error))?;
        let shortfall = match status {
            ArmStatus::Unreachable { shortfall } => shortfall,
            _ => 0.0,
        };
        let status = Status::of_arm(status).member(py)?;
        let values = (vector(py, &q), status, distance, angle, iterations, starts, shortfall);
        record(py, "Solution", &CLASS, values)
    }

    /// All distinct solutions.
    pub(crate) fn all<'py>(self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let Self { tool, target, q, settings } = self;
        let mut signals = Signals::default();
        let all = py
            .detach(|| tool.arm.solutions_while(target, &q, &settings, || signals.go_on()))
            .map_err(|error| library(&error))?;
        signals.check()?;
        shaped(py, all.concat(), &[all.len(), q.len()])
    }

    /// One step of a servo loop.
    pub(crate) fn step<'py>(self, py: Python<'py>, dt: f64) -> PyResult<Bound<'py, PyAny>> {
        static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        let Self { tool, target, mut q, settings } = self;
        // A step is shorter than releasing the interpreter.
        let step = tool.arm.step(target, &mut q, dt, &settings).map_err(|error| library(&error))?;
        let values = (vector(py, &q), step.distance, step.angle, step.scale);
        record(py, "Step", &CLASS, values)
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
    let (n, n_values) = (targets.len(), arm.n_values());
    let pool = pool(py, threads)?;
    let mut values = vec![0.0; n * n_values];
    let mut solutions = vec![ArmSolution::default(); n];
    let rows = rows_of_part(settings);
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
    batch_record(py, values, n_values, &solutions)
}

/// The result of a batch.
///
/// - `values`: `width` for each row
pub(crate) fn batch_record<'py>(
    py: Python<'py>,
    values: Vec<f64>,
    width: usize,
    solutions: &[ArmSolution],
) -> PyResult<Bound<'py, PyAny>> {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let n = solutions.len();
    let statuses: Vec<u8> =
        solutions.iter().map(|found| code_of(Status::of_arm(found.status))).collect();
    let errors = solutions.iter().flat_map(|found| [found.distance, found.angle]).collect();
    let fields =
        (shaped(py, values, &[n, width])?, statuses.into_pyarray(py), shaped(py, errors, &[n, 2])?);
    record(py, "Batch", &CLASS, fields)
}
