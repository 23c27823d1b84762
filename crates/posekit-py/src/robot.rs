//! Robots: their joints and links, and the arm that moves one tool.

use std::ops::Range;
use std::sync::Arc;

use numpy::{PyArray1, PyArrayDyn};
use posekit::arm::TrackFrom;
use posekit::skeleton::{Frame, Limit, Skeleton};
use posekit_collision::{Contact, Query};
use posekit_io::robot::Geometry;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyType};

use crate::arrays::{Array, shaped, vector, wrong_shape};
use crate::description::Description;
use crate::fault;
use crate::joints::joint_record;
use crate::path;
use crate::poses::{Invalid, write_matrix};
use crate::results::record;
use crate::servo::Servo;
use crate::solve::{self, Problem};
use crate::tasks::{self, Task, TaskOptions};
use crate::tool::{SolveOptions, Tool, ToolOptions, frame_named, world_pose};

/// A robot and the arm that moves one of its tools; made by `posekit.Robot.from_urdf` and `from_mjcf`.
///
/// Parameters
/// ----------
/// description : Description
///     The contents of the files.
/// tip : str, optional
///     The link or frame that holds the tool. By default that of the only end effector, the only link without children that a joint moves, or
///     what the fingers of a gripper are on.
/// group : str, optional
///     A group of the SRDF: its joints move, and the tip is its last link.
/// offset : array_like (4, 4) or (7,), optional
///     The pose of the tool on the tip.
/// held : sequence of str
///     Joints that keep their values of `at`.
/// at : array_like (n_values,), optional
///     A configuration; by default `start`.
/// posture : array_like (n_values,), optional
///     What `prefer="posture"` prefers; by default the middle of all limits.
/// velocity_limits, acceleration_limits : float or array_like (n_dofs,), optional
///     For `step` and `track` [rad/s, m/s; rad/s², m/s²]. Velocities are by default those of the file.
#[pyclass(subclass, frozen, name = "Robot", module = "posekit._posekit")]
pub(crate) struct Robot {
    description: Py<Description>,
    tool: Result<Arc<Tool>, String>,
    pub(crate) start: Vec<f64>,
    options: Py<PyDict>,
}

