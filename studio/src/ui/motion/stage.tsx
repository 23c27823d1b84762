//! The place where the figure moves: the canvas, and its handles as buttons for keyboard and screen reader.

import { FolderOpen, Footprints } from "lucide-preact";
import { useEffect, useRef } from "preact/hooks";
import { signal } from "@preact/signals";
import type { Vec3 } from "../../core/files.ts";
import { add } from "../../core/math.ts";
import { placeOf, timeOf, withPlace } from "../../core/motion/contacts.ts";
import { sizeWords } from "../../core/motion/link.ts";
import type { MotionHandle, MotionInfo, MotionSession } from "../../core/motion/types.ts";
import { setCamera } from "../camera.ts";
import { useSession } from "../context.ts";
import { paintThumbnailsAside } from "../thumbnails.ts";
import { ALONG, CameraButtons, focusCanvas, onCanvasKey } from "../canvas.tsx";
import type { MotionView } from "../../three/motion/view.ts";

const state = signal<"loading" | "ready" | "failed">("loading");

export function MotionStage({ session }: { session: MotionSession }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const solver = useSession();
  useEffect(() => (canvas.current ? startView(canvas.current, session) : undefined), [session]);
  useEffect(() => paintThumbnailsAside(solver, () => session.pulled.peek() !== null), [solver, session]);
  return (
    <>
      <canvas
        class="view-canvas"
        ref={canvas}
        tabIndex={0}
        role="application"
        aria-label="The figure. Arrow keys move the camera; press G for the handles."
        onKeyDown={onCanvasKey}
      />
      {state.value === "failed" && (
        <div class="no-view" role="alert">
          <p>This browser does not draw in three dimensions here (WebGL2 is missing).</p>
          <p>Cleaning, the timeline and files work all the same.</p>
        </div>
      )}
      <CameraButtons frames="Frame the figure" />
      <Handles session={session} />
      <Legend session={session} />
      <Awaited session={session} />
    </>
  );
}

/** A link to a file of somebody's own has been opened, and nothing can be shown before the file is here. */
function Awaited({ session }: { session: MotionSession }) {
  const file = session.awaited.value?.file;
  if (!file || session.shown.value) return null;
  return (
    <section class="awaited" aria-labelledby="awaited-title">
      <h2 id="awaited-title">This link needs {file.name}</h2>
      <p>It holds what was set on the motion, not the motion itself. Drop the file here ({sizeWords(file.size)}), or choose it.</p>
      <div class="export-row">
        <button type="button" class="button" onClick={() => { document.getElementById("open-file")?.click(); }}><FolderOpen size={16} aria-hidden />Choose the file</button>
        <button type="button" class="button" onClick={() => { session.openWalk(); }}><Footprints size={16} aria-hidden />Open the built-in walk</button>
      </div>
    </section>
  );
}

function startView(canvas: HTMLCanvasElement, session: MotionSession): () => void {
  let made: MotionView | null = null;
  let gone = false;
  void import("../../three/motion/view.ts").then(({ MotionView: View }) => {
    if (gone) return;
    made = new View(canvas, session);
    state.value = "ready";
    setCamera((name) => { made?.cameraAction(name); });
    // For the tests, which ask where on the screen a joint is.
    Object.assign(globalThis, { posekitMotionView: made });
  }).catch(() => { state.value = "failed"; });
  return () => {
    gone = true;
    made?.dispose();
    state.value = "loading";
  };
}

const ROLES: Record<MotionHandle["role"], string> = { hips: "Hips", foot: "Foot", hand: "Hand", head: "Head", end: "End" };

export function handleName(handle: MotionHandle, info: MotionInfo): string {
  const name = info.joints[handle.joint]?.name ?? "";
  return handle.role === "end" ? name : `${ROLES[handle.role]} ${name}`;
}

/** A step of a hundredth of a leg or so, whatever the unit [the clip's unit]. */
const STEP_MM = 20;

/** One button per handle, seen only while one has the focus. */
function Handles({ session }: { session: MotionSession }) {
  const info = session.shown.value?.info;
  const picked = session.picked.value;
  if (!info) return null;
  const selected = info.handles.find(({ joint }) => joint === session.selection.value);
  return (
    <>
      <div class="handles" role="group" aria-label="Handles: arrows pull the one that has the focus">
        {info.handles.map((handle) => (
          <button
            key={handle.joint} type="button" class="handle" data-joint={handle.joint}
            aria-pressed={session.selection.value === handle.joint}
            onFocus={() => { session.selection.value = handle.joint; }}
            onClick={() => { session.selection.value = handle.joint; }}
            onKeyDown={(event) => { onHandleKey(event, handle, info, session); }}
            onKeyUp={(event) => { if (held.delete(event.key) && held.size === 0) session.endPull(); }}
            onBlur={() => { letGoOfKeys(session); }}
          >
            {handleName(handle, info)}
          </button>
        ))}
        {picked?.kind === "contact" && (
          <button
            type="button" class="handle" data-anchor
            onKeyDown={(event) => { onAnchorKey(event, picked.index, info, session); }}
            onKeyUp={(event) => { if (held.delete(event.key) && held.size === 0) session.endDrag(); }}
          >
            Place of the selected contact
          </button>
        )}
      </div>
      <p class="handle-caption" aria-hidden="true">
        {selected && <><strong>{handleName(selected, info)}</strong><span>arrows pull it and set a key, Shift finely</span></>}
      </p>
    </>
  );
}

/** Keys that are held down and pull the handle: until none is left it is one pull, and one step of undo. */
const held = new Set<string>();

function letGoOfKeys(session: MotionSession): void {
  if (held.size === 0) return;
  held.clear();
  session.endPull();
}

function onHandleKey(event: KeyboardEvent, handle: MotionHandle, info: MotionInfo, session: MotionSession): void {
  const step = stepOf(event, info);
  if (!step) return;
  held.add(event.key);
  session.nudge(handle.joint, step);
}

function onAnchorKey(event: KeyboardEvent, index: number, info: MotionInfo, session: MotionSession): void {
  const step = stepOf(event, info);
  if (!step) return;
  held.add(event.key);
  const time = timeOf(info, session.frame.peek());
  session.changeContact(index, (contact, shown) => withPlace(contact, add(placeOf(contact, shown, time), step), shown, time), "Move a contact", "place:keys");
}

/** What an arrow key moves by; Escape leaves the handle. */
function stepOf(event: KeyboardEvent, info: MotionInfo): Vec3 | null {
  if (event.key === "Escape") {
    focusCanvas();
    return null;
  }
  const along = ALONG[event.key];
  if (!along || event.ctrlKey || event.metaKey) return null;
  event.preventDefault();
  const step = (along[1] * (event.shiftKey ? 0.2 : 1) * STEP_MM) / info.millimetresPerUnit;
  const isZUp = Math.abs(info.up[2]) > 0.5;
  const axis = { across: 0, up: isZUp ? 2 : 1, deep: isZUp ? 1 : 2 }[along[0]];
  return [0, 1, 2].map((k) => (k === axis ? step : 0)) as Vec3;
}

/** What the colours mean, while both motions are on show. */
function Legend({ session }: { session: MotionSession }) {
  const { compare } = session.document.value.view;
  if (!session.shown.value || compare === "source") return null;
  return (
    <ul class="motion-legend" aria-label="Colours">
      <li><span class="legend-mark" data-which="result" />result</li>
      {compare !== "result" && <li><span class="legend-mark" data-which="source" data-dashed={compare === "ghost"} />original</li>}
    </ul>
  );
}
