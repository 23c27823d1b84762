//! Three-vectors and quaternions (x, y, z, w) as small arrays. Nothing here solves anything.

import type { Quat, Vec3 } from "./files.ts";

type ReadVec = Readonly<Vec3>;
type ReadQuat = Readonly<Quat>;

export function add(a: ReadVec, b: ReadVec): Vec3 {
  return [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
}

export function sub(a: ReadVec, b: ReadVec): Vec3 {
  return [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
}

export function scale(a: ReadVec, by: number): Vec3 {
  return [a[0] * by, a[1] * by, a[2] * by];
}

export function dot(a: ReadVec, b: ReadVec): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

export function cross(a: ReadVec, b: ReadVec): Vec3 {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

export function length(a: ReadVec): number {
  return Math.hypot(...a);
}

/** Of unit length; `otherwise` when there is no direction. */
export function unit(a: ReadVec, otherwise: Vec3 = [1, 0, 0]): Vec3 {
  const norm = length(a);
  return norm > 0 && Number.isFinite(norm) ? scale(a, 1 / norm) : otherwise;
}

/** The product that turns by `b` first. */
export function multiply(a: ReadQuat, b: ReadQuat): Quat {
  const [ax, ay, az, aw] = a;
  const [bx, by, bz, bw] = b;
  return [
    aw * bx + ax * bw + ay * bz - az * by,
    aw * by - ax * bz + ay * bw + az * bx,
    aw * bz + ax * by - ay * bx + az * bw,
    aw * bw - ax * bx - ay * by - az * bz,
  ];
}

/** `v` turned by a unit quaternion. */
export function rotate(q: ReadQuat, v: ReadVec): Vec3 {
  const [x, y, z, w] = q;
  const tx = 2 * (y * v[2] - z * v[1]);
  const ty = 2 * (z * v[0] - x * v[2]);
  const tz = 2 * (x * v[1] - y * v[0]);
  return [v[0] + w * tx + y * tz - z * ty, v[1] + w * ty + z * tx - x * tz, v[2] + w * tz + x * ty - y * tx];
}

export function aboutAxis(axis: ReadVec, angle: number): Quat {
  const [x, y, z] = scale(unit(axis), Math.sin(angle / 2));
  // Adding zero makes the negative one positive, as it is after a round trip through JSON.
  return [x + 0, y + 0, z + 0, Math.cos(angle / 2)];
}

/** The `index`-th vector of a flat list. */
export function vectorAt(flat: ArrayLike<number>, index: number, stride = 3): Vec3 {
  const at = index * stride;
  return [flat[at] ?? 0, flat[at + 1] ?? 0, flat[at + 2] ?? 0];
}

/** The rotation of the `index`-th pose of a flat list of 7 numbers each. */
export function rotationAt(flat: ArrayLike<number>, index: number): Quat {
  const at = 7 * index + 3;
  return [flat[at] ?? 0, flat[at + 1] ?? 0, flat[at + 2] ?? 0, flat[at + 3] ?? 1];
}

export function degrees(radians: number): number {
  return (radians * 180) / Math.PI;
}

export function radians(degrees: number): number {
  return (degrees * Math.PI) / 180;
}