#[pymethods]
impl Robot {
    #[new]
    #[pyo3(signature = (
        description, *, tip=None, group=None, offset=None, held=Vec::new(), at=None, posture=None,
        velocity_limits=None, acceleration_limits=None
    ))]
    #[expect(clippy::too_many_arguments, reason = "Python's keywords")]
    fn new(
        py: Python<'_>,
        description: Bound<'_, Description>,
        tip: Option<&str>,
        group: Option<&str>,
        offset: Option<&Bound<'_, PyAny>>,
        held: Vec<String>,
        at: Option<&Bound<'_, PyAny>>,
        posture: Option<&Bound<'_, PyAny>>,
        velocity_limits: Option<&Bound<'_, PyAny>>,
        acceleration_limits: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let given = ToolOptions {
            tip,
            group,
            offset,
            held: &held,
            at,
            posture,
            velocity_limits,
            acceleration_limits,
        };
        let tool = Tool::new(description.get(), &given)?.map(Arc::new);
        let options = PyDict::new(py);
        options.set_item("tip", tip)?;
        options.set_item("group", group)?;
        options.set_item("offset", offset)?;
        options.set_item("held", &held)?;
        options.set_item("at", at)?;
        options.set_item("posture", posture)?;
        options.set_item("velocity_limits", velocity_limits)?;
        options.set_item("acceleration_limits", acceleration_limits)?;
        let start = description.get().robot.start_configuration();
        let (description, options) = (description.unbind(), options.unbind());
        Ok(Self { description, tool, start, options })
    }

    fn __getnewargs_ex__(&self, py: Python<'_>) -> ((Py<Description>,), Py<PyDict>) {
        ((self.description.clone_ref(py),), self.options.clone_ref(py))
    }

    /// The contents of the files; robots that share it differ in their tools.
    #[getter]
    fn description(&self, py: Python<'_>) -> Py<Description> {
        self.description.clone_ref(py)
    }

    /// The options of the tool, as `Robot` takes them.
    #[getter]
    fn options(&self, py: Python<'_>) -> PyResult<Py<PyDict>> {
        Ok(self.options.bind(py).copy()?.unbind())
    }

    /// The name in the file.
    #[getter]
    fn name(&self) -> &str {
        self.own().name()
    }

    /// The link or frame that holds the tool; None where none is chosen.
    #[getter]
    fn tip(&self) -> Option<&str> {
        self.tool.as_ref().ok().map(|tool| tool.tip.as_str())
    }

    /// Number of values of a configuration.
    #[getter]
    fn n_values(&self) -> usize {
        self.skeleton().n_values()
    }

    /// Number of degrees of freedom: columns of a Jacobian. Less than `n_values` for robots with quaternions.
    #[getter]
    fn n_dofs(&self) -> usize {
        self.skeleton().n_dofs()
    }

    /// The configuration that solves start from by default: the configuration of the file, clamped to the limits. Shape (n_values,) [rad, m].
    #[getter]
    fn start<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        vector(py, &self.start)
    }

    /// The joints that have values, in the order of their values.
    #[getter]
    fn joints<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let skeleton = self.skeleton();
        let moving =
            (0..skeleton.n_joints()).filter(|&joint| !skeleton.value_range(joint).is_empty());
        moving.map(|joint| self.joint(py, joint)).collect()
    }

    /// The names of the joints that the arm moves, from the base to the tool.
    #[getter]
    fn arm_joints(&self) -> PyResult<Vec<&str>> {
        let tool = self.tool()?;
        Ok(tool.arm.joints().map(|joint| self.skeleton().name(joint)).collect())
    }

    /// Where the values of `arm_joints` are in a configuration.
    #[getter]
    fn arm_values(&self) -> PyResult<Vec<usize>> {
        let tool = self.tool()?;
        Ok(tool.arm.joints().map(|joint| self.skeleton().value_range(joint).start).collect())
    }

    /// The lower limits of all values, shape (n_values,) [rad, m]; -inf where there is none.
    #[getter]
    fn lower<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        vector(py, &self.bounds(|(low, _)| low, f64::NEG_INFINITY))
    }

    /// The upper limits of all values, shape (n_values,) [rad, m]; inf where there is none.
    #[getter]
    fn upper<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        vector(py, &self.bounds(|(_, high)| high, f64::INFINITY))
    }

    /// The largest velocities that the file gives, shape (n_dofs,) [rad/s, m/s]; inf where it gives none.
    #[getter]
    fn velocity_limits<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        vector(py, self.own().velocity_limits())
    }

    /// The names of the links, in the order of the file.
    #[getter]
    fn links(&self) -> Vec<&str> {
        self.own().links().iter().map(|link| link.name.as_str()).collect()
    }

    /// The names of frames on links: sites, tools.
    #[getter]
    fn frames(&self) -> Vec<&str> {
        self.own().frames().iter().map(|frame| frame.name.as_str()).collect()
    }

    /// The links without children that a joint moves.
    #[getter]
    fn ends(&self) -> Vec<&str> {
        posekit_io::problem::end_links(self.own())
    }

    /// The groups of the SRDF: their names and the names of their joints.
    #[getter]
    fn groups<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let groups = PyDict::new(py);
        for group in self.own().groups() {
            let joints = group.joints.iter().map(|&joint| self.own().joints()[joint].name.as_str());
            groups.set_item(&group.name, joints.collect::<Vec<_>>())?;
        }
        Ok(groups)
    }

    /// The named configurations of the files, each of shape (n_values,) [rad, m].
    #[getter]
    fn states<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let states = PyDict::new(py);
        for state in self.own().states() {
            let mut q = self.start.clone();
            self.own().apply_state(state, &mut q);
            states.set_item(&state.name, vector(py, &q))?;
        }
        Ok(states)
    }

    /// The shapes of the links for collision checking.
    #[getter]
    fn shapes<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        self.own().shapes().iter().map(|shape| self.shape(py, shape)).collect()
    }

    /// The readers' warnings, one text each.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.description.get().warnings.clone()
    }

    /// How far the tool reaches from the first joint's origin [m]; inf with a slide without limits.
    #[getter]
    fn reach(&self) -> PyResult<f64> {
        Ok(self.tool()?.arm.reach())
    }

    /// Why the arm has a closed form, in words; None where it has none.
    #[getter]
    fn closed_form(&self) -> PyResult<Option<String>> {
        Ok(self.tool()?.arm.family().map(ToString::to_string))
    }

    /// The pose of a frame in the world.
    ///
    /// Parameters
    /// ----------
    /// q : array_like (n_values,) or (n, n_values)
    ///     Configurations [rad, m].
    /// frame : str, optional
    ///     A link or frame; by default the tool.
    ///
    /// Returns
    /// -------
    /// ndarray (4, 4) or (n, 4, 4)
    ///     Homogeneous matrices, translations in metres.
    #[pyo3(signature = (q, frame=None))]
    fn forward<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        frame: Option<&str>,
    ) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let frame = self.frame_or_tool(frame)?;
        let rows = Rows::read(q, self.n_values())?;
        let mut out = Vec::with_capacity(16 * rows.n());
        rows.each(|q| write_matrix(world_pose(self.own(), &frame, q), &mut out));
        shaped(py, out, &rows.shape_of(&[4, 4]))
    }

    /// The poses of all links in the world, in the order of `links`.
    ///
    /// Parameters
    /// ----------
    /// q : array_like (n_values,) or (n, n_values)
    ///     Configurations [rad, m].
    ///
    /// Returns
    /// -------
    /// ndarray (n_links, 4, 4) or (n, n_links, 4, 4)
    ///     Homogeneous matrices, translations in metres.
    fn link_poses<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let rows = Rows::read(q, self.n_values())?;
        let links = self.own().links();
        let mut out = Vec::with_capacity(16 * links.len() * rows.n());
        rows.each(|q| {
            let poses = self.skeleton().poses(q);
            links.iter().for_each(|link| write_matrix(poses[link.skeleton_joint], &mut out));
        });
        shaped(py, out, &rows.shape_of(&[links.len(), 4, 4]))
    }

    /// The Jacobian of a frame's origin in the world's axes: linear rows first, then angular ones.
    ///
    /// Parameters
    /// ----------
    /// q : array_like (n_values,) or (n, n_values)
    ///     Configurations [rad, m].
    /// frame : str, optional
    ///     A link or frame; by default the tool.
    ///
    /// Returns
    /// -------
    /// ndarray (6, n_dofs) or (n, 6, n_dofs)
    ///     [m/rad, rad/rad; m/m for slides]. Columns of joints that others mimic include what these add.
    #[pyo3(signature = (q, frame=None))]
    fn jacobian<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        frame: Option<&str>,
    ) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let frame = self.frame_or_tool(frame)?;
        let rows = Rows::read(q, self.n_values())?;
        let n_dofs = self.n_dofs();
        let mut columns = vec![0.0; 6 * n_dofs];
        let mut out = Vec::with_capacity(6 * n_dofs * rows.n());
        rows.each(|q| {
            self.skeleton().jacobian(&self.skeleton().poses(q), &frame, &mut columns);
            out.extend((0..6).flat_map(|row| columns.iter().skip(row).step_by(6)));
        });
        shaped(py, out, &rows.shape_of(&[6, n_dofs]))
    }

    /// Solves for a pose of the tool.
    ///
    /// Parameters
    /// ----------
    /// target : array_like (4, 4), (7,) or (3,)
    ///     In the world [m]: a homogeneous matrix; a position and a quaternion x, y, z, w; or a position with `rotation`. Without one the rotation is free.
    /// rotation : array_like (3, 3) or (4,), optional
    ///     A matrix, or a quaternion x, y, z, w.
    /// start : array_like (n_values,), optional
    ///     The configuration to start from [rad, m]; by default `start`.
    /// prefer : {"nearest", "first", "posture", "manipulability"}
    ///     Which configuration to return: the nearest to `start`, the first found (the fastest), the nearest to the robot's posture, or the farthest from singular.
    /// tolerance : float, optional
    ///     Distance that counts as reached [m]; by default 1e-6 of the reach.
    /// orientation_tolerance : float, default 1e-6
    ///     Angle that counts as reached [rad].
    /// bounds : array_like (6,), optional
    ///     How far the tool may be off along x, y, z [m] and about x, y, z [rad] of the target; inf where an axis does not matter.
    /// starts : int, default 200
    ///     The most starts that are tried.
    /// accept : callable, optional
    ///     Called with a configuration that reaches the target; where it returns False, the search goes on.
    ///
    /// Returns
    /// -------
    /// Solution
    ///     The best configuration found, inside the limits, and whether it reaches the target.
    ///
    /// Raises
    /// ------
    /// PosekitError
    ///     A `ValueError`: for arrays of other shapes, numbers that are not finite, and matrices that are not rotations.
    #[pyo3(signature = (
        target, rotation=None, *, start=None, prefer="nearest", tolerance=None,
        orientation_tolerance=None, bounds=None, starts=None, accept=None
    ))]
    #[expect(clippy::too_many_arguments, reason = "Python's keywords")]
    fn solve<'py>(
        &self,
        py: Python<'py>,
        target: &Bound<'py, PyAny>,
        rotation: Option<&Bound<'py, PyAny>>,
        start: Option<&Bound<'py, PyAny>>,
        prefer: &str,
        tolerance: Option<f64>,
        orientation_tolerance: Option<f64>,
        bounds: Option<&Bound<'py, PyAny>>,
        starts: Option<u32>,
        accept: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let options = SolveOptions { prefer, tolerance, orientation_tolerance, bounds, starts };
        self.problem(target, rotation, start, &options)?.solve(py, accept)
    }

    /// All distinct configurations found that reach a pose of the tool, the preferred first: every branch. Of an arm with more than six joints, one for each branch
    /// found.
    ///
    /// Parameters are those of `solve`.
    ///
    /// Returns
    /// -------
    /// ndarray (k, n_values)
    ///     Configurations [rad, m]; k is 0 where none is found.
    #[pyo3(signature = (
        target, rotation=None, *, start=None, prefer="nearest", tolerance=None,
        orientation_tolerance=None, bounds=None, starts=None
    ))]
    #[expect(clippy::too_many_arguments, reason = "Python's keywords")]
    fn all_solutions<'py>(
        &self,
        py: Python<'py>,
        target: &Bound<'py, PyAny>,
        rotation: Option<&Bound<'py, PyAny>>,
        start: Option<&Bound<'py, PyAny>>,
        prefer: &str,
        tolerance: Option<f64>,
        orientation_tolerance: Option<f64>,
        bounds: Option<&Bound<'py, PyAny>>,
        starts: Option<u32>,
    ) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let options = SolveOptions { prefer, tolerance, orientation_tolerance, bounds, starts };
        self.problem(target, rotation, start, &options)?.all(py)
    }

    /// One step of a servo loop: from a configuration towards a target for a time, inside the limits of joints and velocities.
    ///
    /// Parameters
    /// ----------
    /// q : array_like (n_values,)
    ///     The configuration [rad, m].
    /// target, rotation
    ///     As in `solve`.
    /// dt : float
    ///     The time [s].
    /// prefer, bounds
    ///     As in `solve`.
    ///
    /// Returns
    /// -------
    /// Step
    ///     The configuration after it, and how far the tool was off before it.
    #[pyo3(signature = (q, target, rotation=None, *, dt, prefer="nearest", bounds=None))]
    #[expect(clippy::too_many_arguments, reason = "Python's keywords")]
    fn step<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        target: &Bound<'py, PyAny>,
        rotation: Option<&Bound<'py, PyAny>>,
        dt: f64,
        prefer: &str,
        bounds: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let options = SolveOptions { prefer, bounds, ..SolveOptions::default() };
        let q = Array::vector(q, "q", self.n_values())?.values().to_vec();
        Problem::new(self.tool()?, target, rotation, q, &options)?.step(py, dt)
    }

    /// A servo loop, for steps at the least cost.
    ///
    /// Parameters
    /// ----------
    /// q : array_like (n_values,), optional
    ///     The configuration to start from [rad, m]; by default `start`.
    /// dt : float
    ///     The period [s].
    /// prefer, bounds
    ///     As in `solve`.
    ///
    /// Returns
    /// -------
    /// Servo
    ///     Its `step(target)` returns the next configuration, with the bits of `Robot.step`.
    #[pyo3(signature = (q=None, *, dt, prefer="nearest", bounds=None))]
    fn servo(
        &self,
        q: Option<&Bound<'_, PyAny>>,
        dt: f64,
        prefer: &str,
        bounds: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Servo> {
        if dt.is_nan() || dt <= 0.0 {
            return Err(fault::invalid(format!("dt: it must be above 0, not {dt}"), "dt"));
        }
        let options = SolveOptions { prefer, bounds, ..SolveOptions::default() };
        Ok(Servo::new(self.tool()?, self.start_of(q)?, dt, options.settings(false)?))
    }

    /// Solves for many poses of the tool. Every row has the bits that `solve` gives for it alone, whatever the other rows and however many threads.
    ///
    /// Parameters
    /// ----------
    /// targets : array_like (n, 4, 4), (n, 7) or (n, 3)
    ///     As the target of `solve`, one in a row.
    /// rotations : array_like (n, 3, 3) or (n, 4), optional
    ///     For positions.
    /// start : array_like (n_values,) or (n, n_values), optional
    ///     One start for all, or one for each.
    /// prefer, tolerance, orientation_tolerance, bounds, starts
    ///     As in `solve`. "first" is the fastest by far.
    /// invalid : {"raise", "mark"}
    ///     A row that is not a pose is an error for all, or has the status INVALID_TARGET.
    /// threads : int, optional
    ///     By default one per core.
    ///
    /// Returns
    /// -------
    /// Batch
    ///     Configurations, statuses and errors. The interpreter is released meanwhile, and Ctrl-C ends the call.
    #[pyo3(signature = (
        targets, rotations=None, *, start=None, prefer="nearest", tolerance=None,
        orientation_tolerance=None, bounds=None, starts=None, invalid="raise", threads=None
    ))]
    #[expect(clippy::too_many_arguments, reason = "Python's keywords")]
    fn solve_batch<'py>(
        &self,
        py: Python<'py>,
        targets: &Bound<'py, PyAny>,
        rotations: Option<&Bound<'py, PyAny>>,
        start: Option<&Bound<'py, PyAny>>,
        prefer: &str,
        tolerance: Option<f64>,
        orientation_tolerance: Option<f64>,
        bounds: Option<&Bound<'py, PyAny>>,
        starts: Option<u32>,
        invalid: &str,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let tool = self.tool()?;
        let targets = crate::poses::targets(targets, rotations, Invalid::named(invalid)?)?;
        let options = SolveOptions { prefer, tolerance, orientation_tolerance, bounds, starts };
        let settings = options.settings(targets.has_free_rotation)?;
        let starts = match start {
            Some(start) => self.starts(start, targets.poses.len())?,
            None => self.start.clone(),
        };
        solve::batch(py, &tool.arm, &targets.poses, &starts, &settings, threads)
    }

    /// Follows a path of poses: straight between them, with the shortest rotations, inside the limits of joints, velocities and accelerations.
    ///
    /// Parameters
    /// ----------
    /// times : array_like (n,)
    ///     The earliest time at each target [s]; increasing.
    /// targets, rotations
    ///     As in `solve_batch`.
    /// start : array_like (n_values,), optional
    ///     The start for the first target [rad, m].
    /// prefer, tolerance, orientation_tolerance, bounds
    ///     As in `solve`.
    /// from_any : bool, default False
    ///     Begin in the solution for the first target that leads to the end of the path, or furthest, instead of the one nearest to `start`.
    ///
    /// Returns
    /// -------
    /// Track
    ///     Configurations along the path, and how it ended.
    #[pyo3(signature = (
        times, targets, rotations=None, *, start=None, prefer="nearest", tolerance=None,
        orientation_tolerance=None, bounds=None, from_any=false
    ))]
    #[expect(clippy::too_many_arguments, reason = "Python's keywords")]
    fn track<'py>(
        &self,
        py: Python<'py>,
        times: &Bound<'py, PyAny>,
        targets: &Bound<'py, PyAny>,
        rotations: Option<&Bound<'py, PyAny>>,
        start: Option<&Bound<'py, PyAny>>,
        prefer: &str,
        tolerance: Option<f64>,
        orientation_tolerance: Option<f64>,
        bounds: Option<&Bound<'py, PyAny>>,
        from_any: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let tool = self.tool()?;
        let targets = crate::poses::targets(targets, rotations, Invalid::Refuse)?;
        let options =
            SolveOptions { prefer, tolerance, orientation_tolerance, bounds, starts: None };
        let settings = options.settings(targets.has_free_rotation)?;
        let times = Array::vector(times, "times", targets.poses.len())?.values().to_vec();
        let path = path::Path {
            tool,
            times,
            targets: targets.poses,
            start: self.start_of(start)?,
            settings,
            from: if from_any { TrackFrom::Any } else { TrackFrom::Nearest },
        };
        path.track(py, self.skeleton())
    }

    /// A reachability map: at which points, and in how many orientations, the arm can hold its tool.
    ///
    /// Parameters
    /// ----------
    /// size : float
    ///     Edge of a voxel [m].
    /// orientations : int, default 32
    ///     Orientations that are tried at each point, spread evenly.
    /// center : array_like (3,), optional
    ///     Middle of the ball of points [m]; by default the first joint's origin.
    /// radius : float, optional
    ///     Of the ball [m]; by default the arm's reach.
    /// start, starts
    ///     As in `solve`; fewer starts are faster and miss poses near the border.
    /// shard : (int, int), optional
    ///     `(k, n)`: only run k, from 0, of n runs of consecutive points. All of them, one after another, are the map.
    /// threads : int, optional
    ///     By default one per core.
    ///
    /// Returns
    /// -------
    /// Map
    ///     The points and what was found at them.
    #[pyo3(signature = (size, *, orientations=32, center=None, radius=None, start=None, starts=None, shard=None, threads=None))]
    #[expect(clippy::too_many_arguments, reason = "Python's keywords")]
    fn map<'py>(
        &self,
        py: Python<'py>,
        size: f64,
        orientations: u32,
        center: Option<&Bound<'py, PyAny>>,
        radius: Option<f64>,
        start: Option<&Bound<'py, PyAny>>,
        starts: Option<u32>,
        shard: Option<(usize, usize)>,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let center = center.map(|center| crate::poses::one_point(center, "center")).transpose()?;
        let start = self.start_of(start)?;
        path::map(
            py,
            &self.tool()?.arm,
            size,
            orientations,
            (center, radius),
            &start,
            starts,
            shard.unwrap_or((0, 1)),
            threads,
        )
    }

    /// How well the arm moves its tool from a configuration.
    ///
    /// Parameters
    /// ----------
    /// q : array_like (n_values,)
    ///     The configuration [rad, m].
    ///
    /// Returns
    /// -------
    /// Dexterity
    ///     Manipulability and the singular values of the Jacobian.
    fn dexterity<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        let q = Array::vector(q, "q", self.n_values())?;
        let found =
            self.tool()?.arm.dexterity(q.values()).map_err(|error| fault::library(&error))?;
        let values =
            (found.manipulability, found.smallest_singular_value, found.largest_singular_value);
        record(py, "Dexterity", &CLASS, values)
    }

    /// A configuration inside the limits: number `index` of a sequence that fills the ranges of the arm's joints evenly. For tests and samples.
    ///
    /// Parameters
    /// ----------
    /// index : int
    ///     From 0.
    ///
    /// Returns
    /// -------
    /// ndarray (n_values,)
    ///     [rad, m]; joints that are not of the arm are as in `start`.
    fn spread<'py>(&self, py: Python<'py>, index: u32) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let mut q = self.start.clone();
        self.tool()?.arm.spread(index, &mut q).map_err(|error| fault::library(&error))?;
        Ok(vector(py, &q))
    }

    /// Whether a configuration is inside the limits.
    ///
    /// Parameters
    /// ----------
    /// q : array_like (n_values,)
    ///     The configuration [rad, m].
    /// tolerance : float, default 0
    ///     How far outside still counts as inside [rad, m].
    #[pyo3(signature = (q, tolerance=0.0))]
    fn within_limits(&self, q: &Bound<'_, PyAny>, tolerance: f64) -> PyResult<bool> {
        let q = Array::vector(q, "q", self.n_values())?;
        Ok(self.skeleton().within_limits(q.values(), tolerance))
    }

    /// The pairs of links that are checked for collisions, by their names. Meshes count as their convex hulls; those that are not found are left out.
    #[getter]
    fn collision_pairs(&self, py: Python<'_>) -> PyResult<Vec<(String, String)>> {
        let description = self.description.get();
        let model = py.detach(|| description.collisions())?;
        let pair = |pair| {
            let [a, b] = model.names(pair);
            (a.to_owned(), b.to_owned())
        };
        Ok((0..model.n_pairs()).map(pair).collect())
    }

    /// The pairs of links that are nearer to each other than a margin.
    ///
    /// Parameters
    /// ----------
    /// q : array_like (n_values,)
    ///     The configuration [rad, m].
    /// margin : float, default 0
    ///     Distance up to which pairs count [m]; 0 finds overlaps and touches.
    ///
    /// Returns
    /// -------
    /// list of Contact
    ///     Empty where nothing is near. `accept=lambda q: not robot.collisions(q)` makes `solve` avoid them.
    #[pyo3(signature = (q, margin=0.0))]
    fn collisions<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        margin: f64,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        let q = Array::vector(q, "q", self.n_values())?;
        let description = self.description.get();
        let model = py.detach(|| description.collisions())?;
        let mut query = Query::default();
        let found = model.check(q.values(), margin, &mut query);
        let contact = |contact: &Contact| {
            let [a, b] = model.names(contact.pair);
            let points = contact.points.iter().flat_map(|point| point.to_array()).collect();
            let direction = vector(py, &contact.direction.to_array());
            let fields = ((a, b), contact.distance, shaped(py, points, &[2, 3])?, direction);
            record(py, "Contact", &CLASS, fields)
        };
        found.map_err(|error| fault::collision(&error))?.iter().map(contact).collect()
    }

    /// Solves for any number of tasks at once, on the whole robot.
    ///
    /// Parameters
    /// ----------
    /// tasks : sequence of Task
    ///     The tasks. Level 1 comes first, level 2 uses the freedom that remains, and so on; weights balance tasks of one level.
    /// start : array_like (n_values,), optional
    ///     The configuration to start from [rad, m]; by default `start`.
    /// method : str, default "auto"
    ///     "least-squares", "arm", "ccd", "fabrik", "relaxation", "direct", "two-bone".
    /// tolerance, orientation_tolerance : float, optional
    ///     What counts as reached [m, rad]; by default 1e-6 of the reach, and 1e-6.
    /// iterations : int, optional
    ///     The most; by default 500, and 50 for tracking.
    /// tracking : bool, default False
    ///     For one solve per frame: without restarts and the search for the least change.
    /// locked : sequence of str
    ///     Joints that keep their values of the start.
    /// stiffness : dict of str to float, optional
    ///     The resistance of joints to motion; others have 1.
    /// dt : float, optional
    ///     No joint moves farther than its velocity limit permits in this time [s].
    /// closures : bool, default True
    ///     The closed loops of the file stay closed.
    ///
    /// Returns
    /// -------
    /// TaskSolution
    ///     The best configuration found, inside the limits; the status and the error of every task.
    #[pyo3(signature = (
        tasks, *, start=None, method="auto", tolerance=None, orientation_tolerance=None,
        iterations=None, tracking=false, locked=Vec::new(), stiffness=None, dt=None, closures=true
    ))]
    #[expect(clippy::too_many_arguments, reason = "Python's keywords")]
    fn solve_tasks<'py>(
        &self,
        py: Python<'py>,
        tasks: Vec<Task<'py>>,
        start: Option<&Bound<'py, PyAny>>,
        method: &str,
        tolerance: Option<f64>,
        orientation_tolerance: Option<f64>,
        iterations: Option<u32>,
        tracking: bool,
        locked: Vec<String>,
        stiffness: Option<std::collections::BTreeMap<String, f64>>,
        dt: Option<f64>,
        closures: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let options = TaskOptions {
            method,
            tolerance,
            orientation_tolerance,
            iterations,
            is_tracking: tracking,
            locked: &locked,
            stiffness: stiffness.unwrap_or_default(),
            dt,
            closes_loops: closures,
        };
        tasks::solve(py, self.description.get(), &tasks, &self.start_of(start)?, &options)
    }

    fn __repr__(&self) -> String {
        let tip = self.tip().map_or_else(String::new, |tip| format!(", tip={tip:?}"));
        format!("<Robot {:?}{tip}, {} values>", self.name(), self.n_values())
    }
}

