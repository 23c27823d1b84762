// `posekit/motion` under Node, like node.js.
import { readFileSync } from "node:fs";
import { initSync } from "./posekit_motion.js";

initSync({ module: readFileSync(new URL("./posekit_motion_bg.wasm", import.meta.url)) });

export * from "./motion.js";
export default async function init() {}
