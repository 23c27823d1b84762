//! The motion curves of a joint: how it turns, or where it is, before and after; poses that were set are edited on them.

import uPlot from "uplot";
import { useEffect, useRef } from "preact/hooks";
import { effect, signal } from "@preact/signals";
import { frameAt, timeOf } from "../../core/motion/contacts.ts";
import type { JointCurves, MotionInfo, MotionSession } from "../../core/motion/types.ts";
import { NumberField, Select } from "../controls.tsx";
import { theme } from "../theme.ts";
import { token } from "../tokens.ts";
import { follow, hold, moving, newDrag } from "./dragging.ts";

type Kind = "rotation" | "place";
/** What somebody has asked for; null: how the joint turns, or where it is if it does not. */
const chosen = signal<Kind | null>(null);
/** Turns below this are none [°]. */
const STILL = 0.5;
/** The least height of the plot, so that rounding does not look like much [°, m]. */
const LEAST = { rotation: 2, place: 0.02 } as const;
/** By how much the arrow keys change a number [°, m]. */
const STEP = { rotation: 1, place: 0.01 } as const;
const KINDS: { value: Kind; label: string }[] = [{ value: "rotation", label: "Rotation" }, { value: "place", label: "Place" }];
const AXES = [{ name: "x", line: "line-ccd" }, { name: "y", line: "line-fabrik" }, { name: "z", line: "line-relaxation" }] as const;

export function Curves({ session }: { session: MotionSession }) {
  const info = session.shown.value?.info;
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => (box.current ? keepPlot(box.current, session) : undefined), [session, info === undefined]);
  if (!info) return null;
  const joint = session.curveJoint.value ?? 0;
  const kind = kindOf(session);
  const movable = info.joints.flatMap(({ name, turns, moves }, index) => (turns || moves ? [{ value: String(index), label: name }] : []));
  return (
    <figure class="plot motion-curves">
      <figcaption class="plot-title curve-title">
        <Select label="Joint" hideLabel value={String(joint)} choices={movable} onChange={(value) => { session.curveJoint.value = Number(value); }} />
        <Select label="What" hideLabel value={kind} choices={KINDS} onChange={(value) => { chosen.value = value; }} />
        {AXES.map(({ name, line }, axis) => <Axis key={name} name={name} line={line} handle={pickedHandle(session, axis, kind)} session={session} kind={kind} />)}
        {!pickedHandle(session, 0, kind) && <span class="plot-note">{canEdit(session, kind) ? "dashes: original; double-click to set a key, drag its diamonds" : "full lines: result; grey dashes: original"}</span>}
      </figcaption>
      <div class="plot-box" ref={box} role="img" aria-label={`Curves of ${info.joints[joint]?.name ?? ""}, ${kind === "rotation" ? "degrees" : "metres"} over seconds`} />
    </figure>
  );
}

interface AxisProps {
  name: string;
  line: string;
  handle: Handle | undefined;
  session: MotionSession;
  kind: Kind;
}

/** The colour of an axis, and its number in the pose that is picked. */
function Axis({ name, line, handle, session, kind }: AxisProps) {
  return (
    <span class="curve-key" data-line={line}>
      {handle
        ? <NumberField label={name} unit={kind === "rotation" ? "°" : "m"} value={handle.value} step={STEP[kind]} digits={kind === "rotation" ? 1 : 3} onCommit={(value) => { session.setCurve(handle.time, withValue(handle, value)); }} />
        : name}
    </span>
  );
}

/** A pose on one of the curves. */
interface Handle {
  time: number;
  axis: number;
  /** As it is drawn [°, m]. */
  value: number;
  /** A unit of the drawing in those of the numbers. */
  perUnit: number;
  /** All 6 numbers of the joint. */
  numbers: readonly number[];
  /** Which of them this one is. */
  at: number;
}

function handlesOf(session: MotionSession, kind: Kind): Handle[] {
  const [curves, info] = [session.curves.value, session.shown.value?.info];
  if (!curves || !info || !canEdit(session, kind)) return [];
  const perUnit = 1 / scaleOf(info, kind);
  return [...curves.times].flatMap((time, key) => {
    const numbers = [...curves.keys.subarray(6 * key, 6 * key + 6)];
    return AXES.map((_, axis) => {
      const at = axis + (kind === "rotation" ? 0 : 3);
      return { time, axis, value: (numbers[at] ?? 0) / perUnit, perUnit, numbers, at };
    });
  });
}

function pickedHandle(session: MotionSession, axis: number, kind: Kind): Handle | undefined {
  const picked = session.picked.value;
  return picked?.kind === "key" ? handlesOf(session, kind).find((handle) => handle.time === picked.time && handle.axis === axis) : undefined;
}

/** The joint's numbers when this one of them is drawn at a value. */
function withValue({ numbers, at, perUnit }: Handle, value: number): number[] {
  return numbers.with(at, value * perUnit);
}

