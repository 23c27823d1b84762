// Whatever the arguments are, a call succeeds or throws a PosekitError, and the module works on.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Arm, Crowd, Limbs, PosekitError, Problem, describeRobot, poseGltf } from "posekit/robots";
import { Digest, caseNames } from "posekit/cases";
import { Motion } from "posekit/motion";
import { numbers, repositoryFile, repositoryText } from "./support.js";
import { readFileSync } from "node:fs";

const urdf = repositoryText("testdata/arm6.urdf");
const walk = readFileSync(repositoryFile("testdata/clips/walk.bvh"));
const target = Float64Array.of(0.4, -0.2, 0.3, 1, 0, 0, 0);

/** Objects of every class, at work. */
function objects() {
  const problem = Problem.fromUrdf(urdf, "tool0");
  const arm = new Arm(problem, 0);
  const solver = problem.solver();
  solver.begin("auto", { trace: "half-steps" });
  solver.run();
  const seven = Problem.fromUrdf(repositoryText("studio/src/core/scenes/arm7.urdf"));
  const own = new Arm(seven, 0);
  const out = new Float64Array(7);
  own.pose(Float64Array.of(0.1, 0.5, 0.2, -1, 0.3, 0.8, 0.1), out);
  return {
    Arm: arm,
    Crowd: new Crowd(problem, 2, "auto"),
    Digest: new Digest(),
    Limbs: new Limbs(2),
    Motion: Motion.open(walk, "walk.bvh", 0),
    Problem: problem,
    SelfMotion: own.selfMotion(out, Float64Array.of(0.1, 0.5, 0.2, -1, 0.3, 0.8, 0.1), 30),
    Solver: solver,
    Track: arm.track(Float64Array.of(0, 1), Float64Array.of(...target, ...target), problem.start()),
  };
}

const JUNK = [
  undefined, null, {}, [], [1, "2"], "", "ccd", "}", NaN, Infinity, -1, 0.5, 7, 1e9, 2 ** 53, true, 3n, Symbol("s"), () => 0, new Date(0), Buffer.from("junk"),
  new Float64Array(0), new Float64Array(7), new Float32Array(12), new Uint32Array([9e8]), Object.create(null), new Error("e"), new Proxy({}, {}),
];

/** Succeeds, or fails as it must. */
function attempt(name, call) {
  try {
    return call();
  } catch (error) {
    assert.ok(error instanceof PosekitError, `${name}: ${error?.stack ?? String(error)}`);
    assert.equal(error.name, "PosekitError");
    assert.ok(!(error.cause instanceof WebAssembly.RuntimeError), `${name} stopped the module: ${error.message}`);
    return undefined;
  }
}

const isOwn = (key) => !["constructor", "free", "__destroy_into_raw", "length", "name", "prototype", "__wrap"].includes(key) && typeof key === "string";

test("no argument of any method brings the module down", () => {
  const random = numbers(3);
  const any = () => JUNK[Math.floor(random() * JUNK.length)];
  for (const [name, object] of Object.entries(objects())) {
    const prototype = Object.getPrototypeOf(object);
    for (const key of Object.getOwnPropertyNames(prototype).filter(isOwn)) {
      const { get, value } = Object.getOwnPropertyDescriptor(prototype, key);
      attempt(`${name}.${key}`, () => object[key]);
      if (get || typeof value !== "function") continue;
      for (const junk of JUNK) attempt(`${name}.${key}`, () => object[key](...Array(8).fill(junk)));
      for (let round = 0; round < 30; round++) attempt(`${name}.${key}`, () => object[key](...Array.from({ length: 8 }, any)));
      attempt(`${name}.${key}`, () => Reflect.apply(value, {}, []));
    }
  }
});