impl Robot {
    pub(crate) fn own(&self) -> &posekit_io::Robot {
        &self.description.get().robot
    }

    pub(crate) fn skeleton(&self) -> &Skeleton {
        self.own().skeleton()
    }

    pub(crate) fn tool(&self) -> PyResult<&Arc<Tool>> {
        self.tool.as_ref().map_err(|words| fault::unsuited(words))
    }

    fn frame_or_tool(&self, frame: Option<&str>) -> PyResult<Frame> {
        match frame {
            Some(name) => frame_named(self.own(), name),
            None => Ok(self.tool()?.frame),
        }
    }

    fn problem(
        &self,
        target: &Bound<'_, PyAny>,
        rotation: Option<&Bound<'_, PyAny>>,
        start: Option<&Bound<'_, PyAny>>,
        options: &SolveOptions<'_, '_>,
    ) -> PyResult<Problem<'_>> {
        Problem::new(self.tool()?, target, rotation, self.start_of(start)?, options)
    }

    fn start_of(&self, start: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<f64>> {
        match start {
            Some(start) => Ok(Array::vector(start, "start", self.n_values())?.values().to_vec()),
            None => Ok(self.start.clone()),
        }
    }

    /// One start for all rows, or one for each.
    fn starts(&self, start: &Bound<'_, PyAny>, n: usize) -> PyResult<Vec<f64>> {
        let n_values = self.n_values();
        let array = Array::finite(start, "start")?;
        match *array.shape() {
            [length] if length == n_values => {}
            [rows, length] if rows == n && length == n_values => {}
            _ => {
                let wanted = format!("({n_values},) or ({n}, {n_values})");
                return Err(wrong_shape("start", array.shape(), &wanted));
            }
        }
        Ok(array.values().to_vec())
    }

    /// A bound of every value; those of quaternions and positions in space have none.
    fn bounds(&self, of: impl Fn((f64, f64)) -> f64, none: f64) -> Vec<f64> {
        let skeleton = self.skeleton();
        let mut bounds = vec![none; skeleton.n_values()];
        for joint in 0..skeleton.n_joints() {
            if let (Limit::Range { min, max }, Range { start, end }) =
                (skeleton.limit(joint), skeleton.value_range(joint))
                && end == start + 1
            {
                bounds[start] = of((min, max));
            }
        }
        bounds
    }

    fn joint<'py>(&self, py: Python<'py>, joint: usize) -> PyResult<Bound<'py, PyAny>> {
        let limits = &self.own().velocity_limits()[self.skeleton().dof_range(joint)];
        let velocity = limits.iter().copied().fold(f64::INFINITY, f64::min);
        joint_record(py, self.skeleton(), joint, velocity)
    }

    fn shape<'py>(
        &self,
        py: Python<'py>,
        shape: &posekit_io::robot::RobotShape,
    ) -> PyResult<Bound<'py, PyAny>> {
        static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        let (kind, size, file) = match &shape.geometry {
            Geometry::Box { half_extents } => {
                ("box", (2.0 * *half_extents).to_array().to_vec(), None)
            }
            Geometry::Sphere { radius } => ("sphere", vec![*radius], None),
            Geometry::Cylinder { radius, half_length } => {
                ("cylinder", vec![*radius, 2.0 * half_length], None)
            }
            Geometry::Capsule { radius, half_length } => {
                ("capsule", vec![*radius, 2.0 * half_length], None)
            }
            Geometry::Ellipsoid { radii } => ("ellipsoid", radii.to_array().to_vec(), None),
            Geometry::Mesh { file, scale } => {
                ("mesh", scale.to_array().to_vec(), Some(file.as_str()))
            }
            Geometry::HalfSpace => ("half-space", Vec::new(), None),
            _ => ("other", Vec::new(), None),
        };
        let mut matrix = Vec::with_capacity(16);
        write_matrix(shape.link_from_shape, &mut matrix);
        let pose = shaped(py, matrix, &[4, 4])?;
        let link = &self.own().links()[shape.link].name;
        record(py, "Shape", &CLASS, (&shape.name, link, kind, vector(py, &size), file, pose))
    }
}

/// One configuration, or rows of them.
struct Rows<'py> {
    array: Array<'py>,
    n_values: usize,
}

impl<'py> Rows<'py> {
    fn read(q: &Bound<'py, PyAny>, n_values: usize) -> PyResult<Self> {
        let array = Array::finite(q, "q")?;
        match *array.shape() {
            [length] | [_, length] if length == n_values => Ok(Self { array, n_values }),
            _ => {
                let wanted = format!("({n_values},) or (n, {n_values})");
                Err(wrong_shape("q", array.shape(), &wanted))
            }
        }
    }

    /// How many rows there are; 1 for a single configuration.
    fn n(&self) -> usize {
        match *self.array.shape() {
            [rows, _] => rows,
            _ => 1,
        }
    }

    fn each(&self, mut row: impl FnMut(&[f64])) {
        (0..self.n())
            .for_each(|k| row(&self.array.values()[k * self.n_values..(k + 1) * self.n_values]));
    }

    /// The shape of what has one entry for each row.
    fn shape_of(&self, entry: &[usize]) -> Vec<usize> {
        match *self.array.shape() {
            [rows, _] => [&[rows], entry].concat(),
            _ => entry.to_vec(),
        }
    }
}
