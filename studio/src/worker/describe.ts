//! A loaded problem in the page's words.

import type { Problem } from "posekit";
import { isMethod } from "../core/methods.ts";
import type { LimitInfo, PoseData, ProblemInfo, TaskInfo } from "../core/types.ts";

const KINDS = ["fixed", "revolute", "prismatic", "ball", "free"] as const;
const [BALL, FREE] = [3, 4] as const;

/** Numbers that the library gives for each task's two frames, and for each limit. */
const [FRAMES, LIMIT, POSE] = [16, 6, 7] as const;

/** Points with three coordinates each, whatever the dimension. */
export function inSpace(points: Float64Array, dimension: number): Float64Array {
  if (dimension === 3) return points;
  const n = Math.floor(points.length / dimension);
  const out = new Float64Array(3 * n);
  for (let point = 0; point < n; point += 1) {
    for (let axis = 0; axis < Math.min(3, dimension); axis += 1) out[3 * point + axis] = points[point * dimension + axis] ?? 0;
  }
  return out;
}

export function describe(problem: Problem): ProblemInfo {
  const limits = problem.limits();
  const coneAxes = problem.coneAxes();
  const { nJoints, nValues, dimension } = problem;
  const info: ProblemInfo = {
    kind: problem.kind as ProblemInfo["kind"],
    dimension,
    nJoints,
    nValues,
    names: problem.names(),
    links: problem.links(),
    kinds: Array.from(problem.kinds(), (code) => KINDS[code] ?? "fixed"),
    parents: problem.parents(),
    mimics: problem.mimics(),
    valueOffsets: problem.valueOffsets(),
    axes: problem.axes(),
    rest: problem.rest(),
    neutral: neutralOf(problem),
    limits: Array.from({ length: nJoints }, (_, joint) => limitOf(limits.subarray(LIMIT * joint), coneAxes.subarray(3 * joint))),
    methods: problem.methods().filter(isMethod),
    warnings: problem.warnings(),
    tasks: tasksOf(problem),
    reach: 1,
    start: startOf(problem),
  };
  info.reach = reachOf(info);
  return info;
}

function limitOf(numbers: Float64Array, axis: Float64Array): LimitInfo {
  const [kind = 0, min = 0, max = 0, swing = 0, twistMin = 0, twistMax = 0] = numbers;
  if (kind === 1) return { kind: "range", min, max };
  if (kind === 2) return { kind: "cone", axis: [axis[0] ?? 0, axis[1] ?? 0, axis[2] ?? 0], swing, twist: [twistMin, twistMax] };
  return { kind: "none" };
}

function tasksOf(problem: Problem): TaskInfo[] {
  const frames = problem.frames();
  return problem.tasks().map((task, index) => ({
    index,
    task: task.task,
    name: task.name ?? "",
    level: task.level,
    weight: task.weight,
    frames: [0, 1].map((which) => frameOf(frames.subarray(FRAMES * index + 8 * which))).filter((frame) => frame.joint >= 0),
    position: task.position ?? null,
    orientation: task.orientation ?? null,
    direction: task.direction ?? null,
  }));
}

function frameOf(numbers: Float64Array): TaskInfo["frames"][number] {
  return { joint: numbers[0] ?? -1, pose: numbers.slice(1, 1 + POSE) };
}

function startOf(problem: Problem): PoseData {
  const q = problem.start();
  const poses = new Float64Array(POSE * problem.nJoints);
  if (problem.nJoints > 0) problem.poses(q, poses);
  return { q, poses, points: inSpace(problem.points(), problem.dimension) };
}

/** Every joint unturned and unmoved. */
function neutralOf(problem: Problem): Float64Array {
  const q = new Float64Array(problem.nValues);
  const offsets = problem.valueOffsets();
  problem.kinds().forEach((kind, joint) => {
    // The last of a rotation's four numbers, which comes after the place where a joint is free.
    const real = kind === BALL ? 3 : kind === FREE ? 6 : -1;
    if (real >= 0) q[(offsets[joint] ?? 0) + real] = 1;
  });
  const poses = new Float64Array(POSE * problem.nJoints);
  if (problem.nJoints > 0) problem.poses(q, poses);
  return poses;
}

/** The longest way from a root to a joint or an end effector, with every slide drawn out. */
function reachOf(info: ProblemInfo): number {
  if (info.kind !== "figure") return polyline(info.start.points);
  // Ranges of kilometres stand for none: a slide counts at most as much as all bones.
  return farthest(info, farthest(info, 0) || Infinity) || 1;
}

/** The longest sum of bones from the root, and of slides as far as they count. */
function farthest(info: ProblemInfo, most: number): number {
  const far = new Float64Array(info.nJoints);
  for (let joint = 0; joint < info.nJoints; joint += 1) {
    const parent = info.parents[joint] ?? -1;
    const at = POSE * joint;
    const bone = parent < 0 ? 0 : Math.hypot(info.rest[at] ?? 0, info.rest[at + 1] ?? 0, info.rest[at + 2] ?? 0);
    const limit = info.limits[joint];
    const slide = info.kinds[joint] === "prismatic" && limit?.kind === "range" ? Math.min(most, Math.max(Math.abs(limit.min), Math.abs(limit.max))) : 0;
    far[joint] = (parent < 0 ? 0 : (far[parent] ?? 0)) + bone + slide;
  }
  const ends = info.tasks.flatMap(({ frames }) => frames.map(({ joint, pose }) => (far[joint] ?? 0) + Math.hypot(pose[0] ?? 0, pose[1] ?? 0, pose[2] ?? 0)));
  return Math.max(0, ...far, ...ends);
}

function polyline(points: Float64Array): number {
  let total = 0;
  for (let at = 3; at + 2 < points.length; at += 3) {
    total += Math.hypot((points[at] ?? 0) - (points[at - 3] ?? 0), (points[at + 1] ?? 0) - (points[at - 2] ?? 0), (points[at + 2] ?? 0) - (points[at - 1] ?? 0));
  }
  return total || 1;
}
