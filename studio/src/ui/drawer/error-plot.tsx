//! Error against iteration, logarithmic, every run in its colour, dash and marker; the pointer shows the pose of an iteration.

import uPlot from "uplot";
import { useEffect, useRef } from "preact/hooks";
import { effect } from "@preact/signals";
import type { RunResult, Session } from "../../core/types.ts";
import { useSession } from "../context.ts";
import { theme } from "../theme.ts";
import { lookOf, token, type Marker } from "../tokens.ts";
import { isClassic, runName } from "../runs.ts";
import { count, length } from "../words.ts";
import { curves, FLOOR, refinedFrom, type Curves } from "./curves.ts";

/** What the line at the tolerance says. */
const REACHED = "reached below";
/** What the veil over the iterations behind that says. */
const REFINED = "refined";

export function ErrorPlot() {
  const session = useSession();
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => (box.current ? keepPlot(box.current, session) : undefined), [session]);
  return (
    <figure class="plot">
      <figcaption class="plot-title">Error at each iteration{curves(session.results.value).unit === "tolerances" ? ", in tolerances" : ""} <span class="plot-note">{hoverText(session)}</span></figcaption>
      <div class="plot-box" ref={box} role="img" aria-label={summary(session.results.value, session)} />
    </figure>
  );
}

/** What the plot shows, for those who do not see it. */
function summary(results: RunResult[], session: Session): string {
  const { runs, y, unit } = curves(results);
  if (runs.length === 0) return "Error plot, empty until something is solved";
  const lines = runs.map((run, index) => {
    const values = y[index]?.filter((value) => value !== null) ?? [];
    return `${runName(session, run.id, run.method)}: from ${errorWord(values[0] ?? 0, unit)} to ${errorWord(values.at(-1) ?? 0, unit)} in ${count(run.iterations, "iteration")}`;
  });
  return `Error plot. ${lines.join(". ")}`;
}

function hoverText(session: Session): string {
  const iteration = session.hoveredIteration.value ?? session.cursor.value?.iteration ?? null;
  if (iteration === null) return "";
  const { runs, y, unit } = curves(session.results.value);
  const parts = runs.map((run, index) => {
    const error = y[index]?.[iteration];
    return error === undefined || error === null ? "" : `${runName(session, run.id, run.method)} ${errorWord(error, unit)}`;
  });
  return [`iteration ${iteration}`, ...parts.filter(Boolean)].join(" · ");
}

function errorWord(error: number, unit: Curves["unit"]): string {
  if (unit === "tolerances") return `${error.toPrecision(2)}×`;
  return error <= FLOOR ? "0 m" : length(error);
}

/** Draws the plot as long as its box is there: again for new results and themes, resized with the box. */
function keepPlot(box: HTMLDivElement, session: Session): () => void {
  let plot: uPlot | null = null;
  let shape = "";
  const redraw = () => {
    const { x, y, runs, unit } = curves(session.results.value);
    const data = [x, ...y] as uPlot.AlignedData;
    const next = `${theme.value}|${unit}|${runs.map(({ id, method }) => `${method}${isClassic(session, id)}`).join()}`;
    if (plot && next === shape) {
      plot.setData(data);
      return;
    }
    plot?.destroy();
    shape = next;
    plot = new uPlot(options(box, runs, session, unit), data, box);
  };
  let waiting = 0;
  const stop = effect(() => {
    void session.results.value;
    void theme.value;
    // Results come with every move of a drag; the eye needs the plot ten times a second.
    if (waiting === 0) waiting = window.setTimeout(() => { waiting = 0; redraw(); }, plot ? 90 : 0);
  });
  const stopCursor = effect(() => {
    void session.cursor.value;
    void session.hoveredIteration.value;
    plot?.redraw(false);
  });
  const watcher = new ResizeObserver(() => { plot?.setSize(sizeOf(box)); });
  watcher.observe(box);
  return () => {
    clearTimeout(waiting);
    stop();
    stopCursor();
    watcher.disconnect();
    plot?.destroy();
  };
}

function sizeOf(box: HTMLElement) {
  return { width: Math.max(120, box.clientWidth), height: Math.max(80, box.clientHeight) };
}

function options(box: HTMLElement, runs: RunResult[], session: Session, unit: Curves["unit"]): uPlot.Options {
  const ink = token("ink-soft");
  const axis = { stroke: ink, grid: { stroke: token("grid"), width: 1 }, ticks: { show: false }, font: "12px 'JetBrains Mono', monospace" };
  return {
    ...sizeOf(box),
    legend: { show: false },
    padding: [8, 12, 0, 0],
    cursor: { drag: { x: false, y: false }, points: { size: 7 } },
    scales: { x: { time: false, range: (plot) => [0, Math.max(1, plot.data[0].length - 1)] }, y: { distr: 3, log: 10, range: (_, min, max) => decades(min, max, toleranceOf(session, unit)) } },
    axes: [
      { ...axis, size: 28, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000], space: 48 },
      { ...axis, size: 64, grid: { ...axis.grid, filter: everyFewDecades }, values: (_, ticks) => ticks.map((tick) => ((tick as number | null) === null ? "" : unit === "metres" ? decade(tick) : `${exponentOf(tick)}×`)), filter: everyFewDecades },
    ],
    series: [{}, ...runs.map((run) => seriesOf(run, isClassic(session, run.id), runName(session, run.id, run.method)))],
    hooks: {
      setCursor: [(plot) => {
        const index = plot.cursor.idx;
        session.hoveredIteration.value = index === null || index === undefined || (plot.cursor.left ?? -1) < 0 ? null : plot.data[0][index] ?? null;
      }],
      draw: [(plot) => { drawRefinement(plot, session); drawMarks(plot, session, toleranceOf(session, unit)); }],
    },
  };
}

