//! Composes the drawing of a motion: the result in colour, the original grey, the trails of the feet, and what can be taken hold of.

import type { Vec3 } from "../files.ts";
import { Dash, Drawing, Pen, type BodyInk } from "../pictures/drawing.ts";
import { NO_FURNITURE } from "../pictures/furniture.ts";
import { Ink, lookOf, solverInk } from "../pictures/look.ts";
import { evaluate, shapeOf, spotDistance, type Shape } from "../pictures/shape.ts";
import type { PoseData, ProblemInfo } from "../types.ts";
import type { Comparison, ContactEntry, MotionHandle, MotionInfo, ShownMotion } from "./types.ts";

/** What there is to draw. */
export interface MotionScene {
  figure: Figure;
  frame: number;
  /** While one pulls, in place of the result's frame. */
  pulled: Float32Array | null;
  compare: Comparison;
  trails: boolean;
  contacts: readonly ContactEntry[];
  /** How far the original stands aside. */
  aside: Vec3;
  /** Handles are shown while nothing plays. */
  handles: readonly MotionHandle[];
  selection: number | null;
  hovered: number | null;
  target: Vec3 | null;
  /** Where the contact holds that is selected. */
  anchor: Vec3 | null;
  /** What is drawn by somebody else: the result, and the original where it stands aside or alone. */
  hasSkin: boolean;
  hasSourceSkin: boolean;
}

/** A motion laid out for drawing. */
export interface Figure {
  shown: ShownMotion;
  shape: Shape;
  /** Joints whose trails are drawn: what stands on the floor. */
  feet: readonly number[];
}

/** Length of a trail behind the frame on show, and ahead of it [s]. */
const [BEHIND, AHEAD] = [2.4, 0.5] as const;
/** A trail has at most so many pieces. */
const MOST_PIECES = 160;
const OUTLINE = 1.4;
/** Feet that are no farther apart than this, in sizes of the figure, are drawn as one. */
const SAME = 0.012;
/** The colour of the closed form, which is what holds the feet. */
const RESULT = solverInk(lookOf("two-bone"));

const RESULT_BODY: BodyInk = { tint: RESULT + 2, shade: RESULT, edge: RESULT + 1, width: OUTLINE };
const RESULT_JOINT: BodyInk = { tint: Ink.paper, shade: RESULT + 2, edge: RESULT + 1, width: OUTLINE };
const SOURCE_BODY: BodyInk = { tint: Ink.startTint, shade: Ink.start, edge: Ink.start, width: OUTLINE };
const SOURCE_JOINT: BodyInk = { tint: Ink.paper, shade: Ink.startTint, edge: Ink.start, width: OUTLINE };

export function figureOf(shown: ShownMotion): Figure {
  const { info } = shown;
  const feet = info.legs.map((leg) => leg.ball ?? leg.end);
  const shape = shapeOf(problemOf(shown), NO_FURNITURE, shown.rest.length > 0);
  roundHead(shape, info);
  return { shown, shape, feet };
}

/** Half the width of a head as a part of its bone's length. */
const HEAD = 0.38;

/** A skull is round, not a spike: the bone above a head's joint is as thick as it is long. */
function roundHead(shape: Shape, info: MotionInfo): void {
  const heads = info.handles.filter(({ role }) => role === "head").map(({ joint }) => joint);
  const at = evaluate(shape, shape.info.start, new Float64Array(3 * shape.nSpots));
  for (const head of heads) {
    const own = shape.bones.filter((bone) => bone.from === head);
    // A face with eyes and jaw has bones of its own.
    const [bone] = own;
    if (!bone || own.length > 1) continue;
    const radius = HEAD * spotDistance(at, bone.from, bone.to);
    bone.radii = [0.8 * radius, radius];
    shape.joints[bone.to] = 0;
  }
}

