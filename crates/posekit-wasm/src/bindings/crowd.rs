//! The JavaScript API of crowds and of limbs.

use js_sys::Float32Array;
use posekit::limb::SoftReach;
use wasm_bindgen::prelude::*;

use super::Result;
use super::problem::Problem;
use crate::crowd::{Herd, LIMB_OUT, solve_limbs};
use crate::fault::wrong_length;

/// Many two-bone limbs, solved in closed form on positions.
#[wasm_bindgen]
pub struct Limbs {
    input: [Vec<f32>; 5],
    output: Vec<f32>,
}

#[wasm_bindgen]
impl Limbs {
    /// Buffers for `n` limbs.
    #[wasm_bindgen(constructor)]
    pub fn new(n: u32) -> Result<Self> {
        let mut output = Vec::new();
        let room = output.try_reserve_exact(n as usize * LIMB_OUT);
        room.map_err(|_| crate::Fault::new(format!("there is not enough memory for {n} limbs")))?;
        output.resize(n as usize * LIMB_OUT, 0.0);
        Ok(Self { input: Default::default(), output })
    }

    /// Solves all of them; returns the number of those that reached.
    ///
    /// - `starts`, `mids`, `ends`: the positions of the joints, 3 numbers for each limb; `targets`: the target positions of the ends
    /// - `poles`: points towards which the mid joints bend, or an empty array
    /// - `out`: the new mid and end of each limb, 6 numbers
    pub fn solve(
        &mut self,
        starts: &Float32Array,
        mids: &Float32Array,
        ends: &Float32Array,
        targets: &Float32Array,
        poles: &Float32Array,
        out: &Float32Array,
    ) -> Result<u32> {
        for (array, list) in [starts, mids, ends, targets, poles].into_iter().zip(&mut self.input) {
            read_f32(array, list);
        }
        let reached = solve_limbs(self.input.each_ref().map(Vec::as_slice), &mut self.output)?;
        write(&self.output, out)?;
        Ok(reached)
    }
}

/// Copies of one problem, each with its own target, which start from the result of the previous frame.
#[wasm_bindgen]
pub struct Crowd {
    herd: Herd,
    input: Vec<f32>,
    output: Vec<f32>,
}

#[wasm_bindgen]
impl Crowd {
    /// `n` copies of a problem of one task, solved by a method.
    #[wasm_bindgen(constructor)]
    pub fn new(
        problem: &Problem,
        n: u32,
        #[wasm_bindgen(unchecked_param_type = "MethodName")] method: &str,
        #[wasm_bindgen(unchecked_optional_param_type = "Settings | string | null")]
        settings: Option<String>,
    ) -> Result<Self> {
        let herd = Herd::new(&problem.own, n as usize, method, settings.as_deref())?;
        let [_, n_points] = herd.sizes();
        Ok(Self { herd, input: Vec::new(), output: vec![0.0; n_points] })
    }

    /// The number of values in the points of all copies.
    #[wasm_bindgen(getter, js_name = pointsLength)]
    #[must_use]
    pub fn points_length(&self) -> usize {
        self.output.len()
    }

    /// Solves every copy for its target, starting from its current pose; returns the number of those that reached.
    ///
    /// - `targets`: for each copy one number per dimension of the problem
    /// - `out`: the points of every copy, in the format of a solver
    pub fn solve(&mut self, targets: &Float32Array, out: &Float32Array) -> Result<u32> {
        read_f32(targets, &mut self.input);
        let reached = self.herd.solve(&self.input, &mut self.output)?;
        write(&self.output, out)?;
        Ok(reached)
    }
}

fn write(values: &[f32], out: &Float32Array) -> Result<()> {
    let room = out.length() as usize;
    if room != values.len() {
        return Err(wrong_length("out", values.len(), room).into());
    }
    out.copy_from(values);
    Ok(())
}

/// How far from the start of a limb soft reach lets its end go for a target at this distance: `distance` itself before the last part of the reach, less over it.
///
/// - `softness`: that part, as a ratio of the reach, 0 to 1
#[wasm_bindgen(js_name = softDistance)]
#[must_use]
pub fn soft_distance(softness: f64, distance: f64, reach: f64) -> f64 {
    SoftReach::Finite { ratio: softness }.distance(distance, reach, 0.0)
}

/// Copies the caller's numbers into a reusable buffer.
fn read_f32(array: &Float32Array, into: &mut Vec<f32>) {
    into.resize(array.length() as usize, 0.0);
    array.copy_to(into);
}
