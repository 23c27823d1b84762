//! Composes a drawing from what the session shows: the figure in its solver's colour, the other runs as ghosts, the step and its move,
//! limits, goals and handles.

import { keptEntries } from "../attempts.ts";
import type { CrowdFrame, Handle, PoseData, ProblemInfo, RunResult, ShownRun, TraceData } from "../types.ts";
import { drawPath, drawSolutions, type ArmPicture, type Ghost } from "./arm.ts";
import { Dash, dashOf, Drawing, Pen, type BodyInk, type Shape as MarkShape } from "./drawing.ts";
import { arcPoints, atEnd, limitOf, rimPoints, type ConeMark, type LimitMark, type RailMark, type RangeMark } from "./limits.ts";
import { Ink, lookOf, solverInk, type SolverLook } from "./look.ts";
import { evaluate, evaluateFitted, seatOf, spotDistance, type Shape } from "./shape.ts";
import type { Vec3 } from "../files.ts";
import { add, cross, dot, length, multiply, rotate, rotationAt, scale, sub } from "../math.ts";
import { across, along, direction, distance, inverse, turned } from "./vec.ts";

/** What there is to draw. */
export interface Scene {
  shape: Shape;
  shown: readonly ShownRun[];
  /** Of the main run; its trace gives the trail. */
  main: RunResult | null;
  handles: readonly Handle[];
  selection: string | null;
  hovered: string | null;
  /** True to draw every joint's limits, not only those of what is selected or hovered. */
  showLimits: boolean;
  /** True to draw the way of the end effector. */
  showTrace: boolean;
  /** True while one entry of a trace is looked at. */
  isStepping: boolean;
  /** Metres for a pixel where the view looks. */
  pixel: number;
  /** Up in the world, unit. */
  up: Vec3;
  isPlane: boolean;
  /** Height of the floor along up [m]. */
  level: number;
  /** True when meshes are drawn in place of the bodies. */
  hasMesh: boolean;
  /** Of a robot arm with one goal: its other solutions and its path. */
  arm: ArmPicture | null;
  /** A thumbnail: no marks, which are as large as on a screen. */
  isSmall: boolean;
}

/** At most this many of a step's moves are drawn as arrows. */
const MOST_ARROWS = 24;
/** More tasks than this show the way of the selected one only. */
const MOST_TRAILS = 2;
/** Iterations of a way that are drawn. */
const MOST_ENTRIES = 400;
/** Width of a body's outline [px]. */
const OUTLINE = 1.4;
/** In the plane a bone lies over the one before it, raised by so much of its thickness: one that is folded back would be hidden, because bones thin out. */
const LIFT = 1.5;
/** Turns smaller than this are not drawn as arcs [rad]. */
const LEAST_TURN = 0.008;

/** A corner of a drawn way: where the tip was at the end of an iteration. */
export interface TrailSpot {
  at: Vec3;
  iteration: number;
}

/** Buffers of a composer, kept from frame to frame. */
export class Composer {
  /** The corners of the ways that were drawn last. */
  readonly trail: TrailSpot[] = [];
  /** The other solutions of an arm that were drawn last. */
  ghosts: readonly Ghost[] = [];
  #spots: Float64Array = new Float64Array(0);
  #others: Float64Array = new Float64Array(0);
  #placed: Float64Array = new Float64Array(0);
  readonly #pen = new Pen();
  /** What was last found of a trace, which stays the same for many frames. */
  #kept: { trace: TraceData; entries: readonly number[] } | null = null;

