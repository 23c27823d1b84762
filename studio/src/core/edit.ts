//! Changes of a problem's JSON: targets, roots, limits, where it starts. Every change makes a new problem and shares what stays.

import { isFigure, isPlane, isPoints, isSpace, type FigureProblem, type FigureTask, type JointValue, type ProblemFile, type Quat, type Vec3 } from "./files.ts";
import { frameOf } from "./goals.ts";
import { aboutAxis } from "./math.ts";
import { withRobotLimit } from "./urdf.ts";
import type { Handle, HandleMove, ProblemInfo, StudioDocument } from "./types.ts";

/** A target as the solver takes it: 2 or 3 numbers, 4 for an orientation, 7 for a pose. */
export interface TargetNumbers {
  task: number;
  numbers: number[];
}

/** The targets of a problem, as far as they can be moved without loading it anew. */
export function targetsOf(problem: ProblemFile): TargetNumbers[] {
  if (isFigure(problem)) return problem.tasks.flatMap((task, index) => figureTarget(task, index));
  const tip = [{ task: 0, numbers: problem.target }];
  return isSpace(problem) && problem.orientation ? [...tip, { task: 1, numbers: [...problem.orientation] }] : tip;
}

function figureTarget(task: FigureTask, index: number): TargetNumbers[] {
  switch (task.task) {
    case "position":
    case "look-at":
    case "pole":
    case "center-of-mass":
      return [{ task: index, numbers: [...task.target] }];
    case "orientation":
      return [{ task: index, numbers: [...task.orientation] }];
    case "pose": {
      const numbers = [...(task.target ?? []), ...(task.orientation ?? [])];
      return numbers.length > 0 ? [{ task: index, numbers }] : [];
    }
    default:
      return [];
  }
}

/** True when a loaded problem can be made the other one by moving its targets. */
export function onlyTargetsDiffer(a: ProblemFile, b: ProblemFile): boolean {
  if (a === b) return true;
  if (isFigure(a) !== isFigure(b)) return false;
  const [one, two] = [a, b] as unknown as Record<string, unknown>[];
  if (!one || !two) return false;
  const names = new Set([...Object.keys(one), ...Object.keys(two)]);
  for (const name of names) {
    if (isFigure(a) && name === "tasks") {
      if (!sameTasks(a.tasks, (b as FigureProblem).tasks)) return false;
    } else if (name === "target" || name === "orientation") {
      if ((one[name] === undefined) !== (two[name] === undefined)) return false;
    } else if (!isAlike(one[name], two[name])) {
      return false;
    }
  }
  return true;
}

/** The same object, or the same few numbers and words. */
function isAlike(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  const isSmall = (value: unknown) => Array.isArray(value) && value.length <= 4 && value.every((item) => typeof item === "number");
  return isSmall(a) && isSmall(b) && String(a) === String(b);
}

function sameTasks(a: readonly FigureTask[], b: readonly FigureTask[]): boolean {
  return a === b || (a.length === b.length && a.every((task, index) => sameButTarget(task, b[index])));
}

function sameButTarget(a: FigureTask, b: FigureTask | undefined): boolean {
  if (a === b) return true;
  if (!b || a.task !== b.task) return false;
  const [one, two] = [a, b] as unknown as Record<string, unknown>[];
  if (!one || !two) return false;
  const movable = figureTarget(a, 0).length > 0;
  const names = new Set([...Object.keys(one), ...Object.keys(two)]);
  return [...names].every((name) => {
    if (movable && (name === "target" || name === "orientation")) return (one[name] === undefined) === (two[name] === undefined);
    return isAlike(one[name], two[name]);
  });
}

/** The document with what a handle stands for moved; the same object when there is nothing to move. */
export function moveHandle(document: StudioDocument, info: ProblemInfo, handle: Handle, move: HandleMove): StudioDocument {
  const { problem, urdf } = document;
  if (handle.kind === "limit" && urdf !== undefined && isFigure(problem) && problem.urdf !== undefined) {
    const moved = moveRobotLimit(urdf, info, handle, move.value);
    return moved === urdf ? document : { ...document, urdf: moved };
  }
  const moved = moveInProblem(problem, info, handle, move);
  return moved === problem ? document : { ...document, problem: moved };
}

function moveInProblem(problem: ProblemFile, info: ProblemInfo, handle: Handle, move: HandleMove): ProblemFile {
  switch (handle.kind) {
    case "target": return moveTarget(problem, handle.task ?? 0, move);
    case "root": return move.position ? moveRoot(problem, info, move.position) : problem;
    case "limit": return handle.joint !== null && handle.limit && move.value !== undefined ? moveLimit(problem, info, handle.joint, handle.limit.end, move.value) : problem;
    case "joint": return isPoints(problem) && move.position ? withPoint(problem, handle.joint ?? 0, move.position) : problem;
    case "pole": return problem;
  }
}

