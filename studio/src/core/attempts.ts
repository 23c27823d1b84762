//! The part of a trace that led to the solution: a solver that is stuck tries again from other poses, and discards most of those attempts.

import { phaseAt } from "./shown.ts";
import type { TraceData } from "./types.ts";

/** Entries of the attempt that was kept and of the refinement after it, oldest first; `points` are those of the solution, as many as an entry has. */
export function keptEntries(trace: TraceData, points: Float64Array): number[] {
  const refinement = refinementFrom(trace);
  const end = Math.min(refinement, stepsOf(trace));
  const answer = refinement < trace.n ? pointsAt(trace, refinement) : points;
  const attempts = attemptsOf(trace, end);
  const distances = attempts.map((entries) => Math.min(...entries.map((entry) => distance(pointsAt(trace, entry), answer))));
  // Two attempts can end in the same pose: the solver keeps the first.
  const kept = distances.indexOf(Math.min(...distances));
  return [...withApproach(trace, attempts, kept), ...range(end, trace.n)];
}

/** The first entry of the refinement at the end; the trace's length if there is none. */
export function refinementFrom(trace: TraceData): number {
  const end = stepsOf(trace);
  let first = end;
  while (first > 1 && phaseAt(trace, first - 1) === "refinement") first -= 1;
  return first === end ? trace.n : first;
}

/** Entries without that of the pose returned. */
function stepsOf(trace: TraceData): number {
  return phaseAt(trace, trace.n - 1) === "result" ? trace.n - 1 : trace.n;
}

/** Each change of method begins an attempt; the first attempt begins at the start. */
function attemptsOf(trace: TraceData, end: number): number[][] {
  const attempts: number[][] = [];
  for (const entry of range(0, end)) {
    const current = attempts.at(-1);
    if (current === undefined || isNewAttempt(trace, entry)) attempts.push([entry]);
    else current.push(entry);
  }
  return attempts;
}

/** An acceleration continues from the pose of the attempt before it, which therefore belongs to it. */
function withApproach(trace: TraceData, attempts: number[][], kept: number): number[] {
  const entries = attempts[kept] ?? [];
  const before = attempts[kept - 1]?.[0];
  const isAcceleration = entries[0] !== undefined && phaseAt(trace, entries[0]) === "acceleration";
  return isAcceleration && before !== undefined && !isNewAttempt(trace, before) ? [...(attempts[kept - 1] ?? []), ...entries] : entries;
}

function isNewAttempt(trace: TraceData, entry: number): boolean {
  const phase = phaseAt(trace, entry);
  return entry > 0 && (phase === "escape" || phase === "acceleration");
}

function pointsAt({ points, nPoints }: TraceData, entry: number): Float64Array {
  return points.subarray(3 * nPoints * entry, 3 * nPoints * (entry + 1));
}

function distance(a: Float64Array, b: Float64Array): number {
  return a.reduce((sum, value, index) => sum + (value - (b[index] ?? 0)) ** 2, 0);
}

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index);
}
