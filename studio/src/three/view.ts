//! The view: draws what the session shows, and turns what people do on it into the session's actions. It solves nothing.

import { effect } from "@preact/signals";
import * as THREE from "three";
import { TransformControls } from "three/addons/controls/TransformControls.js";
import type { CharacterFile, CrowdFrame, Handle, HandleMove, PoseData, ProblemInfo, SceneId, ScenePreview, Session, ShownRun, StudioDocument, TraceData } from "../core/types.ts";
import type { ArmPicture } from "../core/pictures/arm.ts";
import { Composer, composeCrowd, type Scene as Composition } from "../core/pictures/compose.ts";
import { Drawing } from "../core/pictures/drawing.ts";
import { Ink, lookOf, palette, rgb, solverInk, type Palette, type SolverLook } from "../core/pictures/look.ts";
import { Projection } from "../core/pictures/projection.ts";
import { furnitureOf } from "../core/pictures/furniture.ts";
import { messageOf } from "../core/orders.ts";
import { NO_FILES, shapesOf, type RobotShape } from "../core/robot.ts";
import { sceneSpec } from "../core/scenes/index.ts";
import { shapeOf, type Shape } from "../core/pictures/shape.ts";
import { svgOf } from "../core/pictures/svg.ts";
import { Batches } from "./batches.ts";
import { Rig } from "./camera.ts";
import { pagePalette, pictureOf, watchCanvas } from "./canvas.ts";
import type { Character } from "./character.ts";
import { Crowd } from "./crowd.ts";
import { Frames } from "./frames.ts";
import { Grab, iterationUnder, limitPlace, pick, solutionUnder } from "./grab.ts";
import { Ground } from "./ground.ts";
import { Light } from "./light.ts";
import { Gestures } from "./pointer.ts";
import type { RobotBody } from "./robot.ts";
import { makePrograms, setPalette, sharedUniforms } from "./programs.ts";

/** A figure that has grown or shrunk by more than this (logarithm of the factor) is framed anew. */
const OUTGROWN = 0.5;
/** The shadow of a crowd is drawn every so many frames, and while frames are late. */
const CROWD_SHADOW = { fine: 4, coarse: 8 } as const;
/** How long a change of the camera takes [ms]. */
const GLIDE = 180;
/** Sizes of the gizmos: rings run outside the arrows. */
const [ARROW_SIZE, RING_SIZE] = [0.5, 0.84];
/** Width and height of a scene's small picture [CSS px]. */
const THUMBNAIL = [112, 84] as const;

export class View {
  readonly #frames: Frames;
  readonly #renderer: THREE.WebGLRenderer;
  readonly #scene = new THREE.Scene();
  readonly #shared = sharedUniforms();
  readonly #programs = makePrograms(this.#shared);
  readonly #batches = new Batches(this.#programs);
  readonly #limbs = new Crowd(this.#shared, this.#programs);
  readonly #ground = new Ground(this.#programs, this.#batches.casters);
  readonly #rig = new Rig();
  readonly #drawing = new Drawing();
  readonly #composer = new Composer();
  readonly #projection = new Projection();
  readonly #gestures: Gestures;
  readonly #gizmos: readonly TransformControls[];
  readonly #gizmoProxy = new THREE.Object3D();
  readonly #light: Light;
  /** What holds the meshes of a character or a robot. */
  readonly #worn = new THREE.Group();
  readonly #stops: (() => void)[] = [];
  readonly #listeners = new Set<() => void>();
  readonly #raycaster = new THREE.Raycaster();
  #palette: Palette = palette("light");
  #shape: Shape | null = null;
  #handles: Handle[] = [];
  #framed = "";
  #framedSize = 1;
  #framedTrace: TraceData | null = null;
  /** True when somebody has moved the camera in this document. */
  #isChosen = false;
  /** Results of the problem before, which are about until the new one has been solved. */
  #stale: readonly unknown[] = [];
  /** False until what is first shown of a document has been framed. */
  #isFramed = true;
  #seenCamera: unknown = null;
  #isStale = true;
  #grab: Grab | null = null;
  #gizmoDragged: TransformControls | null = null;
  /** The iteration whose corner of the tip's trace is under the pointer. */
  #pointed: number | null = null;
  #body: Character | RobotBody | null = null;
  /** What the body is made from. */
  #source: CharacterFile | RobotSource | null = null;
  #glide: { from: number[]; to: number[]; began: number } | null = null;
  #saveTimer: ReturnType<typeof setTimeout> | undefined;
  #isLost = false;
  /** Frames drawn so far, and how long the last one took to prepare [ms]; for tests. */
  readonly stats = { frames: 0, millis: 0 };

