//! What the geometry of pictures needs besides the vectors and quaternions of `math.ts`.

import type { Quat, Vec3 } from "../files.ts";
import { cross, dot, length, scale } from "../math.ts";

type ReadVec = Readonly<Vec3>;
type ReadQuat = Readonly<Quat>;

export const along = (a: ReadVec, b: ReadVec, s: number): Vec3 => [a[0] + b[0] * s, a[1] + b[1] * s, a[2] + b[2] * s];
export const distance = (a: ReadVec, b: ReadVec): number => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);

/** Of length one, or null for a vector without a direction. */
export function direction(a: ReadVec): Vec3 | null {
  const size = length(a);
  return size > 1e-12 && Number.isFinite(size) ? scale(a, 1 / size) : null;
}

/** A unit vector across a unit axis: the part of `seed` across it, or any where `seed` has none. */
export function across(axis: ReadVec, seed: ReadVec): Vec3 {
  const part = along(seed, axis, -dot(seed, axis));
  const found = length(part) > 1e-6 * length(seed) ? direction(part) : null;
  if (found !== null) return found;
  const other: Vec3 = Math.abs(axis[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0];
  return direction(cross(other, axis)) ?? [0, 0, 1];
}

export const inverse = (q: ReadQuat): Quat => [-q[0], -q[1], -q[2], q[3]];

/** `v` turned about a unit axis by an angle [rad]. */
export function turned(v: ReadVec, axis: ReadVec, angle: number): Vec3 {
  const c = Math.cos(angle);
  const s = Math.sin(angle);
  const k = cross(axis, v);
  const d = dot(axis, v) * (1 - c);
  return [v[0] * c + k[0] * s + axis[0] * d, v[1] * c + k[1] * s + axis[1] * d, v[2] * c + k[2] * s + axis[2] * d];
}

/** Angle from `a` to `b` about a unit axis, in (-pi, pi]; 0 where either lies along it. */
export function angleAbout(axis: ReadVec, a: ReadVec, b: ReadVec): number {
  const u = along(a, axis, -dot(a, axis));
  const v = along(b, axis, -dot(b, axis));
  return Math.atan2(dot(axis, cross(u, v)), dot(u, v));
}

/** The twist of a unit quaternion about a unit axis [rad], in (-pi, pi]. */
export function twistAbout(q: ReadQuat, axis: ReadVec): number {
  const angle = 2 * Math.atan2(q[0] * axis[0] + q[1] * axis[1] + q[2] * axis[2], q[3]);
  if (angle > Math.PI) return angle - 2 * Math.PI;
  return angle <= -Math.PI ? angle + 2 * Math.PI : angle;
}
