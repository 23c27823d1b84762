//! NumPy arrays in and out.
//!
//! An array of float64 that is contiguous in C order is read in place. Any other array of real numbers is converted once, as `numpy.asarray` does. Results are new
//! arrays whose memory NumPy owns.

use numpy::{
    IntoPyArray as _, PyArray1, PyArrayDyn, PyArrayMethods as _, PyUntypedArrayMethods as _,
};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

use crate::fault::{invalid, invalid_at};

/// An array of numbers that is contiguous in C order.
pub(crate) struct Array<'py>(Bound<'py, PyArrayDyn<f64>>);

impl<'py> Array<'py> {
    /// Reads numbers of any shape.
    ///
    /// - `what`: the array's name in errors
    pub(crate) fn read(object: &Bound<'py, PyAny>, what: &'static str) -> PyResult<Self> {
        if let Ok(array) = object.cast::<PyArrayDyn<f64>>()
            && array.is_c_contiguous()
            && array.is_aligned()
        {
            return Ok(Self(array.clone()));
        }
        let array = numbers(object, what, "fiu", "real numbers")?;
        let array =
            numpy_module(object.py())?.call_method1("require", (array, "=f8", ("C", "A")))?;
        Ok(Self(array.cast_into()?))
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
            return Err(wrong_shape(what, array.shape(), &format!("({length},)")));
        }
        array.check_finite(what)?;
        Ok(array)
    }

    pub(crate) fn shape(&self) -> &[usize] {
        self.0.shape()
    }

    /// The numbers, in C order.
    #[expect(unsafe_code, reason = "NumPy's arrays can be written to by any Python code")]
    pub(crate) fn values(&self) -> &[f64] {
        // SAFETY: nothing writes to the array as long as no Python code runs, which needs the interpreter. It is attached to this thread for `'py`; what is read
        // without it, or across calls of Python code, is copied first.
        unsafe { self.0.as_slice() }.unwrap_or_default()
    }

    /// Refuses NaN and infinity, and names the first.
    pub(crate) fn check_finite(&self, what: &'static str) -> PyResult<()> {
        match self.values().iter().position(|value| !value.is_finite()) {
            Some(flat) => Err(not_finite(what, self.shape(), flat, self.values()[flat])),
            None => Ok(()),
        }
    }
}

/// The error for a number that is not finite.
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
fn shape_words(shape: &[usize]) -> String {
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

/// An object as an array whose numbers are of certain kinds, in NumPy's letters.
fn numbers<'py>(
    object: &Bound<'py, PyAny>,
    what: &'static str,
    kinds: &str,
    words: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let py = object.py();
    let numpy = numpy_module(py)?;
    let array = numpy.call_method1("asarray", (object,)).map_err(|error| {
        let message = format!("{what}: it is not an array of numbers ({})", error.value(py));
        invalid(message, what)
    })?;
    let dtype = array.getattr("dtype")?;
    let kind: String = dtype.getattr("kind")?.extract()?;
    if !kinds.contains(kind.as_str()) {
        let message = format!("{what}: its dtype is {dtype}, and must be one of {words}");
        return Err(invalid(message, what));
    }
    Ok(array)
}

/// Reads indices in one dimension.
///
/// - `below`: the number of things that they are indices of
pub(crate) fn indices(
    object: &Bound<'_, PyAny>,
    what: &'static str,
    length: usize,
    below: usize,
) -> PyResult<Vec<usize>> {
    let array = numbers(object, what, "iu", "whole numbers")?;
    let array = numpy_module(object.py())?.call_method1("require", (array, "=i8", ("C", "A")))?;
    let array = array.cast_into::<PyArrayDyn<i64>>()?;
    if array.shape() != [length] {
        return Err(wrong_shape(what, array.shape(), &format!("({length},)")));
    }
    let index = |(row, &value): (usize, &i64)| {
        let index = usize::try_from(value).ok().filter(|index| *index < below);
        let message = || format!("{what}[{row}] is {value}, and must be from 0 to {}", below - 1);
        index.ok_or_else(|| invalid_at(message(), what, row))
    };
    array.to_vec()?.iter().enumerate().map(index).collect()
}

/// The error for an array of another shape than it must have.
pub(crate) fn wrong_shape(what: &'static str, found: &[usize], wanted: &str) -> PyErr {
    let found = shape_words(found);
    invalid(format!("{what}: the shape is {found}, and must be {wanted}"), what)
}

fn numpy_module(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    static NUMPY: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let module =
        NUMPY.get_or_try_init(py, || PyResult::Ok(py.import("numpy")?.into_any().unbind()))?;
    Ok(module.bind(py))
}

/// A few numbers as an array of one dimension: copied, which is faster than sharing the memory of a `Vec`.
pub(crate) fn vector<'py>(py: Python<'py>, values: &[f64]) -> Bound<'py, PyArray1<f64>> {
    PyArray1::from_slice(py, values)
}

/// Numbers as an array of a shape, in C order.
pub(crate) fn shaped<'py>(
    py: Python<'py>,
    values: Vec<f64>,
    shape: &[usize],
) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
    values.into_pyarray(py).reshape(shape)
}
