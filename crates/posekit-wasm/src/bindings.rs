//! The JavaScript API.
#![expect(
    missing_debug_implementations,
    clippy::missing_errors_doc,
    reason = "exported to JavaScript only, where every fault is a PosekitError"
)]

#[cfg(feature = "robots")]
pub mod arm;
#[cfg(feature = "robots")]
pub mod cases;
#[cfg(feature = "solving")]
pub mod character;
#[cfg(feature = "solving")]
pub mod crowd;
#[cfg(feature = "motion")]
pub mod motion;
#[cfg(feature = "solving")]
pub mod problem;
#[cfg(feature = "robots")]
pub mod robot;
#[cfg(feature = "solving")]
pub mod solver;

use js_sys::{Float64Array, Reflect};
use wasm_bindgen::prelude::*;

use crate::fault::{Fault, wrong_length};

/// Result of an exported function.
type Result<T> = core::result::Result<T, JsValue>;

impl From<Fault> for JsValue {
    fn from(fault: Fault) -> Self {
        let error = js_sys::Error::new(&fault.message);
        error.set_name("PosekitError");
        if let Some(place) = fault.place {
            // Setting a field of a new error cannot fail.
            let set = |name: &str, value: Self| {
                let _ = Reflect::set(&error, &name.into(), &value);
            };
            set("subject", place.subject.into());
            if place.line > 0 {
                set("line", (place.line as f64).into());
                set("column", (place.column as f64).into());
            }
        }
        error.into()
    }
}

/// The version of the package.
#[wasm_bindgen]
#[must_use]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}

/// What is written as JSON, as an object.
fn object(value: &impl serde::Serialize) -> Result<JsValue> {
    let text = serde_json::to_string(value).map_err(|error| Fault::new(error.to_string()))?;
    js_sys::JSON::parse(&text)
}

/// Copies the caller's numbers into a reusable buffer.
fn read(array: &Float64Array, into: &mut Vec<f64>) {
    into.resize(array.length() as usize, 0.0);
    array.copy_to(into);
}

/// Writes numbers to the front of the caller's array; returns their number.
fn write(values: &[f64], out: &Float64Array) -> Result<u32> {
    let room = out.length() as usize;
    if room < values.len() {
        return Err(wrong_length("out", values.len(), room).into());
    }
    #[expect(clippy::cast_possible_truncation, reason = "an array's length fits")]
    let count = values.len() as u32;
    if room == values.len() {
        out.copy_from(values);
    } else {
        out.subarray(0, count).copy_from(values);
    }
    Ok(count)
}
