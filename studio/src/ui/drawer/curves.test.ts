import { expect, test } from "vitest";
import type { RunResult, TraceData } from "../../core/types.ts";
import { curves, FLOOR } from "./curves.ts";

function run(id: string, iterations: number[], errors: number[]): RunResult {
  const trace = { n: iterations.length, iterations: Uint32Array.from(iterations), errors: Float64Array.from(errors) } as Partial<TraceData>;
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
  expect(curves([])).toEqual({ x: [], y: [], runs: [] });
  expect(curves([{ id: "a", trace: null } as RunResult]).x).toEqual([]);
});
