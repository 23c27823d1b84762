//! Motions: clips of BVH and glTF files, over arrays.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use numpy::{IntoPyArray as _, PyArray1, PyArrayDyn};
use posekit::glam::DVec3;
use posekit::math::Pose;
use posekit::skeleton::Frame;
use posekit_io::motion::{
    Format, MotionFile, MotionOptions, measures, millimetres, to_bvh, to_glb, verdict_words,
};
use posekit_io::{Limits, Warnings, gltf};
use posekit_motion::{
    CleanSettings, Clip as Motion, Contact, FloorChoice, Hold, HoldSettings, Interpolation,
    Keyframes, Leg, Metrics, Part, Plant, PlantReport, Side, Support, TimeMap, along_path,
    clean_within, hold_within, judge, measure_on,
};
use pyo3::exceptions::{PyFileExistsError, PyOSError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict, PyType};

use crate::arrays::{Array, shaped, vector, wrong_shape};
use crate::fault::{self, invalid};
use crate::interrupt::run;
use crate::joints::joint_record;
use crate::poses::write_matrix;
use crate::results::record;

/// The stiffness of the root against pinned joints: as in the command's `pin`.
const ROOT_STIFFNESS: f64 = 20.0;

/// A motion: a skeleton and a configuration for every frame. Made by `Clip.read`; edits give new clips.
#[pyclass(frozen, module = "posekit._posekit")]
pub(crate) struct Clip {
    source: Arc<Source>,
    clip: Arc<Motion>,
    /// The speed and the fixed time of each retiming, in order, for the other animations of the file.
    retimed: Vec<(f64, f64)>,
}

/// Configurations, the frame time, the start, and the retimings: what is pickled with the file.
type Edited<'py> = (Bound<'py, PyAny>, f64, f64, Vec<(f64, f64)>);

/// The bytes of a file, and those of the files that go beside it, by their names.
type Encoded = (Vec<u8>, Vec<(String, Vec<u8>)>);

/// The file of a clip.
struct Source {
    file: MotionFile,
    index: usize,
    data: Vec<u8>,
    /// Files that a glTF names, by their names.
    beside: BTreeMap<String, Vec<u8>>,
    options: Py<PyDict>,
    warnings: Vec<String>,
}

/// The keywords of `Clip.read`.
struct Reading {
    index: Option<usize>,
    fps: Option<f64>,
    up: Option<[f64; 3]>,
    metres_per_unit: Option<f64>,
    lenient: bool,
    fill_gaps: bool,
}

impl Source {
    /// - `folder`, `files`: the files that a glTF names; `files` come first
    fn read(
        py: Python<'_>,
        data: &[u8],
        folder: Option<PathBuf>,
        files: BTreeMap<String, Vec<u8>>,
        reading: &Reading,
    ) -> PyResult<Self> {
        let &Reading { index, fps, up, metres_per_unit, lenient, fill_gaps } = reading;
        let mut options = MotionOptions::default();
        (options.fps, options.metres_per_unit) = (fps, metres_per_unit);
        options.up = up.map(DVec3::from_array);
        (options.is_lenient, options.fills_gaps) = (lenient, fill_gaps);
        let limits = Limits::default();
        let mut in_folder = folder.map(|folder| gltf::folder(&folder, limits));
        let mut beside = BTreeMap::new();
        let mut warnings = Warnings::new();
        let mut resolve = |name: &str| {
            let bytes = match (files.get(name), &mut in_folder) {
                (Some(bytes), _) => bytes.clone(),
                (None, Some(open)) => open(name)?,
                (None, None) => gltf::no_files(name)?,
            };
            beside.insert(name.to_owned(), bytes.clone());
            Ok(bytes)
        };
        let file = MotionFile::from_bytes(data, &mut resolve, &options, &limits, &mut warnings)
            .map_err(|error| fault::file(&error))?;
        let index = chosen(&file, index)?;
        let keywords = PyDict::new(py);
        keywords.set_item("index", index)?;
        keywords.set_item("fps", fps)?;
        keywords.set_item("up", up)?;
        keywords.set_item("metres_per_unit", metres_per_unit)?;
        keywords.set_item("lenient", lenient)?;
        keywords.set_item("fill_gaps", fill_gaps)?;
        Ok(Self {
            file,
            index,
            data: data.to_vec(),
            beside,
            options: keywords.unbind(),
            warnings: warnings.iter().map(ToString::to_string).collect(),
        })
    }

