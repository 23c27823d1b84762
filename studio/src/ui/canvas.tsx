//! What every canvas with a figure has around it: the keys and buttons of its camera, and the keys of its handles.

import { Minus, Plus, Scan } from "lucide-preact";
import { cameraAction } from "./camera.ts";
import { IconButton } from "./controls.tsx";
import { keysOf } from "./keyboard.ts";

const CAMERA_KEYS: Record<string, string> = { ArrowLeft: "left", ArrowRight: "right", ArrowUp: "up", ArrowDown: "down" };

/** Arrow keys on a canvas move its camera; in the plane there is nothing to orbit about. */
export function onCanvasKey(event: KeyboardEvent): void {
  const way = CAMERA_KEYS[event.key];
  if (!way || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  const flat = (event.currentTarget as HTMLElement).dataset["dimension"] === "2";
  cameraAction(`${event.shiftKey || flat ? "pan" : "orbit"}-${way}`);
}

/** The ways in which keys move a handle. */
export const ALONG: Record<string, readonly [axis: "across" | "up" | "deep", sign: number]> = {
  ArrowLeft: ["across", -1], ArrowRight: ["across", 1], ArrowDown: ["up", -1], ArrowUp: ["up", 1], PageDown: ["deep", -1], PageUp: ["deep", 1],
};

/** From a handle back to the view. */
export function focusCanvas(): void {
  document.querySelector<HTMLElement>(".view-canvas")?.focus();
}

/** For those without a wheel and without keys. */
export function CameraButtons({ frames }: { frames: string }) {
  return (
    <div class="camera" role="group" aria-label="Camera">
      <IconButton icon={Scan} tip="left" label={frames} keys={keysOf("frame")} onClick={() => { cameraAction("frame"); }} />
      <IconButton icon={Plus} tip="left" label="Zoom in" keys={keysOf("zoom-in")} onClick={() => { cameraAction("zoom-in"); }} />
      <IconButton icon={Minus} tip="left" label="Zoom out" keys={keysOf("zoom-out")} onClick={() => { cameraAction("zoom-out"); }} />
    </div>
  );
}
