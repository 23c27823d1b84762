//! A robot as it looks: the shapes of its files on the joints that carry them. Meshes are read by three's loaders from the files that were dropped; nothing is fetched.

import * as THREE from "three";
import { Ink, mix, type Palette } from "../core/pictures/look.ts";
import { fileNamed, type RobotShape } from "../core/robot.ts";
import type { ProblemInfo } from "../core/types.ts";
import { armParts } from "./arm-body.ts";
import { disposeMaterials, disposeMeshes, loadMeshes, meshesOf, rigid } from "./skinned.ts";

/** How much of the solver's colour is in surfaces that have no colour of their own. */
const ACCENT = 0.12;
const [ROUGH, METAL] = [0.55, 0.1] as const;

export class RobotBody {
  readonly object = new THREE.Group();
  readonly #links = new Map<number, THREE.Group>();
  /** Of surfaces without a colour of their own. */
  readonly #neutral = new THREE.MeshStandardMaterial({ roughness: ROUGH, metalness: METAL, side: THREE.DoubleSide });

  readonly #accent = new THREE.MeshStandardMaterial({ roughness: ROUGH, metalness: METAL });

  /** Meshes that three cannot read; their links stay bare. */
  readonly unread: string[] = [];

  /** Shapes whose meshes are not among the files are left out. */
  static async load(shapes: readonly RobotShape[], files: ReadonlyMap<string, Uint8Array>): Promise<RobotBody> {
    const body = new RobotBody();
    const meshes = new Map<string, Promise<THREE.Object3D | null>>();
    for (const shape of shapes) {
      const made = shape.file === undefined ? solidOf(shape) : await body.#copyOf(shape.file, files, meshes);
      if (made !== null) body.#add(shape, made);
    }
    return body;
  }