/** The robot's text with one end of a range moved; the limits of a robot are its file's. */
function moveRobotLimit(urdf: string, info: ProblemInfo, { joint, limit: ends }: Handle, value: number | undefined): string {
  const limit = joint === null ? undefined : info.limits[joint];
  const name = joint === null ? undefined : info.names[joint];
  if (limit?.kind !== "range" || name === undefined || value === undefined || (ends?.end !== "min" && ends?.end !== "max")) return urdf;
  return withRobotLimit(urdf, name, withEnd([limit.min, limit.max], ends.end, value), ends.end);
}

function moveTarget(problem: ProblemFile, task: number, { position, rotation }: HandleMove): ProblemFile {
  if (isFigure(problem)) {
    const tasks = problem.tasks.map((old, index) => (index === task ? movedTask(old, position, rotation) : old));
    return { ...problem, tasks };
  }
  const target = position ? position.slice(0, problem.dimension) : problem.target;
  if (isSpace(problem) && problem.orientation && rotation) return { ...problem, target, orientation: rotation };
  return { ...problem, target };
}

/** The document with each target where its frame is when the joints have these poses. */
export function withTargetsAt(document: StudioDocument, info: ProblemInfo, poses: Float64Array): StudioDocument {
  const { problem } = document;
  if (!isFigure(problem)) return document;
  const tasks = problem.tasks.map((task, index) => {
    if (task.task !== "position" && task.task !== "orientation" && task.task !== "pose") return task;
    const { position, rotation } = frameOf(info.tasks[index], { poses });
    return movedTask(task, position, rotation);
  });
  return { ...document, problem: { ...problem, tasks } };
}

function movedTask(task: FigureTask, position: Vec3 | undefined, rotation: Quat | undefined): FigureTask {
  switch (task.task) {
    case "position":
    case "look-at":
    case "pole":
    case "center-of-mass":
      return position ? { ...task, target: position } : task;
    case "orientation":
      return rotation ? { ...task, orientation: rotation } : task;
    case "pose":
      return {
        ...task,
        ...(task.target && position ? { target: position } : {}),
        ...(task.orientation && rotation ? { orientation: rotation } : {}),
      };
    default:
      return task;
  }
}

function moveRoot(problem: ProblemFile, info: ProblemInfo, position: Vec3): ProblemFile {
  if (isPoints(problem)) {
    const points = problem.points.map((point, index) => (index === 0 ? position.slice(0, problem.dimension) : point));
    return { ...problem, points };
  }
  if (!isFigure(problem)) return isPlane(problem) ? { ...problem, root: [position[0], position[1]] } : { ...problem, root: position };
  const root = rootOf(info);
  const joints = problem.joints?.map((joint) => (joint.name === info.names[root] ? { ...joint, position } : joint));
  return joints ? { ...problem, joints } : problem;
}

/** The first joint without a parent. */
export function rootOf(info: ProblemInfo): number {
  return Math.max(0, info.parents.indexOf(-1));
}

type End = NonNullable<Handle["limit"]>["end"];

function moveLimit(problem: ProblemFile, info: ProblemInfo, joint: number, end: End, value: number): ProblemFile {
  if (isFigure(problem)) {
    const name = info.names[joint];
    const joints = problem.joints?.map((old) => (old.name === name ? withLimit(old, end, value) : old));
    return joints ? { ...problem, joints } : problem;
  }
  if (isPlane(problem)) return { ...problem, bones: problem.bones.map((bone, index) => (index === joint ? withLimit(bone, end, value) : bone)) };
  if (isSpace(problem)) return { ...problem, bones: problem.bones.map((bone, index) => (index === joint ? withLimit(bone, end, value) : bone)) };
  return problem;
}

interface Limited {
  limit?: [number, number];
  cone?: { swing: number; twist: [number, number] };
}

function withLimit<T extends Limited>(bone: T, end: End, value: number): T {
  if (end === "swing" && bone.cone) return { ...bone, cone: { ...bone.cone, swing: Math.min(Math.PI, Math.max(0, value)) } };
  if ((end === "twist-min" || end === "twist-max") && bone.cone) {
    return { ...bone, cone: { ...bone.cone, twist: withEnd(bone.cone.twist, end === "twist-min" ? "min" : "max", value) } };
  }
  if ((end === "min" || end === "max") && bone.limit) return { ...bone, limit: withEnd(bone.limit, end, value) };
  return bone;
}

/** The limit that a joint is given first [rad]: this much to either side, and its start within. */
const FIRST_LIMIT = Math.PI / 2;

/** Whether a joint of the document can be given a limit: one that turns and is written out there. */
export function canBeLimited(problem: ProblemFile, info: ProblemInfo, joint: number): boolean {
  if (info.limits[joint]?.kind !== "none") return false;
  return isFigure(problem) ? problem.joints !== undefined && info.kinds[joint] === "revolute" && (info.mimics[joint] ?? -1) < 0 : !isPoints(problem);
}

