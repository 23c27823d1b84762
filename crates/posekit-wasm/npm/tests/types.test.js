// The types, as a project has them that asks for nothing but the language, and as one with everything.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Problem } from "posekit";
import { repositoryText } from "./support.js";

const folder = fileURLToPath(new URL("../", import.meta.url));

/** Every setting that there is. */
const SETTINGS = `{
  "tolerance": 1e-6, "orientation_tolerance": null, "iterations": 20, "classic": true, "trace": "half-steps", "ccd": { "weights": [1, 0.5] },
  "relaxation": { "weights": { "hip": 2 }, "passes": 2, "reading": "stretched" }, "locked": ["hip", 1], "root": "pre-pulled",
  "least_squares": { "stiffness": [1], "largest_change": { "knee": 0.1 }, "regularisation": 0, "least_change": false, "restarts": 3 }
}`;
/** A task of every kind, on a robot. */
const TASKS = `[
  { "task": "position", "name": "a name", "frame": "hand", "target": [1, 2, 3], "weight": 0, "level": 254 },
  { "task": "orientation", "frame": { "link": "hand", "position": [0, 0, 1], "rotation": [0, 0.6, 0, 0.8] }, "orientation": [0, 0, 0, 1] },
  { "task": "pose", "frame": "hand", "target": [1, 2, 3], "along": ["z"] },
  { "task": "look-at", "frame": "hand", "axis": [1, 0, 0], "target": [1, 2, 3] },
  { "task": "axis-alignment", "frame": "hand", "axis": [1, 0, 0], "direction": [0, 0, 2] },
  { "task": "pole", "frames": ["slide", "hand"], "mid": [0, 0, 1], "target": [1, 2, 3] },
  { "task": "plane", "frame": "hand", "point": [0, 0, 0], "normal": [0, 0, 1], "one_sided": true },
  { "task": "distance", "frames": ["hand", "slide"], "distance": 0.5 },
  { "task": "distance", "frames": ["hand", "slide"], "min": 0.25, "max": 2 },
  { "task": "relative-pose", "frames": ["hand", "base"], "orientation": [0, 0, 0, 1], "about": ["x"] },
  { "task": "closure", "frames": ["hand", "slide"], "link": "hinge", "axes": [[0, 0, 1], [0, 1, 0]] },
  { "task": "center-of-mass", "target": [0, 0, 0] },
  { "task": "support", "corners": [[0, 0, 0], [1, 0, 0], [0, 1, 0]], "up": [0, 0, 1], "margin": 0.1 },
  { "task": "clearance", "capsules": [{ "joint": "hand", "ends": [[0, 0, 0], [1, 0, 0]], "radius": 0.1 }, { "ends": [[5, 5, 5]], "radius": 1 }] },
  { "task": "posture", "values": { "hand": 0.1 }, "cares": { "hand": 2 } }
]`;
const FIGURES = ["cart", "four-bar", "humanoid", "leg", "puppet"].map((name) => repositoryText(`testdata/figures/${name}.json`));
const CHAINS = ["plane-root-and-weights", "plane-limits", "points-space-weights", "space-cones", "space-hinges", "space-orientation"].map((name) => repositoryText(`testdata/cases/${name}.json`));
const USER = `
import init, { Problem, PosekitError, initSync } from "posekit";
import type { ChainProblem, FigureProblem, FigureTask, Settings, Status } from "posekit";
import { Arm, Problem as Robots } from "posekit/robots";
import initMotion, { Motion } from "posekit/motion";
import type { MotionFormat } from "posekit/motion";
import { Robot } from "posekit/urdf";
export const settings: Settings = ${SETTINGS};
export const tasks: FigureTask[] = ${TASKS};
export const figures: FigureProblem[] = [${FIGURES.join(",")}];
export const chains: ChainProblem[] = [${CHAINS.join(",")}];
// @ts-expect-error a pole has two frames
tasks.push({ task: "pole", frame: "hand", mid: [0, 0, 1], target: [1, 2, 3] });
// @ts-expect-error a skeleton has a source
figures.push({ schema: "posekit.figure/1", tasks });
export async function use(text: string): Promise<Status> {
  await init();
  const solver = Problem.fromJson(text).solver();
  const settings: Settings = { iterations: 20 };
  solver.begin("ccd", settings);
  // @ts-expect-error a method that there is not
  solver.begin("magic");
  // @ts-expect-error a setting of another type
  new Robot(text, { tip: "tool0", settings: { iterations: "many" } });
  if (initSync(new Uint8Array()) === undefined) throw new PosekitError("never");
  return solver.status;
}
export const family = (urdf: string): string => new Arm(Robots.fromUrdf(urdf), 0).family;
export async function clean(bytes: Uint8Array, format: MotionFormat): Promise<Uint8Array> {
  await initMotion();
  const motion = Motion.open(bytes, "walk.bvh", 0);
  motion.set({ strength: 0.5, floor: "level" }, null, new Float64Array(), new Float64Array());
  // @ts-expect-error no leg is on this side
  if (motion.info().legs[0]?.side === "top" || motion.report().plants.every(({ verdict }) => verdict === "clean")) return bytes;
  return motion.write(format);
}
`;

for (const [words, lib, types] of [["ES2022 alone", "ES2022", ""], ["ESNext, browsers and Node", "ESNext,DOM", "node"]]) {
  test(`the types compile with ${words}`, () => {
    // Beside the package's own dependencies, where a user's would be.
    const own = mkdtempSync(join(folder, "node_modules", ".user-"));
    try {
      writeFileSync(join(own, "user.mts"), USER);
      const options = ["--ignoreConfig", "--noEmit", "--strict", "--exactOptionalPropertyTypes", "--target", "ES2022", "--module", "NodeNext", "--lib", lib, "--types", types];
      const { stdout, stderr } = spawnSync("npx", ["tsc", ...options, join(own, "user.mts")], { cwd: folder, encoding: "utf8" });
      assert.equal(stdout + stderr, "");
    } finally {
      rmSync(own, { recursive: true });
    }
  });
}

test("what the types allow is read", () => {
  const solver = Problem.fromJson(repositoryText("testdata/figures/leg.json")).solver();
  solver.begin("auto", SETTINGS);
  solver.begin("auto", JSON.parse(SETTINGS));
  const robot = { schema: "posekit.figure/1", joints: ["base", "slide", "hand"].map((name, index, all) => ({ name, parent: all[index - 1] ?? null, kind: "prismatic", axis: [1, 0, 0] })) };
  // A link is a robot's: the joint stands for it here.
  const tasks = JSON.parse(TASKS.replace('"link": "hand"', '"joint": "hand"'));
  const bodies = [{ joint: "hand", center: [0, 0, 0], mass: 1 }];
  const problem = Problem.fromJson({ ...robot, bodies, tasks });
  assert.deepEqual(problem.tasks().map(({ task }) => task), tasks.map(({ task }) => task));
  assert.deepEqual(problem.tasks()[2].file, tasks[2]);
});
