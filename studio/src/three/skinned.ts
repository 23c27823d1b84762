//! Meshes of glTF files: read without fetching anything, with bones that stand where the joints of a pose do.

import * as THREE from "three";
import type { GLTFLoaderPlugin, GLTFParser } from "three/addons/loaders/GLTFLoader.js";

/** What of a file's JSON is looked at here. */
interface Json {
  materials?: MaterialJson[];
  textures?: TextureJson[];
  images?: { uri?: string; bufferView?: number; mimeType?: string }[];
  samplers?: { magFilter?: number; minFilter?: number; wrapS?: number; wrapT?: number }[];
  animations?: unknown[];
  nodes?: { name?: string }[];
  meshes?: { primitives: { material?: number }[] }[];
  buffers?: { uri?: string; byteLength: number }[];
  bufferViews?: { buffer: number; byteOffset?: number }[];
}

interface MaterialJson {
  name?: string;
  alphaMode?: string;
  alphaCutoff?: number;
  extensions?: object;
  pbrMetallicRoughness?: { metallicFactor?: number; metallicRoughnessTexture?: object; roughnessFactor?: number; baseColorFactor?: [number, number, number, number]; baseColorTexture?: { index: number } };
}

interface TextureJson {
  source?: number;
  sampler?: number;
  extensions?: { EXT_texture_webp?: { source?: number } };
}

export interface Meshes {
  scene: THREE.Object3D;
  /** What stands for each of the file's nodes. */
  nodes: ReadonlyMap<number, THREE.Object3D>;
  /** Names of the nodes. */
  names: readonly (string | undefined)[];
}

/**
 * The meshes of a glTF, GLB or VRM file; null when it has none that can be drawn.
 *
 * - `withColours`: with the base colours of its materials, and their images
 *
 * # Not read
 * Meshes that are compressed, everything that stands in other files, and of materials all but the base colour.
 */
export async function loadMeshes(bytes: Uint8Array, withColours: boolean): Promise<Meshes | null> {
  const { GLTFLoader } = await import("three/addons/loaders/GLTFLoader.js");
  const loader = new GLTFLoader();
  loader.register((parser) => (withColours ? new Coloured(parser) : new Bare(parser)));
  const gltf = await loader.parseAsync(withoutAddresses(bytes), "");
  const nodes = new Map<number, THREE.Object3D>();
  for (const [object, place] of gltf.parser.associations) {
    const node = (place as { nodes?: number } | undefined)?.nodes;
    if (node !== undefined && object instanceof THREE.Object3D) nodes.set(node, object);
  }
  if (meshesOf(gltf.scene).length === 0) return null;
  gltf.scene.traverse((child) => { if (child instanceof THREE.Light || child instanceof THREE.Camera) child.visible = false; });
  return { scene: gltf.scene, nodes, names: ((gltf.parser.json as Json).nodes ?? []).map(({ name }) => name) };
}

export function meshesOf(object: THREE.Object3D): THREE.Mesh<THREE.BufferGeometry, THREE.Material | THREE.Material[]>[] {
  const meshes: THREE.Mesh<THREE.BufferGeometry, THREE.Material | THREE.Material[]>[] = [];
  object.traverse((child) => { if (child instanceof THREE.Mesh) meshes.push(child as THREE.Mesh<THREE.BufferGeometry>); });
  return meshes;
}

/** Names of nodes that hold one thing at a time. */
const HOLDERS = /slot|socket|weapon|attach|holder/i;

/** Of several things in one hand, as games put all their weapons into a file, only the first is shown. */
export function hideAlternatives(scene: THREE.Object3D): void {
  scene.traverse((holder) => {
    if (!HOLDERS.test(holder.name) || holder instanceof THREE.Mesh) return;
    const held = holder.children.filter((child) => meshesOf(child).length > 0 && !meshesOf(child).some((mesh) => mesh instanceof THREE.SkinnedMesh));
    for (const other of held.slice(1)) other.visible = false;
  });
}

