// Hierarchies of three.js: whatever scales, mirrors and axes they have, the ends come to their targets, by three.js's own matrices.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as THREE from "three";
import { Character } from "posekit/three";
import { memory, numbers } from "./support.js";

/** A chain of bones, each with a place and a turn of its own, on a base; `shape` may scale what it likes. */
function chain(count, shape = () => {}) {
  const random = numbers(count);
  const scene = new THREE.Group();
  const base = new THREE.Group();
  scene.add(base);
  base.position.set(1, -2, 0.5);
  base.quaternion.set(0.3, -0.2, 0.5, 0.7).normalize();
  const bones = [];
  for (let index = 0; index < count; index++) {
    const bone = new THREE.Bone();
    bone.name = `bone${index}`;
    bone.position.set(0.1 * random(), index === 0 ? 0.2 : 0.5 + 0.2 * random(), 0.1 * random());
    bone.quaternion.set(random() - 0.5, random() - 0.5, random() - 0.5, 2).normalize();
    (bones.at(-1) ?? base).add(bone);
    bones.push(bone);
  }
  shape({ scene, base, bones });
  scene.updateMatrixWorld(true);
  return { scene, base, bones };
}

/** Where an end comes to when its bones are bent: a target that can be reached. */
function bentTarget({ scene, bones }, random, turn = 0.8) {
  const before = bones.map((bone) => bone.quaternion.clone());
  for (const bone of bones.slice(0, -1)) {
    bone.quaternion.multiply(new THREE.Quaternion(...[0, 1, 2].map(() => turn * (random() - 0.5)), 1).normalize());
  }
  scene.updateMatrixWorld(true);
  const end = bones.at(-1);
  const target = { position: end.getWorldPosition(new THREE.Vector3()), quaternion: end.getWorldQuaternion(new THREE.Quaternion()) };
  bones.forEach((bone, index) => bone.quaternion.copy(before[index]));
  scene.updateMatrixWorld(true);
  return target;
}

const off = (scene, end, target) => {
  scene.updateMatrixWorld(true);
  return end.getWorldPosition(new THREE.Vector3()).distanceTo(target.position);
};

const mirrored = [
  ["as it is", () => {}],
  ["on a mirrored base", ({ base }) => base.scale.set(-1, 1, 1)],
  ["on a base turned inside out", ({ base }) => base.scale.set(-2, -2, -2)],
  ["on a base in centimetres", ({ base }) => base.scale.setScalar(0.01)],
  ["on an unequally scaled base", ({ base }) => base.scale.set(1, 2, -0.5)],
  ["on a sheared base", ({ scene, base }) => {
    scene.scale.set(1, 3, 1);
    scene.rotation.set(0.3, 0.4, 0.5);
    base.scale.set(0.5, 1, 2);
  }],
  ["with a scaled bone", ({ bones }) => bones[1].scale.setScalar(2.5)],
  ["with mirrored bones", ({ bones }) => {
    bones[0].scale.set(1, -1, 1);
    bones[2].scale.set(-1.5, 1.5, 1.5);
  }],
  ["with a bone that looks the other way", ({ bones }) => bones[1].scale.set(-1, 1, -1)],
];

for (const [words, shape] of mirrored) {
  test(`a chain ${words} reaches`, () => {
    const random = numbers(7);
    const rig = chain(5, shape);
    const character = new Character(rig.scene, { effectors: { end: "bone4" } });
    for (let round = 0; round < 20; round++) {
      const wanted = bentTarget(rig, random);
      character.target("end").position.copy(wanted.position);
      const result = character.solve();
      const size = wanted.position.distanceTo(rig.base.getWorldPosition(new THREE.Vector3()));
      assert.ok(result.isReached, `${result.status} in round ${round}`);
      assert.ok(off(rig.scene, rig.bones[4], wanted) < 1e-5 * size, `${off(rig.scene, rig.bones[4], wanted)} off`);
    }
    character.dispose();
  });
}

