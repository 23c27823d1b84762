//! When a view draws, and how finely: as soon as it is asked to, with as many pixels as there is time for while something moves, and with all of them at rest.

import * as THREE from "three";
import { MOST_RATIO } from "./canvas.ts";
import { Pace } from "./pace.ts";

export interface FrameHooks {
  /** Whether something moves or may move at any moment: then frames are late, and not missing. */
  isHeld(): boolean;
  /** Before a frame at this time [ms]. */
  advance?(now: number): void;
  draw(): void;
  /** Draws everything afresh: the pixels are others. */
  redraw(): void;
}

export class Frames {
  readonly renderer: THREE.WebGLRenderer;
  /** Drawn by software, four samples for a pixel cost four times as much: smooth edges are left to a picture at rest, which is drawn twice as large. */
  readonly #isSoft = drawsBySoftware();
  readonly #pace = new Pace();
  #request = 0;
  #restTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(canvas: HTMLCanvasElement, readonly hooks: FrameHooks) {
    const attributes: WebGLContextAttributes = { alpha: false, antialias: !this.#isSoft, depth: true, powerPreference: "high-performance", stencil: false };
    // three itself asks for a picture that can be seen through, which the browser then has to lay over the page at a price.
    const context = canvas.getContext("webgl2", attributes);
    this.renderer = new THREE.WebGLRenderer(context === null ? { canvas } : { canvas, context });
  }

  /** Whether fewer pixels are drawn than at rest. */
  get isCoarse(): boolean {
    return this.#pace.share < 1;
  }

  /** Asks for a frame. */
  ask(): void {
    if (this.#request !== 0) return;
    this.#request = requestAnimationFrame((now) => {
      this.#request = 0;
      this.hooks.advance?.(now);
      this.#pace.hold(this.hooks.isHeld());
      this.#pace.tick(now);
      this.resolve();
      this.hooks.draw();
      this.#restLater();
    });
  }

  #restLater(): void {
    clearTimeout(this.#restTimer);
    this.#restTimer = setTimeout(() => { this.#rest(); }, this.#pace.rest);
  }

  /** Nothing moves any more: the picture in full. */
  #rest(): void {
    const isHeld = this.hooks.isHeld();
    this.#pace.hold(isHeld);
    if (isHeld) {
      this.#restLater();
      return;
    }
    this.#pace.settle();
    if (this.resolve()) this.hooks.redraw();
  }

  /** Pixels as fine as there is time for; true when that has changed. */
  resolve(): boolean {
    const usual = Math.min(devicePixelRatio, MOST_RATIO);
    const ratio = this.#pace.isMoving ? usual * this.#pace.share : this.#isSoft ? MOST_RATIO : usual;
    if (this.renderer.getPixelRatio() === ratio) return false;
    this.renderer.setPixelRatio(ratio);
    return true;
  }

  /** Draws everything in full now, for a picture that is kept. */
  drawInFull(): void {
    this.#pace.hold(false);
    this.#pace.settle();
    this.resolve();
    this.hooks.redraw();
  }

  dispose(): void {
    cancelAnimationFrame(this.#request);
    clearTimeout(this.#restTimer);
    this.renderer.dispose();
  }
}

/** Whether the browser draws without a graphics card. */
function drawsBySoftware(): boolean {
  const gl = document.createElement("canvas").getContext("webgl2");
  if (gl === null) return false;
  const names = gl.getExtension("WEBGL_debug_renderer_info");
  const name = String(gl.getParameter(names?.UNMASKED_RENDERER_WEBGL ?? gl.RENDERER));
  gl.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
}