    /// The clip of the file.
    fn clip(&self) -> PyResult<Motion> {
        self.file.clip(self.index).cloned().map_err(|error| fault::file(&error))
    }
}

#[pymethods]
impl Clip {
    #[new]
    #[pyo3(signature = (
        data, *, index=None, folder=None, fps=None, up=None, metres_per_unit=None, lenient=false,
        fill_gaps=false, files=None, edited=None
    ))]
    #[expect(clippy::too_many_arguments, reason = "Python's keywords")]
    fn new(
        py: Python<'_>,
        data: &[u8],
        index: Option<usize>,
        folder: Option<PathBuf>,
        fps: Option<f64>,
        up: Option<[f64; 3]>,
        metres_per_unit: Option<f64>,
        lenient: bool,
        fill_gaps: bool,
        files: Option<BTreeMap<String, Vec<u8>>>,
        edited: Option<Edited<'_>>,
    ) -> PyResult<Self> {
        let reading = Reading { index, fps, up, metres_per_unit, lenient, fill_gaps };
        let source = Source::read(py, data, folder, files.unwrap_or_default(), &reading)?;
        let clip = source.clip()?;
        let Some((values, frame_time, start, retimed)) = edited else {
            return Ok(Self {
                source: Arc::new(source),
                clip: Arc::new(clip),
                retimed: Vec::new(),
            });
        };
        let values = Array::finite(&values, "values")?.values().to_vec();
        let edited = Motion::try_new(clip.skeleton().clone(), frame_time, values)
            .and_then(|edited| edited.with_up(clip.up()))
            .map_err(|error| fault::motion(&error))?;
        let edited = edited.with_start(start).with_metres_per_unit(clip.metres_per_unit());
        Ok(Self { source: Arc::new(source), clip: Arc::new(edited), retimed })
    }

    /// Reads a motion of a BVH, glTF, GLB, VRM or VRMA file; its first bytes determine the format.
    ///
    /// Parameters
    /// ----------
    /// source : path-like or bytes
    ///     A file, or its content.
    /// index : int, optional
    ///     The index of one of several motions.
    /// fps : float, optional
    ///     Frames per second; by default those of the file.
    /// up : sequence of 3 floats, optional
    ///     The direction of up; by default that of the file.
    /// metres_per_unit : float, optional
    ///     The unit of length.
    /// lenient : bool, default False
    ///     Use the complete frames of a BVH that was cut or miscounted.
    /// fill_gaps : bool, default False
    ///     Fill in values of a BVH that are not finite.
    ///
    /// Returns
    /// -------
    /// Clip
    #[classmethod]
    #[pyo3(signature = (
        source, *, index=None, fps=None, up=None, metres_per_unit=None, lenient=false,
        fill_gaps=false
    ))]
    #[expect(clippy::too_many_arguments, reason = "Python's keywords")]
    fn read(
        class: &Bound<'_, PyType>,
        source: &Bound<'_, PyAny>,
        index: Option<usize>,
        fps: Option<f64>,
        up: Option<[f64; 3]>,
        metres_per_unit: Option<f64>,
        lenient: bool,
        fill_gaps: bool,
    ) -> PyResult<Self> {
        let py = class.py();
        let reading = Reading { index, fps, up, metres_per_unit, lenient, fill_gaps };
        let source = match source.cast::<PyBytes>() {
            Ok(bytes) => Source::read(py, bytes.as_bytes(), None, BTreeMap::new(), &reading)?,
            Err(_) => {
                let path: PathBuf = source.extract()?;
                let data = fs::read(&path).map_err(|error| os_error(&error, &path))?;
                let folder = path.parent().map(Path::to_path_buf);
                Source::read(py, &data, folder, BTreeMap::new(), &reading)?
            }
        };
        let clip = Arc::new(source.clip()?);
        Ok(Self { source: Arc::new(source), clip, retimed: Vec::new() })
    }

    fn __getnewargs_ex__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<((Bound<'py, PyBytes>,), Bound<'py, PyDict>)> {
        let keywords = self.source.options.bind(py).copy()?;
        let files = PyDict::new(py);
        for (name, bytes) in &self.source.beside {
            files.set_item(name, PyBytes::new(py, bytes))?;
        }
        keywords.set_item("files", files)?;
        let edited =
            (self.values(py)?, self.clip.frame_time(), self.clip.start(), self.retimed.clone());
        keywords.set_item("edited", edited)?;
        Ok(((PyBytes::new(py, &self.source.data),), keywords))
    }

    /// The name of the motion in the file; None without one.
    #[getter]
    fn name(&self) -> Option<&str> {
        self.source.file.clip_name(self.source.index)
    }

    /// The configurations, a new array of shape (n_frames, n_values) [rad, the clip's unit].
    #[getter]
    fn values<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let shape = [self.clip.n_frames(), self.clip.skeleton().n_values()];
        shaped(py, self.clip.values().to_vec(), &shape)
    }

    /// Number of frames.
    #[getter]
    fn n_frames(&self) -> usize {
        self.clip.n_frames()
    }

    /// The time between two frames [s].
    #[getter]
    fn frame_time(&self) -> f64 {
        self.clip.frame_time()
    }

    /// Frames per second.
    #[getter]
    fn fps(&self) -> f64 {
        self.clip.frame_time().recip()
    }

    /// From the first frame to the last [s].
    #[getter]
    fn duration(&self) -> f64 {
        self.clip.duration()
    }

    /// The times of the frames, shape (n_frames,) [s].
    #[getter]
    fn times<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        (0..self.clip.n_frames())
            .map(|frame| self.clip.time(frame))
            .collect::<Vec<_>>()
            .into_pyarray(py)
    }

    /// The direction of up: a unit vector, shape (3,).
    #[getter]
    fn up<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        vector(py, &self.clip.up().to_array())
    }

    /// The unit of length [m]; None where it is not known.
    #[getter]
    fn metres_per_unit(&self) -> Option<f64> {
        self.clip.metres_per_unit()
    }

    /// The names of the joints, parents first.
    #[getter]
    fn joint_names(&self) -> Vec<&str> {
        let skeleton = self.clip.skeleton();
        (0..skeleton.n_joints()).map(|joint| skeleton.name(joint)).collect()
    }

    /// The index of each joint's parent; -1 for roots.
    #[getter]
    fn parents(&self) -> Vec<i64> {
        let skeleton = self.clip.skeleton();
        let parent = |joint| skeleton.parent(joint).and_then(|parent| i64::try_from(parent).ok());
        (0..skeleton.n_joints()).map(|joint| parent(joint).unwrap_or(-1)).collect()
    }

    /// The joints that have values, in the order of their values.
    #[getter]
    fn joints<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let skeleton = self.clip.skeleton();
        let moving =
            (0..skeleton.n_joints()).filter(|&joint| !skeleton.value_range(joint).is_empty());
        moving.map(|joint| joint_record(py, skeleton, joint, f64::INFINITY)).collect()
    }

    /// The reader's warnings, one text each.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.source.warnings.clone()
    }

    /// The positions of all joints, shape (n_frames, n_joints, 3) [the clip's unit].
    fn positions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let clip = &self.clip;
        let poses = py.detach(|| clip.poses());
        let values = poses.iter().flat_map(|pose| pose.translation.to_array()).collect();
        shaped(py, values, &[clip.n_frames(), clip.skeleton().n_joints(), 3])
    }

    /// The poses of all joints in the world, shape (n_frames, n_joints, 4, 4) [the clip's unit].
    fn poses<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let clip = &self.clip;
        let poses = py.detach(|| clip.poses());
        let mut values = Vec::with_capacity(16 * poses.len());
        poses.into_iter().for_each(|pose| write_matrix(pose, &mut values));
        shaped(py, values, &[clip.n_frames(), clip.skeleton().n_joints(), 4, 4])
    }

    /// The same clip with other configurations.
    ///
    /// Parameters
    /// ----------
    /// values : array_like (n, n_values)
    ///     One row for each frame [rad, the clip's unit].
    ///
    /// Returns
    /// -------
    /// Clip
    fn with_values(&self, values: &Bound<'_, PyAny>) -> PyResult<Self> {
        let n_values = self.clip.skeleton().n_values();
        let array = Array::finite(values, "values")?;
        if !matches!(*array.shape(), [_, width] if width == n_values) {
            return Err(wrong_shape("values", array.shape(), &format!("(n, {n_values})")));
        }
        let clip = self.clip.with_values(array.values().to_vec());
        Ok(self.with(clip.map_err(|error| fault::motion(&error))?))
    }

    /// Makes standing feet stand still; the rest does not change.
    ///
    /// Parameters
    /// ----------
    /// strength : float, default 1
    ///     The part of the correction to apply, from 0 to 1.
    /// floor : {"fit", "level", "per-plant"}
    ///     The floor: a plane that fits the feet, a level one, or a height for each plant (stairs, rough ground).
    /// keep : sequence of (float, float)
    ///     Times that do not change [s].
    /// keep_ends : bool, default False
    ///     The first two and the last two frames do not change, nor does the root's trajectory.
    /// in_place : bool, default False
    ///     The figure walks in place; without it this is detected.
    /// keep_path : bool, default False
    ///     The root's trajectory does not change, even if all feet slide with it.
    /// blend : float, optional
    ///     Blend-in and blend-out time of a plant [s]; by default 0.12.
    ///
    /// Returns
    /// -------
    /// Cleaned
    ///     The clip, every plant with its verdict, and measures before and after.
    #[pyo3(signature = (*, strength=1.0, floor="fit", keep=Vec::new(), keep_ends=false, in_place=false, keep_path=false, blend=None))]
    #[expect(clippy::too_many_arguments, reason = "Python's keywords")]
    fn clean<'py>(
        &self,
        py: Python<'py>,
        strength: f64,
        floor: &str,
        keep: Vec<(f64, f64)>,
        keep_ends: bool,
        in_place: bool,
        keep_path: bool,
        blend: Option<f64>,
    ) -> PyResult<Bound<'py, PyAny>> {
        static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        let mut settings = CleanSettings::default();
        (settings.strength, settings.floor) = (strength, floor_named(floor)?);
        (settings.keep, settings.keep_ends) = (keep, keep_ends);
        (settings.in_place, settings.path) = (in_place, !keep_path);
        settings.ease = blend.unwrap_or(settings.ease);
        settings.legs = self.source.file.legs();
        let (source, clip) = (Arc::clone(&self.source), Arc::clone(&self.clip));
        let (cleaned, before, after) = run(py, move || {
            let cleaned = clean_within(&clip, &settings, source.file.keeper().as_ref())?;
            let (before, after) = cleaned.measures(&clip);
            Ok((cleaned, before, after))
        })?
        .map_err(|error: posekit_motion::Error| fault::motion(&error))?;
        let legs = &cleaned.legs.legs;
        let plants = self.plants(py, &cleaned.plants, legs, strength)?;
        let changed: Vec<&str> =
            cleaned.changed.iter().map(|&joint| self.clip.skeleton().name(joint)).collect();
        let measures =
            (measured(py, &before, None, legs)?, measured(py, &before, Some(&after), legs)?);
        let reason = cleaned.legs.reason.clone();
        let clip = self.with(cleaned.clip);
        let fields = (clip, plants, measures.0, measures.1, changed, reason);
        record(py, "Cleaned", &CLASS, fields)
    }

    /// Measures how far standing feet slide.
    ///
    /// Parameters
    /// ----------
    /// floor, in_place
    ///     As in `clean`.
    ///
    /// Returns
    /// -------
    /// Check
    ///     Every plant, and measures of the whole.
    #[pyo3(signature = (*, floor="fit", in_place=false))]
    fn check<'py>(
        &self,
        py: Python<'py>,
        floor: &str,
        in_place: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        let mut settings = CleanSettings::default();
        (settings.floor, settings.in_place) = (floor_named(floor)?, in_place);
        let (source, clip) = (Arc::clone(&self.source), Arc::clone(&self.clip));
        let (reports, metrics, legs) = run(py, move || {
            let legs = source.file.legs_of(&clip);
            let judged = judge(&clip, &legs.legs, &settings, source.file.keeper().as_ref())?;
            // A walk in place is judged along the path that it would take.
            let ahead = match &judged.way {
                Some(way) => along_path(&clip, &legs.legs, way)?,
                None => None,
            };
            let plants: Vec<Plant> =
                judged.plants.iter().map(|report| report.plant.clone()).collect();
            let clip = ahead.as_ref().unwrap_or(&clip);
            let floor = (&judged.floor, settings.floor);
            let metrics = measure_on(clip, None, &legs.legs, &plants, floor);
            Ok((judged.plants, metrics, legs))
        })?
        .map_err(|error: posekit_motion::Error| fault::motion(&error))?;
        let plants = self.plants(py, &reports, &legs.legs, 1.0)?;
        let fields = (plants, measured(py, &metrics, None, &legs.legs)?, legs.reason);
        record(py, "Check", &CLASS, fields)
    }

    /// Holds a joint in place for a time; the rest of the body moves as little as that requires.
    ///
    /// Parameters
    /// ----------
    /// joint : str
    ///     Its name.
    /// begin, end : float
    ///     The time [s].
    /// at : array_like (3,), optional
    ///     The place [the clip's unit], in the frame of `on` if that is given; by default that in the middle of the time.
    /// offset : array_like (3,), optional
    ///     The point to hold, in the joint's frame; by default its origin.
    /// pose : bool, default False
    ///     Hold its rotation, too.
    /// on : str, optional
    ///     The joint that it is on and goes with, such as the other hand; by default it stays in the world.
    /// blend : float, default 0.12
    ///     Blend-in and blend-out time [s].
    ///
    /// Returns
    /// -------
    /// Pinned
    ///     The clip, and how well the joint holds.
    #[pyo3(signature = (joint, begin, end, *, at=None, offset=None, pose=false, on=None, blend=0.12))]
    #[expect(clippy::too_many_arguments, reason = "Python's keywords")]
    fn pin<'py>(
        &self,
        py: Python<'py>,
        joint: &str,
        begin: f64,
        end: f64,
        at: Option<&Bound<'py, PyAny>>,
        offset: Option<&Bound<'py, PyAny>>,
        pose: bool,
        on: Option<&str>,
        blend: f64,
    ) -> PyResult<Bound<'py, PyAny>> {
        static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        let skeleton = self.clip.skeleton();
        let find = |name: &str, what: &'static str| {
            skeleton.find(name).ok_or_else(|| invalid(format!("there is no joint {name:?}"), what))
        };
        let index = find(joint, "joint")?;
        let on = on.map(|name| find(name, "on")).transpose()?;
        let point = |given: Option<&Bound<'py, PyAny>>, what| {
            given.map(|given| crate::poses::one_point(given, what)).transpose()
        };
        let (at, offset) = (point(at, "at")?, point(offset, "offset")?.unwrap_or(DVec3::ZERO));
        let frame = Frame::new(index, Pose::from_translation(offset));
        let hold = if pose {
            // A place given has the rotation of the middle of its time.
            let middle = || self.clip.frame_pose(&frame, on, 0.5 * (begin + end));
            Hold::Pose(at.map(|at| Pose { translation: at, ..middle() }))
        } else {
            Hold::Position(at)
        };
        let on = on.map_or(Support::World, Support::Joint);
        let (from, to) = (begin, end);
        let contact = Contact { frame, from, to, hold, on, ease_in: blend, ease_out: blend };
        let (source, clip) = (Arc::clone(&self.source), Arc::clone(&self.clip));
        let held = run(py, move || {
            let legs = source.file.legs_of(&clip).legs;
            let settings = HoldSettings {
                legs: legs.iter().map(|leg| leg.limb).collect(),
                root_stiffness: ROOT_STIFFNESS,
                by_hand: true,
                ..HoldSettings::default()
            };
            hold_within(&clip, &[contact], &settings, source.file.keeper().as_ref())
        })?
        .map_err(|error| fault::motion(&error))?;
        let (residual, angle, missed) =
            held.contacts.first().map_or((0.0, 0.0, Vec::new()), |report| {
                (report.residual, report.angle, report.missed.clone())
            });
        let changed: Vec<&str> = held.changed.iter().map(|&joint| skeleton.name(joint)).collect();
        let clip = self.with(held.clip);
        record(py, "Pinned", &CLASS, (clip, residual, angle, missed, changed))
    }

    /// The same motion at another rate or speed.
    ///
    /// Parameters
    /// ----------
    /// speed : float, optional
    ///     The factor of the speed.
    /// duration : float, optional
    ///     The new duration [s]; in place of `speed`.
    /// fps : float, optional
    ///     Frames per second; by default unchanged.
    /// smooth : bool, default False
    ///     Interpolate by smooth curves instead of straight lines.
    ///
    /// Returns
    /// -------
    /// Clip
    #[pyo3(signature = (*, speed=None, duration=None, fps=None, smooth=false))]
    fn retime(
        &self,
        py: Python<'_>,
        speed: Option<f64>,
        duration: Option<f64>,
        fps: Option<f64>,
        smooth: bool,
    ) -> PyResult<Self> {
        let clip = Arc::clone(&self.clip);
        let speed = match (speed, duration) {
            (Some(_), Some(_)) => return Err(invalid("give speed or duration, not both", "speed")),
            (_, Some(_)) if clip.duration() == 0.0 => {
                return Err(invalid(
                    "duration: the clip has one frame or none, and no duration",
                    "duration",
                ));
            }
            (_, Some(duration)) => clip.duration() / duration,
            (speed, None) => speed.unwrap_or(1.0),
        };
        let from = clip.start();
        let frame_time = fps.map_or(clip.frame_time(), f64::recip);
        let made = run(py, move || {
            let map = TimeMap::speed(speed, from)?;
            if !smooth {
                return clip.retimed(&map, frame_time);
            }
            let fine =
                Keyframes::through(&clip, Interpolation::Cubic)?.sample(frame_time * speed)?;
            let made =
                Motion::try_new(clip.skeleton().clone(), frame_time, fine.values().to_vec())?;
            Ok(made
                .with_up(clip.up())?
                .with_start(from)
                .with_metres_per_unit(clip.metres_per_unit()))
        })?
        .map_err(|error: posekit_motion::Error| fault::motion(&error))?;
        let retimed = self.retimed.iter().copied().chain([(speed, from)]).collect();
        Ok(Self { clip: Arc::new(made), source: Arc::clone(&self.source), retimed })
    }

    /// The bytes of a file with this clip.
    ///
    /// Parameters
    /// ----------
    /// format : {"bvh", "glb"}, optional
    ///     A new file with only the motion; by default the file that was read, in which only what changed is written anew.
    ///
    /// Returns
    /// -------
    /// bytes
    #[pyo3(signature = (format=None))]
    fn encode<'py>(&self, py: Python<'py>, format: Option<&str>) -> PyResult<Bound<'py, PyBytes>> {
        let (bytes, beside) = self.encoded(format, "clip")?;
        match beside.as_slice() {
            [] => Ok(PyBytes::new(py, &bytes)),
            _ => Err(fault::unsuited(
                "a glTF of several files cannot be one text; write it to a path, or as \"glb\"",
            )),
        }
    }

    /// Writes the clip to a file. If the path ends in `.bvh` or `.glb` and the clip was read from the other format, the file is a new one with only the motion; else it is
    /// the file that was read, in which only what changed is written anew.
    ///
    /// Parameters
    /// ----------
    /// path : path-like
    ///     The file. It is complete, or not there at all.
    /// overwrite : bool, default False
    ///     Replace an existing file.
    #[pyo3(signature = (path, *, overwrite=false))]
    fn write(&self, path: PathBuf, overwrite: bool) -> PyResult<()> {
        let own = self.source.file.format();
        let extension = path.extension().map(|extension| extension.to_ascii_lowercase());
        let format = match extension.as_deref().and_then(|extension| extension.to_str()) {
            Some("bvh") if own != Format::Bvh => Some("bvh"),
            Some("glb") if own == Format::Bvh => Some("glb"),
            _ => None,
        };
        let stem = path.file_stem().map_or_else(|| "clip".into(), |stem| stem.to_string_lossy());
        let (bytes, beside) = self.encoded(format, &stem)?;
        if !overwrite && path.exists() {
            return Err(PyFileExistsError::new_err(format!(
                "{} exists already; overwrite=True replaces it",
                path.display()
            )));
        }
        let folder = path.parent().unwrap_or(Path::new(""));
        for (name, bytes) in beside {
            write_whole(&folder.join(name), &bytes)?;
        }
        write_whole(&path, &bytes)
    }

    fn __repr__(&self) -> String {
        format!(
            "<Clip {} frames at {} fps, {} joints>",
            self.clip.n_frames(),
            self.fps(),
            self.clip.skeleton().n_joints()
        )
    }
}

