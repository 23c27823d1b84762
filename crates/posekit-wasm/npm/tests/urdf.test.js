// Robots: the values that come out put the link of urdf-loader's robot where it should be.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { DOMParser } from "@xmldom/xmldom";
import * as THREE from "three";
import { Robot } from "posekit/urdf";
import { asset, memory, numbers, repositoryText, testWithAssets } from "./support.js";

// The loader reads XML with what browsers have; what it asks for beyond the parser is little.
{
  const document = new DOMParser().parseFromString("<a/>", "text/xml");
  const [Document, Element] = [document, document.documentElement].map((node) => node.constructor);
  Object.assign(globalThis, { DOMParser, Document, Element });
  Element.prototype.querySelector = function (selector) {
    const [, tag, attribute, value] = /^(\w+)\[(\w+)="(.*)"\]$/.exec(selector);
    return Array.from(this.getElementsByTagName(tag)).find((node) => node.getAttribute(attribute) === value) ?? null;
  };
}

/** The robot of urdf-loader, without meshes. */
async function loadRobot(text) {
  const { default: URDFLoader } = await import("urdf-loader");
  const loader = new URDFLoader();
  loader.parseVisual = false;
  loader.parseCollision = false;
  loader.loadMeshCb = (path, manager, done) => done(null);
  return loader.parse(withoutShapes(text));
}

/** What is drawn needs a browser and moves nothing. */
const withoutShapes = (text) => text.replace(/<(visual|collision)\b[^>]*>[\s\S]*?<\/\1>/g, "").replace(/<material\b[^>]*>[\s\S]*?<\/material>/g, "");

const pose = (robot, link) => {
  robot.updateMatrixWorld(true);
  const object = robot.links[link];
  return { position: object.getWorldPosition(new THREE.Vector3()), quaternion: object.getWorldQuaternion(new THREE.Quaternion()) };
};

const ROBOTS = [
  ["urdf/ur5.urdf", "ee_link", "pose"],
  ["urdf/panda.urdf", "panda_hand", "pose"],
  ["urdf/solo12.urdf", "FL_FOOT", "position"],
  ["urdf/talos_reduced.urdf", "arm_left_7_link", "pose"],
  ["urdf/tiago.urdf", "arm_7_link", "pose"],
];

testWithAssets("a move keeps the velocity limits, and arrives", () => {
  const robot = new Robot(readFileSync(asset("urdf/ur5.urdf"), "utf8"), { tip: "ee_link" });
  const twin = new Robot(readFileSync(asset("urdf/ur5.urdf"), "utf8"), { tip: "ee_link" });
  assert.deepEqual(robot.limit("elbow_joint"), [-Math.PI, Math.PI].map((value) => Math.sign(value) * 3.14159265359));
  assert.equal(robot.velocityLimit("elbow_joint"), 3.15);
  for (const each of [robot, twin]) {
    each.setValue("elbow_joint", 0.9);
    each.setTarget([0.3, 0.4, 0.5], [0.5, 0.5, 0.5, 0.5]);
  }
  const { isReached, isOnItsWay } = twin.solve();
  assert.ok(isReached && !isOnItsWay);
  const seconds = 0.05;
  let moves = 0;
  for (let isMoving = true; isMoving; moves++) {
    const before = robot.values();
    isMoving = robot.solve(seconds).isOnItsWay;
    const speeds = robot.jointNames.map((name) => Math.abs(robot.value(name) - before[name]) / seconds / robot.velocityLimit(name));
    assert.ok(Math.max(...speeds) <= 1 + 1e-9, `${speeds}`);
    assert.ok(!isMoving || Math.max(...speeds) > 0.99, `${speeds} while it is on its way`);
  }
  assert.ok(moves > 5 && moves < 60, `${moves} moves`);
  for (const name of robot.jointNames) assert.ok(Math.abs(robot.value(name) - twin.value(name)) < 1e-3, `${name}: ${robot.value(name)} and ${twin.value(name)}`);
  assert.throws(() => robot.solve(-1), /the time of a move is -1/);
});

for (const [file, tip, task] of ROBOTS) {
  testWithAssets(`${file}: ${tip} reaches`, async () => {
    const text = readFileSync(asset(file), "utf8");
    const shown = await loadRobot(text);
    const robot = new Robot(text, { tip, task });
    const random = numbers(2);
    for (let round = 0; round < 10; round++) {
      // Where the link is for joint values inside their limits.
      for (const name of robot.jointNames) {
        const joint = shown.joints[name];
        if (!joint) continue;
        const { lower, upper } = joint.jointType === "continuous" ? { lower: -2, upper: 2 } : joint.limit;
        shown.setJointValue(name, lower + (0.3 + 0.4 * random()) * (upper - lower));
      }
      const wanted = pose(shown, tip);
      robot.setTarget(wanted.position.toArray(), task === "pose" ? wanted.quaternion.toArray() : undefined);
      const result = robot.solve();
      assert.equal(result.status, "reached", `round ${round}: ${result.error}`);
      robot.applyTo(shown);
      const found = pose(shown, tip);
      assert.ok(found.position.distanceTo(wanted.position) < 1e-5, `round ${round}: ${found.position.distanceTo(wanted.position)} m off`);
      if (task === "pose") assert.ok(found.quaternion.angleTo(wanted.quaternion) < 1e-4, `round ${round}: turned off`);
    }
    robot.dispose();
  });
}

