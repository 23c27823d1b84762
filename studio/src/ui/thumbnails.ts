//! Small pictures of the scenes, drawn one at a time while nothing else is going on.

import { effect, signal } from "@preact/signals";
import type { SceneId, Session } from "../core/types.ts";
import { SCENES } from "../core/scenes/index.ts";
import { theme } from "./theme.ts";

/** Addresses of pictures by scene, in the theme that is on show. */
export const thumbnails = signal<Partial<Record<SceneId, string>>>({});

/** Robots come last: the library with them may have to be fetched first. */
const IN_ORDER = [...SCENES].sort((a, b) => Number(a.group === "robots") - Number(b.group === "robots"));

/** Who can draw a scene. */
export interface Painter {
  thumbnail(scene: SceneId): Promise<string | null>;
}

/** Draws every scene, again when the theme changes, and none while somebody is busy; returns what stops it. */
export function paintThumbnails(painter: Painter, isBusy: () => boolean): () => void {
  let round = 0;
  const stopWatching = effect(() => {
    void theme.value;
    round += 1;
    void paintAll(painter, isBusy, () => round, round);
  });
  return () => {
    round += 1;
    stopWatching();
  };
}

/** The same while the motion scene is on show, for those who came by a link to it: by a view that nobody sees, where pictures are missing. */
export function paintThumbnailsAside(session: Session, isBusy: () => boolean): () => void {
  let isOver = false;
  let stop = () => { /* nothing is painted yet */ };
  void quietMoment(isBusy).then(async () => {
    if (isOver || SCENES.every(({ id }) => id in thumbnails.peek())) return;
    const { View } = await import("../three/view.ts");
    if (isOver) return;
    const view = new View(document.createElement("canvas"), session);
    const stopPainting = paintThumbnails(view, isBusy);
    stop = () => { stopPainting(); view.dispose(); };
  }).catch(() => { /* Without WebGL there are no pictures, and the stage says so. */ });
  return () => {
    isOver = true;
    stop();
  };
}

async function paintAll(painter: Painter, isBusy: () => boolean, current: () => number, mine: number): Promise<void> {
  for (const scene of IN_ORDER) {
    await quietMoment(isBusy);
    if (current() !== mine) return;
    const picture = await painter.thumbnail(scene.id).catch(() => null);
    if (current() !== mine) return;
    if (picture) thumbnails.value = { ...thumbnails.peek(), [scene.id]: picture };
  }
}

/** Waits until the browser is idle and nobody drags. */
function quietMoment(isBusy: () => boolean): Promise<void> {
  const idle = "requestIdleCallback" in window
    ? (then: () => void) => { requestIdleCallback(then, { timeout: 2000 }); }
    : (then: () => void) => { setTimeout(then, 60); };
  return new Promise((resolve) => {
    const wait = () => { idle(() => { if (isBusy()) wait(); else resolve(); }); };
    wait();
  });
}
