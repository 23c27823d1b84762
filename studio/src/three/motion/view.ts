//! The motion scene's view: draws the frame on show, and turns what people do on it into pulls. It solves nothing.

import { effect } from "@preact/signals";
import * as THREE from "three";
import type { Vec3 } from "../../core/files.ts";
import { placeOf, timeOf, withPlace } from "../../core/motion/contacts.ts";
import { figureOf, frameOf, MotionComposer, type Figure, type MotionScene } from "../../core/motion/draw.ts";
import type { Comparison, MotionHandle, MotionInfo, MotionSession, ShownMotion } from "../../core/motion/types.ts";
import { Drawing } from "../../core/pictures/drawing.ts";
import { filmOf } from "../../core/pictures/film.ts";
import { Ink, palette, type Palette } from "../../core/pictures/look.ts";
import { Projection } from "../../core/pictures/projection.ts";
import { svgOf } from "../../core/pictures/svg.ts";
import { Batches } from "../batches.ts";
import { Rig } from "../camera.ts";
import { pagePalette, pictureOf, watchCanvas } from "../canvas.ts";
import { Frames } from "../frames.ts";
import { Ground } from "../ground.ts";
import { Gestures } from "../pointer.ts";
import { makePrograms, setPalette, sharedUniforms } from "../programs.ts";
import { Light } from "../light.ts";
import { loadSkin, type Skin } from "./skin.ts";

/** How near a pointer must come to a handle [CSS px]. */
const REACH = { mouse: 15, touch: 26 } as const;
/** How far the original stands aside, in heights of the figure. */
const ASIDE = 0.6;

export class MotionView {
  readonly #frames: Frames;
  readonly #renderer: THREE.WebGLRenderer;
  readonly #scene = new THREE.Scene();
  readonly #shared = sharedUniforms();
  readonly #programs = makePrograms(this.#shared);
  readonly #batches = new Batches(this.#programs);
  readonly #ground = new Ground(this.#programs, this.#batches.casters);
  readonly #rig = new Rig();
  readonly #drawing = new Drawing();
  readonly #composer = new MotionComposer();
  readonly #projection = new Projection();
  readonly #gestures: Gestures;
  readonly #light: Light;
  readonly #raycaster = new THREE.Raycaster();
  readonly #stops: (() => void)[] = [];
  #palette: Palette = palette("light");
  #figure: Figure | null = null;
  #id = "";
  #skin: Skin | null = null;
  /** The same once more for the original, from when it is first shown aside or alone. */
  #sourceSkin: Skin | null = null;
  #isSewing = false;
  /** How wide the skin was when it was put on. */
  #skinWidth = 0;
  #isFramed = false;
  /** True when somebody has moved the camera since the file was opened. */
  #isMoved = false;
  #compared: Comparison | null = null;
  /** Where the original stands aside, of unit length. */
  readonly #side = new THREE.Vector3(1, 0, 0);
  /** Where the figure stood when the camera last looked. */
  #followed: THREE.Vector3 | null = null;
  #isStale = true;
  #isLost = false;
  /** What is dragged: a joint, or the place of a contact by its index. */
  #grab: { plane: THREE.Plane; offset: THREE.Vector3; contact: number | null } | null = null;
  /** Tells the drags of contacts apart: each is one step of undo. */
  #drags = 0;
  /** Frames drawn so far, and how long the last one took to prepare [ms]; for tests. */
  readonly stats = { frames: 0, millis: 0 };

