//! The place where the figure is: the canvas, and the handles as buttons for keyboard and screen reader.

import { useEffect, useRef } from "preact/hooks";
import { signal } from "@preact/signals";
import type { Vec3 } from "../core/files.ts";
import type { Handle, HandleMove, Session } from "../core/types.ts";
import { setCamera } from "./camera.ts";
import { ALONG, CameraButtons, focusCanvas, onCanvasKey } from "./canvas.tsx";
import { useSession } from "./context.ts";
import { RunTags } from "./run-tags.tsx";
import { paintThumbnails } from "./thumbnails.ts";
import { eulerFromQuat, quatFromEuler } from "./turns.ts";
import { angle, length } from "./words.ts";
import type { View } from "../three/view.ts";

/** The view, once three.js has been loaded; `failed` where the browser has no WebGL. */
const view = signal<View | "loading" | "failed">("loading");

export function Viewport() {
  const session = useSession();
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => (canvas.current ? startView(canvas.current, session) : undefined), [session]);
  const state = view.value;
  return (
    <>
      <canvas
        class="view-canvas"
        ref={canvas}
        tabIndex={0}
        role="application"
        aria-label="The figure. Arrow keys move the camera; press G for the handles."
        data-dimension={session.info.value?.dimension}
        onKeyDown={onCanvasKey}
      />
      {state === "failed" && (
        <div class="no-view" role="alert">
          <p>This browser does not draw in three dimensions here (WebGL2 is missing).</p>
          <p>Turn on hardware acceleration, or use another browser. Solving, plots and files work all the same.</p>
        </div>
      )}
      {typeof state === "object" && <RunTags view={state} />}
      <CameraButtons frames="Frame what is selected, or everything" />
      <Handles />
      <HandleCaption />
    </>
  );
}

/** Loads the view after the page is there: three.js is most of the weight. */
function startView(canvas: HTMLCanvasElement, session: Session): () => void {
  let stop = () => { /* nothing runs yet */ };
  let gone = false;
  void import("../three/view.ts").then(({ View }) => {
    if (gone) return;
    const made = new View(canvas, session);
    const stopPainting = paintThumbnails(made, () => session.dragging.peek());
    view.value = made;
    setCamera((name) => { made.cameraAction(name); });
    // For the tests, which ask where on the screen a handle is.
    Object.assign(globalThis, { posekitView: made });
    stop = () => { stopPainting(); made.dispose(); };
  }).catch(() => { view.value = "failed"; });
  return () => {
    gone = true;
    stop();
    view.value = "loading";
  };
}

/** One button per handle; seen only by who needs them, and by everybody while one has the focus. */
function Handles() {
  const session = useSession();
  const handles = session.handles.value;
  const reach = session.info.value?.reach ?? 1;
  return (
    <div class="handles" role="group" aria-label="Handles: arrows move the one that has the focus">
      {handles.map((handle) => (
        <button
          key={handle.id}
          type="button"
          class="handle"
          data-handle={handle.id}
          aria-pressed={session.selection.value === handle.id}
          aria-roledescription="handle"
          onFocus={() => { session.selection.value = handle.id; }}
          onClick={() => { session.selection.value = handle.id; }}
          onKeyDown={(event) => { onHandleKey(event, handle.id, reach, session); }}
          onKeyUp={(event) => { letGoOfKey(event, session); }}
          onBlur={() => { letGoOfKeys(session); }}
        >
          {handle.label}, {placeOf(handle)}
        </button>
      ))}
    </div>
  );
}

/** Keys that are held down and move the handle: from the first until none is left it is one drag, and one step of undo. */
const held = new Set<string>();

function onHandleKey(event: KeyboardEvent, id: string, reach: number, session: Session): void {
  if (event.key === "Escape") {
    focusCanvas();
    return;
  }
  if (event.ctrlKey || event.metaKey) return;
  // Where it is now: a key that is held repeats faster than the page is written anew.
  const handle = session.handles.peek().find((one) => one.id === id);
  const move = handle && moveOf(event, handle, reach);
  if (!move) return;
  event.preventDefault();
  if (held.size === 0) session.beginDrag(id);
  held.add(event.key);
  session.drag(id, move);
}

function letGoOfKey(event: KeyboardEvent, session: Session): void {
  if (held.delete(event.key) && held.size === 0) session.endDrag();
}

function letGoOfKeys(session: Session): void {
  if (held.size === 0) return;
  held.clear();
  session.endDrag();
}

const DEGREE = Math.PI / 180;

/** What an arrow key does to a handle: steps of the grid, a tenth of it with Shift, turns with Alt. */
function moveOf(event: KeyboardEvent, handle: Handle, reach: number): HandleMove | null {
  const along = ALONG[event.key];
  if (!along) return null;
  const [axis, sign] = along;
  const share = event.shiftKey ? 0.1 : 1;
  if (handle.limit) return { value: handle.limit.value + sign * share * 5 * DEGREE };
  if (event.altKey) {
    if (!handle.rotation) return null;
    const about = { across: 2, up: 1, deep: 0 }[axis];
    return { rotation: quatFromEuler(added(eulerFromQuat(handle.rotation), about, sign * share * 5 * DEGREE)) };
  }
  const flat = handle.moves === "plane";
  if (flat && axis === "deep") return null;
  const direction = flat ? { across: 0, up: 1, deep: 2 }[axis] : { across: 0, up: 2, deep: 1 }[axis];
  return { position: added(handle.position, direction, sign * share * gridStep(reach)) };
}

function added(to: Vec3, axis: number, value: number): Vec3 {
  return to.map((old, index) => (index === axis ? old + value : old)) as Vec3;
}

/** A step that is a round number, near a fiftieth of the reach. */
export function gridStep(reach: number): number {
  const wanted = Math.max(reach, 1e-9) / 50;
  const decade = 10 ** Math.floor(Math.log10(wanted));
  const lead = wanted / decade;
  return decade * (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10);
}

function placeOf(handle: Handle): string {
  if (handle.limit) return angle(handle.limit.value);
  const axes = handle.moves === "plane" ? handle.position.slice(0, 2) : handle.position;
  return axes.map(length).join(", ");
}

/** While a handle button has the focus: which one it is and what the keys do. */
function HandleCaption() {
  const session = useSession();
  const handle = session.handles.value.find(({ id }) => id === session.selection.value);
  return (
    <p class="handle-caption" aria-hidden="true">
      {handle && <><strong>{handle.label}</strong><span class="numbers-text">{placeOf(handle)}</span><span>arrows move it, Shift finely{handle.rotation ? ", Alt turns" : ""}</span></>}
    </p>
  );
}
