//! What of a document is handed to the worker, what moves in it, and the words for that.

import type { RunOrder } from "../worker/protocol.ts";
import { solvedSettings } from "./document.ts";
import type { Vec3 } from "./files.ts";
import type { Handle, RunSpec } from "./types.ts";

/** A drag under way. */
export interface Drag {
  handle: Handle;
  /** Entry of the history that the drag writes. */
  key: string;
  /** Where each run stood when it began. */
  from: ReadonlyMap<string, Float64Array>;
  /** Where a joint or the pole is wanted, until the worker has brought it there. */
  wanted: Vec3 | null;
}

export function orderOf(run: RunSpec, start: ArrayLike<number> | undefined, isFollowing = run.follows): RunOrder {
  const { id, method } = run;
  return { id, method, settings: solvedSettings(run, isFollowing), start: start ? Float64Array.from(start) : "problem" };
}

export function source(text: string, urdf: string | undefined): { kind: "json"; text: string; urdf?: string } {
  return { kind: "json", text, ...(urdf === undefined ? {} : { urdf }) };
}

/** Whether moving it changes the pose from which every solver starts, not what is wanted of them. */
export function isBending({ kind }: Handle): boolean {
  return kind === "joint" || kind === "pole";
}

export function labelOf({ kind }: Handle): string {
  return `Move ${kind === "limit" ? "a limit" : `the ${kind}`}`;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
