//! Two bones in the plane: the analytic limb, with an elbow that may bend one way.

import type { PlaneBone } from "../files.ts";
import { radians } from "../math.ts";
import { lengthOption, numberOption, switchOption, type Scene } from "./scene.ts";

/** How far an elbow bends [rad]. */
const ELBOW = radians(150);

export const limb2d: Scene = {
  spec: {
    id: "limb-2d",
    title: "Two-bone limb",
    sentence: "An arm in the plane, solved in closed form: drag the target out of reach, behind the shoulder, onto the root.",
    group: "plane",
    dimension: 2,
    up: "y",
    options: [
      lengthOption("upper", "Upper arm", 0.31, [0.05, 0.6], "A longer upper arm reaches farther, and leaves a larger hole round the root when the bones differ."),
      lengthOption("lower", "Forearm", 0.27, [0.05, 0.6], "A longer forearm reaches farther; the reach is the ring between the difference and the sum of both."),
      { name: "elbow", label: "Elbow bends one way", kind: "switch", default: true, sentence: "From 0° to 150° like a person's. Off: both solutions are allowed, and the closer one is taken." },
    ],
  },
  build(options) {
    const lower: PlaneBone = { length: numberOption(options, "lower"), angle: 0.9 };
    if (switchOption(options, "elbow")) lower.limit = [0, ELBOW];
    return {
      problem: {
        schema: "posekit.chain/1",
        dimension: 2,
        bones: [{ length: numberOption(options, "upper"), angle: -1.2 }, lower],
        target: [0.34, 0.19],
      },
    };
  },
  runs: [{ method: "auto" }],
  warm: true,
};