const arm = repositoryText("testdata/arm6.urdf");

test("a robot starts where it is told, and what is locked stays", () => {
  const robot = new Robot(arm, { tip: "tool0" });
  const [first, second] = robot.jointNames;
  const locked = new Robot(arm, { tip: "tool0", start: { [first]: 0.4, [second]: -1 }, locked: [first] });
  assert.equal(locked.value(first), 0.4);
  locked.setTarget([0.3, 0.3, 0.4]);
  locked.solve();
  assert.equal(locked.value(first), 0.4);
  robot.setValue(first, 0.2);
  robot.setTarget([0.3, 0.3, 0.4], [1, 0, 0, 0]);
  assert.equal(robot.solve().status, "reached");
  assert.deepEqual(Object.keys(robot.values()), robot.jointNames);
});

test("values are read from and written to whatever has joints", () => {
  const robot = new Robot(arm, { tip: "tool0" });
  const written = {};
  const shown = { setJointValue: (name, value) => ((written[name] = value), true) };
  robot.setTarget([0.35, -0.2, 0.3], [1, 0, 0, 0]);
  robot.solve();
  robot.applyTo(shown);
  assert.deepEqual(written, robot.values());
  const other = new Robot(arm, { tip: "tool0" });
  other.readFrom({ ...shown, joints: Object.fromEntries(Object.entries(written).map(([name, value]) => [name, { jointValue: [value] }])) });
  assert.deepEqual(other.values(), robot.values());
});

test("a floating joint is read back as it was written", () => {
  const text = `<robot name="boat"><link name="sea"/><link name="deck"/><link name="mast"/>
    <joint name="swim" type="floating"><parent link="sea"/><child link="deck"/></joint>
    <joint name="swing" type="continuous"><parent link="deck"/><child link="mast"/><origin xyz="0 0 1"/><axis xyz="1 0 0"/></joint></robot>`;
  const robot = new Robot(text, { tip: "mast" });
  const turn = [0.1, -0.4, 0.2, 0.8].map((value) => value / Math.hypot(0.1, 0.4, 0.2, 0.8));
  robot.setValue("swim", [1, 2, 3, ...turn]);
  const joints = {};
  robot.applyTo({ joints: { swim: {}, swing: {} }, setJointValue: (name, ...values) => { joints[name] = { jointValue: values }; return true; } });
  assert.equal(joints.swim.jointValue.length, 6);
  const other = new Robot(text, { tip: "mast" });
  other.readFrom({ joints, setJointValue: () => true });
  other.value("swim").forEach((value, index) => { assert.ok(Math.abs(value - robot.value("swim")[index]) < 1e-12, `${index}`); });
});

test("faults say what is wrong", () => {
  assert.throws(() => new Robot(arm, { tip: "hand" }), /tip: there is no link `hand`/);
  assert.throws(() => new Robot("<robot"), { name: "PosekitError", line: 1 });
  assert.throws(() => new Robot(arm, { start: { nose: 1 } }), /there is no joint `nose`/);
  const robot = new Robot(arm, { tip: "tool0" });
  assert.throws(() => robot.setTarget([1, 2], [0, 0, 0, 1]), /a position is 3 numbers, found 2/);
  assert.throws(() => robot.setTarget([1, 2, NaN], [0, 0, 0, 1]), /not finite/);
  assert.throws(() => robot.setTarget([1, 2, 3], [0, 0, 0, 2]), /length 2, not 1/);
  assert.throws(() => robot.setTarget([1, 2, 3], undefined, "elbow"), /there is no tip "elbow"; there are tool0/);
  assert.throws(() => robot.value("nose"), /there is no joint "nose"/);
});

test("ten thousand frames take no more memory", () => {
  const robot = new Robot(arm, { tip: "tool0" });
  const [position, quaternion] = [new Float64Array(3), new Float64Array([1, 0, 0, 0])];
  const frame = (index) => {
    position.set([0.4 + 0.1 * Math.sin(index / 30), 0.2 * Math.cos(index / 40), 0.4]);
    robot.setTarget(position, quaternion);
    robot.solve();
  };
  for (let index = 0; index < 100; index++) frame(index);
  const before = memory();
  for (let index = 0; index < 10_000; index++) frame(index);
  assert.equal(memory(), before);
});
