//! A solver's trace, copied out of the library in flat arrays.

import type { Problem, Solver } from "posekit";
import { HALF_STEPS, PHASES, type PhaseName, type PoseData, type TraceData } from "../core/types.ts";
import { inSpace } from "./describe.ts";

/** Phases that end an iteration or stand for a whole rescue; the others are half-steps. */
const isWhole = (phase: number) => !HALF_STEPS.includes(PHASES[phase] ?? "iteration");
/** Phases that say which joint, pass or bone. */
const NUMBERED: readonly PhaseName[] = ["joint", "pass", "bone"];

/** What stands before the first step. */
export interface Start extends PoseData {
  error: number;
  turn: number;
}

/** What a solve returned. */
export interface End extends Start {
  iterations: number;
}

interface Header {
  step: number;
  iteration: number;
  phase: number;
  of: number;
  error: number;
  turn: number;
}

/** `bones`: the joint at which the bone that ends at a point begins. */
function headers(solver: Solver, bones: (end: number) => number): Header[] {
  const out = new Float64Array(4);
  return Array.from({ length: solver.traceLength }, (_, step) => {
    solver.traceHeader(step, out);
    const [iteration = 0, phase = 0, of = -1, error = 0] = out;
    const name = PHASES[phase] ?? "iteration";
    return { step, iteration, phase, of: NUMBERED.includes(name) ? (name === "bone" ? bones(of) : of) : -1, error, turn: solver.traceTurn(step) };
  });
}

function frame(steps: Header[], start: Start, sizes: [number, number, number], thinned: boolean): TraceData {
  const n = steps.length + 1;
  const [nValues, nJoints, nPoints] = sizes;
  const trace: TraceData = {
    n, nValues, nJoints, nPoints, thinned,
    iterations: new Uint32Array(n),
    phases: new Uint8Array(n),
    joints: new Int32Array(n).fill(-1),
    errors: new Float64Array(n),
    turns: new Float64Array(n),
    configurations: new Float64Array(n * nValues),
    poses: new Float64Array(n * 7 * nJoints),
    points: new Float64Array(n * 3 * nPoints),
  };
  trace.errors[0] = start.error;
  trace.turns[0] = start.turn;
  steps.forEach(({ iteration, phase, of, error, turn }, index) => {
    trace.iterations[index + 1] = iteration;
    trace.phases[index + 1] = phase;
    trace.joints[index + 1] = of;
    trace.errors[index + 1] = error;
    trace.turns[index + 1] = turn;
  });
  return trace;
}

/** Iterations and errors only. */
export function lightTrace(solver: Solver, start: Start): TraceData {
  return frame(headers(solver, () => -1), start, [0, 0, 0], false);
}

/** The trace with what was returned as its last entry, where the last step ended elsewhere: in an attempt that was given up, or in points to which a pose is fitted. */
export function endingIn(trace: TraceData, end: End): TraceData {
  const last = trace.n - 1;
  const ends = [
    ["configurations", trace.nValues, end.q],
    ["poses", 7 * trace.nJoints, end.poses],
    ["points", 3 * trace.nPoints, end.points],
  ] as const;
  const isThere = trace.errors[last] === end.error && trace.turns[last] === end.turn && (trace.iterations[last] ?? 0) === end.iterations
    && ends.every(([name, size, values]) => isSame(trace[name].subarray(last * size), size === 0 ? [] : values));
  if (isThere) return trace;
  const longer: TraceData = {
    ...trace,
    n: trace.n + 1,
    iterations: Uint32Array.from([...trace.iterations, end.iterations]),
    phases: Uint8Array.from([...trace.phases, PHASES.indexOf("result")]),
    joints: Int32Array.from([...trace.joints, -1]),
    errors: Float64Array.from([...trace.errors, end.error]),
    turns: Float64Array.from([...trace.turns, end.turn]),
  };
  for (const [name, size, values] of ends) {
    longer[name] = new Float64Array(size * longer.n);
    longer[name].set(trace[name]);
    if (size > 0) longer[name].set(values, size * trace.n);
  }
  return longer;
}

function isSame(a: ArrayLike<number>, b: ArrayLike<number>): boolean {
  return a.length === b.length && Array.from(a).every((value, index) => value === b[index]);
}

/** Everything, as far as `most` numbers go: half-steps are left out first, then whole iterations at even distances. */
export function fullTrace(problem: Problem, solver: Solver, start: Start, most: number): TraceData {
  const { nValues, nJoints, dimension } = problem;
  const nPoints = start.points.length / 3;
  const size = nValues + 7 * nJoints + 3 * nPoints;
  const parents = problem.parents();
  const all = headers(solver, (end) => (problem.kind === "figure" ? parents[end] ?? -1 : end - 1));
  const steps = thin(all, Math.max(16, Math.floor(most / size)));
  const trace = frame(steps, start, [nValues, nJoints, nPoints], steps.length < all.length);
  trace.configurations.set(start.q);
  trace.poses.set(start.poses);
  trace.points.set(start.points);
  const raw = new Float64Array(nPoints * dimension);
  steps.forEach(({ step }, index) => {
    const entry = index + 1;
    if (nJoints > 0) {
      const q = trace.configurations.subarray(entry * nValues, (entry + 1) * nValues);
      solver.traceConfiguration(step, q);
      problem.poses(q, trace.poses.subarray(entry * 7 * nJoints, (entry + 1) * 7 * nJoints));
    }
    solver.tracePoints(step, raw);
    trace.points.set(inSpace(raw, dimension), entry * 3 * nPoints);
  });
  return trace;
}

/**
 * A trace of half-steps whose whole iterations are those of a trace of iterations, bit for bit. A solver that is watched joint by joint works on joints
 * where it would work on points, which rounds differently in the last places.
 */
export function withIterations(halves: TraceData, iterations: TraceData): TraceData {
  const whole = Array.from({ length: halves.n }, (_, entry) => entry).filter((entry) => entry > 0 && isWhole(halves.phases[entry] ?? 0));
  const isSame = whole.length === iterations.n - 1 && whole.every((entry, index) => halves.iterations[entry] === iterations.iterations[index + 1] && halves.phases[entry] === iterations.phases[index + 1]);
  if (!isSame) return { ...iterations, thinned: true };
  for (const [index, entry] of whole.entries()) {
    const from = index + 1;
    halves.errors[entry] = iterations.errors[from] ?? 0;
    halves.turns[entry] = iterations.turns[from] ?? 0;
    for (const [name, size] of [["configurations", halves.nValues], ["poses", 7 * halves.nJoints], ["points", 3 * halves.nPoints]] as const) {
      halves[name].set(iterations[name].subarray(from * size, (from + 1) * size), entry * size);
    }
  }
  return halves;
}

function thin(steps: Header[], most: number): Header[] {
  if (steps.length <= most) return steps;
  const whole = steps.filter(({ phase }) => isWhole(phase));
  if (whole.length <= most) return whole;
  const every = Math.ceil(whole.length / most);
  return whole.filter((_, index) => (index + 1) % every === 0 || index === whole.length - 1);
}
