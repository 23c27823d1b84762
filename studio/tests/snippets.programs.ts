//! Writes what the page offers as Rust into the folder that SNIPPETS names: one folder for each program, with the files that it reads and the
//! first line that it has to print.

import { Problem } from "posekit/robots";
import { Motion } from "posekit/motion";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { METHODS } from "../src/core/methods.ts";
import { contactsOf, contactsText } from "../src/core/motion/contacts.ts";
import { motionSnippets, type MotionOrder } from "../src/core/motion/snippets.ts";
import type { MotionSettings } from "../src/core/motion/types.ts";
import { sceneDocument, SCENES } from "../src/core/scenes/index.ts";
import { settingsFor } from "../src/core/settings.ts";
import { snippetsOf, type SnippetOrder } from "../src/core/snippets.ts";
import { loadLibrary } from "../src/core/testing.ts";
import type { MethodName, Settings, Snippet } from "../src/core/types.ts";

const folder = process.env["SNIPPETS"] ?? "";

/** Settings other than the defaults, for each method those that it has. */
const SETTINGS: Readonly<Record<MethodName, Settings>> = {
  auto: { iterations: 40 },
  "two-bone": { tolerance: 1e-5 },
  arm: { tolerance: 1e-5 },
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
    const { problem, urdf } = sceneDocument(method === "arm" ? "arm6" : method === "two-bone" || method === "ccd" ? "crowd" : "rope");
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
  const line = `${solver.status}; iterations: ${String(solver.iterations)}`;
  solver.free();
  read.free();
  return line;
}

/** What is done to the walk: settings, one contact less, the first pose of the clip again in the middle of it. */
const MOTIONS: readonly [string, Partial<MotionSettings>, hasContacts: boolean, hasPose: boolean][] = [
  ["usual", {}, false, false],
  ["settings", { strength: 0.6, floor: "level", ease: 0.3, release: 0.2, shortest: 0.1, path: false, inPlace: false }, false, false],
  ["contacts", { path: false, floor: "per-plant" }, true, false],
  ["pose", { fade: 1 }, false, true],
  ["all", {}, true, true],
  ["off", { isOn: false }, false, true],
];

/** A motion's order, and what the library says of it in this process. */
function motionOf(change: Partial<MotionSettings>, hasContacts: boolean, hasPose: boolean): [MotionOrder, string] {
  const walk = readFileSync(new URL("../../testdata/clips/walk.bvh", import.meta.url));
  const motion = Motion.open(walk, "walk.bvh", 0);
  const info = motion.info();
  const settings = { ...info.usual, ...change };
  const contacts = hasContacts ? contactsOf(motion.contacts()).slice(1) : null;
  const q = new Float64Array(info.nValues);
  motion.configuration(0, q);
  const keys = hasPose ? [{ time: info.start + 60 * info.frameTime, q: [...q] }] : [];
  motion.set(JSON.stringify(settings), contacts && contactsText(contacts), Float64Array.from(keys, ({ time }) => time), Float64Array.from(keys.flatMap((key) => key.q)));
  const { changed } = motion.report();
  motion.free();
  const order = { info, settings, contacts, keys, clip: 0, motion: { name: "walk.bvh", type: "text/plain", text: walk.toString("utf8") } };
  return [order, `${changed} joints changed`];
}

function write(name: string, snippets: readonly Snippet[], expected: string): void {
  const rust = snippets.find(({ language }) => language === "rust");
  if (!rust) throw new Error(`${name} has no Rust`);
  const place = join(folder, name);
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, "main.rs"), rust.code);
  for (const file of rust.files) writeFileSync(join(place, file.name), file.text);
  writeFileSync(join(place, "expected.txt"), expected);
}

test("writes the programs", () => {
  expect(folder, "SNIPPETS names a folder").not.toBe("");
  loadLibrary();
  for (const [name, order] of orders()) {
    try {
      write(name, snippetsOf(order), solved(order));
    } catch (error) {
      throw new Error(`${name}: ${String(error)}`, { cause: error });
    }
  }
  for (const [name, ...given] of MOTIONS) {
    const [order, expected] = motionOf(...given);
    write(`motion-${name}`, motionSnippets(order), expected);
  }
});
