//! From the world to the screen: what picking and the SVG writer share with the renderer.

import type { Vec3 } from "../files.ts";

export class Projection {
  /** clip_from_world, column by column. */
  readonly matrix: Float64Array = new Float64Array(16);
  /** Of the picture [CSS px]. */
  width = 1;
  height = 1;
  /** Pixels for a metre at clip w = 1. */
  scale = 1;

  /** Writes x, y [px, y down], depth (-1 near, 1 far) and clip w of a point; false when it lies behind the eye. */
  at(x: number, y: number, z: number, out: Float64Array): boolean {
    const m = this.matrix;
    const w = at(m, 3) * x + at(m, 7) * y + at(m, 11) * z + at(m, 15);
    if (!(w > 1e-9)) return false;
    const cx = (at(m, 0) * x + at(m, 4) * y + at(m, 8) * z + at(m, 12)) / w;
    const cy = (at(m, 1) * x + at(m, 5) * y + at(m, 9) * z + at(m, 13)) / w;
    out[0] = (cx * 0.5 + 0.5) * this.width;
    out[1] = (0.5 - cy * 0.5) * this.height;
    out[2] = (at(m, 2) * x + at(m, 6) * y + at(m, 10) * z + at(m, 14)) / w;
    out[3] = w;
    return true;
  }

  /** The same as an array, or null behind the eye. */
  place(point: Readonly<Vec3>): Vec3 | null {
    const out = new Float64Array(4);
    return this.at(point[0], point[1], point[2], out) ? [out[0] as number, out[1] as number, out[2] as number] : null;
  }
}

function at(matrix: Float64Array, i: number): number {
  return matrix[i] as number;
}
