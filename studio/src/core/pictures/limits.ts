//! Limits of joints as geometry in the world: sectors of a hinge's range, cones of a ball's swing, rails of a slide.

import type { PoseData, ProblemInfo } from "../types.ts";
import type { Shape } from "./shape.ts";
import { seatOf } from "./shape.ts";
import type { Vec3 } from "../files.ts";
import { cross, dot, multiply, rotate, rotationAt, sub } from "../math.ts";
import { across, angleAbout, direction, inverse, turned, twistAbout } from "./vec.ts";

/** A hinge's range: the sector that `arm` sweeps about `axis`, both of unit length; `arm` points along the bone at angle 0. */
export interface RangeMark {
  kind: "range";
  at: Vec3;
  axis: Vec3;
  arm: Vec3;
  min: number;
  max: number;
  value: number;
}

/** A ball's cone about `axis`; `bone` is where that axis has swung to, `twist` how far it has turned about itself. */
export interface ConeMark {
  kind: "cone";
  at: Vec3;
  axis: Vec3;
  swing: number;
  bone: Vec3;
  twistRange: [number, number];
  twist: number;
  /** Across `bone`, where the twist is zero. */
  arm: Vec3;
}

/** A slide from `at + axis * min` to `at + axis * max`. */
export interface RailMark {
  kind: "rail";
  at: Vec3;
  axis: Vec3;
  min: number;
  max: number;
  value: number;
}

export type LimitMark = RangeMark | ConeMark | RailMark;

/** The limit of a joint in a pose, or null where there is none that can be drawn. */
export function limitOf(shape: Shape, pose: PoseData, spots: ArrayLike<number>, joint: number): LimitMark | null {
  const { info } = shape;
  const limit = info.limits[joint];
  if (limit === undefined || limit.kind === "none" || pose.poses.length < 7 * (joint + 1)) return null;
  const at: Vec3 = [spots[3 * joint] as number, spots[3 * joint + 1] as number, spots[3 * joint + 2] as number];
  if (limit.kind === "cone") return coneOf(info, pose, joint, at, limit);
  const { min, max } = limit;
  const value = pose.q[info.valueOffsets[joint] as number] ?? 0;
  const seat = seatOf(info, pose, joint);
  const axis = direction(rotate(seat.turn, axisOf(info, joint)));
  if (axis === null || !Number.isFinite(max - min)) return null;
  if (info.kinds[joint] === "prismatic") return { kind: "rail", at: seat.at, axis, min, max, value };
  const arm = turned(boneArm(shape, spots, joint, axis, pose), axis, -value);
  return { kind: "range", at, axis, arm, min, max, value };
}

/** Where a bone points, across its axis: the arc then starts and ends where the bone does. */
function boneArm(shape: Shape, spots: ArrayLike<number>, joint: number, axis: Vec3, pose: PoseData): Vec3 {
  const bone = shape.bones[shape.boneOf[joint] ?? -1];
  if (bone !== undefined) {
    const spot = (i: number): Vec3 => [spots[3 * i] as number, spots[3 * i + 1] as number, spots[3 * i + 2] as number];
    const way = direction(sub(spot(bone.to), spot(bone.from)));
    if (way !== null && Math.abs(dot(way, axis)) < 0.98) return across(axis, way);
  }
  // A bone along its own axis: what turns with the joint is its frame.
  const frame = rotationAt(pose.poses, joint);
  const x = rotate(frame, [1, 0, 0]);
  return across(axis, Math.abs(dot(x, axis)) < 0.9 ? x : rotate(frame, [0, 1, 0]));
}

function coneOf(
  info: ProblemInfo,
  pose: PoseData,
  joint: number,
  at: Vec3,
  limit: { axis: readonly [number, number, number]; swing: number; twist: [number, number] },
): ConeMark | null {
  const local = direction(limit.axis);
  if (local === null || !Number.isFinite(limit.swing)) return null;
  const seat = seatOf(info, pose, joint);
  const turn = rotationAt(pose.poses, joint);
  const axis = rotate(seat.turn, local);
  const bone = rotate(turn, local);
  const twist = twistAbout(multiply(inverse(seat.turn), turn), local);
  const arm = turned(rotate(turn, across(local, [0.3, 0.5, 0.8])), bone, -twist);
  return { kind: "cone", at, axis, swing: limit.swing, bone, twistRange: limit.twist, twist, arm };
}

function axisOf(info: ProblemInfo, joint: number): Vec3 {
  return [info.axes[3 * joint] as number, info.axes[3 * joint + 1] as number, info.axes[3 * joint + 2] as number];
}

/** Points along an arc from angle `from` to angle `to`, ends included, at most a twelfth of a radian apart: 3 numbers each. */
export function arcPoints(at: Vec3, axis: Vec3, arm: Vec3, from: number, to: number, radius: number): Float64Array {
  const span = Math.min(Math.max(to - from, -2 * Math.PI), 2 * Math.PI);
  const pieces = Math.max(1, Math.ceil(Math.abs(span) * 12));
  const out = new Float64Array(3 * (pieces + 1));
  const side = cross(axis, arm);
  for (let i = 0; i <= pieces; i++) {
    const angle = from + (span * i) / pieces;
    const c = Math.cos(angle) * radius;
    const s = Math.sin(angle) * radius;
    for (let k = 0; k < 3; k++) {
      out[3 * i + k] = (at[k] as number) + (arm[k] as number) * c + (side[k] as number) * s;
    }
  }
  return out;
}

/** Points along a cone's rim, closed: 3 numbers each. */
export function rimPoints(at: Vec3, axis: Vec3, swing: number, radius: number, pieces = 48): Float64Array {
  const arm = across(axis, [0.2, 0.9, 0.4]);
  const reach = Math.cos(swing) * radius;
  const center: Vec3 = [at[0] + axis[0] * reach, at[1] + axis[1] * reach, at[2] + axis[2] * reach];
  const out = new Float64Array(3 * (pieces + 1));
  const side = cross(axis, arm);
  const wide = Math.sin(swing) * radius;
  for (let i = 0; i <= pieces; i++) {
    const angle = (2 * Math.PI * i) / pieces;
    const c = Math.cos(angle) * wide;
    const s = Math.sin(angle) * wide;
    for (let k = 0; k < 3; k++) {
      out[3 * i + k] = (center[k] as number) + (arm[k] as number) * c + (side[k] as number) * s;
    }
  }
  return out;
}

/** The end of an arc that a joint stands at, within `tolerance` [rad or m]: -1 its least value, 1 its greatest, 0 neither. */
export function atEnd(value: number, min: number, max: number, tolerance: number): -1 | 0 | 1 {
  if (value >= max - tolerance) return 1;
  return value <= min + tolerance ? -1 : 0;
}

/** The angle that a place means for a handle at an end of a range: the one nearest to `near`, so that a drag never jumps by a turn. */
export function angleTowards(mark: RangeMark, place: Vec3, near: number): number {
  const angle = angleAbout(mark.axis, mark.arm, sub(place, mark.at));
  return angle + 2 * Math.PI * Math.round((near - angle) / (2 * Math.PI));
}
