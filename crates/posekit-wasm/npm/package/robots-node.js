// `posekit/robots` under Node, like node.js.
import { readFileSync } from "node:fs";
import { initSync } from "./posekit_robots.js";

initSync({ module: readFileSync(new URL("./posekit_robots_bg.wasm", import.meta.url)) });

export * from "./robots.js";
export default async function init() {}
