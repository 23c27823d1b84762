//! What can be taken hold of in a document: targets, root, joints, pole and limits, and where each of them is.

import { isFigure, isMjcf, isPlane, isPoints, isSpace, type FigureTask, type Quat, type Vec3 } from "./files.ts";
import { add, cross, dot, length, scale, sub, unit, vectorAt } from "./math.ts";
import { rootOf } from "./edit.ts";
import { frameOf } from "./goals.ts";
import { jointName } from "./words.ts";
import type { Handle, PoseData, ProblemInfo, StudioDocument, TaskInfo } from "./types.ts";

/** Limited joints up to which all limits can be taken hold of at once; beyond it those of the selected joint. */
const FEW = 3;
/** How far the pole stands from the line between root and tip, as a share of the reach. */
const POLE = 0.45;

/** Among the joints that are touched: the root's handle. */
const ROOT = -1;

/** Joints of selected or hovered handles. */
export type Touched = ReadonlySet<number>;

export function handlesOf(document: StudioDocument, info: ProblemInfo, pose: PoseData, touched: Touched): Handle[] {
  const joints = jointHandles(document, info, pose);
  const own = new Set(joints.map(({ joint }) => joint));
  const limits = limitHandles(document, info, pose, atRoot(touched, info, own));
  return [
    ...targetHandles(document, info, pose),
    ...rootHandle(document, info, pose),
    ...limits.filter(({ joint }) => !own.has(joint)),
    ...poleHandle(document, info, pose),
    // Behind their joint, for those who go from one handle to the next: they are there while it is selected.
    ...joints.flatMap((handle) => [handle, ...limits.filter(({ joint }) => joint === handle.joint)]),
  ];
}

/** Who selects the root touches the joints that sit on it, which have no handle of their own. */
function atRoot(touched: Touched, info: ProblemInfo, own: ReadonlySet<number | null>): Touched {
  if (!touched.has(ROOT)) return touched;
  return new Set([...touched, ...Array.from({ length: info.nJoints }, (_, joint) => joint).filter((joint) => !own.has(joint))]);
}

const blank = { rotation: null, task: null, joint: null, limit: null } as const;

function targetHandles({ problem }: StudioDocument, info: ProblemInfo, pose: PoseData): Handle[] {
  if (isFigure(problem)) return problem.tasks.flatMap((task, index) => figureTarget(task, index, info.tasks[index], pose));
  const position = inSpace(problem.target);
  const rotation = isSpace(problem) ? problem.orientation ?? null : null;
  const moves = problem.dimension === 2 ? "plane" : "space";
  return [{ ...blank, id: "target:0", kind: "target", label: "Target of the tip", position, rotation, moves, task: 0 }];
}

function inSpace(point: readonly number[]): Vec3 {
  return [point[0] ?? 0, point[1] ?? 0, point[2] ?? 0];
}

function figureTarget(task: FigureTask, index: number, info: TaskInfo | undefined, pose: PoseData): Handle[] {
  const handle = (position: Vec3, rotation: Quat | null): Handle[] => {
    const label = `Target of ${task.name ?? frameName(task) ?? task.task}`;
    return [{ ...blank, id: `target:${index}`, kind: "target", label, position, rotation, moves: "space", task: index }];
  };
  switch (task.task) {
    case "position":
    case "look-at":
    case "pole":
    case "center-of-mass":
      return handle(task.target, null);
    case "orientation":
      return handle(frameOf(info, pose).position, task.orientation);
    case "pose":
      return handle(task.target ?? frameOf(info, pose).position, task.orientation ?? null);
    default:
      return [];
  }
}

function frameName(task: FigureTask): string | null {
  if (!("frame" in task)) return null;
  if (typeof task.frame === "string") return task.frame;
  return "joint" in task.frame ? task.frame.joint : task.frame.link;
}

function rootHandle({ problem }: StudioDocument, info: ProblemInfo, pose: PoseData): Handle[] {
  const root = rootOf(info);
  if (isFigure(problem) && (!problem.joints || info.kinds[root] === "free")) return [];
  const position = vectorAt(isFigure(problem) ? pose.poses : pose.points, isFigure(problem) ? root : 0, isFigure(problem) ? 7 : 3);
  return [{ ...blank, id: "root", kind: "root", label: "Root", position, moves: info.dimension === 2 ? "plane" : "space" }];
}

/** Joints that can be carried somewhere: not the root, and not those that sit on it, unless there is no root to select in their place. */
function jointHandles({ problem }: StudioDocument, info: ProblemInfo, pose: PoseData): Handle[] {
  const moves = info.dimension === 2 ? "plane" : "space";
  if (isPoints(problem)) {
    const inner = Math.max(0, problem.points.length - 2);
    return Array.from({ length: inner }, (_, index): Handle => {
      return { ...blank, id: `joint:${index + 1}`, kind: "joint", label: `Point ${index + 1}`, position: vectorAt(pose.points, index + 1), moves, joint: index + 1 };
    });
  }
  const root = vectorAt(pose.poses, rootOf(info), 7);
  const isRobot = isFigure(problem) && problem.urdf !== undefined;
  const handles: Handle[] = [];
  for (let joint = 0; joint < info.nJoints; joint += 1) {
    if (info.kinds[joint] === "fixed" || (info.parents[joint] ?? -1) < 0) continue;
    const position = vectorAt(pose.poses, joint, 7);
    if (!isRobot && length(sub(position, root)) < 1e-6 * info.reach) continue;
    handles.push({ ...blank, id: `joint:${joint}`, kind: "joint", label: jointLabel(info, joint), position, moves, joint });
  }
  return handles;
}

