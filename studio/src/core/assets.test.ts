//! Robots and characters that others made, from the shared assets: each opens and solves, or is refused in words.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { initSync } from "posekit";
import { assets } from "../../tests/assets.ts";
import { Engine } from "../worker/engine.ts";
import { targetsOf } from "./edit.ts";
import type { RobotLook } from "./robot.ts";
import { hasPackage, wasmBytes } from "./testing.ts";
import { LoadFault, loadDocument, type Reader } from "./load.ts";

function reader(engine: Engine): Reader {
  return {
    inspect: async (source) => (await engine.answer({ kind: "inspect", source })) as { figure: string; warnings: string[] },
    describe: async (text, srdf) => (await engine.answer({ kind: "robot", text, ...(srdf === undefined ? {} : { srdf }) })) as RobotLook,
    load: async (text, urdf) => await Promise.resolve(engine.load({ kind: "json", text, ...(urdf === undefined ? {} : { urdf }) })),
  };
}

/** Files whose nodes are all siblings: there is nothing to pose. */
const REFUSED = /InterpolationTest/;

describe.skipIf(!hasPackage || assets === null)("assets", () => {
  beforeAll(() => initSync({ module: wasmBytes() }));

  for (const folder of ["urdf", "gltf"]) {
    const names = assets !== null ? readdirSync(join(assets, folder)).filter((name) => /\.(urdf|glb|gltf|vrma?)$/.test(name)) : [];
    it.each(names)("%s opens and is solved, or is refused in words", async (name) => {
      const engine = new Engine();
      const bytes = new Uint8Array(readFileSync(join(assets ?? "", folder, name)));
      try {
        const { document, companion, remark, warnings } = await loadDocument(name, bytes, { known: new Map(), files: new Map() }, reader(engine));
        const character = companion?.character;
        const info = engine.load({ kind: "json", text: JSON.stringify(document.problem), ...(document.urdf === undefined ? {} : { urdf: document.urdf }) });
        const result = engine.solve({ id: "run1", method: "auto", settings: {}, start: "problem" }, targetsOf(document.problem));
        if (process.env["SHOW"]) process.stdout.write(`${name}: ${info.nJoints} joints, ${info.tasks.length} goals (${info.tasks.map((task) => task.name).join(", ")}), ${result.status}; ${warnings} warnings ${remark ?? ""}\n`);
        expect(result.fault).toBeNull();
        expect(result.status).toBe("reached");
        if (folder === "gltf") {
          expect(character?.nodes.length).toBe(info.nJoints);
          expect(character?.nodes.every((node) => node >= 0)).toBe(true);
          expect(info.tasks.length).toBeGreaterThan(/webxr/.test(name) ? 4 : 0);
          expect(/WebXR names/.test(remark ?? "")).toBe(/webxr/.test(name));
        }
      } catch (error) {
        if (!(error instanceof LoadFault)) throw error;
        if (process.env["SHOW"]) process.stdout.write(`${name}: REFUSED ${error.message} | ${error.where ?? ""} | ${error.hint ?? ""}\n`);
        expect(name, error.message).toMatch(REFUSED);
        expect(error.hint).toMatch(/are siblings/);
      }
    });
  }
});
