import { expect, test } from "vitest";
import type { RunResult, TraceData } from "../../core/types.ts";
import { curves, FLOOR, refinedFrom } from "./curves.ts";

function run(id: string, iterations: number[], errors: number[]): RunResult {
  const trace = { n: iterations.length, iterations: Uint32Array.from(iterations), errors: Float64Array.from(errors), turns: new Float64Array(errors.length) } as Partial<TraceData>;
  return { id, trace } as RunResult;
}

test("the last half-step of an iteration is its error, and curves of different length share an axis", () => {
  const { x, y, runs } = curves([run("a", [0, 1, 1, 2], [1, 0.8, 0.5, 0]), run("b", [0, 1], [1, 0.1])]);
  expect(x).toEqual([0, 1, 2]);
  expect(y).toEqual([[1, 0.5, FLOOR], [1, 0.1, null]]);
  expect(runs.map(({ id }) => id)).toEqual(["a", "b"]);
});

test("iterations that were left out keep the error before them", () => {
  expect(curves([run("a", [0, 3], [1, 0.2])]).y).toEqual([[1, 1, 1, 0.2]]);
});

test("nothing solved, nothing drawn", () => {
  expect(curves([])).toEqual({ unit: "metres", x: [], y: [], runs: [] });
  expect(curves([{ id: "a", trace: null } as RunResult]).x).toEqual([]);
});

test("where turns must hold too, the worse of both counts, in tolerances", () => {
  const result = run("a", [0, 1, 2], [2e-6, 1e-9, 0]);
  result.trace?.turns.set([0.5e-3, 4e-3, 0]);
  const { unit, y } = curves([{ ...result, tolerance: 1e-6, orientationTolerance: 1e-3 }]);
  expect(unit).toBe("tolerances");
  expect(y[0]?.map((value) => value?.toPrecision(3))).toEqual(["2.00", "4.00", "1.00e-9"]);
});

test("iterations that only refine are told from those that were needed", () => {
  const { trace } = run("a", [0, 1, 2, 3], [1, 0.1, 0.1, 0.1]);
  if (trace) trace.phases = Uint8Array.of(0, 0, 7, 7);
  expect(refinedFrom({ trace })).toBe(1);
  if (trace) trace.phases = new Uint8Array(4);
  expect(refinedFrom({ trace })).toBeNull();
});