  /** Places of all spots in a pose, 3 each; good until the next call. */
  place(shape: Shape, pose: PoseData): Float64Array {
    this.#placed = sized(this.#placed, 3 * shape.nSpots);
    return evaluate(shape, pose, this.#placed);
  }

  compose(out: Drawing, scene: Scene): void {
    out.clear();
    this.trail.length = 0;
    const { shape } = scene;
    this.#furniture(out, shape);
    this.#spots = sized(this.#spots, 3 * shape.nSpots);
    this.#others = sized(this.#others, 3 * shape.nSpots);
    const main = scene.shown.find((run) => run.index === 0) ?? null;
    const pose: PoseData = main ?? shape.info.start;
    evaluate(shape, pose, this.#spots);
    // Relaxed points are off: the figure stands in the pose that is fitted to them, and they are drawn over it.
    const isRelaxed = main !== null && main.phase !== null && main.phase !== "result" && main.method === "relaxation" && evaluateFitted(shape, pose, this.#spots);
    this.ghosts = scene.arm ? drawSolutions(out, this.#pen, shape, this.#spots, scene.arm) : [];
    for (const run of scene.shown) if (run.index !== 0 && run.visible) this.#ghost(out, scene, run);
    // A closed form jumps: its way from start to end says nothing.
    if (scene.showTrace && !scene.arm?.isOnPath && scene.main?.trace && scene.main.trace.n > 2) this.#trail(out, scene, scene.main, lookOf(scene.main.method));
    if (main === null || main.visible) this.#figure(out, scene, pose, main);
    if (isRelaxed) this.#relaxed(out, shape, pose);
    if (main !== null && main.before !== null && scene.isStepping) this.#step(out, scene, main, main.before);
    if (isRelaxed) evaluateFitted(shape, pose, this.#spots);
    this.#limits(out, scene, pose, main);
    if (scene.arm) drawPath(out, this.#pen, shape, scene.arm, scene.pixel);
    this.#goals(out, scene, main);
    this.#handles(out, scene);
  }

  /** What stands in the world: bars as grey bodies, plates as outlines with a breath of a fill. */
  #furniture(out: Drawing, shape: Shape): void {
    for (const rod of shape.furniture.rods) out.body(...rod.ends[0], ...rod.ends[1], rod.radius, rod.radius, START_INKS.body);
    for (const { center, radius } of shape.furniture.balls) out.body(...center, ...center, radius, radius, BALL_INK);
    for (const { corners } of shape.furniture.plates) {
      const [first] = corners;
      if (first === undefined) continue;
      for (let i = 1; i + 1 < corners.length; i++) {
        for (const corner of [first, corners[i], corners[i + 1]]) out.veil(...(corner as Vec3), Ink.ink, 0.045);
      }
      const pen = this.#pen.begin(out.strokes, Ink.quiet, 1, 0, 0.6);
      for (const corner of [...corners, first]) pen.to(...corner);
    }
  }

  /** The figure itself: bodies, balls at joints, and what tells their kinds apart. */
  #figure(out: Drawing, scene: Scene, pose: PoseData, main: ShownRun | null): void {
    const { shape } = scene;
    const at = this.#spots;
    const inks = main === null ? START_INKS : inksOf(lookOf(main.method));
    if (scene.hasMesh) {
      this.#tips(out, scene, inks);
      return;
    }
    const lit = scene.isStepping && main !== null ? main.joint : null;
    for (const bone of shape.parts) {
      const a = 3 * bone.from;
      const b = 3 * bone.to;
      const ink = bone.joint === lit ? inks.lit : shape.isDense ? inks.dense : inks.body;
      const lift = liftOf(scene, bone.from);
      out.body(
        at[a] as number, at[a + 1] as number, (at[a + 2] as number) + lift,
        at[b] as number, at[b + 1] as number, (at[b + 2] as number) + lift,
        bone.radii[0], bone.radii[1], ink,
      );
    }
    for (let spot = 0; spot < shape.nSpots; spot++) {
      const radius = shape.joints[spot] as number;
      if (radius <= 0) continue;
      const p = 3 * spot;
      const ink = spot === lit ? inks.litJoint : inks.joint;
      const x = at[p] as number;
      const y = at[p + 1] as number;
      // In the plane a joint is a disc that lies on the bones, smaller than they are.
      const z = (at[p + 2] as number) + (scene.isPlane ? 2 * radius + liftOf(scene, spot) : 0);
      const shown = scene.isPlane ? 0.55 * radius : radius;
      out.body(x, y, z, x, y, z, shown, shown, ink);
    }
    if (!shape.isDense && !shape.isDressed) this.#glyphs(out, scene, pose, inks);
    if (!scene.isSmall) this.#tips(out, scene, inks);
  }

  /** A rod along a hinge's axis, a ring about a ball, a rail under a slide. */
  #glyphs(out: Drawing, scene: Scene, pose: PoseData, inks: FigureInks): void {
    const { shape } = scene;
    const { info } = shape;
    if (pose.poses.length < 7 * info.nJoints) return;
    for (let joint = 0; joint < info.nJoints; joint++) {
      const kind = info.kinds[joint];
      const own = shape.joints[joint] as number;
      const radius = own > 0 ? own : shape.thickness;
      const at: Vec3 = [pose.poses[7 * joint] as number, pose.poses[7 * joint + 1] as number, pose.poses[7 * joint + 2] as number];
      if (kind === "revolute") {
        const axis = direction(rotate(rotationAt(pose.poses, joint), axisOf(info, joint)));
        if (axis === null) continue;
        this.#rod(out, scene, [at[0], at[1], at[2] + liftOf(scene, joint)], axis, radius, inks);
      } else if (kind === "ball") {
        // Fingers and toes have no room for a ring.
        if (info.nJoints < 24) this.#ring(out, scene, at, joint, 1.03 * radius, inks.edge);
      } else if (kind === "prismatic") {
        this.#rail(out, scene, pose, joint, radius, inks);
      }
    }
  }

  /** A hinge's axis; in the plane it is seen end on, as a dot. */
  #rod(out: Drawing, scene: Scene, at: Vec3, axis: Vec3, radius: number, inks: FigureInks): void {
    if (scene.isPlane) {
      const z = at[2] + 3 * radius;
      out.body(at[0], at[1], z, at[0], at[1], z, 0.17 * radius, 0.17 * radius, inks.dense);
      return;
    }
    const half = scale(axis, 1.38 * radius);
    const thin = 0.26 * radius;
    out.body(...add(at, half), ...sub(at, half), thin, thin, inks.rod);
  }

  /** A ball's ring lies across the bone that it carries. */
  #ring(out: Drawing, scene: Scene, at: Vec3, joint: number, radius: number, ink: number): void {
    const bone = scene.shape.bones[scene.shape.boneOf[joint] ?? -1];
    if (bone === undefined) return;
    const way = direction(sub(spotAt(this.#spots, bone.to), spotAt(this.#spots, bone.from)));
    if (way === null) return;
    this.#polyline(out, arcPoints(at, way, across(way, scene.up), 0, 2 * Math.PI, radius), ink, 1.1, 0, 0.9);
  }

  #rail(out: Drawing, scene: Scene, pose: PoseData, joint: number, radius: number, inks: FigureInks): void {
    const { info } = scene.shape;
    const seat = seatOf(info, pose, joint);
    const axis = direction(rotate(seat.turn, axisOf(info, joint)));
    if (axis === null) return;
    const limit = info.limits[joint];
    const [min, max] = limit?.kind === "range" ? [limit.min, limit.max] : [-3 * radius, 3 * radius];
    // Ranges of kilometres stand for none.
    const [value, most] = [pose.q[info.valueOffsets[joint] as number] ?? 0, scene.shape.size];
    const side = scale(across(axis, scene.up), 0.9 * radius);
    const low = along(seat.at, axis, Math.max(min, value - most));
    const high = along(seat.at, axis, Math.min(max, value + most));
    for (const sign of [-1, 1]) {
      const offset = scale(side, sign);
      out.body(...add(low, offset), ...add(high, offset), 0.18 * radius, 0.18 * radius, inks.rod);
    }
  }

  /** End effectors: small filled rings. */
  #tips(out: Drawing, scene: Scene, inks: FigureInks): void {
    const seen = new Set<number>();
    for (const spot of scene.shape.tips) {
      if (spot < 0 || seen.has(spot)) continue;
      seen.add(spot);
      const p = 3 * spot;
      const at = this.#spots;
      out.mark(at[p] as number, at[p + 1] as number, at[p + 2] as number, "circle", 4, inks.edge, Ink.paper, 2);
    }
  }

  /** Another run: its centre lines in its own dash, its marker at the joints. */
  #ghost(out: Drawing, scene: Scene, run: ShownRun): void {
    const { shape } = scene;
    const look = lookOf(run.method);
    const ink = solverInk(look) + 1;
    evaluate(shape, run, this.#others);
    this.#centreLines(out, shape, this.#others, ink, 1.6, dashOf(look.index), 0.95);
    const at = this.#others;
    const size = shape.isDense ? 0 : 3.2;
    if (size > 0 && shape.bones.length <= MOST_ARROWS) {
      for (const bone of shape.bones) {
        const p = 3 * bone.from;
        if (shape.roots.includes(bone.from)) continue;
        out.mark(at[p] as number, at[p + 1] as number, at[p + 2] as number, look.marker as MarkShape, size, ink, Ink.paper, 1.25);
      }
    }
    for (const spot of shape.tips) {
      if (spot < 0) continue;
      const p = 3 * spot;
      out.mark(at[p] as number, at[p + 1] as number, at[p + 2] as number, look.marker as MarkShape, 4.2, ink, ink, 1.25);
    }
  }

  /** Points that are being relaxed, with the lines between them. */
  #relaxed(out: Drawing, shape: Shape, pose: PoseData): void {
    const at = evaluate(shape, pose, this.#spots);
    this.#centreLines(out, shape, at, Ink.ink, 1.4, Dash.sight, 1);
    for (let p = 0; p < 3 * shape.nSpots && !shape.isDense; p += 3) out.mark(at[p] as number, at[p + 1] as number, at[p + 2] as number, "circle", 3, Ink.ink, Ink.paper, 1.25);
  }

  #centreLines(out: Drawing, shape: Shape, at: Float64Array, ink: number, width: number, dash: number, opacity: number): void {
    const pen = this.#pen.begin(out.strokes, ink, width, dash, opacity);
    let end = -1;
    for (const bone of shape.bones) {
      const a = 3 * bone.from;
      const b = 3 * bone.to;
      if (bone.from !== end) pen.up().to(at[a] as number, at[a + 1] as number, at[a + 2] as number);
      pen.to(at[b] as number, at[b + 1] as number, at[b + 2] as number);
      end = bone.to;
    }
  }

  /** The way of the end effectors to the answer; what is older is fainter. */
  #trail(out: Drawing, scene: Scene, { trace, points }: RunResult, look: SolverLook): void {
    // While a handle is dragged there are no poses.
    if (trace === null || trace.nPoints === 0) return;
    const { shape } = scene;
    const ink = solverInk(look) + 1;
    const entries = this.#iterations(trace, points);
    const spots = this.#others;
    const view: PoseData = { q: EMPTY, poses: EMPTY, points: EMPTY };
    const chosen = scene.handles.find((handle) => handle.id === scene.selection)?.task ?? null;
    for (const [task, tip] of shape.tips.entries()) {
      // The ways of many ends are a thicket: then only that of the selected one.
      if (tip < 0 || (shape.tips.length > MOST_TRAILS && task !== chosen)) continue;
      const pen = this.#pen.begin(out.lines, ink, 1.25);
      for (const [index, entry] of entries.entries()) {
        this.#entry(shape, trace, entry, view, spots);
        const p = 3 * tip;
        pen.fade(0.2 + (0.65 * index) / Math.max(1, entries.length - 1));
        pen.to(spots[p] as number, spots[p + 1] as number, spots[p + 2] as number);
        this.trail.push({ at: spotAt(spots, tip), iteration: trace.iterations[entry] ?? 0 });
      }
    }
  }

