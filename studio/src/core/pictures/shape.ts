//! The shape of a problem: which spots there are, which bodies join them and how thick they are. Made once when a problem is loaded;
//! a pose then gives every spot its place.

import type { PoseData, ProblemInfo } from "../types.ts";
import { NO_FURNITURE, type Furniture } from "./furniture.ts";
import type { Quat, Vec3 } from "../files.ts";
import { add, multiply, rotate, rotationAt, vectorAt } from "../math.ts";

/** A tapered body between two spots. */
export interface Bone {
  from: number;
  to: number;
  /** Radii at either end [m]. */
  radii: [number, number];
  /** The joint that carries it. */
  joint: number;
}

export interface Shape {
  info: ProblemInfo;
  /** Spots are the problem's own points (a chain), or places on joints (a figure). */
  isChain: boolean;
  nSpots: number;
  /** Joint that a spot is fixed to, and where on it; for figures. */
  spotJoints: Int32Array;
  spotPlaces: Float64Array;
  bones: Bone[];
  /** What is drawn: the bones, or bodies of the figure's own make. */
  parts: Bone[];
  /** First bone that begins at a joint, or -1. */
  boneOf: Int32Array;
  /** Spots of the end effectors, one for each task that has a frame; -1 otherwise. */
  tips: Int32Array;
  /** Spots of joints that stand in the world. */
  roots: number[];
  /** Radius of the ball drawn at a joint [m]; 0 draws none. */
  joints: Float64Array;
  /** Usual radius of a bone at its base [m]. */
  thickness: number;
  /** Bones so short that only beads and lines can be told apart. */
  isDense: boolean;
  /** Bodies of their own make, instead of those between joints. */
  isDressed: boolean;
  /** Things that stand in the world. */
  furniture: Furniture;
  /** Overall size [m]: what views are framed by. */
  size: number;
}

/** Radius of a bone in a chain as a share of its length, and its bounds as shares of the reach. */
const SLIMNESS = 0.075;
const THINNEST = 0.006;
const THICKEST = 0.019;
/** A chain of more bones than this is drawn as one body. */
const MOST_JOINTS = 30;
/** Radius of a figure's bone: this share of the root of (length that hangs on it times the reach). */
const GROWTH = 0.029;
/** Radius of a bone at its end as a share of that at its base. */
const TAPER = 0.58;
/** Share of it for bones that are seen through a skin. */
const UNDER_SKIN = 0.6;
/** A character's bones from its root are drawn up to this share of the reach. */
const CARRIED = 0.2;
/** Radius of the ball at a joint over that of its bone. */
const BALL = 1.2;

/**
 * The shape of a problem.
 *
 * - `isCharacter`: it came from a character's file; its bones are slim, because they are seen through a skin
 */
export function shapeOf(info: ProblemInfo, furniture: Furniture = NO_FURNITURE, isCharacter = false): Shape {
  return info.kind === "figure" ? treeShape(info, furniture, isCharacter) : chainShape(info);
}

function chainShape(info: ProblemInfo): Shape {
  const nSpots = Math.floor(info.start.points.length / 3);
  const nBones = Math.max(0, nSpots - 1);
  const lengths = Array.from({ length: nBones }, (_, i) => spotDistance(info.start.points, i, i + 1));
  const size = sizeOf(info);
  const mean = lengths.reduce((sum, l) => sum + l, 0) / Math.max(1, nBones);
  const thickness = clamp(SLIMNESS * mean, THINNEST * size, THICKEST * size);
  const isDense = nBones > MOST_JOINTS;
  const bones: Bone[] = [];
  const joints = new Float64Array(nSpots);
  const boneOf = new Int32Array(nSpots).fill(-1);
  for (let i = 0; i < nBones; i++) {
    const length = lengths[i] as number;
    if (!(length > 1e-9 * size)) continue;
    // Chains thin out towards their tip, a little.
    const radius = thickness * clamp(length / mean, 0.7, 1.25) * (1.1 - (0.4 * i) / nBones);
    boneOf[i] = bones.length;
    bones.push({ from: i, to: i + 1, radii: [radius, radius * (isDense ? 0.9 : TAPER)], joint: i });
    joints[i] = isDense ? 0 : BALL * radius;
  }
  return {
    info,
    isChain: true,
    nSpots,
    spotJoints: Int32Array.from({ length: nSpots }, (_, i) => i),
    spotPlaces: new Float64Array(3 * nSpots),
    bones,
    parts: bones,
    boneOf,
    tips: Int32Array.of(nSpots - 1),
    roots: nSpots > 0 ? [0] : [],
    joints,
    thickness,
    isDense,
    isDressed: false,
    furniture: NO_FURNITURE,
    size,
  };
}

/** A spot that is not yet in an array. */
interface Spot {
  joint: number;
  place: Vec3;
}

