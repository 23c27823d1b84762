//! The file formats `posekit.chain/1`, `posekit.figure/1` and `posekit.solution/1` as types; `docs/files.md` says what each field is.
//! Metres, radians, quaternions x, y, z, w.

export type Vec2 = [number, number];
export type Vec3 = [number, number, number];
/** A rotation: x, y, z, w. */
export type Quat = [number, number, number, number];
/** Least and largest value. */
export type Range = [number, number];

export interface PlaneBone {
  length: number;
  angle: number;
  weight?: number;
  limit?: Range;
}

export interface Cone {
  swing: number;
  twist: Range;
}

export interface SpaceBone {
  offset: Vec3;
  rotation: Quat;
  hinge?: Vec3;
  limit?: Range;
  cone?: Cone;
  weight?: number;
}

interface ChainHead {
  schema: "posekit.chain/1";
  root?: number[];
  target: number[];
}

export interface PlaneChain extends ChainHead {
  dimension: 2;
  bones: PlaneBone[];
}

export interface SpaceChain extends ChainHead {
  dimension: 3;
  bones: SpaceBone[];
  orientation?: Quat;
}

export interface PointChain extends ChainHead {
  dimension: number;
  points: number[][];
  weights?: number[];
}

export type ChainProblem = PlaneChain | SpaceChain | PointChain;

export type JointKind = "fixed" | "revolute" | "prismatic" | "ball" | "free";

export interface FigureCone {
  axis: Vec3;
  swing: number;
  twist: Range;
}

export interface FigureJoint {
  name: string;
  parent: string | null;
  kind: JointKind;
  axis?: Vec3;
  position?: Vec3;
  rotation?: Quat;
  limit?: Range;
  cone?: FigureCone;
  mimic?: { joint: string; multiplier?: number; offset?: number };
}

/** A joint's name, or a place on a joint or a link. */
export type FrameName = string | { joint?: string; link?: string; position?: Vec3; rotation?: Quat };

interface TaskHead {
  name?: string;
  weight?: number;
  level?: number;
}

type AxisName = "x" | "y" | "z";

export type FigureTask = TaskHead &
  (
    | { task: "position"; frame: FrameName; target: Vec3 }
    | { task: "orientation"; frame: FrameName; orientation: Quat }
    | { task: "pose"; frame: FrameName; target?: Vec3; orientation?: Quat; along?: AxisName[]; about?: AxisName[] }
    | { task: "look-at"; frame: FrameName; axis: Vec3; target: Vec3 }
    | { task: "axis-alignment"; frame: FrameName; axis: Vec3; direction: Vec3 }
    | { task: "pole"; frames: [FrameName, FrameName]; mid: Vec3; target: Vec3 }
    | { task: "plane"; frame: FrameName; point: Vec3; normal: Vec3; one_sided?: boolean }
    | { task: "distance"; frames: [FrameName, FrameName]; distance?: number; min?: number; max?: number }
    | { task: "relative-pose"; frames: [FrameName, FrameName]; target?: Vec3; orientation?: Quat; along?: AxisName[]; about?: AxisName[] }
    | { task: "closure"; frames: [FrameName, FrameName]; link: "ball" | "hinge" | "weld"; axes?: [Vec3, Vec3] }
    | { task: "center-of-mass"; target: Vec3; along?: AxisName[] }
    | { task: "support"; corners: Vec3[]; up?: Vec3; margin?: number }
    | { task: "clearance"; capsules: unknown[]; margin?: number }
    | { task: "posture"; values?: Record<string, JointValue>; cares?: Record<string, number> }
  );

/** A number, or x, y, z, w, for a free joint behind its position. */
export type JointValue = number | number[];

export interface FigureSettings {
  locked?: string[];
  root?: "free" | "pinned" | "pre-pulled";
  stiffness?: Record<string, number>;
  largest_change?: Record<string, number>;
  regularisation?: number;
  restarts?: number;
  least_change?: boolean;
}

export interface FigureProblem {
  schema: "posekit.figure/1";
  joints?: FigureJoint[];
  urdf?: string;
  gltf?: string;
  root?: "pinned" | "free";
  bodies?: { joint: string; center: Vec3; mass: number }[];
  start?: Record<string, JointValue>;
  tasks: FigureTask[];
  settings?: FigureSettings;
}

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
  return /^\uFEFF?(?:\s|<\?[^>]*>|<!--[\s\S]*?-->|<![A-Z][^>]*>)*<mujoco[\s>/]/.test(text);
}

export type ProblemFile = ChainProblem | FigureProblem;

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
