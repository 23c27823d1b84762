//! Small drawings of chains in articles, in the marks of the view: tapered bones, a square root, a ring at the tip, a target with a cross.

import type { ComponentChildren } from "preact";

export type Spot = readonly [number, number];

/** From the plane of a problem to a drawing with y down. */
export type Place = (at: Spot) => Spot;

/** Points of three numbers each as spots. */
export function spotsOf(points: ArrayLike<number>): Spot[] {
  return Array.from({ length: points.length / 3 }, (_, index) => [points[3 * index] ?? 0, points[3 * index + 1] ?? 0]);
}

/** What puts all these spots into a box, as large as possible. */
export function fitting(spots: readonly Spot[], [width, height]: Spot, margin: number): Place {
  const [xs, ys] = [spots.map(([x]) => x), spots.map(([, y]) => y)];
  const [left, right, low, high] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const scale = Math.min((width - 2 * margin) / Math.max(right - left, 1e-9), (height - 2 * margin) / Math.max(high - low, 1e-9));
  const [x0, y0] = [width / 2 - scale * (left + right) / 2, height / 2 + scale * (low + high) / 2];
  return ([x, y]) => [x0 + scale * x, y0 - scale * y];
}

interface ChainProps {
  spots: readonly Spot[];
  /** The bone that has just moved. */
  lit?: number;
  /** As it was before: a thin line without joints. */
  isPast?: boolean;
  hasRoot?: boolean;
}

export function Chain({ spots, lit = -1, isPast = false, hasRoot = true }: ChainProps) {
  if (isPast) return <polyline class="past" points={spots.map((at) => at.join(",")).join(" ")} />;
  return (
    <g class="chain">
      {spots.slice(1).map((to, index) => <path key={index} class={index === lit ? "bone lit" : "bone"} d={bone(spots[index] ?? to, to)} />)}
      {spots.slice(1, -1).map(([x, y], index) => <circle key={index} class="joint" cx={x} cy={y} r={3.4} />)}
      <Tip at={spots.at(-1) ?? [0, 0]} />
      {hasRoot && <Root at={spots[0] ?? [0, 0]} />}
    </g>
  );
}

/** A tapered outline with round ends. */
function bone([ax, ay]: Spot, [bx, by]: Spot): string {
  const length = Math.hypot(bx - ax, by - ay) || 1;
  const [nx, ny] = [(ay - by) / length, (bx - ax) / length];
  const [thick, thin] = [4.2, 2.4];
  return `M${ax + thick * nx} ${ay + thick * ny}A${thick} ${thick} 0 0 1 ${ax - thick * nx} ${ay - thick * ny}L${bx - thin * nx} ${by - thin * ny}A${thin} ${thin} 0 0 1 ${bx + thin * nx} ${by + thin * ny}Z`;
}

function Root({ at: [x, y] }: { at: Spot }) {
  return <path class="root" d={`M${x - 4} ${y - 4}h8v8h-8zM${x - 8} ${y + 6}h16`} />;
}

function Tip({ at: [x, y] }: { at: Spot }) {
  return <circle class="tip" cx={x} cy={y} r={3.2} />;
}

export function Target({ at: [x, y] }: { at: Spot }) {
  return <path class="goal" d={`M${x - 6} ${y}a6 6 0 1 0 12 0a6 6 0 1 0 -12 0M${x - 9} ${y}h6M${x + 3} ${y}h6M${x} ${y - 9}v6M${x} ${y + 3}v6`} />;
}

interface ArcProps {
  at: Spot;
  radius: number;
  /** Angles in the plane, counterclockwise. */
  from: number;
  by: number;
  class?: string;
  hasHead?: boolean;
  children?: ComponentChildren;
}

