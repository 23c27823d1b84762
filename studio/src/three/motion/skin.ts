//! The skin of a character: the mesh of its file, with bones that stand where the joints of a pose do.

import * as THREE from "three";
import { Ink, lookOf, mix, solverInk, type Palette } from "../../core/pictures/look.ts";
import type { Vec3 } from "../../core/files.ts";
import type { ShownMotion } from "../../core/motion/types.ts";
import { Bones, disposeMaterials, disposeMeshes, loadMeshes, meshesOf, type Meshes } from "../skinned.ts";

/** A mesh that a pose moves, in its own colours or in that of the result. */
export class Skin {
  readonly object: THREE.Object3D;
  readonly #bones: Bones;
  readonly #plain = new THREE.MeshLambertMaterial({ side: THREE.DoubleSide });
  readonly #own: ReadonlyMap<THREE.Mesh, THREE.Material | THREE.Material[]>;

  constructor(meshes: Meshes, joints: readonly number[], rest: Float32Array) {
    this.object = meshes.scene;
    this.#bones = new Bones(meshes, joints, rest);
    const all = meshesOf(this.object);
    this.#own = new Map(all.map((mesh) => [mesh, mesh.material]));
    for (const mesh of all) {
      mesh.frustumCulled = false;
      mesh.renderOrder = 2;
    }
  }

  /** Wears its own colours, or that of the result. */
  wear(isOwn: boolean): void {
    for (const [mesh, own] of this.#own) mesh.material = isOwn ? own : this.#plain;
  }

  /** The colour of the result, or the grey of the original. */
  paint(palette: Palette, ink: number = solverInk(lookOf("two-bone"))): void {
    this.#plain.color.set(mix(palette.colours[Ink.paper] as string, palette.colours[ink] as string, palette.theme === "light" ? 0.55 : 0.75));
  }

  /** Puts the bones where these poses have the joints, and all of it aside. */
  pose(poses: Float32Array, aside: Vec3 = [0, 0, 0]): void {
    this.object.position.set(0, 0, 0);
    this.object.updateMatrixWorld(true);
    this.#bones.pose(poses);
    this.object.position.set(...aside);
    this.object.updateMatrixWorld(true);
  }

  dispose(): void {
    disposeMeshes(this.object);
    for (const own of this.#own.values()) disposeMaterials(own);
    this.#plain.dispose();
  }
}

/** The skin of a glTF, GLB or VRM; null for a file without a mesh that can be drawn. */
export async function loadSkin(shown: ShownMotion, withColours: boolean): Promise<Skin | null> {
  if (shown.info.format === "bvh" || shown.rest.length === 0) return null;
  const meshes = await loadMeshes(shown.bytes, withColours);
  return meshes && new Skin(meshes, shown.info.joints.map(({ name }) => nodeOf(name, meshes.names)), shown.rest);
}

/** Joints bear the names of their nodes; those that have none, or one that is taken, bear the node's number. */
function nodeOf(joint: string, names: readonly (string | undefined)[]): number {
  const numbered = /(?:^| \()node (\d+)\)?$/.exec(joint);
  return numbered ? Number(numbered[1]) : names.indexOf(joint);
}
