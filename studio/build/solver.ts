//! The module for everything but motions, which the page loads first: the package's own without what only motions call.

import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";

/** Those that the package is built with: with more, a module would be written that browsers do not read yet. */
const FEATURES = ["SIMD128", "BulkMemory", "BulkMemoryOpt", "Multivalue", "MutableGlobals", "NontrappingFPToInt", "ReferenceTypes", "SignExt"] as const;

/** As far as it is used here. */
interface Binaryen {
  readBinary(bytes: Uint8Array): {
    getNumExports(): number;
    getExportByIndex(index: number): number;
    removeExport(name: string): void;
    setFeatures(features: number): void;
    runPasses(passes: string[]): void;
    emitBinary(): Uint8Array;
  };
  getExportInfo(handle: number): { name: string };
  Features: Record<(typeof FEATURES)[number], number>;
}

/** What the class `Motion` of the package calls. */
const MOTION = /^(__wbg_)?motion_/;

const made = fileURLToPath(new URL("../node_modules/.posekit/posekit_solver.wasm", import.meta.url));

/** Finds it as `posekit/solver.wasm`; while developing, the package's own. */
export function solverModule(pkg: string): Plugin {
  let isBuilding = false;
  return {
    name: "solver-module",
    enforce: "pre",
    configResolved({ command }) { isBuilding = command === "build"; },
    async resolveId(id) {
      const asked = /^posekit\/solver\.wasm(\?.*)?$/.exec(id);
      return asked ? (isBuilding ? await withoutMotions(pkg) : `${pkg}posekit_bg.wasm`) + (asked[1] ?? "") : null;
    },
  };
}

/** The file of that module, written anew where the package's is newer; the package's own where binaryen, with which it is made, is not installed. */
async function withoutMotions(pkg: string): Promise<string> {
  const whole = `${pkg}posekit_bg.wasm`;
  const tool = new URL("../../crates/posekit-wasm/npm/node_modules/binaryen/index.js", import.meta.url);
  if (!existsSync(whole) || !existsSync(tool)) return whole;
  if (existsSync(made) && statSync(made).mtimeMs > statSync(whole).mtimeMs) return made;
  const { default: binaryen } = (await import(tool.href)) as { default: Binaryen };
  const module = binaryen.readBinary(readFileSync(whole));
  const names = Array.from({ length: module.getNumExports() }, (_, index) => binaryen.getExportInfo(module.getExportByIndex(index)).name);
  for (const name of names) if (MOTION.test(name)) module.removeExport(name);
  module.setFeatures(FEATURES.reduce((all, name) => all | binaryen.Features[name], 0));
  module.runPasses(["remove-unused-module-elements"]);
  mkdirSync(dirname(made), { recursive: true });
  writeFileSync(made, module.emitBinary());
  return made;
}
