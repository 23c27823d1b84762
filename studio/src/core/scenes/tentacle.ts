//! A tentacle, or a spine: many short bones in space, each within a narrow cone.

import type { SpaceBone } from "../files.ts";
import { aboutAxis, radians } from "../math.ts";
import { degreesOption, numberOption, segments, type Scene } from "./scene.ts";

/** All bones together [m], and how much shorter the last one is than the first. */
const LENGTH = 1.5;
const TAPER = 0.6;

export const tentacle: Scene = {
  spec: {
    id: "tentacle",
    title: "Tentacle",
    sentence: "A spine of ball joints, each within a narrow cone: all of them have to share the bend.",
    group: "space",
    dimension: 3,
    up: "z",
    options: [
      segments(3, 80, 24),
      degreesOption("swing", "Cone of each joint", 16, [1, 60], "With a wider cone the bend concentrates in few joints; a narrow one needs all of them."),
      degreesOption("twist", "Twist of each joint", 6, [0, 45], "How far a joint rotates about its own bone; it does not affect the reach, and much of it looks unnatural."),
    ],
  },
  build(options) {
    const n = numberOption(options, "segments");
    const swing = radians(numberOption(options, "swing"));
    const twist = radians(numberOption(options, "twist"));
    const share = (index: number) => 1 - (TAPER * index) / Math.max(1, n - 1);
    const total = Array.from({ length: n }, (_, index) => share(index)).reduce((a, b) => a + b, 0);
    const bones = Array.from({ length: n }, (_, index): SpaceBone => {
      // A slow wave, so that the start is alive and nobody's straight line.
      const bend = Math.min(0.9 * swing, 2.2 / n);
      const wave = Math.cos((2 * Math.PI * index) / n);
      return {
        offset: [0, 0, (LENGTH * share(index)) / total],
        // About an axis across the bone: no twist.
        rotation: aboutAxis([0.3, wave, 0], bend * Math.hypot(0.3, wave)),
        cone: { swing, twist: [-twist, twist] },
      };
    });
    return { problem: { schema: "posekit.chain/1", dimension: 3, bones, target: [0.62, -0.35, 0.85] } };
  },
  runs: [{ method: "ccd" }],
  warm: true,
};