test("no argument of any function or constructor does", () => {
  const random = numbers(5);
  const any = () => JUNK[Math.floor(random() * JUNK.length)];
  const { Problem: problem } = objects();
  const calls = { describeRobot, poseGltf, caseNames, "Motion.open": Motion.open, ...Object.fromEntries(["fromGltf", "fromJson", "fromJsonAndFile", "fromUrdf"].map((key) => [key, Problem[key]])) };
  for (const [name, call] of Object.entries(calls)) {
    for (const junk of JUNK) attempt(name, () => call(...Array(4).fill(junk)));
    for (let round = 0; round < 60; round++) attempt(name, () => call(...Array.from({ length: 4 }, any)));
  }
  for (const Class of [Arm, Crowd, Limbs]) {
    for (const junk of JUNK) attempt(Class.name, () => new Class(...Array(4).fill(junk)));
    for (let round = 0; round < 60; round++) attempt(Class.name, () => new Class(problem, ...Array.from({ length: 3 }, any)));
  }
});

test("after all that everything works", () => {
  const { Solver: solver, Arm: arm, Problem: problem } = objects();
  assert.equal(solver.status, "reached");
  assert.equal(arm.solve(target, problem.start()), "reached");
});

test("a fault names the argument", () => {
  const problem = Problem.fromUrdf(urdf, "tool0");
  const solver = problem.solver();
  const wrong = [
    [() => solver.begin(7), "method", /Solver\.begin: method: expected a text, found 7/],
    [() => solver.begin("ccd", 7), "settings", /JSON, as a text or an object, found 7/],
    [() => solver.begin("ccd", undefined, [0, 0]), "start", /a Float64Array, found an object of the class Array/],
    [() => problem.poses(new Float32Array(6), new Float64Array(7)), "q", /Float64Array/],
    [() => new Arm({}, 0), "problem", /a Problem/],
    [() => Problem.fromGltf("text"), "file", /a Uint8Array, found the text "text"/],
    [() => Problem.fromJson(), "text", /found undefined/],
  ];
  for (const [call, subject, words] of wrong) {
    assert.throws(call, (error) => error instanceof PosekitError && error.subject === subject && words.test(error.message), String(call));
  }
  solver.free();
  assert.throws(() => solver.run(), /Solver\.run: the object has been freed/);
});

test("objects stand for JSON, and bytes for text", () => {
  const limb = { schema: "posekit.chain/1", dimension: 2, target: [0.5, 1.2], bones: [{ length: 1, angle: 0.2 }, { length: 1, angle: 0.3 }] };
  const solver = Problem.fromJson(limb).solver();
  solver.begin("ccd", { iterations: 500 });
  solver.run();
  assert.equal(solver.status, "reached");
  const robot = Problem.fromUrdf(Buffer.from(urdf), "tool0");
  assert.equal(robot.nJoints, Problem.fromUrdf(urdf, "tool0").nJoints);
  assert.throws(() => Problem.fromJson({ ...limb, target: "there" }), { name: "PosekitError" });
});

test("every method with arguments has its types checked", () => {
  const texts = (folder, names) => names.map((name) => readFileSync(new URL(`${folder}/${name}`, import.meta.url), "utf8")).join("\n");
  const source = texts("../../pkg", ["posekit_robots.d.ts", "posekit_motion.d.ts"]);
  const table = texts("../src", ["solving.ts", "robots.ts", "cases.ts", "motion.ts"]);
  let seen = 0;
  for (const [, body] of source.matchAll(/^export class \w+ \{\n([\s\S]*?)^\}/gm)) {
    for (const [, name, given] of body.matchAll(/^ {4}(?:static )?(\w+)\(([^)]+)\): /gm)) {
      if (name === "constructor") continue;
      const row = new RegExp(`\\b${name}: \\[([^\\]]*)\\]`).exec(table);
      assert.ok(row, `${name} is not in the table`);
      const names = (list) => list.split(", ").map((one) => one.replace(/["?]/g, "").split(":")[0].trim());
      assert.ok([...table.matchAll(new RegExp(`\\b${name}: \\[([^\\]]*)\\]`, "g"))].some(([, list]) => String(names(list)) === String(names(given))), `${name}(${given})`);
      seen += 1;
    }
  }
  assert.ok(seen > 30, `${seen} methods`);
});