/** Where a joint that only turns is follows from those above it. */
function canEdit(session: MotionSession, kind: Kind): boolean {
  const joint = session.shown.value?.info.joints[session.curves.value?.joint ?? -1];
  return joint !== undefined && (kind === "rotation" ? joint.turns : joint.moves);
}

function keepPlot(box: HTMLDivElement, session: MotionSession): () => void {
  let plot: uPlot | null = null;
  let shows = "";
  const stop = effect(() => {
    const [curves, info] = [session.curves.value, session.shown.value?.info];
    const which = kindOf(session);
    const wanted = `${curves?.joint} ${which} ${theme.value}`;
    if (plot && curves && info && wanted === shows) {
      plot.setData(dataOf(curves, info, which));
      return;
    }
    plot?.destroy();
    plot = curves && info ? new uPlot(options(box, which, session), dataOf(curves, info, which), box) : null;
    shows = wanted;
  });
  const redraw = () => { plot?.redraw(false); };
  const stops = [session.frame.subscribe(redraw), session.picked.subscribe(redraw)];
  const watcher = new ResizeObserver(() => { plot?.setSize(sizeOf(box)); });
  watcher.observe(box);
  return () => {
    stop();
    stops.forEach((end) => { end(); });
    watcher.disconnect();
    plot?.destroy();
  };
}

function kindOf(session: MotionSession): Kind {
  const curves = session.curves.value;
  return chosen.value ?? (curves && !turns(curves) ? "place" : "rotation");
}

/** A hand at the end of a chain keeps its turn, and what is pulled with it is its place. */
function turns({ source, result }: JointCurves): boolean {
  return [source, result].some((all) => [0, 1, 2].some((axis) => {
    const first = all[axis] ?? 0;
    for (let at = axis; at < all.length; at += 6) if (Math.abs((all[at] ?? 0) - first) > STILL) return true;
    return false;
  }));
}

function sizeOf(box: HTMLElement) {
  return { width: Math.max(120, box.clientWidth), height: Math.max(80, box.clientHeight) };
}

/** What the numbers are drawn in: degrees, or metres. */
function scaleOf(info: MotionInfo, which: Kind): number {
  return which === "rotation" ? 1 : info.millimetresPerUnit / 1000;
}

function dataOf(curves: JointCurves, info: MotionInfo, which: Kind): uPlot.AlignedData {
  const n = info.nFrames;
  const x = Float64Array.from({ length: n }, (_, frame) => timeOf(info, frame));
  const scale = scaleOf(info, which);
  const column = (all: Float32Array, axis: number) => Float64Array.from({ length: n }, (_, frame) => scale * (all[6 * frame + (which === "rotation" ? 0 : 3) + axis] as number));
  const of = (all: Float32Array) => [0, 1, 2].map((axis) => column(all, axis));
  return [x, ...of(curves.source), ...of(curves.result)];
}

function options(box: HTMLElement, which: Kind, session: MotionSession): uPlot.Options {
  const axis = { stroke: token("ink-soft"), grid: { stroke: token("grid"), width: 1 }, ticks: { show: false }, font: "12px 'JetBrains Mono', monospace" };
  const unit = which === "rotation" ? "°" : " m";
  // While a diamond is dragged the scale stays, so that it stays under the pointer.
  let held: uPlot.Range.MinMax | null = null;
  const holdScale = (range: uPlot.Range.MinMax | null) => { held = range; };
  return {
    ...sizeOf(box),
    legend: { show: false },
    padding: [8, 12, 0, 0],
    cursor: { drag: { x: false, y: false }, points: { show: false } },
    scales: { x: { time: false }, y: { range: (_, min, max) => held ?? padded(min ?? 0, max ?? 0, LEAST[which]) } },
    axes: [
      { ...axis, size: 26, space: 60, values: (_, ticks) => ticks.map((tick) => `${tick}\u00a0s`) },
      { ...axis, size: 64, space: 28, values: (_, ticks) => ticks.map((tick) => `${tick.toFixed(digitsOf(ticks))}${unit}`) },
    ],
    series: [
      {},
      ...AXES.map((): uPlot.Series => ({ stroke: token("before"), width: 1.25, dash: [4, 3], points: { show: false } })),
      ...AXES.map(({ line }): uPlot.Series => ({ stroke: token(line), width: 1.75, points: { show: false } })),
    ],
    hooks: {
      draw: [(plot) => { drawPlayhead(plot, session); drawHandles(plot, session, which); }],
      ready: [(plot) => { takePointer(plot, session, which, holdScale); }],
    },
  };
}

/** Some room above and below, and no less than this between them. */
function padded(min: number, max: number, least: number): uPlot.Range.MinMax {
  const half = Math.max(0.55 * (max - min), least / 2);
  return [(min + max) / 2 - half, (min + max) / 2 + half];
}