/** Frees shapes and skeletons; materials are their owner's. */
export function disposeMeshes(object: THREE.Object3D): void {
  for (const mesh of meshesOf(object)) {
    mesh.geometry.dispose();
    if (mesh instanceof THREE.SkinnedMesh) mesh.skeleton.dispose();
  }
}

/** Frees the materials of a mesh, and the images that they wear. */
export function disposeMaterials(materials: THREE.Material | THREE.Material[]): void {
  for (const material of [materials].flat()) {
    const map = (material as THREE.MeshStandardMaterial).map as THREE.Texture<ImageBitmap | null> | null | undefined;
    map?.dispose();
    map?.image?.close();
    material.dispose();
  }
}

// ---------------------------------------------------------------------------------------------------------------- bones

/** The nodes of a file that joints move. */
export class Bones {
  readonly #bones: { object: THREE.Object3D; joint: number; rest: THREE.Matrix4 }[] = [];

  /**
   * - `joints`: the node of each joint
   * - `rest`: poses of the joints as the file has its nodes, 7 numbers each
   */
  constructor({ scene, nodes }: Meshes, joints: readonly number[], rest: ArrayLike<number>) {
    scene.updateMatrixWorld(true);
    joints.forEach((node, joint) => {
      const object = nodes.get(node);
      if (object === undefined || 7 * joint >= rest.length) return;
      this.#bones.push({ object, joint, rest: rigid(rest, joint, new THREE.Matrix4()).invert().multiply(object.matrixWorld) });
      object.matrixAutoUpdate = false;
    });
  }

  /** Puts the bones where these poses have the joints. */
  pose(poses: ArrayLike<number>): void {
    for (const { object, joint, rest } of this.#bones) {
      if (poses.length < 7 * (joint + 1)) return;
      rigid(poses, joint, object.matrix).multiply(rest);
      if (object.parent !== null) object.matrix.premultiply(INVERSE.copy(object.parent.matrixWorld).invert());
      object.updateMatrixWorld(true);
    }
  }
}

const INVERSE = new THREE.Matrix4();
const PLACE = new THREE.Vector3();
const TURN = new THREE.Quaternion();
const ONE = new THREE.Vector3(1, 1, 1);

/** The transform of a joint among poses of seven numbers; the identity for a rotation of length zero. */
export function rigid(poses: ArrayLike<number>, joint: number, out: THREE.Matrix4): THREE.Matrix4 {
  const p = 7 * joint;
  PLACE.set(poses[p] as number, poses[p + 1] as number, poses[p + 2] as number);
  TURN.set(poses[p + 3] as number, poses[p + 4] as number, poses[p + 5] as number, poses[p + 6] as number);
  // `normalize` gives the identity for zero.
  return out.compose(PLACE, TURN.normalize(), ONE);
}

// -------------------------------------------------------------------------------------------------------------- reading

/** Takes out what would have to be fetched or is not drawn: all but shapes. */
class Bare implements GLTFLoaderPlugin {
  readonly name = "POSEKIT_bare";

  constructor(private readonly parser: GLTFParser) {}

  beforeRoot(): Promise<void> {
    const json = this.parser.json as Json;
    for (const mesh of json.meshes ?? []) for (const primitive of mesh.primitives) delete primitive.material;
    delete json.materials;
    delete json.textures;
    delete json.images;
    delete json.animations;
    return Promise.resolve();
  }
}

/** Images are not drawn finer than this [px]. */
const MOST_PIXELS = 2048;
/** Numbers of glTF for what samplers do. */
const NEAREST = [9728, 9984, 9986];
const WRAPS: Partial<Record<number, THREE.Wrapping>> = { 33071: THREE.ClampToEdgeWrapping, 33648: THREE.MirroredRepeatWrapping };

/** Materials with base colours, as rough and metallic as the file says. Images are decoded from the file's own bytes: an address, even of a blob, would have to be fetched, which a strict page forbids. */
class Coloured implements GLTFLoaderPlugin {
  readonly name = "POSEKIT_coloured";

  constructor(private readonly parser: GLTFParser) {}

