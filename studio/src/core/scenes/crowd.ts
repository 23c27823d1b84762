//! A thousand limbs, each with a target of its own, in every frame. The problem is one of them; the worker solves the others beside it.

import { aboutAxis } from "../math.ts";
import type { Scene } from "./scene.ts";

/** Upper and lower bone of every limb [m]. */
export const CROWD_BONES = [0.3, 0.26] as const;
/** Distance between neighbours [m]. */
export const CROWD_GAP = 0.42;

export const crowd: Scene = {
  spec: {
    id: "crowd",
    title: "Crowd",
    sentence: "A thousand limbs follow a wave, each solved in closed form in every frame; the time of all of them together is shown.",
    group: "figures",
    dimension: 3,
    up: "z",
    options: [
      { name: "count", label: "Limbs", kind: "range", min: 100, max: 5000, step: 100, default: 1000, unit: "", sentence: "Every limb costs the same, about a tenth of a microsecond on a fast machine: twice as many take twice as long." },
      { name: "height", label: "Height of the wave", kind: "range", min: 0, max: 0.3, step: 0.01, default: 0.12, unit: "m", sentence: "A higher wave moves some targets out of reach; those limbs stretch towards them." },
      { name: "speed", label: "Waves per second", kind: "range", min: 0, max: 2, step: 0.05, default: 0.4, unit: "/s", sentence: "Faster waves cost nothing: every frame is solved from scratch." },
    ],
  },
  build() {
    return {
      problem: {
        schema: "posekit.chain/1",
        dimension: 3,
        bones: [
          { offset: [0, 0, CROWD_BONES[0]], rotation: aboutAxis([0, 1, 0], -0.5) },
          { offset: [0, 0, CROWD_BONES[1]], rotation: aboutAxis([0, 1, 0], 1.1) },
        ],
        target: [0.1, 0.05, 0.45],
      },
    };
  },
  runs: [{ method: "two-bone" }],
  warm: true,
};