/** A joint with a first limit, to be moved from there. */
export function withFirstLimit(problem: ProblemFile, info: ProblemInfo, joint: number): ProblemFile {
  const value = info.start.q[info.valueOffsets[joint] ?? 0] ?? 0;
  const range: [number, number] = [Math.min(value, -FIRST_LIMIT), Math.max(value, FIRST_LIMIT)];
  const limit = <T extends object>(list: readonly T[], of: (item: T) => object) => list.map((item, at) => (at === joint ? { ...item, ...of(item) } : item));
  if (isFigure(problem)) return problem.joints ? { ...problem, joints: problem.joints.map((one) => (one.name === info.names[joint] ? { ...one, limit: range } : one)) } : problem;
  if (isPlane(problem)) return { ...problem, bones: limit(problem.bones, () => ({ limit: range })) };
  if (!isSpace(problem)) return problem;
  return { ...problem, bones: limit(problem.bones, (bone) => (bone.hinge ? { limit: range } : { cone: { swing: FIRST_LIMIT, twist: [-FIRST_LIMIT, FIRST_LIMIT] } })) };
}

/** One end of a range moved; it does not pass the other. */
function withEnd([min, max]: [number, number], end: "min" | "max", value: number): [number, number] {
  return end === "min" ? [Math.min(value, max), max] : [min, Math.max(value, min)];
}

/** Joint values with those of hinges and slides inside their ranges, which may have been moved since, as the library's reader puts them there. */
export function insideRanges(values: ArrayLike<number>, info: ProblemInfo): Float64Array {
  const inside = Float64Array.from(values);
  info.limits.forEach((limit, joint) => {
    const at = info.valueOffsets[joint] ?? -1;
    const value = inside[at];
    if (limit.kind !== "range" || value === undefined || (value >= limit.min && value <= limit.max)) return;
    const turned = info.kinds[joint] === "revolute" ? value + 2 * Math.PI * Math.ceil((limit.min - value) / (2 * Math.PI)) : value;
    inside[at] = turned >= limit.min && turned <= limit.max ? turned : Math.min(limit.max, Math.max(limit.min, value));
  });
  return inside;
}

/** The problem starting at these joint values (points for a chain of points). */
export function withStart(problem: ProblemFile, info: ProblemInfo, start: ArrayLike<number>): ProblemFile {
  const values = Array.from(start);
  if (isPoints(problem)) {
    const { dimension } = problem;
    return { ...problem, points: problem.points.map((_, index) => values.slice(index * dimension, (index + 1) * dimension)) };
  }
  const at = (joint: number) => info.valueOffsets[joint] ?? 0;
  if (isPlane(problem)) return { ...problem, bones: problem.bones.map((bone, joint) => ({ ...bone, angle: values[at(joint)] ?? bone.angle })) };
  if (isSpace(problem)) {
    const bones = problem.bones.map((bone, joint) => {
      const rotation = bone.hinge ? aboutAxis(bone.hinge, values[at(joint)] ?? 0) : (values.slice(at(joint), at(joint) + 4) as Quat);
      return { ...bone, rotation };
    });
    return { ...problem, bones };
  }
  return isFigure(problem) ? { ...problem, start: namedStart(info, values) } : problem;
}

const VALUES = { fixed: 0, revolute: 1, prismatic: 1, ball: 4, free: 7 } as const;

function namedStart(info: ProblemInfo, values: number[]): Record<string, JointValue> {
  const named: Record<string, JointValue> = {};
  info.names.forEach((name, joint) => {
    const count = VALUES[info.kinds[joint] ?? "fixed"];
    const from = info.valueOffsets[joint] ?? 0;
    // A joint that mimics another has no value of its own.
    if (count === 0 || (info.mimics[joint] ?? -1) >= 0) return;
    named[name] = count === 1 ? (values[from] ?? 0) : values.slice(from, from + count);
  });
  return named;
}

/** False for the moment in which another problem is being loaded. */
export function fits(problem: ProblemFile, info: ProblemInfo): boolean {
  if (isFigure(problem)) return info.kind === "figure" && problem.tasks.length === info.tasks.length && (problem.joints?.length ?? info.nJoints) === info.nJoints;
  if (isPoints(problem)) return info.kind === "points" && 3 * problem.points.length === info.start.points.length;
  return info.kind === (isPlane(problem) ? "plane" : "space") && "bones" in problem && problem.bones.length === info.nJoints;
}

/** Points of three coordinates each with as many as the problem has. */
export function flatPoints(points: Float64Array, dimension: number): Float64Array {
  const n = points.length / 3;
  const out = new Float64Array(n * dimension);
  for (let point = 0; point < n; point += 1) for (let axis = 0; axis < Math.min(3, dimension); axis += 1) out[point * dimension + axis] = points[3 * point + axis] ?? 0;
  return out;
}

function withPoint(problem: ProblemFile, index: number, position: Vec3): ProblemFile {
  if (!isPoints(problem)) return problem;
  const points = problem.points.map((point, at) => (at === index ? point.map((old, axis) => position[axis] ?? old) : point));
  return { ...problem, points };
}

export function isFiniteMove({ position, rotation, value }: HandleMove): boolean {
  return [...(position ?? []), ...(rotation ?? []), ...(value === undefined ? [] : [value])].every(Number.isFinite);
}
