//! A chain of many bones in the plane, as in the texts on cyclic coordinate descent.

import type { PlaneBone } from "../files.ts";
import { radians } from "../math.ts";
import { degreesOption, numberOption, segments, type Scene } from "./scene.ts";

/** All bones together [m]. */
const LENGTH = 1.2;
/** The bones of the start turn this much together [rad]: an arc that leans away from the target. */
const ARC = 1.9;

export const chain2d: Scene = {
  spec: {
    id: "chain-2d",
    title: "Chain in the plane",
    sentence: "Joint by joint from the tip to the root: step through an iteration and see each joint make its best rotation.",
    group: "plane",
    dimension: 2,
    up: "y",
    options: [
      segments(2, 40, 6),
      degreesOption("bend", "Each joint bends", 180, [5, 180], "A smaller range restricts the chain; 180° is no limit."),
    ],
  },
  build(options) {
    const n = numberOption(options, "segments");
    const bend = numberOption(options, "bend");
    const most = radians(bend);
    const turn = Math.max(-most, -ARC / n);
    const bones = Array.from({ length: n }, (_, index): PlaneBone => {
      const bone: PlaneBone = { length: LENGTH / n, angle: index === 0 ? 2.1 : turn };
      if (index > 0 && bend < 180) bone.limit = [-most, most];
      return bone;
    });
    return { problem: { schema: "posekit.chain/1", dimension: 2, bones, target: [0.42, -0.38] } };
  },
  runs: [{ method: "ccd" }],
  warm: true,
};
