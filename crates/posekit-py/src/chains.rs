//! Chains of points, and limbs in closed form.

use posekit::chain::{Chain as Points, Goals};
use posekit::glam::{DQuat, DVec3};
use posekit::limb::{Aim, Pole, TwoBone};
use posekit::math::Pose;
use posekit::solve::{Settings, Status as Ending, Workspace};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

use crate::arrays::{Array, shaped, wrong_shape};
use crate::fault::library;
use crate::interrupt::Signals;
use crate::results::record;
use crate::status::Status;
use crate::tasks::method_named;

/// Points at fixed distances, in any dimension: ropes, tails, tentacles. The first point is the root.
///
/// Parameters
/// ----------
/// points : array_like (n, d)
///     The points, root first. Each keeps its distance from the one before it, or from its parent.
/// parents : sequence of int, optional
///     For trees: the parent of every point but the first, by its index.
/// weights : array_like (n,), optional
///     For relaxation: points of larger weight move more.
#[pyclass(frozen, module = "posekit._posekit")]
pub(crate) struct Chain {
    points: Points,
    parents: Option<Vec<usize>>,
    weights: Option<Vec<f64>>,
}

#[pymethods]
impl Chain {
    #[new]
    #[pyo3(signature = (points, *, parents=None, weights=None))]
    fn new(
        points: &Bound<'_, PyAny>,
        parents: Option<Vec<usize>>,
        weights: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let array = Array::finite(points, "points")?;
        let [_, dimension] = *array.shape() else {
            return Err(wrong_shape("points", array.shape(), "(n, d)"));
        };
        let made = match &parents {
            Some(parents) => Points::try_tree(dimension, array.values(), parents),
            None => Points::try_new(dimension, array.values()),
        };
        let mut points = made.map_err(|error| library(&error))?;
        let weights = weights.map(|weights| Array::finite(weights, "weights")).transpose()?;
        let weights = weights.map(|weights| weights.values().to_vec());
        if let Some(weights) = &weights {
            points = points.with_weights(weights).map_err(|error| library(&error))?;
        }
        Ok(Self { points, parents, weights })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let own = slf.get();
        let py = slf.py();
        let keywords = pyo3::types::PyDict::new(py);
        keywords.set_item("parents", &own.parents)?;
        keywords.set_item("weights", &own.weights)?;
        let make =
            py.import("functools")?.getattr("partial")?.call((slf.get_type(),), Some(&keywords))?;
        (make, (own.points(py)?,)).into_pyobject(py).map(Bound::into_any)
    }

    /// The points, shape (n, d).
    #[getter]
    fn points<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let shape = [self.points.n_points(), self.points.dimension()];
        Ok(shaped(py, self.points.points().to_vec(), &shape)?.into_any())
    }

    /// Moves points to targets.
    ///
    /// Parameters
    /// ----------
    /// targets : array_like (d,) or (k, d)
    ///     Where the effectors must be.
    /// effectors : sequence of int, optional
    ///     Indices of points; by default the last one.
    /// method : str, default "auto"
    ///     "direct", "fabrik", "relaxation".
    /// tolerance : float, optional
    ///     What counts as reached; by default 1e-6 of the reach.
    /// iterations : int, default 500
    ///     The most.
    ///
    /// Returns
    /// -------
    /// ChainSolution
    ///     The points, at their distances, and whether they reach.
    #[pyo3(signature = (targets, *, effectors=None, method="auto", tolerance=None, iterations=500))]
    fn solve<'py>(
        &self,
        py: Python<'py>,
        targets: &Bound<'py, PyAny>,
        effectors: Option<Vec<usize>>,
        method: &str,
        tolerance: Option<f64>,
        iterations: u32,
    ) -> PyResult<Bound<'py, PyAny>> {
        static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        let targets = Array::finite(targets, "targets")?;
        let effectors = effectors.unwrap_or_else(|| vec![self.points.n_points().saturating_sub(1)]);
        let mut settings = Settings::default();
        (settings.tolerance, settings.iterations) = (tolerance, iterations);
        let method = method_named(method)?;
        let goals = Goals { effectors: &effectors, targets: targets.values() };
        let mut workspace = Workspace::default();
        workspace
            .begin_chain(&self.points, goals, method, &settings)
            .map_err(|error| library(&error))?;
        let mut signals = Signals::default();
        let solution = py.detach(|| workspace.run_while(|_| signals.go_on()).clone());
        signals.check()?;
        let shortfall = match solution.status {
            Ending::Unreachable { shortfall } => shortfall,
            _ => 0.0,
        };
        let shape = [self.points.n_points(), self.points.dimension()];
        let values = (
            shaped(py, solution.points, &shape)?,
            Status::of_solve(&solution.status).member(py)?,
            solution.error,
            solution.iterations,
            shortfall,
        );
        record(py, "ChainSolution", &CLASS, values)
    }
}

/// Points of limbs: one limb or rows of them.
struct Limbs<'py> {
    arrays: Vec<Array<'py>>,
    n: usize,
    is_single: bool,
}

impl<'py> Limbs<'py> {
    /// Reads arrays that all have one shape, (3,) or (n, 3).
    fn read(given: &[(&Bound<'py, PyAny>, &'static str, usize)]) -> PyResult<Self> {
        let mut arrays: Vec<Array<'py>> = Vec::new();
        for &(object, what, width) in given {
            let array = Array::finite(object, what)?;
            let is_fit = match (array.shape(), arrays.first().map(Array::shape)) {
                ([own], None | Some([_])) => *own == width,
                ([_, own], None) => *own == width,
                ([rows, own], Some([others, _])) => *own == width && rows == others,
                _ => false,
            };
            if !is_fit {
                let wanted = format!("({width},), or (n, {width}) with one n for all");
                return Err(wrong_shape(what, array.shape(), &wanted));
            }
            arrays.push(array);
        }
        let (n, is_single) = match arrays.first().map(Array::shape) {
            Some([rows, _]) => (*rows, false),
            _ => (1, true),
        };
        Ok(Self { arrays, n, is_single })
    }

