//! Faults as Python's exceptions, which `posekit.errors` defines: all are `ValueError`s, whose attributes name what is wrong and where.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;

/// An exception of a certain class, with attributes.
fn raise(
    class: &'static str,
    message: String,
    attributes: impl FnOnce(&Bound<'_, PyDict>) -> PyResult<()>,
) -> PyErr {
    Python::attach(|py| {
        let made = || {
            let errors = errors(py)?;
            let keywords = PyDict::new(py);
            attributes(&keywords)?;
            errors.getattr(class)?.call((message,), Some(&keywords))
        };
        made().map_or_else(|error| error, PyErr::from_value)
    })
}

fn errors(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    static ERRORS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let module = ERRORS
        .get_or_try_init(py, || PyResult::Ok(py.import("posekit.errors")?.into_any().unbind()))?;
    Ok(module.bind(py))
}

/// An invalid input.
///
/// - `what`: the argument
pub(crate) fn invalid(message: impl Into<String>, what: &str) -> PyErr {
    raise("PosekitError", message.into(), |keywords| keywords.set_item("what", what))
}

/// The same, in a row of an argument.
pub(crate) fn invalid_at(message: impl Into<String>, what: &str, index: usize) -> PyErr {
    raise("PosekitError", message.into(), |keywords| {
        keywords.set_item("what", what)?;
        keywords.set_item("index", index)
    })
}

/// A fault of the library.
pub(crate) fn library(error: &posekit::Error) -> PyErr {
    let class = if error.is_unsuited() { "UnsuitedError" } else { "PosekitError" };
    raise(class, error.to_string(), |keywords| {
        keywords.set_item("what", error.what())?;
        keywords.set_item("index", error.index())?;
        keywords.set_item("joint", error.joint())
    })
}

/// What a call cannot do with this robot.
pub(crate) fn unsuited(message: &str) -> PyErr {
    raise("UnsuitedError", message.to_owned(), |_| Ok(()))
}

/// A fault of a file.
pub(crate) fn file(error: &posekit_io::Error) -> PyErr {
    let place = error.place().cloned().unwrap_or_default();
    raise("FileError", error.to_string(), |keywords| {
        keywords.set_item("subject", place.subject)?;
        if place.line > 0 {
            keywords.set_item("line", place.line)?;
            keywords.set_item("column", place.column)?;
            keywords.set_item("byte", place.byte)?;
        }
        Ok(())
    })
}

/// A fault of a motion.
pub(crate) fn motion(error: &posekit_motion::Error) -> PyErr {
    invalid(error.to_string(), "clip")
}

/// A fault of collision checking.
pub(crate) fn collision(error: &posekit_collision::Error) -> PyErr {
    invalid(error.to_string(), "margin")
}