for (const [words, shape] of mirrored.filter(([words]) => !/unequally|sheared/.test(words))) {
  test(`the last bone of a chain ${words} is turned as it should be`, () => {
    const random = numbers(11);
    const rig = chain(5, shape);
    const character = new Character(rig.scene, { effectors: { end: { bone: "bone4", task: "pose" } } });
    for (let round = 0; round < 10; round++) {
      const wanted = bentTarget(rig, random);
      character.target("end").position.copy(wanted.position);
      character.target("end").quaternion.copy(wanted.quaternion);
      const result = character.solve();
      assert.ok(result.isReached, `${result.status} in round ${round}`);
      const turned = rig.bones[4].getWorldQuaternion(new THREE.Quaternion());
      assert.ok(off(rig.scene, rig.bones[4], wanted) < 1e-4, `${off(rig.scene, rig.bones[4], wanted)} off`);
      assert.ok(turned.angleTo(wanted.quaternion) < 1e-4, `turned ${turned.angleTo(wanted.quaternion)} off`);
    }
    character.dispose();
  });
}

/** Two chains on one base, of four bones and of six. */
function pair(shape) {
  const [rig, other] = [chain(4), chain(6)];
  rig.base.add(other.bones[0]);
  other.bones[0].position.set(0.4, 0.1, 0);
  shape(rig);
  rig.scene.updateMatrixWorld(true);
  return { ...rig, hand: rig.bones[3], other: other.bones[5] };
}

/** How one object is seen from another. */
function seenFrom(from, object) {
  const turn = from.getWorldQuaternion(new THREE.Quaternion()).invert();
  const position = object.getWorldPosition(new THREE.Vector3()).sub(from.getWorldPosition(new THREE.Vector3())).applyQuaternion(turn);
  return { position, quaternion: object.getWorldQuaternion(new THREE.Quaternion()).premultiply(turn) };
}

for (const [words, shape] of mirrored.filter(([words]) => !/sheared|unequally/.test(words))) {
  test(`two hands ${words} hold one box, and one rope`, () => {
    const random = numbers(13);
    const rig = pair(shape);
    const { scene, hand, other } = rig;
    const held = seenFrom(hand, other);
    const length = held.position.length();
    const box = new Character(scene, { effectors: { hand, box: { bone: other, task: "relative-pose", to: { bone: hand } } } });
    const { position, quaternion } = box.target("box");
    assert.ok(position.distanceTo(held.position) < 1e-9 * length && quaternion.angleTo(held.quaternion) < 1e-6, "a target begins as things are");
    for (let round = 0; round < 10; round++) {
      // Mirrored, the chains stretch away from each other.
      box.target("hand").position.copy(bentTarget(rig, random, 0.1).position);
      assert.equal(box.solve().status, "reached", `round ${round}`);
      scene.updateMatrixWorld(true);
      const now = seenFrom(hand, other);
      const misses = [now.position.distanceTo(held.position) / length, now.quaternion.angleTo(held.quaternion)];
      assert.ok(Math.max(...misses) < 1e-5, `${misses} off in round ${round}`);
    }
    box.dispose();
    const rope = new Character(scene, { effectors: { hand, rope: { bone: other, task: "distance", to: hand } } });
    for (let round = 0; round < 10; round++) {
      rope.target("hand").position.copy(bentTarget(rig, random, 0.1).position);
      rope.target("rope").distance = length * (0.7 + 0.02 * round);
      const { status } = rope.solve();
      assert.equal(status, "reached", `round ${round}`);
      scene.updateMatrixWorld(true);
      assert.ok(Math.abs(seenFrom(hand, other).position.length() - rope.target("rope").distance) < 1e-5 * length, `round ${round}`);
    }
    rope.dispose();
  });
}

test("what two hands need is asked for", () => {
  const { scene, hand, other } = pair(() => {});
  assert.throws(() => new Character(scene, { effectors: { rope: { bone: other, task: "distance" } } }), /"rope".*`to`/);
  assert.throws(() => new Character(scene, { effectors: { hand: { bone: hand, to: other } } }), /"hand".*`to`/);
});

