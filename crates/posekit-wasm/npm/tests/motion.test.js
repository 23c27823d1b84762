// Motions: opened, cleaned, pulled at, and written.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Motion } from "posekit/motion";
import { memory, repositoryText } from "./support.js";

const walk = () => new TextEncoder().encode(repositoryText("testdata/clips/walk.bvh"));

test("a walk is cleaned, and what is written opens again", () => {
  const motion = Motion.open(walk(), "walk.bvh", 0);
  const info = motion.info();
  assert.equal(motion.posesLength, 7 * info.joints.length * info.nFrames);
  const [drift] = motion.report().metrics;
  assert.ok(drift.before > 20 && drift.after < 1, JSON.stringify(drift));
  const again = Motion.open(motion.write("same"), "again.bvh", 0);
  assert.ok(again.report().metrics[0].before < 3);
  motion.free();
  again.free();
});

test("a hand is pulled to a place", () => {
  const motion = Motion.open(walk(), "walk.bvh", 0);
  const info = motion.info();
  const { joint } = info.handles.find(({ role }) => role === "hand");
  const q = new Float64Array(info.nValues);
  const poses = new Float32Array(7 * info.joints.length);
  const all = new Float32Array(motion.posesLength);
  motion.poses("result", all);
  const target = [0, 1, 2].map((k) => all[7 * joint + k] + [0, 20, 5][k]);
  motion.pull(0, Uint32Array.of(joint), Float64Array.from(target), null, q, poses);
  const apart = Math.hypot(...target.map((value, k) => poses[7 * joint + k] - value));
  assert.ok(apart < 1e-3, String(apart));
  motion.set("{}", undefined, Float64Array.of(0), q);
  assert.equal(JSON.parse(motion.contacts()).schema, "posekit.contacts/1");
  motion.free();
});

test("a pose is edited by the curves of a joint, and goes on in steps", () => {
  const motion = Motion.open(walk(), "walk.bvh", 0);
  const info = motion.info();
  const arm = info.joints.findIndex(({ name }) => name === "LeftArm");
  assert.deepEqual([info.joints[arm].turns, info.joints[arm].moves], [true, false]);
  const q = new Float64Array(info.nValues);
  motion.configuration(20, q);
  const times = Float64Array.of(20 * info.frameTime);
  motion.set("{}", undefined, times, q);
  const numbers = motion.keyCurves(arm);
  numbers[2] += 30;
  motion.withCurve(q, arm, numbers, q);
  motion.set("{}", undefined, times, q, ["step"]);
  const curves = new Float32Array(6 * info.nFrames);
  motion.curves("result", arm, curves);
  assert.ok(Math.abs(curves[6 * 20 + 2] - numbers[2]) < 1e-3, `${curves[6 * 20 + 2]}, ${numbers[2]}`);
  assert.throws(() => motion.set("{}", undefined, times, q, ["bezier"]), { name: "PosekitError" });
  assert.throws(() => motion.withCurve(q, arm, Float64Array.of(1), q), { name: "PosekitError" });
  motion.free();
});

test("faults are errors, and a thousand pulls take no memory", () => {
  assert.throws(() => Motion.open(new TextEncoder().encode("HIERARCHY\nROOT hip\n{\nOFFSET 0 0\n"), "cut.bvh", 0), { name: "PosekitError", line: 4 });
  const motion = Motion.open(walk(), "walk.bvh", 0);
  assert.throws(() => motion.set('{"strength": 2}', undefined, new Float64Array(0), new Float64Array(0)), { name: "PosekitError" });
  const info = motion.info();
  const [q, poses] = [new Float64Array(info.nValues), new Float32Array(7 * info.joints.length)];
  const pull = (n) => { for (let k = 0; k < n; k += 1) motion.pull(k % 50, Uint32Array.of(0), Float64Array.of(0, 80, k % 7), null, q, poses); };
  pull(50);
  const before = memory();
  pull(1000);
  assert.equal(memory(), before);
  motion.free();
});
