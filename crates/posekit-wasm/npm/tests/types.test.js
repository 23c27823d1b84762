// The types, as a project has them that asks for nothing but the language, and as one with everything.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("../", import.meta.url));
const USER = `
import init, { Problem, PosekitError, initSync } from "posekit";
import type { Settings, Status } from "posekit";
import { Arm, Problem as Robots } from "posekit/robots";
import initMotion, { Motion } from "posekit/motion";
import type { MotionFormat } from "posekit/motion";
import { Robot } from "posekit/urdf";
export async function use(text: string): Promise<Status> {
  await init();
  const solver = Problem.fromJson(text).solver();
  const settings: Settings = { iterations: 20 };
  solver.begin("ccd", settings);
  // @ts-expect-error a method that there is not
  solver.begin("magic");
  // @ts-expect-error a setting of another type
  new Robot(text, { tip: "tool0", settings: { iterations: "many" } });
  if (initSync(new Uint8Array()) === undefined) throw new PosekitError("never");
  return solver.status;
}
export const family = (urdf: string): string => new Arm(Robots.fromUrdf(urdf), 0).family;
export async function clean(bytes: Uint8Array, format: MotionFormat): Promise<Uint8Array> {
  await initMotion();
  return Motion.open(bytes, "walk.bvh", 0).write(format);
}
`;

for (const [words, lib, types] of [["ES2022 alone", "ES2022", ""], ["ESNext, browsers and Node", "ESNext,DOM", "node"]]) {
  test(`the types compile with ${words}`, () => {
    // Beside the package's own dependencies, where a user's would be.
    const own = mkdtempSync(join(folder, "node_modules", ".user-"));
    try {
      writeFileSync(join(own, "user.mts"), USER);
      const options = ["--ignoreConfig", "--noEmit", "--strict", "--exactOptionalPropertyTypes", "--target", "ES2022", "--module", "NodeNext", "--lib", lib, "--types", types];
      const { stdout, stderr } = spawnSync("npx", ["tsc", ...options, join(own, "user.mts")], { cwd: folder, encoding: "utf8" });
      assert.equal(stdout + stderr, "");
    } finally {
      rmSync(own, { recursive: true });
    }
  });
}