test("bones that are scaled unequally reach, though what hangs on them shears", () => {
  const random = numbers(3);
  const rig = chain(5, ({ bones }) => {
    bones[1].scale.set(1.3, 1, 0.8);
    bones[2].scale.set(1, -1.2, 1);
  });
  const character = new Character(rig.scene, { effectors: { end: "bone4" } });
  let reached = 0;
  for (let round = 0; round < 20; round++) {
    const wanted = bentTarget(rig, random, 0.5);
    character.target("end").position.copy(wanted.position);
    const result = character.solve();
    const error = off(rig.scene, rig.bones[4], wanted);
    if (result.isReached) {
      reached++;
      assert.ok(error < 1e-5, `it says reached and is ${error} off`);
    } else {
      assert.ok(error > 1e-7, "it says that it has not reached, and it has");
    }
  }
  assert.ok(reached >= 18, `${reached} of 20 reached`);
});

test("a target is in the world: it holds when what carries the chain moves", () => {
  const rig = chain(4);
  const character = new Character(rig.scene, { effectors: { end: "bone3" } });
  const wanted = bentTarget(rig, numbers(5), 4);
  character.target("end").position.copy(wanted.position);
  for (let frame = 0; frame < 10; frame++) {
    rig.base.position.x += 0.02;
    rig.scene.rotation.y += 0.01;
    const { status, error } = character.solve();
    assert.equal(status, "reached", `frame ${frame}, ${error}`);
    assert.ok(off(rig.scene, rig.bones[3], wanted) < 1e-5);
  }
});

test("an animation that moves bones is followed", () => {
  const rig = chain(4);
  const character = new Character(rig.scene, { effectors: { end: "bone3" } });
  const wanted = bentTarget(rig, numbers(5), 4);
  character.target("end").position.copy(wanted.position);
  for (let frame = 0; frame < 10; frame++) {
    rig.bones[0].position.x = 0.02 * frame;
    rig.bones[2].position.y = 0.5 + 0.01 * frame;
    rig.bones[1].rotation.x += 0.05;
    const { status, error } = character.solve();
    assert.equal(status, "reached", `frame ${frame}, ${error}`);
    assert.ok(off(rig.scene, rig.bones[3], wanted) < 1e-5);
  }
});

test("keyed translations and scales move the joints of the one skeleton", () => {
  const rig = chain(6);
  const character = new Character(rig.scene, { effectors: { end: { bone: "bone5", task: "pose" } } });
  const { problem, solver } = character;
  const random = numbers(17);
  for (let frame = 0; frame < 60; frame++) {
    for (const bone of rig.bones.slice(1)) bone.position.multiplyScalar(1 + 0.1 * (random() - 0.5));
    rig.bones[2].scale.setScalar(1 + 0.2 * random());
    const wanted = bentTarget(rig, random, 0.4);
    Object.assign(character.target("end"), wanted);
    assert.equal(character.solve().status, "reached", `frame ${frame}`);
    assert.ok(off(rig.scene, rig.bones[5], wanted) < 1e-5, `frame ${frame}`);
    assert.ok(character.problem === problem && character.solver === solver, "nothing is built anew");
  }
});

/** A chain whose second bone nods; the keys of its third do not change, and the others have none. */
function nodding() {
  const rig = chain(5);
  const [second, third] = [rig.bones[1].quaternion, rig.bones[2].quaternion];
  const nod = second.clone().multiply(new THREE.Quaternion(0, 0, 0.2, 1).normalize());
  const track = (bone, from, to) => new THREE.QuaternionKeyframeTrack(`${bone}.quaternion`, [0, 1], [...from.toArray(), ...to.toArray()]);
  const mixer = new THREE.AnimationMixer(rig.scene);
  mixer.clipAction(new THREE.AnimationClip("nod", 1, [track("bone1", second, nod), track("bone2", third, third)])).play();
  return { ...rig, mixer };
}

