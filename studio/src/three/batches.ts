//! Puts the rows of a drawing into instanced buffers. A buffer is replaced only when its rows have grown.

import * as THREE from "three";
import { BODY, Rows, STROKE, VEIL, type Drawing } from "../core/pictures/drawing.ts";
import type { Programs } from "./programs.ts";

/** Attribute of a row: name, how many numbers, where they begin. */
type Field = readonly [name: string, size: number, offset: number];

/**
 * A template geometry drawn once for every row. The template is the batch's own: its buffers go when rows grow, and another that shared
 * them would draw nothing.
 */
export class Batch {
  readonly mesh: THREE.Mesh<THREE.InstancedBufferGeometry>;
  #rows: Float32Array | null = null;
  #buffer: THREE.InstancedInterleavedBuffer | null = null;

  constructor(template: THREE.BufferGeometry, material: THREE.Material, readonly fields: readonly Field[], order: number) {
    const geometry = new THREE.InstancedBufferGeometry();
    geometry.index = template.index;
    for (const name of Object.keys(template.attributes)) {
      const attribute = template.getAttribute(name);
      geometry.setAttribute(name, attribute);
    }
    geometry.instanceCount = 0;
    this.mesh = new THREE.Mesh(geometry, material);
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = order;
    this.mesh.matrixAutoUpdate = false;
  }

  update(rows: Rows): void {
    const geometry = this.mesh.geometry;
    if (this.#rows !== rows.data) this.#replace(rows);
    geometry.instanceCount = rows.count;
    this.mesh.visible = rows.count > 0;
    const buffer = this.#buffer;
    if (buffer === null) return;
    buffer.clearUpdateRanges();
    buffer.addUpdateRange(0, rows.count * rows.stride);
    buffer.needsUpdate = true;
  }

  #replace(rows: Rows): void {
    this.#rows = rows.data;
    const buffer = new THREE.InstancedInterleavedBuffer(rows.data, rows.stride, 1);
    buffer.setUsage(THREE.DynamicDrawUsage);
    this.#buffer = buffer;
    // Attributes of the old buffer stay bound to the geometry otherwise.
    this.mesh.geometry.dispose();
    for (const [name, size, offset] of this.fields) {
      this.mesh.geometry.setAttribute(name, new THREE.InterleavedBufferAttribute(buffer, size, offset));
    }
  }

  /** Draws the same rows with another material. */
  twin(material: THREE.Material, order: number): THREE.Mesh {
    const mesh = new THREE.Mesh(this.mesh.geometry, material);
    mesh.frustumCulled = false;
    mesh.renderOrder = order;
    mesh.matrixAutoUpdate = false;
    return mesh;
  }
}

const BODY_FIELDS: readonly Field[] = [["iA", 3, 0], ["iB", 3, 3], ["iRadii", 2, 6], ["iInk", 4, 8]];
const STROKE_FIELDS: readonly Field[] = [["iA", 3, 0], ["iB", 3, 3], ["iStyle", 4, 6], ["iOpacity", 1, 10]];
const MARK_FIELDS: readonly Field[] = [["iAt", 3, 0], ["iShape", 3, 3], ["iPaint", 3, 6]];

/** How finely bodies are drawn, by their radius on the screen [device px]. */
const LEVELS = [
  { least: 48, around: 40, rings: 9 },
  { least: 22, around: 24, rings: 6 },
  { least: 7, around: 16, rings: 4 },
  { least: 0, around: 8, rings: 2 },
] as const;

/** Everything of a drawing, ready for a scene. */
export class Batches {
  readonly group = new THREE.Group();
  /** The bodies alone, for casting shadows. */
  readonly casters = new THREE.Group();
  /** The bodies, from fine to coarse, and the rows of each. */
  readonly #bodies: readonly Batch[];
  readonly #rows = LEVELS.map(() => new Rows(BODY, 64));
  readonly #outlines: readonly THREE.Mesh[];
  readonly #casts: Batch;
  readonly #strokes: Batch;
  readonly #lines: Batch;
  readonly #marks: Batch;
  readonly #veils: THREE.Mesh<THREE.BufferGeometry>;
  #veilRows: Float32Array | null = null;
  #veilBuffer: THREE.InterleavedBuffer | null = null;

  constructor(programs: Programs) {
    this.#bodies = LEVELS.map(({ around, rings }) => new Batch(capsule(around, rings), programs.body, BODY_FIELDS, 2));
    this.#outlines = this.#bodies.map((batch) => batch.twin(programs.outline, 1));
    this.#casts = new Batch(quad(0, 1), programs.cast, BODY_FIELDS, 0);
    this.#strokes = new Batch(quad(0, 1), programs.stroke, STROKE_FIELDS, 4);
    this.#lines = new Batch(quad(0, 1), programs.line, STROKE_FIELDS, 6);
    this.#marks = new Batch(quad(-1, 1), programs.mark, MARK_FIELDS, 7);
    this.#veils = new THREE.Mesh(new THREE.BufferGeometry(), programs.veil);
    this.#veils.frustumCulled = false;
    this.#veils.renderOrder = 5;
    this.group.add(
      ...this.#bodies.map((batch) => batch.mesh), ...this.#outlines, this.#strokes.mesh, this.#lines.mesh, this.#marks.mesh, this.#veils,
    );
    this.casters.add(this.#casts.mesh);
  }

  /**
   * Takes over a drawing.
   *
   * - `pixel`: metres for a device pixel where the view looks
   */
  update(drawing: Drawing, pixel: number): void {
    this.#sort(drawing.bodies, pixel);
    this.#bodies.forEach((batch, i) => {
      const rows = this.#rows[i] as Rows;
      batch.update(rows);
      (this.#outlines[i] as THREE.Mesh).visible = rows.count > 0;
    });
    this.#casts.update(drawing.bodies);
    this.#strokes.update(drawing.strokes);
    this.#lines.update(drawing.lines);
    this.#marks.update(drawing.marks);
    this.#updateVeils(drawing.veils);
  }

