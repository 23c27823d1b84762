//! What belongs to a picture beside the problem: bodies of a figure's own make, and things that stand in the world.

import { propsOf, type Props } from "../scenes/index.ts";
import type { StudioDocument } from "../types.ts";

export type Furniture = Props;

export const NO_FURNITURE: Furniture = { parts: [], plates: [], rods: [], balls: [] };

/** What stands around in a document's scene, and its figure's flesh. */
export function furnitureOf(document: StudioDocument): Furniture {
  return propsOf(document) ?? NO_FURNITURE;
}
