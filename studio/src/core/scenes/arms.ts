//! One arm in space in three modes: free joints, hinges, hinges with ranges. The same bones, so that what a limit does can be seen.

import type { SpaceBone, Vec3 } from "../files.ts";
import { aboutAxis, radians } from "../math.ts";
import { completeOptions, degreesOption, lengthOption, numberOption, segments, type Options, type Scene, type SceneProblem } from "./scene.ts";
import type { MethodName, OptionSpec, SceneId } from "../types.ts";

type Mode = "free" | "hinges" | "ranges";

const X: Vec3 = [1, 0, 0];
const Y: Vec3 = [0, 1, 0];
const Z: Vec3 = [0, 0, 1];

/** The base turns about the vertical, the others bend: mostly one way, with one across now and then. */
function axisOf(index: number): Vec3 {
  if (index === 0) return Z;
  return index % 3 === 0 ? X : Y;
}

/** The bend of the start [rad]: a standing arm, a little forward. */
function startAngle(index: number, n: number): number {
  if (index === 0) return 0.3;
  return index % 3 === 0 ? 0.12 : 1.6 / n;
}

function build(options: Options, mode: Mode): SceneProblem {
  const n = numberOption(options, "segments");
  const range = mode === "ranges" ? radians(numberOption(options, "range")) : Math.PI;
  const bones = Array.from({ length: n }, (_, index): SpaceBone => {
    const axis = axisOf(index);
    const angle = Math.min(startAngle(index, n), range);
    const bone: SpaceBone = { offset: [0, 0, numberOption(options, "length")], rotation: aboutAxis(axis, angle) };
    if (mode !== "free") bone.hinge = axis;
    // The base turns all the way round.
    if (mode === "ranges") bone.limit = index === 0 ? [-Math.PI, Math.PI] : [-range, range];
    return bone;
  });
  return { problem: { schema: "posekit.chain/1", dimension: 3, bones, target: [0.36, -0.42, 0.38] } };
}

interface ArmScene {
  id: SceneId;
  mode: Mode;
  title: string;
  sentence: string;
  method: MethodName;
  extra: OptionSpec[];
}

function arm({ id, mode, title, sentence, method, extra }: ArmScene): Scene {
  const options = [
    segments(2, 16, 5),
    lengthOption("length", "Bone length", 0.2, [0.05, 0.5], "Longer bones reach farther; the number of iterations stays the same, because tolerances scale with the reach."),
    ...extra,
  ];
  return {
    spec: { id, title, sentence, group: "space", dimension: 3, up: "z", options },
    build: (given) => build(completeOptions(options, given), mode),
    runs: [{ method }],
    warm: true,
  };
}

export const armFree = arm({
  id: "arm-free",
  mode: "free",
  title: "Arm, free joints",
  sentence: "Every joint is a ball joint without limits: the pole selects the side to which the arm bends.",
  method: "ccd",
  extra: [],
});

export const armHinges = arm({
  id: "arm-hinges",
  mode: "hinges",
  title: "Arm, hinges",
  sentence: "The same arm, but each joint rotates about one axis only: the same target, another pose.",
  method: "ccd",
  extra: [],
});

export const armRanges = arm({
  id: "arm-ranges",
  mode: "ranges",
  title: "Arm, hinges and ranges",
  sentence: "The same arm with a range for each hinge: drag the target low or behind and see which joints hold it back.",
  method: "ccd",
  extra: [degreesOption("range", "Range to either side", 55, [5, 170], "A smaller range limits the arm earlier; the joints at their limits are named.")],
});
