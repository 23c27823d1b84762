// The package itself: what it says about a problem, and that no input and no number of frames brings it down.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { brotliCompressSync } from "node:zlib";
import { Crowd, Limbs, Problem, version } from "posekit/robots";
import { Problem as WithoutRobots } from "posekit";
import { caseNames } from "posekit/cases";
import { memory, numbers, repositoryText } from "./support.js";

const limb = `{ "schema": "posekit.chain/1", "dimension": 2, "target": [0.5, 1.2],
  "bones": [ { "length": 1, "angle": 0.2 }, { "length": 1, "angle": 0.3, "limit": [0, 2] } ] }`;
const points = `{ "schema": "posekit.chain/1", "dimension": 2, "target": [1, 1.5], "points": [[0, 0], [1, 0], [2, 0.1], [3, 0]] }`;
const figure = JSON.stringify({
  schema: "posekit.figure/1",
  joints: [
    { name: "hips", parent: null, kind: "free" },
    { name: "spine", parent: "hips", kind: "ball", position: [0, 0, 0.3], cone: { axis: [0, 0, 1], swing: 0.6, twist: [-0.4, 0.4] } },
    { name: "arm", parent: "spine", kind: "ball", position: [0.2, 0, 0.2] },
    { name: "elbow", parent: "arm", kind: "revolute", axis: [0, 1, 0], position: [0.3, 0, 0], limit: [-2.5, 0] },
    { name: "tool", parent: "elbow", kind: "prismatic", axis: [1, 0, 0], position: [0.3, 0, 0], limit: [0, 0.1] },
  ],
  tasks: [
    { task: "pose", name: "hand", frame: "tool", target: [0.4, 0.3, 0.6], orientation: [0, 0, 0, 1] },
    { task: "look-at", frame: "spine", axis: [1, 0, 0], target: [2, 0, 1], level: 2, weight: 0.5 },
    { task: "posture", level: 3 },
  ],
});

test("the modules stay small", () => {
  for (const [name, most] of [["posekit", 350_000], ["posekit_robots", 590_000], ["posekit_motion", 560_000]]) {
    const { length } = brotliCompressSync(readFileSync(new URL(`../../pkg/${name}_bg.wasm`, import.meta.url)));
    console.log(`${name}: ${(length / 1000).toFixed(0)} kB compressed`);
    assert.ok(length < most, `${name}: ${length} bytes`);
  }
});

