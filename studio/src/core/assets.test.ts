//! Robots and characters that others made, from the shared assets: each opens and solves, or is refused in words.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { assets } from "../../tests/assets.ts";
import { Engine } from "../worker/engine.ts";
import { targetsOf } from "./edit.ts";
import { isFigure } from "./files.ts";
import type { RobotDescription } from "./robot.ts";
import { createSession } from "./session.ts";
import { hasPackage, loadLibrary, localWorker, until } from "./testing.ts";
import { LoadFault, loadDocument, type Reader } from "./load.ts";

function reader(engine: Engine): Reader {
  return {
    inspect: async (source) => (await engine.answer({ kind: "inspect", source })) as { figure: string; warnings: string[] },
    describe: async (text, srdf) => (await engine.answer({ kind: "robot", text, ...(srdf === undefined ? {} : { srdf }) })) as RobotDescription,
    load: async (text, urdf) => await engine.load({ kind: "json", text, ...(urdf === undefined ? {} : { urdf }) }),
  };
}

/** Files whose nodes are all siblings: there is nothing to pose. */
const REFUSED = /InterpolationTest/;

describe.skipIf(!hasPackage || assets === null)("assets", () => {
  beforeAll(loadLibrary);

  for (const folder of ["urdf", "gltf"]) {
    const names = assets !== null ? readdirSync(join(assets, folder)).filter((name) => /\.(urdf|glb|gltf|vrma?)$/.test(name)) : [];
    it.each(names)("%s opens and is solved, or is refused in words", async (name) => {
      const engine = new Engine();
      const bytes = new Uint8Array(readFileSync(join(assets ?? "", folder, name)));
      try {
        const { document, companion, remark, warnings } = await loadDocument(name, bytes, { known: new Map(), files: new Map() }, reader(engine));
        const character = companion?.character;
        const info = await engine.load({ kind: "json", text: JSON.stringify(document.problem), ...(document.urdf === undefined ? {} : { urdf: document.urdf }) });
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

  it.each([
    ["mesh_robots/SO101/so101_new_calib.urdf", { task: "position", name: "gripper_frame_link" }],
    ["urdf/panda_arm_hand.urdf", { task: "pose", name: "panda_hand" }],
  ])("the tool of %s gets a goal that its joints suffice for", async (path, goal) => {
    const files = { known: new Map<string, Uint8Array>(), files: new Map<string, Uint8Array>() };
    const { document } = await loadDocument(path, new Uint8Array(readFileSync(join(assets ?? "", path))), files, reader(new Engine()));
    expect(isFigure(document.problem) && document.problem.tasks).toMatchObject([goal]);
  });

  it("a tool on a base that floats keeps its pose for a goal, whatever its joints", async () => {
    const hinge = (name: string, inside: string) => `<body name="${name}" pos="0.3 0 0"><joint name="j_${name}" axis="0 1 0"/>${inside}</body>`;
    const model = (base: string) => new TextEncoder().encode(`<mujoco><worldbody><body name="base">${base}${hinge("upper", hinge("tool", ""))}</body></worldbody></mujoco>`);
    const files = { known: new Map<string, Uint8Array>(), files: new Map<string, Uint8Array>() };
    for (const [base, goal] of [["<freejoint/>", "pose"], ["", "position"]] as const) {
      const { document } = await loadDocument("drone.xml", model(base), files, reader(new Engine()));
      expect(isFigure(document.problem) && document.problem.tasks.map(({ task }) => task)).toEqual([goal]);
    }
  });

  it.each(["RiggedFigure.glb", "Fox.glb", "Knight.glb", "kenney_platformer_character.glb"])("%s is saved in the pose on show", async (name) => {
    const path = join(assets ?? "", "gltf", name);
    const session = createSession({ startWorker: () => localWorker(new Engine()), nextFrame: (then) => { setTimeout(then, 1); }, hash: "", isStill: true });
    try {
      expect(await session.loadFile(name, new Uint8Array(readFileSync(path)))).toBe(true);
      const isSolved = () => session.handles.value.some(({ id }) => id === "target:0") && session.results.value[0]?.q.length === session.info.value?.nValues;
      await until(isSolved, "a solve");
      const rest = session.shown.value[0]?.poses.slice() ?? new Float64Array();
      const [handle, reach] = [session.handles.value.find(({ id }) => id === "target:0"), session.info.value?.reach ?? 1];
      if (!handle) throw new Error("there is no target");
      const [x, y, z] = handle.position;
      session.moveHandle(handle.id, { position: [x + 0.03 * reach, y + 0.05 * reach, z] });
      const { name: saved, bytes } = await session.exports.posed();
      expect(saved).toBe(name.replace(".", "-posed."));
      const shown = session.shown.value[0]?.poses ?? new Float64Array();
      const off = (a: ArrayLike<number>, b: ArrayLike<number>) => Array.from(a).reduce((most, value, at) => (at % 7 < 3 ? Math.max(most, Math.abs(value - (b[at] ?? 0))) : most), 0);
      expect(off(shown, rest), "it has moved").toBeGreaterThan(0.01 * reach);
      const engine = new Engine();
      const { figure } = (await engine.answer({ kind: "inspect", source: { kind: "gltf", bytes } })) as { figure: string };
      const again = await engine.load({ kind: "json", text: figure });
      expect(off(again.neutral, shown)).toBeLessThan(1e-5 * reach);
    } finally {
      session.dispose();
    }
  });
});
