//! What `posekit` and `posekit/robots` have in common: the arguments of their classes and functions.

import type { Methods, Parameter } from "./checks.js";

export const METHODS = {
  Crowd: { solve: ["targets: Float32Array", "out: Float32Array"] },
  Limbs: { solve: ["starts: Float32Array", "mids: Float32Array", "ends: Float32Array", "targets: Float32Array", "poles: Float32Array", "out: Float32Array"] },
  Problem: { poses: ["q: Float64Array", "out: Float64Array"] },
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
} as const satisfies Methods;

export const STATICS = {
  Problem: {
    fromGltf: ["file: bytes", "tip?: text", "free_root?: yes or no"],
    fromJson: ["text: json", "urdf?: text"],
    fromJsonAndFile: ["text: json", "file: bytes"],
  },
} as const satisfies Methods;

export const CONSTRUCTORS = {
  Crowd: ["problem: Problem", "n: number", "method: text", "settings?: json"],
  Limbs: ["n: number"],
} as const satisfies Record<string, readonly Parameter[]>;

export const FUNCTIONS = {
  poseGltf: ["file: bytes", "nodes: counts", "turns: numbers"],
  softDistance: ["softness: number", "distance: number", "reach: number"],
} as const satisfies Record<string, readonly Parameter[]>;
