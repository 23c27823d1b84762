//! The skin of a character: the mesh of its file, with bones that stand where the joints of a pose do.

import * as THREE from "three";
import { Ink, lookOf, mix, solverInk, type Palette } from "../../core/pictures/look.ts";
import type { Vec3 } from "../../core/files.ts";
import type { ShownMotion } from "../../core/motion/types.ts";
import { Character } from "../character.ts";
import { loadMeshes } from "../skinned.ts";

/** A character in its own colours or in that of the result. */
export class Skin extends Character {
  readonly #plain = new THREE.MeshStandardMaterial({ side: THREE.DoubleSide, roughness: 0.9 });

  /** Wears its own colours, or that of the result. */
  wear(isOwn: boolean): void {
    for (const [mesh, own] of this.own) mesh.material = isOwn ? own : this.#plain;
  }

  /** The colour of the result, or the grey of the original. */
  paint(palette: Palette, ink: number = solverInk(lookOf("two-bone"))): void {
    this.#plain.color.set(mix(palette.colours[Ink.paper] as string, palette.colours[ink] as string, palette.theme === "light" ? 0.55 : 0.75));
  }

  /** Puts the bones where these poses have the joints, and all of it aside. */
  override pose(poses: Float32Array, aside: Vec3 = [0, 0, 0]): void {
    this.object.position.set(0, 0, 0);
    this.object.updateMatrixWorld(true);
    super.pose(poses);
    this.object.position.set(...aside);
    this.object.updateMatrixWorld(true);
  }

  override dispose(): void {
    super.dispose();
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
