//! The skin of a character: the mesh of its file, with bones that stand where the joints of a pose do.

import * as THREE from "three";
import { Ink, lookOf, mix, solverInk, type Palette } from "../../core/pictures/look.ts";
import type { ShownMotion } from "../../core/motion/types.ts";
import { withoutAddresses } from "../character.ts";

interface Bone {
  object: THREE.Object3D;
  joint: number;
  /** joint_from_bone at rest. */
  rest: THREE.Matrix4;
}

/** A mesh that a pose moves. */
export class Skin {
  readonly #bones: Bone[] = [];
  readonly #material = new THREE.MeshLambertMaterial({ side: THREE.DoubleSide });

  constructor(readonly object: THREE.Object3D, nodes: ReadonlyMap<number, THREE.Object3D>, joints: readonly number[], rest: Float32Array) {
    object.updateMatrixWorld(true);
    joints.forEach((node, joint) => {
      const bone = nodes.get(node);
      if (!bone) return;
      this.#bones.push({ object: bone, joint, rest: rigid(rest, joint, new THREE.Matrix4()).invert().multiply(bone.matrixWorld) });
      bone.matrixAutoUpdate = false;
    });
    object.traverse((child) => {
      if (child instanceof THREE.Light || child instanceof THREE.Camera) child.visible = false;
      if (!(child instanceof THREE.Mesh)) return;
      for (const material of [child.material as THREE.Material | THREE.Material[]].flat()) material.dispose();
      child.material = this.#material;
      child.frustumCulled = false;
      child.renderOrder = 2;
    });
  }

  paint(palette: Palette): void {
    const own = palette.colours[solverInk(lookOf("two-bone"))] as string;
    this.#material.color.set(mix(palette.colours[Ink.paper] as string, own, palette.theme === "light" ? 0.55 : 0.75));
  }

  /** Puts the bones where these poses have the joints. */
  pose(poses: Float32Array): void {
    for (const { object, joint, rest } of this.#bones) {
      rigid(poses, joint, object.matrix).multiply(rest);
      const parent = object.parent;
      if (parent !== null) object.matrix.premultiply(INVERSE.copy(parent.matrixWorld).invert());
      object.updateMatrixWorld(true);
    }
  }

  dispose(): void {
    this.object.traverse((child) => {
      if (child instanceof THREE.Mesh) (child.geometry as THREE.BufferGeometry).dispose();
      if (child instanceof THREE.SkinnedMesh) child.skeleton.dispose();
    });
    this.#material.dispose();
  }
}

const INVERSE = new THREE.Matrix4();
const PLACE = new THREE.Vector3();
const TURN = new THREE.Quaternion();
const ONE = new THREE.Vector3(1, 1, 1);

function rigid(poses: ArrayLike<number>, joint: number, out: THREE.Matrix4): THREE.Matrix4 {
  const p = 7 * joint;
  PLACE.set(poses[p] as number, poses[p + 1] as number, poses[p + 2] as number);
  TURN.set(poses[p + 3] as number, poses[p + 4] as number, poses[p + 5] as number, poses[p + 6] as number);
  return out.compose(PLACE, TURN, ONE);
}

interface Bare {
  materials?: unknown;
  textures?: unknown;
  images?: unknown;
  animations?: unknown;
  nodes?: { name?: string }[];
  meshes?: { primitives: { material?: number }[] }[];
}

/** The skin of a glTF, GLB or VRM; null for a file without a mesh that can be drawn. Textures are left out. */
export async function loadSkin(shown: ShownMotion): Promise<Skin | null> {
  if (shown.info.format === "bvh" || shown.rest.length === 0) return null;
  const { GLTFLoader } = await import("three/addons/loaders/GLTFLoader.js");
  const loader = new GLTFLoader();
  let names: (string | undefined)[] = [];
  loader.register((parser) => ({
    name: "POSEKIT_bare_motion",
    beforeRoot: () => {
      const json = parser.json as Bare;
      names = (json.nodes ?? []).map(({ name }) => name);
      for (const mesh of json.meshes ?? []) for (const primitive of mesh.primitives) delete primitive.material;
      delete json.materials;
      delete json.textures;
      delete json.images;
      delete json.animations;
      return Promise.resolve();
    },
  }));
  const gltf = await loader.parseAsync(withoutAddresses(shown.bytes), "");
  const nodes = new Map<number, THREE.Object3D>();
  for (const [object, place] of gltf.parser.associations) {
    const node = (place as { nodes?: number } | undefined)?.nodes;
    if (node !== undefined && object instanceof THREE.Object3D) nodes.set(node, object);
  }
  let hasMesh = false;
  gltf.scene.traverse((child) => { hasMesh ||= child instanceof THREE.Mesh; });
  if (!hasMesh) return null;
  return new Skin(gltf.scene, nodes, shown.info.joints.map(({ name }) => nodeOf(name, names)), shown.rest);
}

/** Joints bear the names of their nodes; those that have none, or one that is taken, bear the node's number. */
function nodeOf(joint: string, names: readonly (string | undefined)[]): number {
  const numbered = /(?:^| \()node (\d+)\)?$/.exec(joint);
  return numbered ? Number(numbered[1]) : names.indexOf(joint);
}
