//! From traces to curves: the error at the end of every iteration, of all runs on one axis.

import type { RunResult } from "../../core/types.ts";

/** Below this an error is rounding; a logarithmic axis needs an end. */
export const FLOOR = 1e-17;

export interface Curves {
  /** Iterations from 0, the start. */
  x: number[];
  /** One for each run that has a trace, as long as `x`; null where the run has ended. */
  y: (number | null)[][];
  /** The runs that the curves belong to. */
  runs: RunResult[];
}

/** The curves of all runs that have a trace. */
export function curves(results: RunResult[]): Curves {
  const runs = results.filter(({ trace }) => trace !== null && trace.n > 0);
  const ends = runs.map(errorsByIteration);
  const length = Math.max(0, ...ends.map((errors) => errors.length));
  return {
    x: Array.from({ length }, (_, iteration) => iteration),
    y: ends.map((errors) => Array.from({ length }, (_, iteration) => errors[iteration] ?? null)),
    runs,
  };
}

/** The last error that was recorded in each iteration; what was thinned out keeps the one before. */
function errorsByIteration({ trace }: RunResult): (number | null)[] {
  const errors: (number | null)[] = [];
  if (!trace) return errors;
  for (let entry = 0; entry < trace.n; entry += 1) {
    const iteration = trace.iterations[entry] ?? 0;
    while (errors.length < iteration) errors.push(errors.at(-1) ?? null);
    errors[iteration] = Math.max(FLOOR, trace.errors[entry] ?? FLOOR);
  }
  return errors;
}
