//! The camera: it turns about what it looks at and stays upright; in the plane it looks straight down on it.

import * as THREE from "three";
import type { Projection } from "../core/pictures/projection.ts";
import type { CameraState } from "../core/types.ts";
import type { Shared } from "./programs.ts";

/** Height above the floor and side from which a figure in space is first seen [rad], and the angle of view [degrees]. */
const FIRST_POLAR = 1.22;
const FIRST_AZIMUTH = -0.95;
const VIEW_DEG = 28;
/** Sides that are tried for the first view, and how much better another must be than the usual one. */
const AZIMUTHS = 6;
const USUAL_BONUS = 1.3;
/** What one key does: pixels of a drag, and nearer by this factor. */
const KEY_STEP = 40;
const ZOOM_STEP = 0.85;
/** Right and up on the screen. */
const WAYS: Partial<Record<string, readonly [number, number]>> = { left: [-1, 0], right: [1, 0], up: [0, -1], down: [0, 1] };
/** Keeps the eye off the poles, where upright means nothing [rad]. */
const POLE = 0.02;

export class Rig {
  readonly perspective = new THREE.PerspectiveCamera(VIEW_DEG, 1, 0.01, 100);
  readonly flat = new THREE.OrthographicCamera(-1, 1, 1, -1, -100, 100);
  readonly target = new THREE.Vector3();
  azimuth = FIRST_AZIMUTH;
  polar = FIRST_POLAR;
  /** From eye to target [m]; in the plane, half of the height that is seen. */
  distance = 3;
  isPlane = false;
  #width = 1;
  #height = 1;
  #size = 1;
  readonly #up = new THREE.Vector3(0, 0, 1);
  readonly #first = new THREE.Vector3(1, 0, 0);
  readonly #second = new THREE.Vector3(0, 1, 0);

  get camera(): THREE.PerspectiveCamera | THREE.OrthographicCamera {
    return this.isPlane ? this.flat : this.perspective;
  }

  get up(): THREE.Vector3 {
    return this.#up;
  }

  get first(): THREE.Vector3 {
    return this.#first;
  }

  get second(): THREE.Vector3 {
    return this.#second;
  }

  get width(): number {
    return this.#width;
  }

  get height(): number {
    return this.#height;
  }

  /** Which way is up, and whether the world is the plane z = 0. `size` bounds how near and far one can go. */
  setWorld(up: "y" | "z", isPlane: boolean, size: number): void {
    this.isPlane = isPlane;
    this.#size = size;
    if (up === "y" || isPlane) {
      this.#up.set(0, 1, 0);
      this.#first.set(0, 0, 1);
      this.#second.set(1, 0, 0);
    } else {
      this.#up.set(0, 0, 1);
      this.#first.set(1, 0, 0);
      this.#second.set(0, 1, 0);
    }
  }

  resize(width: number, height: number): void {
    this.#width = Math.max(1, width);
    this.#height = Math.max(1, height);
  }

  /** Metres for a CSS pixel where the camera looks. */
  get pixel(): number {
    const half = this.isPlane ? this.distance : this.distance * Math.tan((VIEW_DEG * Math.PI) / 360);
    return (2 * half) / this.#height;
  }

  /** Metres for a CSS pixel at depth 1 (perspective) or anywhere (plane): what the shaders are reported. */
  get pixelAtOne(): number {
    return this.isPlane ? this.pixel : (2 * Math.tan((VIEW_DEG * Math.PI) / 360)) / this.#height;
  }

