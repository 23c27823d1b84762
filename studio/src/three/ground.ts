//! The ground: a quiet grid, and in space the figure's contact shadow on it.

import * as THREE from "three";
import { Pen, Rows, STROKE } from "../core/pictures/drawing.ts";
import { Ink } from "../core/pictures/look.ts";
import { mergedStrokes } from "./batches.ts";
import type { Rig } from "./camera.ts";
import type { Programs, Shared } from "./programs.ts";
import { meshesOf } from "./skinned.ts";

/** Side of the shadow's image [px]: soft shadows need no more. */
const SHADOW_PIXELS = 160;
/** Widths of the passes that soften it [px]. */
const BLUR = [0.7, 1.25] as const;
/** About this many cells of the grid across the height that is seen. */
const CELLS = 9;

/** The largest of 1, 2 and 5 times a power of ten that leaves about {@link CELLS} cells across `size`. */
export function gridStep(size: number): number {
  const wanted = size / CELLS;
  if (!(wanted > 0) || !Number.isFinite(wanted)) return 1;
  const decade = 10 ** Math.floor(Math.log10(wanted));
  const found = [5, 2].find((m) => m * decade <= wanted * 1.000001);
  return (found ?? 1) * decade;
}

export class Ground {
  readonly group = new THREE.Group();
  /** Distance of the grid's lines [m]. */
  step = 1;
  /** Height of the floor along its normal [m]. */
  level = 0;
  /** Out of the floor, of unit length: up, unless the floor is tilted. */
  readonly normal = new THREE.Vector3(0, 0, 1);
  /** Along the floor's lines, of unit length. */
  readonly first = new THREE.Vector3(1, 0, 0);
  readonly second = new THREE.Vector3(0, 1, 0);
  readonly #grid: THREE.Mesh;
  readonly #lines = new Rows(STROKE, 128);
  readonly #pen = new Pen();
  /** What the lines were last ruled for. */
  #ruled = "";
  readonly #floor: THREE.Mesh;
  readonly #programs: Programs;
  readonly #targets: [THREE.WebGLRenderTarget, THREE.WebGLRenderTarget];
  readonly #camera = new THREE.OrthographicCamera(-1, 1, 1, -1, 0, 1);
  readonly #stage = new THREE.Scene();
  readonly #screen = new THREE.Scene();
  readonly #screenCamera = new THREE.Camera();
  readonly #center = new THREE.Vector3();
  #reach = 1;