  get #json(): Json {
    return this.parser.json as Json;
  }

  beforeRoot(): Promise<void> {
    delete this.#json.animations;
    // The loader has ways of its own for other kinds of images, which fetch.
    for (const texture of this.#json.textures ?? []) {
      const source = texture.extensions?.EXT_texture_webp?.source ?? texture.source;
      if (source === undefined) delete texture.source;
      else texture.source = source;
      delete texture.extensions;
    }
    return Promise.resolve();
  }

  async loadMaterial(index: number): Promise<THREE.Material> {
    const { name = "", alphaMode, alphaCutoff = 0.5, extensions = {}, pbrMetallicRoughness: base = {} } = this.#json.materials?.[index] ?? {};
    const [red, green, blue, alpha] = base.baseColorFactor ?? [1, 1, 1, 1];
    const worn: { map?: THREE.Texture } = {};
    // Without its image, which may stand elsewhere or be of a kind that browsers do not know, the colour alone is drawn.
    if (base.baseColorTexture) await this.parser.assignTexture(worn, "map", base.baseColorTexture, THREE.SRGBColorSpace).catch(() => null);
    // Where an image says what is metal, or light does not count, a matte surface comes closest.
    const isMatte = base.metallicRoughnessTexture !== undefined || Object.keys(extensions).some((extension) => /unlit|mtoon/i.test(extension));
    const [roughness, metalness] = isMatte ? [0.9, 0] : [base.roughnessFactor ?? 1, base.metallicFactor ?? 1];
    const material = new THREE.MeshStandardMaterial({ name, side: THREE.DoubleSide, roughness, metalness, ...worn });
    material.color.setRGB(red, green, blue, THREE.LinearSRGBColorSpace);
    if (alphaMode === "MASK") material.alphaTest = alphaCutoff;
    if (alphaMode === "BLEND") Object.assign(material, { transparent: true, opacity: alpha, depthWrite: false });
    return material;
  }

  async loadTexture(index: number): Promise<THREE.Texture> {
    const texture = this.#json.textures?.[index];
    const image = await this.#image(texture?.source);
    const { magFilter = 0, minFilter = 0, wrapS = 0, wrapT = 0 } = this.#json.samplers?.[texture?.sampler ?? -1] ?? {};
    const made = new THREE.Texture<ImageBitmap>(image);
    made.flipY = false;
    made.wrapS = WRAPS[wrapS] ?? THREE.RepeatWrapping;
    made.wrapT = WRAPS[wrapT] ?? THREE.RepeatWrapping;
    if (NEAREST.includes(magFilter)) made.magFilter = THREE.NearestFilter;
    if (NEAREST.includes(minFilter)) made.minFilter = THREE.NearestMipmapLinearFilter;
    made.needsUpdate = true;
    return made;
  }

  async #image(source: number | undefined): Promise<ImageBitmap> {
    const image = this.#json.images?.[source ?? -1];
    if (!image) throw new Error("there is no such image");
    const bytes = image.bufferView === undefined ? decode(image.uri) : await this.parser.getDependency("bufferView", image.bufferView) as ArrayBuffer;
    const blob = new Blob([bytes], image.mimeType === undefined ? {} : { type: image.mimeType });
    const how = { premultiplyAlpha: "none", colorSpaceConversion: "none" } as const;
    const whole = await createImageBitmap(blob, how);
    const share = MOST_PIXELS / Math.max(whole.width, whole.height);
    if (share >= 1) return whole;
    const small = await createImageBitmap(whole, { ...how, resizeWidth: Math.ceil(share * whole.width), resizeHeight: Math.ceil(share * whole.height), resizeQuality: "high" });
    whole.close();
    return small;
  }
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
  const json = JSON.parse(new TextDecoder().decode(bytes)) as Json;
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

function decode(uri: string | undefined): Uint8Array<ArrayBuffer> {
  const found = /^data:[^,]*;base64,(.*)$/s.exec(uri ?? "");
  if (found === null) throw new Error("a part of it stands in another file");
  return Uint8Array.from(atob(found[1] as string), (character) => character.charCodeAt(0));
}

function container(json: Json, parts: readonly Uint8Array[], size: number): ArrayBuffer {
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
