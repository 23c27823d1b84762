//! Robots on legs: which of their joints are feet and hands, and a base that floats while the feet are held.

import type { FigureProblem, FigureTask } from "./files.ts";
import { frameAt } from "./goals.ts";
import type { PoseData, ProblemInfo } from "./types.ts";

const FEET = /foot|sole|ankle|hoof|paw/i;
const HANDS = /hand|palm|gripper|wrist/i;
/** More than this are no legs, but sensors on a foot. */
const [FEWEST_FEET, MOST_FEET, MOST_HANDS] = [2, 8, 2] as const;

/** Whether something of the robot is not fixed in the world. */
export function floats(info: ProblemInfo): boolean {
  return info.kinds.includes("free");
}

/** Joints at the ends of limbs whose link, or own name, says so; none where their number is not that of legs. */
export function feetOf(info: ProblemInfo): number[] {
  const feet = endsOf(info, FEET);
  return feet.length >= FEWEST_FEET && feet.length <= MOST_FEET ? feet : [];
}

function endsOf(info: ProblemInfo, words: RegExp): number[] {
  const isNamed = info.names.map((name, joint) => words.test(info.links[joint] || name));
  const hasNamedChild = new Set<number>();
  for (let joint = info.nJoints - 1; joint >= 0; joint -= 1) {
    const parent = info.parents[joint] ?? -1;
    if (parent >= 0 && (isNamed[joint] === true || hasNamedChild.has(joint))) hasNamedChild.add(parent);
  }
  return info.names.flatMap((_, joint) => (isNamed[joint] === true && !hasNamedChild.has(joint) && isMoved(info, joint) ? [joint] : []));
}

function isMoved(info: ProblemInfo, joint: number): boolean {
  for (let at = joint; at >= 0; at = info.parents[at] ?? -1) if (info.kinds[at] === "revolute" || info.kinds[at] === "prismatic") return true;
  return false;
}

/** A foot is held where it is: two feet with their soles, more of them as points. */
function footTask(info: ProblemInfo, pose: Pick<PoseData, "poses">, joint: number, count: number): FigureTask {
  const { position, rotation } = frameAt(pose, joint);
  const head = { name: nameOf(info, joint), frame: frameName(info, joint) };
  return count === 2 ? { task: "pose", ...head, target: position, orientation: rotation } : { task: "position", ...head, target: position };
}

function nameOf(info: ProblemInfo, joint: number): string {
  return info.links[joint] || info.names[joint] || "";
}

function frameName(info: ProblemInfo, joint: number): { link: string } | { joint: string } {
  const link = info.links[joint];
  return link ? { link } : { joint: info.names[joint] ?? "" };
}

/** The figure on a base that floats, with its feet held where they are; or fixed in the world, its goals as they are. */
export function withBase(problem: FigureProblem, info: ProblemInfo, pose: Pick<PoseData, "poses">, isFree: boolean): FigureProblem {
  const { root: _root, ...rest } = problem;
  if (!isFree) return rest;
  const named = new Set(problem.tasks.map((task) => task.name));
  const feet = feetOf(info);
  const held = feet.filter((joint) => !named.has(nameOf(info, joint))).map((joint) => footTask(info, pose, joint, feet.length));
  return { ...rest, root: "free", tasks: [...problem.tasks, ...held] };
}

/** A robot on legs as it is opened: its base floats, its feet are held, its hands have targets. The same problem for one without legs. */
export function withLegs(problem: FigureProblem, info: ProblemInfo): FigureProblem {
  if (feetOf(info).length === 0) return problem;
  const hands = endsOf(info, HANDS).slice(0, MOST_HANDS);
  const tasks = hands.map((joint): FigureTask => ({ task: "position", name: nameOf(info, joint), frame: frameName(info, joint), target: frameAt(info.start, joint).position }));
  const based = withBase({ ...problem, tasks }, info, info.start, true);
  // A file with a floating base of its own has one already.
  if (!floats(info)) return based;
  const { root: _root, ...rest } = based;
  return rest;
}
