//! The figures of the texts in which a method locks up: two bones in a line, the target on it, nearer than the tip.

import type { PlaneChain } from "../files.ts";
import type { Scene } from "./scene.ts";

const LINE: PlaneChain = {
  schema: "posekit.chain/1",
  dimension: 2,
  bones: [{ length: 1, angle: 0 }, { length: 0.7, angle: 0 }],
  target: [0.75, 0],
};

/** Figure 2 of the text on relaxation: neither bone leaves the line. */
export const lockUp2: Scene = {
  spec: {
    id: "lock-up-2",
    title: "Lock-up of relaxation",
    sentence: "Two bones in a line, the target on it: as published it stays there for ever; beside it the escape.",
    group: "learn",
    dimension: 2,
    up: "y",
    options: [],
  },
  build: () => ({ problem: structuredClone(LINE) }),
  runs: [{ method: "relaxation", settings: { classic: true, iterations: 20 } }, { method: "relaxation" }],
  warm: false,
};

/** Figure 3 of the text on cyclic coordinate descent: the second bone folds back, and then each bone stands where it is best alone. */
export const lockUp3: Scene = {
  spec: {
    id: "lock-up-3",
    title: "Lock-up of CCD",
    sentence: "Two bones in a line, the target on it: the second folds back, and nothing moves again; beside it the escape.",
    group: "learn",
    dimension: 2,
    up: "y",
    options: [],
  },
  build: () => ({ problem: structuredClone(LINE) }),
  runs: [{ method: "ccd", settings: { classic: true, iterations: 20 } }, { method: "ccd" }],
  warm: false,
};
