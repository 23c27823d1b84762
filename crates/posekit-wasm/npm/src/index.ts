//! The package: problems, solvers, robot arms and crowds. Motions are in `posekit/motion`.

import { checkClasses, checked, constructed, type Methods } from "./checks.js";
import * as module from "./posekit.js";

export { PosekitError } from "./checks.js";
export { default, initSync, Problem, SelfMotion, Solver, Track, version } from "./posekit.js";
export type { InitInput, InitOutput, MethodName, ProblemKind, Settings, Status, SyncInitInput } from "./posekit.js";

const METHODS = {
  Arm: {
    dexterity: ["q: Float64Array", "out: Float64Array"],
    nearest: ["q: Float64Array", "configurations: Float64Array"],
    pose: ["q: Float64Array", "out: Float64Array"],
    selfMotion: ["target: Float64Array", "q: Float64Array", "samples: number"],
    solutions: ["target: Float64Array", "q: Float64Array"],
    solve: ["target: Float64Array", "q: Float64Array"],
    track: ["times: Float64Array", "targets: Float64Array", "start: Float64Array"],
  },
  Crowd: { solve: ["targets: Float32Array", "out: Float32Array"] },
  Limbs: { solve: ["starts: Float32Array", "mids: Float32Array", "ends: Float32Array", "targets: Float32Array", "poles: Float32Array", "out: Float32Array"] },
  Problem: { poses: ["q: Float64Array", "out: Float64Array"] },
  SelfMotion: { parameters: ["curve: number"], values: ["curve: number"] },
  Solver: {
    begin: ["method: text", "settings?: json", "start?: Float64Array"],
    configuration: ["out: Float64Array"],
    points: ["out: Float64Array"],
    poses: ["out: Float64Array"],
    restart: ["start?: Float64Array"],
    setFrame: ["task: number", "index: number", "frame: Float64Array"],
    setPlacements: ["placements: Float64Array"],
    setTarget: ["task: number", "target: Float64Array"],
    solutionJson: ["trace?: yes or no"],
    step: ["n: number"],
    traceConfiguration: ["step: number", "out: Float64Array"],
    traceHeader: ["step: number", "out: Float64Array"],
    tracePoints: ["step: number", "out: Float64Array"],
    traceTurn: ["step: number"],
  },
  Track: { configurationAt: ["time: number", "out: Float64Array"] },
} as const satisfies Methods;

const STATICS = {
  Problem: {
    fromGltf: ["file: bytes", "tip?: text", "free_root?: yes or no"],
    fromJson: ["text: json", "urdf?: text"],
    fromJsonAndFile: ["text: json", "file: bytes"],
    fromUrdf: ["text: text", "tip?: text", "free_root?: yes or no"],
  },
} as const satisfies Methods;

export const Arm = constructed("Arm", module.Arm, ["problem: Problem", "task: number", "settings?: json"], module.Problem);
export type Arm = module.Arm;
export const Crowd = constructed("Crowd", module.Crowd, ["problem: Problem", "n: number", "method: text", "settings?: json"], module.Problem);
export type Crowd = module.Crowd;
export const Limbs = constructed("Limbs", module.Limbs, ["n: number"]);
export type Limbs = module.Limbs;

export const describeRobot = checked("describeRobot", ["text: text", "srdf?: text"], module.describeRobot);
export const poseGltf = checked("poseGltf", ["file: bytes", "nodes: counts", "turns: numbers"], module.poseGltf);
export const softDistance = checked("softDistance", ["softness: number", "distance: number", "reach: number"], module.softDistance);

checkClasses(module, METHODS, STATICS);