  constructor(readonly canvas: HTMLCanvasElement, readonly session: Session) {
    this.#frames = new Frames(canvas, {
      isHeld: () => this.#isHeld(),
      advance: (now) => { this.#advance(now); },
      draw: () => { this.frame(); },
      redraw: () => { this.#isStale = true; this.frame(); },
    });
    this.#renderer = this.#frames.renderer;
    this.#renderer.info.autoReset = true;
    this.#scene.add(this.#ground.group, this.#batches.group, this.#limbs.mesh, this.#worn, this.#gizmoProxy);
    this.#batches.casters.add(this.#limbs.caster);
    this.#light = new Light(this.#renderer, this.#scene, () => { this.invalidate(); });
    this.#gizmos = makeGizmos((mode) => this.#makeGizmo(mode));
    this.#gestures = new Gestures(canvas, {
      down: (x, y, kind, isFloor) => this.#takeHold(x, y, kind, isFloor),
      drag: (x, y) => { this.#dragTo(x, y); },
      up: () => { this.#letGo(); },
      tap: (x, y, pointer) => { this.#tap(x, y, pointer); },
      hover: (x, y) => { this.#hover(x, y); },
      leave: () => { if (session.hovered.peek() !== null) session.hovered.value = null; this.#point(null); session.arm.hovered.value = null; },
      orbit: (dx, dy) => { this.#orbit(dx, dy); },
      pan: (dx, dy) => { this.#rig.pan(dx, dy); this.#cameraMoved(); },
      zoom: (factor, x, y) => { this.#rig.zoom(factor, x, y); this.#cameraMoved(); },
      double: () => { this.frameSelection(); },
      isBusy: () => this.#isOnGizmo(),
    });
    this.#watch();
    session.exports.setPictures({ png: () => this.png(), svg: () => this.svg() });
  }

  // ------------------------------------------------------------------------------------------------------------ watching

  #watch(): void {
    const { session } = this;
    this.#stops.push(
      effect(() => { this.#load(session.info.value, session.robot.character.value !== null); }),
      effect(() => { this.#follow(session.document.value); }),
      effect(() => { void this.#wear(this.#wanted(), session.info.value); }),
      effect(() => {
        // Read, so that a change of any of them draws a new frame.
        void [session.shown.value, session.results.value, session.handles.value, session.selection.value,
          session.hovered.value, session.crowd.value, session.playback.value, session.cursor.value,
          session.arm.facts.value, session.arm.track.value, session.arm.frame.value, session.arm.hovered.value];
        this.invalidate();
      }),
    );
    this.#stops.push(watchCanvas(this.canvas, {
      resize: () => { this.#resize(); },
      theme: () => { this.#readTheme(); },
      lost: (isLost) => { this.#isLost = isLost; if (!isLost) this.#readTheme(); },
    }));
    this.#resize();
    this.#readTheme();
  }

  #load(info: ProblemInfo | null, isCharacter: boolean): void {
    if (info === null) return;
    const document = this.session.document.peek();
    const shape = shapeOf(info, furnitureOf(document), isCharacter);
    this.#shape = shape;
    const isPlane = isFlat(info);
    this.#rig.setWorld(upOf(document, info), isPlane, shape.size);
    this.#stale = this.session.results.peek();
    const key = `${document.scene}/${document.title}/${isPlane ? 2 : 3}`;
    const grown = Math.abs(Math.log(shape.size / this.#framedSize));
    if (key !== this.#framed || !(grown < OUTGROWN)) {
      this.#framed = key;
      this.#framedSize = shape.size;
      this.#rig.face();
      this.#seenCamera = null;
      this.#isFramed = false;
      this.#isChosen = false;
    }
    this.#placeGround();
    this.invalidate();
  }

  /** Takes up the camera of a document that has one, as after an undo or from a link. */
  #follow(document: StudioDocument): void {
    const camera = document.view.camera;
    if (camera !== undefined && camera !== this.#seenCamera) {
      this.#seenCamera = camera;
      this.#isChosen = true;
      this.#rig.state = camera;
    }
    this.invalidate();
  }

  #readTheme(): void {
    this.#palette = pagePalette();
    setPalette(this.#shared, this.#palette);
    this.#renderer.setClearColor(this.#palette.colours[Ink.paper] as string);
    const colour = (ink: number) => new THREE.Color(this.#palette.colours[ink]);
    const target = colour(Ink.target);
    for (const gizmo of this.#gizmos) gizmo.setColors(target, target, target, colour(Ink.ink));
    this.invalidate();
  }

  #resize(): void {
    const width = this.canvas.clientWidth;
    const height = this.canvas.clientHeight;
    if (width === 0 || height === 0) return;
    const wasSized = this.#rig.width > 1;
    this.#frames.resolve();
    this.#renderer.setSize(width, height, false);
    this.#rig.resize(width, height);
    // A crowd fills the view, which grows when its drawer goes.
    if (!wasSized || (this.#crowd() !== null && !this.#isChosen)) this.#isFramed = false;
    // In the same task, so that a resized canvas is never seen empty.
    this.#isStale = true;
    this.frame();
  }

  // ------------------------------------------------------------------------------------------------------------- drawing

  /** Asks for a new frame. */
  invalidate(): void {
    this.#isStale = true;
    this.#frames.ask();
  }

  /** Whether something moves or may move at any moment: then frames are late, and not missing. */
  #isHeld(): boolean {
    return this.#gestures.isDown || this.#gizmoDragged !== null || this.session.dragging.peek() || this.session.playback.peek().running
      || this.session.arm.running.peek();
  }

  /** Draws now. */
  frame(): void {
    if (this.#isLost) return;
    const began = performance.now();
    if (!this.#isFramed) this.#frameFirst();
    this.#frameTrace();
    this.#rig.apply();
    this.#rig.aim(this.#shared, this.#renderer.getPixelRatio(), this.#projection);
    if (this.#isStale) {
      this.#isStale = false;
      this.#compose();
      this.#batches.update(this.#drawing, this.#rig.pixel / this.#renderer.getPixelRatio());
      // Nobody sees that the shadow of a crowd is a few frames old.
      const isDue = this.#crowd() === null || this.stats.frames % CROWD_SHADOW[this.#frames.isCoarse ? "coarse" : "fine"] === 0;
      if (!this.#rig.isPlane && isDue) this.#ground.cast(this.#renderer, this.#shared, this.#body === null ? [] : [this.#body.object]);
      this.#syncGizmos();
    }
    this.#ground.look(this.#rig);
    this.#renderer.render(this.#scene, this.#rig.camera);
    for (const listener of this.#listeners) listener();
    this.stats.frames += 1;
    this.stats.millis = performance.now() - began;
  }

  #compose(): void {
    const { session } = this;
    const crowd = this.#crowd();
    if (crowd !== null) {
      this.#drawing.clear();
      this.#limbs.update(crowd, this.#crowdLook(), this.#frames.isCoarse);
      this.#handles = [];
      return;
    }
    this.#limbs.hide();
    const shape = this.#shape;
    if (shape === null) {
      this.#drawing.clear();
      return;
    }
    const composition = this.#composition(shape, this.#fitting(session.shown.value));
    this.#composer.compose(this.#drawing, composition);
    if (this.#body !== null && "paint" in this.#body) this.#body.paint(this.#palette, solverInk(lookOf(this.#method())));
    this.#body?.pose(mainPose(shape, composition.shown).poses);
  }

  /** The crowd, when it is what is on show. */
  #crowd(): CrowdFrame | null {
    return this.session.document.peek().scene === "crowd" ? this.session.crowd.peek() : null;
  }

  #crowdLook(): SolverLook {
    const method = this.session.document.peek().runs[0]?.method ?? "auto";
    return lookOf(method === "auto" ? "two-bone" : method);
  }

  #composition(shape: Shape, shown: readonly ShownRun[]): Composition {
    const { session } = this;
    const document = session.document.peek();
    const pose = mainPose(shape, shown);
    const spots = this.#composer.place(shape, pose);
    this.#handles = session.handles.value.map((handle) => this.#placed(handle, shape, pose, spots));
    return {
      shape,
      shown,
      main: session.results.value[0] ?? null,
      handles: this.#handles,
      selection: session.selection.value,
      hovered: session.hovered.value,
      showLimits: document.view.showLimits,
      showTrace: document.view.showTrace,
      isStepping: session.playback.value.mode === "trace" || session.hoveredIteration.value !== null,
      pixel: this.#rig.pixel,
      up: this.#rig.up.toArray(),
      isPlane: this.#rig.isPlane,
      level: this.#ground.level,
      hasMesh: this.#body !== null,
      arm: this.#arm(document),
      isSmall: false,
    };
  }

  /** Other solutions are shown of the end of a solve; the path always. */
  #arm({ view, path }: StudioDocument): ArmPicture | null {
    const { arm, playback } = this.session;
    const [facts, frame] = [arm.facts.value, arm.frame.value];
    if (facts === null) return null;
    const isLive = playback.value.mode === "live" && frame === null && view.showSolutions !== false;
    return {
      solutions: isLive ? facts.solutions : [],
      current: facts.current,
      hovered: arm.hovered.value,
      path: path?.poses ?? [],
      track: arm.track.value,
      ink: solverInk(lookOf(this.#method())) + 1,
      isOnPath: frame !== null,
    };
  }

  /** What solved it. */
  #method(): string {
    return this.session.results.value[0]?.method ?? "auto";
  }

  /** Handles of joints and limits are where the figure on show has them. */
  #placed(handle: Handle, shape: Shape, pose: PoseData, spots: Float64Array): Handle {
    if (handle.kind === "limit") {
      const at = limitPlace(handle, shape, pose, spots, this.#rig.pixel);
      return at === null ? handle : { ...handle, position: at };
    }
    if (handle.kind !== "joint" || handle.joint === null || 3 * handle.joint + 2 >= spots.length) return handle;
    const i = 3 * handle.joint;
    return { ...handle, position: [spots[i] as number, spots[i + 1] as number, spots[i + 2] as number] };
  }

  // -------------------------------------------------------------------------------------------------------------- camera

  #orbit(dx: number, dy: number): void {
    if (this.#rig.isPlane) this.#rig.pan(dx, dy);
    else this.#rig.orbit(dx, dy);
    this.#cameraMoved();
  }

  #cameraMoved(): void {
    this.#glide = null;
    this.#chosen();
  }

  /** Somebody has chosen where to look: the steps of a solve that arrive frame nothing anew. */
  #chosen(): void {
    const { scene, title } = this.session.document.peek();
    this.#isChosen = true;
    // Sizes of limits and heads of arrows are in pixels, so what is drawn changes with the distance.
    this.invalidate();
    clearTimeout(this.#saveTimer);
    this.#saveTimer = setTimeout(() => {
      const now = this.session.document.peek();
      // Where somebody looked in another scene is no camera of this one.
      if (now.scene !== scene || now.title !== title) return;
      const camera = this.#rig.state;
      this.#seenCamera = camera;
      this.session.setView({ camera });
    }, 400);
  }

  /** Everything in sight. */
  frameAll(): void {
    this.#frameAll(true);
    this.#chosen();
  }

  /** The selected handle and its surroundings in sight; everything, when nothing is selected. */
  frameSelection(): void {
    const shape = this.#shape;
    const handle = this.#handles.find((one) => one.id === this.session.selection.peek());
    if (shape === null || handle === undefined) {
      this.frameAll();
      return;
    }
    const [x, y, z] = handle.position;
    const r = 0.22 * shape.size;
    this.#glideTo(() => { this.#rig.frame([x - r, y, z, x + r, y, z, x, y - r, z, x, y + r, z, x, y, z - r, x, y, z + r]); }, true);
    this.#chosen();
  }

  #frameAll(isGliding: boolean): void {
    const points = this.#extent();
    if (points.length > 0) this.#glideTo(() => { this.#rig.frame(points); }, isGliding);
  }

  /** A trace that is looked at step by step is brought into sight once, unless somebody has chosen where to look. */
  #frameTrace(): void {
    const { session } = this;
    const trace = session.playback.peek().mode === "trace" ? (session.results.peek()[0]?.trace ?? null) : null;
    if (trace === this.#framedTrace) return;
    this.#framedTrace = trace;
    const shape = this.#shape;
    if (trace === null || shape === null || this.#isChosen) return;
    const points = this.#extent();
    const stride = 3 * trace.nPoints * Math.max(1, Math.ceil(trace.n / 60));
    if (trace.nPoints !== shape.info.start.points.length / 3) return;
    const outside = new Float64Array(4);
    let isOutside = false;
    for (let at = 0; at + 3 * trace.nPoints <= trace.points.length; at += stride) {
      for (let i = at; i < at + 3 * trace.nPoints; i += 3) {
        const [x = 0, y = 0, z = 0] = trace.points.subarray(i, i + 3);
        points.push(x, y, z);
        this.#projection.at(x, y, z, outside);
        const [u = 0, v = 0] = outside;
        isOutside ||= u < 0 || v < 0 || u > this.#rig.width || v > this.#rig.height;
      }
    }
    if (isOutside) this.#glideTo(() => { this.#rig.frame(points, 1.2); }, true);
  }

  /** Frames a document that has just been opened: by its start, and again when its first solution is there. */
  #frameFirst(): void {
    const { session } = this;
    this.#isFramed = (this.#isSolved() && this.#fitting(session.shown.peek()).length > 0) || this.#crowd() !== null;
    if (this.#crowd() !== null) {
      this.#rig.setWorld("z", false, 1);
      this.#placeGround();
    }
    const camera = session.document.peek().view.camera;
    const points = this.#extent();
    if (points.length === 0) return;
    this.#rig.choose(points);
    this.#rig.frame(points);
    if (camera !== undefined) this.#rig.state = camera;
  }

  #isSolved(): boolean {
    return this.session.results.peek() !== this.#stale;
  }

  /** The runs that belong to the problem on show: while another is being loaded, those of the one before are still about. */
  #fitting(shown: readonly ShownRun[]): readonly ShownRun[] {
    const shape = this.#shape;
    if (shape === null) return [];
    const { nJoints, start } = shape.info;
    const fits = (pose: PoseData) => shape.isChain ? pose.points.length === start.points.length : pose.poses.length === 7 * nJoints;
    return shown.every(fits) ? shown : shown.filter(fits);
  }

  /** Moves the camera to where `change` puts it: at once, or gliding. */
  #glideTo(change: () => void, isGliding: boolean): void {
    const from = this.#camera();
    change();
    const to = this.#camera();
    if (!isGliding || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    this.#setCamera(from);
    this.#glide = { from, to, began: performance.now() };
    this.#frames.ask();
  }

  #camera(): number[] {
    const { target, azimuth, polar, distance } = this.#rig;
    return [target.x, target.y, target.z, azimuth, polar, Math.log(distance)];
  }

  #setCamera([x = 0, y = 0, z = 0, azimuth = 0, polar = 1, distance = 0]: number[]): void {
    this.#rig.target.set(x, y, z);
    this.#rig.azimuth = azimuth;
    this.#rig.polar = polar;
    this.#rig.distance = Math.exp(distance);
  }

  #advance(now: number): void {
    const glide = this.#glide;
    if (glide === null) return;
    const t = Math.min(1, (now - glide.began) / GLIDE);
    const eased = 1 - (1 - t) ** 3;
    this.#setCamera(glide.from.map((value, i) => value + ((glide.to[i] as number) - value) * eased));
    this.#isStale = true;
    if (t >= 1) this.#glide = null;
    else this.#frames.ask();
  }

  /** Points that must be in sight: the start, the shown poses, the targets; 3 numbers each. */
  #extent(): number[] {
    const { session } = this;
    const points: number[] = [];
    const add = (more: Iterable<number>) => { for (const value of more) points.push(value); };
    const crowd = this.#crowd();
    if (crowd !== null) {
      add(crowd.points.subarray(0, 9 * crowd.count));
      return points;
    }
    const shape = this.#shape;
    if (shape === null) return points;
    const shown = this.#isSolved() ? this.#fitting(session.shown.peek()) : [];
    // The start as well: a step back must not lead out of the picture.
    for (const pose of [shape.info.start, ...shown]) add(this.#composer.place(shape, pose));
    for (const task of shape.info.tasks) if (task.position !== null && shape.tips[task.index] !== -1) add(task.position);
    for (const handle of session.handles.peek()) if (handle.kind === "target" || handle.kind === "pole") add(handle.position);
    for (const [x = 0, y = 0, z = 0] of session.document.peek().path?.poses ?? []) points.push(x, y, z);
    if (this.#body !== null) {
      const box = new THREE.Box3().setFromObject(this.#body.object);
      add([...box.min.toArray(), ...box.max.toArray()]);
    }
    return points;
  }

  /** Lays the floor under the figure, or under the crowd. */
  #placeGround(): void {
    const shape = this.#shape;
    const crowd = this.#crowd();
    if (shape === null && crowd === null) return;
    const box = new THREE.Box3();
    const size0 = shape?.size ?? 1;
    const points = crowd?.points ?? (shape === null ? [] : this.#composer.place(shape, shape.info.start));
    const point = new THREE.Vector3();
    let lowest = Infinity;
    for (let i = 0; i + 2 < points.length; i += 3) {
      point.set(points[i] as number, points[i + 1] as number, points[i + 2] as number);
      box.expandByPoint(point);
      lowest = Math.min(lowest, point.dot(this.#rig.up));
    }
    if (!Number.isFinite(lowest)) return;
    // The floor is at zero where the figure stands on it or over it, and below what hangs lower.
    const level = lowest > -0.02 * size0 && lowest < 1.5 * size0 ? 0 : lowest - 0.02 * size0;
    const center = box.getCenter(new THREE.Vector3());
    const span = box.getSize(point).length();
    this.#ground.place(this.#rig, center, crowd === null ? Math.max(size0, 0.7 * span) : 0.6 * span, level, crowd === null ? size0 : 0.3);
  }

  // -------------------------------------------------------------------------------------------------------------- handles

  #ray(x: number, y: number): THREE.Ray {
    const at = new THREE.Vector2((2 * x) / this.#rig.width - 1, 1 - (2 * y) / this.#rig.height);
    this.#raycaster.setFromCamera(at, this.#rig.camera);
    return this.#raycaster.ray;
  }

  /** The handle under a place on the canvas [CSS px]. */
  pick(x: number, y: number, pointer: "mouse" | "touch" = "mouse"): Handle | null {
    const shape = this.#shape;
    const open = this.#handles.filter((handle) => handle.kind !== "limit" || this.#isOpen(handle));
    const room = (handle: Handle) => {
      const radius = handle.kind === "joint" && handle.joint !== null ? (shape?.joints[handle.joint] ?? 0) : 0;
      return Math.max(0, radius / this.#rig.pixel - 6);
    };
    return pick(open, this.#projection, x, y, pointer, room);
  }

  #isOpen(handle: Handle): boolean {
    const touched = [this.session.selection.peek(), this.session.hovered.peek()];
    return this.#handles.some((one) => touched.includes(one.id) && one.joint === handle.joint && one.kind !== "target");
  }

  #hover(x: number, y: number): void {
    // What is pointed at goes before handles: its pose may have put one there.
    const wasPointing = this.#pointed !== null;
    const pointed = wasPointing ? iterationUnder(this.#composer.trail, this.#projection, x, y) : null;
    const id = pointed === null ? (this.pick(x, y)?.id ?? null) : null;
    if (id !== this.session.hovered.peek()) this.session.hovered.value = id;
    const solution = id === null ? this.#solutionUnder(x, y, "mouse") : null;
    if (solution !== this.session.arm.hovered.peek()) this.session.arm.hovered.value = solution;
    this.#setCursor(id !== null ? "grab" : solution !== null ? "pointer" : "");
    this.#point(pointed ?? (id === null && !wasPointing ? iterationUnder(this.#composer.trail, this.#projection, x, y) : null));
  }

  /** Takes the solution of an arm that is tapped; beside it all, nothing is selected any more. */
  #tap(x: number, y: number, pointer: "mouse" | "touch"): void {
    const solution = this.#solutionUnder(x, y, pointer);
    if (solution !== null) {
      this.session.arm.hovered.value = null;
      this.session.arm.choose(solution);
    } else if (this.session.selection.peek() !== null) this.session.selection.value = null;
  }

  #solutionUnder(x: number, y: number, pointer: "mouse" | "touch"): number | null {
    return this.#shape === null ? null : solutionUnder(this.#composer.ghosts, this.#shape, this.#projection, x, y, pointer);
  }

  /** Shows the iteration whose corner of the tip's trace is pointed at; the plot marks it. */
  #point(iteration: number | null): void {
    if (iteration === this.#pointed) return;
    this.#pointed = iteration;
    this.session.hoveredIteration.value = iteration;
  }

  #setCursor(cursor: string): void {
    if (this.canvas.style.cursor !== cursor) this.canvas.style.cursor = cursor;
  }

  #takeHold(x: number, y: number, pointer: "mouse" | "touch", isFloor: boolean): boolean {
    const handle = this.pick(x, y, pointer);
    const shape = this.#shape;
    if (handle === null || shape === null) return false;
    this.#point(null);
    this.session.selection.value = handle.id;
    const normal = isFloor && !this.#rig.isPlane
      ? this.#rig.up.clone()
      : this.#rig.camera.getWorldDirection(new THREE.Vector3()).negate();
    const pose = mainPose(shape, this.#fitting(this.session.shown.peek()));
    this.#grab = new Grab(handle, normal, this.#ray(x, y), shape, pose, this.#composer.place(shape, pose));
    this.session.beginDrag(handle.id);
    this.#setCursor("grabbing");
    return true;
  }

  #dragTo(x: number, y: number): void {
    const grab = this.#grab;
    // Undo and another scene end a drag while the button is still down.
    if (!this.session.dragging.peek()) return;
    const move = grab?.move(this.#ray(x, y)) ?? null;
    if (grab !== null && move !== null) this.session.drag(grab.handle.id, move);
  }

  #letGo(): void {
    if (this.#grab === null) return;
    this.#grab = null;
    this.session.endDrag();
    this.#setCursor("");
  }

  // -------------------------------------------------------------------------------------------------------------- actions

  /** What keys and buttons do with the camera: `frame`, `frame-all`, `zoom-in`, `zoom-out`, and `orbit-` or `pan-` with a direction. */
  cameraAction(name: string): void {
    if (name === "frame") this.frameSelection();
    else if (name === "frame-all") this.frameAll();
    else {
      this.#rig.press(name);
      this.#cameraMoved();
    }
  }

  /** Calls this after every frame, until what it returns is called. */
  onDrawn(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => { this.#listeners.delete(listener); };
  }

  /** Where a place of the world is on the canvas [CSS px]. */
  screenPosition(place: readonly [number, number, number]): { x: number; y: number } {
    this.#rig.apply();
    this.#rig.aim(this.#shared, this.#renderer.getPixelRatio(), this.#projection);
    const [x = NaN, y = NaN] = this.#projection.place([place[0], place[1], place[2]]) ?? [];
    return { x, y };
  }

  /** Where a handle is drawn on the canvas [CSS px]; null when there is none. */
  handlePlace(id: string): { x: number; y: number } | null {
    const handle = this.#handles.find((one) => one.id === id);
    return handle ? this.screenPosition(handle.position) : null;
  }

  // ---------------------------------------------------------------------------------------------------------------- gizmo

  /** One of the two: arrows that move, or rings that turn. */
  #makeGizmo(mode: "translate" | "rotate"): TransformControls {
    const gizmo = new TransformControls(this.#rig.perspective, this.canvas);
    gizmo.setMode(mode);
    gizmo.setSpace(mode === "rotate" ? "local" : "world");
    gizmo.setSize(mode === "rotate" ? RING_SIZE : ARROW_SIZE);
    // Dragging the target's own ring moves it in the plane of the screen; the gizmo adds the axes.
    gizmo.showXY = gizmo.showYZ = gizmo.showXZ = gizmo.showXYZE = gizmo.showE = false;
    gizmo.enabled = false;
    this.#scene.add(gizmo.getHelper());
    gizmo.addEventListener("change", () => { this.#frames.ask(); });
    gizmo.addEventListener("dragging-changed", (event) => {
      const id = this.session.selection.peek();
      this.#gizmoDragged = event.value === true ? gizmo : null;
      if (id === null) return;
      if (event.value === true) this.session.beginDrag(id);
      else this.session.endDrag();
      this.invalidate();
    });
    gizmo.addEventListener("objectChange", () => { this.#dragGizmo(); });
    return gizmo;
  }

  #dragGizmo(): void {
    const handle = this.#handles.find((one) => one.id === this.session.selection.peek());
    if (handle === undefined || this.#gizmoDragged === null || !this.session.dragging.peek()) return;
    const { position, quaternion } = this.#gizmoProxy;
    const move: HandleMove = this.#gizmoDragged.mode === "rotate"
      ? { rotation: [quaternion.x, quaternion.y, quaternion.z, quaternion.w] }
      : { position: position.toArray() };
    this.session.drag(handle.id, move);
  }

  #isOnGizmo(): boolean {
    return this.#gizmoDragged !== null || this.#gizmos.some((gizmo) => gizmo.enabled && gizmo.axis !== null);
  }

  /** What a press would do with the selected target: move it along an arrow, or turn it by a ring. */
  get gizmoUnder(): TransformControls["mode"] | null {
    return this.#gizmos.find((gizmo) => gizmo.enabled && gizmo.axis !== null)?.mode ?? null;
  }

  /** The selected target in space wears the gizmos; rings only where an orientation is wanted. */
  #syncGizmos(): void {
    const handle = this.#handles.find((one) => one.id === this.session.selection.peek());
    const isShown = handle !== undefined && handle.moves === "space" && handle.kind === "target"
      && !this.#rig.isPlane && this.#grab === null;
    for (const gizmo of this.#gizmos) {
      const isWorn = isShown && (gizmo.mode === "translate" || handle.rotation !== null)
        && (this.#gizmoDragged === null || this.#gizmoDragged === gizmo);
      gizmo.enabled = isWorn;
      if (!isWorn) {
        if (gizmo.object !== undefined) gizmo.detach();
        continue;
      }
      gizmo.camera = this.#rig.camera;
      if (this.#gizmoDragged === null) {
        this.#gizmoProxy.position.set(...handle.position);
        this.#gizmoProxy.quaternion.set(...(handle.rotation ?? [0, 0, 0, 1]));
      }
      this.#gizmoProxy.updateMatrixWorld();
      if (gizmo.object !== this.#gizmoProxy) gizmo.attach(this.#gizmoProxy);
    }
  }

  // ----------------------------------------------------------------------------------------------------------- characters, robots

  /** What is to be drawn in place of the bones. */
  #wanted(): CharacterFile | RobotSource | null {
    const { robot, document } = this.session;
    const [look, companion, { view }] = [robot.look.value, robot.companion.value, document.value];
    if (robot.character.value !== null) return robot.character.value;
    const body = view.body ?? "visuals";
    if (look === null || body === "joints") return null;
    const files = companion?.files ?? NO_FILES;
    const source: RobotSource = { name: look.name, shapes: shapesOf(look, body, files), files, nJoints: look.maxSpeeds.length };
    return this.#source !== null && isSame(this.#source, source) ? this.#source : source;
  }

  /** Draws meshes in place of the bones; what has none that can be drawn leaves the bones. */
  async #wear(source: CharacterFile | RobotSource | null, info: ProblemInfo | null): Promise<void> {
    const fits = source !== null && info !== null && info.nJoints === ("nodes" in source ? source.nodes.length : source.nJoints);
    if (fits && this.#source === source) return;
    this.#source = fits ? source : null;
    this.#undress();
    if (!fits) return;
    try {
      const body = await bodyOf(source, info);
      // Another file may have been opened meanwhile.
      if (this.#source !== source || body === null) body?.dispose();
      else this.#dress(body);
      const [first, ...more] = body !== null && "unread" in body ? body.unread : [];
      if (first !== undefined) this.session.tell({ kind: "warning", what: `A mesh cannot be drawn: ${first}${more.length > 0 ? `, and ${more.length} more` : ""}`, hint: "Its link is bare. Export it again as binary STL or GLB." });
    } catch (error) {
      this.session.tell({ kind: "warning", what: `The meshes cannot be drawn: ${messageOf(error)}`, hint: "The bones are shown instead." });
    }
  }

  #dress(body: Character | RobotBody): void {
    this.#body = body;
    const shape = this.#shape;
    if (shape !== null) body.pose(mainPose(shape, this.#fitting(this.session.shown.peek())).poses);
    this.#worn.add(body.object);
    this.#light.show(true, this.#rig.up);
    this.#isFramed = false;
    this.invalidate();
  }

  /** Whether meshes are drawn in place of the bones. */
  get hasMesh(): boolean {
    return this.#body !== null;
  }

  #undress(): void {
    const body = this.#body;
    this.#body = null;
    if (body === null) return;
    this.#light.show(false, this.#rig.up);
    this.#worn.remove(body.object);
    body.dispose();
    this.invalidate();
  }

  // ------------------------------------------------------------------------------------------------------------- pictures

  /** Distance of the grid's lines [m]. */
  get gridStep(): number {
    return this.#ground.step;
  }

  /** What is on the canvas. */
  png(): Promise<Blob> {
    this.#frames.drawInFull();
    return pictureOf(this.canvas);
  }

  /** What is on the canvas as a stand-alone SVG, with bones in place of meshes. */
  svg(): string {
    this.#isStale = true;
    this.frame();
    const crowd = this.#crowd();
    const shape = this.#shape;
    if (this.#body !== null && shape !== null) this.#composer.compose(this.#drawing, { ...this.#composition(shape, this.#fitting(this.session.shown.peek())), hasMesh: false });
    if (crowd !== null) composeCrowd(this.#drawing, crowd, this.#crowdLook(), false);
    const { title } = this.session.document.peek();
    return svgOf(this.#drawing, this.#projection, {
      palette: this.#palette,
      title: `${title}: ${this.session.announcement.peek()}`,
      gridStep: this.#ground.step,
      isPlane: this.#rig.isPlane,
      first: this.#rig.first.toArray(),
      second: this.#rig.second.toArray(),
      up: this.#rig.up.toArray(),
      level: this.#ground.level,
      size: this.#shape?.size ?? 1,
      center: this.#rig.target.toArray(),
    });
  }

  /** A small picture of a scene as this renderer draws it, as a data address; null when there is nothing to draw. */
  async thumbnail(scene: SceneId): Promise<string | null> {
    const preview = await this.session.preview(scene);
    if (preview === null || this.#isLost) return null;
    const image = await this.#paintThumbnail(preview);
    const canvas = document.createElement("canvas");
    canvas.width = image.width;
    canvas.height = image.height;
    // Kept by the processor, where it is read from at once.
    canvas.getContext("2d", { willReadFrequently: true })?.putImageData(image, 0, 0);
    return canvas.toDataURL("image/png");
  }

  #paintThumbnail(preview: ScenePreview): Promise<ImageData> {
    const { document, info, pose, method } = preview;
    const rig = new Rig();
    const drawing = new Drawing();
    const shape = shapeOf(info, furnitureOf(document));
    rig.setWorld(upOf(document, info), isFlat(info), shape.size);
    rig.resize(THUMBNAIL[0], THUMBNAIL[1]);
    if (preview.crowd !== undefined) {
      rig.frame(preview.crowd.points, 1);
      composeCrowd(drawing, preview.crowd, lookOf("two-bone"), true);
    } else {
      const shown: ShownRun = {
        ...pose, id: "thumbnail", index: 0, method, visible: true, error: 0, iteration: 0, status: null, blocked: [],
        phase: null, joint: null, before: null,
      };
      const composer = new Composer();
      rig.choose(composer.place(shape, pose));
      rig.frame(composer.place(shape, pose), rig.isPlane ? 1.35 : 1.15);
      composer.compose(drawing, {
        shape, shown: [shown], main: null, handles: [], selection: null, hovered: null, showLimits: false, showTrace: false,
        isStepping: false, pixel: rig.pixel, up: rig.up.toArray(), isPlane: rig.isPlane, level: 0, hasMesh: false, arm: null, isSmall: true,
      });
    }
    const target = new THREE.WebGLRenderTarget(THUMBNAIL[0] * 2, THUMBNAIL[1] * 2, { samples: 4 });
    return this.#renderInto(target, rig, drawing, 2);
  }

  /** Draws another drawing with another camera into a target, and puts everything back. The page goes on until its pixels are there. */
  async #renderInto(target: THREE.WebGLRenderTarget, rig: Rig, drawing: Drawing, ratio: number): Promise<ImageData> {
    const away = [...this.#gizmos.map((gizmo) => gizmo.getHelper()), this.#ground.group, this.#limbs.mesh, this.#worn];
    const were = away.map((object) => object.visible);
    for (const object of away) object.visible = false;
    rig.apply();
    rig.aim(this.#shared, ratio);
    this.#batches.update(drawing, rig.pixel / ratio);
    // Into a target colours go as they are, without the screen's encoding.
    const clear = this.#renderer.getClearColor(new THREE.Color());
    this.#renderer.setClearColor(new THREE.Color(...rgb(this.#palette.colours[Ink.paper] as string)));
    this.#renderer.setRenderTarget(target);
    this.#renderer.clear();
    this.#renderer.render(this.#scene, rig.camera);
    this.#renderer.setClearColor(clear);
    const { width, height } = target;
    const raw = new Uint8Array(4 * width * height);
    const read = this.#renderer.readRenderTargetPixelsAsync(target, 0, 0, width, height, raw);
    this.#renderer.setRenderTarget(null);
    away.forEach((object, i) => { object.visible = were[i] ?? true; });
    this.invalidate();
    await read.finally(() => { target.dispose(); });
    const image = new ImageData(width, height);
    for (let row = 0; row < height; row++) {
      image.data.set(raw.subarray(4 * width * (height - 1 - row), 4 * width * (height - row)), 4 * width * row);
    }
    return image;
  }

  dispose(): void {
    for (const stop of this.#stops) stop();
    clearTimeout(this.#saveTimer);
    this.session.exports.setPictures(null);
    this.#gestures.dispose();
    for (const gizmo of this.#gizmos) gizmo.dispose();
    this.#source = null;
    this.#undress();
    this.#light.dispose();
    this.#limbs.dispose();
    this.#ground.dispose();
    this.#batches.dispose();
    for (const material of Object.values(this.#programs) as THREE.Material[]) material.dispose();
    this.#frames.dispose();
  }
}

/** What the body of a robot is made from. */
interface RobotSource {
  name: string;
  shapes: readonly RobotShape[];
  files: ReadonlyMap<string, Uint8Array>;
  nJoints: number;
}

/** What draws a body is loaded when it is needed; null where there is nothing to draw. */
async function bodyOf(source: CharacterFile | RobotSource, info: ProblemInfo): Promise<Character | RobotBody | null> {
  if ("nodes" in source) return await (await import("./character.ts")).loadCharacter(source, info);
  const { RobotBody } = await import("./robot.ts");
  const body = source.shapes.length === 0 ? RobotBody.ofArm(info) : await RobotBody.load(source.shapes, source.files);
  return body.isEmpty ? null : body;
}

/** A limit that is moved makes another text and another description, but no other body. */
function isSame(a: CharacterFile | RobotSource, b: RobotSource): boolean {
  return "shapes" in a && a.name === b.name && a.files === b.files && a.nJoints === b.nJoints && (a.shapes === b.shapes || JSON.stringify(a.shapes) === JSON.stringify(b.shapes));
}

/** Arrows and rings, of which the pointer has one: where a ring passes behind an arrow, the arrow. */
function makeGizmos(make: (mode: "translate" | "rotate") => TransformControls): TransformControls[] {
  // Both listen to the same canvas, the arrows first because they are made first.
  const [arrows, rings] = [make("translate"), make("rotate")];
  const hover = rings.pointerHover.bind(rings);
  rings.pointerHover = (pointer) => {
    hover(pointer);
    if (!rings.dragging && arrows.enabled && arrows.axis !== null) rings.axis = null;
  };
  return [arrows, rings];
}

/** The pose of the main run, or the start before anything has been solved. */
function mainPose(shape: Shape, shown: readonly ShownRun[]): PoseData {
  return shown.find((run) => run.index === 0) ?? shape.info.start;
}

function isFlat(info: ProblemInfo): boolean {
  return info.dimension === 2;
}

/** Up in the world: that of the file's kind. */
function upOf(document: StudioDocument, info: ProblemInfo): "y" | "z" {
  if (isFlat(info)) return "y";
  if (document.scene !== "file") return sceneSpec(document.scene).up;
  return document.view.up ?? "z";
}
