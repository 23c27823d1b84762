// Robot arms: every configuration that comes out puts the tool where it should be, by forward kinematics of the problem itself.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Arm, Problem } from "posekit/robots";
import { memory, repositoryText } from "./support.js";

const six = () => Problem.fromUrdf(repositoryText("testdata/arm6.urdf"), "tool0");
const seven = () => Problem.fromUrdf(repositoryText("studio/src/core/scenes/arm7.urdf"), "flange");

/** The pose of the task's frame, as the problem has it. */
function tool(problem, q) {
  const poses = new Float64Array(7 * problem.nJoints);
  problem.poses(q, poses);
  const joint = problem.frames()[0];
  return poses.slice(7 * joint, 7 * joint + 7);
}

/** Asserts that a configuration puts the tool there, inside the limits. */
function assertAt(problem, q, target, within = 1e-5) {
  const pose = tool(problem, q);
  assert.ok(Math.hypot(pose[0] - target[0], pose[1] - target[1], pose[2] - target[2]) < within, `${pose} for ${target}`);
  const dot = pose[3] * target[3] + pose[4] * target[4] + pose[5] * target[5] + pose[6] * target[6];
  assert.ok(Math.abs(dot) > 1 - within, `${pose} for ${target}`);
  const limits = problem.limits();
  problem.valueOffsets().forEach((at, joint) => {
    if (limits[6 * joint] === 1) assert.ok(q[at] >= limits[6 * joint + 1] && q[at] <= limits[6 * joint + 2], `joint ${joint} at ${q[at]}`);
  });
}

const rows = (flat, n) => Array.from({ length: flat.length / n }, (_, k) => flat.slice(n * k, n * (k + 1)));

test("an arm tells what it is made of", () => {
  const [a, b] = [six(), seven()].map((problem) => new Arm(problem, 0));
  assert.equal(a.family, "axes 2, 3 and 4 are parallel, 5 and 6 meet");
  assert.equal(a.parameter, undefined);
  assert.equal(a.joints().length, 6);
  assert.deepEqual([...a.velocityLimits()], [3.14, 3.14, 3.14, 3.14, 3.14, 3.14]);
  assert.equal(b.joints().length, 7);
  assert.equal(b.parameter, b.joints()[6]);
  assert.ok(b.reach > 0.9 && b.reach < 1.1);
});

test("six joints have eight configurations for a pose, and a solve returns the nearest", () => {
  const problem = six();
  const arm = new Arm(problem, 0);
  const target = new Float64Array([0.38, -0.35, 0.25, 1, 0, 0, 0]);
  const q = problem.start();
  const all = rows(arm.solutions(target, q), problem.nValues);
  assert.equal(all.length, 8);
  for (const each of all) assertAt(problem, each, target);
  const solved = q.slice();
  assert.equal(arm.solve(target, solved), "reached");
  assertAt(problem, solved, target);
  assert.ok(arm.distance < 1e-5 && arm.angle < 1e-5 && arm.shortfall === 0);
  const [index, difference] = arm.nearest(solved, Float64Array.from(all.flatMap((each) => [...each])));
  assert.ok(index === 0 && difference < 1e-4);
  assert.equal(arm.solve(new Float64Array([3, 0, 0, 0, 0, 0, 1]), solved), "unreachable");
  assert.ok(arm.shortfall > 1);
});

test("seven joints move while the tool stays", () => {
  const problem = seven();
  const arm = new Arm(problem, 0);
  const target = new Float64Array([0.42, -0.35, 0.38, 1, 0, 0, 0]);
  const q = problem.start();
  assert.equal(arm.solve(target, q), "reached");
  const motion = arm.selfMotion(target, q, 60);
  assert.ok(motion.length > 0);
  const own = arm.parameter;
  let least = Infinity;
  for (let curve = 0; curve < motion.length; curve++) {
    const [parameters, values] = [motion.parameters(curve), rows(motion.values(curve), problem.nValues)];
    assert.equal(values.length, parameters.length);
    values.forEach((each, k) => {
      assertAt(problem, each, target);
      assert.ok(Math.abs(each[problem.valueOffsets()[own]] - parameters[k]) < 1e-6);
      assert.ok(k === 0 || parameters[k] > parameters[k - 1]);
    });
    const nearest = arm.nearest(q, motion.values(curve));
    least = Math.min(least, nearest[1]);
  }
  assert.ok(least < 0.8, "the pose of the solve is on one of them: joints move by no more between samples");
  assert.throws(() => motion.values(motion.length), /there is no curve/);
  assert.throws(() => new Arm(six(), 0).selfMotion(target, six().start(), 60), /seven joints/);
});

test("dexterity falls at a stretched elbow, and the nearest limit is told", () => {
  const problem = six();
  const arm = new Arm(problem, 0);
  const out = new Float64Array(7);
  const q = problem.start();
  arm.dexterity(q.fill(0.7), out);
  const [manipulability, least, largest] = out;
  assert.ok(manipulability > 0 && least > 0 && largest > least);
  q[problem.valueOffsets()[arm.joints()[2]]] = 0;
  arm.dexterity(q, out);
  assert.ok(out[1] < 1e-6 && out[0] < 1e-6, "stretched");
  q.fill(0.5);
  q[problem.valueOffsets()[arm.joints()[3]]] = -6;
  arm.dexterity(q, out);
  assert.equal(out[3], arm.joints()[3]);
  assert.equal(out[4], -2 * Math.PI);
  assert.ok(Math.abs(out[5] - (2 * Math.PI - 6)) < 1e-12 && Math.abs(out[6] - out[5] / (2 * Math.PI)) < 1e-12);
});

