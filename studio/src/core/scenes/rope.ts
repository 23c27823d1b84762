//! A rope in the plane, for the methods that move points: relaxation with its weights, and FABRIK.

import type { PlaneBone } from "../files.ts";
import { numberOption, segments, textOption, type Scene } from "./scene.ts";

/** From end to end [m]. */
const LENGTH = 2;
/** Direction of the first bone, and by how much the rope turns on its way [rad]: it hangs in an arc. */
const [FIRST, ARC] = [-2.2, 2.9];

/** The weight of the base of a bone, by its place from the root (0) to the tip (1). */
const WEIGHTS: Readonly<Record<string, (place: number) => number>> = {
  even: () => 1,
  tip: (place) => 0.1 + 1.9 * place,
  root: (place) => 2 - 1.9 * place,
  middle: (place) => 0.1 + 1.9 * (1 - Math.abs(2 * place - 1)),
};

export const rope: Scene = {
  spec: {
    id: "rope",
    title: "Rope",
    sentence: "Up to 200 segments, moved as points: relaxation spreads the bend by its weights, FABRIK pulls along lines.",
    group: "plane",
    dimension: 2,
    up: "y",
    options: [
      segments(2, 200, 40),
      {
        name: "weights",
        label: "Weights",
        kind: "choice",
        choices: [
          { value: "even", label: "Even" },
          { value: "tip", label: "More towards the tip" },
          { value: "root", label: "More towards the root" },
          { value: "middle", label: "More in the middle" },
        ],
        default: "even",
        sentence: "A point of more weight takes more of each correction in relaxation. Each bone's weight can be typed in as well.",
      },
    ],
  },
  build(options) {
    const n = numberOption(options, "segments");
    const weightAt = WEIGHTS[textOption(options, "weights")] ?? (() => 1);
    const bones = Array.from({ length: n }, (_, index): PlaneBone => {
      const weight = Number(weightAt(n > 1 ? index / (n - 1) : 0).toFixed(3));
      const bone: PlaneBone = { length: LENGTH / n, angle: index === 0 ? FIRST + ARC / (2 * n) : ARC / n };
      if (weight !== 1) bone.weight = weight;
      return bone;
    });
    return { problem: { schema: "posekit.chain/1", dimension: 2, root: [-0.6, 0.5], bones, target: [0.55, 0.25] } };
  },
  runs: [{ method: "fabrik" }, { method: "relaxation" }],
  warm: true,
};