  /** The ends of the iterations that led to the answer: within one, the tip goes to and fro. More than a few hundred of them are a line anyway. */
  #iterations(trace: TraceData, points: Float64Array): readonly number[] {
    if (this.#kept?.trace === trace) return this.#kept.entries;
    const ends = keptEntries(trace, points).filter((entry) => entry + 1 >= trace.n || trace.iterations[entry] !== trace.iterations[entry + 1]);
    const stride = Math.max(1, Math.floor(ends.length / MOST_ENTRIES));
    const entries = ends.filter((_, index) => index % stride === 0 || index + 1 === ends.length);
    this.#kept = { trace, entries };
    return entries;
  }

  #entry(shape: Shape, trace: TraceData, entry: number, view: PoseData, out: Float64Array): void {
    view.points = trace.points.subarray(3 * trace.nPoints * entry, 3 * trace.nPoints * (entry + 1));
    view.poses = trace.poses.subarray(7 * trace.nJoints * entry, 7 * trace.nJoints * (entry + 1));
    evaluate(shape, view, out);
  }

  /** What one entry of the trace did: the pose before it in grey, the move as an arc about the joint or as arrows. */
  #step(out: Drawing, scene: Scene, main: ShownRun, before: PoseData): void {
    const { shape } = scene;
    const was = evaluate(shape, before, this.#others);
    this.#centreLines(out, shape, was, Ink.start, 1.5, Dash.start, 1);
    const ink = Ink.ink;
    if (main.joint !== null && main.joint >= 0 && this.#turn(out, scene, main, before, main.joint)) return;
    let drawn = 0;
    for (let spot = 0; spot < shape.nSpots && drawn < MOST_ARROWS; spot++) {
      const moved = Math.hypot(
        (was[3 * spot] as number) - (this.#spots[3 * spot] as number),
        (was[3 * spot + 1] as number) - (this.#spots[3 * spot + 1] as number),
        (was[3 * spot + 2] as number) - (this.#spots[3 * spot + 2] as number),
      );
      if (moved < 7 * scene.pixel) continue;
      drawn += 1;
      this.#arrow(out, spotAt(was, spot), spotAt(this.#spots, spot), ink, scene.pixel);
    }
  }

  /** The arc on which a joint swung the end effector; false when it did not turn enough to be seen. */
  #turn(out: Drawing, scene: Scene, main: ShownRun, before: PoseData, joint: number): boolean {
    if (main.poses.length < 7 * (joint + 1) || before.poses.length < 7 * (joint + 1)) return false;
    const { shape } = scene;
    const change = multiply(rotationAt(main.poses, joint), inverse(rotationAt(before.poses, joint)));
    const sign = change[3] < 0 ? -1 : 1;
    const axis = direction([change[0] * sign, change[1] * sign, change[2] * sign]);
    const angle = 2 * Math.atan2(Math.hypot(change[0], change[1], change[2]), Math.abs(change[3]));
    if (axis === null || angle < LEAST_TURN) return false;
    const pivot = spotAt(this.#spots, joint);
    const tip = this.#tipOf(shape, joint);
    const arm = sub(spotAt(this.#others, tip), pivot);
    const lift = scale(axis, dot(arm, axis));
    const flat = sub(arm, lift);
    const radius = length(flat);
    const way = direction(flat);
    if (way === null || radius < 2 * scene.pixel) return false;
    const center = add(pivot, lift);
    const points = arcPoints(center, axis, way, 0, angle, radius);
    this.#polyline(out, points, Ink.ink, 1.6, 0, 1, true);
    const end = turned(way, axis, angle);
    if (radius * angle > 8 * scene.pixel) {
      const ahead = cross(axis, end);
      this.#head(out, add(center, scale(end, radius)), ahead, end, Ink.ink, scene.pixel);
    }
    const faint = this.#pen.begin(out.lines, Ink.quiet, 1, 0, 0.6);
    faint.line(...pivot, ...add(center, scale(way, radius)));
    faint.line(...pivot, ...add(center, scale(end, radius)));
    for (let i = 0; i + 5 < points.length; i += 3) {
      out.veil(...pivot, Ink.ink, 0.06);
      out.veil(points[i] as number, points[i + 1] as number, points[i + 2] as number, Ink.ink, 0.06);
      out.veil(points[i + 3] as number, points[i + 4] as number, points[i + 5] as number, Ink.ink, 0.06);
    }
    return true;
  }

  /** The end effector that a joint carries, or else the end of its bone. */
  #tipOf(shape: Shape, joint: number): number {
    for (const tip of shape.tips) {
      if (tip < 0) continue;
      if (shape.isChain) return tip;
      let above = shape.spotJoints[tip] as number;
      while (above >= 0 && above !== joint) above = shape.info.parents[above] as number;
      if (above === joint) return tip;
    }
    const bone = shape.bones[shape.boneOf[joint] ?? -1];
    return bone?.to ?? joint;
  }

  #arrow(out: Drawing, from: Vec3, to: Vec3, ink: number, pixel: number): void {
    const way = direction(sub(to, from));
    if (way === null) return;
    this.#pen.begin(out.lines, ink, 1.4).to(...from).to(...to);
    this.#head(out, to, way, across(way, [0.1, 0.2, 1]), ink, pixel);
  }

  /** An arrow's head: two strokes back from its point. */
  #head(out: Drawing, at: Vec3, way: Vec3, side: Vec3, ink: number, pixel: number): void {
    const back = along(at, way, -7 * pixel);
    this.#pen.begin(out.lines, ink, 1.6)
      .to(...along(back, side, 4 * pixel)).to(...at).to(...along(back, side, -4 * pixel));
  }

  // ------------------------------------------------------------------------------------------------------------- limits

  #limits(out: Drawing, scene: Scene, pose: PoseData, main: ShownRun | null): void {
    const { shape } = scene;
    const { info } = shape;
    if (pose.poses.length < 7 * info.nJoints) return;
    const touched = new Set<number>();
    for (const id of [scene.selection, scene.hovered]) {
      const handle = id === null ? undefined : scene.handles.find((one) => one.id === id);
      if (handle !== undefined && handle.joint !== null && handle.kind !== "target") touched.add(handle.joint);
    }
    const stepped = scene.isStepping && main !== null && main.joint !== null ? main.joint : -1;
    for (let joint = 0; joint < info.nJoints; joint++) {
      const mark = limitOf(shape, pose, this.#spots, joint);
      if (mark === null) continue;
      const isHeld = main !== null && main.blocked.includes(joint);
      const isOpen = touched.has(joint) || joint === stepped;
      if (!isOpen && !scene.showLimits && !isHeld) continue;
      // A joint that turns all the way round has nothing to show of itself.
      if (!isOpen && !isHeld && mark.kind === "range" && mark.max - mark.min >= 2 * Math.PI - 1e-6) continue;
      this.#limit(out, scene, mark, joint, isOpen, isHeld);
    }
  }

  #limit(out: Drawing, scene: Scene, mark: LimitMark, joint: number, isOpen: boolean, isHeld: boolean): void {
    const radius = limitRadius(scene.shape, joint, scene.pixel);
    const opacity = isOpen ? 0.13 : 0.055;
    if (mark.kind === "range") this.#range(out, mark, radius, opacity, isHeld);
    else if (mark.kind === "cone") this.#cone(out, mark, radius, opacity, isHeld);
    else this.#slide(out, scene, mark, isHeld);
  }

  #range(out: Drawing, mark: RangeMark, radius: number, opacity: number, isHeld: boolean): void {
    const max = Math.min(mark.max, mark.min + 2 * Math.PI);
    const points = arcPoints(mark.at, mark.axis, mark.arm, mark.min, max, radius);
    this.#fan(out, mark.at, points, opacity);
    const end = atEnd(mark.value, mark.min, mark.max, 1e-3);
    const ink = end !== 0 && !isHeld ? Ink.ink : Ink.quiet;
    this.#polyline(out, points, ink, end !== 0 && !isHeld ? 2.2 : 1.1, 0, isHeld ? 0.45 : end !== 0 ? 1 : 0.75, true);
    if (mark.max - mark.min < 2 * Math.PI - 1e-6) {
      for (const angle of [mark.min, mark.max]) {
        const arm = turned(mark.arm, mark.axis, angle);
        this.#pen.begin(out.lines, ink, 1, 0, 0.7).to(...mark.at).to(...along(mark.at, arm, radius));
      }
    }
    const needle = turned(mark.arm, mark.axis, mark.value);
    this.#pen.begin(out.lines, Ink.ink, end !== 0 ? 2.2 : 1.5)
      .to(...along(mark.at, needle, radius * 0.9)).to(...along(mark.at, needle, radius * 1.1));
  }

  #cone(out: Drawing, mark: ConeMark, radius: number, opacity: number, isHeld: boolean): void {
    const rim = rimPoints(mark.at, mark.axis, mark.swing, radius);
    this.#fan(out, mark.at, rim, 0.8 * opacity);
    const swung = Math.acos(Math.min(1, Math.max(-1, dot(mark.axis, mark.bone))));
    const isAtRim = isHeld || swung >= mark.swing - 1e-3;
    this.#polyline(out, rim, isAtRim ? Ink.ink : Ink.quiet, isAtRim ? 2.2 : 1.1, 0, isAtRim ? 1 : 0.8, true);
    this.#pen.begin(out.lines, Ink.quiet, 1, Dash.sight, 0.8).to(...mark.at).to(...along(mark.at, mark.axis, radius));
    const end = along(mark.at, mark.bone, radius);
    this.#pen.begin(out.lines, Ink.ink, 1.3).to(...mark.at).to(...end);
    // Twist: a small arc across the bone, with a needle.
    if (mark.twistRange[1] - mark.twistRange[0] < 2 * Math.PI - 1e-6) {
      const at = along(mark.at, mark.bone, 0.55 * radius);
      const arc = arcPoints(at, mark.bone, mark.arm, mark.twistRange[0], mark.twistRange[1], 0.26 * radius);
      this.#fan(out, at, arc, opacity);
      this.#polyline(out, arc, Ink.quiet, 1, 0, 0.8, true);
      const needle = turned(mark.arm, mark.bone, mark.twist);
      this.#pen.begin(out.lines, Ink.ink, 1.3).to(...along(at, needle, 0.16 * radius)).to(...along(at, needle, 0.32 * radius));
    }
  }

  #slide(out: Drawing, scene: Scene, mark: RailMark, isHeld: boolean): void {
    const low = along(mark.at, mark.axis, mark.min);
    const high = along(mark.at, mark.axis, mark.max);
    const ink = isHeld ? Ink.ink : Ink.quiet;
    const pen = this.#pen.begin(out.lines, ink, isHeld ? 2.2 : 1.2);
    pen.line(...low, ...high);
    const side = scale(across(mark.axis, scene.up), 6 * scene.pixel);
    for (const end of [low, high]) pen.line(...sub(end, side), ...add(end, side));
  }

  #fan(out: Drawing, apex: Vec3, points: Float64Array, opacity: number): void {
    for (let i = 0; i + 5 < points.length; i += 3) {
      out.veil(...apex, Ink.ink, opacity);
      out.veil(points[i] as number, points[i + 1] as number, points[i + 2] as number, Ink.ink, opacity);
      out.veil(points[i + 3] as number, points[i + 4] as number, points[i + 5] as number, Ink.ink, opacity);
    }
  }

  // -------------------------------------------------------------------------------------------------------------- goals

  /** What is missing between end effectors and targets, lines of sight, directions, ground. */
  #goals(out: Drawing, scene: Scene, main: ShownRun | null): void {
    const { shape } = scene;
    for (const task of shape.info.tasks) {
      const handle = scene.handles.find((one) => one.kind === "target" && one.task === task.index);
      const target = handle?.position ?? task.position;
      const tip = shape.tips[task.index] ?? -1;
      if (target === null || tip < 0) continue;
      const from = spotAt(this.#spots, tip);
      const isSeen = task.task === "look-at";
      const apart = distance(from, target);
      if (!Number.isFinite(apart)) continue;
      if (isSeen) this.#pen.begin(out.strokes, Ink.target, 1.1, Dash.sight, 0.8).to(...from).to(...target);
      else if (main !== null && !scene.arm?.isOnPath && apart > 8 * scene.pixel && isPlaced(task.task)) {
        this.#pen.begin(out.lines, Ink.target, 1, Dash.gap, 0.9).to(...from).to(...target);
      }
    }
  }

  #handles(out: Drawing, scene: Scene): void {
    const { shape } = scene;
    const targets = scene.handles.reduce((sum, handle) => sum + (handle.kind === "target" ? 1 : 0), 0);
    for (const handle of scene.handles) {
      const [x, y, z] = handle.position;
      const isSelected = handle.id === scene.selection;
      const isHovered = handle.id === scene.hovered;
      if (handle.kind === "target") {
        if (handle.rotation !== null) this.#axes(out, handle.position, handle.rotation, 30 * scene.pixel, isSelected);
        const isSeen = handle.task !== null && shape.info.tasks[handle.task]?.task === "look-at";
        // Many of them would be a thicket.
        if (!scene.isPlane && (targets === 1 || isSelected || isHovered)) this.#plumb(out, scene, handle.position);
        out.mark(x, y, z, isSeen ? "seen" : "target", 9, Ink.target, -1, 2);
      } else if (handle.kind === "root") {
        out.mark(x, y, z, "root", 5.5, Ink.paper, Ink.ink, 1);
      } else if (handle.kind === "pole") {
        this.#pole(out, scene, handle);
      } else if (handle.kind === "limit") {
        // Shown with its arc only.
        if (!this.#isLimitOpen(scene, handle)) continue;
        out.mark(x, y, z, "circle", 4.5, Ink.ink, Ink.paper, 1.5);
      } else if (!isSelected && !isHovered) continue;
      if (isSelected || isHovered) {
        const size = handle.kind === "joint" ? Math.max(8, ballPixels(scene, handle) + 4) : handle.kind === "limit" ? 8.5 : 16;
        out.mark(x, y, z, "circle", size, Ink.ink, -1, isSelected ? 1.6 : 1.1, isSelected ? 1 : 0.55);
      }
    }
    if (!scene.isSmall && !scene.handles.some((handle) => handle.kind === "root")) {
      for (const root of shape.roots) {
        const at = spotAt(this.#spots, root);
        out.mark(...at, "root", 5.5, Ink.paper, Ink.ink, 1);
      }
    }
  }

  #isLimitOpen(scene: Scene, handle: Handle): boolean {
    return [scene.selection, scene.hovered].some((id) => {
      const other = id === null ? undefined : scene.handles.find((one) => one.id === id);
      return other !== undefined && other.kind !== "target" && other.joint === handle.joint;
    });
  }

  #pole(out: Drawing, scene: Scene, handle: Handle): void {
    const [x, y, z] = handle.position;
    const joint = handle.joint ?? 1;
    const to = 3 * Math.min(joint, scene.shape.nSpots - 1);
    const at = this.#spots;
    this.#pen.begin(out.strokes, Ink.quiet, 1, 0, 0.9)
      .to(at[to] as number, at[to + 1] as number, at[to + 2] as number).to(x, y, z);
    out.mark(x, y, z, "diamond", 6, Ink.ink, Ink.paper, 1.4);
  }

  /** The height of a target that one view cannot show: a dotted line down to the floor. */
  #plumb(out: Drawing, scene: Scene, at: readonly [number, number, number]): void {
    const height = dot(at, scene.up) - scene.level;
    if (height < 6 * scene.pixel) return;
    const foot = along(at, scene.up, -height);
    this.#pen.begin(out.strokes, Ink.quiet, 1, Dash.sight, 0.8).to(...at).to(...foot);
    out.mark(...foot, "circle", 1.6, Ink.quiet, Ink.quiet, 0.5, 0.9);
  }

  /** A wanted orientation: three short axes; a dot ends the third, along which tools point. */
  #axes(
    out: Drawing, at: readonly [number, number, number], turn: readonly [number, number, number, number], size: number, isSelected: boolean,
  ): void {
    const axes: Vec3[] = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
    for (const axis of axes) {
      const end = along(at, rotate(turn, axis), size);
      this.#pen.begin(out.lines, Ink.target, isSelected ? 1.6 : 1.1).to(...at).to(...end);
      if (axis[2] === 1) out.mark(...end, "circle", 1.8, Ink.target, Ink.target, 1);
    }
  }

  #polyline(out: Drawing, points: Float64Array, ink: number, width: number, dash: number, opacity: number, isOver = false): void {
    const pen = this.#pen.begin(isOver ? out.lines : out.strokes, ink, width, dash, opacity);
    for (let i = 0; i < points.length; i += 3) pen.to(points[i] as number, points[i + 1] as number, points[i + 2] as number);
  }
}