for (const animated of [true, false]) {
  test(`bones that the mixer leaves unwritten ${animated ? "start where the animation has them" : "go on from the last solve"}`, () => {
    const [rig, twin] = [nodding(), nodding()];
    const character = new Character(rig.scene, { effectors: { end: "bone4" }, animated });
    const random = numbers(3);
    for (let frame = 0; frame < 100; frame++) {
      for (const each of [rig, twin]) each.mixer.update(1 / 60);
      twin.scene.updateMatrixWorld(true);
      twin.bones[4].getWorldPosition(character.target("end").position);
      if (frame < 99) character.target("end").position.add(new THREE.Vector3(random() - 0.5, random() - 1, random() - 0.5));
      character.solve();
    }
    // The last target is where the animation alone has the end.
    const turned = rig.bones.map((bone, index) => bone.quaternion.angleTo(twin.bones[index].quaternion));
    assert.equal(Math.max(...turned) < 1e-6, animated, `${turned} from the animation`);
  });
}

test("a chain that its animation holds straight bends in every frame, and no further", () => {
  const rig = chain(5);
  for (const bone of rig.bones) bone.quaternion.identity();
  rig.bones.slice(1).forEach((bone) => bone.position.set(0, 1, 0));
  const held = new THREE.QuaternionKeyframeTrack("bone1.quaternion", [0, 1], [0, 0, 0, 1, 0, 0, 0, 1]);
  const mixer = new THREE.AnimationMixer(rig.scene);
  mixer.clipAction(new THREE.AnimationClip("still", 1, [held])).play();
  const character = new Character(rig.scene, { effectors: { end: "bone4" }, animated: true });
  rig.scene.updateMatrixWorld(true);
  const { position } = character.target("end");
  rig.bones[4].getWorldPosition(position).lerp(rig.bones[0].getWorldPosition(new THREE.Vector3()), 0.1);
  const iterations = [];
  const turned = [];
  for (let frame = 0; frame < 300; frame++) {
    mixer.update(1 / 60);
    const result = character.solve();
    assert.ok(result.isReached, `${result.status} in frame ${frame}`);
    iterations.push(result.iterations);
    turned.push(rig.bones.reduce((sum, bone) => sum + 2 * Math.acos(Math.min(1, Math.abs(bone.quaternion.w))), 0));
  }
  assert.ok(iterations[299] <= iterations[0], `${iterations[0]}, then ${iterations[299]} iterations`);
  assert.ok(turned[299] < 1.05 * turned[0], `turned by ${turned[0]}, then by ${turned[299]}`);
});

test("a knee points at its pole, and the foot is where it should be", () => {
  for (const [words, shape] of mirrored.slice(0, 4)) {
    const rig = chain(3, shape);
    const [hip, knee, foot] = rig.bones;
    const character = new Character(rig.scene, { effectors: { foot: { bone: "bone2", pole: [0, 0, 0] } } });
    const target = character.target("foot");
    rig.scene.updateMatrixWorld(true);
    const at = hip.getWorldPosition(new THREE.Vector3());
    target.position.lerp(at, 0.3);
    const line = target.position.clone().sub(at).normalize();
    for (const side of [new THREE.Vector3(1, 0.3, 0), new THREE.Vector3(-0.2, 0, 1), new THREE.Vector3(-1, 0.2, -1)]) {
      target.pole.copy(at).addScaledVector(side, 2 * target.position.distanceTo(at));
      const { status } = character.solve();
      rig.scene.updateMatrixWorld(true);
      assert.equal(status, "reached", words);
      assert.ok(foot.getWorldPosition(new THREE.Vector3()).distanceTo(target.position) < 1e-5);
      const across = (point) => point.clone().sub(at).projectOnPlane(line);
      const angle = across(knee.getWorldPosition(new THREE.Vector3())).angleTo(across(target.pole));
      assert.ok(angle < 1e-3, `${words}: the knee is ${angle} off its pole`);
    }
  }
});

