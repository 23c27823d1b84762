import { describe, expect, it } from "vitest";
import { moveHandle, onlyTargetsDiffer, targetsOf } from "./edit.ts";
import { sceneDocument } from "./scenes/index.ts";
import { settingAt, SETTINGS, settingsFor, withSetting } from "./settings.ts";
import { stepFrom } from "./shown.ts";
import type { Handle, ProblemInfo, TraceData } from "./types.ts";

const handle = (change: Partial<Handle>): Handle => ({ id: "", kind: "target", label: "", position: [0, 0, 0], rotation: null, moves: "space", task: null, joint: null, limit: null, ...change });
const info = { names: ["a", "b"], parents: Int32Array.of(-1, 0) } as unknown as ProblemInfo;

describe("targets", () => {
  it("are moved without touching anything else", () => {
    for (const id of ["limb-2d", "arm-free", "arm7", "figure", "hand"] as const) {
      const document = sceneDocument(id);
      const { problem } = document;
      for (const { task } of targetsOf(problem)) {
        const { problem: moved } = moveHandle(document, info, handle({ task }), { position: [0.1, 0.2, 0.3], rotation: [0, 0, 1, 0] });
        expect(moved).not.toBe(problem);
        expect(onlyTargetsDiffer(problem, moved), id).toBe(true);
        const numbers = targetsOf(moved).find((one) => one.task === task)?.numbers ?? [];
        expect(numbers.slice(0, 2)).toEqual([0.1, 0.2]);
        expect(numbers.length === 7 ? numbers.slice(3) : [0, 0, 1, 0]).toEqual([0, 0, 1, 0]);
      }
    }
  });

  it("are not all that differs when a length, a limit, a start or a level does", () => {
    const limb = sceneDocument("limb-2d").problem;
    expect(onlyTargetsDiffer(limb, { ...limb, bones: [] } as typeof limb)).toBe(false);
    expect(onlyTargetsDiffer(limb, { ...limb, root: [1, 0] } as typeof limb)).toBe(false);
    const hand = sceneDocument("hand").problem;
    if (hand.schema !== "posekit.figure/1") throw new Error("a figure");
    expect(onlyTargetsDiffer(hand, { ...hand, tasks: hand.tasks.map((task) => ({ ...task, level: 2 })) })).toBe(false);
    expect(onlyTargetsDiffer(hand, { ...hand, start: {} })).toBe(false);
    expect(onlyTargetsDiffer(hand, limb)).toBe(false);
  });
});

it("keeps the ends of a range in order", () => {
  const { problem: moved } = moveHandle(sceneDocument("limb-2d"), info, handle({ kind: "limit", joint: 1, limit: { end: "min", value: 0 } }), { value: 9 });
  expect(moved).toMatchObject({ bones: [{}, { limit: [2.6179938779914944, 2.6179938779914944] }] });
});

describe("settings", () => {
  it("are changed and taken back by path", () => {
    const changed = withSetting(withSetting({}, "relaxation.passes", 4), "iterations", 12);
    expect(changed).toEqual({ relaxation: { passes: 4 }, iterations: 12 });
    expect(settingAt(changed, "relaxation.passes")).toBe(4);
    expect(withSetting(withSetting(changed, "relaxation.passes", null), "iterations", null)).toEqual({});
  });

  it("say something about each, and have defaults inside their ranges", () => {
    for (const spec of SETTINGS) {
      expect(spec.sentence.length, spec.path).toBeGreaterThan(30);
      expect(spec.methods.length, spec.path).toBeGreaterThan(0);
      if (typeof spec.default === "number" && spec.kind === "range") expect(spec.default).toBeLessThanOrEqual(spec.max);
    }
  });

  it("leave classic to the methods that have a published text", () => {
    expect(settingsFor("ccd", { classic: true })).toEqual({ classic: true });
    expect(settingsFor("least-squares", { classic: true, iterations: 3 })).toEqual({ iterations: 3 });
  });
});

it("steps from the middle of an iteration to its end, and back to its beginning", () => {
  const trace = { n: 8, iterations: Uint32Array.of(0, 1, 1, 1, 2, 2, 2, 3) } as TraceData;
  expect([0, 1, 2, 3, 4, 6, 7].map((entry) => stepFrom(trace, entry, 1))).toEqual([3, 3, 3, 6, 6, 7, 7]);
  expect([0, 1, 3, 5, 6, 7].map((entry) => stepFrom(trace, entry, -1))).toEqual([0, 0, 0, 3, 3, 6]);
});