/** The figure as the pictures know figures; it is never solved. */
function problemOf({ info, source }: ShownMotion): ProblemInfo {
  const n = info.joints.length;
  // What carries the hips from afar is no bone.
  const hips = info.legs.length > 0 ? info.handles.find(({ role }) => role === "hips")?.joint : undefined;
  const poses = Float64Array.from(source.subarray(0, 7 * n));
  const points = new Float64Array(3 * n);
  for (let joint = 0; joint < n; joint += 1) points.set(poses.subarray(7 * joint, 7 * joint + 3), 3 * joint);
  return {
    kind: "figure", dimension: 3, nJoints: n, nValues: info.nValues,
    names: info.joints.map(({ name }) => name), links: info.joints.map(() => ""),
    kinds: info.joints.map(({ parent }) => (parent < 0 ? "free" : "ball")),
    parents: Int32Array.from(info.joints, ({ parent }, joint) => (joint === hips ? -1 : parent)),
    valueOffsets: new Uint32Array(n), axes: new Float64Array(3 * n), rest: new Float64Array(7 * n), neutral: poses,
    limits: info.joints.map(() => ({ kind: "none" })), mimics: new Int32Array(n).fill(-1),
    methods: [], warnings: [], tasks: [], reach: heightOf(points, info),
    start: { q: new Float64Array(0), poses, points },
  };
}

/** How far the figure extends in its first frame: what sizes are measured by. */
function heightOf(points: ArrayLike<number>, info: MotionInfo): number {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i < points.length; i += 1) {
    low[i % 3] = Math.min(low[i % 3] as number, points[i] as number);
    high[i % 3] = Math.max(high[i % 3] as number, points[i] as number);
  }
  const size = Math.hypot(...low.map((value, k) => (high[k] as number) - value));
  // Where all joints are in one place, anything will do.
  return size > 0 ? 0.8 * size : 1000 / info.millimetresPerUnit;
}

/** Poses of a frame, as a view on those of all frames. */
export function frameOf(all: Float32Array, info: MotionInfo, frame: number): Float32Array {
  const size = 7 * info.joints.length;
  return all.subarray(frame * size, (frame + 1) * size);
}

/** Buffers of a composer, kept from frame to frame. */
export class MotionComposer {
  #spots = new Float64Array(0);
  #pose: PoseData = { q: new Float64Array(0), poses: new Float64Array(0), points: new Float64Array(0) };
  readonly #pen = new Pen();

  /** Places of all joints, 3 each; good until the next call. */
  place(figure: Figure, poses: Float32Array): Float64Array {
    const { shape } = figure;
    if (this.#spots.length !== 3 * shape.nSpots) this.#spots = new Float64Array(3 * shape.nSpots);
    if (this.#pose.poses.length !== poses.length) this.#pose = { ...this.#pose, poses: new Float64Array(poses.length) };
    this.#pose.poses.set(poses);
    return evaluate(shape, this.#pose, this.#spots);
  }

  compose(out: Drawing, scene: MotionScene): void {
    out.clear();
    const { figure, compare } = scene;
    const { shown } = figure;
    const source = frameOf(shown.source, shown.info, scene.frame);
    const result = scene.pulled ?? frameOf(shown.result, shown.info, scene.frame);
    if (scene.trails) this.#trails(out, scene);
    if (compare === "side" && !scene.hasSourceSkin) this.#bodies(out, figure, source, SOURCE_BODY, SOURCE_JOINT, scene.aside);
    if (compare === "source" && !scene.hasSourceSkin) this.#bodies(out, figure, source, SOURCE_BODY, SOURCE_JOINT, NOWHERE);
    if (compare === "ghost") this.#ghost(out, figure, source, result);
    if (compare !== "source") {
      if (!scene.hasSkin) this.#bodies(out, figure, result, RESULT_BODY, RESULT_JOINT, NOWHERE);
      this.#handles(out, scene, result);
    }
  }

  #bodies(out: Drawing, figure: Figure, poses: Float32Array, body: BodyInk, joint: BodyInk, [x, y, z]: Vec3): void {
    const { shape } = figure;
    const at = this.place(figure, poses);
    for (const bone of shape.parts) {
      const a = 3 * bone.from;
      const b = 3 * bone.to;
      out.body(
        x + (at[a] as number), y + (at[a + 1] as number), z + (at[a + 2] as number),
        x + (at[b] as number), y + (at[b + 1] as number), z + (at[b + 2] as number), bone.radii[0], bone.radii[1], body,
      );
    }
    for (let spot = 0; spot < shape.nSpots; spot += 1) {
      const radius = shape.joints[spot] as number;
      if (radius <= 0) continue;
      const p = 3 * spot;
      const [u, v, w] = [x + (at[p] as number), y + (at[p + 1] as number), z + (at[p + 2] as number)];
      out.body(u, v, w, u, v, w, radius, radius, joint);
    }
  }

  /** The original as its centre lines: what the result covers is where both are the same. */
  #ghost(out: Drawing, figure: Figure, poses: Float32Array, result: Float32Array): void {
    const { shape } = figure;
    const at = this.place(figure, poses);
    const pen = this.#pen.begin(out.strokes, Ink.quiet, 1.5, Dash.start, 0.9);
    for (const bone of shape.bones) {
      const a = 3 * bone.from;
      const b = 3 * bone.to;
      pen.line(at[a] as number, at[a + 1] as number, at[a + 2] as number, at[b] as number, at[b + 1] as number, at[b + 2] as number);
    }
    for (const foot of figure.feet) {
      const [x, y, z] = [at[3 * foot] as number, at[3 * foot + 1] as number, at[3 * foot + 2] as number];
      const apart = Math.hypot(x - (result[7 * foot] as number), y - (result[7 * foot + 1] as number), z - (result[7 * foot + 2] as number));
      if (apart > SAME * shape.size) out.mark(x, y, z, "circle", 3, Ink.quiet, Ink.paper, 1.25);
    }
  }

  /** The ways of the feet: older is fainter, and where a foot stands they are thick. */
  #trails(out: Drawing, scene: MotionScene): void {
    const { figure, compare } = scene;
    const { shown } = figure;
    for (const foot of figure.feet) {
      if (compare !== "result") this.#trail(out, scene, shown.source, foot, Ink.start, compare === "side" ? scene.aside : NOWHERE);
      if (compare !== "source") this.#trail(out, scene, shown.result, foot, RESULT + 1, NOWHERE);
    }
  }