function treeShape(info: ProblemInfo, furniture: Furniture, isCharacter: boolean): Shape {
  const n = info.nJoints;
  const spots: Spot[] = Array.from({ length: n }, (_, joint) => ({ joint, place: [0, 0, 0] }));
  const size = sizeOf(info);
  const start = info.start.poses;
  const bones: Bone[] = [];
  const least = 1e-4 * size;
  const isRooted = rootedJoints(info, least);
  for (let joint = 0; joint < n; joint++) {
    const parent = info.parents[joint] as number;
    if (parent < 0) continue;
    const length = poseDistance(start, parent, joint);
    // From where a character's armature stands to its hips, and to what only helps to pose it, there is no bone.
    const isCarried = isCharacter && isRooted[parent] === true && length > CARRIED * size;
    if (!isCarried && length > least) {
      bones.push({ from: parent, to: joint, radii: [0, 0], joint: parent });
    }
  }
  const tips = Int32Array.from(info.tasks, (task) => {
    const frame = task.frames[0];
    if (frame === undefined || frame.joint < 0) return -1;
    return tipSpot(spots, bones, frame.joint, frame.pose, least, info);
  });
  const parts = dress(spots, info, furniture);
  const boneOf = new Int32Array(spots.length).fill(-1);
  bones.forEach((bone, i) => {
    if (boneOf[bone.from] === -1) boneOf[bone.from] = i;
  });
  const places = new Float64Array(3 * spots.length);
  spots.forEach((spot, i) => places.set(spot.place, 3 * i));
  const shape: Shape = {
    info,
    isChain: false,
    nSpots: spots.length,
    spotJoints: Int32Array.from(spots, (spot) => spot.joint),
    spotPlaces: places,
    bones,
    parts: bones,
    boneOf,
    tips,
    roots: rootsOf(info),
    joints: new Float64Array(spots.length),
    thickness: 0,
    isDense: false,
    isDressed: parts.length > 0,
    furniture,
    size,
  };
  thicken(shape, isCharacter ? UNDER_SKIN : 1);
  if (parts.length > 0) {
    shape.parts = parts;
    shape.joints.fill(0);
    shape.thickness = 0.012 * size;
  }
  return shape;
}

/** The bodies of a figure's own make, each between two spots on one joint. */
function dress(spots: Spot[], info: ProblemInfo, furniture: Furniture): Bone[] {
  const parts: Bone[] = [];
  for (const part of furniture.parts) {
    const joint = info.names.indexOf(part.joint);
    if (joint < 0) continue;
    spots.push({ joint, place: part.ends[0] }, { joint, place: part.ends[1] });
    parts.push({ from: spots.length - 2, to: spots.length - 1, radii: part.radii, joint });
  }
  return parts;
}

/** The spot of a task's frame: the joint itself, or a place on it with a bone that leads there. */
function tipSpot(
  spots: Spot[],
  bones: Bone[],
  joint: number,
  pose: ArrayLike<number>,
  least: number,
  info: ProblemInfo,
): number {
  const place = vectorAt(pose, 0, 7);
  const away = Math.hypot(...place);
  if (away <= least) return joint;
  const known = spots.findIndex(
    (spot) => spot.joint === joint && Math.hypot(...spot.place.map((v, i) => v - (place[i] as number))) <= least,
  );
  if (known >= 0) return known;
  spots.push({ joint, place });
  // Only a limb's last joint gets a body out to its frame: a frame on a trunk is a spot, not a limb.
  const isLeaf = !info.parents.includes(joint);
  if (isLeaf) bones.push({ from: joint, to: spots.length - 1, radii: [0, 0], joint });
  return spots.length - 1;
}

/** Joints above which nothing moves, or nothing that would move them from their place. */
function rootedJoints(info: ProblemInfo, least: number): boolean[] {
  const isRooted: boolean[] = [];
  for (let joint = 0; joint < info.nJoints; joint++) {
    const parent = info.parents[joint] as number;
    const isStill = () => info.kinds[parent] === "fixed" || poseDistance(info.start.poses, parent, joint) <= least;
    isRooted.push(parent < 0 || (isRooted[parent] === true && isStill()));
  }
  return isRooted;
}

/** Joints that stand in the world; a free joint floats. */
function rootsOf(info: ProblemInfo): number[] {
  const roots: number[] = [];
  for (let joint = 0; joint < info.nJoints; joint++) {
    if (info.parents[joint] === -1 && info.kinds[joint] !== "free") roots.push(joint);
  }
  return roots;
}

