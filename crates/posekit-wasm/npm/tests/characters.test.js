// Characters that others made: every limb of three bones and more reaches where it can, by three.js's own matrices.
import assert from "node:assert/strict";
import * as THREE from "three";
import { Problem } from "posekit";
import { Character } from "posekit/three";
import { readFileSync } from "node:fs";
import { asset, load, numbers, testWithAssets } from "./support.js";

/** Files, and how many limbs of four bones and more they have. */
const CHARACTERS = {
  "gltf/Fox.glb": 6,
  "gltf/CesiumMan.glb": 4,
  "gltf/RiggedFigure.glb": 4,
  "gltf/Knight.glb": 4,
  "gltf/godot_platformer_robot.glb": 4,
  "gltf/vrm0_pose_rotation_scale_shape_key_skinned.vrm": 4,
  "gltf/vrm0_armature_transform.vrm": 4,
  "gltf/vrm0_sphere.vrm": 4,
  "gltf/vrm1_debug_robot.vrm": 4,
};

/** The ways from the last bone of each limb up, at most this long. */
function limbs(scene, most) {
  const isBone = (object) => object?.isBone;
  const all = [];
  scene.traverse((object) => all.push(object));
  const bones = all.some(isBone) ? all.filter(isBone) : all.filter((object) => !object.isMesh && object.parent);
  const set = new Set(bones);
  const ends = bones.filter((bone) => !bone.children.some((child) => set.has(child)));
  return ends
    .map((end) => {
      const way = [end];
      while (way.length < most && set.has(way[0].parent)) way.unshift(way[0].parent);
      return way;
    })
    .filter((way) => way.length >= 4);
}

for (const [file, least] of Object.entries(CHARACTERS)) {
  testWithAssets(`${file}: its limbs reach`, async () => {
    const { scene } = await load(asset(file));
    scene.updateMatrixWorld(true);
    const random = numbers(1);
    const ways = limbs(scene, 5);
    assert.ok(ways.length >= least, `${ways.length} limbs`);
    let [reached, tries] = [0, 0];
    for (const way of ways) {
      const [from, bone] = [way[0], way.at(-1)];
      const character = new Character(scene, { effectors: { end: { bone, from } } });
      const before = way.map((each) => each.quaternion.clone());
      for (let round = 0; round < 5; round++) {
        way.slice(0, -1).forEach((each) => each.quaternion.multiply(new THREE.Quaternion(random() - 0.5, random() - 0.5, random() - 0.5, 1.5).normalize()));
        scene.updateMatrixWorld(true);
        const wanted = bone.getWorldPosition(character.target("end").position).clone();
        way.forEach((each, index) => each.quaternion.copy(before[index]));
        scene.updateMatrixWorld(true);
        const size = way.reduce((sum, each, index) => {
          const at = each.getWorldPosition(new THREE.Vector3());
          return index === 0 ? 0 : sum + at.distanceTo(way[index - 1].getWorldPosition(new THREE.Vector3()));
        }, 0);
        const result = character.solve();
        scene.updateMatrixWorld(true);
        const off = bone.getWorldPosition(new THREE.Vector3()).distanceTo(wanted);
        assert.equal(result.isReached, off <= 1e-4 * size, `${bone.name}: ${result.status}, ${off} of ${size} off`);
        tries++;
        reached += Number(result.isReached);
      }
      way.forEach((each, index) => each.quaternion.copy(before[index]));
      character.dispose();
    }
    assert.equal(reached, tries);
  });

  testWithAssets(`${file}: read without three.js it stands the same`, async () => {
    const { scene, parser } = await load(asset(file));
    scene.updateMatrixWorld(true);
    const problem = Problem.fromGltf(readFileSync(asset(file)));
    const names = problem.names();
    const poses = new Float64Array(7 * problem.nJoints);
    problem.poses(problem.start(), poses);
    // Names that are there once on both sides.
    const objects = new Map();
    for (const [object, made] of parser.associations) {
      const name = parser.json.nodes[made?.nodes]?.name;
      if (name !== undefined && object.isObject3D) objects.set(name, objects.has(name) ? null : object);
    }
    let compared = 0;
    for (const [joint, name] of names.entries()) {
      const object = objects.get(name);
      if (!object || object.parent === null) continue;
      const at = object.getWorldPosition(new THREE.Vector3());
      const here = new THREE.Vector3(...poses.subarray(7 * joint, 7 * joint + 3));
      const size = Math.max(1, at.length());
      assert.ok(at.distanceTo(here) < 1e-5 * size, `${name}: ${at.toArray()} and ${here.toArray()}`);
      compared++;
    }
    assert.ok(compared >= 10, `${compared} joints compared`);
    problem.free();
  });
}

for (const file of ["gltf/vrm0_sphere.vrm", "gltf/vrm0_armature_transform.vrm", "gltf/vrm1_debug_robot.vrm"]) {
  testWithAssets(`${file}: its bones go by their humanoid names`, async () => {
    const { scene, parser } = await load(asset(file));
    const bytes = readFileSync(asset(file));
    parser.json.extensions = JSON.parse(bytes.toString("utf8", 20, 20 + bytes.readUInt32LE(12))).extensions;
    scene.updateMatrixWorld(true);
    const effectors = { hand: { bone: "leftHand", from: "leftUpperArm", pole: [0, 0, -10] } };
    const character = new Character({ scene, parser }, { effectors, limits: { leftLowerArm: { cone: [1, 0, 0], swing: 2.6 } } });
    assert.equal(character.bones.length, 2);
    const [arm] = character.bones;
    character.target("hand").position.lerp(arm.getWorldPosition(new THREE.Vector3()), 0.4);
    assert.equal(character.solve().status, "reached");
    assert.throws(() => new Character(scene, { effectors }), /there is no bone "leftHand"/);
    // three-vrm has a map of its own.
    const humanoid = { getRawBoneNode: (name) => ({ leftHand: character.bones[1].children[0], leftUpperArm: arm })[name] ?? null };
    assert.equal(new Character({ scene, humanoid }, { effectors }).bones.length, 2);
  });
}

for (const side of ["left", "right"]) {
  testWithAssets(`a ${side} hand of WebXR, whose joints are siblings, becomes a hierarchy and reaches`, () => {
    const problem = Problem.fromGltf(readFileSync(asset(`gltf/webxr_generic_hand_${side}.glb`)), "index-finger-tip");
    const [names, parents] = [problem.names(), problem.parents()];
    const above = (name) => names[parents[names.indexOf(name)]];
    assert.deepEqual(["index-finger-tip", "thumb-phalanx-distal", "ring-finger-metacarpal"].map(above), ["index-finger-phalanx-distal", "thumb-phalanx-proximal", "wrist"]);
    assert.match(problem.warnings().join("\n"), /WebXR names/);
    const target = problem.tasks()[0].position;
    const solver = problem.solver();
    solver.setTarget(0, new Float64Array([target[0], target[1] + 0.03, target[2] - 0.02]));
    solver.begin("auto");
    solver.run();
    assert.equal(solver.status, "reached");
    solver.free();
    problem.free();
  });
}
