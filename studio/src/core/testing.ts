//! For tests: the real library under Node. Tests that need it are skipped where it is not built, and fail under CI.

import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const pkg = new URL("../../../crates/posekit-wasm/pkg/", import.meta.url);
export const WASM = fileURLToPath(new URL("posekit_bg.wasm", pkg));

/** True when `cargo xtask wasm` has built the package. */
export const hasPackage = existsSync(WASM);

if (!hasPackage) {
  const message = "crates/posekit-wasm/pkg is not built: run `cargo xtask wasm`";
  if (process.env["CI"] === "true") throw new Error(message);
  process.stderr.write(`skipping what needs the library: ${message}\n`);
}

/** The bytes of the module, for `initSync`. */
export function wasmBytes(): Uint8Array {
  return readFileSync(WASM);
}