/** Dots for the targets of a crowd beyond this many would be a haze. */
const MOST_DOTS = 2000;

/** Radius of a crowd's limbs at shoulder, elbow and hand [m]. */
export function crowdRadii({ count, points }: CrowdFrame): [number, number, number] {
  const radius = 0.11 * (count > 0 ? spotDistance(points, 0, 1) : 1);
  return [radius, 0.72 * radius, 0.4 * radius];
}

export function crowdInk(look: SolverLook): BodyInk {
  return inksOf(look).crowd;
}

/** Draws a crowd of limbs: two bodies each, and the targets as dots. */
export function composeCrowd(out: Drawing, crowd: CrowdFrame, look: SolverLook, isSmall: boolean): void {
  out.clear();
  const ink = crowdInk(look);
  const p = crowd.points;
  const [shoulder, elbow, hand] = crowdRadii(crowd);
  for (let i = 0; i < crowd.count; i++) {
    const at = 9 * i;
    const x = p[at + 3] as number;
    const y = p[at + 4] as number;
    const z = p[at + 5] as number;
    out.body(p[at] as number, p[at + 1] as number, p[at + 2] as number, x, y, z, shoulder, elbow, ink);
    out.body(x, y, z, p[at + 6] as number, p[at + 7] as number, p[at + 8] as number, elbow, hand, ink);
  }
  if (isSmall) return;
  const t = crowd.targets;
  for (let i = 0; i < Math.min(crowd.count, MOST_DOTS); i++) {
    out.mark(t[3 * i] as number, t[3 * i + 1] as number, t[3 * i + 2] as number, "circle", 1.2, Ink.target, Ink.target, 0.5, 0.85);
  }
}

