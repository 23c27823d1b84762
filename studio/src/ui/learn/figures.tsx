//! The live figures of the articles. Poses come from the library; what is drawn by formula are the formulas of the text.

import type { ComponentType } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { PlaneChain } from "../../core/files.ts";
import { aboutAxis, add, cross, degrees, dot, multiply, radians, rotate, scale, unit } from "../../core/math.ts";
import { hasPoses, phaseAt, poseAt } from "../../core/shown.ts";
import type { MethodName, Sketch, SketchOrder } from "../../core/types.ts";
import { angle, count } from "../words.ts";
import { Arc, Arrow, Chain, Curve, fitting, Plot, plotPlace, Slider, spotsOf, Target, type Spot } from "./drawing.tsx";
import { Skate } from "./skate.tsx";
import { useSketch } from "./sketch.ts";
import { Triangle } from "./triangle.tsx";

export function Figure({ name, caption }: { name: string; caption: string }) {
  const Drawn = FIGURES[name as FigureName];
  return (
    <figure class="figure" data-figure={name}>
      <Drawn />
      <figcaption dangerouslySetInnerHTML={{ __html: caption }} />
    </figure>
  );
}

// ---------------------------------------------------------------------------------------------------------------- iterations

const THREE: PlaneChain = {
  schema: "posekit.chain/1",
  dimension: 2,
  bones: [{ length: 1, angle: 2.2 }, { length: 0.9, angle: -0.9 }, { length: 0.8, angle: -0.7 }],
  target: [1.55, 0.55],
};
const STRAIGHT: PlaneChain = { ...THREE, bones: [{ length: 1, angle: 0 }, { length: 0.7, angle: 0 }], target: [0.75, 0] };

interface Frame {
  title: string;
  spots: Spot[];
  lit?: number;
  /** Points whose distances are off. */
  isRaw?: boolean;
}

/** One iteration in small frames, each over the one before. */
function Frames({ frames, target, who, size }: { frames: readonly Frame[]; target: Spot; who: MethodName; size: Spot }) {
  const place = fitting([...frames.flatMap(({ spots }) => spots), target], size, 14);
  return (
    <div class="frames" data-line={`line-${who}`}>
      {frames.map(({ title, spots, lit, isRaw }, index) => {
        const drawn = spots.map(place);
        const before = frames[index - 1]?.spots.map(place);
        return (
          <div key={title} class="frame">
            <svg viewBox={`0 0 ${size[0]} ${size[1]}`} role="img" aria-label={title}>
              {before && <Chain spots={before} isPast />}
              {isRaw ? <polyline class="raw" points={drawn.map((at) => at.join(",")).join(" ")} /> : <Chain spots={drawn} {...(lit === undefined ? {} : { lit })} />}
              {isRaw && drawn.map(([x, y], spot) => <circle key={spot} class={spot === lit ? "raw-joint lit" : "raw-joint"} cx={x} cy={y} r={3} />)}
              <Target at={place(target)} />
            </svg>
            <span>{title}</span>
          </div>
        );
      })}
    </div>
  );
}

function oneOf(method: MethodName): SketchOrder {
  return { problem: THREE, method, settings: { iterations: 1, classic: true }, targets: [THREE.target] };
}
export const ONE = { ccd: oneOf("ccd"), fabrik: oneOf("fabrik"), relaxation: oneOf("relaxation") };

function iterationOf(method: keyof typeof ONE): ComponentType {
  return function Iteration() {
    const found = useSketch(ONE[method]);
    const frames = useMemo(() => (found ? framesOf(found, method) : []), [found]);
    return <Frames frames={frames} target={THREE.target as unknown as Spot} who={method} size={[150, 100]} />;
  };
}

/** The start and every half-step; for relaxation the points, and at last the pose that is fitted to them. */
export function framesOf({ trace, results }: Sketch, method: MethodName): Frame[] {
  if (!hasPoses(trace)) return [];
  const frames: Frame[] = [{ title: "start", spots: spotsOf(poseAt(trace, 0).points) }];
  for (let entry = 1; entry < trace.n; entry += 1) {
    const [phase, joint] = [phaseAt(trace, entry), trace.joints[entry] ?? -1];
    const spots = spotsOf(poseAt(trace, entry).points);
    if (phase === "joint") frames.push({ title: `joint ${joint + 1}`, spots, lit: joint });
    if (phase === "backward") frames.push({ title: "inward pass", spots, isRaw: true });
    if (phase === "forward") frames.push({ title: "outward pass", spots });
    if (phase === "bone") frames.push({ title: `bone ${joint + 1}`, spots, lit: joint, isRaw: true });
  }
  if (method === "relaxation") frames.push({ title: "the pose read off", spots: spotsOf(results[0]?.points ?? []) });
  return frames;
}

