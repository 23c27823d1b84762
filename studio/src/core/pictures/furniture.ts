//! What belongs to a picture beside the problem: bodies of a figure's own make, and things that stand in the world.

import type { StudioDocument } from "../types.ts";
import type { Vec } from "./vec.ts";

/** A tapered body on a joint: its ends in the joint's frame and the radius at either [m]. */
export interface Part {
  joint: string;
  ends: [Vec, Vec];
  radii: [number, number];
}

/** A round bar in the world [m]. */
export interface Rod {
  ends: [Vec, Vec];
  radius: number;
}

/** A flat polygon in the world. */
export interface Plate {
  corners: Vec[];
}

export interface Furniture {
  readonly parts: readonly Part[];
  readonly rods: readonly Rod[];
  readonly plates: readonly Plate[];
}

export const NO_FURNITURE: Furniture = { parts: [], rods: [], plates: [] };

/** What stands around in a document's scene. */
export function furnitureOf(document: StudioDocument): Furniture {
  void document;
  return NO_FURNITURE;
}
