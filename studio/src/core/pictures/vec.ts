//! Three-vectors and quaternions (x, y, z, w) as small arrays, for the geometry of pictures. Nothing here solves anything.

export type Vec = [number, number, number];
export type Turn = [number, number, number, number];
type ReadVec = readonly [number, number, number];
type ReadTurn = readonly [number, number, number, number];

export const add = (a: ReadVec, b: ReadVec): Vec => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const sub = (a: ReadVec, b: ReadVec): Vec => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const scale = (a: ReadVec, s: number): Vec => [a[0] * s, a[1] * s, a[2] * s];
export const along = (a: ReadVec, b: ReadVec, s: number): Vec => [a[0] + b[0] * s, a[1] + b[1] * s, a[2] + b[2] * s];
export const dot = (a: ReadVec, b: ReadVec): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const cross = (a: ReadVec, b: ReadVec): Vec => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];
export const length = (a: ReadVec): number => Math.hypot(a[0], a[1], a[2]);
export const distance = (a: ReadVec, b: ReadVec): number => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);

/** Of length one, or null for a vector without a direction. */
export function unit(a: ReadVec): Vec | null {
  const size = length(a);
  return size > 1e-12 && Number.isFinite(size) ? scale(a, 1 / size) : null;
}

/** A unit vector across a unit axis: the part of `seed` across it, or any where `seed` has none. */
export function across(axis: ReadVec, seed: ReadVec): Vec {
  const part = along(seed, axis, -dot(seed, axis));
  const found = length(part) > 1e-6 * length(seed) ? unit(part) : null;
  if (found !== null) return found;
  const other: Vec = Math.abs(axis[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0];
  return unit(cross(other, axis)) ?? [0, 0, 1];
}

/** `v` turned by a unit quaternion. */
export function rotate(q: ReadTurn, v: ReadVec): Vec {
  const [x, y, z, w] = q;
  const tx = 2 * (y * v[2] - z * v[1]);
  const ty = 2 * (z * v[0] - x * v[2]);
  const tz = 2 * (x * v[1] - y * v[0]);
  return [
    v[0] + w * tx + y * tz - z * ty,
    v[1] + w * ty + z * tx - x * tz,
    v[2] + w * tz + x * ty - y * tx,
  ];
}

/** The rotation `a` after `b`. */
export function product(a: ReadTurn, b: ReadTurn): Turn {
  return [
    a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
    a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
    a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
    a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2],
  ];
}

export const inverse = (q: ReadTurn): Turn => [-q[0], -q[1], -q[2], q[3]];

/** The rotation about a unit axis by an angle [rad]. */
export function aboutAxis(axis: ReadVec, angle: number): Turn {
  const s = Math.sin(angle / 2);
  return [axis[0] * s, axis[1] * s, axis[2] * s, Math.cos(angle / 2)];
}

/** `v` turned about a unit axis by an angle [rad]. */
export function turned(v: ReadVec, axis: ReadVec, angle: number): Vec {
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
export function twistAbout(q: ReadTurn, axis: ReadVec): number {
  const angle = 2 * Math.atan2(q[0] * axis[0] + q[1] * axis[1] + q[2] * axis[2], q[3]);
  if (angle > Math.PI) return angle - 2 * Math.PI;
  return angle <= -Math.PI ? angle + 2 * Math.PI : angle;
}

/** Position of the `i`-th pose of seven numbers. */
export function placeOf(poses: ArrayLike<number>, i: number): Vec {
  return [poses[7 * i] as number, poses[7 * i + 1] as number, poses[7 * i + 2] as number];
}

/** Rotation of the `i`-th pose of seven numbers. */
export function turnOf(poses: ArrayLike<number>, i: number): Turn {
  return [
    poses[7 * i + 3] as number,
    poses[7 * i + 4] as number,
    poses[7 * i + 5] as number,
    poses[7 * i + 6] as number,
  ];
}