export const FOLDED: SketchOrder = { problem: STRAIGHT, method: "ccd", settings: { iterations: 1, classic: true }, targets: [STRAIGHT.target] };
const BENT: SketchOrder = { problem: STRAIGHT, method: "direct", settings: {}, targets: [STRAIGHT.target] };

/** The lock-up; a bone that lies on another is drawn beside it. */
function Fold() {
  const [folded, bent] = [useSketch(FOLDED), useSketch(BENT)];
  const frames = folded && bent ? [...framesOf(folded, "ccd"), { title: "a pose that reaches", spots: spotsOf(bent.results[0]?.points ?? []) }] : [];
  const size: Spot = [150, 84];
  const place = fitting([[-0.1, -0.75], [1.75, 0.2]], size, 8);
  const target = place(STRAIGHT.target as unknown as Spot);
  return (
    <div class="frames" data-line="line-ccd">
      {frames.map(({ title, spots }, index) => {
        const [root, elbow, tip] = spots.map(place) as [Spot, Spot, Spot];
        const isFolded = Math.abs(tip[1] - elbow[1]) < 1 && tip[0] < elbow[0];
        const lower: Spot = isFolded ? [tip[0], tip[1] - 11] : tip;
        return (
          <div key={title} class="frame">
            <svg viewBox={`0 0 ${size[0]} ${size[1]}`} role="img" aria-label={title}>
              <Target at={target} />
              <Chain spots={[root, elbow]} />
              <Chain spots={isFolded ? [[elbow[0], elbow[1] - 11], lower] : [elbow, lower]} lit={index === 1 ? 0 : -1} hasRoot={false} />
              {isFolded && <path class="bridge" d={`M${elbow[0]} ${elbow[1]}a5.5 5.5 0 0 0 0 -11`} />}
            </svg>
            <span>{index === 2 ? "joint 1: already best" : title}</span>
          </div>
        );
      })}
    </div>
  );
}

// ---------------------------------------------------------------------------------------------------------------- turn and twist

/** The angle between two vectors, with the area whose sign is the direction of the turn. */
function Turn() {
  const [at, setAt] = useState(65);
  const center: Spot = [150, 92];
  const [a, b] = [aboutCentre(12, 88), aboutCentre(12 + at, 66)];
  const value = degrees(Math.atan2(a[0] * b[1] - a[1] * b[0], a[0] * b[0] + a[1] * b[1]));
  const on = ([x, y]: Spot): Spot => [center[0] + x, center[1] - y];
  const sine = Math.sin(radians(value));
  const word = Math.abs(sine) < 1e-9 ? "in line" : sine > 0 ? "counterclockwise" : "clockwise";
  return (
    <>
      <svg viewBox="0 0 300 184" role="img" aria-label={`The turn from a to b is ${angle(radians(value))}, ${word}`} data-turn={word}>
        <path class="area" data-sign={Math.sign(Math.round(1e6 * sine))} d={`M${on([0, 0]).join(" ")}L${on(a).join(" ")}L${on([a[0] + b[0], a[1] + b[1]]).join(" ")}L${on(b).join(" ")}Z`} />
        <Arc at={center} radius={26} from={radians(12)} by={radians(value)} hasHead>α</Arc>
        <Arrow from={center} to={on(a)} class="arrow strong" />
        <Arrow from={center} to={on(b)} class="arrow target-arrow" />
        <text class="label vector" x={on(a)[0] + 6} y={on(a)[1] + 4}>a</text>
        <text class="label vector" x={on(b)[0] + 8 * Math.sign(b[0])} y={on(b)[1] - 6} text-anchor="middle">b</text>
      </svg>
      <Slider label="Direction of b" text={`${at}°`} min={-180} max={180} step={5} value={at} onInput={setAt} />
      <p class="readout" aria-live="off">a × b = <b>{signed(sine)}</b> |a| |b|, a · b = <b>{signed(Math.cos(radians(value)))}</b> |a| |b|: <b>{word}</b> by {angle(Math.abs(radians(value)))}</p>
    </>
  );
}

const aboutCentre = (turn: number, length: number): Spot => [length * Math.cos(radians(turn)), length * Math.sin(radians(turn))];
const signed = (value: number) => (Math.abs(value) < 0.005 ? "0.00" : `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(2)}`);

