//! The JavaScript API.
#![expect(
    missing_debug_implementations,
    clippy::missing_errors_doc,
    reason = "exported to JavaScript only, where every fault is a PosekitError"
)]

pub mod arm;
pub mod crowd;
pub mod motion;
pub mod problem;
pub mod robot;
pub mod solver;

use js_sys::{Float32Array, Float64Array, Reflect};
use posekit::limb::SoftReach;
use posekit_io::problem::Digest as CaseDigest;
use wasm_bindgen::prelude::*;

use crate::fault::Fault;
use crate::session::wrong_length;

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

/// Types of texts and of JSON. `npm/src/index.ts` takes objects where JSON is asked for.
#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
/** The methods of solvers. */
export type MethodName = "auto" | "two-bone" | "arm" | "direct" | "ccd" | "fabrik" | "relaxation" | "least-squares";

/** How a solve ended. */
export type Status = "reached" | "unreachable" | "blocked" | "stalled" | "iteration-limit" | "cancelled";

/** What a problem is made of: a chain in the plane or in space, a chain of points, or a figure. */
export type ProblemKind = "plane" | "space" | "points" | "figure";

/** Settings of a solve, as in the library: each may be left out. */
export interface Settings {
    tolerance?: number;
    orientation_tolerance?: number;
    iterations?: number;
    classic?: boolean;
    trace?: "none" | "steps" | "half-steps";
    ccd?: object;
    relaxation?: object;
    least_squares?: object;
    locked?: readonly (number | string)[];
    root?: "free" | "pinned" | "pre-pulled";
}

/** The formats in which a motion is written: that of its file, or another. */
export type MotionFormat = "same" | "bvh" | "glb";

/** How the change that a pose makes goes on to the next pose. */
export type Interpolation = "cubic" | "linear" | "step";

/** The motion of a file, or what has been made of it. */
export type MotionSide = "source" | "result";
"#;

/// The version of the package.
#[wasm_bindgen]
#[must_use]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}

/// A hash of the results of every solver on a table of cases: the same natively and here.
#[wasm_bindgen]
#[derive(Default)]
pub struct Digest {
    own: CaseDigest,
}

#[wasm_bindgen]
impl Digest {
    /// A hash of no results.
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Solves a case, the text of a `posekit.chain/1` file, with every applicable solver, and adds the results.
    pub fn add(&mut self, name: &str, text: &str) -> Result<()> {
        self.own.add(name, text).map_err(|error| Fault::from(error).into())
    }

    /// The digest of all results so far: 16 hexadecimal digits.
    pub fn value(&self) -> String {
        self.own.hexadecimal()
    }
}

/// How far from the start of a limb soft reach lets its end go for a target at this distance: `distance` itself before the last part of the reach, less over it.
///
/// - `softness`: that part, as a ratio of the reach, 0 to 1
#[wasm_bindgen(js_name = softDistance)]
#[must_use]
pub fn soft_distance(softness: f64, distance: f64, reach: f64) -> f64 {
    SoftReach::Finite { ratio: softness }.distance(distance, reach, 0.0)
}

/// The names of the cases that the text of an `index.json` lists.
#[wasm_bindgen(js_name = caseNames)]
pub fn case_names(index: &str) -> Result<Vec<String>> {
    posekit_io::problem::case_names(index).map_err(|error| Fault::from(error).into())
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

/// Copies the caller's numbers into a reusable buffer.
fn read_f32(array: &Float32Array, into: &mut Vec<f32>) {
    into.resize(array.length() as usize, 0.0);
    array.copy_to(into);
}
