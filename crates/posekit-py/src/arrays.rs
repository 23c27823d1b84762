//! NumPy arrays in and out.
//!
//! An array of float64 that is contiguous in C order is read where it is. Any other of real numbers is converted once, as `numpy.asarray` does. What
//! comes out is a new array whose memory NumPy owns.

use numpy::{
    IntoPyArray as _, PyArray1, PyArrayDyn, PyArrayMethods as _, PyReadonlyArrayDyn,
    PyUntypedArrayMethods as _,
};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

use crate::fault::{invalid, invalid_at};

/// An array of numbers that is contiguous in C order.
pub(crate) struct Array<'py>(PyReadonlyArrayDyn<'py, f64>);

impl<'py> Array<'py> {
    /// Reads numbers of any shape.
    ///
    /// - `what`: what the array is called in errors
    pub(crate) fn read(object: &Bound<'py, PyAny>, what: &'static str) -> PyResult<Self> {
        if let Ok(array) = object.cast::<PyArrayDyn<f64>>()
            && array.is_c_contiguous()
            && array.is_aligned()
        {
            return Ok(Self(array.try_readonly().map_err(|error| refused(what, &error))?));
        }
        let array = converted(object, what)?;
        let array = array.cast_into::<PyArrayDyn<f64>>()?;
        Ok(Self(array.try_readonly().map_err(|error| refused(what, &error))?))
    }

    /// Reads finite numbers.
    pub(crate) fn finite(object: &Bound<'py, PyAny>, what: &'static str) -> PyResult<Self> {
        let array = Self::read(object, what)?;
        array.check_finite(what)?;
        Ok(array)
    }

    /// Reads finite numbers in one dimension of a certain length.
    pub(crate) fn vector(
        object: &Bound<'py, PyAny>,
        what: &'static str,
        length: usize,
    ) -> PyResult<Self> {
        let array = Self::read(object, what)?;
        if array.shape() != [length] {
            let found = shape_words(array.shape());
            return Err(invalid(
                format!("{what}: its shape is {found}, and must be ({length},)"),
                what,
            ));
        }
        array.check_finite(what)?;
        Ok(array)
    }

    pub(crate) fn shape(&self) -> &[usize] {
        self.0.shape()
    }

    pub(crate) fn values(&self) -> &[f64] {
        self.0.as_slice().unwrap_or_default()
    }

    /// Refuses NaN and infinity, and names the first.
    pub(crate) fn check_finite(&self, what: &'static str) -> PyResult<()> {
        match self.values().iter().position(|value| !value.is_finite()) {
            Some(flat) => Err(not_finite(what, self.shape(), flat, self.values()[flat])),
            None => Ok(()),
        }
    }
}

/// What is said of a number that is not finite.
pub(crate) fn not_finite(what: &'static str, shape: &[usize], flat: usize, value: f64) -> PyErr {
    let index = index_words(shape, flat);
    let value = if value.is_nan() {
        "nan"
    } else if value > 0.0 {
        "inf"
    } else {
        "-inf"
    };
    let row = flat / shape.iter().skip(1).product::<usize>().max(1);
    invalid_at(format!("{what}{index} is {value}"), what, row)
}

/// A shape as Python writes it.
pub(crate) fn shape_words(shape: &[usize]) -> String {
    let numbers: Vec<String> = shape.iter().map(ToString::to_string).collect();
    match numbers.as_slice() {
        [one] => format!("({one},)"),
        _ => format!("({})", numbers.join(", ")),
    }
}

/// An index as Python writes it.
fn index_words(shape: &[usize], flat: usize) -> String {
    let mut rest = flat;
    let mut indices: Vec<String> = shape
        .iter()
        .rev()
        .map(|&size| {
            let index = rest % size.max(1);
            rest /= size.max(1);
            index.to_string()
        })
        .collect();
    indices.reverse();
    if indices.is_empty() { String::new() } else { format!("[{}]", indices.join(", ")) }
}

/// An object as a contiguous array of float64; complex numbers, texts, truth values and objects are refused.
fn converted<'py>(object: &Bound<'py, PyAny>, what: &'static str) -> PyResult<Bound<'py, PyAny>> {
    let py = object.py();
    let numpy = numpy_module(py)?;
    let array = numpy.call_method1("asarray", (object,)).map_err(|error| {
        let message = format!("{what}: it is no array of numbers ({})", error.value(py));
        invalid(message, what)
    })?;
    let dtype = array.getattr("dtype")?;
    let kind: String = dtype.getattr("kind")?.extract()?;
    if !matches!(kind.as_str(), "f" | "i" | "u") {
        let message = format!("{what}: its dtype is {dtype}, and must be one of real numbers");
        return Err(invalid(message, what));
    }
    numpy.call_method1("require", (array, "=f8", ("C", "A")))
}

fn numpy_module(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    static NUMPY: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let module =
        NUMPY.get_or_try_init(py, || PyResult::Ok(py.import("numpy")?.into_any().unbind()))?;
    Ok(module.bind(py))
}

fn refused(what: &'static str, error: &dyn core::fmt::Display) -> PyErr {
    invalid(format!("{what}: {error}"), what)
}

/// Numbers as an array of one dimension.
pub(crate) fn vector<'py>(py: Python<'py>, values: Vec<f64>) -> Bound<'py, PyArray1<f64>> {
    values.into_pyarray(py)
}

/// Numbers as an array of a shape, in C order.
pub(crate) fn shaped<'py>(
    py: Python<'py>,
    values: Vec<f64>,
    shape: &[usize],
) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
    values.into_pyarray(py).reshape(shape)
}
