//! What somebody meets who comes without an address: the figure sways, solved anew for every picture, and one sentence says what to do.

import { useEffect } from "preact/hooks";
import { signal } from "@preact/signals";
import type { Vec3 } from "../core/files.ts";
import type { Session } from "../core/types.ts";
import { useSession } from "./context.ts";
import { isMotion } from "./motion/desk.ts";
import { reducedMotion } from "./theme.ts";

/** Whether somebody has just come, and touched nothing yet. */
export const greeting = signal(false);

export function Greeting() {
  const session = useSession();
  useEffect(() => (greeting.value ? greet(session) : undefined), [session]);
  return greeting.value ? <p class="greeting">Drag the orange ring at the hips</p> : null;
}

/** Sways the hips until something is touched or another scene is opened; returns what stops it. */
function greet(session: Session): () => void {
  const events = ["pointerdown", "keydown", "wheel"] as const;
  const opened = session.opened.peek();
  let [request, first] = [0, 0];
  let from: { id: string; position: Vec3 } | null = null;
  const leave = () => {
    cancelAnimationFrame(request);
    for (const event of events) removeEventListener(event, leave, true);
    greeting.value = false;
  };
  const next = (now: number) => {
    if (isMotion.peek() || session.opened.peek() !== opened) {
      leave();
      return;
    }
    request = requestAnimationFrame(next);
    const hips = session.info.peek()?.tasks.findIndex(({ name }) => name === "hips");
    const ring = session.handles.peek().find(({ kind, task }) => kind === "target" && task === hips);
    if (!ring || session.results.peek().length === 0) return;
    if (from === null) [from, first] = [{ id: ring.id, position: ring.position }, now];
    session.sway(from.id, { position: swayed(from.position, (now - first) / 1000) });
  };
  for (const event of events) addEventListener(event, leave, { capture: true, passive: true });
  if (!reducedMotion.peek()) request = requestAnimationFrame(next);
  return leave;
}

/** Where the hips are after so many seconds: a slow loop, which begins at rest where they are. */
function swayed([x, y, z]: Vec3, seconds: number): Vec3 {
  const begun = Math.min(1, seconds / 2);
  const share = begun * begun * (3 - 2 * begun);
  return [x + 0.06 * share * Math.sin(0.9 * seconds), y + 0.12 * share * Math.sin(0.6 * seconds), z + 0.08 * share * (1 - Math.cos(1.1 * seconds))];
}
