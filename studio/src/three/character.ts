//! A skinned character: its mesh drawn by three.js, its bones posed by the joints of a figure.

import * as THREE from "three";
import type { PoseData } from "../core/types.ts";

/** A mesh whose bones follow joints. */
export interface Character {
  readonly object: THREE.Object3D;
  /** Puts the bones where a pose has the joints. */
  pose(pose: PoseData): void;
  dispose(): void;
}
