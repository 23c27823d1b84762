//! What a session takes from the page that it runs in: a worker, frames, a clock.

import type { WorkerLike } from "../worker/client.ts";
import type { Companion, StudioDocument } from "./types.ts";

/** What a session needs from the page it runs in; a test gives its own. */
export interface Surroundings {
  startWorker(): WorkerLike;
  /** Calls back before the next picture is drawn. */
  nextFrame(then: () => void): void;
  /** Milliseconds from any beginning. */
  now(): number;
  /** The hash of the address that was opened. */
  hash: string;
  /** What the browser has kept of this place, which goes before the hash. */
  restored?: { document: StudioDocument; companion: Companion | null };
  /** True where people have asked for no motion: nothing plays by itself. */
  isStill: boolean;
  /** How long a worker may keep silent [ms]: at work, and before its first answer. */
  patience?: readonly [number, number];
}


/** A browser's. */
export function browser(): Surroundings {
  const hasWindow = typeof window !== "undefined";
  return {
    startWorker: () => new Worker(new URL("../worker/worker.ts", import.meta.url), { type: "module", name: "solver" }) as unknown as WorkerLike,
    nextFrame: hasWindow ? (then) => { requestAnimationFrame(then); } : (then) => { setTimeout(then, 16); },
    now: () => performance.now(),
    hash: hasWindow ? window.location.hash : "",
    isStill: hasWindow && window.matchMedia("(prefers-reduced-motion: reduce)").matches,
  };
}