  #trail(out: Drawing, scene: MotionScene, all: Float32Array, joint: number, ink: number, [x, y, z]: Vec3): void {
    const { info } = scene.figure.shown;
    const first = Math.max(0, scene.frame - Math.round(BEHIND / info.frameTime));
    const last = Math.min(info.nFrames - 1, scene.frame + Math.round(AHEAD / info.frameTime));
    const stride = Math.max(1, Math.ceil((last - first) / MOST_PIECES));
    const held = heldAt(scene, joint);
    const size = 7 * info.joints.length;
    const thin = this.#pen;
    for (let frame = first; frame + stride <= last; frame += stride) {
      const a = frame * size + 7 * joint;
      const b = (frame + stride) * size + 7 * joint;
      const age = (scene.frame - frame) * info.frameTime;
      const fade = age >= 0 ? 0.9 * (1 - age / (1.15 * BEHIND)) : 0.35 * (1 + age / AHEAD);
      if (fade <= 0.02) continue;
      thin.begin(out.strokes, ink, held(info.start + frame * info.frameTime) ? 4.5 : 1.5, 0, fade);
      thin.line(
        x + (all[a] as number), y + (all[a + 1] as number), z + (all[a + 2] as number),
        x + (all[b] as number), y + (all[b + 1] as number), z + (all[b + 2] as number),
      );
    }
  }

  /** Rings where one can pull; the one that is pulled has its target. */
  #handles(out: Drawing, scene: MotionScene, poses: Float32Array): void {
    for (const { joint } of scene.handles) {
      const [x, y, z] = [poses[7 * joint] as number, poses[7 * joint + 1] as number, poses[7 * joint + 2] as number];
      const isLit = joint === scene.hovered || joint === scene.selection;
      out.mark(x, y, z, "circle", isLit ? 8 : 6, isLit ? Ink.target : RESULT + 1, isLit ? -1 : Ink.paper, isLit ? 2.5 : 2, 1);
    }
    if (scene.anchor) out.mark(...scene.anchor, "target", 8, Ink.target, -1, 2);
    if (scene.target) out.mark(...scene.target, "target", 9, Ink.target, -1, 2);
  }
}

const NOWHERE: Vec3 = [0, 0, 0];

/** Whether a foot stands, by its heel or its ball, at a time. */
function heldAt(scene: MotionScene, joint: number): (time: number) => boolean {
  const { info } = scene.figure.shown;
  const leg = info.legs.find(({ end, ball }) => end === joint || ball === joint);
  const joints = leg ? [leg.end, leg.ball ?? leg.end] : [joint];
  const names = joints.map((one) => info.joints[one]?.name);
  const own = scene.contacts.filter((contact) => names.includes(contact.joint));
  const halfFrame = 0.5 * info.frameTime;
  return (time) => own.some(({ from, to }) => from - halfFrame <= time && time <= to + halfFrame);
}
