//! A skinned character: its mesh drawn by three.js as a quiet translucent skin, its bones posed by the joints of a figure.
//!
//! Only the shape is taken from the file. Textures are left out: the figure inside is what shines, and nothing is fetched.

import * as THREE from "three";
import { Ink, mix, type Palette } from "../core/pictures/look.ts";
import type { CharacterFile, PoseData, ProblemInfo } from "../core/types.ts";
import { Bones, disposeMaterials, disposeMeshes, loadMeshes, meshesOf, type Meshes } from "./skinned.ts";

/** How much of the skin is seen: bones show through it. */
const OPACITY = 0.5;

/** A mesh whose bones follow joints. */
export class Character {
  readonly #bones: Bones;
  readonly #skin = new THREE.MeshLambertMaterial({ transparent: true, opacity: OPACITY, side: THREE.DoubleSide, depthFunc: THREE.LessEqualDepth });
  /** Drawn before the skin: of the skin only what is in front is seen, not its folds behind. */
  readonly #front = new THREE.MeshBasicMaterial({
    colorWrite: false, transparent: true, side: THREE.DoubleSide, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1,
  });

  readonly object: THREE.Object3D;

  constructor(meshes: Meshes, file: CharacterFile, info: ProblemInfo) {
    this.object = meshes.scene;
    this.#bones = new Bones(meshes, file.nodes, info.neutral);
    this.#dress();
  }

  /** Every mesh in the same skin, drawn after the bones. */
  #dress(): void {
    for (const mesh of meshesOf(this.object)) {
      disposeMaterials(mesh.material);
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
    this.#bones.pose(pose.poses);
  }

  dispose(): void {
    disposeMeshes(this.object);
    this.#skin.dispose();
    this.#front.dispose();
  }
}

/** The mesh of a glTF, GLB or VRM file; null when the file has none that can be drawn. Its colours are left out. */
export async function loadCharacter(file: CharacterFile, info: ProblemInfo): Promise<Character | null> {
  const meshes = await loadMeshes(file.bytes, false);
  return meshes && new Character(meshes, file, info);
}
