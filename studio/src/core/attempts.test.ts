import { expect, test } from "vitest";
import { keptEntries } from "./attempts.ts";
import { PHASES, type PhaseName, type TraceData } from "./types.ts";

/** One point at each of these places along x. */
function trace(entries: [PhaseName, number][]): TraceData {
  return {
    n: entries.length, nPoints: 1,
    phases: Uint8Array.from(entries, ([phase]) => PHASES.indexOf(phase)),
    points: Float64Array.from(entries.flatMap(([, x]) => [x, 0, 0])),
  } as Partial<TraceData> as TraceData;
}

const FIRST: [PhaseName, number][] = [["iteration", 5], ["iteration", 3], ["iteration", 2]];

test("attempts that were thrown away are left out", () => {
  expect(keptEntries(trace([...FIRST, ["escape", 9], ["escape", -7], ["iteration", -6]]), Float64Array.of(2, 0, 0))).toEqual([0, 1, 2]);
});

test("the attempt that was kept begins with its escape", () => {
  expect(keptEntries(trace([...FIRST, ["escape", 9], ["escape", 1], ["iteration", 0], ["escape", 8]]), Float64Array.of(0, 0, 0))).toEqual([4, 5]);
});

test("an acceleration continues from the attempt before it", () => {
  expect(keptEntries(trace([...FIRST, ["acceleration", 0]]), Float64Array.of(0, 0, 0))).toEqual([0, 1, 2, 3]);
});

test("what is refined is what was kept, wherever that was found", () => {
  expect(keptEntries(trace([...FIRST, ["escape", 9], ["refinement", 1.9], ["refinement", 1]]), Float64Array.of(1, 0, 0))).toEqual([0, 1, 2, 4, 5]);
});
