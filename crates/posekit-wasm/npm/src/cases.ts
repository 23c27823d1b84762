//! `posekit/cases`: the determinism digest, with which a machine shows that it computes the same bits as every other.

// Under Node it gets the module ready.
import "posekit/robots";
import { checkClasses, checked } from "./checks.js";
import * as module from "./posekit_robots.js";

export { Digest } from "./posekit_robots.js";

export const caseNames = checked("caseNames", ["index: json"], module.caseNames);

checkClasses(module, { Digest: { add: ["name: text", "text: text"] } }, {});