test("a sole stays level, and a foot above the floor", () => {
  for (const [words, shape] of mirrored.filter(([words]) => !/inside out|other way/.test(words))) {
    const rig = chain(5, shape);
    const floor = { bone: "bone4", task: "half-space", level: 1 };
    const character = new Character(rig.scene, { effectors: { sole: { bone: "bone3", task: "axis-alignment", axis: [0, 1, 0] }, floor } });
    rig.scene.updateMatrixWorld(true);
    const up = new THREE.Vector3(0.3, 1, 0.2).normalize();
    const at = rig.bones[4].getWorldPosition(new THREE.Vector3());
    const height = 0.1 * at.distanceTo(rig.bones[2].getWorldPosition(new THREE.Vector3()));
    character.target("sole").direction.copy(up).multiplyScalar(3);
    character.target("floor").position.copy(at).addScaledVector(up, height);
    character.target("floor").direction.copy(up);
    assert.equal(character.solve().status, "reached", words);
    rig.scene.updateMatrixWorld(true);
    assert.ok(new THREE.Vector3(0, 1, 0).transformDirection(rig.bones[3].matrixWorld).angleTo(up) < 1e-5, words);
    const above = rig.bones[4].getWorldPosition(new THREE.Vector3()).sub(character.target("floor").position).dot(up);
    assert.ok(above > -1e-5 * at.length(), `${words}: ${above}`);
  }
});

test("a limb straightens gently over its softness", () => {
  const rig = chain(3);
  const [hip, , foot] = rig.bones;
  const character = new Character(rig.scene, { effectors: { foot: { bone: "bone2", softness: 0.2 } } });
  rig.scene.updateMatrixWorld(true);
  const at = hip.getWorldPosition(new THREE.Vector3());
  const reach = rig.bones[1].position.length() + foot.position.length();
  const direction = foot.getWorldPosition(new THREE.Vector3()).sub(at).normalize();
  let last = 0;
  for (let part = 0.7; part < 1.3; part += 0.01) {
    character.target("foot").position.copy(at).addScaledVector(direction, part * reach);
    const { status, error } = character.solve();
    assert.equal(status, "reached", `${part}: ${error}`);
    rig.scene.updateMatrixWorld(true);
    const reached = foot.getWorldPosition(new THREE.Vector3()).distanceTo(at) / reach;
    if (part < 0.8) assert.ok(Math.abs(reached - part) < 1e-5, `${part}: ${reached}`);
    assert.ok(reached <= Math.min(part, 1) + 1e-6 && reached >= last - 1e-6 && reached - last < 0.011 + (last === 0 ? 1 : 0), `${part}: ${reached} after ${last}`);
    last = reached;
  }
  assert.ok(last > 0.999, `${last}`);
});

test("only the bones from the one that is named turn", () => {
  const rig = chain(5);
  const before = rig.bones.map((bone) => bone.quaternion.clone());
  const character = new Character(rig.scene, { effectors: { end: { bone: "bone4", from: "bone2" } } });
  assert.deepEqual(character.bones.map((bone) => bone.name), ["bone2", "bone3"]);
  character.target("end").position.add(new THREE.Vector3(0.1, -0.2, 0.1));
  character.solve();
  assert.ok(rig.bones[0].quaternion.equals(before[0]) && rig.bones[1].quaternion.equals(before[1]));
  assert.ok(!rig.bones[2].quaternion.equals(before[2]));
});

test("two ends, one above the other, are reached together", () => {
  const rig = chain(6);
  const character = new Character(rig.scene, { effectors: { mid: "bone3", end: "bone5" } });
  const random = numbers(9);
  const before = rig.bones.map((bone) => bone.quaternion.clone());
  for (const bone of rig.bones) bone.rotateX(0.4 * (random() - 0.5)).rotateZ(0.5 * random());
  rig.scene.updateMatrixWorld(true);
  for (const [name, bone] of [["mid", 3], ["end", 5]]) rig.bones[bone].getWorldPosition(character.target(name).position);
  rig.bones.forEach((bone, index) => bone.quaternion.copy(before[index]));
  assert.equal(character.solve().status, "reached");
  for (const [name, bone] of [["mid", 3], ["end", 5]]) assert.ok(off(rig.scene, rig.bones[bone], character.target(name)) < 1e-5);
});

