//! For tests: the real library under Node. Tests that need it are skipped where it is not built, and fail under CI.

import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { initSync as initSolving } from "posekit";
import { initSync as initMotion } from "posekit/motion";
import { initSync as initRobots } from "posekit/robots";
import type { WorkerLike } from "../worker/client.ts";
import type { Answers, Reply, Request, RequestKind } from "../worker/protocol.ts";

const pkg = new URL("../../../crates/posekit-wasm/pkg/", import.meta.url);
export const WASM = fileURLToPath(new URL("posekit_bg.wasm", pkg));

/** True when `cargo xtask wasm` has built the package. */
export const hasPackage = existsSync(WASM);

if (!hasPackage) {
  const message = "crates/posekit-wasm/pkg is not built: run `cargo xtask wasm`";
  if (process.env["CI"] === "true") throw new Error(message);
  process.stderr.write(`skipping what needs the library: ${message}\n`);
}

/** The command `posekit`, for tests that compare with it: `POSEKIT_BIN`, or what cargo has built. */
export const command = [process.env["POSEKIT_BIN"], "../../../target/release/posekit", "../../../target/debug/posekit"]
  .filter((path) => path !== undefined)
  .map((path) => (path.startsWith("/") ? path : fileURLToPath(new URL(path, import.meta.url))))
  .find((path) => existsSync(path));

if (!command) {
  const message = "the command is not built: run `cargo build --release -p posekit-cli`";
  if (process.env["CI"] === "true") throw new Error(message);
  process.stderr.write(`skipping what compares with the command: ${message}\n`);
}

/** Gets the modules of the package ready, which a page fetches. */
export function loadLibrary(): void {
  const module = (name: string) => readFileSync(fileURLToPath(new URL(name, pkg)));
  initSolving({ module: readFileSync(WASM) });
  initRobots({ module: module("posekit_robots_bg.wasm") });
  initMotion({ module: module("posekit_motion_bg.wasm") });
}

/** The worker's engine in this thread, behind the worker's messages: answers come later, as they do from a worker. */
export function localWorker(engine: { answer(request: Request): Promise<unknown> }, delay = 0): WorkerLike {
  let isOver = false;
  let queue: Promise<void> = Promise.resolve();
  const worker: WorkerLike = {
    onmessage: null,
    onerror: null,
    postMessage: ({ id, request }) => {
      const copy = structuredClone(request);
      setTimeout(() => {
        if (isOver) return;
        const reply = async (): Promise<Reply> => {
          try {
            return { id, answer: (await engine.answer(copy)) as Answers[RequestKind] };
          } catch (error) {
            const { line, column } = error as { line?: number; column?: number };
            return { id, fault: { message: (error as Error).message, ...(line === undefined ? {} : { line }), ...(column === undefined ? {} : { column }) } };
          }
        };
        queue = queue.then(reply).then((data) => { if (!isOver) worker.onmessage?.({ data: structuredClone(data) }); });
      }, delay);
    },
    terminate: () => { isOver = true; },
  };
  return worker;
}

/** Waits until something holds. */
export async function until(holds: () => boolean, what: string, patience = 8000): Promise<void> {
  const end = Date.now() + patience;
  while (!holds()) {
    if (Date.now() > end) throw new Error(`waited in vain: ${what}`);
    await new Promise((resolve) => { setTimeout(resolve, 5); });
  }
}
