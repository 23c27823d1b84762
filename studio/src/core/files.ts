//! The file formats `posekit.chain/1` and `posekit.figure/1` as the scenes and the panel use them; `docs/files.md` describes each field.
//! Metres, radians, quaternions x, y, z, w.

import type * as Files from "posekit";
import type { ChainProblem, PlaneBone, SpaceBone } from "posekit";

export type { ChainProblem, FigureCone, FigureFrame, FigureSettings, FigureTask, PlaneBone, SpaceBone } from "posekit";

type KeysOf<Each> = Each extends unknown ? keyof Each : never;
type ValueOf<Each, Key> = Each extends unknown ? (Key extends keyof Each ? Each[Key] : never) : never;
/** What one of these may be, as one type: what not all of them have may be missing. For a page that turns one into another. */
export type Merged<Each> = Pick<Each, keyof Each> & { [Key in Exclude<KeysOf<Each>, keyof Each>]?: ValueOf<Each, Key> };

export type FigureJoint = Merged<Files.FigureJoint>;
export type FigureProblem = Omit<Merged<Files.FigureProblem>, "joints"> & { joints?: FigureJoint[] };
export type ProblemFile = ChainProblem | FigureProblem;

export type Vec2 = [number, number];
export type Vec3 = [number, number, number];
/** A rotation: x, y, z, w. */
export type Quat = [number, number, number, number];
/** Least and largest value. */
export type Range = [number, number];

export type PlaneChain = Extract<ChainProblem, { bones: PlaneBone[] }>;
export type SpaceChain = Extract<ChainProblem, { bones: SpaceBone[] }>;
export type PointChain = Extract<ChainProblem, { points: number[][] }>;

export type Cone = NonNullable<SpaceBone["cone"]>;
export type JointKind = FigureJoint["kind"];

/** A number, or x, y, z, w, for a free joint behind its position. */
export type JointValue = number | readonly number[];

/** The file beside it from which a figure takes its joints. */
export function namedFile({ urdf, gltf }: FigureProblem): string | undefined {
  return urdf ?? gltf;
}

/** Whether tasks may be those of an arm, whose goal is the pose of its tip, as one task or as two: arms are solved in closed form by the library with robots. */
export function mayBeOfArm(tasks: readonly { task: string }[]): boolean {
  return tasks.length <= 2 && tasks.some(({ task }) => task === "pose" || task === "orientation");
}

/** Whether the text of a robot is an MJCF, not a URDF, which may have an element `<mujoco>` inside: the first element tells. */
export function isMjcf(text: string): boolean {
  // An expression that skips comments would divide them in exponentially many ways.
  for (let at = text.indexOf("<"); at >= 0; at = text.indexOf("<", at + 1)) {
    if (text.startsWith("<!--", at)) at = text.indexOf("-->", at);
    else if (!text.startsWith("<!", at) && !text.startsWith("<?", at)) return /^<mujoco[\s>/]/.test(text.slice(at, at + 8));
    if (at < 0) break;
  }
  return false;
}

export function isFigure(problem: ProblemFile): problem is FigureProblem {
  return problem.schema === "posekit.figure/1";
}

export function isPoints(problem: ProblemFile): problem is PointChain {
  return "points" in problem;
}

export function isPlane(problem: ProblemFile): problem is PlaneChain {
  return !isFigure(problem) && !isPoints(problem) && problem.dimension === 2;
}

export function isSpace(problem: ProblemFile): problem is SpaceChain {
  return !isFigure(problem) && !isPoints(problem) && problem.dimension === 3;
}