export function Arc({ at: [x, y], radius, from, by, class: name = "arc", hasHead = false, children }: ArcProps) {
  const on = (angle: number, r = radius): Spot => [x + r * Math.cos(angle), y - r * Math.sin(angle)];
  const [begin, end, middle] = [on(from), on(from + by), on(from + by / 2, radius + 11)];
  const sweep = by > 0 ? 0 : 1;
  const flags = `${Math.abs(by) > Math.PI ? 1 : 0} ${sweep}`;
  const head = hasHead && Math.abs(by) * radius > 8 ? headOf(end, from + by + Math.sign(by) * (Math.PI / 2 - 4 / radius)) : "";
  return (
    <g>
      <path class={name} d={`M${begin.join(" ")}A${radius} ${radius} 0 ${flags} ${end.join(" ")}${head}`} />
      {children && <text class="label halo" x={middle[0]} y={middle[1] + 4} text-anchor="middle">{children}</text>}
    </g>
  );
}

/** Two strokes back from a point at which an arrow ends. */
function headOf([x, y]: Spot, angle: number): string {
  const back = (turn: number) => `${x - 7 * Math.cos(angle + turn)} ${y + 7 * Math.sin(angle + turn)}`;
  return `M${back(0.45)}L${x} ${y}L${back(-0.45)}`;
}

export function Arrow({ from, to, class: name = "arrow" }: { from: Spot; to: Spot; class?: string }) {
  return <path class={name} d={`M${from.join(" ")}L${to.join(" ")}${headOf(to, Math.atan2(from[1] - to[1], to[0] - from[0]))}`} />;
}

/** A slider under a figure with its value in words. */
export function Slider({ label, text, min, max, step, value, onInput }: { label: ComponentChildren; text: string; min: number; max: number; step: number; value: number; onInput: (value: number) => void }) {
  return (
    <label class="figure-slider">
      <span class="slider-name">{label}</span>
      <input type="range" min={min} max={max} step={step} value={value} aria-valuetext={text} onInput={(event) => { onInput(event.currentTarget.valueAsNumber); }} />
      <output>{text}</output>
    </label>
  );
}

interface AxesProps {
  /** Ticks in the units of the data, with their words. */
  x: readonly [number, string][];
  y: readonly [number, string][];
  xTitle: string;
  yTitle: string;
  children: ComponentChildren;
}

/** The box of a plot and the place of its data in it: x and y from the first tick to the last. */
export const PLOT = { width: 320, height: 200, left: 34, right: 10, top: 28, bottom: 36 } as const;

export function plotPlace(x: AxesProps["x"], y: AxesProps["y"]): Place {
  const { width, height, left, right, top, bottom } = PLOT;
  const [x0, x1, y0, y1] = [x[0]?.[0] ?? 0, x.at(-1)?.[0] ?? 1, y[0]?.[0] ?? 0, y.at(-1)?.[0] ?? 1];
  return ([a, b]) => [left + (width - left - right) * (a - x0) / (x1 - x0), height - bottom - (height - top - bottom) * (b - y0) / (y1 - y0)];
}

export function Plot({ x, y, xTitle, yTitle, children }: AxesProps) {
  const { width, height, left, right, bottom } = PLOT;
  const place = plotPlace(x, y);
  return (
    <svg class="chart" viewBox={`0 0 ${width} ${height}`}>
      {y.map(([value, word]) => {
        const [, at] = place([0, value]);
        return <g key={value}><line class="grid" x1={left} x2={width - right} y1={at} y2={at} /><text class="tick" x={left - 5} y={at + 4} text-anchor="end">{word}</text></g>;
      })}
      {x.map(([value, word]) => <text key={value} class="tick" x={place([value, 0])[0]} y={height - bottom + 15} text-anchor="middle">{word}</text>)}
      <text class="tick" x={width - right} y={height - 5} text-anchor="end">{xTitle}</text>
      <text class="tick" x={2} y={11}>{yTitle}</text>
      {children}
    </svg>
  );
}

export function Curve({ spots, class: name }: { spots: readonly Spot[]; class: string }) {
  return <polyline class={`curve ${name}`} points={spots.map((at) => at.map((value) => value.toFixed(2)).join(",")).join(" ")} />;
}
