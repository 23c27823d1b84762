//! `posekit/motion`: motion files whose feet stand, posed and edited. A module of its own, to be initialised by its own `init`.

import { checkClasses } from "./checks.js";
import * as module from "./posekit_motion.js";

export { PosekitError } from "./checks.js";
export { default, initSync, Motion, version } from "./posekit_motion.js";
export type { InitInput, InitOutput, Interpolation, MotionFormat, MotionSide, SyncInitInput } from "./posekit_motion.js";
export type * from "./types.js";

checkClasses(
  module,
  {
    Motion: {
      configuration: ["frame: number", "out: Float64Array"],
      curves: ["which: text", "joint: number", "out: Float32Array"],
      keyCurves: ["joint: number"],
      poses: ["which: text", "out: Float32Array"],
      pull: ["frame: number", "joints: counts", "targets: Float64Array", "start?: Float64Array", "q: Float64Array", "poses: Float32Array"],
      restPoses: ["out: Float32Array"],
      set: ["settings: json", "contacts?: json", "times: Float64Array", "values: Float64Array", "interpolations?: texts"],
      withCurve: ["q: Float64Array", "joint: number", "numbers: Float64Array", "out: Float64Array"],
      write: ["format: text"],
    },
  },
  { Motion: { open: ["bytes: bytes", "name: text", "clip: number", "seconds?: number"] } },
);
