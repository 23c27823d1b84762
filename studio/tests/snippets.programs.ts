//! Writes what the page offers as Rust into the folder that SNIPPETS names: one folder for each program, with the files that it reads and the
//! first line that it has to print.

import { initSync, Problem } from "posekit";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { METHODS } from "../src/core/methods.ts";
import { sceneDocument, SCENES } from "../src/core/scenes/index.ts";
import { settingsFor } from "../src/core/settings.ts";
import { snippetsOf, type SnippetOrder } from "../src/core/snippets.ts";
import { wasmBytes } from "../src/core/testing.ts";
import type { MethodName, SettingsSubset } from "../src/core/types.ts";

const folder = process.env["SNIPPETS"] ?? "";

/** Settings other than the defaults, for each method those that it has. */
const SETTINGS: Readonly<Record<MethodName, SettingsSubset>> = {
  auto: { iterations: 40 },
  "two-bone": { tolerance: 1e-5 },
  direct: { tolerance: 1e-5 },
  ccd: { classic: true, ccd: { weights: [0.5, 1] } },
  fabrik: { classic: true, iterations: 40, tolerance: 1e-5 },
  relaxation: { iterations: 40, relaxation: { passes: 3, reading: "remeasured" } },
  "least-squares": { least_squares: { regularisation: 1e-6, restarts: 2 }, root: "pinned" },
};

/** Every scene as it is opened, and every method that there is, with settings and without. */
function orders(): [string, SnippetOrder][] {
  const scenes = SCENES.flatMap(({ id }) => {
    const { problem, urdf, runs } = sceneDocument(id);
    return runs.map(({ method, settings }, run): [string, SnippetOrder] => [`${id}-${run}`, { problem, urdf, method, settings }]);
  });
  const methods = METHODS.flatMap((method) => [{}, SETTINGS[method]].map((settings, given): [string, SnippetOrder] => {
    const { problem, urdf } = sceneDocument(method === "two-bone" || method === "ccd" ? "crowd" : "rope");
    return [`${method}-${given}`, { problem, urdf, method, settings }];
  }));
  return [...scenes, ...methods];
}

/** What the library says in this process; it has to say the same in Rust. */
function solved({ problem, urdf, method, settings }: SnippetOrder): string {
  const read = Problem.fromJson(JSON.stringify(problem), urdf);
  const solver = read.solver();
  solver.begin(method, JSON.stringify(settingsFor(method, settings)));
  solver.run();
  const line = `${solver.status} in ${String(solver.iterations)} iterations`;
  solver.free();
  read.free();
  return line;
}

test("writes the programs", () => {
  expect(folder, "SNIPPETS names a folder").not.toBe("");
  initSync({ module: wasmBytes() });
  for (const [name, order] of orders()) {
    const rust = snippetsOf(order).find(({ language }) => language === "rust");
    if (!rust) throw new Error(`${name} has no Rust`);
    const place = join(folder, name);
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, "main.rs"), rust.code);
    for (const file of rust.files) writeFileSync(join(place, file.name), file.text);
    try {
      writeFileSync(join(place, "expected.txt"), solved(order));
    } catch (error) {
      throw new Error(`${name}: ${String(error)}`, { cause: error });
    }
  }
});
