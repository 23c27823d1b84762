//! The motion curves of a joint: how it turns, or where it is, before and after.

import uPlot from "uplot";
import { useEffect, useRef } from "preact/hooks";
import { effect, signal } from "@preact/signals";
import { timeOf } from "../../core/motion/contacts.ts";
import type { JointCurves, MotionInfo, MotionSession } from "../../core/motion/types.ts";
import { Select } from "../controls.tsx";
import { theme } from "../theme.ts";
import { token } from "../tokens.ts";

type Kind = "rotation" | "place";
/** What somebody has asked for; null: how the joint turns, or where it is if it does not. */
const chosen = signal<Kind | null>(null);
/** Turns below this are none [°]. */
const STILL = 0.5;
/** The least height of the plot, so that rounding does not look like much [°, m]. */
const LEAST = { rotation: 2, place: 0.02 } as const;
const KINDS: { value: Kind; label: string }[] = [{ value: "rotation", label: "Rotation" }, { value: "place", label: "Place" }];
const AXES = [{ name: "x", line: "line-ccd" }, { name: "y", line: "line-fabrik" }, { name: "z", line: "line-relaxation" }] as const;

export function Curves({ session }: { session: MotionSession }) {
  const info = session.shown.value?.info;
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => (box.current ? keepPlot(box.current, session) : undefined), [session, info === undefined]);
  if (!info) return null;
  const joint = session.curveJoint.value ?? 0;
  const kind = kindOf(session);
  const movable = info.joints.flatMap(({ name, canMove }, index) => (canMove ? [{ value: String(index), label: name }] : []));
  return (
    <figure class="plot motion-curves">
      <figcaption class="plot-title curve-title">
        <Select label="Joint" hideLabel value={String(joint)} choices={movable} onChange={(value) => { session.curveJoint.value = Number(value); }} />
        <Select label="What" hideLabel value={kind} choices={KINDS} onChange={(value) => { chosen.value = value; }} />
        {AXES.map(({ name, line }) => <span key={name} class="curve-key" data-line={line}>{name}</span>)}
        <span class="plot-note">full lines: result; grey dashes: original</span>
      </figcaption>
      <div class="plot-box" ref={box} role="img" aria-label={`Curves of ${info.joints[joint]?.name ?? ""}, ${kind === "rotation" ? "degrees" : "metres"} over seconds`} />
    </figure>
  );
}

function keepPlot(box: HTMLDivElement, session: MotionSession): () => void {
  let plot: uPlot | null = null;
  const stop = effect(() => {
    void theme.value;
    const curves = session.curves.value;
    const info = session.shown.peek()?.info;
    const which = kindOf(session);
    plot?.destroy();
    plot = curves && info ? new uPlot(options(box, which, session), dataOf(curves, info, which), box) : null;
  });
  const stopFrame = session.frame.subscribe(() => { plot?.redraw(false); });
  const watcher = new ResizeObserver(() => { plot?.setSize(sizeOf(box)); });
  watcher.observe(box);
  return () => {
    stop();
    stopFrame();
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

function dataOf(curves: JointCurves, info: MotionInfo, which: Kind): uPlot.AlignedData {
  const n = info.nFrames;
  const x = Float64Array.from({ length: n }, (_, frame) => timeOf(info, frame));
  const scale = which === "rotation" ? 1 : info.millimetresPerUnit / 1000;
  const column = (all: Float32Array, axis: number) => Float64Array.from({ length: n }, (_, frame) => scale * (all[6 * frame + (which === "rotation" ? 0 : 3) + axis] as number));
  const of = (all: Float32Array) => [0, 1, 2].map((axis) => column(all, axis));
  return [x, ...of(curves.source), ...of(curves.result)];
}

function options(box: HTMLElement, which: Kind, session: MotionSession): uPlot.Options {
  const axis = { stroke: token("ink-soft"), grid: { stroke: token("grid"), width: 1 }, ticks: { show: false }, font: "12px 'JetBrains Mono', monospace" };
  const unit = which === "rotation" ? "°" : " m";
  return {
    ...sizeOf(box),
    legend: { show: false },
    padding: [8, 12, 0, 0],
    cursor: { drag: { x: false, y: false }, points: { show: false } },
    scales: { x: { time: false }, y: { range: (_, min, max) => padded(min ?? 0, max ?? 0, LEAST[which]) } },
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
      draw: [(plot) => { drawPlayhead(plot, session); }],
      ready: [(plot) => {
        plot.over.addEventListener("pointerdown", () => {
          const index = plot.cursor.idx;
          if (typeof index === "number") session.goTo(index);
        });
      }],
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