/** Whole decades around the data and the tolerance, so that lines do not jump with every result and rounding does not look like much. */
function decades(min: number | null, max: number | null, tolerance: number): uPlot.Range.MinMax {
  const low = Math.floor(Math.log10(Math.max(FLOOR, min ?? 1e-8)) - 0.1);
  const high = Math.ceil(Math.log10(Math.max(FLOOR * 10, max ?? 1, 10 * tolerance)) + 0.1);
  return [10 ** low, 10 ** Math.max(low + 1, high)];
}

function toleranceOf(session: Session, unit: Curves["unit"]): number {
  return unit === "tolerances" ? 1 : session.results.peek()[0]?.tolerance ?? 0;
}

function isDecade(value: number): boolean {
  const power = Math.log10(value);
  return Math.abs(power - Math.round(power)) < 1e-9;
}

const PREFIXES = ["m", "mm", "µm", "nm", "pm", "fm", "am"];

/** A power of ten in metres, with the prefix that needs no decimals; short enough for its place at any size. */
export function decade(metres: number): string {
  const power = Math.round(Math.log10(metres));
  if (power > 6) return `1e${power} m`;
  if (power > 3) return `${10 ** (power - 3)} km`;
  const prefix = Math.min(PREFIXES.length - 1, Math.max(0, Math.ceil(-power / 3)));
  return `${10 ** (power + 3 * prefix)} ${PREFIXES[prefix]}`;
}

/** A power of ten as a factor. */
function exponentOf(factor: number): string {
  const power = Math.round(Math.log10(factor));
  return power >= 0 && power < 4 ? String(10 ** power) : `1e${power}`.replace("-", "−");
}

/** Labels only as many decades as there is room for. */
function everyFewDecades(plot: uPlot, ticks: number[]): (number | null)[] {
  const powers = ticks.filter(isDecade).length;
  const every = Math.max(1, Math.ceil(powers * 18 / Math.max(1, plot.bbox.height / devicePixelRatio)));
  return ticks.map((tick) => (isDecade(tick) && Math.round(Math.log10(tick)) % every === 0 ? tick : null));
}

/** The published iteration is drawn finer and dotted beside its own method. */
function seriesOf(run: RunResult, classic: boolean, label: string): uPlot.Series {
  const look = lookOf(run.method);
  const colour = token(look.line);
  return {
    label,
    stroke: colour,
    width: classic ? 1.25 : 2,
    dash: classic ? [1, 3] : [...look.dash],
    points: { show: true, paths: markerPaths(look.marker), stroke: colour, fill: token("panel-paper"), width: 1.5, space: 12 },
  };
}

/** Draws a marker at every point that there is room for. */
function markerPaths(marker: Marker): uPlot.Series.Points.PathBuilder {
  return (plot, seriesIndex, from, to) => {
    const path = new Path2D();
    const size = 3.5 * devicePixelRatio;
    const values = plot.data[seriesIndex] ?? [];
    let lastX = -Infinity;
    for (let index = from; index <= to; index += 1) {
      const value = values[index];
      if (value === undefined || value === null) continue;
      const x = plot.valToPos(plot.data[0][index] ?? 0, "x", true);
      const isLast = index === to || typeof values[index + 1] !== "number";
      if (x - lastX < 14 * devicePixelRatio && !isLast) continue;
      lastX = x;
      addMarker(path, marker, x, plot.valToPos(value, "y", true), size);
    }
    return { stroke: path, fill: path, flags: 0 };
  };
}

function addMarker(path: Path2D, marker: Marker, x: number, y: number, size: number): void {
  switch (marker) {
    case "circle":
      path.moveTo(x + size, y);
      path.arc(x, y, size, 0, 2 * Math.PI);
      break;
    case "square":
      path.rect(x - size * 0.9, y - size * 0.9, size * 1.8, size * 1.8);
      break;
    case "plus":
      path.moveTo(x - size * 1.2, y);
      path.lineTo(x + size * 1.2, y);
      path.moveTo(x, y - size * 1.2);
      path.lineTo(x, y + size * 1.2);
      break;
    case "triangle":
      regular(path, 3, x, y, size * 1.3, -Math.PI / 2);
      break;
    case "wedge":
      regular(path, 3, x, y, size * 1.3, Math.PI / 2);
      break;
    case "diamond":
      regular(path, 4, x, y, size * 1.3, 0);
      break;
    case "hexagon":
      regular(path, 6, x, y, size * 1.2, 0);
      break;
  }
}

