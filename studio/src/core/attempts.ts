//! Which part of a trace led to the answer: a solver that is stuck tries again from elsewhere, and most of that is thrown away.

import { phaseAt } from "./shown.ts";
import type { TraceData } from "./types.ts";

/** Entries of the attempt that was kept and of the refinement behind it, oldest first; `points` are those of the answer, as many as an entry has. */
export function keptEntries(trace: TraceData, points: Float64Array): number[] {
  const refinement = refinementFrom(trace);
  const answer = refinement < trace.n ? pointsAt(trace, refinement) : points;
  const attempts = attemptsOf(trace, refinement);
  const distances = attempts.map((entries) => Math.min(...entries.map((entry) => distance(pointsAt(trace, entry), answer))));
  // The same pose can be come by twice: the solver keeps the first of them.
  const kept = distances.indexOf(Math.min(...distances));
  return [...withApproach(trace, attempts, kept), ...range(refinement, trace.n)];
}

/** The entry with which the refinement at the end begins; the trace's length where there is none. */
export function refinementFrom(trace: TraceData): number {
  let first = trace.n;
  while (first > 1 && phaseAt(trace, first - 1) === "refinement") first -= 1;
  return first;
}

/** A rescue begins an attempt; the first attempt begins at the start. */
function attemptsOf(trace: TraceData, end: number): number[][] {
  const attempts: number[][] = [];
  for (const entry of range(0, end)) {
    const current = attempts.at(-1);
    if (current === undefined || isRescue(trace, entry)) attempts.push([entry]);
    else current.push(entry);
  }
  return attempts;
}

/** A short way goes on from where the method stood: what led there belongs to it. */
function withApproach(trace: TraceData, attempts: number[][], kept: number): number[] {
  const entries = attempts[kept] ?? [];
  const before = attempts[kept - 1]?.[0];
  const isShortWay = entries[0] !== undefined && phaseAt(trace, entries[0]) === "acceleration";
  return isShortWay && before !== undefined && !isRescue(trace, before) ? [...(attempts[kept - 1] ?? []), ...entries] : entries;
}

function isRescue(trace: TraceData, entry: number): boolean {
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
