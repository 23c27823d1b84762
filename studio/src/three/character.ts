//! A skinned character: its mesh drawn by three.js as a quiet translucent skin, its bones posed by the joints of a figure.
//!
//! Only the shape is taken from the file. Textures are left out: the figure inside is what shines, and nothing is fetched.

import * as THREE from "three";
import { Ink, mix, type Palette } from "../core/pictures/look.ts";
import { rotationAt, vectorAt } from "../core/math.ts";
import type { CharacterFile, PoseData, ProblemInfo } from "../core/types.ts";

/** How much of the skin is seen: bones show through it. */
const OPACITY = 0.5;

/** A mesh whose bones follow joints. */
export class Character {
  readonly #bones: { object: THREE.Object3D; joint: number; rest: THREE.Matrix4; world: THREE.Matrix4 }[] = [];
  readonly #skin = new THREE.MeshLambertMaterial({ transparent: true, opacity: OPACITY, side: THREE.DoubleSide, depthFunc: THREE.LessEqualDepth });
  /** Drawn before the skin: of the skin only what is in front is seen, not its folds behind. */
  readonly #front = new THREE.MeshBasicMaterial({
    colorWrite: false, transparent: true, side: THREE.DoubleSide, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1,
  });

  /**
   * - `object`: the scene of the file
   * - `nodes`: what stands for each of the file's nodes
   */
  constructor(readonly object: THREE.Object3D, nodes: ReadonlyMap<number, THREE.Object3D>, file: CharacterFile, info: ProblemInfo) {
    object.updateMatrixWorld(true);
    file.nodes.forEach((node, joint) => {
      const bone = nodes.get(node);
      if (bone === undefined || joint >= info.nJoints) return;
      const from = rigid(info.neutral, joint, new THREE.Matrix4()).invert();
      this.#bones.push({ object: bone, joint, rest: from.multiply(bone.matrixWorld), world: new THREE.Matrix4() });
      bone.matrixAutoUpdate = false;
    });
    this.#dress();
  }

  /** Every mesh in the same skin, drawn after the bones. */
  #dress(): void {
    const meshes: THREE.Mesh[] = [];
    this.object.traverse((child) => {
      if (child instanceof THREE.Mesh) meshes.push(child);
      else if (child instanceof THREE.Light || child instanceof THREE.Camera) child.visible = false;
    });
    for (const mesh of meshes) {
      disposeMaterials(mesh);
      mesh.material = this.#skin;
      mesh.frustumCulled = false;
      mesh.renderOrder = 3.5;
      const front = mesh.clone(false);
      front.material = this.#front;
      front.renderOrder = 3.4;
      // Where the mesh is, which may itself be moved by a joint; a skinned one is bound to the same skeleton.
      front.matrixAutoUpdate = false;
      front.matrix.identity();
      mesh.add(front);
    }
  }

  paint(palette: Palette): void {
    const colours = palette.colours;
    const share = palette.theme === "light" ? 0.5 : 0.85;
    this.#skin.color.set(mix(colours[Ink.paper] as string, colours[Ink.start] as string, share));
  }

  /** Puts the bones where a pose has the joints. */
  pose(pose: PoseData): void {
    for (const bone of this.#bones) {
      if (pose.poses.length < 7 * (bone.joint + 1)) return;
      rigid(pose.poses, bone.joint, bone.world).multiply(bone.rest);
      bone.object.matrix.copy(bone.world);
      const parent = bone.object.parent;
      if (parent !== null) bone.object.matrix.premultiply(INVERSE.copy(parent.matrixWorld).invert());
      bone.object.updateMatrixWorld(true);
    }
  }

  dispose(): void {
    this.object.traverse((child) => {
      if (child instanceof THREE.Mesh) (child.geometry as THREE.BufferGeometry).dispose();
      if (child instanceof THREE.SkinnedMesh) child.skeleton.dispose();
    });
    this.#skin.dispose();
    this.#front.dispose();
  }
}

const INVERSE = new THREE.Matrix4();
const PLACE = new THREE.Vector3();
const TURN = new THREE.Quaternion();
const ONE = new THREE.Vector3(1, 1, 1);

function rigid(poses: ArrayLike<number>, joint: number, out: THREE.Matrix4): THREE.Matrix4 {
  PLACE.set(...vectorAt(poses, joint, 7));
  TURN.set(...rotationAt(poses, joint));
  return out.compose(PLACE, TURN, ONE);
}

