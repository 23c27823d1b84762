import { expect, test } from "vitest";
import { isSpace } from "./files.ts";
import { handlesOf, touchedBy } from "./handles.ts";
import { sceneDocument } from "./scenes/index.ts";
import type { ProblemInfo, RunResult, StudioDocument } from "./types.ts";
import { phaseWord, statusWords } from "./words.ts";

/** Four hinges on top of each other, each within a range. */
function armInfo(): ProblemInfo {
  const poses = Float64Array.from([0, 1, 2, 3].flatMap((height) => [0, 0, height, 0, 0, 0, 1]));
  const points = Float64Array.from([0, 1, 2, 3, 4].flatMap((height) => [0, 0, height]));
  return {
    kind: "space", dimension: 3, nJoints: 4, nValues: 4, names: ["bone0", "bone1", "bone2", "bone3"], kinds: Array(4).fill("revolute"),
    parents: Int32Array.of(-1, 0, 1, 2), valueOffsets: Uint32Array.of(0, 1, 2, 3), mimics: new Int32Array(4).fill(-1), limits: Array(4).fill({ kind: "range", min: -1, max: 1 }), reach: 4,
    start: { q: new Float64Array(4), poses, points }, tasks: [],
  } as unknown as ProblemInfo;
}

/** The scene with its first hinge within a range too. */
function limitedEverywhere(): StudioDocument {
  const document = sceneDocument("arm-ranges");
  const { problem } = document;
  if (!isSpace(problem)) throw new Error("the arm is a chain in space");
  return { ...document, problem: { ...problem, bones: problem.bones.map((bone) => ({ ...bone, limit: [-1, 1] })) } };
}

const ids = (selected: string | null) => {
  const info = armInfo();
  return handlesOf(limitedEverywhere(), info, info.start, touchedBy([selected])).map(({ id }) => id);
};

test("the limits of a joint come behind it, so that whoever goes from handle to handle comes by them", () => {
  expect(ids("joint:2")).toEqual(["target:0", "root", "joint:1", "joint:2", "limit:2:min", "limit:2:max", "joint:3"]);
  expect(ids("limit:2:max"), "they stay while one of them is selected").toEqual(ids("joint:2"));
});

test("the limits of the joint on the root are come by at the root", () => {
  expect(ids("root")).toEqual(["target:0", "root", "limit:0:min", "limit:0:max", "joint:1", "joint:2", "joint:3"]);
  expect(ids("limit:0:min")).toEqual(ids("root"));
});

test("a joint is called the same wherever it is spoken of", () => {
  const info = armInfo();
  const held = { done: true, status: "blocked", blocked: [1], q: Float64Array.of(0, 1, 0, 0), iterations: 3, trace: null } as unknown as RunResult;
  expect(statusWords(held, info).long).toBe("held back by joint 2 (limit 57.3°)");
  expect(phaseWord("joint", 1, info)).toBe("rotated joint 2");
  expect(handlesOf(sceneDocument("arm-ranges"), info, info.start, new Set()).find(({ id }) => id === "joint:1")?.label).toBe("Joint 2");
});