test("a hinge turns about its own axis, inside its range, whatever the scale above it", () => {
  for (const [words, shape] of mirrored) {
    const rig = chain(4, shape);
    const rest = rig.bones[1].quaternion.clone();
    const axis = new THREE.Vector3(1, 0.2, 0).normalize();
    const limits = { bone1: { hinge: axis, min: -0.2, max: 0.4 }, bone2: { cone: [0, 1, 0], swing: 0.3, twist: [-0.1, 0.1] } };
    const character = new Character(rig.scene, { effectors: { end: "bone3" }, limits });
    const random = numbers(13);
    const rest2 = rig.bones[2].quaternion.clone();
    for (let round = 0; round < 10; round++) {
      character.target("end").position.copy(bentTarget(rig, random, 2).position);
      character.solve();
      const turn = rest.clone().invert().multiply(rig.bones[1].quaternion);
      const along = new THREE.Vector3(turn.x, turn.y, turn.z);
      const angle = 2 * Math.atan2(along.dot(axis), turn.w);
      assert.ok(along.clone().addScaledVector(axis, -along.dot(axis)).length() < 1e-9, `${words}: turned about another axis`);
      assert.ok(angle >= -0.2 - 1e-9 && angle <= 0.4 + 1e-9, `${words}: ${angle}`);
      const ball = rest2.clone().invert().multiply(rig.bones[2].quaternion);
      const swing = new THREE.Vector3(0, 1, 0).angleTo(new THREE.Vector3(0, 1, 0).applyQuaternion(ball));
      assert.ok(swing <= 0.3 + 1e-6, `${words}: swing ${swing}`);
    }
  }
});

test("a hinge solves where its range allows it, and says what holds it back where not", () => {
  const rig = chain(3);
  const limits = { bone0: { hinge: [0, 0, 1], min: -0.1, max: 0.1 }, bone1: { hinge: [1, 0, 0], min: 0, max: 0.1 } };
  const character = new Character(rig.scene, { effectors: { end: "bone2" }, limits });
  rig.bones[0].rotateZ(0.08);
  rig.bones[1].rotateX(0.07);
  rig.scene.updateMatrixWorld(true);
  rig.bones[2].getWorldPosition(character.target("end").position);
  rig.bones[0].rotateZ(-0.08);
  rig.bones[1].rotateX(-0.07);
  assert.equal(character.solve().status, "reached");
  rig.bones[1].rotateX(1);
  rig.scene.updateMatrixWorld(true);
  rig.bones[2].getWorldPosition(character.target("end").position);
  rig.bones[1].rotateX(-1);
  assert.equal(character.solve().status, "blocked");
  assert.ok(character.blocked().some((bone) => bone.name === "bone1"));
});

test("a free root moves, a pinned one stands", () => {
  const free = chain(3);
  const far = new THREE.Vector3(5, 4, 3);
  const character = new Character(free.scene, { effectors: { end: "bone2" }, root: "free" });
  character.target("end").position.copy(far);
  assert.equal(character.solve().status, "reached");
  assert.ok(off(free.scene, free.bones[2], { position: far }) < 1e-4);
  const pinned = chain(3);
  const before = [pinned.bones[0].position.clone(), pinned.bones[0].quaternion.clone()];
  const still = new Character(pinned.scene, { effectors: { end: "bone2" }, root: "pinned" });
  still.target("end").position.add(new THREE.Vector3(0.1, 0, 0.1));
  still.solve();
  assert.ok(pinned.bones[0].position.equals(before[0]) && pinned.bones[0].quaternion.equals(before[1]));
});