function regular(path: Path2D, corners: number, x: number, y: number, radius: number, first: number): void {
  for (let corner = 0; corner < corners; corner += 1) {
    const angle = first + 2 * Math.PI * corner / corners;
    path[corner === 0 ? "moveTo" : "lineTo"](x + radius * Math.cos(angle), y + radius * Math.sin(angle));
  }
  path.closePath();
}

/** The iterations of the main run that only refine what already held, as a veil with its name. */
function drawRefinement(plot: uPlot, session: Session): void {
  const main = session.results.peek()[0];
  const from = main ? refinedFrom(main) : null;
  if (!main || from === null) return;
  const { ctx, bbox } = plot;
  const [left, right] = [plot.valToPos(from, "x", true), plot.valToPos(main.iterations, "x", true)];
  ctx.save();
  ctx.globalAlpha = 0.06;
  ctx.fillStyle = token("ink");
  ctx.fillRect(left, bbox.top, right - left, bbox.height);
  ctx.globalAlpha = 1;
  ctx.font = `${12 * devicePixelRatio}px 'Inter Variable', sans-serif`;
  ctx.fillStyle = token("ink-soft");
  ctx.textAlign = "right";
  if (ctx.measureText(REFINED).width + 8 * devicePixelRatio < right - left) ctx.fillText(REFINED, right - 4 * devicePixelRatio, bbox.top + 12 * devicePixelRatio);
  ctx.restore();
}

/** The tolerance as a fine line, and where the scrubber stands. */
function drawMarks(plot: uPlot, session: Session, tolerance: number): void {
  const { ctx, bbox } = plot;
  const cursor = session.cursor.peek();
  ctx.save();
  ctx.lineWidth = devicePixelRatio;
  ctx.strokeStyle = token("line-strong");
  ctx.fillStyle = token("ink-soft");
  if (tolerance > 0 && inside(plot, tolerance)) {
    const y = plot.valToPos(tolerance, "y", true);
    ctx.setLineDash([2 * devicePixelRatio, 3 * devicePixelRatio]);
    line(ctx, bbox.left, y, bbox.left + bbox.width, y);
    ctx.font = `${12 * devicePixelRatio}px 'Inter Variable', sans-serif`;
    const pad = 6 * devicePixelRatio;
    const width = ctx.measureText(REACHED).width;
    const room = bbox.width - 2 * pad - width;
    const places = Array.from({ length: 9 }, (_, k) => bbox.left + pad + (room * k) / 8);
    // Where no curve runs through it, as far left as can be.
    const x = places.find((left) => !isCrossed(plot, y, [left, left + width])) ?? bbox.left + pad;
    ctx.textAlign = "left";
    ctx.lineWidth = 3 * devicePixelRatio;
    ctx.setLineDash([]);
    ctx.strokeStyle = token("panel-paper");
    ctx.strokeText(REACHED, x, y - 5 * devicePixelRatio);
    ctx.fillText(REACHED, x, y - 5 * devicePixelRatio);
  }
  // Over the plot itself the pointer is its own mark.
  const pointed = (plot.cursor.left ?? -1) < 0 ? session.hoveredIteration.peek() : null;
  const marked = pointed ?? cursor?.iteration ?? null;
  if (marked !== null) {
    ctx.lineWidth = devicePixelRatio;
    const x = plot.valToPos(marked, "x", true);
    ctx.setLineDash([]);
    ctx.strokeStyle = token("ink");
    line(ctx, x, bbox.top, x, bbox.top + bbox.height);
  }
  ctx.restore();
}

/** Whether a curve runs through a line of text over this height, from one place across to another [device px]. */
function isCrossed(plot: uPlot, y: number, [from, to]: readonly [number, number]): boolean {
  const [top, bottom] = [y - 18 * devicePixelRatio, y];
  const [iterations = [], ...curves] = plot.data;
  return curves.some((curve) => {
    const points = Array.from(iterations).flatMap((iteration, k) => {
      const error = curve[k];
      return typeof error === "number" ? [{ x: plot.valToPos(iteration, "x", true), y: plot.valToPos(error, "y", true) }] : [];
    });
    return points.some((b, k) => {
      const a = points[k - 1] ?? b;
      if (a.x > to || b.x < from) return false;
      const at = (x: number) => a.y + (b.y - a.y) * Math.min(Math.max((x - a.x) / Math.max(b.x - a.x, 1e-9), 0), 1);
      return Math.min(at(from), at(to)) < bottom && Math.max(at(from), at(to)) > top;
    });
  });
}

function inside(plot: uPlot, value: number): boolean {
  const { min, max } = plot.scales["y"] ?? {};
  return typeof min === "number" && typeof max === "number" && value > min && value < max;
}

function line(ctx: CanvasRenderingContext2D, x0: number, y0: number, x1: number, y1: number): void {
  ctx.beginPath();
  ctx.moveTo(x0, y0);
  ctx.lineTo(x1, y1);
  ctx.stroke();
}
