import { execFileSync } from "node:child_process";
import { mkdtempSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { command, hasPackage, WASM } from "./testing.ts";
import { typeFaults } from "./typing.ts";
import { snippetsOf, type SnippetOrder } from "./snippets.ts";
import { sceneDocument } from "./scenes/index.ts";
import type { SceneId } from "./types.ts";

const folder = mkdtempSync(join(tmpdir(), "posekit-snippets-"));
mkdirSync(join(folder, "node_modules"));
if (hasPackage) symlinkSync(dirname(WASM), join(folder, "node_modules", "posekit"));
afterAll(() => { rmSync(folder, { recursive: true }); });

const order = (id: SceneId, method: SnippetOrder["method"], settings: SnippetOrder["settings"] = {}): SnippetOrder => {
  const { problem, urdf } = sceneDocument(id);
  return { problem, urdf, method, settings };
};

const orders: [string, SnippetOrder][] = [
  ["a limb", order("limb-2d", "auto")],
  ["a classic chain", order("chain-2d", "ccd", { classic: true, iterations: 7, tolerance: 1e-5 })],
  ["a rope with settings", order("rope", "relaxation", { relaxation: { passes: 3, reading: "remeasured" } })],
  ["a robot", order("arm7", "least-squares")],
  ["points", { ...order("rope", "fabrik"), problem: { schema: "posekit.chain/1", dimension: 2, points: [[0, 0], [1, 0], [2, 0.1]], target: [1.2, 0.9] } }],
];

function snippet(given: SnippetOrder, language: "shell" | "typescript" | "rust") {
  const found = snippetsOf(given).find((one) => one.language === language);
  if (!found) throw new Error(`no snippet in ${language}`);
  for (const { name, text } of found.files) writeFileSync(join(folder, name), text);
  return found;
}

/** What a program printed: how many iterations it took. */
const iterations = (printed: string) => Number(/iterations: (\d+)/.exec(printed)?.[1]);

for (const [name, given] of orders) {
  it(`${name}: the problem is the same in the file`, () => {
    const [file] = snippet(given, "shell").files;
    expect(JSON.parse(file?.text ?? "")).toEqual(given.problem);
  });

  describe.skipIf(!hasPackage)("with the library", () => {
    it(`${name}: the TypeScript runs`, () => {
      writeFileSync(join(folder, "snippet.mjs"), snippet(given, "typescript").code);
      const printed = execFileSync("node", ["snippet.mjs"], { cwd: folder, encoding: "utf8" });
      expect(printed).toMatch(/^(reached|iteration-limit); iterations: \d+/);
    });

    it.skipIf(!command)(`${name}: the command line runs, and takes as many iterations`, () => {
      const words = snippet(given, "shell").code.replace(/^#.*\n/gm, "").trim().split(" ").slice(1);
      const printed = JSON.parse(execFileSync(command ?? "", [...words, "--format", "json"], { cwd: folder, encoding: "utf8", maxBuffer: 1 << 28 })) as { iterations: number; solver: string };
      writeFileSync(join(folder, "snippet.mjs"), snippet(given, "typescript").code);
      const same = iterations(execFileSync("node", ["snippet.mjs"], { cwd: folder, encoding: "utf8" }));
      const isTold = /^# The command has no option/.test(snippet(given, "shell").code);
      if (!isTold) expect(printed.iterations).toBe(same);
    });
  });
}

it.skipIf(!hasPackage)("writes TypeScript that the package's types allow", () => {
  const names = orders.map(([, given], index) => {
    const name = join(folder, `snippet${index}.ts`);
    writeFileSync(name, snippet(given, "typescript").code);
    return name;
  });
  expect(typeFaults(names)).toEqual([]);
});

it("says what the command has no option for", () => {
  const { code } = snippet(order("rope", "relaxation", { relaxation: { passes: 3, reading: "remeasured" } }), "shell");
  expect(code).toBe('# The command has no option for relaxation: {"passes":3}; use the library for it.\nposekit solve problem.json --solver relaxation --reading remeasured --trace\n');
});

it("writes Rust that names what it uses", () => {
  const { code } = snippet(order("arm7", "ccd", { iterations: 12 }), "rust");
  expect(code).toContain('std::fs::read("arm7.urdf")');
  expect(code).toContain("Method::Ccd");
  expect(code).toContain('read_settings(r#"{"iterations":12}"#');
});