  constructor(programs: Programs, casters: THREE.Object3D) {
    this.#programs = programs;
    const plane = new THREE.PlaneGeometry(2, 2);
    this.#grid = new THREE.Mesh(new THREE.BufferGeometry(), programs.grid);
    this.#grid.renderOrder = -2;
    this.#grid.frustumCulled = false;
    this.#floor = new THREE.Mesh(plane, programs.ground);
    this.#floor.renderOrder = -1;
    this.#floor.frustumCulled = false;
    this.group.add(this.#grid, this.#floor);
    const image = () => new THREE.WebGLRenderTarget(SHADOW_PIXELS, SHADOW_PIXELS, {
      depthBuffer: false, format: THREE.RedFormat, type: THREE.UnsignedByteType,
    });
    this.#targets = [image(), image()];
    this.#stage.add(casters);
    const screen = new THREE.Mesh(new THREE.PlaneGeometry(2, 2), programs.blur);
    screen.frustumCulled = false;
    this.#screen.add(screen);
  }

  /**
   * Lays the ground under a figure of this size about this point; at `height` above it a body's shadow has mostly faded.
   *
   * - `level`: how high the floor is along `normal`
   * - `normal`: of unit length
   */
  place(rig: Rig, center: THREE.Vector3, size: number, level: number, height: number, normal: THREE.Vector3 = rig.up): void {
    this.level = level;
    this.normal.copy(normal);
    this.first.copy(rig.first).addScaledVector(normal, -normal.dot(rig.first)).normalize();
    this.second.crossVectors(normal, this.first);
    this.#reach = 1.15 * size;
    this.#center.copy(center).addScaledVector(normal, level - center.dot(normal));
    this.#floor.visible = !rig.isPlane;
    const cast = this.#programs.cast.uniforms;
    (cast["uUp"] as THREE.IUniform<THREE.Vector3>).value.copy(normal);
    (cast["uLevel"] as THREE.IUniform<number>).value = level;
    (cast["uHeight"] as THREE.IUniform<number>).value = height;
    // Seen from below with y along the second floor axis, so that the image lies on the floor unmirrored.
    const basis = new THREE.Matrix4().makeBasis(this.first, this.second, normal);
    this.#floor.quaternion.setFromRotationMatrix(basis);
    this.#floor.position.copy(this.#center);
    this.#floor.scale.setScalar(this.#reach);
    this.#camera.left = this.#camera.bottom = -this.#reach;
    this.#camera.right = this.#camera.top = this.#reach;
    this.#camera.near = -20 * size;
    this.#camera.far = 20 * size;
    this.#camera.position.copy(this.#center);
    this.#camera.quaternion.copy(this.#floor.quaternion);
    this.#camera.updateProjectionMatrix();
    this.#camera.updateMatrixWorld();
  }

  /** Grid lines for where the camera is now; ruled anew only when others come into sight. */
  look(rig: Rig): void {
    const seen = rig.pixel * rig.height;
    this.step = gridStep(rig.isPlane ? seen : Math.max(seen, this.#reach));
    const middle = rig.isPlane ? rig.target : this.#center;
    const half = rig.isPlane ? 0.5 * rig.pixel * Math.max(rig.width, rig.height) : 1.5 * this.#reach;
    const count = Math.min(Math.ceil(half / this.step) + 2, 64);
    const axes = rig.isPlane ? [X, Y] as const : [this.first, this.second] as const;
    const at = axes.map((axis) => Math.round(middle.dot(axis) / this.step));
    const key = `${String(rig.isPlane)} ${String(this.step)} ${String(count)} ${at.join(" ")} ${String(this.level)} ${this.normal.toArray().join(" ")}`;
    const uniforms = this.#programs.grid.uniforms as Record<string, THREE.IUniform>;
    (uniforms["uFade"] as THREE.IUniform<number>).value = rig.isPlane ? 0 : 1.5 * this.#reach;
    (uniforms["uCenter"] as THREE.IUniform<THREE.Vector3>).value.copy(this.#center);
    if (key === this.#ruled) return;
    this.#ruled = key;
    this.#rule(rig, axes, at as [number, number], count);
    this.#grid.geometry.dispose();
    this.#grid.geometry = mergedStrokes(this.#lines);
  }

  #rule(rig: Rig, [first, second]: readonly [THREE.Vector3, THREE.Vector3], [a, b]: [number, number], count: number): void {
    this.#lines.clear();
    const pen = this.#pen.begin(this.#lines, Ink.grid, 1);
    const from = new THREE.Vector3();
    const to = new THREE.Vector3();
    // In the plane the grid lies behind everything, which is opaque.
    const lift = new THREE.Vector3(0, 0, -8 * this.#reach);
    if (!rig.isPlane) lift.copy(this.normal).multiplyScalar(this.level);
    const place = (out: THREE.Vector3, u: number, v: number) =>
      out.copy(lift).addScaledVector(first, u * this.step).addScaledVector(second, v * this.step);
    for (let i = -count; i <= count; i++) {
      place(from, a + i, b - count);
      place(to, a + i, b + count);
      pen.line(from.x, from.y, from.z, to.x, to.y, to.z);
      place(from, a - count, b + i);
      place(to, a + count, b + i);
      pen.line(from.x, from.y, from.z, to.x, to.y, to.z);
    }
  }

  /** Draws the shadow's image anew, with those of meshes besides the bodies; needed only when the figure has moved. */
  cast(renderer: THREE.WebGLRenderer, shared: Shared, meshes: readonly THREE.Object3D[] = []): void {
    const [image, other] = this.#targets;
    const before = renderer.getRenderTarget();
    const clear = renderer.getClearColor(new THREE.Color()).getHex();
    const alpha = renderer.getClearAlpha();
    const perspective = shared.uIsPerspective.value;
    shared.uIsPerspective.value = 0;
    renderer.setClearColor(0x000000, 0);
    renderer.setRenderTarget(image);
    renderer.clear();
    renderer.render(this.#stage, this.#camera);
    for (const object of meshes) this.#castMesh(renderer, object);
    const blur = this.#programs.blur.uniforms as Record<string, THREE.IUniform>;
    const by = (blur["uBy"] as THREE.IUniform<THREE.Vector2>).value;
    for (const spread of BLUR) {
      (blur["uImage"] as THREE.IUniform).value = image.texture;
      by.set(spread / SHADOW_PIXELS, 0);
      renderer.setRenderTarget(other);
      renderer.render(this.#screen, this.#screenCamera);
      (blur["uImage"] as THREE.IUniform).value = other.texture;
      by.set(0, spread / SHADOW_PIXELS);
      renderer.setRenderTarget(image);
      renderer.render(this.#screen, this.#screenCamera);
    }
    (this.#programs.ground.uniforms["uImage"] as THREE.IUniform).value = image.texture;
    shared.uIsPerspective.value = perspective;
    renderer.setRenderTarget(before);
    renderer.setClearColor(clear, alpha);
  }

  #castMesh(renderer: THREE.WebGLRenderer, object: THREE.Object3D): void {
    const meshes = meshesOf(object);
    const worn = meshes.map(({ material }) => material);
    for (const mesh of meshes) mesh.material = this.#programs.castMesh;
    renderer.autoClear = false;
    renderer.render(object, this.#camera);
    renderer.autoClear = true;
    meshes.forEach((mesh, i) => { mesh.material = worn[i] ?? mesh.material; });
  }

  dispose(): void {
    for (const target of this.#targets) target.dispose();
    this.#grid.geometry.dispose();
    this.#floor.geometry.dispose();
  }
}

const X = new THREE.Vector3(1, 0, 0);
const Y = new THREE.Vector3(0, 1, 0);