impl Clip {
    /// The same file and time with other frames.
    fn with(&self, clip: Motion) -> Self {
        Self {
            source: Arc::clone(&self.source),
            clip: Arc::new(clip),
            retimed: self.retimed.clone(),
        }
    }

    fn plants<'py>(
        &self,
        py: Python<'py>,
        reports: &[PlantReport],
        legs: &[Leg],
        strength: f64,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        let clip = &self.clip;
        let scale = millimetres(clip, legs).unwrap_or(1.0);
        let plant = |report: &PlantReport| {
            let Plant { leg, part, frames } = &report.plant;
            let side = match legs[*leg].side {
                Side::Left => "left",
                Side::Right => "right",
                _ => "middle",
            };
            let (verdict, words) = verdict_words(report, scale, strength);
            let fields = (
                clip.skeleton().name(legs[*leg].joint(*part)),
                side,
                match part {
                    Part::Heel => "heel",
                    Part::Ball => "ball",
                },
                clip.time(frames.start),
                clip.time(frames.end.saturating_sub(1)),
                report.drift_before,
                report.drift_after,
                verdict,
                words,
            );
            record(py, "Plant", &CLASS, fields)
        };
        reports.iter().map(plant).collect()
    }

    /// The clip as a file.
    fn encoded(&self, format: Option<&str>, stem: &str) -> PyResult<Encoded> {
        let failed = |error: posekit_io::Error| fault::file(&error);
        let Source { file, index, .. } = &*self.source;
        match format {
            Some("bvh") => {
                let mut text = Vec::new();
                to_bvh(&self.clip)
                    .map_err(failed)?
                    .write_to(&mut text)
                    .map_err(|error| PyOSError::new_err(error.to_string()))?;
                return Ok((text, Vec::new()));
            }
            Some("glb") => return Ok((to_glb(&self.clip, stem).map_err(failed)?, Vec::new())),
            Some(other) => {
                return Err(invalid(
                    format!("format: {other:?} is neither \"bvh\" nor \"glb\""),
                    "format",
                ));
            }
            None => {}
        }
        let written = match self.map().map_err(|error| fault::motion(&error))? {
            None => file.write(*index, &self.clip, stem),
            Some(map) => file.write_retimed(&[(*index, &self.clip, &map)], stem),
        };
        let written = written.map_err(failed)?;
        let beside = written.beside.into_iter().map(|file| (file.path, file.bytes));
        Ok((written.file, beside.collect()))
    }

    /// The new times of the file's times; none if the clip was not retimed.
    fn map(&self) -> Result<Option<TimeMap>, posekit_motion::Error> {
        let [first, ..] = self.retimed.as_slice() else { return Ok(None) };
        let new_time = |time: f64| {
            self.retimed.iter().fold(time, |time, (speed, from)| from + (time - from) / speed)
        };
        let (begin, end) = (first.1, first.1 + 1.0);
        TimeMap::try_new(vec![(begin, new_time(begin)), (end, new_time(end))]).map(Some)
    }
}