/** A bone with a fin, from one direction to another with a chosen twist. */
function Twist() {
  const [twist, setTwist] = useState(0);
  const u = unit([1, 0.1, 0.35]);
  const v = unit([0.25, 1, 0.1]);
  const n = unit(cross(u, v));
  const shortest = aboutAxis(n, Math.acos(dot(u, v)));
  const whole = multiply(aboutAxis(v, radians(twist)), shortest);
  const turn = 2 * Math.atan2(Math.hypot(whole[0], whole[1], whole[2]), Math.abs(whole[3]));
  const fin = unit(cross(n, u));
  const on: Place3 = ([x, y, z]) => [78 + 122 * (x + 0.28 * z), 150 - 122 * (y - 0.3 * z)];
  const slab = (turned: (p: Vec) => Vec) => [[0, 0], [1, 0], [0.85, 0.3], [0.25, 0.3]].map(([l = 0, f = 0]) => on(turned(add(scale(u, l), scale(fin, f)))).join(",")).join(" ");
  const tip = (turned: (p: Vec) => Vec) => on(turned(u));
  const same = (p: Vec) => p;
  const rotated = (p: Vec) => rotate(whole, p);
  const root = on([0, 0, 0]);
  return (
    <>
      <svg viewBox="0 0 300 172" role="img" aria-label={`The bone at a twist of ${twist}° has turned by ${angle(turn)} in all`} data-line="line-fabrik">
        <polygon class="fin past-fin" points={slab(same)} />
        <line class="past" x1={root[0]} y1={root[1]} x2={tip(same)[0]} y2={tip(same)[1]} />
        <polygon class="fin" points={slab(rotated)} />
        <line class="spine" x1={root[0]} y1={root[1]} x2={tip(rotated)[0]} y2={tip(rotated)[1]} />
        <polyline class="arc" points={Array.from({ length: 21 }, (_, i) => on(rotate(aboutAxis(n, Math.acos(dot(u, v)) * i / 20), scale(u, 0.62))).join(",")).join(" ")} />
        <text class="label vector" x={tip(same)[0] + 6} y={tip(same)[1] + 4}>u</text>
        <text class="label vector" x={tip(rotated)[0] + 6} y={tip(rotated)[1] + 4}>v</text>
      </svg>
      <Slider label="Twist" text={`${twist}°`} min={-180} max={180} step={5} value={twist} onInput={setTwist} />
      <p class="readout">In all it turns by <b>{angle(turn)}</b>{twist === 0 ? ", the least that leads there" : ""}.</p>
    </>
  );
}

type Vec = readonly [number, number, number];
type Place3 = (at: Vec) => Spot;

// ---------------------------------------------------------------------------------------------------------------- regularization

/** From a thousandth to one, in powers of ten. */
const strength = (power: number) => 10 ** power;

/** Two equal bones of half the reach: how far moving the elbow moves the hand along the limb, at a flexion. */
const slope = (flexion: number) => Math.sin(flexion / 2) / 2;

function Damping() {
  const [power, setPower] = useState(-1.3);
  const lambda = strength(power);
  const [x, y] = [[[0, "0°"], [15, "15°"], [30, "30°"], [45, "45°"], [60, "60°"]], [[0, "0°"], [10, "10°"], [20, "20°"], [30, "30°"]]] as [[number, string][], [number, string][]];
  const place = plotPlace(x, y);
  const step = (flexion: number, damping: number) => {
    const s = slope(radians(flexion));
    return degrees(0.01 * s / (s * s + damping * damping));
  };
  const flexions = Array.from({ length: 241 }, (_, index) => index / 4);
  const exact = flexions.slice(1).filter((flexion) => step(flexion, 0) <= 34).map((flexion) => place([flexion, step(flexion, 0)]));
  const damped = flexions.map((flexion) => place([flexion, step(flexion, lambda)]));
  const peak = degrees(2 * Math.asin(Math.min(1, 2 * lambda)));
  const top = place([peak, step(peak, lambda)]);
  return (
    <div data-line="line-least-squares">
      <div role="img" aria-label={`Without damping the step grows without bound as the limb straightens; with damping ${lambda.toFixed(3)} it is at most ${step(peak, lambda).toFixed(1)}°`}>
        <Plot x={x} y={y} xTitle="flexion of the elbow" yTitle="step of the elbow">
          <Curve class="exact" spots={exact} />
          <text class="tick" x={place([0, 0])[0] + 32} y={place([0, 28])[1]}>exact: ∞ at 0°</text>
          <Curve class="solved" spots={damped} />
          {peak <= 60 && step(peak, lambda) <= 30 && <circle class="peak" cx={top[0]} cy={top[1]} r={3.5} />}
        </Plot>
      </div>
      <Slider label="Damping λ" text={lambda.toFixed(3)} min={-2.2} max={-0.5} step={0.1} value={power} onInput={setPower} />
      <p class="readout">Largest step: <b>{step(peak, lambda).toFixed(1)}°</b>, at a flexion of {peak.toFixed(0)}°.</p>
    </div>
  );
}

/** The distance of the target from the root, as parts of the reach. */
const DISTANCES = Array.from({ length: 61 }, (_, index) => 0.85 + 0.0035 * index);
const LIMB: PlaneChain = { schema: "posekit.chain/1", dimension: 2, bones: [{ length: 0.5, angle: -0.45 }, { length: 0.5, angle: 0.9 }], target: [0.85, 0] };