    fn point(&self, array: usize, row: usize) -> DVec3 {
        DVec3::from_slice(&self.arrays[array].values()[3 * row..3 * row + 3])
    }

    fn shaped(
        &self,
        py: Python<'py>,
        values: Vec<f64>,
        width: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        let shape = if self.is_single { vec![width] } else { vec![self.n, width] };
        Ok(shaped(py, values, &shape)?.into_any())
    }
}

/// Solves limbs of two bones in closed form: hips, knees and ankles, or shoulders, elbows and wrists.
///
/// Parameters
/// ----------
/// start, mid, end : array_like (3,) or (n, 3)
///     Where the three joints are, in one space for all.
/// target : array_like (3,) or (n, 3)
///     Where the ends must be.
/// pole : array_like (3,) or (n, 3), optional
///     Points that the middle joints point at; without them limbs keep their planes.
///
/// Returns
/// -------
/// Limbs
///     New places of mid and end, and the rotations to put, from the left, on the old rotations of start and mid.
#[pyfunction]
#[pyo3(signature = (start, mid, end, target, *, pole=None))]
pub(crate) fn two_bone<'py>(
    py: Python<'py>,
    start: &Bound<'py, PyAny>,
    mid: &Bound<'py, PyAny>,
    end: &Bound<'py, PyAny>,
    target: &Bound<'py, PyAny>,
    pole: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let mut given =
        vec![(start, "start", 3), (mid, "mid", 3), (end, "end", 3), (target, "target", 3)];
    given.extend(pole.map(|pole| (pole, "pole", 3)));
    let limbs = Limbs::read(&given)?;
    let [mut mids, mut ends, mut starts_by, mut mids_by, mut errors] = [const { Vec::new() }; 5];
    for row in 0..limbs.n {
        let [start, mid, end, target] = [0, 1, 2, 3].map(|array| limbs.point(array, row));
        let pole = if pole.is_some() { Pole::Point(limbs.point(4, row)) } else { Pole::None };
        let solved = TwoBone::new(start, mid, end, target).with_pole(pole).solve();
        let found = solved.map_err(|error| library(&error))?;
        mids.extend(found.mid.to_array());
        ends.extend(found.end.to_array());
        starts_by.extend(found.start_correction.to_array());
        mids_by.extend(found.mid_correction.to_array());
        errors.push(found.error);
    }
    let errors = match limbs.is_single {
        true => errors[0].into_pyobject(py)?.into_any(),
        false => shaped(py, errors, &[limbs.n])?.into_any(),
    };
    let values = (
        limbs.shaped(py, mids, 3)?,
        limbs.shaped(py, ends, 3)?,
        limbs.shaped(py, starts_by, 4)?,
        limbs.shaped(py, mids_by, 4)?,
        errors,
    );
    record(py, "Limbs", &CLASS, values)
}

/// Rotates joints so that an axis of theirs points at a target: heads, eyes, cameras.
///
/// Parameters
/// ----------
/// position : array_like (3,) or (n, 3)
///     Where the joints are.
/// rotation : array_like (4,) or (n, 4)
///     How they are rotated, as quaternions x, y, z, w.
/// target : array_like (3,) or (n, 3)
///     What they look at.
/// forward : array_like (3,), default z
///     The axis that points at it, in the joint.
/// up : array_like (3,), default y
///     The axis that points at the pole, in the joint.
/// pole : array_like (3,), optional
///     A direction; without one the rotation is the shortest.
///
/// Returns
/// -------
/// ndarray (4,) or (n, 4)
///     Rotations to put on the old ones, from the left.
#[pyfunction]
#[pyo3(signature = (position, rotation, target, *, forward=None, up=None, pole=None))]
pub(crate) fn aim<'py>(
    py: Python<'py>,
    position: &Bound<'py, PyAny>,
    rotation: &Bound<'py, PyAny>,
    target: &Bound<'py, PyAny>,
    forward: Option<&Bound<'py, PyAny>>,
    up: Option<&Bound<'py, PyAny>>,
    pole: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let limbs = Limbs::read(&[
        (position, "position", 3),
        (target, "target", 3),
        (rotation, "rotation", 4),
    ])?;
    let axis = |given: Option<&Bound<'py, PyAny>>, what| {
        given.map(|given| crate::poses::one_point(given, what)).transpose()
    };
    let (forward, up, pole) = (axis(forward, "forward")?, axis(up, "up")?, axis(pole, "pole")?);
    let mut corrections = Vec::with_capacity(4 * limbs.n);
    for row in 0..limbs.n {
        let rotation = DQuat::from_slice(&limbs.arrays[2].values()[4 * row..4 * row + 4]);
        let pose = Pose::new(rotation, limbs.point(0, row));
        let mut aim = Aim::new(pose, limbs.point(1, row));
        aim = forward.map_or(aim, |forward| aim.with_forward(forward));
        aim = up.map_or(aim, |up| aim.with_up(up));
        let found = aim.with_pole(pole).solve().map_err(|error| library(&error))?;
        corrections.extend(found.correction.to_array());
    }
    limbs.shaped(py, corrections, 4)
}
