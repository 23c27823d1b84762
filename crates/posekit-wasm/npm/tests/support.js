// What the tests share: texts of the repository, robots and characters that others made, numbers that look random and are not.
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import { test } from "node:test";
import { initSync } from "posekit/robots";

// The loader of three.js asks for what browsers have.
globalThis.self ??= globalThis;
globalThis.ProgressEvent ??= class ProgressEvent extends Event {};

const root = new URL("../../../../", import.meta.url);

/** A file of the repository. */
export const repositoryFile = (path) => new URL(path, root);
/** A text file of the repository. */
export const repositoryText = (path) => readFileSync(repositoryFile(path), "utf8");

const folder = process.env.POSEKIT_ASSETS
  ? pathToFileURL(`${process.env.POSEKIT_ASSETS.replace(/\/$/, "")}/`)
  : new URL("../shared/assets/", root);
const hasAssets = existsSync(new URL("MANIFEST.md", folder));

/** A file among the shared assets. */
export const asset = (path) => new URL(path, folder);

/** A test that needs the shared assets: skipped with a word where there are none, on a build server a failure. */
export function testWithAssets(name, run) {
  if (hasAssets) return test(name, run);
  if (process.env.CI === "true") {
    return test(name, () => {
      throw new Error(`no assets at ${fileURLToPath(folder)}`);
    });
  }
  return test(name, { skip: `no assets at ${fileURLToPath(folder)}; set POSEKIT_ASSETS` }, run);
}

/** Bytes of the memory of `posekit/robots`, which never shrinks. */
export const memory = () => initSync().memory.buffer.byteLength;

/** A sequence of numbers from 0 to 1, the same on every run. */
export function numbers(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const { GLTFLoader } = await import("three/addons/loaders/GLTFLoader.js");

/** What three.js makes of a character, without its pictures, which need a browser. */
export async function load(url) {
  const bytes = readFileSync(url);
  const isBinary = bytes.toString("latin1", 0, 4) === "glTF";
  const length = isBinary ? bytes.readUInt32LE(12) : bytes.length;
  const json = JSON.parse(bytes.toString("utf8", isBinary ? 20 : 0, (isBinary ? 20 : 0) + length));
  for (const name of ["images", "textures", "samplers", "materials", "extensions", "extensionsUsed", "extensionsRequired"]) delete json[name];
  for (const mesh of json.meshes ?? []) for (const part of mesh.primitives) delete part.material;
  for (const buffer of json.buffers ?? []) {
    if (buffer.uri && !buffer.uri.startsWith("data:")) {
      buffer.uri = `data:application/octet-stream;base64,${readFileSync(new URL(buffer.uri, url)).toString("base64")}`;
    } else if (!buffer.uri) {
      const start = 20 + length + 8;
      const data = bytes.subarray(start, start + buffer.byteLength);
      buffer.uri = `data:application/octet-stream;base64,${data.toString("base64")}`;
    }
  }
  return new GLTFLoader().parseAsync(JSON.stringify(json), "");
}
