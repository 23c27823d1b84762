//! The files and answers of posekit. Written from the types of Rust by a test, with `POSEKIT_BLESS=1`; do not edit.
//! Lengths in metres, or in the unit of a motion's file, angles in radians, rotations x, y, z, w.

/** The content of a chain problem file. */
export type ChainProblem = { "schema": "posekit.chain/1",
  /** Number of coordinates of every point, at least 1. */
  dimension: number,
  /** The target position of the tip, `dimension` numbers [m]. */
  target: Array<number>,
  /** The target orientation of the tip, x, y, z, w; only with bones in space. */
  orientation?: [number, number, number, number], } & ({
  /** The base of the first bone [m]; omitted from the file if it is the origin. */
  root?: [number, number],
  /** The bones, root first; at least one. */
  bones: Array<PlaneBone>, } | {
  /** The base of the first bone [m]; omitted from the file if it is the origin. */
  root?: [number, number, number],
  /** The bones, root first; at least one. */
  bones: Array<SpaceBone>, } | {
  /** The joints, root first, tip last, each with as many numbers as the problem has dimensions [m]; at least two. */
  points: Array<Array<number>>,
  /** Weights for relaxation, one per point, or one per bone (the points without the tip). Without them every weight is 1. */
  weights?: Array<number>, });

/** One contact of a file. */
export type ContactEntry = {
  /** The name of the held joint. */
  joint: string,
  /** The held point in the joint's frame; by default the origin. */
  point?: [number, number, number],
  /** The rotation of the held frame on the joint [x, y, z, w]; by default the identity. */
  turn?: [number, number, number, number],
  /** The start [s]. */
  from: number,
  /** The end [s]. */
  to: number,
  /** What it is on; by default the world. */
  on?: SupportEntry,
  /** The blend-in time [s]; 0.2 by default. */
  ease_in?: number,
  /** The blend-out time [s]; 0.2 by default. */
  ease_out?: number, } & ({ "hold": "position",
  /** The point; by default its position in the middle of the contact. */
  at?: [number, number, number], } | { "hold": "pose",
  /** The point. */
  at: [number, number, number],
  /** The rotation [x, y, z, w]. */
  rotation: [number, number, number, number], } | { "hold": "pose" } | { "hold": "surface",
  /** A point of the plane. */
  at: [number, number, number],
  /** The normal of the plane, of any length but zero. */
  normal: [number, number, number], });

/** The contacts in a file: time intervals in which joints are held. */
export type ContactsFile = { "schema": "posekit.contacts/1",
  /** The contacts, in the order of the file. They may overlap. */
  contacts: Array<ContactEntry>, };

/** A mass on a joint. */
export type FigureBody = {
  /** The joint's name. */
  joint: string,
  /** The centre of mass in the joint's frame [m]. */
  center: [number, number, number],
  /** The mass, not negative [kg]. */
  mass: number, };

/** A segment with a radius. */
export type FigureCapsule = { joint?: string, link?: string, ends: [number, number, number][], radius: number };

/** The limits of a ball joint's swing away from an axis and twist about it. */
export type FigureCone = {
  /** The axis in the joint's frame; any length but zero. */
  axis: [number, number, number],
  /** Largest swing [rad], 0 to pi. */
  swing: number,
  /** Smallest and largest twist [rad]. */
  twist: [number, number], };

/** A frame of a task. */
export type FigureFrame = string | {
  /** Its position there [m]; by default the origin. */
  position?: [number, number, number],
  /** Its rotation there, x, y, z, w; by default the identity. */
  rotation?: [number, number, number, number], } & ({ "joint": string } | { "link": string });

/** A joint of a skeleton in the figure file itself. */
export type FigureJoint = {
  /** Its name, unique in the file. */
  name: string,
  /** The name of its parent, an earlier joint; none for a root. */
  parent: string | null,
  /** Its position on its parent [m]; by default the origin. */
  position?: [number, number, number],
  /** Its rotation on its parent, x, y, z, w, of unit length within 1e-3; by default the identity. */
  rotation?: [number, number, number, number],
  /** The joint that it mimics; only for a hinge or a slide. */
  mimic?: FigureMimic, } & ({ "kind": "fixed" } | { "kind": "revolute",
  /** The axis. */
  axis: [number, number, number],
  /** Smallest and largest angle [rad]. */
  limit?: [number, number], } | { "kind": "prismatic",
  /** The direction. */
  axis: [number, number, number],
  /** Smallest and largest distance [m]. */
  limit?: [number, number], } | { "kind": "ball",
  /** The limits of swing and twist. */
  cone?: FigureCone, } | { "kind": "free" });

