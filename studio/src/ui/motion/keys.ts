//! What the page's keys do while the motion scene is open.

import type { MotionSession } from "../../core/motion/types.ts";
import { removePicked } from "./timeline.tsx";

const ACTS: Readonly<Record<string, (session: MotionSession) => void>> = {
  play: (session) => { if (session.playing.peek()) session.pause(); else session.play(); },
  "step-on": (session) => { session.step(1); },
  "step-back": (session) => { session.step(-1); },
  "half-on": (session) => { session.step(10); },
  "half-back": (session) => { session.step(-10); },
  keep: (session) => { void session.setKey(); },
  undo: (session) => { session.undo(); },
  redo: (session) => { session.redo(); },
  limits: (session) => { session.setView({ trails: !session.document.peek().view.trails }); },
};

/** Keys that do the same in every scene. */
const SHARED = new Set(["open", "handles", "share", "code", "frame", "zoom-in", "zoom-out", "drawer", "theme", "help", "next-scene", "previous-scene"]);

/** True when the action is the page's own, to be carried out as usual; those of the motion are carried out here. */
export function motionKey(id: string, session: MotionSession): boolean {
  if (SHARED.has(id)) return true;
  ACTS[id]?.(session);
  return false;
}

export { removePicked };
