import { describe, expect, it } from "vitest";
import { feetOf, withBase, withLegs } from "./base.ts";
import type { FigureProblem } from "./files.ts";
import { companionOf, fileNamed, missingMeshes, shapesOf, srdfOf, type RobotDescription, type RobotShape } from "./robot.ts";
import type { ProblemInfo } from "./types.ts";

const bytes = new Uint8Array(3);
const files = new Map(["panda_description/meshes/visual/link0.dae", "panda_description/meshes/collision/link0.stl", "other/link0.dae", "r.srdf"].map((path) => [path, bytes]));

describe("the files of a robot", () => {
  it("are found by the end of their path, whatever packages and folders are called", () => {
    expect(fileNamed(files, "package://franka/meshes/visual/link0.dae")).toBe("panda_description/meshes/visual/link0.dae");
    expect(fileNamed(files, "../meshes/collision/LINK0.stl")).toBe("panda_description/meshes/collision/link0.stl");
    expect(fileNamed(files, "file:///other/link0.dae")).toBe("other/link0.dae");
    expect(fileNamed(files, "C:\\other\\link0.dae")).toBe("other/link0.dae");
    expect(fileNamed(files, "link1.dae")).toBeUndefined();
    expect(fileNamed(files, "")).toBeUndefined();
  });

  it("are counted, and those that are missing named once", () => {
    const shape = (file: string): RobotShape => ({ joint: 0, pose: [0, 0, 0, 0, 0, 0, 1], kind: "mesh", size: [1, 1, 1], file });
    const look: RobotDescription = { name: "r", visuals: [shape("a.stl"), shape("a.stl"), shape("link0.dae")], collisions: [shape("b.stl")], maxSpeeds: [], states: [], warnings: [] };
    expect(missingMeshes(look, files)).toEqual(["a.stl"]);
    expect(companionOf(files).size).toBe(12);
    expect(srdfOf(files)?.name).toBe("r.srdf");
  });

  it("may be missing: then it is drawn with what there is on half of its joints", () => {
    const shape = (joint: number, file?: string): RobotShape => ({ joint, pose: [0, 0, 0, 0, 0, 0, 1], kind: file === undefined ? "sphere" : "mesh", size: [1, 1, 1], ...(file === undefined ? {} : { file }) });
    const look: RobotDescription = { name: "r", visuals: [shape(0, "link0.dae"), shape(1, "a.stl")], collisions: [], maxSpeeds: [], states: [], warnings: [] };
    expect(shapesOf(look, "visuals", files)).toBe(look.visuals);
    // Two feet alone are no robot.
    const feet = { ...look, visuals: [shape(0, "a.stl"), shape(1, "b.stl"), shape(2, "c.stl"), shape(3), shape(3)], collisions: [shape(3)] };
    expect(shapesOf(feet, "visuals", files)).toEqual([]);
    expect(shapesOf(feet, "collisions", files)).toBe(feet.collisions);
    const simple = { ...feet, collisions: [shape(0), shape(1)] };
    expect(shapesOf(simple, "visuals", files)).toBe(simple.collisions);
    expect(shapesOf({ ...simple, visuals: [] }, "visuals", files)).toBe(simple.collisions);
  });
});

/** A trunk with so many legs of a hip and a foot. */
function legs(count: number, root: "fixed" | "free"): ProblemInfo {
  const n = 1 + 2 * count;
  const names = ["trunk", ...Array.from({ length: count }, (_, leg) => [`hip_${leg}`, `ankle_${leg}`]).flat()];
  const links = ["trunk", ...Array.from({ length: count }, (_, leg) => [`thigh_${leg}`, `foot_${leg}`]).flat()];
  const poses = new Float64Array(7 * n);
  for (let joint = 0; joint < n; joint += 1) poses.set([joint, 0, 0, 0, 0, 0, 1], 7 * joint);
  const parents = Int32Array.from({ length: n }, (_, joint) => (joint === 0 ? -1 : joint % 2 === 1 ? 0 : joint - 1));
  return { names, links, nJoints: n, parents, kinds: [root, ...Array.from({ length: n - 1 }, () => "revolute")], start: { poses } } as unknown as ProblemInfo;
}

describe("robots on legs", () => {
  const problem: FigureProblem = { schema: "posekit.figure/1", urdf: "r.urdf", tasks: [{ task: "position", name: "nose", frame: "trunk", target: [0, 0, 0] }] };

  it("stand on two feet with their soles, on four as on points", () => {
    expect(feetOf(legs(2, "fixed"))).toEqual([2, 4]);
    const two = withLegs(problem, legs(2, "fixed"));
    expect(two.root).toBe("free");
    expect(two.tasks).toEqual([2, 4].map((joint, leg) => ({ task: "pose", name: `foot_${leg}`, frame: { link: `foot_${leg}` }, target: [joint, 0, 0], orientation: [0, 0, 0, 1] })));
    expect(withLegs(problem, legs(4, "fixed")).tasks.map(({ task }) => task)).toEqual(["position", "position", "position", "position"]);
  });

  it("keep a floating base that their file has, and others stay as they are", () => {
    expect(withLegs(problem, legs(2, "free")).root).toBeUndefined();
    expect(withLegs(problem, legs(1, "fixed"))).toBe(problem);
  });

  it("hold their feet when their base is let float, once", () => {
    const info = legs(2, "fixed");
    const free = withBase(problem, info, info.start, true);
    expect(free.tasks.map(({ name }) => name)).toEqual(["nose", "foot_0", "foot_1"]);
    const fixed = withBase(free, info, info.start, false);
    expect([fixed.root, withBase(fixed, info, info.start, true).tasks.length]).toEqual([undefined, 3]);
  });
});