/** A mimic relation: `multiplier * value + offset`. */
export type FigureMimic = {
  /** The name of the driver. */
  joint: string,
  /** The factor; 1 by default. */
  multiplier?: number,
  /** The offset [rad or m]; 0 by default. */
  offset?: number, };

/** The content of a figure file: a skeleton and its tasks. */
export type FigureProblem = { "schema": "posekit.figure/1",
  /** The masses; by default the bodies of the URDF. */
  bodies?: Array<FigureBody>,
  /** Joint values to start from, whose change is minimised; joints without an entry start at their neutral values. */
  start?: Record<string, number | readonly number[]>,
  /** The tasks. */
  tasks: Array<FigureTask>,
  /** The settings of the solve. */
  settings?: FigureSettings, } & ({
  /** The joints. */
  joints: Array<FigureJoint>, } | {
  /** The path of a URDF or an MJCF, relative to the figure's file, without `..` or a root. */
  urdf: string,
  /** How it is attached to the world. */
  root?: FigureRoot, } | {
  /** The path of a glTF, as that of a robot. */
  gltf: string,
  /** How it is attached to the world. */
  root?: FigureRoot, });

/** How the skeleton of another file is attached to the world. */
export type FigureRoot = "pinned" | "free";

/** The settings of a figure's solve. */
export type FigureSettings = {
  /** Joints that keep their start. */
  locked?: Array<string>,
  /** The mode of the roots; free by default. The field `root` of the figure itself is different: how the skeleton of a URDF or glTF is attached to the world. */
  root?: RootMode,
  /** The stiffness of joints, above 0; 1 for joints without an entry. */
  stiffness?: Record<string, number>,
  /** Largest changes of joints [rad or m], not negative; unbounded for joints without an entry. */
  largest_change?: Record<string, number>,
  /** The weight of the change from the start against the tasks, not negative; 0 by default. */
  regularisation?: number,
  /** Number of other starts to try if the first does not reach the targets; 100 by default. */
  restarts?: number,
  /** Minimise the change among the poses that meet the tasks; true by default. */
  least_change?: boolean, };

/** A task, with its weight and level. */
export type FigureTask = {
  /** Its name, for people. */
  name?: string,
  /** Its weight among others of its level, not negative; 1 by default. */
  weight?: number,
  /** Its level, from 1, the most important and the default. */
  level?: number, } & ({ "task": "position",
  /** The frame. */
  frame: FigureFrame,
  /** The point in the world [m]. */
  target: [number, number, number], } | { "task": "orientation",
  /** The frame. */
  frame: FigureFrame,
  /** The orientation in the world, x, y, z, w. */
  orientation: [number, number, number, number], } | { "task": "pose",
  /** The frame. */
  frame: FigureFrame,
  /** The position [m]. */
  target?: [number, number, number],
  /** The orientation, x, y, z, w. */
  orientation?: [number, number, number, number],
  /** The axes along which the position counts; by default all. */
  along?: ("x" | "y" | "z")[],
  /** The axes about which the orientation counts; by default all. */
  about?: ("x" | "y" | "z")[], } | { "task": "look-at",
  /** The frame. */
  frame: FigureFrame,
  /** The axis in the frame; any length but zero. */
  axis: [number, number, number],
  /** The point in the world [m]. */
  target: [number, number, number], } | { "task": "axis-alignment",
  /** The frame. */
  frame: FigureFrame,
  /** The axis in the frame; any length but zero. */
  axis: [number, number, number],
  /** The direction in the world; any length but zero. */
  direction: [number, number, number], } | { "task": "pole",
  /** The upper bone, its origin at the limb's first joint, and the tip. */
  frames: [FigureFrame, FigureFrame],
  /** The middle joint in the first frame [m]. */
  mid: [number, number, number],
  /** The pole in the world [m]. */
  target: [number, number, number], } | { "task": "plane",
  /** The frame. */
  frame: FigureFrame,
  /** A point of the plane [m]. */
  point: [number, number, number],
  /** Its normal; any length but zero. */
  normal: [number, number, number],
  /** Whether the whole side of the normal is allowed. */
  one_sided?: boolean, } | { "task": "distance",
  /** The frames. */
  frames: [FigureFrame, FigureFrame], } & ({
  /** The distance. */
  distance: number, } | {
  /** The least; 0 by default. */
  min?: number,
  /** The largest; unbounded by default. */
  max?: number, }) | { "task": "relative-pose",
  /** The reference frame, and the other one. */
  frames: [FigureFrame, FigureFrame],
  /** The position [m]. */
  target?: [number, number, number],
  /** The orientation, x, y, z, w. */
  orientation?: [number, number, number, number],
  /** The axes along which the position counts; by default all. */
  along?: ("x" | "y" | "z")[],
  /** The axes about which the orientation counts; by default all. */
  about?: ("x" | "y" | "z")[], } | { "task": "closure",
  /** The frames. */
  frames: [FigureFrame, FigureFrame], } & ({ "link": "ball" } | { "link": "hinge",
  /** The axis in each frame, of any length but zero. */
  axes: [[number, number, number], [number, number, number]], } | { "link": "weld" }) | { "task": "center-of-mass",
  /** The point in the world [m]. */
  target: [number, number, number],
  /** The axes along which it counts; by default all. */
  along?: ("x" | "y" | "z")[], } | { "task": "support",
  /** Points on the ground [m], at least one. */
  corners: Array<[number, number, number]>,
  /** The up direction; +z by default. */
  up?: [number, number, number],
  /** The margin inside, not negative [m]; 0 by default. */
  margin?: number, } | { "task": "clearance",
  /** The capsules. */
  capsules: [FigureCapsule, FigureCapsule],
  /** The least gap [m]; 0 by default. */
  margin?: number, } | { "task": "posture",
  /** The values; joints without an entry prefer the start. */
  values?: Record<string, number | readonly number[]>,
  /** The weights of joints, not negative. By default 1 for those with values, or for all if none has a value. */
  cares?: Record<string, number>, });

