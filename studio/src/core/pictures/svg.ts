//! A drawing as a stand-alone SVG: the same bodies, strokes, veils and marks as on the canvas, sorted by depth.
//!
//! The same drawing and camera give the same bytes: numbers are written with two decimals, and nothing carries a date.

import { DASHES, SHAPES, type Drawing, type Rows } from "./drawing.ts";
import { Ink, type Palette } from "./look.ts";
import type { Projection } from "./projection.ts";
import type { Vec3 } from "../files.ts";
import { dot } from "../math.ts";

export interface SvgOptions {
  palette: Palette;
  /** What the picture shows, in words, for those who cannot see it. */
  title: string;
  /** Distance of grid lines [m]. */
  gridStep: number;
  isPlane: boolean;
  /** The floor's axes and up. */
  first: Vec3;
  second: Vec3;
  up: Vec3;
  /** Height of the floor along up [m]. */
  level: number;
  /** Size of the figure [m]. */
  size: number;
  /** Where the view looks. */
  center: Vec3;
}

/** Lines of a grid beyond this many are left out. */
const MOST_LINES = 160;
/** Share of a body's far side that its shade covers. */
const SHADE_OPACITY = 0.38;

/** The drawing as SVG text. */
export function svgOf(drawing: Drawing, projection: Projection, options: SvgOptions): string {
  const writer = new Writer(projection, options.palette);
  const { width, height } = projection;
  writer.raw(
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${number(width)} ${number(height)}" width="${number(width)}" height="${number(height)}" role="img">`,
  );
  writer.raw(`<title>${escape(options.title)}</title>`);
  writer.raw(`<rect width="${number(width)}" height="${number(height)}" fill="${writer.ink(Ink.paper)}"/>`);
  drawGrid(writer, options);
  if (!options.isPlane) drawShadow(writer, drawing.bodies, options);
  drawStrokes(writer, drawing.strokes);
  drawBodies(writer, drawing.bodies);
  drawVeils(writer, drawing.veils);
  drawStrokes(writer, drawing.lines);
  drawMarks(writer, drawing.marks);
  const label = `grid ${lengthWords(options.gridStep)}`;
  writer.raw(
    `<text x="${number(width - 16)}" y="${number(height - 16)}" text-anchor="end" font-family="Inter, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif" font-size="12" fill="${writer.ink(Ink.quiet)}">${escape(label)}</text>`,
  );
  writer.raw("</svg>");
  return writer.text();
}

/** Collects elements, and keeps what every one of them needs. */
class Writer {
  readonly #parts: string[] = [];
  readonly #out = new Float64Array(4);

  constructor(readonly projection: Projection, readonly palette: Palette) {}

  raw(element: string): void {
    this.#parts.push(element);
  }

  text(): string {
    return `${this.#parts.join("\n")}\n`;
  }

  ink(index: number): string {
    return this.palette.colours[Math.round(index)] ?? "#000000";
  }

  /** x, y, depth, pixels for a metre there, distance from the eye (1 without perspective); null behind the eye. */
  place(x: number, y: number, z: number): [number, number, number, number, number] | null {
    const out = this.#out;
    if (!this.projection.at(x, y, z, out)) return null;
    const w = out[3] as number;
    return [out[0] as number, out[1] as number, out[2] as number, this.projection.scale / w, w];
  }
}

/** A number with at most two decimals, no exponent and no minus zero; what is not finite becomes 0. */
export function number(value: number): string {
  if (!Number.isFinite(value)) return "0";
  const text = Math.min(Math.max(value, -1e5), 1e5).toFixed(2).replace(/\.?0+$/, "");
  return text === "-0" ? "0" : text;
}