/** Radius of a joint's arc or cone [m]: what suits its bone, but never too small to grab. */
export function limitRadius(shape: Shape, joint: number, pixel: number): number {
  const bone = shape.bones[shape.boneOf[joint] ?? -1];
  const start = shape.info.start;
  const size = bone === undefined || shape.isChain === false
    ? boneLength(shape, start, joint)
    : spotDistance(start.points, bone.from, bone.to);
  return Math.min(Math.max(0.38 * size, 2.6 * (shape.joints[joint] as number), 22 * pixel), 0.35 * shape.size);
}

function boneLength(shape: Shape, start: PoseData, joint: number): number {
  const bone = shape.bones[shape.boneOf[joint] ?? -1];
  if (bone === undefined) return 0.1 * shape.size;
  const spots = evaluate(shape, start, new Float64Array(3 * shape.nSpots));
  return spotDistance(spots, bone.from, bone.to);
}

/** Inks of a figure's parts. */
interface FigureInks {
  body: BodyInk;
  dense: BodyInk;
  lit: BodyInk;
  joint: BodyInk;
  litJoint: BodyInk;
  rod: BodyInk;
  crowd: BodyInk;
  edge: number;
}

const EMPTY = new Float64Array(0);

function makeInks(fill: number, edge: number, tint: number): FigureInks {
  return {
    body: { tint, shade: fill, edge, width: OUTLINE },
    dense: { tint: fill, shade: fill, edge, width: 1 },
    lit: { tint: fill, shade: edge, edge: Ink.ink, width: 2.4 },
    joint: { tint: Ink.paper, shade: tint, edge, width: OUTLINE },
    litJoint: { tint: Ink.paper, shade: tint, edge: Ink.ink, width: 2.4 },
    rod: { tint: Ink.quiet, shade: Ink.ink, edge: Ink.ink, width: 0.6 },
    crowd: { tint: fill, shade: edge, edge, width: 0 },
    edge,
  };
}