test("without robots the results are the same, except that arms have no closed form", () => {
  for (const name of caseNames(repositoryText("testdata/cases/index.json"))) {
    const text = repositoryText(`testdata/cases/${name}.json`);
    const [small, whole] = [WithoutRobots, Problem].map((Class) => {
      const solver = Class.fromJson(text).solver();
      solver.begin("auto");
      solver.run();
      return { text: solver.solutionJson(false), method: solver.method, isReached: solver.isReached };
    });
    if (whole.method === "arm") assert.deepEqual([small.method, small.isReached], ["least-squares", whole.isReached], name);
    else assert.equal(small.text, whole.text, name);
  }
  const urdf = repositoryText("testdata/arm6.urdf");
  const robot = JSON.parse(Problem.fromUrdf(urdf, "tool0").toFigureJson());
  assert.throws(() => WithoutRobots.fromJson(robot, urdf), { name: "PosekitError", message: /robots are read with the library's feature `robots`, .*`posekit\/robots`/ });
  assert.throws(() => WithoutRobots.fromJson(figure).solver().begin("arm"), /the library's feature `arm`, .*`posekit\/robots`/);
});

test("a problem tells what it is made of", () => {
  const problem = Problem.fromJson(figure);
  assert.deepEqual([problem.kind, problem.dimension, problem.nJoints, problem.nValues, problem.nTasks, problem.nPoints], ["figure", 3, 5, 17, 3, 5]);
  assert.deepEqual(problem.names(), ["hips", "spine", "arm", "elbow", "tool"]);
  assert.deepEqual([...problem.kinds()], [4, 3, 3, 1, 2]);
  assert.deepEqual([...problem.parents()], [-1, 0, 1, 2, 3]);
  assert.deepEqual([...problem.mimics()], [-1, -1, -1, -1, -1]);
  assert.deepEqual([...problem.valueOffsets()], [0, 7, 11, 15, 16]);
  assert.deepEqual([...problem.axes().subarray(9)], [0, 1, 0, 1, 0, 0]);
  assert.deepEqual([...problem.rest().subarray(7, 14)], [0, 0, 0.3, 0, 0, 0, 1]);
  assert.deepEqual([...problem.limits().subarray(6, 30)], [2, 0, 0, 0.6, -0.4, 0.4, 0, 0, 0, 0, 0, 0, 1, -2.5, 0, 0, 0, 0, 1, 0, 0.1, 0, 0, 0]);
  assert.deepEqual([...problem.coneAxes().subarray(3, 6)], [0, 0, 1]);
  assert.deepEqual([problem.frames()[0], problem.frames()[8], problem.frames()[16], problem.frames()[32]], [4, -1, 1, -1]);
  assert.equal(problem.frames().length, 48);
  const tasks = problem.tasks();
  assert.deepEqual(tasks.map(({ task, name, frame, level, weight }) => [task, name, frame, level, weight]), [
    ["pose", "hand", "tool", 1, 1],
    ["look-at", undefined, "spine", 2, 0.5],
    ["posture", undefined, "joints", 3, 1],
  ]);
  assert.deepEqual([tasks[0].position, tasks[0].orientation, tasks[1].position], [[0.4, 0.3, 0.6], [0, 0, 0, 1], [2, 0, 1]]);
  assert.deepEqual(problem.methods(), ["auto", "least-squares"]);
  assert.equal(problem.toFigureJson(), Problem.fromJson(problem.toFigureJson()).toFigureJson());
  assert.match(version(), /^\d+\.\d+\.\d+$/);
});

test("a chain written as a figure is the same problem", () => {
  for (const name of caseNames(repositoryText("testdata/cases/index.json"))) {
    const problem = Problem.fromJson(repositoryText(`testdata/cases/${name}.json`));
    if (problem.kind === "points") {
      assert.throws(() => problem.toFigureJson(), /no joints/);
      continue;
    }
    const written = Problem.fromJson(problem.toFigureJson());
    assert.equal(written.kind, "figure");
    const [a, b] = [problem, written].map((each) => {
      const out = new Float64Array(7 * each.nJoints);
      each.poses(each.start(), out);
      return out;
    });
    // A rotation is normalised once more on its way through the file.
    a.forEach((value, index) => assert.ok(Math.abs(value - b[index]) <= 1e-14 * Math.max(1, Math.abs(value)), name));
    assert.equal(written.tasks().length, problem.nTasks, name);
  }
});

test("solving in steps is solving to the end", () => {
  for (const [text, method] of [[limb, "ccd"], [limb, "fabrik"], [points, "relaxation"], [figure, "least-squares"]]) {
    const problem = Problem.fromJson(text);
    const [whole, stepped] = [problem.solver(), problem.solver()];
    for (const solver of [whole, stepped]) solver.begin(method, `{ "trace": "half-steps" }`);
    whole.run();
    let count = 0;
    while (!stepped.step(1)) count++;
    assert.ok(count > 0 || method === "fabrik", `${method} took ${count} steps`);
    assert.equal(stepped.solutionJson(true), whole.solutionJson(true), method);
    const header = new Float64Array(4);
    const out = new Float64Array(problem.dimension * problem.nPoints);
    const q = new Float64Array(problem.nValues);
    for (let index = 0; index < whole.traceLength; index++) {
      whole.traceHeader(index, header);
      assert.ok(header[0] >= 1 && header[1] >= 0 && header[1] <= 8 && header[3] >= 0, `${method}: ${header}`);
      assert.ok(whole.traceTurn(index) >= 0, `${method}: ${whole.traceTurn(index)}`);
      assert.equal(whole.tracePoints(index, out), out.length);
      assert.equal(whole.traceConfiguration(index, q), q.length);
    }
    assert.throws(() => whole.traceHeader(whole.traceLength, header), /there is no step/);
  }
});

test("a moved target is followed, and what was begun before does not matter", () => {
  const problem = Problem.fromJson(points);
  const [solver, other] = [problem.solver(), problem.solver()];
  const out = new Float64Array(8);
  solver.begin("fabrik");
  solver.run();
  solver.setTarget(0, new Float64Array([0.2, 2]));
  solver.run();
  solver.points(out);
  assert.ok(solver.isReached && Math.hypot(out[6] - 0.2, out[7] - 2) < 1e-5);
  // From the points of now, with a new start.
  other.setTarget(0, new Float64Array([0.2, 2]));
  other.begin("fabrik", undefined, out);
  other.run();
  assert.deepEqual([other.status, other.iterations], ["reached", 0]);
  for (let index = 1; index < 4; index++) {
    const length = Math.hypot(out[2 * index] - out[2 * index - 2], out[2 * index + 1] - out[2 * index - 1]);
    assert.ok(Math.abs(length - [1, Math.hypot(1, 0.1), Math.hypot(1, 0.1)][index - 1]) < 1e-12);
  }
});

test("misses, holds and what is blocked are told", () => {
  const solver = Problem.fromJson(figure).solver();
  solver.setTarget(0, new Float64Array([0.4, 0.3, 0.6]));
  solver.begin("auto", `{ "locked": ["hips"] }`);
  solver.run();
  assert.equal(solver.method, "least-squares");
  assert.equal(solver.misses().length, 6);
  solver.setTarget(0, new Float64Array([-0.4, 0.1, 0.2, 1, 0, 0, 0]));
  solver.run();
  if (solver.status === "blocked") {
    const holds = solver.holds();
    assert.deepEqual([...solver.blocked()], [...holds].filter((_, index) => index % 2 === 0));
  }
});

test("whatever is wrong is an error with words, and everything goes on", () => {
  const problem = Problem.fromJson(limb);
  const solver = problem.solver();
  const wrong = [
    [() => solver.run(), /nothing has begun/],
    [() => solver.status, /nothing has begun/],
    [() => Problem.fromJson(""), /line 1/],
    [() => Problem.fromJson("{"), /line 1, column 2/],
    [() => Problem.fromJson("[]"), /object/],
    [() => Problem.fromJson(`{ "schema": "posekit.figure/1", "urdf": "a.urdf", "tasks": [] }`), /robot|urdf/],
    [() => Problem.fromJson(`{ "schema": "posekit.figure/1", "joints": [], "tasks": [] }`), /joint/],
    [() => Problem.fromUrdf("<robot name='r'><link name='a'/></robot>"), /no joint moves/],
    [() => Problem.fromGltf(new Uint8Array(3)), /./],
    [() => Problem.fromGltf(new TextEncoder().encode("glTF\u0002\0\0\0\u00ff\u00ff\u00ff\u00ff")), /./],
    [() => solver.begin("magic"), /there is no method `magic`/],
    [() => solver.begin("ccd", "{"), /line 1/],
    [() => solver.begin("ccd", `{ "speed": 1 }`), /unknown field `speed`/],
    [() => solver.begin("ccd", `{ "relaxation": { "passes": 0 } }`), /passes/],
    [() => solver.begin("ccd", null, new Float64Array(3)), /expected 2 numbers, found 3/],
    [() => solver.begin("ccd", null, new Float64Array([NaN, 0])), /./],
    [() => solver.setTarget(1, new Float64Array(2)), /there is no task 1/],
    [() => solver.setTarget(4294967295, new Float64Array(2)), /there is no task/],
    [() => solver.setTarget(0, new Float64Array(4)), /expected 2 or 3 numbers, found 4/],
    [() => solver.setTarget(0, new Float64Array([Infinity, 0])), /not finite/],
    [() => problem.poses(new Float64Array(1), new Float64Array(14)), /expected 2 numbers/],
    [() => problem.poses(new Float64Array(2), new Float64Array(13)), /expected 14 numbers/],
    [() => new Limbs(4e9), /not enough memory/],
    [() => new Limbs(2).solve(...[1, 2, 3, 4, 5, 6].map(() => new Float32Array(5))), /expected/],
    [() => new Crowd(Problem.fromJson(figure), 2, "auto"), /one task/],
    [() => new Crowd(problem, 2, "direct"), /./],
    [() => new Crowd(problem, 2, "ccd").solve(new Float32Array(3), new Float32Array(12)), /expected 4 numbers/],
    [() => new Crowd(problem, 2, "ccd").solve(new Float32Array([NaN, 0, 0, 0]), new Float32Array(12)), /not finite/],
  ];
  for (const [call, words] of wrong) {
    assert.throws(call, (error) => error instanceof Error && error.name === "PosekitError" && words.test(error.message), String(call));
  }
  solver.begin("ccd");
  solver.run();
  assert.equal(solver.status, "reached");
  problem.free();
  assert.equal(solver.isReached, true, "a solver outlives its problem");
  solver.free();
  assert.throws(() => solver.run());
  assert.throws(() => problem.solver());
});

test("texts that are cut short or garbled are refused, or are problems", () => {
  const random = numbers(4);
  for (const text of [limb, figure, points, repositoryText("testdata/arm6.urdf")]) {
    for (let round = 0; round < 300; round++) {
      const at = Math.floor(random() * text.length);
      const changed = round % 2 ? text.slice(0, at) : text.slice(0, at) + String.fromCharCode(32 + 90 * random()) + text.slice(at + 1);
      try {
        const problem = text.startsWith("{") ? Problem.fromJson(changed) : Problem.fromUrdf(changed);
        const solver = problem.solver();
        solver.begin("auto", `{ "iterations": 20 }`);
        solver.run();
        assert.ok(Number.isFinite(solver.error));
        solver.free();
        problem.free();
      } catch (error) {
        assert.equal(error.name, "PosekitError", `${error.message}: ${changed}`);
      }
    }
  }
});

test("limbs reach, and bend towards their poles", () => {
  const n = 1000;
  const random = numbers(6);
  const list = (of) => Float32Array.from({ length: 3 * n }, (_, index) => of(index % 3, Math.floor(index / 3)));
  const starts = list((axis, limb) => (axis === 0 ? limb : 0));
  const mids = list((axis, limb) => [limb, -0.5, 0.05][axis]);
  const ends = list((axis, limb) => [limb, -1, 0][axis]);
  const targets = list((axis, limb) => [limb, 0, 0][axis] + (random() - 0.5));
  const poles = list((axis, limb) => [limb, 0, 5][axis]);
  const out = new Float32Array(6 * n);
  const limbs = new Limbs(n);
  const reached = limbs.solve(starts, mids, ends, targets, poles, out);
  let near = 0;
  for (let limb = 0; limb < n; limb++) {
    const distance = Math.hypot(...[0, 1, 2].map((axis) => out[6 * limb + 3 + axis] - targets[3 * limb + axis]));
    near += Number(distance < 1e-4);
    const upper = Math.hypot(...[0, 1, 2].map((axis) => out[6 * limb + axis] - starts[3 * limb + axis]));
    assert.ok(Math.abs(upper - Math.hypot(0.5, 0.05)) < 1e-4, "bones keep their lengths");
    assert.ok(out[6 * limb + 2] > Math.min(0, targets[3 * limb + 2]) - 1e-4, "the mid joint is on the pole's side");
  }
  assert.equal(near, reached);
  assert.ok(reached > 0.95 * n, `${reached} of ${n}`);
});

test("a crowd follows targets of its own", () => {
  const problem = Problem.fromJson(limb);
  const crowd = new Crowd(problem, 100, "auto");
  const targets = new Float32Array(200);
  const out = new Float32Array(crowd.pointsLength);
  for (let frame = 0; frame < 5; frame++) {
    for (let member = 0; member < 100; member++) targets.set([0.8 + 0.4 * Math.sin(member + frame / 5), 1.3 + 0.2 * Math.cos(member)], 2 * member);
    assert.equal(crowd.solve(targets, out), 100);
    for (let member = 0; member < 100; member++) {
      assert.ok(Math.hypot(out[6 * member + 4] - targets[2 * member], out[6 * member + 5] - targets[2 * member + 1]) < 1e-4);
    }
  }
});

test("ten thousand frames take no more memory, whatever the method", () => {
  for (const [text, method] of [[limb, "auto"], [limb, "ccd"], [limb, "fabrik"], [limb, "relaxation"], [points, "auto"], [points, "fabrik"], [figure, "auto"]]) {
    const problem = Problem.fromJson(text);
    const solver = problem.solver();
    const target = new Float64Array(problem.dimension);
    const [out, q, poses] = [new Float64Array(problem.dimension * problem.nPoints), new Float64Array(problem.nValues), new Float64Array(7 * problem.nJoints)];
    const frame = (index) => {
      target.set([0.6 + 0.3 * Math.sin(index / 20), 0.9 + 0.3 * Math.cos(index / 31), 0.5].slice(0, problem.dimension));
      solver.setTarget(0, target);
      if (index % 10 === 0) solver.restart();
      solver.run();
      solver.points(out);
      solver.configuration(q);
      solver.poses(poses);
      return solver.error + solver.shortfall + solver.iterations;
    };
    solver.begin(method);
    for (let index = 0; index < 200; index++) frame(index);
    const before = memory();
    for (let index = 0; index < 10_000; index++) frame(index);
    assert.equal(memory(), before, method);
    solver.free();
    problem.free();
  }
});

test("a robot's links are told by the joints that carry them", () => {
  const robot = Problem.fromUrdf(`<robot name="r"> <link name="floor"/> <link name="cart"/> <link name="mast"/>
    <joint name="roll" type="planar"> <parent link="floor"/> <child link="cart"/> <axis xyz="0 0 1"/> </joint>
    <joint name="swing" type="continuous"> <parent link="cart"/> <child link="mast"/> <axis xyz="0 1 0"/> </joint> </robot>`);
  assert.deepEqual(robot.names(), ["floor", "roll/x", "roll/y", "roll/turn", "swing"]);
  assert.deepEqual(robot.links(), ["floor", "", "", "cart", "mast"]);
  assert.deepEqual(Problem.fromJson(figure).links(), ["", "", "", "", ""]);
  assert.deepEqual(Problem.fromJson(points).links(), []);
});

test("a lock-up is left by a method that is named", () => {
  const straight = `{ "schema": "posekit.chain/1", "dimension": 2, "target": [2.2, 0], "points": [[0, 0], [1, 0], [2, 0], [3, 0]] }`;
  const problem = Problem.fromJson(straight);
  const solver = problem.solver();
  const outcome = (options) => {
    solver.begin("fabrik", options);
    solver.run();
    return [solver.status, solver.escapedAt > 0, solver.escapedBy];
  };
  assert.deepEqual(outcome(`{}`), ["reached", true, "direct"]);
  assert.deepEqual(outcome(`{ "classic": true }`).slice(1), [false, ""]);
  solver.free();
  problem.free();
});