/// The index of the motion, by default of the only one.
fn chosen(file: &MotionFile, index: Option<usize>) -> PyResult<usize> {
    match (index, file.n_clips()) {
        (Some(index), _) => Ok(index),
        (None, 1) => Ok(0),
        (None, 0) => Err(fault::unsuited("the file has no motions")),
        (None, n) => {
            let names: Vec<String> = (0..n)
                .map(|index| {
                    format!("{index} {}", file.clip_name(index).unwrap_or("without a name"))
                })
                .collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            Err(fault::unsuited(&format!(
                "the file has {n} motions; name one as index=: {}",
                crate::tool::listed(&names)
            )))
        }
    }
}

fn floor_named(name: &str) -> PyResult<FloorChoice> {
    match name {
        "fit" => Ok(FloorChoice::Fit),
        "level" => Ok(FloorChoice::Level),
        "per-plant" => Ok(FloorChoice::PerPlant),
        _ => Err(invalid(format!("floor: {name:?} is none of fit, level, per-plant"), "floor")),
    }
}

/// Measures by their names: of a motion, or of its result. Lengths are for a leg of 0.85 m.
fn measured<'py>(
    py: Python<'py>,
    before: &Metrics,
    after: Option<&Metrics>,
    legs: &[Leg],
) -> PyResult<Bound<'py, PyDict>> {
    let all = PyDict::new(py);
    if !legs.is_empty() {
        for measure in measures(before, after) {
            let value = if after.is_some() { measure.after } else { measure.before };
            all.set_item(measure.key, value)?;
        }
    }
    Ok(all)
}

/// Writes a file under another name first, so that it is complete or not there.
fn write_whole(path: &Path, bytes: &[u8]) -> PyResult<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    let other = path.with_file_name(name);
    let written = fs::write(&other, bytes).and_then(|()| fs::rename(&other, path));
    written.map_err(|error| {
        // It may not have been made.
        let _ = fs::remove_file(&other);
        os_error(&error, path)
    })
}

fn os_error(error: &std::io::Error, path: &Path) -> PyErr {
    let words = format!("{}: {}", path.display(), error);
    match error.kind() {
        ErrorKind::NotFound => pyo3::exceptions::PyFileNotFoundError::new_err(words),
        ErrorKind::PermissionDenied => pyo3::exceptions::PyPermissionError::new_err(words),
        _ => PyOSError::new_err(words),
    }
}
