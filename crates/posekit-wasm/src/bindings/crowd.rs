//! Crowds, as JavaScript sees them.

use js_sys::Float32Array;
use wasm_bindgen::prelude::*;

use super::problem::Problem;
use super::{Result, read_f32};
use crate::crowd::{Herd, LIMB_OUT, solve_limbs};
use crate::session::wrong_length;

/// Many limbs of two bones, solved in closed form by their positions.
#[wasm_bindgen]
pub struct Limbs {
    input: [Vec<f32>; 5],
    output: Vec<f32>,
}

#[wasm_bindgen]
impl Limbs {
    /// Room for `n` limbs.
    #[wasm_bindgen(constructor)]
    pub fn new(n: u32) -> Result<Self> {
        let mut output = Vec::new();
        let room = output.try_reserve_exact(n as usize * LIMB_OUT);
        room.map_err(|_| crate::Fault::new(format!("there is no memory for {n} limbs")))?;
        output.resize(n as usize * LIMB_OUT, 0.0);
        Ok(Self { input: Default::default(), output })
    }

    /// Solves all of them; returns how many have reached.
    ///
    /// - `starts`, `mids`, `ends`: where the joints stand, 3 numbers a limb; `targets`: where the ends must go
    /// - `poles`: points that the mid joints point towards, or an empty array
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

/// Copies of one problem, each with a target of its own, which start from where they stood the frame before.
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
    pub fn new(problem: &Problem, n: u32, method: &str, settings: Option<String>) -> Result<Self> {
        let herd = Herd::new(&problem.own, n as usize, method, settings.as_deref())?;
        let [_, n_points] = herd.sizes();
        Ok(Self { herd, input: Vec::new(), output: vec![0.0; n_points] })
    }

    /// Numbers that the points of all copies are.
    #[wasm_bindgen(getter, js_name = pointsLength)]
    #[must_use]
    pub fn points_length(&self) -> usize {
        self.output.len()
    }

    /// Solves every copy for its target, from where it stands; returns how many have reached.
    ///
    /// - `targets`: as many numbers a copy as the problem has dimensions
    /// - `out`: the points of every copy, as a solver's
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
