//! Joints as Python has them.

use posekit::skeleton::{JointKind, Limit, Skeleton};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

use crate::results::record;

/// A joint that has values.
///
/// - `velocity`: its velocity limit \[rad/s, m/s\]
pub(crate) fn joint_record<'py>(
    py: Python<'py>,
    skeleton: &Skeleton,
    joint: usize,
    velocity: f64,
) -> PyResult<Bound<'py, PyAny>> {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let kind = match skeleton.kind(joint) {
        JointKind::Revolute { .. } => "revolute",
        JointKind::Prismatic { .. } => "prismatic",
        JointKind::Ball => "ball",
        JointKind::Free => "free",
        JointKind::Fixed => "fixed",
    };
    let (lower, upper) = match skeleton.limit(joint) {
        Limit::Range { min, max } => (min, max),
        _ => (f64::NEG_INFINITY, f64::INFINITY),
    };
    let values = skeleton.value_range(joint);
    let mimics = skeleton.mimic(joint).map(|mimic| skeleton.name(mimic.joint));
    let fields =
        (skeleton.name(joint), kind, values.start, values.len(), lower, upper, velocity, mimics);
    record(py, "Joint", &CLASS, fields)
}
