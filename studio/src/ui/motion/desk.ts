//! Whether the motion scene is open, and its session, which is made when it is first asked for.

import { signal } from "@preact/signals";
import walk from "../../../../testdata/clips/walk.bvh?url";
import { createMotion } from "../../core/motion/session.ts";
import type { MotionSession } from "../../core/motion/types.ts";
import { browser } from "../../core/surroundings.ts";
import type { WorkerLike } from "../../worker/client.ts";

export const isMotion = signal(false);

let made: MotionSession | null = null;

/** The scene's session; it has a worker of its own, which starts with it. */
export function motion(): MotionSession {
  made ??= createMotion({
    startWorker: () => new Worker(new URL("../../worker/worker.ts", import.meta.url), { type: "module", name: "motion" }) as unknown as WorkerLike,
    nextFrame: (then) => { requestAnimationFrame(then); },
    now: () => performance.now(),
    fetchWalk: async () => {
      const answer = await fetch(walk);
      if (!answer.ok) throw new Error(`status ${answer.status}`);
      return new Uint8Array(await answer.arrayBuffer());
    },
    isStill: browser().isStill,
  });
  // For tests and for people with a console; nothing on the page reads it.
  Object.assign(globalThis, { posekitMotion: made });
  return made;
}

/** Opens the scene; with the built-in walk, unless a file is open or about to be. */
export function openMotion(withWalk = true): MotionSession {
  const session = motion();
  isMotion.value = true;
  if (withWalk) session.begin();
  return session;
}

export function leaveMotion(): void {
  made?.pause();
  isMotion.value = false;
}
