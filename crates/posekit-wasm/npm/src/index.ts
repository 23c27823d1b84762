//! The package: problems, solvers and crowds. Robots are in `posekit/robots`, motions in `posekit/motion`.

import { checkClasses, checked, constructed } from "./checks.js";
import * as module from "./posekit.js";
import { CONSTRUCTORS, FUNCTIONS, METHODS, STATICS } from "./solving.js";

export { PosekitError } from "./checks.js";
export { default, initSync, Problem, Solver, version } from "./posekit.js";
export type { InitInput, InitOutput, PerJoint, ProblemFile, ProblemKind, Settings, SyncInitInput } from "./posekit.js";
export type * from "./types.js";

export const Crowd = constructed("Crowd", module.Crowd, CONSTRUCTORS.Crowd, module.Problem);
export type Crowd = module.Crowd;
export const Limbs = constructed("Limbs", module.Limbs, CONSTRUCTORS.Limbs);
export type Limbs = module.Limbs;

export const poseGltf = checked("poseGltf", FUNCTIONS.poseGltf, module.poseGltf);
export const softDistance = checked("softDistance", FUNCTIONS.softDistance, module.softDistance);

checkClasses(module, METHODS, STATICS);
