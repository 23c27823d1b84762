// The examples of the README, run as they stand.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { load, repositoryFile, repositoryText } from "./support.js";

const text = readFileSync(new URL("../package/README.md", import.meta.url), "utf8");
const blocks = [...text.matchAll(/^```js(.*)\n([\s\S]*?)^```$/gm)].map(([, words, code]) => ({ words: words.trim(), code }));

/** An example with those that it continues, and what it is given. */
const examples = [];
for (const { words, code } of blocks) {
  if (words === "continued") examples.at(-1).code += code;
  else if (words !== "bundler") examples.push({ given: words, code });
}

/** What the example has when it begins. */
async function given(words) {
  const [name, path] = words.split("=");
  if (name === "gltf") return { gltf: await load(repositoryFile(path)) };
  if (name === "urdf" || name === "arm") return { urdf: repositoryText(path) };
  return {};
}

test("the README has examples, of ten lines or so", () => {
  assert.equal(examples.length, 4);
  for (const { code } of blocks) assert.ok(code.trim().split("\n").length <= 12, code);
});

for (const { given: words, code } of examples) {
  test(`the example ${words || "of a chain"} runs and reaches`, async (context) => {
    // Inside the package's folder, so that its imports are found.
    const folder = mkdtempSync(new URL("../node_modules/.example-", import.meta.url).pathname);
    context.after(() => rmSync(folder, { recursive: true }));
    const said = [];
    globalThis.example = { ...(await given(words)), log: (...words) => said.push(words) };
    const names = Object.keys(globalThis.example).filter((name) => name !== "log");
    const head = `const { ${names.join(", ")} } = globalThis.example;\nconst console = globalThis.example;\n`;
    const imports = code.match(/^import .*$/gm) ?? [];
    const file = `${folder}/example.mjs`;
    writeFileSync(file, `${imports.join("\n")}\n${head}${code.replace(/^import .*$/gm, "")}`);
    await import(pathToFileURL(file).href);
    assert.ok(said.length > 0, "it says something");
    assert.ok(said.every(([first]) => first === "reached" || first === true || first === 8), JSON.stringify(said));
  });
}

test("the example for bundlers is one script that needs nothing beside it", async (context) => {
  const folder = mkdtempSync(new URL("../node_modules/.example-", import.meta.url).pathname);
  context.after(() => rmSync(folder, { recursive: true }));
  const [{ code }] = blocks.filter(({ words }) => words === "bundler");
  const [, chain] = text.match(/^(const problem = [\s\S]*?)^console/m);
  writeFileSync(`${folder}/app.js`, `${code}\n${chain}\nexport const status = solver.status;`);
  await build({ entryPoints: [`${folder}/app.js`], outfile: `${folder}/out/app.mjs`, bundle: true, format: "esm", platform: "browser", loader: { ".wasm": "binary" }, logLevel: "error", target: "es2022" });
  rmSync(`${folder}/app.js`);
  assert.equal((await import(pathToFileURL(`${folder}/out/app.mjs`).href)).status, "reached");
});