/** Text made safe for element content and quoted attributes. */
export function escape(text: string): string {
  const named: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
  // Control characters are forbidden in XML, even escaped.
  // eslint-disable-next-line no-control-regex
  return text.replace(/[&<>"']/g, (c) => named[c] as string).replace(/[\u0000-\u001F\u007F\uFFFE\uFFFF]/g, " ");
}

/** A length in words: 25 cm, 2 m, 5 mm. */
export function lengthWords(metres: number): string {
  const plain = (value: number) => String(Number(value.toPrecision(3)));
  if (metres >= 1) return `${plain(metres)} m`;
  if (metres >= 0.01) return `${plain(100 * metres)} cm`;
  if (metres >= 0.001) return `${plain(1000 * metres)} mm`;
  return `${plain(metres)} m`;
}

function drawGrid(writer: Writer, options: SvgOptions): void {
  const { gridStep: step, isPlane, first, second, up, level, center, size } = options;
  const { width, height, scale } = writer.projection;
  const a: Vec3 = isPlane ? [1, 0, 0] : first;
  const b: Vec3 = isPlane ? [0, 1, 0] : second;
  const middle = [dot(center, a), dot(center, b)] as const;
  const spans = isPlane ? ([(0.5 * width) / scale, (0.5 * height) / scale] as const) : ([1.2 * size, 1.2 * size] as const);
  const lift: Vec3 = isPlane ? [0, 0, 0] : [up[0] * level, up[1] * level, up[2] * level];
  const at = (u: number, v: number) =>
    writer.place(a[0] * u + b[0] * v + lift[0], a[1] * u + b[1] * v + lift[1], a[2] * u + b[2] * v + lift[2]);
  const range = (i: 0 | 1): [number, number] => {
    const low = middle[i] - spans[i];
    const high = middle[i] + spans[i];
    // A floor ends on lines, paper does not.
    return isPlane ? [low, high] : [Math.floor(low / step) * step, Math.ceil(high / step) * step];
  };
  const [u0, u1] = range(0);
  const [v0, v1] = range(1);
  const path: string[] = [];
  const line = (from: ReturnType<typeof at>, to: ReturnType<typeof at>) => {
    if (from !== null && to !== null) path.push(`M${pair(from)}L${pair(to)}`);
  };
  for (const u of ruled(u0, u1, step)) line(at(u, v0), at(u, v1));
  for (const v of ruled(v0, v1, step)) line(at(u0, v), at(u1, v));
  if (path.length > 0) writer.raw(`<path d="${path.join("")}" fill="none" stroke="${writer.ink(Ink.grid)}" stroke-width="1"/>`);
}

/** The multiples of `step` from `low` to `high`, none when there would be too many. */
function ruled(low: number, high: number, step: number): number[] {
  const first = Math.ceil(low / step - 1e-6);
  const last = Math.floor(high / step + 1e-6);
  if (!(last - first >= 0) || last - first > MOST_LINES) return [];
  return Array.from({ length: last - first + 1 }, (_, i) => (first + i) * step);
}

/** Contact shadows: one opacity for the whole group, so that where they overlap they are no darker. */
function drawShadow(writer: Writer, bodies: Rows, options: SvgOptions): void {
  const { up, level } = options;
  const d = bodies.data;
  const parts: string[] = [];
  const fallen = (i: number) => {
    const p: Vec3 = [d[i] as number, d[i + 1] as number, d[i + 2] as number];
    const drop = level - dot(p, up);
    return writer.place(p[0] + up[0] * drop, p[1] + up[1] * drop, p[2] + up[2] * drop);
  };
  for (let row = 0; row < bodies.count; row++) {
    const i = row * bodies.stride;
    const a = fallen(i);
    const b = fallen(i + 3);
    if (a === null || b === null || Math.hypot(a[0] - b[0], a[1] - b[1]) < 0.5) continue;
    const wide = Math.max(2, 1.5 * (d[i + 6] as number) * a[3]);
    parts.push(`<path d="M${pair(a)}L${pair(b)}" stroke-width="${number(wide)}"/>`);
  }
  if (parts.length === 0) return;
  const opacity = options.palette.theme === "dark" ? 0.55 : 0.13;
  writer.raw(`<g fill="none" stroke="${writer.ink(Ink.shade)}" stroke-linecap="round" opacity="${number(opacity)}">${parts.join("")}</g>`);
}

function drawBodies(writer: Writer, bodies: Rows): void {
  const d = bodies.data;
  const items: { depth: number; text: string }[] = [];
  for (let row = 0; row < bodies.count; row++) {
    const i = row * bodies.stride;
    const a = writer.place(d[i] as number, d[i + 1] as number, d[i + 2] as number);
    const b = writer.place(d[i + 3] as number, d[i + 4] as number, d[i + 5] as number);
    if (a === null || b === null) continue;
    const ra = (d[i + 6] as number) * a[3];
    const rb = (d[i + 7] as number) * b[3];
    const text = bodyText(writer, a, b, ra, rb, d, i);
    // A ball at a joint lies over the ends of its bones, which a painter cannot let into it.
    const isBall = a[0] === b[0] && a[1] === b[1];
    const depth = (a[4] + b[4]) / 2 - (isBall ? 2 * (d[i + 6] as number) : 0) + 1e-6 * (a[2] + b[2]);
    items.push({ depth, text });
  }
  items.sort((p, q) => q.depth - p.depth);
  for (const item of items) writer.raw(item.text);
}

function bodyText(
  writer: Writer, a: readonly number[], b: readonly number[], ra: number, rb: number, d: Float32Array, i: number,
): string {
  const tint = writer.ink(d[i + 8] as number);
  const shade = writer.ink(d[i + 9] as number);
  const edge = writer.ink(d[i + 10] as number);
  const width = number(d[i + 11] as number);
  const [ax = 0, ay = 0] = a;
  const [bx = 0, by = 0] = b;
  const apart = Math.hypot(bx - ax, by - ay);
  if (apart <= Math.abs(ra - rb) + 1e-6) {
    const [x, y, r] = ra >= rb ? [ax, ay, ra] : [bx, by, rb];
    return `<circle cx="${number(x)}" cy="${number(y)}" r="${number(r)}" fill="${tint}" stroke="${edge}" stroke-width="${width}"/>`;
  }
  const outline = taper(ax, ay, bx, by, ra, rb);
  const body = `<path d="${outline.whole}" fill="${tint}" stroke="${edge}" stroke-width="${width}" stroke-linejoin="round"/>`;
  if (tint === shade) return body;
  return `${body}<path d="${outline.half}" fill="${shade}" fill-opacity="${number(SHADE_OPACITY)}"/>`;
}

/** The outline of two discs and what lies between them, and its half away from the light, which comes from the upper left. */
export function taper(
  ax: number, ay: number, bx: number, by: number, ra: number, rb: number,
): { whole: string; half: string } {
  const apart = Math.hypot(bx - ax, by - ay);
  const ux = (bx - ax) / apart;
  const uy = (by - ay) / apart;
  // The tangents touch both discs at this angle from the axis.
  const cos = (ra - rb) / apart;
  const sin = Math.sqrt(Math.max(0, 1 - cos * cos));
  const normal = (side: number) => [ux * cos - side * uy * sin, uy * cos + side * ux * sin] as const;
  const [lx, ly] = normal(1);
  const [rx, ry] = normal(-1);
  const at = (x: number, y: number) => `${number(x)} ${number(y)}`;
  const arc = (r: number, isLarge: boolean, x: number, y: number) =>
    `A${number(r)} ${number(r)} 0 ${isLarge ? 1 : 0} 1 ${at(x, y)}`;
  // With y downwards the side of +1 lies clockwise of the way from a to b.
  const whole = `M${at(ax + rx * ra, ay + ry * ra)}L${at(bx + rx * rb, by + ry * rb)}`
    + `${arc(rb, ra < rb, bx + lx * rb, by + ly * rb)}L${at(ax + lx * ra, ay + ly * ra)}`
    + `${arc(ra, ra >= rb, ax + rx * ra, ay + ry * ra)}Z`;
  const isLeftDark = 0.45 * -uy + 0.62 * ux > 0;
  const [sx, sy] = isLeftDark ? [lx, ly] : [rx, ry];
  const half = `M${at(ax, ay)}L${at(bx, by)}L${at(bx + sx * rb, by + sy * rb)}L${at(ax + sx * ra, ay + sy * ra)}Z`;
  return { whole, half };
}

/** Consecutive pieces of one line become one path, so that dashes run on over its corners. */
function drawStrokes(writer: Writer, rows: Rows): void {
  const d = rows.data;
  let row = 0;
  while (row < rows.count) {
    const i = row * rows.stride;
    const style = [7, 8, 9, 10].map((k) => d[i + k] as number);
    let path = "";
    let last = -1;
    for (; row < rows.count; row++) {
      const j = row * rows.stride;
      if (last >= 0 && style.some((value, k) => (d[j + 7 + k] as number) !== value)) break;
      const joins = last >= 0 && [0, 1, 2].every((k) => d[j + k] === d[last + 3 + k]);
      if (last >= 0 && !joins) break;
      const a = writer.place(d[j] as number, d[j + 1] as number, d[j + 2] as number);
      const b = writer.place(d[j + 3] as number, d[j + 4] as number, d[j + 5] as number);
      last = j;
      if (a === null || b === null) continue;
      path += path === "" ? `M${pair(a)}L${pair(b)}` : `L${pair(b)}`;
    }
    const [ink = 0, width = 1, dash = 0, opacity = 1] = style;
    if (path === "") continue;
    const pattern = DASHES[Math.round(dash)] ?? [];
    const dashes = pattern.length > 0 ? ` stroke-dasharray="${pattern.join(" ")}"` : "";
    const faint = opacity < 1 ? ` stroke-opacity="${number(opacity)}"` : "";
    writer.raw(
      `<path d="${path}" fill="none" stroke="${writer.ink(ink)}" stroke-width="${number(width)}" stroke-linejoin="round"${dashes}${faint}/>`,
    );
  }
}

/** Triangles of one veil become one path: a translucent fan has no seams. */
function drawVeils(writer: Writer, rows: Rows): void {
  const d = rows.data;
  let row = 0;
  while (row + 2 < rows.count) {
    const i = row * rows.stride;
    const ink = d[i + 3] as number;
    const opacity = d[i + 4] as number;
    const apex = writer.place(d[i] as number, d[i + 1] as number, d[i + 2] as number);
    let path = apex === null ? "" : `M${pair(apex)}`;
    let first = true;
    for (; row + 2 < rows.count; row += 3) {
      const j = row * rows.stride;
      const same = [0, 1, 2, 3, 4].every((k) => d[j + k] === d[i + k]);
      if (!same) break;
      const at = (k: number) => writer.place(d[k] as number, d[k + 1] as number, d[k + 2] as number);
      const b = at(j + rows.stride);
      const c = at(j + 2 * rows.stride);
      if (b === null || c === null || apex === null) continue;
      path += first ? `L${pair(b)}L${pair(c)}` : `L${pair(c)}`;
      first = false;
    }
    if (!first) writer.raw(`<path d="${path}Z" fill="${writer.ink(ink)}" fill-opacity="${number(opacity)}"/>`);
  }
}

function drawMarks(writer: Writer, rows: Rows): void {
  const d = rows.data;
  for (let row = 0; row < rows.count; row++) {
    const i = row * rows.stride;
    const at = writer.place(d[i] as number, d[i + 1] as number, d[i + 2] as number);
    if (at === null) continue;
    const shape = SHAPES[Math.round(d[i + 3] as number)] ?? "circle";
    const fill = (d[i + 7] as number) < 0 ? "none" : writer.ink(d[i + 7] as number);
    const ink = writer.ink(d[i + 6] as number);
    const opacity = d[i + 8] as number;
    const paint = `fill="${fill}" stroke="${ink}" stroke-width="${number(d[i + 5] as number)}"${opacity < 1 ? ` opacity="${number(opacity)}"` : ""}`;
    writer.raw(markText(shape, at[0], at[1], d[i + 4] as number, paint, fill));
  }
}

/** One mark about a place of the picture. */
function markText(shape: (typeof SHAPES)[number], x: number, y: number, s: number, paint: string, fill: string): string {
  const polygon = (corners: readonly (readonly [number, number])[]) =>
    `<path d="M${corners.map(([u, v]) => `${number(x + u * s)} ${number(y + v * s)}`).join("L")}Z" ${paint} stroke-linejoin="round"/>`;
  const circle = (r: number) => `<circle cx="${number(x)}" cy="${number(y)}" r="${number(r)}" ${paint}/>`;
  switch (shape) {
    case "circle": return circle(s);
    case "square": return polygon([[-0.85, -0.85], [0.85, -0.85], [0.85, 0.85], [-0.85, 0.85]]);
    case "triangle": return polygon([[0, -1.1], [1, 0.75], [-1, 0.75]]);
    case "wedge": return polygon([[0, 1.1], [1, -0.75], [-1, -0.75]]);
    case "diamond": return polygon([[0, -1.1], [0.87, 0], [0, 1.1], [-0.87, 0]]);
    case "plus": return polygon([
      [-0.3, -1], [0.3, -1], [0.3, -0.3], [1, -0.3], [1, 0.3], [0.3, 0.3],
      [0.3, 1], [-0.3, 1], [-0.3, 0.3], [-1, 0.3], [-1, -0.3], [-0.3, -0.3],
    ]);
    case "hexagon": return polygon([[1.04, 0], [0.52, -0.9], [-0.52, -0.9], [-1.04, 0], [-0.52, 0.9], [0.52, 0.9]]);
    case "target": {
      const arm = (dx: number, dy: number) =>
        `M${number(x + dx * (s - 3.5))} ${number(y + dy * (s - 3.5))}L${number(x + dx * (s + 4))} ${number(y + dy * (s + 4))}`;
      return `${circle(s)}<path d="${arm(1, 0)}${arm(-1, 0)}${arm(0, 1)}${arm(0, -1)}" ${paint} stroke-linecap="round"/>`;
    }
    case "root":
      return `<rect x="${number(x - 2.5 * s)}" y="${number(y + s + 2.45)}" width="${number(5 * s)}" height="1.5" fill="${fill}"/>`
        + polygon([[-1, -1], [1, -1], [1, 1], [-1, 1]]);
    case "seen": return `${circle(s)}${circle(0.36 * s)}`;
  }
}

function pair(at: readonly number[]): string {
  return `${number(at[0] as number)} ${number(at[1] as number)}`;
}
