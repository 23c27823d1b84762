//! The JavaScript API of solvers.

use std::rc::Rc;

use js_sys::Float64Array;
use posekit::solve::Status;
use posekit_io::problem::Problem as Read;
use wasm_bindgen::prelude::*;

use super::{Result, read, write};
use crate::fault::Fault;
use crate::session::Session;

/// Types of texts and of JSON, beside those that `src/types.rs` writes. `npm/src/checks.ts` takes objects where JSON is asked for.
#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
import type { ChainProblem, FigureProblem, MethodName, ProblemTask, RobotDescription, RootMode, Status } from "posekit";

/** What a problem is made of: a chain in the plane or in space, a chain of points, or a figure. */
export type ProblemKind = "plane" | "space" | "points" | "figure";

/** The content of a problem's file. */
export type ProblemFile = ChainProblem | FigureProblem;

/** A number for each joint, from the first on, or by the names of joints. */
export type PerJoint = readonly number[] | Readonly<Record<string, number>>;

/** Settings of a solve, as in the library: each may be left out. A tolerance of null is chosen by the size of the problem. */
export interface Settings {
    tolerance?: number | null;
    orientation_tolerance?: number | null;
    iterations?: number;
    classic?: boolean;
    trace?: "off" | "iterations" | "half-steps";
    ccd?: { weights?: PerJoint };
    relaxation?: { weights?: PerJoint; passes?: number; reading?: "angles" | "remeasured" | "stretched" };
    least_squares?: { stiffness?: PerJoint; largest_change?: PerJoint; regularisation?: number; least_change?: boolean; restarts?: number };
    locked?: readonly (number | string)[];
    root?: RootMode;
}
"#;

/// A solver of one problem. Every buffer is reused: after the first solve of a problem nothing is allocated.
#[wasm_bindgen]
pub struct Solver {
    session: Session,
    input: Vec<f64>,
    output: Vec<f64>,
}

impl Solver {
    pub(super) fn new(problem: &Rc<Read>) -> Self {
        Self { session: Session::new(Rc::clone(problem)), input: Vec::new(), output: Vec::new() }
    }
}

