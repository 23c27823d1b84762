//! `posekit/robots`: all that `posekit` has, and robots: their files, arms, and paths of tools. A module of its own, to be initialised by its own `init`.

import { checkClasses, checked, constructed } from "./checks.js";
import * as module from "./posekit_robots.js";
import { CONSTRUCTORS, FUNCTIONS, METHODS, STATICS } from "./solving.js";

export { PosekitError } from "./checks.js";
export { default, initSync, Problem, SelfMotion, Solver, Track, version } from "./posekit_robots.js";
export type { InitInput, InitOutput, PerJoint, ProblemFile, ProblemKind, Settings, SyncInitInput } from "./posekit_robots.js";
export type * from "./types.js";

export const Crowd = constructed("Crowd", module.Crowd, CONSTRUCTORS.Crowd, module.Problem);
export type Crowd = module.Crowd;
export const Limbs = constructed("Limbs", module.Limbs, CONSTRUCTORS.Limbs);
export type Limbs = module.Limbs;
export const Arm = constructed("Arm", module.Arm, ["problem: Problem", "task: number", "settings?: json"], module.Problem);
export type Arm = module.Arm;

export const describeRobot = checked("describeRobot", ["text: text", "srdf?: text"], module.describeRobot);
export const poseGltf = checked("poseGltf", FUNCTIONS.poseGltf, module.poseGltf);
export const softDistance = checked("softDistance", FUNCTIONS.softDistance, module.softDistance);

checkClasses(
  module,
  {
    ...METHODS,
    Arm: {
      dexterity: ["q: Float64Array", "out: Float64Array"],
      nearest: ["q: Float64Array", "configurations: Float64Array"],
      pose: ["q: Float64Array", "out: Float64Array"],
      selfMotion: ["target: Float64Array", "q: Float64Array", "samples: number"],
      solutions: ["target: Float64Array", "q: Float64Array"],
      solve: ["target: Float64Array", "q: Float64Array"],
      track: ["times: Float64Array", "targets: Float64Array", "start: Float64Array"],
    },
    SelfMotion: { parameters: ["curve: number"], values: ["curve: number"] },
    Track: { configurationAt: ["time: number", "out: Float64Array"] },
  },
  { Problem: { ...STATICS.Problem, fromUrdf: ["text: text", "tip?: text", "free_root?: yes or no"] } },
);