/** The methods of solvers. */
export type MethodName = "auto" | "two-bone" | "arm" | "direct" | "ccd" | "fabrik" | "relaxation" | "least-squares";

export type MotionClip = { name: string, seconds: number, };

/** What feet stand on. */
export type MotionFloor = "fit" | "level" | "per-plant";

export type MotionHandle = { joint: number, role: "foot" | "hand" | "head" | "hips" | "end", };

/** The description of a file for an editor. */
export type MotionInfo = { name: string, format: "bvh" | "gltf" | "glb", nFrames: number, nValues: number,
  /** [s] */
  frameTime: number,
  /** [s] */
  start: number,
  /** Of unit length. */
  up: [number, number, number], joints: Array<MotionJoint>, metresPerUnit: number | null,
  /** The unit of length in millimetres, from the file or from the length of the legs. */
  millimetresPerUnit: number,
  /** The names of all clips in the file. */
  clips: Array<MotionClip>,
  /** The index of the open clip; null if the file has none. */
  clip: number | null,
  /** The file has no clip: the figure stands at rest. */
  stands: boolean,
  /** Guesses at what the format does not specify. */
  survey: string, warnings: Array<string>, legs: Array<MotionLeg>,
  /** The reason for these legs, or for none. */
  legsReason: string,
  /** The ends of limbs that could be legs, if none were found. */
  candidates: Array<string>,
  /** The joints that can be dragged. */
  handles: Array<MotionHandle>,
  /** The default settings. */
  usual: MotionSettings, };

export type MotionJoint = { name: string,
  /** -1 for a root. */
  parent: number,
  /** A ball, a hinge or free. */
  turns: boolean,
  /** A slide or free. */
  moves: boolean, };

export type MotionLeg = { start: number, mid: number, end: number, ball: number | null, side: "left" | "right" | "middle", };

/** A measure before and after; `None` where it is undefined. */
export type MotionMetric = { key: string, label: string, unit: string, sentence: string, before: number | null, after: number | null, };

/** A time in which a joint stands. */
export type MotionPlant = { joint: number,
  /** [s] */
  from: number,
  /** [s] */
  to: number, verdict: "fixed" | "clean" | "lessened" | "released" | "unreachable" | "skipped" | "held" | "missed", words: string, before: number, after: number, };