#[wasm_bindgen]
impl Solver {
    /// Begins a solve with the current targets.
    ///
    /// - `method`: `auto`, `two-bone`, `arm`, `direct`, `ccd`, `fabrik`, `relaxation` or `least-squares`
    /// - `settings`: any of the library's settings, as an object or as JSON
    /// - `start`: joint values, or the points of a chain of points; by default those of the problem
    pub fn begin(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "MethodName")] method: &str,
        #[wasm_bindgen(unchecked_optional_param_type = "Settings | string | null")]
        settings: Option<String>,
        #[wasm_bindgen(unchecked_optional_param_type = "Float64Array | null")] start: Option<
            Float64Array,
        >,
    ) -> Result<()> {
        let start = start.map(|start| read(&start, &mut self.input));
        let start = start.map(|()| self.input.as_slice());
        Ok(self.session.begin(method, settings.as_deref(), start)?)
    }

    /// Begins a solve with the method and settings of the previous one, without allocating.
    pub fn restart(&mut self, start: Option<Float64Array>) -> Result<()> {
        let start = start.map(|start| read(&start, &mut self.input));
        let start = start.map(|()| self.input.as_slice());
        Ok(self.session.restart(start)?)
    }

    /// Moves a target; the solve continues towards it from the current pose, and the next one begins with it.
    ///
    /// - `task`: the index of the task; 0 for the tip of a chain of points
    /// - `target`: 2 or 3 numbers for a point or a direction, 4 for an orientation, 7 for a pose
    #[wasm_bindgen(js_name = setTarget)]
    pub fn set_target(&mut self, task: usize, target: &Float64Array) -> Result<()> {
        read(target, &mut self.input);
        Ok(self.session.set_target(task, &self.input)?)
    }

    /// Places every joint anew on its parent, for bones that an animation moves or stretches; `begin` or `restart` must follow. The problem is unchanged.
    ///
    /// - `placements`: 7 numbers for each joint: x, y, z, then the quaternion
    #[wasm_bindgen(js_name = setPlacements)]
    pub fn set_placements(&mut self, placements: &Float64Array) -> Result<()> {
        read(placements, &mut self.input);
        Ok(self.session.set_placements(&self.input)?)
    }

    /// Moves a frame of a task on its joint; `begin` or `restart` must follow.
    ///
    /// - `index`: 0, or 1 for the second frame of a task with two; of a pole 0 is the upper bone, 1 the tip, and 2 the middle joint in the upper bone
    /// - `frame`: 3 numbers for a point, 4 for an orientation, 7 for a pose
    #[wasm_bindgen(js_name = setFrame)]
    pub fn set_frame(&mut self, task: usize, index: usize, frame: &Float64Array) -> Result<()> {
        read(frame, &mut self.input);
        Ok(self.session.set_frame(task, index, &self.input)?)
    }

    /// Runs at most `n` iterations; true when the solve is over.
    pub fn step(&mut self, n: u32) -> Result<bool> {
        Ok(self.session.step(n)?)
    }

    /// Runs to the end.
    pub fn run(&mut self) -> Result<()> {
        Ok(self.session.run()?)
    }

    /// `reached`, `unreachable`, `blocked`, `stalled`, `iteration-limit` or `cancelled`.
    #[wasm_bindgen(getter, unchecked_return_type = "Status")]
    pub fn status(&mut self) -> Result<String> {
        Ok(self.session.solution()?.status.word().to_owned())
    }

    /// True when every task is within its tolerance.
    #[wasm_bindgen(getter, js_name = isReached)]
    pub fn is_reached(&mut self) -> Result<bool> {
        Ok(self.session.solution()?.is_reached())
    }

    /// By how much the target is out of reach; 0 unless that is proven.
    #[wasm_bindgen(getter)]
    pub fn shortfall(&mut self) -> Result<f64> {
        Ok(match self.session.solution()?.status {
            Status::Unreachable { shortfall } => shortfall,
            _ => 0.0,
        })
    }

    /// Iterations run.
    #[wasm_bindgen(getter)]
    pub fn iterations(&mut self) -> Result<u32> {
        Ok(self.session.solution()?.iterations)
    }

    /// Largest distance by which a task of level 1 is missed.
    #[wasm_bindgen(getter)]
    pub fn error(&mut self) -> Result<f64> {
        Ok(self.session.solution()?.error)
    }

    /// Largest angle by which one is missed, in radians.
    #[wasm_bindgen(getter, js_name = orientationError)]
    pub fn orientation_error(&mut self) -> Result<f64> {
        Ok(self.session.solution()?.orientation_error)
    }

    /// The distance that counts as reached.
    #[wasm_bindgen(getter)]
    pub fn tolerance(&mut self) -> Result<f64> {
        Ok(self.session.solution()?.tolerance)
    }

    /// The tolerance of orientations, in radians.
    #[wasm_bindgen(getter, js_name = orientationTolerance)]
    pub fn orientation_tolerance(&self) -> f64 {
        self.session.settings().angle_tolerance()
    }

    /// The method that runs; never `auto`.
    #[wasm_bindgen(getter, unchecked_return_type = "MethodName")]
    pub fn method(&mut self) -> Result<String> {
        Ok(self.session.solution()?.choice.method.name().to_owned())
    }

    /// Why that method was chosen.
    #[wasm_bindgen(getter)]
    pub fn reason(&mut self) -> Result<String> {
        Ok(self.session.solution()?.choice.reason.to_owned())
    }

    /// The iteration of the escape from a lock-up; 0 for none.
    #[wasm_bindgen(getter, js_name = escapedAt)]
    pub fn escaped_at(&mut self) -> Result<u32> {
        Ok(self.session.rescues()?[0])
    }

    /// The method that took over at the escape or the acceleration; empty for none.
    #[wasm_bindgen(getter, js_name = escapedBy)]
    pub fn escaped_by(&mut self) -> Result<String> {
        let by = self.session.solution()?.escaped_by;
        Ok(by.map(|method| method.name().to_owned()).unwrap_or_default())
    }

    /// The iteration in which slow convergence was accelerated; 0 for none.
    #[wasm_bindgen(getter, js_name = acceleratedAt)]
    pub fn accelerated_at(&mut self) -> Result<u32> {
        Ok(self.session.rescues()?[1])
    }

    /// The joints whose limits hold the effectors back.
    pub fn blocked(&mut self) -> Result<Vec<u32>> {
        #[expect(clippy::cast_possible_truncation, reason = "readers cap the joints far below")]
        Ok(match &self.session.solution()?.status {
            Status::Blocked { joints } => joints.iter().map(|&joint| joint as u32).collect(),
            _ => Vec::new(),
        })
    }

    /// The error of each task: distance and angle, one task after the other; empty for a chain of points.
    pub fn misses(&mut self) -> Result<Float64Array> {
        self.output.clear();
        let misses = &self.session.solution()?.misses;
        self.output.extend(misses.iter().flat_map(|miss| [miss.distance, miss.angle]));
        Ok(Float64Array::new_from_slice(&self.output))
    }

    /// The limits and largest changes that hold the effectors back, one after the other: the joint, and its relief, by how much the misses would shrink for each unit by which it is relaxed.
    /// The field `by` in the solution's file distinguishes the two.
    pub fn holds(&mut self) -> Result<Float64Array> {
        self.output.clear();
        let holds = &self.session.solution()?.holds;
        self.output.extend(holds.iter().flat_map(|hold| [hold.joint as f64, hold.relief]));
        Ok(Float64Array::new_from_slice(&self.output))
    }

    /// Writes the joint values of the best pose so far: `nValues` numbers.
    pub fn configuration(&mut self, out: &Float64Array) -> Result<()> {
        write(&self.session.solution()?.configuration, out).map(|_| ())
    }

    /// Writes the poses of all joints, 7 numbers each.
    pub fn poses(&mut self, out: &Float64Array) -> Result<()> {
        write(self.session.poses()?, out).map(|_| ())
    }

    /// Writes the points: for a chain its moving joints and its tip, for a figure the origins of all joints. Returns their number.
    pub fn points(&mut self, out: &Float64Array) -> Result<u32> {
        write(self.session.points()?, out)
    }

    /// Number of steps in the trace, if the setting `trace` enables it.
    #[wasm_bindgen(getter, js_name = traceLength)]
    pub fn trace_length(&mut self) -> Result<usize> {
        Ok(self.session.trace_len()?)
    }

    /// Writes a step of the trace, 4 numbers: iteration; phase (0 iteration, 1 joint, 2 backward, 3 forward, 4 pass, 5 escape, 6 acceleration, 7 refinement, 8 bone);
    /// joint or pass, -1 for none; error.
    #[wasm_bindgen(js_name = traceHeader)]
    pub fn trace_header(&mut self, step: usize, out: &Float64Array) -> Result<()> {
        write(&self.session.trace_header(step)?, out).map(|_| ())
    }

    /// The largest orientation error after a step, in radians.
    #[wasm_bindgen(js_name = traceTurn)]
    pub fn trace_turn(&mut self, step: usize) -> Result<f64> {
        Ok(self.session.trace_turn(step)?)
    }

    /// Writes the points after a step; returns their number.
    #[wasm_bindgen(js_name = tracePoints)]
    pub fn trace_points(&mut self, step: usize, out: &Float64Array) -> Result<u32> {
        write(self.session.trace_points(step)?, out)
    }

    /// Writes the joint values after a step; returns their number.
    #[wasm_bindgen(js_name = traceConfiguration)]
    pub fn trace_configuration(&mut self, step: usize, out: &Float64Array) -> Result<u32> {
        write(self.session.trace_configuration(step)?, out)
    }

    /// The solution as the text of a `posekit.solution/1` file, the same bytes as the command's.
    #[wasm_bindgen(js_name = solutionJson)]
    pub fn solution_json(&mut self, trace: bool) -> Result<String> {
        Ok(self.session.solution_json(trace)?)
    }
}

// A fault becomes a JavaScript error where it leaves the module.
const _: fn(Fault) -> JsValue = |fault| fault.into();
