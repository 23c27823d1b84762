//! A drawing: bodies, strokes, marks and veils in world coordinates, filled once a frame and read by the renderer and by the SVG writer.
//!
//! Buffers grow and are kept; filling one again allocates nothing. Colours are places in the palette of `look.ts`; widths and sizes of
//! strokes and marks are pixels, radii of bodies are metres.

/** Rows of numbers in one array that grows. */
export class Rows {
  data: Float32Array;
  count = 0;

  constructor(readonly stride: number, capacity: number) {
    this.data = new Float32Array(stride * capacity);
  }

  clear(): void {
    this.count = 0;
  }

  /** Room for `more` rows; returns where the first of them begins and counts them. */
  take(more: number): number {
    const needed = (this.count + more) * this.stride;
    if (needed > this.data.length) {
      const grown = new Float32Array(Math.max(needed, 2 * this.data.length));
      grown.set(this.data);
      this.data = grown;
    }
    const at = this.count * this.stride;
    this.count += more;
    return at;
  }
}

/** a (3), b (3), radius at a, radius at b, tint, shade, edge (inks), edge width [px]. */
export const BODY = 12;
/** a (3), b (3), length before a, ink, width [px], dash, opacity. */
export const STROKE = 11;
/** place (3), shape, size [px], line width [px], ink, fill (-1: none), opacity. */
export const MARK = 9;
/** place (3), ink, opacity; three rows to a triangle. */
export const VEIL = 5;

/** Shapes of marks, by number. */
export const SHAPES = [
  "circle",
  "square",
  "triangle",
  "diamond",
  "wedge",
  "plus",
  "hexagon",
  "target",
  "root",
  "seen",
] as const;
export type Shape = (typeof SHAPES)[number];

/** Dashes and gaps [px]; a stroke has the place of its pattern here. */
export const DASHES: readonly (readonly number[])[] = [
  [],
  [1, 3],
  [7, 3],
  [2.5, 2.5],
  [9, 3, 2, 3],
  [12, 4],
  [4, 4, 1, 4],
  [4, 4],
  [1, 4],
  [3, 3],
];
export const Dash = { none: 0, start: 7, sight: 8, gap: 9 } as const;

/** Place of a solver's dash in {@link DASHES}: the first seven are theirs, in their order. */
export function dashOf(solverIndex: number): number {
  return solverIndex;
}

export interface BodyInk {
  tint: number;
  shade: number;
  edge: number;
  width: number;
}

/** Everything on screen but the ground, the mesh of a character and the gizmo. */
export class Drawing {
  readonly bodies = new Rows(BODY, 64);
  /** Hidden by what stands in front of them. */
  readonly strokes = new Rows(STROKE, 256);
  /** Drawn over everything. */
  readonly lines = new Rows(STROKE, 128);
  readonly marks = new Rows(MARK, 32);
  readonly veils = new Rows(VEIL, 256);
  /** What it shows, in words. */
  title = "";

  clear(): void {
    this.bodies.clear();
    this.strokes.clear();
    this.lines.clear();
    this.marks.clear();
    this.veils.clear();
  }

  body(
    ax: number, ay: number, az: number, bx: number, by: number, bz: number,
    ra: number, rb: number, ink: BodyInk,
  ): void {
    const at = this.bodies.take(1);
    const d = this.bodies.data;
    d[at] = ax; d[at + 1] = ay; d[at + 2] = az;
    d[at + 3] = bx; d[at + 4] = by; d[at + 5] = bz;
    d[at + 6] = ra; d[at + 7] = rb;
    d[at + 8] = ink.tint; d[at + 9] = ink.shade; d[at + 10] = ink.edge; d[at + 11] = ink.width;
  }

  mark(
    x: number, y: number, z: number, shape: Shape, size: number,
    ink: number, fill = -1, width = 1.5, opacity = 1,
  ): void {
    const at = this.marks.take(1);
    const d = this.marks.data;
    d[at] = x; d[at + 1] = y; d[at + 2] = z;
    d[at + 3] = SHAPES.indexOf(shape); d[at + 4] = size; d[at + 5] = width;
    d[at + 6] = ink; d[at + 7] = fill; d[at + 8] = opacity;
  }

  veil(x: number, y: number, z: number, ink: number, opacity: number): void {
    const at = this.veils.take(1);
    const d = this.veils.data;
    d[at] = x; d[at + 1] = y; d[at + 2] = z; d[at + 3] = ink; d[at + 4] = opacity;
  }
}

/** Writes one polyline, point by point, into rows of strokes; dashes run on over its corners. */
export class Pen {
  #rows: Rows | null = null;
  #ink = 0;
  #width = 1;
  #dash = 0;
  #opacity = 1;
  #length = 0;
  #isDown = false;
  #x = 0;
  #y = 0;
  #z = 0;

  begin(rows: Rows, ink: number, width: number, dash = 0, opacity = 1): this {
    this.#rows = rows;
    this.#ink = ink;
    this.#width = width;
    this.#dash = dash;
    this.#opacity = opacity;
    this.#length = 0;
    this.#isDown = false;
    return this;
  }

  /** Changes how opaque the next pieces are, for trails that fade. */
  fade(opacity: number): this {
    this.#opacity = opacity;
    return this;
  }

  /** A new piece begins here. */
  up(): this {
    this.#isDown = false;
    return this;
  }

  to(x: number, y: number, z: number): this {
    const rows = this.#rows;
    if (this.#isDown && rows !== null) {
      const at = rows.take(1);
      const d = rows.data;
      d[at] = this.#x; d[at + 1] = this.#y; d[at + 2] = this.#z;
      d[at + 3] = x; d[at + 4] = y; d[at + 5] = z;
      d[at + 6] = this.#length;
      d[at + 7] = this.#ink; d[at + 8] = this.#width; d[at + 9] = this.#dash; d[at + 10] = this.#opacity;
      this.#length += Math.hypot(x - this.#x, y - this.#y, z - this.#z);
    } else if (!this.#isDown) {
      this.#length = 0;
    }
    this.#x = x;
    this.#y = y;
    this.#z = z;
    this.#isDown = true;
    return this;
  }

  line(ax: number, ay: number, az: number, bx: number, by: number, bz: number): this {
    return this.up().to(ax, ay, az).to(bx, by, bz);
  }
}