/** The name of a joint as a title. */
export function jointLabel(info: ProblemInfo, joint: number): string {
  return info.kind === "figure" ? `Joint ${jointName(info, joint)}` : `Joint ${joint + 1}`;
}

/** The joint in the middle of a free limb in space, and where it points. */
export interface Pole {
  joint: number;
  root: Vec3;
  tip: Vec3;
  /** Where the joint is. */
  middle: Vec3;
}

/** What a pole turns; null where there is none: chains in space whose first joint turns any way. */
export function poleOf({ problem }: StudioDocument, pose: PoseData): Pole | null {
  if (isFigure(problem) || !isSpace(problem)) return null;
  const { bones } = problem;
  const first = bones[0];
  if (bones.length < 2 || !first || first.hinge || first.cone) return null;
  const joint = Math.ceil(bones.length / 2);
  return { joint, root: vectorAt(pose.points, 0), tip: vectorAt(pose.points, bones.length), middle: vectorAt(pose.points, joint) };
}

function poleHandle(document: StudioDocument, info: ProblemInfo, pose: PoseData): Handle[] {
  const pole = poleOf(document, pose);
  if (!pole) return [];
  const { foot, way } = swivel(pole, pole.middle);
  return [{ ...blank, id: "pole", kind: "pole", label: "Pole: the side to which it bends", position: add(foot, scale(way, POLE * info.reach)), moves: "space", joint: pole.joint }];
}

/** The foot of a point on the line from root to tip, and the direction from there. */
function swivel({ root, tip }: Pole, point: Vec3): { foot: Vec3; way: Vec3; along: Vec3 } {
  const along = unit(sub(tip, root), [0, 0, 1]);
  const foot = add(root, scale(along, dot(sub(point, root), along)));
  const across: Vec3 = Math.abs(along[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0];
  return { foot, way: unit(sub(point, foot), unit(cross(cross(along, across), along))), along };
}

/** Where the middle joint has to be so that it points to the pole: on its circle about the line from root to tip. */
export function towardPole(pole: Pole, at: Vec3): Vec3 {
  const { foot } = swivel(pole, pole.middle);
  const { way } = swivel(pole, at);
  return add(foot, scale(way, length(sub(pole.middle, foot))));
}

function limitHandles({ problem, urdf }: StudioDocument, info: ProblemInfo, pose: PoseData, touched: Touched): Handle[] {
  // The joints of a glTF file that is not written out are not in the document; a robot's text is.
  if (isPoints(problem) || (isFigure(problem) && !problem.joints && problem.urdf === undefined)) return [];
  // Where the limits of an MJCF stand in its text is not known here.
  if (urdf !== undefined && isMjcf(urdf)) return [];
  const isOwn = (joint: number) => info.limits[joint]?.kind !== "none" && (info.mimics[joint] ?? -1) < 0;
  const limited = Array.from({ length: info.nJoints }, (_, joint) => joint).filter((joint) => isOwn(joint) && !isHidden(problem, joint));
  const some = limited.length <= FEW ? limited : limited.filter((joint) => touched.has(joint));
  return some.flatMap((joint) => limitsOfJoint(info, joint, vectorAt(pose.poses, joint, 7)));
}

/** A whole turn to either side is no limit that anybody would see. */
function isHidden(problem: StudioDocument["problem"], joint: number): boolean {
  if (isFigure(problem) || isPoints(problem)) return false;
  const limit = isPlane(problem) ? problem.bones[joint]?.limit : problem.bones[joint]?.limit;
  return limit !== undefined && limit[1] - limit[0] >= 2 * Math.PI;
}

function limitsOfJoint(info: ProblemInfo, joint: number, position: Vec3): Handle[] {
  const limit = info.limits[joint];
  const name = jointLabel(info, joint);
  const handle = (end: NonNullable<Handle["limit"]>["end"], words: string, value: number): Handle => {
    return { ...blank, id: `limit:${joint}:${end}`, kind: "limit", label: `${name}: ${words}`, position, moves: "angle", joint, limit: { end, value } };
  };
  if (limit?.kind === "range") return [handle("min", "minimum", limit.min), handle("max", "maximum", limit.max)];
  if (limit?.kind !== "cone") return [];
  return [handle("swing", "swing", limit.swing), handle("twist-min", "minimum twist", limit.twist[0]), handle("twist-max", "maximum twist", limit.twist[1])];
}

/** The joints that handles of these ids are on. */
export function touchedBy(ids: readonly (string | null)[]): Touched {
  const joints = ids.flatMap((id) => {
    if (id === "root") return [ROOT];
    const found = id === null ? null : /^(?:joint|limit):(\d+)/.exec(id);
    return found ? [Number(found[1])] : [];
  });
  return new Set(joints);
}
