//! The library with robots: a module of its own, fetched when a problem needs it.

import type * as Robots from "posekit/robots";

export type { Robots };

let fetched: Promise<typeof Robots> | null = null;

export function robots(): Promise<typeof Robots> {
  fetched ??= fetchRobots().catch((error: unknown) => {
    // The next problem tries again.
    fetched = null;
    throw error;
  });
  return fetched;
}

async function fetchRobots(): Promise<typeof Robots> {
  const [library, { default: address }] = await Promise.all([import("posekit/robots"), import("posekit/posekit_robots_bg.wasm?url")]);
  await library.default({ module_or_path: address });
  return library;
}
