//! Goals of figures: where they can be, what they ask for, and how they come and go. A goal that is new, or goes elsewhere, asks for what already holds
//! there, so that nothing jumps.

import { isFigure, type FigureProblem, type FigureTask, type FigureFrame, type ProblemFile, type Quat, type Vec3 } from "./files.ts";
import { add, multiply, rotate, rotationAt, vectorAt } from "./math.ts";
import type { PoseData, ProblemInfo, TaskInfo } from "./types.ts";

/** Where a goal can be: a link of a robot, a joint of any other figure. */
export interface Spot {
  /** The joint whose frame it is. */
  joint: number;
  name: string;
  frame: FigureFrame;
}

/** What a goal asks of its frame; other kinds of goals cannot be changed into one another. */
export type Asks = "position" | "orientation" | "pose";

/** A frame in the world. */
interface Place {
  position: Vec3;
  rotation: Quat;
}

/** All spots that something moves, parents first. */
export function spotsOf(problem: ProblemFile, info: ProblemInfo): Spot[] {
  if (!isFigure(problem)) return [];
  return Array.from({ length: info.nJoints }, (_, joint) => joint).filter((joint) => movers(info, joint) > 0).flatMap((joint) => spotAt(info, joint) ?? []);
}

/** What of a joint a goal can speak about; null for the inner joints of a robot's planar joint. */
export function spotAt(info: ProblemInfo, joint: number): Spot | null {
  const link = info.links[joint] ?? "";
  const name = link || (info.names[joint] ?? "");
  if (name === "" || (link === "" && info.links.some((other) => other !== ""))) return null;
  return { joint, name, frame: link ? { link } : { joint: name } };
}

/** Joints at or above this one that move. */
export function movers(info: ProblemInfo, joint: number): number {
  let count = 0;
  for (let at = joint; at >= 0; at = info.parents[at] ?? -1) if (info.kinds[at] !== "fixed") count += 1;
  return count;
}

/** The joint that the goal is on; null for goals that are on none, or on two. */
export function jointOf(task: FigureTask | undefined, info: ProblemInfo, index: number): number | null {
  return task !== undefined && "frame" in task ? info.tasks[index]?.frames[0]?.joint ?? null : null;
}

export function asksOf(task: FigureTask): Asks | null {
  return task.task === "position" || task.task === "orientation" || task.task === "pose" ? task.task : null;
}

/** A rigid body has so many degrees of freedom. */
const OF_POSE = 6;

/** Degrees of freedom of the joints at or above this one. */
function freedoms(info: ProblemInfo, joint: number): number {
  let count = 0;
  for (let at = joint; at >= 0; at = info.parents[at] ?? -1) if ((info.mimics[at] ?? -1) < 0) count += FREEDOMS[info.kinds[at] ?? "fixed"];
  return count;
}

const FREEDOMS: Record<ProblemInfo["kinds"][number], number> = { fixed: 0, revolute: 1, prismatic: 1, ball: 3, free: OF_POSE };

/** The problem of one tool, which asks for its position alone where its joints have too few degrees of freedom for poses. */
export function withGoalInReach(problem: FigureProblem, info: ProblemInfo): FigureProblem {
  const [task, ...others] = problem.tasks;
  const joint = jointOf(task, info, 0);
  if (task?.task !== "pose" || others.length > 0 || joint === null || freedoms(info, joint) >= OF_POSE) return problem;
  return { ...problem, tasks: [asking(task, "position", info.tasks[0], info.start)] };
}

/** The goal on another spot. It is called after it, and asks for what holds there. */
export function onSpot(task: FigureTask, spot: Spot, pose: PoseData): FigureTask {
  if (!("frame" in task)) return task;
  const moved = { ...task, name: spot.name, frame: spot.frame };
  const { position, rotation } = placeOf(spot, pose);
  switch (moved.task) {
    case "position": return { ...moved, target: position };
    case "orientation": return { ...moved, orientation: rotation };
    case "pose": return { ...moved, ...(moved.target ? { target: position } : {}), ...(moved.orientation ? { orientation: rotation } : {}) };
    default: return moved;
  }
}

