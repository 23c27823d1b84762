// The package under Node: the module is read from the file beside, so that everything can be used at once.
// `init` is there for code that runs in browsers too.
import { readFileSync } from "node:fs";
import { initSync } from "./posekit.js";

initSync({ module: readFileSync(new URL("./posekit_bg.wasm", import.meta.url)) });

export * from "./index.js";
export default async function init() {}
