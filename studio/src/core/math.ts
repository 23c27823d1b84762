//! Vectors and rotations for places of handles and starts of scenes. Nothing here solves anything.

import type { Quat, Vec3 } from "./files.ts";

export function add(a: Vec3, b: Vec3): Vec3 {
  return [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
}

export function sub(a: Vec3, b: Vec3): Vec3 {
  return [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
}

export function scale(a: Vec3, by: number): Vec3 {
  return [a[0] * by, a[1] * by, a[2] * by];
}

export function dot(a: Vec3, b: Vec3): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

export function cross(a: Vec3, b: Vec3): Vec3 {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

export function length(a: Vec3): number {
  return Math.hypot(...a);
}

/** Of unit length; `otherwise` when there is no direction. */
export function unit(a: Vec3, otherwise: Vec3 = [1, 0, 0]): Vec3 {
  const norm = length(a);
  return norm > 0 && Number.isFinite(norm) ? scale(a, 1 / norm) : otherwise;
}

/** The product that turns by `b` first. */
export function multiply(a: Quat, b: Quat): Quat {
  const [ax, ay, az, aw] = a;
  const [bx, by, bz, bw] = b;
  return [
    aw * bx + ax * bw + ay * bz - az * by,
    aw * by - ax * bz + ay * bw + az * bx,
    aw * bz + ax * by - ay * bx + az * bw,
    aw * bw - ax * bx - ay * by - az * bz,
  ];
}

export function rotate(q: Quat, v: Vec3): Vec3 {
  const axis: Vec3 = [q[0], q[1], q[2]];
  const t = scale(cross(axis, v), 2);
  return add(add(v, scale(t, q[3])), cross(axis, t));
}

export function aboutAxis(axis: Vec3, angle: number): Quat {
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
