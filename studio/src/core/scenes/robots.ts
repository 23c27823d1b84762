//! Two robot arms from URDF files: six axes and seven.

import type { FigureProblem, Quat, Vec3 } from "../files.ts";
import type { Scene, SceneProblem } from "./scene.ts";
import type { OptionSpec, SceneId } from "../types.ts";
import arm6 from "../../../../testdata/arm6.urdf?raw";
import arm7 from "./arm7.urdf?raw";

/** A tool whose z axis points at the floor. */
const DOWN: Quat = [1, 0, 0, 0];

const ORIENTATION: OptionSpec = {
  name: "orientation",
  label: "Orient the tool as well",
  kind: "switch",
  default: true,
  sentence: "Position and orientation use six degrees of freedom; with the position alone the wrist is free.",
};

interface Robot {
  id: SceneId;
  title: string;
  sentence: string;
  urdf: string;
  file: string;
  link: string;
  target: Vec3;
  start: Record<string, number>;
}

function robot({ id, title, sentence, urdf, file, link, target, start }: Robot): Scene {
  const build = (withOrientation: boolean): SceneProblem => {
    const frame = { link };
    const task: FigureProblem["tasks"][number] = withOrientation
      ? { task: "pose", name: "tool", frame, target, orientation: DOWN }
      : { task: "position", name: "tool", frame, target };
    return { problem: { schema: "posekit.figure/1", urdf: file, start, tasks: [task] }, urdf };
  };
  return {
    spec: { id, title, sentence, group: "robots", dimension: 3, up: "z", options: [ORIENTATION] },
    build: (options) => build(options["orientation"] === true),
    runs: [{ method: "auto" }],
    warm: true,
  };
}

export const robot6 = robot({
  id: "arm6",
  title: "Six-axis robot",
  sentence: "The dimensions of the UR5e: move and turn the tool; every target has up to eight solutions, and the closest is taken.",
  urdf: arm6,
  file: "arm6.urdf",
  link: "tool0",
  target: [0.38, -0.35, 0.25],
  start: { shoulder_pan: 0.4, shoulder_lift: -1.3, elbow: -1.5, wrist_1_turn: -1.4, wrist_2_turn: 1.3 },
});

export const robot7 = robot({
  id: "arm7",
  title: "Seven-axis robot",
  sentence: "The dimensions and narrow ranges of the Panda: seven joints for six degrees of freedom, so the elbow can move freely.",
  urdf: arm7,
  file: "arm7.urdf",
  link: "flange",
  target: [0.42, -0.35, 0.38],
  start: { joint_2: -0.4, joint_4: -2.0, joint_6: 1.6, joint_7: 0.8 },
});
