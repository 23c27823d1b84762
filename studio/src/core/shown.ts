//! What is drawn of each run: its end, or an entry of its trace.

import { HALF_STEPS, PHASES, type Cursor, type PhaseName, type PoseData, type RunResult, type RunSpec, type ShownRun, type TraceData } from "./types.ts";

export function poseAt(trace: TraceData, entry: number): PoseData {
  const { nValues, nJoints, nPoints } = trace;
  return {
    q: trace.configurations.subarray(entry * nValues, (entry + 1) * nValues),
    poses: trace.poses.subarray(entry * 7 * nJoints, (entry + 1) * 7 * nJoints),
    points: trace.points.subarray(entry * 3 * nPoints, (entry + 1) * 3 * nPoints),
  };
}

export function hasPoses(trace: TraceData | null): trace is TraceData {
  return trace !== null && trace.nPoints > 0;
}

export function phaseAt(trace: TraceData, entry: number): PhaseName {
  return PHASES[trace.phases[entry] ?? 0] ?? "iteration";
}

/** The last entry of an iteration, or of the last one before it. */
export function entryOfIteration(trace: TraceData, iteration: number): number {
  return Math.max(0, trace.iterations.findLastIndex((at) => at <= iteration));
}

/** A place in a trace that means the same in another trace of the same run: an iteration, and how many of its half-steps, where it is not the whole. */
export interface Place {
  at?: number;
  half?: number;
}

export function placeOf(trace: TraceData, entry: number): Place {
  const at = trace.iterations[entry] ?? 0;
  return entry === entryOfIteration(trace, at) ? { at } : { at, half: entry - entryOfIteration(trace, at - 1) };
}

export function entryOf(trace: TraceData, at: number, half: number | undefined): number {
  const end = entryOfIteration(trace, at);
  return half === undefined ? end : Math.min(end, entryOfIteration(trace, at - 1) + half);
}

/** What a program that stops at a place says of it, where it ends elsewhere; undefined where it ends there. */
export function remarkOnPlace(trace: TraceData | null, { at, half }: Place): string | undefined {
  if (!trace || at === undefined) return undefined;
  if (half !== undefined) return `The page shows step ${half} of iteration ${at}; this ends with the iteration before.`;
  const error = trace.errors[entryOfIteration(trace, at)] ?? 0;
  const isBest = trace.errors.every((other, entry) => other >= error || (trace.iterations[entry] ?? 0) >= at);
  return isBest ? undefined : `The page shows iteration ${at} itself; this ends with the best pose of all until then.`;
}

/** The entry behind a step of one iteration from here; a step forward from within one goes to its end. */
export function stepFrom(trace: TraceData, entry: number, direction: 1 | -1): number {
  const here = trace.iterations[entry] ?? 0;
  const isAtEnd = entryOfIteration(trace, here) === entry;
  // Iterations of a rescue may be counted without being recorded: the next is the next that is there.
  if (direction === 1) return entryOfIteration(trace, isAtEnd ? trace.iterations[entry + 1] ?? here : here);
  // From within an iteration back to its beginning, which is the end of the one before.
  return entryOfIteration(trace, here - 1);
}

export function cursorOf(trace: TraceData, entry: number): Cursor {
  return { entry, entries: trace.n, iteration: trace.iterations[entry] ?? 0, phase: phaseAt(trace, entry), joint: trace.joints[entry] ?? -1 };
}

export interface Moment {
  /** Entry of the main run's trace; null: the end. */
  entry: number | null;
  /** Iteration that is being pointed at, which goes before. */
  iteration: number | null;
}

export function shownRuns(runs: readonly RunSpec[], results: readonly RunResult[], { entry, iteration }: Moment): ShownRun[] {
  const main = results.find(({ id }) => id === runs[0]?.id);
  return runs.flatMap((run, index) => {
    const result = results.find(({ id }) => id === run.id);
    if (!result) return [];
    const at = entryFor(result.trace, main?.trace ?? null, index, { entry, iteration });
    const common = { id: run.id, index, method: result.method, visible: run.visible };
    return [at === null || !hasPoses(result.trace) ? { ...common, ...ending(result) } : { ...common, ...during(result.trace, at) }];
  });
}

/** The entry to show of a run: that of the main run, or in the others what belongs to the same iteration. */
function entryFor(trace: TraceData | null, main: TraceData | null, index: number, { entry, iteration }: Moment): number | null {
  if (!hasPoses(trace)) return null;
  if (iteration !== null) return entryOfIteration(trace, iteration);
  if (entry === null) return null;
  if (index === 0) return Math.min(entry, trace.n - 1);
  if (!hasPoses(main)) return null;
  return entry >= main.n - 1 ? trace.n - 1 : entryOfIteration(trace, main.iterations[entry] ?? 0);
}

type Rest = Omit<ShownRun, "id" | "index" | "method" | "visible">;

function ending(result: RunResult): Rest {
  const { q, poses, points, error, status, blocked, done } = result;
  return { q, poses, points, error, iteration: result.iterations, status: done ? status : null, blocked, phase: null, joint: null, before: null };
}

function during(trace: TraceData, entry: number): Rest {
  const phase = phaseAt(trace, entry);
  const isHalf = HALF_STEPS.includes(phase);
  const joint = trace.joints[entry] ?? -1;
  return {
    ...poseAt(trace, entry),
    error: trace.errors[entry] ?? 0,
    iteration: trace.iterations[entry] ?? 0,
    status: null,
    blocked: [],
    phase: entry === 0 ? null : phase,
    joint: (phase === "joint" || phase === "bone") && joint >= 0 ? joint : null,
    before: isHalf && entry > 0 ? poseAt(trace, entry - 1) : null,
  };
}
