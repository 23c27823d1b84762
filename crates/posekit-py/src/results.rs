//! Results as the named tuples of `posekit.results`.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyTuple, PyType};

/// A result.
///
/// - `name`: of its class
/// - `class`: where the class is kept
/// - `fields`: a tuple, in the order of the class
pub(crate) fn record<'py>(
    py: Python<'py>,
    name: &'static str,
    class: &'static PyOnceLock<Py<PyType>>,
    fields: impl IntoPyObject<'py, Target = PyTuple, Output = Bound<'py, PyTuple>, Error = PyErr>,
) -> PyResult<Bound<'py, PyAny>> {
    /// `tuple.__new__`. That of a named tuple is a function in Python that calls it, and takes as long as a step of a servo loop.
    static NEW: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let new = NEW.get_or_try_init(py, || {
        PyResult::Ok(py.get_type::<PyTuple>().getattr("__new__")?.unbind())
    })?;
    new.bind(py).call1((class.import(py, "posekit.results", name)?, fields.into_pyobject(py)?))
}