  /** Each body to the level that suits its size on the screen. */
  #sort(bodies: Rows, pixel: number): void {
    for (const rows of this.#rows) rows.clear();
    for (let row = 0; row < bodies.count; row++) {
      const from = row * BODY;
      const wide = Math.max(bodies.data[from + 6] as number, bodies.data[from + 7] as number) / pixel;
      const level = LEVELS.findIndex(({ least }) => wide >= least);
      const rows = this.#rows[level] as Rows;
      const to = rows.take(1);
      for (let k = 0; k < BODY; k++) rows.data[to + k] = bodies.data[from + k] as number;
    }
  }

  #updateVeils(rows: Rows): void {
    const geometry = this.#veils.geometry;
    if (this.#veilRows !== rows.data) {
      this.#veilRows = rows.data;
      this.#veilBuffer = new THREE.InterleavedBuffer(rows.data, VEIL);
      this.#veilBuffer.setUsage(THREE.DynamicDrawUsage);
      geometry.dispose();
      geometry.setAttribute("position", new THREE.InterleavedBufferAttribute(this.#veilBuffer, 3, 0));
      geometry.setAttribute("paint", new THREE.InterleavedBufferAttribute(this.#veilBuffer, 2, 3));
    }
    geometry.setDrawRange(0, rows.count);
    this.#veils.visible = rows.count > 0;
    if (this.#veilBuffer !== null) {
      this.#veilBuffer.clearUpdateRanges();
      this.#veilBuffer.addUpdateRange(0, rows.count * VEIL);
      this.#veilBuffer.needsUpdate = true;
    }
  }

  dispose(): void {
    for (const batch of [...this.#bodies, this.#casts, this.#strokes, this.#lines, this.#marks]) batch.mesh.geometry.dispose();
    this.#veils.geometry.dispose();
  }
}

/** A ball cut at its equator, its halves joined by a tube: directions from either end's centre. */
function capsule(around: number, rings: number): THREE.BufferGeometry {
  const positions: number[] = [];
  const ends: number[] = [];
  const index: number[] = [];
  const ring = (polar: number, end: number) => {
    const s = Math.sin(polar);
    for (let i = 0; i <= around; i++) {
      const angle = (2 * Math.PI * i) / around;
      positions.push(Math.cos(angle) * s, Math.sin(angle) * s, Math.cos(polar));
      ends.push(end);
    }
  };
  for (let k = 0; k <= rings; k++) ring((0.5 * Math.PI * k) / rings, 1);
  for (let k = 0; k <= rings; k++) ring(0.5 * Math.PI * (1 + k / rings), 0);
  const row = around + 1;
  for (let k = 0; k < 2 * rings + 1; k++) {
    for (let i = 0; i < around; i++) {
      const a = k * row + i;
      const b = a + row;
      index.push(a, b, a + 1, a + 1, b, b + 1);
    }
  }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.Float32BufferAttribute(positions, 3));
  geometry.setAttribute("end", new THREE.Float32BufferAttribute(ends, 1));
  geometry.setIndex(index);
  return geometry;
}

/**
 * Strokes as one piece that is drawn at once. Where drawing is done by software an instance takes as long as a whole figure, so what seldom
 * changes is better made of its own vertices.
 */
export function mergedStrokes(rows: Rows): THREE.BufferGeometry {
  const data = new Float32Array(4 * rows.count * STROKE);
  const position = new Float32Array(12 * rows.count);
  const index: number[] = [];
  for (let row = 0; row < rows.count; row++) {
    const stroke = rows.data.subarray(row * STROKE, (row + 1) * STROKE);
    for (let corner = 0; corner < 4; corner++) data.set(stroke, (4 * row + corner) * STROKE);
    position.set(QUAD, 12 * row);
    for (const corner of QUAD_INDEX) index.push(4 * row + corner);
  }
  const geometry = new THREE.BufferGeometry();
  const buffer = new THREE.InterleavedBuffer(data, STROKE);
  for (const [name, size, offset] of STROKE_FIELDS) geometry.setAttribute(name, new THREE.InterleavedBufferAttribute(buffer, size, offset));
  geometry.setAttribute("position", new THREE.BufferAttribute(position, 3));
  geometry.setIndex(index);
  return geometry;
}

/** Two triangles: x from `least` to 1, y from -1 to 1. */
function quad(least: number, most: number): THREE.BufferGeometry {
  const geometry = new THREE.BufferGeometry();
  const corners = QUAD.map((value, i) => (i % 3 === 0 ? least + value * (most - least) : value));
  geometry.setAttribute("position", new THREE.Float32BufferAttribute(corners, 3));
  geometry.setIndex([...QUAD_INDEX]);
  return geometry;
}

const QUAD = [0, -1, 0, 1, -1, 0, 0, 1, 0, 1, 1, 0];
const QUAD_INDEX = [0, 1, 2, 2, 1, 3] as const;