  /** A mesh of its own from a file that is read once; null where it is not there or cannot be read. */
  async #copyOf(name: string, files: ReadonlyMap<string, Uint8Array>, read: Map<string, Promise<THREE.Object3D | null>>): Promise<THREE.Object3D | null> {
    const path = fileNamed(files, name);
    const bytes = path === undefined ? undefined : files.get(path);
    if (path === undefined || bytes === undefined) return null;
    const first = read.get(path) ?? readMesh(path, bytes).catch(() => null).then((mesh) => {
      if (mesh === null) this.unread.push(path);
      return mesh;
    });
    read.set(path, first);
    return (await first)?.clone() ?? null;
  }

  /** An arm whose file has no shapes; empty for anything else. */
  static ofArm(info: ProblemInfo): RobotBody {
    const body = new RobotBody();
    // Its parts are closed, where meshes of others may show their insides.
    body.#neutral.side = THREE.FrontSide;
    for (const { joint, geometry, isAccent } of armParts(info)) {
      const mesh = new THREE.Mesh(geometry, isAccent ? body.#accent : body.#neutral);
      mesh.renderOrder = 2;
      body.#link(joint).add(mesh);
    }
    return body;
  }

  get isEmpty(): boolean {
    return this.#links.size === 0;
  }

  #add({ joint, pose, kind, size, color }: RobotShape, solid: THREE.Object3D): void {
    const own = color && coloured(color);
    for (const mesh of meshesOf(solid)) {
      mesh.frustumCulled = false;
      mesh.renderOrder = 2;
      if (mesh.material === BARE) mesh.material = own ?? this.#neutral;
    }
    const placed = new THREE.Group();
    placed.add(solid);
    rigid(pose, 0, placed.matrix);
    if (kind === "mesh") placed.matrix.scale(new THREE.Vector3(size[0], size[1], size[2]));
    placed.matrixAutoUpdate = false;
    this.#link(joint).add(placed);
  }

  #link(joint: number): THREE.Group {
    const known = this.#links.get(joint);
    if (known) return known;
    const link = new THREE.Group();
    link.matrixAutoUpdate = false;
    this.#links.set(joint, link);
    this.object.add(link);
    return link;
  }

  /** Neutral, with the colour of the solver as an accent. */
  paint(palette: Palette, ink: number): void {
    const neutral = mix(palette.colours[Ink.paper] as string, palette.colours[Ink.start] as string, palette.theme === "light" ? 0.12 : 0.8);
    this.#accent.color.set(palette.colours[ink] as string);
    this.#neutral.color.set(mix(neutral, palette.colours[ink] as string, ACCENT));
  }

  /** Puts the links where these poses have the joints. */
  pose(poses: ArrayLike<number>): void {
    for (const [joint, link] of this.#links) if (poses.length >= 7 * (joint + 1)) rigid(poses, joint, link.matrix);
    this.object.updateMatrixWorld(true);
  }

  dispose(): void {
    for (const mesh of meshesOf(this.object)) if (mesh.material !== this.#neutral && mesh.material !== this.#accent) disposeMaterials(mesh.material);
    disposeMeshes(this.object);
    this.#neutral.dispose();
    this.#accent.dispose();
  }
}

/** Stands for a surface that has no colour in its mesh. */
const BARE = new THREE.MeshStandardMaterial();

function coloured([red, green, blue, alpha]: NonNullable<RobotShape["color"]>): THREE.Material {
  const material = new THREE.MeshStandardMaterial({ roughness: ROUGH, metalness: METAL, side: THREE.DoubleSide, transparent: alpha < 1, opacity: alpha });
  material.color.setRGB(red, green, blue, THREE.SRGBColorSpace);
  return material;
}

/** A primitive; axes along z as in the files. Null for a floor, which the view has. */
function solidOf({ kind, size: [a = 0, b = 0, c = 0] }: RobotShape): THREE.Object3D | null {
  switch (kind) {
    case "box": return new THREE.Mesh(new THREE.BoxGeometry(2 * a, 2 * b, 2 * c), BARE);
    case "sphere": return new THREE.Mesh(new THREE.SphereGeometry(a, 32, 20), BARE);
    case "cylinder": return new THREE.Mesh(new THREE.CylinderGeometry(a, a, 2 * b, 40).rotateX(Math.PI / 2), BARE);
    case "capsule": return new THREE.Mesh(new THREE.CapsuleGeometry(a, 2 * b, 10, 32).rotateX(Math.PI / 2), BARE);
    case "ellipsoid": return new THREE.Mesh(new THREE.SphereGeometry(1, 32, 20).scale(a, b, c), BARE);
    default: return null;
  }
}

async function readMesh(path: string, bytes: Uint8Array): Promise<THREE.Object3D | null> {
  const whole = () => bytes.slice().buffer;
  const text = () => new TextDecoder().decode(bytes);
  switch (/\.(\w+)$/.exec(path)?.[1]?.toLowerCase()) {
    case "stl": {
      const { STLLoader } = await import("three/addons/loaders/STLLoader.js");
      return new THREE.Mesh(new STLLoader().parse(whole()), BARE);
    }
    case "obj": {
      const { OBJLoader } = await import("three/addons/loaders/OBJLoader.js");
      const object = new OBJLoader().parse(text());
      // Its colours are in another file.
      for (const mesh of meshesOf(object)) {
        disposeMaterials(mesh.material);
        mesh.material = BARE;
      }
      return object;
    }
    case "dae": return await readCollada(text());
    case "glb": case "gltf": return (await loadMeshes(bytes, true))?.scene ?? null;
    default: return null;
  }
}

/** Of a Collada file its shapes and colours: its images stand elsewhere, and as in ROS its axis that is up does not count. */
async function readCollada(text: string): Promise<THREE.Object3D | null> {
  const { ColladaLoader } = await import("three/addons/loaders/ColladaLoader.js");
  const plain = text
    .replace(/<up_axis>[^<]*<\/up_axis>/, "")
    .replace(/<(library_images|library_animations|library_lights|library_cameras)[\s>][\s\S]*?<\/\1>/g, "")
    .replace(/<(instance_light|instance_camera)\s[^>]*\/>/g, "")
    .replace(/<texture\s[^>]*(\/>|>[\s\S]*?<\/texture>)/g, "");
  const scene = new ColladaLoader().parse(plain, "")?.scene;
  if (scene === undefined) return null;
  for (const mesh of meshesOf(scene)) mesh.material = Array.isArray(mesh.material) ? mesh.material.map(matte) : matte(mesh.material);
  return scene;
}

/** The colour of a material on the surface that every robot has. */
function matte(material: THREE.Material): THREE.Material {
  const { color, transparent = false, opacity = 1 } = material as THREE.MeshPhongMaterial;
  material.dispose();
  return new THREE.MeshStandardMaterial({ color, roughness: ROUGH, metalness: METAL, side: THREE.DoubleSide, transparent, opacity });
}