/** So many decimals that neighbours are told apart. */
function digitsOf([first = 0, second = 1]: number[]): number {
  return Math.max(0, Math.ceil(-Math.log10(Math.abs(second - first)) - 1e-9));
}

function drawPlayhead(plot: uPlot, session: MotionSession): void {
  const time = plot.data[0][session.frame.peek()];
  if (time === undefined) return;
  const x = plot.valToPos(time, "x", true);
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.strokeStyle = token("target");
  ctx.lineWidth = 1.5 * devicePixelRatio;
  ctx.beginPath();
  ctx.moveTo(x, bbox.top);
  ctx.lineTo(x, bbox.top + bbox.height);
  ctx.stroke();
  ctx.restore();
}

/** Half the height of a diamond, and how near a pointer takes hold of it [CSS px]. */
const [DIAMOND, NEAR] = [5, 9];

function drawHandles(plot: uPlot, session: MotionSession, which: Kind): void {
  const { ctx } = plot;
  const picked = session.picked.peek();
  const half = DIAMOND * devicePixelRatio;
  ctx.save();
  ctx.lineWidth = 1.5 * devicePixelRatio;
  for (const { time, axis, value } of handlesOf(session, which)) {
    const [x, y] = [plot.valToPos(time, "x", true), plot.valToPos(value, "y", true)];
    ctx.beginPath();
    ctx.moveTo(x, y - half);
    for (const [dx, dy] of [[1, 0], [0, 1], [-1, 0]] as const) ctx.lineTo(x + half * dx, y + half * dy);
    ctx.closePath();
    ctx.fillStyle = token(picked?.kind === "key" && picked.time === time ? "target" : "panel-paper");
    ctx.strokeStyle = token(AXES[axis]?.line ?? "ink");
    ctx.fill();
    ctx.stroke();
  }
  ctx.restore();
}

/** A diamond is dragged up and down for its value, or to the sides for its time; elsewhere the pointer chooses the frame, and twice sets a key. */
function takePointer(plot: uPlot, session: MotionSession, which: Kind, holdScale: (range: uPlot.Range.MinMax | null) => void): void {
  const { over } = plot;
  const placeOf = (event: MouseEvent) => {
    const { left, top } = over.getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top };
  };
  const handleAt = (event: MouseEvent) => {
    const { x, y } = placeOf(event);
    const far = ({ time, value }: Handle) => Math.hypot(plot.valToPos(time, "x") - x, plot.valToPos(value, "y") - y);
    const [nearest] = handlesOf(session, which).sort((a, b) => far(a) - far(b));
    return nearest && far(nearest) <= NEAR ? nearest : undefined;
  };
  const goTo = (event: MouseEvent) => {
    const info = session.shown.peek()?.info;
    session.pause();
    if (info) session.goTo(frameAt(info, plot.posToVal(placeOf(event).x, "x")));
  };
  over.addEventListener("pointermove", (event) => { if (event.buttons === 0) over.style.cursor = handleAt(event) ? "grab" : ""; });
  over.addEventListener("pointerdown", (event) => {
    const handle = event.button === 0 ? handleAt(event) : undefined;
    if (!handle) {
      goTo(event);
      return;
    }
    const { min = null, max = null } = plot.scales["y"] ?? {};
    holdScale(min === null || max === null ? null : [min, max]);
    dragHandle(plot, event, handle, session, () => {
      holdScale(null);
      plot.setData(plot.data);
    });
  });
  over.addEventListener("dblclick", (event) => {
    if (!canEdit(session, which) || handleAt(event)) return;
    goTo(event);
    void session.setKey();
  });
}

function dragHandle(plot: uPlot, event: PointerEvent, handle: Handle, session: MotionSession, onEnd: () => void): void {
  const info = session.shown.peek()?.info;
  if (!info) return;
  session.picked.value = { kind: "key", time: handle.time };
  session.pause();
  session.goTo(frameAt(info, handle.time));
  hold(event);
  const [x, y] = [event.clientX, event.clientY];
  const perPixel = (scale: "x" | "y") => plot.posToVal(1, scale) - plot.posToVal(0, scale);
  const [seconds, units] = [perPixel("x"), perPixel("y")];
  const drag = newDrag();
  const moveTo = moving(session, info, handle.time, drag);
  let way: "value" | "time" | null = null;
  follow(plot.over, (move) => {
    const [dx, dy] = [move.clientX - x, move.clientY - y];
    if (way === null && Math.hypot(dx, dy) >= 3) way = Math.abs(dx) > Math.abs(dy) ? "time" : "value";
    if (way === "time") moveTo(handle.time + seconds * dx);
    if (way === "value") session.setCurve(handle.time, withValue(handle, handle.value + units * dy), drag);
  }, () => {
    session.endDrag();
    onEnd();
  });
}
