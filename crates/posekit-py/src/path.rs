//! Paths of one tool, and maps of where it reaches.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use numpy::IntoPyArray as _;
use posekit::arm::map::{Reachability, Voxels, orientations};
use posekit::arm::{Arm, ArmSettings, Track, TrackEnd, TrackFrom, TrackSample, TrackStatus};
use posekit::glam::DVec3;
use posekit::math::Pose;
use posekit::skeleton::Skeleton;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;
use rayon::prelude::*;

use crate::arrays::shaped;
use crate::fault::{invalid, library};
use crate::interrupt::{Signals, cancellable, pool};
use crate::results::record;
use crate::tool::Tool;

/// A path to follow.
pub(crate) struct Path<'a> {
    pub(crate) tool: &'a Arc<Tool>,
    pub(crate) times: Vec<f64>,
    pub(crate) targets: Vec<Pose>,
    pub(crate) start: Vec<f64>,
    pub(crate) settings: ArmSettings,
    pub(crate) from: TrackFrom,
}

impl Path<'_> {
    pub(crate) fn track<'py>(
        self,
        py: Python<'py>,
        skeleton: &Skeleton,
    ) -> PyResult<Bound<'py, PyAny>> {
        static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        let Self { tool, times, targets, start, settings, from } = self;
        let n_values = start.len();
        let mut signals = Signals::default();
        let go_on = || signals.go_on();
        let track =
            py.detach(|| tool.arm.track_while(&times, &targets, &start, &settings, from, go_on));
        let Track { samples, values, status, .. } = track.map_err(|error| library(&error))?;
        signals.check()?;
        let n = samples.len();
        let (ended_at, reason, joints) = match status {
            TrackStatus::Completed => (None, None, Vec::new()),
            TrackStatus::Ended { path_time, reason, .. } => {
                let (word, joints) = words(&reason);
                (Some(path_time), Some(word), joints)
            }
            _ => (None, Some("other"), Vec::new()),
        };
        let joints: Vec<&str> = joints.into_iter().map(|joint| skeleton.name(joint)).collect();
        // The index of the target at a sample, -1 between targets.
        let at =
            |target: Option<usize>| target.map_or(-1, |index| i64::try_from(index).unwrap_or(-1));
        let indices: Vec<i64> = samples.iter().map(|sample| at(sample.target)).collect();
        let errors = samples.iter().flat_map(|sample| [sample.distance, sample.angle]).collect();
        let times = |of: fn(&TrackSample) -> f64| samples.iter().map(of).collect::<Vec<_>>();
        let fields = (
            times(|sample| sample.time).into_pyarray(py),
            shaped(py, values, &[n, n_values])?,
            times(|sample| sample.path_time).into_pyarray(py),
            indices.into_pyarray(py),
            shaped(py, errors, &[n, 2])?,
            ended_at,
            reason,
            joints,
        );
        record(py, "Track", &CLASS, fields)
    }
}

/// Why a track ends, and the joints that are then at their limits.
fn words(reason: &TrackEnd) -> (&'static str, Vec<usize>) {
    match reason {
        TrackEnd::Limits(joints) => ("limits", joints.clone()),
        TrackEnd::Singularity => ("singularity", Vec::new()),
        _ => ("reach", Vec::new()),
    }
}

/// A reachability map.
///
/// - `ball`: its centre and radius, if they are given
#[expect(clippy::too_many_arguments, reason = "Python's keywords")]
pub(crate) fn map<'py>(
    py: Python<'py>,
    arm: &Arm,
    size: f64,
    n_orientations: u32,
    ball: (Option<DVec3>, Option<f64>),
    start: &[f64],
    starts: Option<u32>,
    shard: (usize, usize),
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let (index, of) = shard;
    if index >= of {
        return Err(invalid(format!("shard is ({index}, {of}): the first must be less"), "shard"));
    }
    let center = ball.0.unwrap_or(arm.base().translation);
    let radius = ball.1.unwrap_or(arm.reach());
    let voxels = Voxels::around(center, radius, size).map_err(|error| library(&error))?;
    let mut settings = ArmSettings::default();
    settings.starts = starts.unwrap_or(settings.starts);
    let orientations = orientations(n_orientations);
    let pool = pool(py, threads)?;
    let centers: Vec<DVec3> = run_of(&voxels, index, of);
    let mut found = vec![Reachability::default(); centers.len()];
    let measured = cancellable(py, |is_cancelled| {
        pool.install(|| {
            centers.par_iter().zip(&mut found).try_for_each(|(center, found)| {
                if !is_cancelled.load(Ordering::Relaxed) {
                    *found = arm.reachability(*center, &orientations, start, &settings)?;
                }
                Ok(())
            })
        })
    })?;
    measured.map_err(|error: posekit::Error| library(&error))?;
    let n = centers.len();
    let points = centers.iter().flat_map(|center| center.to_array()).collect();
    let means = |of: fn(&Reachability) -> f64| found.iter().map(of).collect::<Vec<_>>();
    let fields = (
        shaped(py, points, &[n, 3])?,
        found.iter().map(|found| found.reached).collect::<Vec<u32>>().into_pyarray(py),
        means(|found| found.limit_margin).into_pyarray(py),
        means(|found| found.smallest_singular_value).into_pyarray(py),
        n_orientations,
        size,
    );
    record(py, "Map", &CLASS, fields)
}

/// The centres of run `index` of `of`: runs of consecutive voxels whose lengths differ by one at most.
fn run_of(voxels: &Voxels, index: usize, of: usize) -> Vec<DVec3> {
    if of == 1 {
        return voxels.centers().collect();
    }
    let n = voxels.centers().count();
    let border = |k: usize| n / of * k + k.min(n % of);
    voxels.centers().skip(border(index)).take(border(index + 1) - border(index)).collect()
}