/** Radii from what hangs on a bone: a trunk is thick, a finger thin. */
function thicken(shape: Shape, share: number): void {
  const start = evaluate(shape, shape.info.start, new Float64Array(3 * shape.nSpots));
  const lengths = shape.bones.map((bone) => spotDistance(start, bone.from, bone.to));
  const hanging = new Float64Array(shape.nSpots);
  // Bones are pushed parents first, and bones out to frames after all of them.
  for (let i = shape.bones.length - 1; i >= 0; i--) {
    const bone = shape.bones[i] as Bone;
    hanging[bone.from] = (hanging[bone.from] as number) + (hanging[bone.to] as number) + (lengths[i] as number);
  }
  const radiusOf = (i: number) => {
    const bone = shape.bones[i] as Bone;
    const length = lengths[i] as number;
    const radius = share * GROWTH * Math.sqrt(((hanging[bone.to] as number) + length) * shape.size);
    return Math.max(Math.min(radius, 0.42 * length), 0.003 * shape.size);
  };
  let total = 0;
  for (let i = shape.bones.length - 1; i >= 0; i--) {
    const bone = shape.bones[i] as Bone;
    const radius = radiusOf(i);
    const next = shape.joints[bone.to] as number;
    const end = clamp(next / BALL, TAPER * radius, 0.9 * radius);
    bone.radii = [radius, end];
    shape.joints[bone.from] = Math.max(shape.joints[bone.from] as number, BALL * radius);
    if (bone.to < shape.info.nJoints && next === 0) shape.joints[bone.to] = BALL * end;
    total += radius;
  }
  shape.thickness = shape.bones.length > 0 ? total / shape.bones.length : 0.02 * shape.size;
}

/** Reach, or what the start spans where there is none. */
function sizeOf(info: ProblemInfo): number {
  if (info.reach > 0 && Number.isFinite(info.reach)) return info.reach;
  const points = info.start.points;
  let span = 0;
  for (let i = 3; i < points.length; i++) span = Math.max(span, Math.abs((points[i] as number) - (points[i % 3] as number)));
  return span > 0 ? span : 1;
}

/** Writes the place of every spot in a pose into `out` (3 per spot) and returns it. */
export function evaluate(shape: Shape, pose: PoseData, out: Float64Array): Float64Array {
  if (shape.isChain) {
    out.set(pose.points.length <= out.length ? pose.points : pose.points.subarray(0, out.length));
    return out;
  }
  const { spotJoints, spotPlaces } = shape;
  const p = pose.poses;
  for (let i = 0; i < shape.nSpots; i++) {
    const at = 7 * (spotJoints[i] as number);
    const x = spotPlaces[3 * i] as number;
    const y = spotPlaces[3 * i + 1] as number;
    const z = spotPlaces[3 * i + 2] as number;
    const qx = p[at + 3] as number;
    const qy = p[at + 4] as number;
    const qz = p[at + 5] as number;
    const qw = p[at + 6] as number;
    const tx = 2 * (qy * z - qz * y);
    const ty = 2 * (qz * x - qx * z);
    const tz = 2 * (qx * y - qy * x);
    out[3 * i] = (p[at] as number) + x + qw * tx + qy * tz - qz * ty;
    out[3 * i + 1] = (p[at + 1] as number) + y + qw * ty + qz * tx - qx * tz;
    out[3 * i + 2] = (p[at + 2] as number) + z + qw * tz + qx * ty - qy * tx;
  }
  return out;
}

/** The spots of a chain in the pose of its joints, where its points are relaxed ones that are off; false where it has no joints. */
export function evaluateFitted({ info, isChain }: Shape, { poses }: PoseData, out: Float64Array): boolean {
  const { nJoints } = info;
  const frame = info.tasks[0]?.frames[0];
  if (!isChain || nJoints === 0 || poses.length < 7 * nJoints || frame === undefined) return false;
  for (let joint = 0; joint < nJoints; joint++) out.set(poses.subarray(7 * joint, 7 * joint + 3), 3 * joint);
  out.set(add(vectorAt(poses, frame.joint, 7), rotate(rotationAt(poses, frame.joint), vectorAt(frame.pose, 0, 7))), 3 * nJoints);
  return true;
}

/** Where a joint stands before it moves: its parent's pose and its own place on it. */
export function seatOf(info: ProblemInfo, pose: PoseData, joint: number): { at: Vec3; turn: Quat } {
  const parent = info.parents[joint] as number;
  const at = vectorAt(info.rest, joint, 7);
  const turn = rotationAt(info.rest, joint);
  if (parent < 0) return { at, turn };
  const world = rotationAt(pose.poses, parent);
  const moved = rotate(world, at);
  const from = vectorAt(pose.poses, parent, 7);
  return { at: [from[0] + moved[0], from[1] + moved[1], from[2] + moved[2]], turn: multiply(world, turn) };
}

/** Distance of two spots in flat coordinates. */
export function spotDistance(at: ArrayLike<number>, a: number, b: number): number {
  return Math.hypot(
    (at[3 * a] as number) - (at[3 * b] as number),
    (at[3 * a + 1] as number) - (at[3 * b + 1] as number),
    (at[3 * a + 2] as number) - (at[3 * b + 2] as number),
  );
}

function poseDistance(poses: ArrayLike<number>, a: number, b: number): number {
  const p = vectorAt(poses, a, 7);
  const q = vectorAt(poses, b, 7);
  return Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}
