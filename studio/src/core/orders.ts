//! What of a document is handed to the worker.

import type { RunOrder } from "../worker/protocol.ts";
import { solvedSettings } from "./document.ts";
import type { RunSpec } from "./types.ts";

export function orderOf(run: RunSpec, start: ArrayLike<number> | undefined, isFollowing = run.follows): RunOrder {
  const { id, method } = run;
  return { id, method, settings: solvedSettings(run, isFollowing), start: start ? Float64Array.from(start) : "problem" };
}

export function source(text: string, urdf: string | undefined): { kind: "json"; text: string; urdf?: string } {
  return { kind: "json", text, ...(urdf === undefined ? {} : { urdf }) };
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
