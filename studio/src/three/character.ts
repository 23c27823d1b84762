//! A character: the meshes of its file in their own materials, with bones that stand where the joints of a pose do.

import * as THREE from "three";
import type { CharacterFile, ProblemInfo } from "../core/types.ts";
import { Bones, disposeMaterials, disposeMeshes, hideAlternatives, loadMeshes, meshesOf, type Meshes } from "./skinned.ts";

export class Character {
  readonly object: THREE.Object3D;
  readonly #bones: Bones;
  /** What each mesh came with. */
  protected readonly own: ReadonlyMap<THREE.Mesh, THREE.Material | THREE.Material[]>;

  /**
   * - `joints`: the node of each joint
   * - `rest`: poses of the joints as the file has its nodes, 7 numbers each
   */
  constructor(meshes: Meshes, joints: readonly number[], rest: ArrayLike<number>) {
    this.object = meshes.scene;
    hideAlternatives(this.object);
    this.#bones = new Bones(meshes, joints, rest);
    const all = meshesOf(this.object);
    this.own = new Map(all.map((mesh) => [mesh, mesh.material]));
    for (const mesh of all) {
      mesh.frustumCulled = false;
      mesh.renderOrder = 2;
    }
  }

  /** Puts the bones where these poses have the joints. */
  pose(poses: ArrayLike<number>): void {
    this.#bones.pose(poses);
  }

  dispose(): void {
    disposeMeshes(this.object);
    for (const own of this.own.values()) disposeMaterials(own);
  }
}

/** The meshes of a glTF, GLB or VRM file; null when the file has none that can be drawn. */
export async function loadCharacter(file: CharacterFile, info: ProblemInfo): Promise<Character | null> {
  const meshes = await loadMeshes(file.bytes, true);
  return meshes && new Character(meshes, file.nodes, info.neutral);
}
