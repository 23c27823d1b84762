//! Targets of several robots in one batch.

use std::sync::atomic::Ordering;

use posekit::arm::{Arm, ArmSolution};
use posekit::batch::{self, Job};
use pyo3::prelude::*;
use rayon::prelude::*;

use crate::arrays::{Array, indices, not_finite, wrong_shape};
use crate::fault::library;
use crate::interrupt::{cancellable, pool};
use crate::poses::{self, Invalid};
use crate::robot::Robot;
use crate::solve::{batch_record, rows_of_part};
use crate::tool::SolveOptions;

/// Solves for many targets of several robots, each placed and equipped as its row says: the robots of a cell, or one robot with the tools of a changer.
///
/// Every row has the bits that it has alone, whatever the other rows and however many threads.
///
/// Parameters
/// ----------
/// robots : sequence of Robot
///     The robots.
/// which : array_like (n,) of int
///     The robot of each target, as an index into `robots`.
/// targets : array_like (n, 4, 4), (n, 7) or (n, 3)
///     As in `Robot.solve_batch`, in the world [m].
/// rotations : array_like (n, 3, 3) or (n, 4), optional
///     For positions.
/// bases : array_like (4, 4), (7,), (n, 4, 4) or (n, 7), optional
///     The pose in the world of the frame in which a robot's file places it, for all rows or for each; by default the world itself. With a base for each robot,
///     `bases[which]`.
/// tools : array_like (4, 4), (7,), (n, 4, 4) or (n, 7), optional
///     The pose of a tool's tip in the tool frame of its robot; by default that frame itself. Errors and tolerances are those of the frame.
/// start : array_like (n, width), optional
///     A start for each row [rad, m]; `width` is the largest `n_values`, and columns beyond a robot's own are ignored. By default each robot's `start`.
/// prefer, tolerance, orientation_tolerance, bounds, starts, invalid, threads
///     As in `Robot.solve_batch`.
///
/// Returns
/// -------
/// Batch
///     `q` has the shape (n, width); rows of robots with fewer values end in NaN.
#[pyfunction]
#[pyo3(signature = (
    robots, which, targets, rotations=None, *, bases=None, tools=None, start=None, prefer="nearest",
    tolerance=None, orientation_tolerance=None, bounds=None, starts=None, invalid="raise",
    threads=None
))]
#[expect(clippy::too_many_arguments, reason = "Python's keywords")]
pub(crate) fn solve_jobs<'py>(
    py: Python<'py>,
    robots: Vec<Bound<'py, Robot>>,
    which: &Bound<'py, PyAny>,
    targets: &Bound<'py, PyAny>,
    rotations: Option<&Bound<'py, PyAny>>,
    bases: Option<&Bound<'py, PyAny>>,
    tools: Option<&Bound<'py, PyAny>>,
    start: Option<&Bound<'py, PyAny>>,
    prefer: &str,
    tolerance: Option<f64>,
    orientation_tolerance: Option<f64>,
    bounds: Option<&Bound<'py, PyAny>>,
    starts: Option<u32>,
    invalid: &str,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    let robots: Vec<&Robot> = robots.iter().map(Bound::get).collect();
    let arms = robots.iter().map(|robot| Ok(robot.tool()?.arm.clone()));
    let arms = arms.collect::<PyResult<Vec<Arm>>>()?;
    let Some(width) = arms.iter().map(Arm::n_values).max() else {
        return Err(crate::fault::invalid("robots: there are none", "robots"));
    };
    let targets = poses::targets(targets, rotations, Invalid::named(invalid)?)?;
    let options = SolveOptions { prefer, tolerance, orientation_tolerance, bounds, starts };
    let settings = options.settings(targets.has_free_rotation)?;
    let n = targets.poses.len();
    let which = indices(which, "which", n, arms.len())?;
    let starts = starts_of(&robots, &which, start, width)?;
    let mut jobs: Vec<Job> =
        which.iter().zip(&targets.poses).map(|(&arm, &target)| Job::new(arm, target)).collect();
    if let Some(bases) = bases {
        let bases = poses::poses(bases, "bases", n)?;
        jobs.iter_mut().zip(bases).for_each(|(job, base)| job.base = base);
    }
    if let Some(tools) = tools {
        let tools = poses::poses(tools, "tools", n)?;
        jobs.iter_mut().zip(tools).for_each(|(job, tool)| job.tool = tool);
    }
    let pool = pool(py, threads)?;
    let (mut values, mut solutions) = (vec![0.0; starts.len()], vec![ArmSolution::default(); n]);
    let solved = cancellable(py, |is_cancelled| {
        let mut parts = Vec::new();
        let (mut rest, mut begin) = (values.as_mut_slice(), 0);
        let rows = rows_of_part(&settings);
        for (jobs, solutions) in jobs.chunks(rows).zip(solutions.chunks_mut(rows)) {
            let size = jobs.iter().map(|job| arms[job.arm].n_values()).sum();
            let (values, others) = core::mem::take(&mut rest).split_at_mut(size);
            parts.push((jobs, &starts[begin..begin + size], values, solutions));
            (rest, begin) = (others, begin + size);
        }
        pool.install(|| {
            parts.into_par_iter().try_for_each(|(jobs, starts, values, solutions)| {
                if is_cancelled.load(Ordering::Relaxed) {
                    return Ok(());
                }
                batch::solve_jobs(&arms, jobs, starts, &settings, values, solutions)
            })
        })
    })?;
    solved.map_err(|error| library(&error))?;
    // Rows of one width.
    let mut rest = values.as_slice();
    let mut q = Vec::with_capacity(n * width);
    for arm in which {
        let (own, others) = rest.split_at(arms[arm].n_values());
        q.extend_from_slice(own);
        q.resize(q.len() + width - own.len(), f64::NAN);
        rest = others;
    }
    batch_record(py, q, width, &solutions)
}

/// The starts of all rows, one after the other, each as long as the configurations of its robot.
fn starts_of(
    robots: &[&Robot],
    which: &[usize],
    start: Option<&Bound<'_, PyAny>>,
    width: usize,
) -> PyResult<Vec<f64>> {
    let Some(start) = start else {
        return Ok(which.iter().flat_map(|&robot| &robots[robot].start).copied().collect());
    };
    let array = Array::read(start, "start")?;
    if array.shape() != [which.len(), width] {
        return Err(wrong_shape("start", array.shape(), &format!("({}, {width})", which.len())));
    }
    let mut starts = Vec::with_capacity(array.values().len());
    for (row, (&robot, values)) in which.iter().zip(array.values().chunks_exact(width)).enumerate()
    {
        let own = &values[..robots[robot].start.len()];
        if let Some(index) = own.iter().position(|value| !value.is_finite()) {
            return Err(not_finite("start", array.shape(), row * width + index, own[index]));
        }
        starts.extend_from_slice(own);
    }
    Ok(starts)
}