function disposeMaterials(mesh: THREE.Mesh): void {
  for (const material of Array.isArray(mesh.material) ? mesh.material : [mesh.material]) material.dispose();
}

/**
 * The mesh of a glTF, GLB or VRM file; null when the file has none that can be drawn.
 *
 * # Not read
 * Textures, and meshes that are compressed or stand in other files.
 */
export async function loadCharacter(file: CharacterFile, info: ProblemInfo): Promise<Character | null> {
  const { GLTFLoader } = await import("three/addons/loaders/GLTFLoader.js");
  const loader = new GLTFLoader();
  loader.register((parser) => ({
    name: "POSEKIT_bare",
    beforeRoot: () => {
      strip(parser.json as Bare);
      return Promise.resolve();
    },
  }));
  const glb = withoutAddresses(file.bytes);
  const gltf = await loader.parseAsync(glb, "");
  const nodes = new Map<number, THREE.Object3D>();
  for (const [object, place] of gltf.parser.associations) {
    const node = (place as { nodes?: number } | undefined)?.nodes;
    if (node !== undefined && object instanceof THREE.Object3D) nodes.set(node, object);
  }
  let hasMesh = false;
  gltf.scene.traverse((child) => { hasMesh ||= child instanceof THREE.Mesh; });
  return hasMesh ? new Character(gltf.scene, nodes, file, info) : null;
}

/** What of a file's JSON is looked at here. */
interface Bare {
  materials?: unknown[];
  textures?: unknown[];
  images?: unknown[];
  animations?: unknown[];
  meshes?: { primitives: { material?: number }[] }[];
  buffers?: { uri?: string; byteLength: number }[];
  bufferViews?: { buffer: number; byteOffset?: number }[];
  extensionsRequired?: string[];
}

/** Takes out what would have to be fetched or is not drawn. */
function strip(json: Bare): void {
  for (const mesh of json.meshes ?? []) for (const primitive of mesh.primitives) delete primitive.material;
  delete json.materials;
  delete json.textures;
  delete json.images;
  delete json.animations;
}

const GLB_MAGIC = 0x46546c67;
const JSON_CHUNK = 0x4e4f534a;
const BIN_CHUNK = 0x004e4942;

/**
 * A text file with its buffers written out as a GLB, because a strict page may not fetch a `data:` address; a GLB as it is.
 *
 * # Errors
 * A message for people where a buffer stands in another file.
 */
export function withoutAddresses(bytes: Uint8Array): ArrayBuffer {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length >= 4 && view.getUint32(0, true) === GLB_MAGIC) return bytes.slice().buffer;
  const json = JSON.parse(new TextDecoder().decode(bytes)) as Bare;
  const parts: Uint8Array[] = [];
  let size = 0;
  const offsets = (json.buffers ?? []).map((buffer) => {
    const part = decode(buffer.uri);
    const at = size;
    parts.push(part, new Uint8Array((4 - (part.length % 4)) % 4));
    size = at + part.length + ((4 - (part.length % 4)) % 4);
    return at;
  });
  for (const buffered of json.bufferViews ?? []) {
    buffered.byteOffset = (buffered.byteOffset ?? 0) + (offsets[buffered.buffer] ?? 0);
    buffered.buffer = 0;
  }
  if (size > 0) json.buffers = [{ byteLength: size }];
  return container(json, parts, size);
}

function decode(uri: string | undefined): Uint8Array {
  const found = /^data:[^,]*;base64,(.*)$/s.exec(uri ?? "");
  if (found === null) throw new Error("its mesh stands in another file");
  return Uint8Array.from(atob(found[1] as string), (character) => character.charCodeAt(0));
}

function container(json: Bare, parts: readonly Uint8Array[], size: number): ArrayBuffer {
  const text = new TextEncoder().encode(JSON.stringify(json));
  const padded = Math.ceil(text.length / 4) * 4;
  const total = 12 + 8 + padded + (size > 0 ? 8 + size : 0);
  const out = new Uint8Array(total).fill(0x20);
  const view = new DataView(out.buffer);
  [GLB_MAGIC, 2, total, padded, JSON_CHUNK].forEach((value, i) => { view.setUint32(4 * i, value, true); });
  out.set(text, 20);
  if (size > 0) {
    view.setUint32(20 + padded, size, true);
    view.setUint32(24 + padded, BIN_CHUNK, true);
    let at = 28 + padded;
    for (const part of parts) {
      out.set(part, at);
      at += part.length;
    }
    out.fill(0, at);
  }
  return out.buffer;
}
