//! Drags on the timeline and on the curves: each is one step of undo.

import { frameAt, timeOf } from "../../core/motion/contacts.ts";
import type { MotionInfo, MotionSession } from "../../core/motion/types.ts";

let drags = 0;

/** What the changes of one drag have in common. */
export function newDrag(): string {
  drags += 1;
  return `drag:${drags}`;
}

/** Keeps a pointer's events while it is down. */
export function hold(event: PointerEvent): void {
  const target = event.currentTarget as Element;
  try {
    target.setPointerCapture(event.pointerId);
  } catch {
    // A pointer that a script made up: moves outside are then not seen.
  }
}

/** Follows the pointer that went down on an element until it is up again. */
export function follow(element: HTMLElement, onMove: (move: PointerEvent) => void, onEnd: () => void): void {
  const ends = ["pointerup", "pointercancel"] as const;
  const onUp = () => {
    element.removeEventListener("pointermove", onMove);
    ends.forEach((end) => { element.removeEventListener(end, onUp); });
    onEnd();
  };
  element.addEventListener("pointermove", onMove);
  ends.forEach((end) => { element.addEventListener(end, onUp); });
}

/** Moves a key from frame to frame; where another one is, it waits. */
export function moving(session: MotionSession, info: MotionInfo, time: number, drag: string): (to: number) => void {
  let now = time;
  return (to) => {
    const wanted = timeOf(info, frameAt(info, to));
    if (session.moveKey(now, wanted, drag)) now = wanted;
  };
}