  /** Brings the three.js cameras up to date. */
  apply(): void {
    const aspect = this.#width / this.#height;
    const camera = this.camera;
    if (this.isPlane) {
      const half = this.distance;
      this.flat.left = -half * aspect;
      this.flat.right = half * aspect;
      this.flat.top = half;
      this.flat.bottom = -half;
      this.flat.near = -50 * this.#size;
      this.flat.far = 50 * this.#size;
      this.flat.position.copy(this.target);
      this.flat.up.set(0, 1, 0);
      this.flat.quaternion.identity();
    } else {
      this.perspective.aspect = aspect;
      this.perspective.near = 0.02 * this.distance;
      this.perspective.far = this.distance + 40 * this.#size;
      this.perspective.up.copy(this.#up);
      this.eye(this.perspective.position);
      this.perspective.lookAt(this.target);
    }
    camera.updateProjectionMatrix();
    camera.updateMatrixWorld();
  }

  /** Tells the programs from where and how finely they draw; with `projection`, also those that find places on the screen. */
  aim(shared: Shared, ratio: number, projection?: Projection): void {
    const camera = this.camera;
    shared.uViewport.value.set(this.#width * ratio, this.#height * ratio);
    shared.uRatio.value = ratio;
    shared.uPixel.value = this.pixelAtOne;
    shared.uFocusPixel.value = this.pixel;
    shared.uIsPerspective.value = this.isPlane ? 0 : 1;
    if (projection === undefined) return;
    MATRIX.multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse);
    projection.matrix.set(MATRIX.elements);
    projection.width = this.#width;
    projection.height = this.#height;
    projection.scale = ((camera.projectionMatrix.elements[5] as number) * this.#height) / 2;
  }

  /** Where the eye is. */
  eye(out: THREE.Vector3): THREE.Vector3 {
    const s = Math.sin(this.polar) * this.distance;
    const c = Math.cos(this.polar) * this.distance;
    return out.copy(this.target)
      .addScaledVector(this.#first, s * Math.cos(this.azimuth))
      .addScaledVector(this.#second, s * Math.sin(this.azimuth))
      .addScaledVector(this.#up, c);
  }

  /** What keys and buttons do: `zoom-in`, `zoom-out`, and `orbit-` or `pan-` with a direction. In the plane there is nothing to orbit about. */
  press(name: string): void {
    const [what, way = ""] = name.split("-", 2);
    const [dx, dy] = WAYS[way] ?? [0, 0];
    if (what === "zoom") this.zoom(way === "in" ? ZOOM_STEP : 1 / ZOOM_STEP, this.#width / 2, this.#height / 2);
    else if (what === "orbit" && !this.isPlane) this.orbit(-KEY_STEP * dx, -KEY_STEP * dy);
    else if (what === "orbit" || what === "pan") this.pan(-KEY_STEP * dx, -KEY_STEP * dy);
  }

  orbit(dx: number, dy: number): void {
    const rate = (1.6 * Math.PI) / Math.max(320, Math.min(this.#width, this.#height));
    this.azimuth -= dx * rate;
    this.polar = Math.min(Math.max(this.polar - dy * rate, POLE), Math.PI - POLE);
  }

  pan(dx: number, dy: number): void {
    const camera = this.camera;
    const e = camera.matrixWorld.elements;
    const pixel = this.pixel;
    this.target.x += pixel * ((e[0] as number) * -dx + (e[4] as number) * dy);
    this.target.y += pixel * ((e[1] as number) * -dx + (e[5] as number) * dy);
    this.target.z += pixel * ((e[2] as number) * -dx + (e[6] as number) * dy);
  }

  /** Nearer (below 1) or farther, keeping what lies at a place of the screen [CSS px] where it is. */
  zoom(factor: number, x: number, y: number): void {
    const next = Math.min(Math.max(this.distance * factor, 0.02 * this.#size), 40 * this.#size);
    const share = 1 - next / this.distance;
    this.pan(-(x - this.#width / 2) * share, -(y - this.#height / 2) * share);
    this.distance = next;
  }

  /**
   * All these points in sight, from the side on which the camera is.
   *
   * - `points`: 3 numbers each
   * - `margin`: 1 brings the outermost to the edge
   */
  frame(points: ArrayLike<number>, margin = 1.3): void {
    this.apply();
    const e = this.camera.matrixWorld.elements;
    const axis = (i: number) => [e[4 * i] as number, e[4 * i + 1] as number, e[4 * i + 2] as number] as const;
    const axes = [axis(0), axis(1), axis(2)] as const;
    const low = [Infinity, Infinity, Infinity];
    const high = [-Infinity, -Infinity, -Infinity];
    for (let i = 0; i + 2 < points.length; i += 3) {
      axes.forEach((a, k) => {
        const value = a[0] * (points[i] as number) + a[1] * (points[i + 1] as number) + a[2] * (points[i + 2] as number);
        low[k] = Math.min(low[k] as number, value);
        high[k] = Math.max(high[k] as number, value);
      });
    }
    if (!low.every(Number.isFinite) || !high.every(Number.isFinite)) return;
    const middle = low.map((value, k) => (value + (high[k] as number)) / 2);
    this.target.set(0, 0, 0);
    axes.forEach((a, k) => { this.target.add(new THREE.Vector3(...a).multiplyScalar(middle[k] as number)); });
    const tan = Math.tan((VIEW_DEG * Math.PI) / 360);
    const aspect = this.#width / this.#height;
    const least = 0.04 * this.#size;
    let need = 0;
    for (let i = 0; i + 2 < points.length; i += 3) {
      const [x = 0, y = 0, z = 0] = axes.map((a, k) =>
        a[0] * (points[i] as number) + a[1] * (points[i + 1] as number) + a[2] * (points[i + 2] as number) - (middle[k] as number));
      const half = Math.max(Math.abs(y), Math.abs(x) / aspect, least) * margin;
      // In perspective what is nearer must be farther from the edge.
      need = Math.max(need, this.isPlane ? half : half / tan + z);
    }
    this.distance = need;
  }

  get state(): CameraState {
    const eye = this.isPlane
      ? new THREE.Vector3(this.target.x, this.target.y, this.target.z + this.#size)
      : this.eye(new THREE.Vector3());
    return {
      position: [eye.x, eye.y, eye.z],
      target: [this.target.x, this.target.y, this.target.z],
      zoom: this.isPlane ? this.#size / this.distance : 1,
    };
  }

  set state(state: CameraState) {
    this.target.set(...state.target);
    if (this.isPlane) {
      this.distance = this.#size / Math.max(state.zoom, 1e-6);
      return;
    }
    const way = new THREE.Vector3(...state.position).sub(this.target);
    const distance = way.length();
    if (!(distance > 0)) return;
    this.distance = distance;
    this.polar = Math.min(Math.max(Math.acos(way.dot(this.#up) / distance), POLE), Math.PI - POLE);
    this.azimuth = Math.atan2(way.dot(this.#second), way.dot(this.#first));
  }

  /** Turns to the side that spreads these points most over the picture; the usual side unless another is clearly better. */
  choose(points: ArrayLike<number>): void {
    if (this.isPlane) return;
    let best = FIRST_AZIMUTH;
    let most = USUAL_BONUS * this.#spread(points, FIRST_AZIMUTH);
    for (let i = 1; i < AZIMUTHS; i++) {
      // A figure is spread as much from behind as from the front, which is +x: only sides in front are tried.
      const turned = FIRST_AZIMUTH + (Math.PI * i) / AZIMUTHS;
      const azimuth = Math.cos(turned) > 0 ? turned : turned - Math.PI;
      const found = this.#spread(points, azimuth);
      if (found > most) {
        most = found;
        best = azimuth;
      }
    }
    this.azimuth = best > Math.PI ? best - 2 * Math.PI : best;
    this.polar = FIRST_POLAR;
  }

  /** Area over which points are spread as seen from a side: the determinant of their scatter, plus a little of its trace. */
  #spread(points: ArrayLike<number>, azimuth: number): number {
    const side = new THREE.Vector3().addScaledVector(this.#first, -Math.sin(azimuth)).addScaledVector(this.#second, Math.cos(azimuth));
    const n = points.length / 3;
    let [x, y, xx, xy, yy] = [0, 0, 0, 0, 0];
    const point = new THREE.Vector3();
    for (let i = 0; i + 2 < points.length; i += 3) {
      point.set(points[i] as number, points[i + 1] as number, points[i + 2] as number);
      const u = point.dot(side);
      const v = point.dot(this.#up);
      x += u; y += v; xx += u * u; xy += u * v; yy += v * v;
    }
    xx -= (x * x) / n; xy -= (x * y) / n; yy -= (y * y) / n;
    const trace = xx + yy;
    return trace > 0 ? (xx * yy - xy * xy) / trace + 0.15 * trace : 0;
  }

  /** The side from which a figure is first seen. */
  face(): void {
    this.azimuth = FIRST_AZIMUTH;
    this.polar = FIRST_POLAR;
  }
}

const MATRIX = new THREE.Matrix4();