/** The goal asking for something else: what it asked for already stays, the rest is as it is now. */
export function asking(task: FigureTask, asks: Asks, reported: TaskInfo | undefined, pose: PoseData): FigureTask {
  if (asksOf(task) === null || task.task === asks || !("frame" in task)) return task;
  const { name, weight, level, frame } = task;
  const head = { ...(name === undefined ? {} : { name }), ...(weight === undefined ? {} : { weight }), ...(level === undefined ? {} : { level }) };
  const now = frameOf(reported, pose);
  const target = "target" in task && task.target ? task.target : now.position;
  const orientation = "orientation" in task && task.orientation ? task.orientation : now.rotation;
  switch (asks) {
    case "position": return { task: asks, ...head, frame, target };
    case "orientation": return { task: asks, ...head, frame, orientation };
    case "pose": return { task: asks, ...head, frame, target, orientation };
  }
}

/** The problem with one more goal: a place on this joint, or on the end without a goal that the most joints move. */
export function withGoal(problem: FigureProblem, info: ProblemInfo, pose: PoseData, joint: number | null): FigureProblem {
  const spot = freeSpot(problem, info, joint);
  if (!spot) return problem;
  const task: FigureTask = { task: "position", name: spot.name, frame: spot.frame, target: placeOf(spot, pose).position };
  return { ...problem, tasks: [...problem.tasks, task] };
}

function freeSpot(problem: FigureProblem, info: ProblemInfo, wanted: number | null): Spot | null {
  const spots = spotsOf(problem, info);
  const given = spots.find(({ joint }) => joint === wanted);
  if (given) return given;
  const used = new Set(info.tasks.flatMap(({ frames }) => frames.map(({ joint }) => joint)));
  const free = spots.filter(({ joint }) => !used.has(joint));
  const ends = free.filter(({ joint }) => !info.parents.includes(joint));
  const among = ends.length > 0 ? ends : free.length > 0 ? free : spots;
  return among.reduce<Spot | null>((best, spot) => (best && movers(info, best.joint) >= movers(info, spot.joint) ? best : spot), null);
}

export function withoutGoal(problem: FigureProblem, index: number): FigureProblem {
  return { ...problem, tasks: problem.tasks.filter((_, at) => at !== index) };
}

export function withTask(problem: FigureProblem, index: number, change: (task: FigureTask) => FigureTask): FigureProblem {
  return { ...problem, tasks: problem.tasks.map((task, at) => (at === index ? change(task) : task)) };
}

/** Where a spot is now. Adding zero makes the negative one positive, as it is after a round trip through JSON. */
function placeOf({ joint }: Spot, pose: PoseData): Place {
  return { position: plain(vectorAt(pose.poses, joint, 7)), rotation: plain(rotationAt(pose.poses, joint)) };
}

/** Where the frame of a goal is now, with its offset from its joint; at the origin for a goal that has none. */
export function frameOf(task: TaskInfo | undefined, pose: Pick<PoseData, "poses">): Place {
  const frame = task?.frames[0];
  if (!frame) return { position: [0, 0, 0], rotation: [0, 0, 0, 1] };
  const turn = rotationAt(pose.poses, frame.joint);
  const offset = rotate(turn, vectorAt(frame.pose, 0));
  return { position: plain(add(vectorAt(pose.poses, frame.joint, 7), offset)), rotation: plain(multiply(turn, rotationAt(frame.pose, 0))) };
}

/** The frame of a joint itself. */
export function frameAt(pose: Pick<PoseData, "poses">, joint: number): Place {
  return { position: plain(vectorAt(pose.poses, joint, 7)), rotation: plain(rotationAt(pose.poses, joint)) };
}

function plain<Numbers extends Vec3 | Quat>(numbers: Numbers): Numbers {
  return numbers.map((value) => value + 0) as Numbers;
}
