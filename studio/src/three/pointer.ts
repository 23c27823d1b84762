//! Pointers on the canvas, told apart: a handle that is dragged, an orbit, a pan, a pinch, a tap.

/** What gestures mean; places are CSS pixels from the canvas's upper left corner. */
export interface GestureActions {
  /** Takes hold of what is there; false when nothing is. `isFloor`: moves are wanted along the floor. */
  down(x: number, y: number, pointer: "mouse" | "touch", isFloor: boolean): boolean;
  drag(x: number, y: number): void;
  up(): void;
  tap(x: number, y: number, pointer: "mouse" | "touch"): void;
  hover(x: number, y: number): void;
  leave(): void;
  orbit(dx: number, dy: number): void;
  pan(dx: number, dy: number): void;
  zoom(factor: number, x: number, y: number): void;
  double(): void;
  /** True while another tool on the canvas has the pointer. */
  isBusy(): boolean;
}

type Mode = "none" | "handle" | "orbit" | "pan" | "pinch";

/** A pointer that moved less than this between down and up was a tap [CSS px]. */
const TAP = 5;
/** Two taps within this time are a double tap [ms]. */
const DOUBLE = 320;
/** Zoom for one line of a wheel. */
const WHEEL = 0.0016;

export class Gestures {
  readonly #pointers = new Map<number, { x: number; y: number }>();
  readonly #stop = new AbortController();
  #mode: Mode = "none";
  #moved = 0;
  #lastTap = -Infinity;
  #pinch = { x: 0, y: 0, apart: 1 };

  constructor(readonly canvas: HTMLCanvasElement, readonly actions: GestureActions) {
    const options = { signal: this.#stop.signal };
    canvas.addEventListener("pointerdown", (event) => { this.#down(event); }, options);
    canvas.addEventListener("pointermove", (event) => { this.#move(event); }, options);
    canvas.addEventListener("pointerup", (event) => { this.#up(event); }, options);
    canvas.addEventListener("pointercancel", (event) => { this.#up(event); }, options);
    canvas.addEventListener("pointerleave", () => { if (this.#mode === "none") actions.leave(); }, options);
    canvas.addEventListener("contextmenu", (event) => { event.preventDefault(); }, options);
    canvas.addEventListener("wheel", (event) => { this.#wheel(event); }, { passive: false, ...options });
  }

  /** Whether a pointer is down on the canvas. */
  get isDown(): boolean {
    return this.#pointers.size > 0;
  }

  dispose(): void {
    this.#stop.abort();
  }

  #place(event: MouseEvent): { x: number; y: number } {
    const box = this.canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  #down(event: PointerEvent): void {
    if (this.actions.isBusy()) return;
    const at = this.#place(event);
    this.#pointers.set(event.pointerId, at);
    capture(this.canvas, event.pointerId);
    if (this.#pointers.size === 2) {
      if (this.#mode === "handle") this.actions.up();
      this.#mode = "pinch";
      this.#pinch = this.#span();
      return;
    }
    if (this.#pointers.size > 2) return;
    this.#moved = 0;
    const isTouch = event.pointerType !== "mouse";
    const isPan = event.button === 1 || event.button === 2;
    if (isPan) this.#mode = "pan";
    else if (this.actions.down(at.x, at.y, isTouch ? "touch" : "mouse", event.shiftKey)) this.#mode = "handle";
    else this.#mode = event.shiftKey ? "pan" : "orbit";
  }

  #move(event: PointerEvent): void {
    const at = this.#place(event);
    const last = this.#pointers.get(event.pointerId);
    if (last === undefined) {
      if (event.pointerType === "mouse" && event.buttons === 0 && !this.actions.isBusy()) this.actions.hover(at.x, at.y);
      return;
    }
    if (this.actions.isBusy() && this.#mode !== "handle") return;
    const dx = at.x - last.x;
    const dy = at.y - last.y;
    this.#pointers.set(event.pointerId, at);
    this.#moved += Math.hypot(dx, dy);
    if (this.#mode === "pinch") this.#pinched();
    else if (this.#mode === "handle") {
      if (this.#moved > 2) this.actions.drag(at.x, at.y);
    } else if (this.#mode === "orbit") this.actions.orbit(dx, dy);
    else if (this.#mode === "pan") this.actions.pan(dx, dy);
  }

  #up(event: PointerEvent): void {
    if (!this.#pointers.delete(event.pointerId)) return;
    if (this.#pointers.size > 0) {
      // One finger of two is left: it goes on as an orbit, without a jump.
      this.#mode = this.#pointers.size === 1 ? "orbit" : "pinch";
      return;
    }
    const mode = this.#mode;
    this.#mode = "none";
    if (mode === "handle") this.actions.up();
    if (this.#moved > TAP) return;
    const at = this.#place(event);
    if (event.timeStamp - this.#lastTap < DOUBLE) {
      this.#lastTap = -Infinity;
      this.actions.double();
    } else {
      this.#lastTap = event.timeStamp;
      if (mode === "orbit") this.actions.tap(at.x, at.y, event.pointerType === "mouse" ? "mouse" : "touch");
    }
  }

  /** Middle of two fingers and how far they are apart. */
  #span(): { x: number; y: number; apart: number } {
    const [a, b] = [...this.#pointers.values()];
    if (a === undefined || b === undefined) return this.#pinch;
    return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, apart: Math.max(8, Math.hypot(a.x - b.x, a.y - b.y)) };
  }

  #pinched(): void {
    const now = this.#span();
    this.actions.pan(now.x - this.#pinch.x, now.y - this.#pinch.y);
    this.actions.zoom(this.#pinch.apart / now.apart, now.x, now.y);
    this.#pinch = now;
  }

  #wheel(event: WheelEvent): void {
    event.preventDefault();
    const at = this.#place(event);
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 33 : 1;
    const by = Math.min(Math.max(event.deltaY * lines, -240), 240);
    this.actions.zoom(Math.exp(by * WHEEL), at.x, at.y);
  }
}

/** A pointer that a script made up cannot be captured; the gesture works without. */
function capture(canvas: HTMLCanvasElement, id: number): void {
  try {
    canvas.setPointerCapture(id);
  } catch {
    // Nothing to do: moves outside the canvas are then not seen.
  }
}