/** The report; lengths are in millimetres for a leg of 0.85 m, as in the command. */
export type MotionReport = {
  /** A point on the floor [the clip's unit], and its normal. */
  floor: [[number, number, number], [number, number, number]],
  /** Plants that were found, or contacts that were given, in the order of their first frames. */
  plants: Array<MotionPlant>, metrics: Array<MotionMetric>,
  /** The number of joints that differ from the source in some frame. */
  changed: number,
  /** The largest correction of the root trajectory; that of an in-place walk is none. */
  pathChange: number,
  /** By how much an in-place walk would be ahead in each frame [the clip's unit]; none of any other motion. Its contacts are where it would be then. */
  walk: Array<[number, number, number]>,
  /** The largest distance of a held joint from its target. */
  residual: number, };

/** The settings of cleaning that the page offers. Omitted ones have their defaults. */
export type MotionSettings = {
  /** Whether to clean. */
  isOn: boolean,
  /** How much of the correction to apply, from 0 (none) to 1 (all). */
  strength: number,
  /** What feet stand on. */
  floor: MotionFloor,
  /** The figure walks in place: feet are judged as if it advanced, and it stays in place. */
  inPlace: boolean,
  /** The root trajectory may change where all feet slide with it. */
  path: boolean,
  /** The first two and the last two frames stay as they are, so that the clip goes on into others as before. */
  keepEnds: boolean,
  /** The time of transition before and after a plant [s]. */
  ease: number,
  /** A foot that slides farther than this is meant to: its plant is released [leg lengths]. */
  release: number,
  /** Shorter plants are none [s]. */
  shortest: number,
  /** The blend-in and blend-out time of edited poses [s]. */
  fade: number, };

/** The method that ran, and why. */
export type NamedChoice = {
  /** The method's name. */
  method: string,
  /** The reason, as text. */
  reason: string, };

/** A joint that holds a figure back, because it cannot move further. */
export type NamedHold = {
  /** The joint's name. */
  joint: string,
  /** The cause: the field `by`, a limit by default. */
  by: "limit" | "largest-change",
  /** By how much the misses would shrink for each unit by which the limit, or the largest change, is relaxed, to first order [m/rad, m/m]; 0 if no single limit is the cause. */
  relief: number, };

/** The outcome of a solve. */
export type Outcome = { "status": "reached" } | { "status": "unreachable",
  /** Distance that is missing [the problem's unit]. */
  shortfall: number, } | { "status": "blocked",
  /** Names of the joints at their limits; `bone0`, `bone1`, ... for a chain. */
  joints: Array<string>, } | { "status": "stalled" } | { "status": "iteration-limit" } | { "status": "cancelled" };

/** A bone in the plane. */
export type PlaneBone = {
  /** Length [m], zero or positive. */
  length: number,
  /** Angle [rad] relative to the previous bone; the first relative to +x. */
  angle: number,
  /** Weight of the bone's base point in relaxation, not negative; 1 by default. */
  weight?: number,
  /** Smallest and largest angle [rad]. */
  limit?: [number, number], };

/** A task of a problem, for pages that show it. */
export type ProblemTask = {
  /** Its kind, by its name in files. */
  task: string,
  /** The name of the task. */
  name?: string,
  /** The frames that it is about, in words. */
  frame?: string,
  /** Its level, from 1. */
  level: number,
  /** Its weight. */
  weight: number,
  /** The point at which it aims [m], if there is one. */
  position?: [number, number, number],
  /** The orientation at which it aims, x, y, z, w, if there is one. */
  orientation?: [number, number, number, number],
  /** The direction at which it aims, if there is one. */
  direction?: [number, number, number],
  /** The task as in a figure's file; a chain of points has none. */
  file?: FigureTask, };

/** The description of a robot; joints are those of its skeleton, by index. */
export type RobotDescription = { name: string,
  /** How it looks. */
  visuals: Array<RobotShape>,
  /** What it is for collisions. */
  collisions: Array<RobotShape>,
  /** The largest speed of each joint [rad/s, m/s]; null where the file gives none. */
  maxSpeeds: Array<number | null>, states: Array<RobotState>,
  /** Those of the SRDF; the problem has those of the robot's own file. */
  warnings: Array<string>, };

export type RobotShape = {
  /** The joint that it is on. */
  joint: number,
  /** Its pose there: position, then quaternion x, y, z, w. */
  pose: [number, number, number, number, number, number, number], kind: "box" | "sphere" | "cylinder" | "capsule" | "ellipsoid" | "mesh" | "half-space",
  /** Half extents; radii; radius and half length, along z; the scale of a mesh. */
  size: Array<number>,
  /** The file of a mesh, as the robot's file names it. */
  file?: string,
  /** Red, green, blue, opacity, if the file gives them. */
  color?: [number, number, number, number], };