test("a track keeps the velocity limits, and says where and why it ends", () => {
  const problem = seven();
  const arm = new Arm(problem, 0);
  const poses = (...positions) => Float64Array.from(positions.flatMap((position) => [...position, 1, 0, 0, 0]));
  const near = arm.track(new Float64Array([0, 0.2, 1]), poses([0.42, -0.35, 0.38], [0.42, 0.35, 0.38], [0.5, 0.2, 0.5]), problem.start());
  assert.deepEqual([near.outcome, near.endedAt, [...near.blocked()]], ["completed", undefined, []]);
  const [times, path, speeds] = [near.times(), near.pathTimes(), rows(near.speeds(), 7)];
  assert.deepEqual([times.length, path.length, speeds.length, near.targets().length], Array(4).fill(near.length));
  assert.deepEqual([...near.targets()].filter((target) => target >= 0), [0, 1, 2]);
  const limits = arm.velocityLimits();
  const shares = speeds.map((each) => Math.max(...each.map((speed, k) => Math.abs(speed) / limits[k])));
  assert.ok(Math.max(...shares) <= 1 + 1e-9 && Math.max(...shares) > 0.999, "0.7 m in 0.2 s are too fast: some joint is at its limit");
  assert.ok(times.at(-1) > 1 && path.at(-1) === 1);
  rows(near.values(), problem.nValues).forEach((q, k) => {
    const own = new Float64Array(7);
    arm.pose(q, own);
    tool(problem, q).forEach((value, axis) => assert.ok(Math.abs(value - own[axis]) < 1e-9));
    const between = new Float64Array(problem.nValues);
    near.configurationAt(times[k], between);
    assert.deepEqual(between, q);
    arm.dexterity(q, own);
    assert.deepEqual(near.dexterity().slice(7 * k, 7 * k + 7), own);
  });
  const far = arm.track(new Float64Array([0, 2]), poses([0.42, -0.35, 0.38], [2, -0.35, 0.38]), problem.start());
  assert.ok(["reach", "singularity", "limits"].includes(far.outcome), far.outcome);
  assert.ok(far.endedAt > 0 && far.endedAt < 2 && far.length > 2 && far.smallestSingularValue >= 0);
  const never = arm.track(new Float64Array([0, 2]), poses([2, 0, 0], [3, 0, 0]), problem.start());
  assert.deepEqual([never.outcome, never.length, never.endedAt, never.values().length, never.speeds().length], ["reach", 0, 0, 0, 0]);
  assert.throws(() => never.configurationAt(0, problem.start()), /no configuration/);
});

test("bad input is refused with its place, and changes nothing", () => {
  const problem = six();
  const arm = new Arm(problem, 0);
  const [target, q] = [new Float64Array([0.4, 0, 0.3, 1, 0, 0, 0]), problem.start()];
  assert.throws(() => new Arm(problem, 1), /there is no task 1/);
  assert.throws(() => new Arm(problem, 0, `{ "starts": -1 }`), /settings/);
  assert.throws(() => new Arm(problem, 0, `{ "speed": 1 }`), /speed/);
  assert.throws(() => new Arm(Problem.fromUrdf(repositoryText("testdata/arm6.urdf"), "tool0", true), 0), /joint/);
  assert.throws(() => arm.solve(target.subarray(3), q), /target: expected 7 numbers, found 4/);
  assert.throws(() => arm.solve(target, q.subarray(1)), /configuration/);
  assert.throws(() => arm.solutions(new Float64Array([NaN, 0, 0, 0, 0, 0, 1]), q), /target/);
  assert.throws(() => arm.solutions(new Float64Array(7), q), /rotation/);
  assert.throws(() => arm.dexterity(q, new Float64Array(6)), /out: expected 7 numbers, found 6/);
  assert.throws(() => arm.nearest(q, q.subarray(1)), /configurations/);
  assert.throws(() => arm.track(new Float64Array([0, 1]), target, q), /targets: expected 14 numbers, found 7/);
  assert.throws(() => arm.track(new Float64Array([1, 1]), Float64Array.from([...target, ...target]), q), /times/);
  assert.deepEqual(arm.nearest(q, new Float64Array(0)), new Float64Array(0));
  assert.deepEqual(q, problem.start());
  arm.free();
});

test("thousands of solves take no more memory", () => {
  const problem = seven();
  const arm = new Arm(problem, 0);
  const [target, q] = [new Float64Array([0.42, -0.35, 0.38, 1, 0, 0, 0]), problem.start()];
  const frame = (k) => {
    target[0] = 0.42 + 0.05 * Math.sin(k / 30);
    return arm.solve(target, q);
  };
  for (let k = 0; k < 200; k++) assert.equal(frame(k), "reached");
  const before = memory();
  for (let k = 0; k < 5000; k++) frame(k);
  assert.equal(memory(), before);
});