export function limbAt(regularisation: number): SketchOrder {
  return { problem: LIMB, method: "least-squares", settings: { least_squares: { regularisation, restarts: 0 } }, targets: DISTANCES.map((at) => [at, 0]) };
}
const EXACT = limbAt(0);

function Reach() {
  const [power, setPower] = useState(-2);
  const order = useMemo(() => limbAt(strength(power)), [power]);
  const [exact, smooth] = [useSketch(EXACT), useSketch(order)];
  const [x, y] = [[[0.85, "85 %"], [0.9, "90 %"], [0.95, "95 %"], [1, "reach"], [1.06, ""]], [[0, "0°"], [20, "20°"], [40, "40°"], [60, "60°"]]] as [[number, string][], [number, string][]];
  const place = plotPlace(x, y);
  const spots = (found: Sketch | null) => found?.results.map(({ q }, index) => place([DISTANCES[index] ?? 0, Math.abs(degrees(q[1] ?? 0))])) ?? [];
  const atReach = smooth?.results[DISTANCES.findIndex((at) => at >= 0.9999)];
  return (
    <div data-line="line-least-squares">
      <div role="img" aria-label="The flexion of the elbow over the distance of the target: without regularization it falls steeply to zero at the reach, with it gently">
        <Plot x={x} y={y} xTitle="distance of the target" yTitle="flexion of the elbow">
          <line class="limit-line" x1={place([1, 0])[0]} x2={place([1, 0])[0]} y1={place([1, 0])[1]} y2={place([1, 60])[1]} />
          <Curve class="exact" spots={spots(exact)} />
          <Curve class="solved dashed" spots={spots(smooth)} />
        </Plot>
      </div>
      <Slider label="Regularization" text={strength(power).toPrecision(1)} min={-4} max={0} step={0.25} value={power} onInput={setPower} />
      <p class="readout">At the reach the hand stays <b>{atReach ? `${(100 * atReach.error).toFixed(1)} %` : "…"}</b> of it behind, the elbow at {atReach ? `${Math.abs(degrees(atReach.q[1] ?? 0)).toFixed(0)}°` : "…"}.</p>
    </div>
  );
}

// ---------------------------------------------------------------------------------------------------------------- warm start

const ARC = Array.from({ length: 24 }, (_, index) => [0.42 + 0.25 * Math.cos(3 * index / 23), -0.38 + 0.6 * index / 23]);
const SIX: PlaneChain = { schema: "posekit.chain/1", dimension: 2, bones: Array.from({ length: 6 }, (_, index) => ({ length: 0.2, angle: index === 0 ? 2.1 : -1.9 / 6 })), target: [0.42, -0.38] };
export const COLD: SketchOrder = { problem: SIX, method: "least-squares", settings: {}, targets: ARC };
export const WARM: SketchOrder = { ...COLD, isWarm: true };

function Warm() {
  const [cold, warm] = [useSketch(COLD), useSketch(WARM)];
  const [x, y] = [[[0.5, "1"], [6, "6"], [12, "12"], [18, "18"], [24.5, "24"]], [[0, "0"], [5, "5"], [10, "10"], [15, ""]]] as [[number, string][], [number, string][]];
  const place = plotPlace(x, y);
  const bars = (found: Sketch | null, name: string, shift: number) => found?.results.map(({ iterations }, index) => {
    const [left, top] = place([index + 1 + shift, iterations]);
    return <rect key={`${name}${index}`} class={name} x={left - 2} y={top} width={4} height={place([0, 0])[1] - top} />;
  });
  const sum = (found: Sketch | null) => (found ? count(found.results.reduce((all, { iterations }) => all + iterations, 0), "iteration") : "…");
  return (
    <div data-line="line-least-squares">
      <div role="img" aria-label={`Cold starts take ${sum(cold)} in all, warm starts ${sum(warm)}`}>
        <Plot x={x} y={y} xTitle="frame" yTitle="iterations">{bars(cold, "bar cold", -0.2)}{bars(warm, "bar warm", 0.2)}</Plot>
      </div>
      <p class="readout">Cold: <b data-sum="cold">{sum(cold)}</b> in all. Warm: <b data-sum="warm">{sum(warm)}</b>.</p>
    </div>
  );
}

const FIGURES = {
  ccd: iterationOf("ccd"), fabrik: iterationOf("fabrik"), relaxation: iterationOf("relaxation"),
  fold: Fold, turn: Turn, twist: Twist, damping: Damping, reach: Reach, warm: Warm, triangle: Triangle, skate: Skate,
};
type FigureName = keyof typeof FIGURES;
export const FIGURE_NAMES = Object.keys(FIGURES);