export type RobotState = { name: string, group: string | null,
  /** Joints, each with its values. */
  values: Array<[number, Array<number>]>, };

/** The mode of the roots of a skeleton, the first joints that move. */
export type RootMode = "free" | "pinned" | "pre-pulled";

/** A solution as a file: for plots, for other programs, and for tests. */
export type SolutionFile = { "schema": "posekit.solution/1",
  /** The solver's name on the command line. */
  solver: string,
  /** Iterations that were run. */
  iterations: number,
  /** Distance from tip to target [the problem's unit], by forward kinematics on the returned joint values. */
  error: number,
  /** Angle between the tip's orientation and its target [rad], if there is one. */
  orientation_error?: number,
  /** The iteration of the escape from a lock-up, if there was one. */
  escaped_at?: number,
  /** The iteration in which slow convergence was accelerated, if it was. */
  accelerated_at?: number,
  /** The name of the method that took over. */
  escaped_by?: string,
  /** The method that ran, and why. */
  choice?: NamedChoice,
  /** The error of each task of a figure, in the order of its file. */
  misses?: Array<TaskMiss>,
  /** The limits and largest changes that hold a figure back. */
  holds?: Array<NamedHold>,
  /** Joint angles of a chain in the plane, relative, in (-pi, pi] [rad]. */
  angles?: Array<number>,
  /** Joint rotations of a chain in space, x, y, z, w. */
  rotations?: Array<[number, number, number, number]>,
  /** Joint values of a robot by name, in the order of its joints: an object in the file. */
  configuration?: Record<string, number | readonly number[]>,
  /** The bases of the bones and the tip, or the origins of a figure's joints, each with as many numbers as the problem has dimensions. */
  points: Array<Array<number>>,
  /** The names of the points, in the same order: all joints of a figure, including fixed ones; for a robot the joints that move the tip, and `tip`. */
  point_names?: Array<string>,
  /** Several solutions, best first, each as `angles`; the fields above repeat the best. */
  solutions?: Array<Array<number>>,
  /** The trace of the solver, if requested. */
  trace?: Array<TraceEntry>, } & ({ "status": "reached" } | { "status": "unreachable",
  /** Distance that is missing [the problem's unit]. */
  shortfall: number, } | { "status": "blocked",
  /** Names of the joints at their limits; `bone0`, `bone1`, ... for a chain. */
  joints: Array<string>, } | { "status": "stalled" } | { "status": "iteration-limit" } | { "status": "cancelled" });

/** A bone in space. */
export type SpaceBone = { offset: [number, number, number], rotation: [number, number, number, number], weight?: number, hinge?: [number, number, number], limit?: [number, number], cone?: { swing: number, twist: [number, number] } };

/** How a solve ended. */
export type Status = Outcome["status"];

/** What a contact in a file is on. */
export type SupportEntry = string | Array<SupportKey>;

/** Where something that moves is at a time, in the world. */
export type SupportKey = {
  /** [s] */
  time: number,
  /** Its origin. */
  at: [number, number, number],
  /** Its rotation [x, y, z, w]; by default none. */
  rotation?: [number, number, number, number], };

/** The error of a task, by forward kinematics on the returned joint values. */
export type TaskMiss = {
  /** The kind of the task, by its name in files. */
  task: string,
  /** Its name in the figure. */
  name?: string,
  /** Its level, from 1. */
  level: number,
  /** The error in length [m], if the task has one. */
  distance?: number,
  /** The error in angle [rad], if the task has one. */
  angle?: number,
  /** True when it is within the tolerances. */
  met: boolean, };

/** The state after one iteration. */
export type TraceEntry = {
  /** The iteration, from 1; 0 is the start. */
  iteration: number,
  /** Distance from tip to target after it [the problem's unit]. */
  error: number,
  /** Joint angles after it, of a chain in the plane [rad]. */
  angles?: Array<number>,
  /** Joint rotations after it, of a chain in space, x, y, z, w. */
  rotations?: Array<[number, number, number, number]>,
  /** Points after it. For relaxation the raw relaxed ones, whose distances may differ from the bone lengths. */
  points: Array<Array<number>>, };