test("an axis of a bone looks at a point, mirrored or not", () => {
  for (const [words, shape] of mirrored.slice(0, 4)) {
    const rig = chain(3, shape);
    const character = new Character(rig.scene, { effectors: { eye: { bone: "bone2", task: "look-at", axis: [1, 0, 0] } } });
    const target = new THREE.Vector3(3, 1, 4);
    character.target("eye").position.copy(target);
    assert.equal(character.solve().status, "reached", words);
    rig.scene.updateMatrixWorld(true);
    const at = rig.bones[2].getWorldPosition(new THREE.Vector3());
    const looks = new THREE.Vector3(1, 0, 0).transformDirection(rig.bones[2].matrixWorld);
    assert.ok(looks.angleTo(target.clone().sub(at)) < 1e-5, words);
  }
});

test("what looks at a point on a sheared rig says so only where it does", () => {
  const random = numbers(5);
  const rig = chain(4, ({ bones }) => {
    bones[0].scale.set(1.4, 1, 0.7);
    bones[1].scale.set(1, 1.3, 0.8);
  });
  const character = new Character(rig.scene, { effectors: { eye: { bone: "bone3", task: "look-at", axis: [1, 0, 0] } } });
  let reached = 0;
  for (let round = 0; round < 20; round++) {
    const target = new THREE.Vector3(3 * random(), 3 * random(), 3 + random());
    character.target("eye").position.copy(target);
    const result = character.solve();
    rig.scene.updateMatrixWorld(true);
    const at = rig.bones[3].getWorldPosition(new THREE.Vector3());
    const looks = new THREE.Vector3(1, 0, 0).transformDirection(rig.bones[3].matrixWorld);
    const off = looks.angleTo(target.sub(at));
    assert.ok(Math.abs(result.orientationError - off) < 1e-6, `says ${result.orientationError}, is ${off} off`);
    if (result.isReached) reached++;
    assert.equal(result.isReached, off < 2e-6, `${result.status} and ${off} off in round ${round}`);
  }
  assert.ok(reached > 15, `${reached} of 20`);
});

test("faults say what is wrong", () => {
  const rig = chain(3);
  const make = (options) => () => new Character(rig.scene, options);
  assert.throws(make({ effectors: {} }), /needs an effector/);
  assert.throws(make({ effectors: { end: "tail" } }), /there is no bone "tail"; there are bone0, bone1, bone2/);
  assert.throws(make({ effectors: { end: { bone: "bone1", from: "bone2" } } }), /"bone2" is not above the bone "bone1"/);
  assert.throws(make({ effectors: { end: "bone2" }, limits: { knee: "fixed" } }), /there is no bone "knee"/);
  assert.throws(make({ effectors: { end: "bone2" }, method: "magic" }), /there is no method `magic`/);
  assert.throws(() => make({ effectors: { end: "bone2" } })().target("hand"), /there is no effector "hand"; there are end/);
  assert.throws(make({ effectors: { end: { bone: "bone2", task: "wave" } } }), /effector "end": there is no task "wave"; there are position, orientation/);
  assert.throws(make({ effectors: { end: { bone: "bone2", softness: 2 } } }), /its softness is 2, which is not between 0 and 1/);
  assert.throws(make({ effectors: { end: { bone: "bone2", from: "bone1", pole: [0, 0, 1] } } }), /its chain has 1 bones that turn, not two: give `mid`/);
  assert.throws(make({ effectors: { end: { bone: "bone2", mid: "bone0", pole: [0, 0, 1] } } }), /`mid` is not a bone between/);
  rig.bones[1].scale.set(1, 0, 1);
  assert.throws(make({ effectors: { end: "bone2" } }), /scaled to nothing/);
});

test("ten thousand frames take no more memory", () => {
  const rig = chain(12);
  const character = new Character(rig.scene, { effectors: { end: { bone: "bone11", task: "pose" } } });
  const { position } = character.target("end");
  const middle = position.clone();
  const frame = (index) => {
    position.copy(middle).add(new THREE.Vector3(0.3 * Math.sin(index / 20), 0.3 * Math.cos(index / 30), -0.2 * Math.sin(index / 50)));
    character.solve();
  };
  for (let index = 0; index < 100; index++) frame(index);
  const before = memory();
  for (let index = 0; index < 10_000; index++) frame(index);
  assert.equal(memory(), before);
});
