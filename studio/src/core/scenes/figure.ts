//! The standing figure of the demo: both feet held, one hand round the bar of a door, the other on a rail; drag the hips.
//!
//! The numbers are those of `posekit demo`, written by a test of posekit-cli (see `crates/posekit-cli/src/studio_figure.rs`).

import type { FigureJoint, FigureProblem, FigureTask, JointValue } from "../files.ts";
import { switchOption, type Props, type Scene } from "./scene.ts";
import exported from "./figure.json";

interface Exported {
  joints: FigureJoint[];
  bodies: NonNullable<FigureProblem["bodies"]>;
  start: Record<string, JointValue>;
  stiffness: Record<string, number>;
  tasks: FigureTask[];
  parts: Props["parts"];
  plates: Props["plates"];
  rods: Props["rods"];
}

// The same numbers as they come out of a link, where -0 is 0.
const FIGURE = JSON.parse(JSON.stringify(exported)) as Exported;

/** Short names for labels. */
const NAMES: Readonly<Record<string, string>> = {
  "left foot stands": "left foot",
  "right foot stands": "right foot",
  "right hand holds the door": "right hand on the door",
  "left hand on the rail": "left hand on the rail",
  "left hand along the rail": "left hand along the rail",
  "hips 20 cm down, 12 cm aside": "hips",
  "eyes on the lamp": "eyes",
  "weight over the feet": "balance",
};

/** Feet and hands hold first; then come the hips, which are dragged; what gives way to both comes last. */
const LEVELS: Readonly<Record<string, number>> = { hips: 2, eyes: 3, balance: 3 };

function tasks(withBalance: boolean): FigureTask[] {
  const all = FIGURE.tasks.map((task): FigureTask => {
    const name = NAMES[task.name ?? ""] ?? task.name;
    const level = name === undefined ? undefined : LEVELS[name];
    return { ...task, ...(name === undefined ? {} : { name }), ...(level === undefined ? {} : { level }) };
  });
  return withBalance ? all : all.filter(({ name }) => name !== "balance");
}

export const figure: Scene = {
  spec: {
    id: "figure",
    title: "Standing figure",
    sentence: "Both feet stand, one hand holds a door, the other a rail: drag the hips, and everything else holds on.",
    group: "figures",
    dimension: 3,
    up: "z",
    options: [{
      name: "balance", label: "Keep the balance", kind: "switch", default: true,
      sentence: "The weight stays over the feet as far as hands and feet allow; it costs a little time.",
    }],
  },
  build(options) {
    const problem: FigureProblem = {
      schema: "posekit.figure/1",
      joints: FIGURE.joints,
      bodies: FIGURE.bodies,
      start: FIGURE.start,
      tasks: tasks(switchOption(options, "balance")),
      settings: { stiffness: FIGURE.stiffness },
    };
    return { problem };
  },
  // It is dragged: where a target cannot be had, staying near is worth more than a jump to another pose.
  runs: [{ method: "least-squares", settings: { least_squares: { restarts: 0 } } }],
  warm: true,
  props: { parts: FIGURE.parts, plates: FIGURE.plates, rods: FIGURE.rods, balls: [] },
};
