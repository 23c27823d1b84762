//! From traces to curves: the error at the end of every iteration, of all runs on one axis.

import { refinementFrom } from "../../core/attempts.ts";
import type { RunResult, TraceData } from "../../core/types.ts";

/** Below this an error is rounding; a logarithmic axis needs an end. */
export const FLOOR = 1e-17;

/** The same where errors are counted in tolerances. */
const LEAST_SHARE = 1e-9;

export interface Curves {
  /** Metres; where turns must hold too, how many tolerances the worse of both is off. */
  unit: "metres" | "tolerances";
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
  // A turn that is off by rounding is no reason for another axis.
  const turns = runs.some(({ trace, orientationTolerance }) => trace?.turns.some((turn) => turn > orientationTolerance));
  const unit = turns ? "tolerances" : "metres";
  const ends = runs.map((run) => errorsByIteration(run, unit));
  const length = Math.max(0, ...ends.map((errors) => errors.length));
  return {
    unit,
    x: Array.from({ length }, (_, iteration) => iteration),
    y: ends.map((errors) => Array.from({ length }, (_, iteration) => errors[iteration] ?? null)),
    runs,
  };
}

/** The last error that was recorded in each iteration; what was thinned out keeps the one before. */
function errorsByIteration(run: RunResult, unit: Curves["unit"]): (number | null)[] {
  const { trace } = run;
  const errors: (number | null)[] = [];
  if (!trace) return errors;
  for (let entry = 0; entry < trace.n; entry += 1) {
    const iteration = trace.iterations[entry] ?? 0;
    while (errors.length < iteration) errors.push(errors.at(-1) ?? null);
    errors[iteration] = errorAt(run, trace, entry, unit);
  }
  return errors;
}

function errorAt({ tolerance, orientationTolerance }: RunResult, { errors, turns }: TraceData, entry: number, unit: Curves["unit"]): number {
  const [error, turn] = [errors[entry] ?? 0, turns[entry] ?? 0];
  if (unit === "metres") return Math.max(FLOOR, error);
  return Math.max(LEAST_SHARE, error / (tolerance || 1), turn / (orientationTolerance || 1));
}

/** The last iteration before a run made what holds a better pose; null where it did not. */
export function refinedFrom({ trace }: Pick<RunResult, "trace">): number | null {
  const first = trace === null ? 0 : refinementFrom(trace);
  return trace === null || first >= trace.n ? null : trace.iterations[first - 1] ?? null;
}