  constructor(readonly canvas: HTMLCanvasElement, readonly session: MotionSession) {
    this.#frames = new Frames(canvas, {
      isHeld: () => this.#gestures.isDown || session.pulled.peek() !== null || session.playing.peek(),
      draw: () => { this.frame(); },
      redraw: () => { this.#isStale = true; this.frame(); },
    });
    this.#renderer = this.#frames.renderer;
    this.#light = new Light(this.#renderer, this.#scene, () => { this.invalidate(); });
    this.#scene.add(this.#ground.group, this.#batches.group);
    this.#gestures = new Gestures(canvas, {
      down: (x, y, kind) => this.#takeHold(x, y, kind),
      drag: (x, y) => { this.#dragTo(x, y); },
      up: () => { this.#letGo(); },
      tap: () => { session.selection.value = null; },
      hover: (x, y) => { this.#hover(x, y); },
      leave: () => { session.hovered.value = null; },
      orbit: (dx, dy) => { this.#rig.orbit(dx, dy); this.#moved(); },
      pan: (dx, dy) => { this.#rig.pan(dx, dy); this.#moved(); },
      zoom: (factor, x, y) => { this.#rig.zoom(factor, x, y); this.#moved(); },
      double: () => { this.frameAll(); },
      isBusy: () => false,
    });
    this.#watch();
    session.setPictures({ png: () => this.png(), svg: () => this.svg(), film: (play) => filmOf(this.canvas, play), camera: () => this.#rig.state });
  }

  #watch(): void {
    const { session } = this;
    this.#stops.push(
      effect(() => { this.#load(session.shown.value); }),
      effect(() => { this.#compare(session.document.value.view.compare); }),
      effect(() => {
        // Read, so that a change of any of them draws a new frame.
        void [session.frame.value, session.document.value, session.pulled.value, session.contacts.value,
          session.selection.value, session.hovered.value, session.playing.value, session.picked.value];
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

  #load(shown: ShownMotion | null): void {
    if (!shown) return;
    if (this.#figure && this.#id === shown.id) {
      this.#figure = { ...this.#figure, shown };
    } else {
      this.#id = shown.id;
      this.#figure = figureOf(shown);
      this.#rig.setWorld(Math.abs(shown.info.up[2]) > 0.5 ? "z" : "y", false, this.#figure.shape.size);
      this.#isFramed = false;
      this.#isMoved = false;
      this.#undress();
      void this.#dress(shown);
    }
    this.invalidate();
  }

  /** What stands side by side is brought into sight. */
  #compare(how: Comparison): void {
    const before = this.#compared;
    this.#compared = how;
    if (before === how || (how !== "side" && before !== "side")) return;
    this.#rig.apply();
    this.#side.setFromMatrixColumn(this.#rig.camera.matrixWorld, 0);
    this.frameAll();
  }

  async #dress(shown: ShownMotion): Promise<void> {
    const skin = await loadSkin(shown, true).catch(() => null);
    if (!skin || this.#id !== shown.id) {
      skin?.dispose();
      return;
    }
    this.#skin = skin;
    skin.paint(this.#palette);
    skin.pose(this.#poses());
    const size = boundsOf(skin.object).getSize(new THREE.Vector3());
    this.#skinWidth = Math.max(...[size.x, size.y, size.z].filter((_, axis) => Math.abs(this.#rig.up.getComponent(axis)) < 0.5));
    this.#scene.add(skin.object);
    // A skin reaches farther than its bones.
    if (!this.#isMoved) this.frameAll();
    this.invalidate();
  }

  async #dressSource(shown: ShownMotion): Promise<void> {
    this.#isSewing = true;
    const skin = await loadSkin(shown, false).catch(() => null);
    this.#isSewing = false;
    if (!skin || this.#id !== shown.id || !this.#skin) {
      skin?.dispose();
      return;
    }
    this.#sourceSkin = skin;
    skin.paint(this.#palette, Ink.start);
    skin.wear(false);
    this.#scene.add(skin.object);
    this.invalidate();
  }

  #undress(): void {
    for (const skin of [this.#skin, this.#sourceSkin]) {
      if (!skin) continue;
      this.#scene.remove(skin.object);
      skin.dispose();
    }
    this.#skin = this.#sourceSkin = null;
    this.#skinWidth = 0;
  }

  #readTheme(): void {
    this.#palette = pagePalette();
    setPalette(this.#shared, this.#palette);
    this.#renderer.setClearColor(this.#palette.colours[Ink.paper] as string);
    this.#skin?.paint(this.#palette);
    this.#sourceSkin?.paint(this.#palette, Ink.start);
    this.invalidate();
  }

  #resize(): void {
    const width = this.canvas.clientWidth;
    const height = this.canvas.clientHeight;
    if (width === 0 || height === 0) return;
    if (this.#rig.width <= 1) this.#isFramed = false;
    this.#frames.resolve();
    this.#renderer.setSize(width, height, false);
    this.#rig.resize(width, height);
    this.#isStale = true;
    this.frame();
  }

  // ------------------------------------------------------------------------------------------------------------- drawing

  /** Asks for a new frame. */
  invalidate(): void {
    this.#isStale = true;
    this.#frames.ask();
  }

  /** Draws now. */
  frame(): void {
    if (this.#isLost) return;
    const began = performance.now();
    const figure = this.#figure;
    if (figure) {
      if (!this.#isFramed) this.#frameFirst(figure);
      this.#follow(figure);
    }
    this.#rig.apply();
    this.#rig.aim(this.#shared, this.#renderer.getPixelRatio(), this.#projection);
    if (this.#isStale) {
      this.#isStale = false;
      this.#compose();
      this.#batches.update(this.#drawing, this.#rig.pixel / this.#renderer.getPixelRatio());
      if (figure) this.#ground.cast(this.#renderer, this.#shared, this.#worn());
    }
    this.#ground.look(this.#rig);
    this.#renderer.render(this.#scene, this.#rig.camera);
    this.stats.frames += 1;
    this.stats.millis = performance.now() - began;
  }

  #compose(): void {
    const { session } = this;
    const figure = this.#figure;
    if (!figure) {
      this.#drawing.clear();
      return;
    }
    const composition = this.#composition(figure);
    this.#composer.compose(this.#drawing, composition);
    this.#placeGround(figure);
    this.#light.show(composition.hasSkin || composition.hasSourceSkin, this.#rig.up);
    if (this.#skin) {
      this.#skin.object.visible = composition.hasSkin;
      this.#skin.wear(session.document.peek().view.colours);
      if (composition.hasSkin) this.#skin.pose(this.#poses());
    }
    if (this.#sourceSkin) {
      const { shown } = figure;
      this.#sourceSkin.object.visible = composition.hasSourceSkin;
      if (composition.hasSourceSkin) this.#sourceSkin.pose(frameOf(shown.source, shown.info, composition.frame), composition.compare === "side" ? composition.aside : undefined);
    }
  }

  #composition(figure: Figure): MotionScene {
    const { session } = this;
    const { view } = session.document.peek();
    const pulled = session.pulled.peek();
    const isWorn = this.#skin !== null && view.skin;
    const isSourceShown = isWorn && (view.compare === "side" || view.compare === "source");
    if (isSourceShown && !this.#sourceSkin && !this.#isSewing) void this.#dressSource(figure.shown);
    return {
      figure,
      frame: session.frame.peek(),
      pulled: pulled?.poses ?? null,
      compare: view.compare,
      trails: view.trails,
      contacts: session.contacts.peek(),
      aside: this.#aside(figure),
      handles: session.playing.peek() ? [] : figure.shown.info.handles,
      selection: session.selection.peek(),
      hovered: session.hovered.peek(),
      target: pulled?.target ?? null,
      anchor: session.playing.peek() ? null : this.#anchor(),
      hasSkin: isWorn && view.compare !== "source",
      hasSourceSkin: isSourceShown && this.#sourceSkin !== null,
    };
  }

  /** The skins that are on show. */
  #worn(): THREE.Object3D[] {
    return [this.#skin, this.#sourceSkin].flatMap((skin) => (skin?.object.visible === true ? [skin.object] : []));
  }

  /** What the result, or the original where only that is on show, looks like now. */
  #poses(): Float32Array {
    const figure = this.#figure;
    if (!figure) return new Float32Array(0);
    const { shown } = figure;
    const isSource = this.session.document.peek().view.compare === "source";
    return this.session.pulled.peek()?.poses ?? frameOf(isSource ? shown.source : shown.result, shown.info, this.session.frame.peek());
  }

  /** How far over the floor the result is from the original. */
  #apart(figure: Figure): THREE.Vector3 {
    const { info, source } = figure.shown;
    const here = new THREE.Vector3().fromArray(frameOf(source, info, this.session.frame.peek()), 7 * rootOf(info));
    const apart = this.#standing(figure, new THREE.Vector3()).sub(here);
    return apart.addScaledVector(this.#rig.up, -apart.dot(this.#rig.up));
  }

  /** Beside the result as it was seen when that was asked for, also where the path of the hips was corrected. */
  #aside(figure: Figure): Vec3 {
    const apart = this.#apart(figure);
    return apart.addScaledVector(this.#side, Math.max(ASIDE * figure.shape.size, 0.3 * figure.shape.size + 0.6 * this.#skinWidth)).toArray();
  }

  // -------------------------------------------------------------------------------------------------------------- camera

  /** Where the figure stands: its hips, on the floor. */
  #standing(figure: Figure, out: THREE.Vector3): THREE.Vector3 {
    const { info } = figure.shown;
    return out.fromArray(frameOf(figure.shown.result, info, this.session.frame.peek()), 7 * rootOf(info));
  }

  /** Goes along with the figure over the floor. */
  #follow(figure: Figure): void {
    const here = this.#standing(figure, new THREE.Vector3());
    const before = this.#followed;
    if (before && this.session.document.peek().view.follow) {
      const way = here.clone().sub(before);
      way.addScaledVector(this.#rig.up, -way.dot(this.#rig.up));
      this.#rig.target.add(way);
    }
    this.#followed = here;
  }

  #frameFirst(figure: Figure): void {
    const { info, result } = figure.shown;
    const points = this.#extent(figure, frameOf(result, info, this.session.frame.peek()));
    if (!points.every(Number.isFinite) || this.#rig.width <= 1) return;
    this.#isFramed = true;
    this.#followed = null;
    this.#rig.face();
    this.#rig.choose(this.#way(figure));
    this.#rig.frame(points, 1.28);
    const { camera } = this.session.document.peek().view;
    if (camera === undefined) return;
    this.#rig.state = camera;
    this.#isMoved = true;
  }

  /** Where the feet go in a while: what the first view should show from the side. */
  #way(figure: Figure): number[] {
    const { info, result } = figure.shown;
    const points: number[] = [];
    for (let frame = 0; frame < info.nFrames; frame += Math.max(1, Math.floor(info.nFrames / 40))) {
      const poses = frameOf(result, info, frame);
      for (const { joint } of info.handles) points.push(poses[7 * joint] as number, poses[7 * joint + 1] as number, poses[7 * joint + 2] as number);
    }
    return points;
  }

  #moved(): void {
    this.#isMoved = true;
    this.invalidate();
  }

  /** The figure in sight. */
  frameAll(): void {
    const figure = this.#figure;
    if (!figure) return;
    this.#rig.frame(this.#extent(figure, this.#poses()), 1.28);
    // It looks at the frame on show already: there is nothing to go along with from the one before.
    this.#followed = null;
    this.invalidate();
  }

  /** Points that must be in sight, 3 numbers each. */
  #extent(figure: Figure, poses: Float32Array): number[] {
    const points = [...this.#composer.place(figure, poses)];
    if (this.#skin && this.session.document.peek().view.skin) {
      this.#skin.pose(poses);
      const { min, max } = boundsOf(this.#skin.object);
      for (const x of [min.x, max.x]) for (const y of [min.y, max.y]) for (const z of [min.z, max.z]) points.push(x, y, z);
    }
    if (this.session.document.peek().view.compare === "side") {
      // The original is about as large as the result, and where that is aside.
      const aside = this.#aside(figure);
      const apart = this.#apart(figure).toArray();
      const { source, info } = figure.shown;
      points.push(...points.map((value, i) => value + (aside[i % 3] as number) - (apart[i % 3] as number)));
      points.push(...this.#composer.place(figure, frameOf(source, info, this.session.frame.peek())).map((value, i) => value + (aside[i % 3] as number)));
    }
    return points;
  }

  /** Lays the grid on the floor that was found, tilted as it is; where no feet were found, level under the figure. */
  #placeGround(figure: Figure): void {
    const { report: { floor: [point, found] }, info } = figure.shown;
    const here = this.#standing(figure, new THREE.Vector3());
    const normal = new THREE.Vector3(...found);
    const place = (level: number, out?: THREE.Vector3) => { this.#ground.place(this.#rig, here, 1.6 * figure.shape.size, level, 0.5 * figure.shape.size, out); };
    // Feet have soles, so the grid is a little below their joints.
    const level = normal.dot(new THREE.Vector3(...point)) - 0.9 * figure.shape.thickness;
    if (info.legs.length > 0 && Number.isFinite(level)) place(level, normal);
    else place(this.#lowest(figure));
  }

  /** Height and tilt of the grid; for tests. */
  get floor(): { level: number; normal: Vec3 } {
    return { level: this.#ground.level, normal: this.#ground.normal.toArray() };
  }

  /** Skins on show; for tests. */
  get skins(): number {
    return this.#worn().length;
  }

  /** Images in the graphics card's memory; for tests. */
  get textures(): number {
    return this.#renderer.info.memory.textures;
  }

  #lowest(figure: Figure): number {
    const points = this.#composer.place(figure, frameOf(figure.shown.source, figure.shown.info, 0));
    const point = new THREE.Vector3();
    let lowest = Infinity;
    for (let i = 0; i + 2 < points.length; i += 3) lowest = Math.min(lowest, point.fromArray(points, i).dot(this.#rig.up));
    return Number.isFinite(lowest) ? lowest : 0;
  }

  /** What keys and buttons do to the camera. */
  cameraAction(name: string): void {
    if (name === "frame") this.frameAll();
    else {
      this.#rig.press(name);
      this.#moved();
    }
  }

  // ------------------------------------------------------------------------------------------------------------- pulling

  /** Where a joint is on the canvas [CSS px]; null behind the eye. */
  screenPosition(joint: number): { x: number; y: number } | null {
    const poses = this.#poses();
    const out = new Float64Array(4);
    const isSeen = this.#projection.at(poses[7 * joint] as number, poses[7 * joint + 1] as number, poses[7 * joint + 2] as number, out);
    return isSeen ? { x: out[0] as number, y: out[1] as number } : null;
  }

  #handleAt(x: number, y: number, kind: "mouse" | "touch"): MotionHandle | null {
    if (!this.#figure || this.session.document.peek().view.compare === "source") return null;
    let best: MotionHandle | null = null;
    let least: number = REACH[kind];
    for (const handle of this.#figure.shown.info.handles) {
      const at = this.screenPosition(handle.joint);
      const apart = at ? Math.hypot(at.x - x, at.y - y) : Infinity;
      if (apart < least) [best, least] = [handle, apart];
    }
    return best;
  }

  #takeHold(x: number, y: number, kind: "mouse" | "touch"): boolean {
    const { session } = this;
    if (session.playing.peek()) return false;
    const contact = this.#contactAt(x, y, kind);
    const handle = contact === null ? this.#handleAt(x, y, kind) : null;
    if (contact === null && !handle) return false;
    const at = handle ? new THREE.Vector3().fromArray(this.#poses(), 7 * handle.joint) : new THREE.Vector3(...(this.#anchor() ?? []));
    const towards = this.#rig.eye(new THREE.Vector3()).sub(this.#rig.target).normalize();
    const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(towards, at);
    const hit = this.#ray(x, y).intersectPlane(plane, new THREE.Vector3());
    this.#grab = { plane, offset: hit ? at.clone().sub(hit) : new THREE.Vector3(), contact };
    this.#drags += 1;
    if (handle) session.beginPull(handle.joint);
    return true;
  }

  /** Where the contact holds that is selected; null if none is. */
  #anchor(): Vec3 | null {
    const { session } = this;
    const picked = session.picked.peek();
    const contact = picked?.kind === "contact" ? session.contacts.peek()[picked.index] : undefined;
    const shown = this.#figure?.shown;
    return contact && shown ? placeOf(contact, shown, timeOf(shown.info, session.frame.peek())) : null;
  }

  /** Where that is on the canvas [CSS px]. */
  anchorPosition(): { x: number; y: number } | null {
    const anchor = this.#anchor();
    const out = new Float64Array(4);
    return anchor && this.#projection.at(...anchor, out) ? { x: out[0] as number, y: out[1] as number } : null;
  }

  /** The contact that is selected, if its place is under a pointer. */
  #contactAt(x: number, y: number, kind: "mouse" | "touch"): number | null {
    const at = this.anchorPosition();
    const picked = this.session.picked.peek();
    return at && picked?.kind === "contact" && Math.hypot(at.x - x, at.y - y) < REACH[kind] ? picked.index : null;
  }

  #dragTo(x: number, y: number): void {
    const grab = this.#grab;
    const hit = grab && this.#ray(x, y).intersectPlane(grab.plane, new THREE.Vector3());
    if (!grab || !hit) return;
    const place = hit.add(grab.offset).toArray();
    const { session } = this;
    if (grab.contact === null) session.pull(place);
    else session.changeContact(grab.contact, (contact, shown) => withPlace(contact, place, shown, timeOf(shown.info, session.frame.peek())), "Move a contact", `place:${this.#drags}`);
  }

  #letGo(): void {
    if (!this.#grab) return;
    const { contact } = this.#grab;
    this.#grab = null;
    if (contact === null) this.session.endPull();
    else this.session.endDrag();
  }

  #hover(x: number, y: number): void {
    const joint = this.session.playing.peek() ? null : (this.#handleAt(x, y, "mouse")?.joint ?? null);
    if (joint !== this.session.hovered.peek()) this.session.hovered.value = joint;
    const isContact = !this.session.playing.peek() && this.#contactAt(x, y, "mouse") !== null;
    this.canvas.style.cursor = joint === null && !isContact ? "" : "grab";
  }

  #ray(x: number, y: number): THREE.Ray {
    this.#rig.apply();
    this.#raycaster.setFromCamera(new THREE.Vector2((2 * x) / this.#rig.width - 1, 1 - (2 * y) / this.#rig.height), this.#rig.camera);
    return this.#raycaster.ray;
  }

  // ------------------------------------------------------------------------------------------------------------- pictures

  /** What is on the canvas, drawn finely. */
  png(): Promise<Blob> {
    this.#frames.drawInFull();
    return pictureOf(this.canvas);
  }

  /** What is on the canvas as a stand-alone SVG; in place of a skin its bones. */
  svg(): string {
    this.frame();
    const figure = this.#figure;
    if (figure) this.#composer.compose(this.#drawing, { ...this.#composition(figure), hasSkin: false, hasSourceSkin: false });
    const text = svgOf(this.#drawing, this.#projection, {
      palette: this.#palette,
      title: `${this.session.document.peek().title}: ${this.session.announcement.peek()}`,
      gridStep: this.#ground.step,
      isPlane: false,
      first: this.#ground.first.toArray(),
      second: this.#ground.second.toArray(),
      up: this.#ground.normal.toArray(),
      level: this.#ground.level,
      size: figure?.shape.size ?? 1,
      center: this.#rig.target.toArray(),
    });
    this.invalidate();
    return text;
  }

  dispose(): void {
    this.session.setPictures(null);
    for (const stop of this.#stops) stop();
    this.#gestures.dispose();
    this.#undress();
    this.#light.dispose();
    this.#ground.dispose();
    this.#batches.dispose();
    for (const material of Object.values(this.#programs) as THREE.Material[]) material.dispose();
    this.#frames.dispose();
  }
}

/** The joint that says where a figure is. */
function rootOf(info: MotionInfo): number {
  return info.handles.find(({ role }) => role === "hips")?.joint ?? 0;
}

/** What a skinned object takes up as it is posed now. */
function boundsOf(object: THREE.Object3D): THREE.Box3 {
  object.updateMatrixWorld(true);
  object.traverse((child) => { if (child instanceof THREE.SkinnedMesh) child.computeBoundingBox(); });
  return new THREE.Box3().setFromObject(object);
}