const START_INKS = makeInks(Ink.start, Ink.start, Ink.startTint);
const BALL_INK: BodyInk = { tint: Ink.startTint, shade: Ink.start, edge: Ink.start, width: OUTLINE };
const INKS_BY_SOLVER: FigureInks[] = [];

function inksOf(look: SolverLook): FigureInks {
  const first = solverInk(look);
  return (INKS_BY_SOLVER[look.index] ??= makeInks(first, first + 1, first + 2));
}

/** Words of tasks whose effector should be where the target is. */
function isPlaced(task: string): boolean {
  return task === "position" || task === "pose";
}

/** How far a bone of a chain in the plane is raised [m]. */
function liftOf({ isPlane, shape }: Scene, bone: number): number {
  return isPlane && shape.isChain ? LIFT * shape.thickness * bone : 0;
}

function ballPixels(scene: Scene, handle: Handle): number {
  const radius = handle.joint === null ? 0 : (scene.shape.joints[handle.joint] ?? 0);
  return radius / scene.pixel;
}

function axisOf(info: ProblemInfo, joint: number): Vec3 {
  return [info.axes[3 * joint] as number, info.axes[3 * joint + 1] as number, info.axes[3 * joint + 2] as number];
}

function spotAt(at: ArrayLike<number>, spot: number): Vec3 {
  return [at[3 * spot] as number, at[3 * spot + 1] as number, at[3 * spot + 2] as number];
}

function sized(array: Float64Array, size: number): Float64Array {
  return array.length === size ? array : new Float64Array(size);
}
