//! Turns as people type them: roll, pitch and yaw about the fixed axes x, y and z, in this order.

import type { Quat, Vec3 } from "../core/files.ts";

/** A unit quaternion x, y, z, w from roll, pitch and yaw [rad]. */
export function quatFromEuler([roll, pitch, yaw]: Vec3): Quat {
  const [cr, sr] = [Math.cos(roll / 2), Math.sin(roll / 2)];
  const [cp, sp] = [Math.cos(pitch / 2), Math.sin(pitch / 2)];
  const [cy, sy] = [Math.cos(yaw / 2), Math.sin(yaw / 2)];
  return [
    sr * cp * cy - cr * sp * sy,
    cr * sp * cy + sr * cp * sy,
    cr * cp * sy - sr * sp * cy,
    cr * cp * cy + sr * sp * sy,
  ];
}

/** Roll, pitch and yaw [rad] of a unit quaternion. At a pitch of a quarter turn only the sum of roll and yaw is determined; roll is then 0. */
export function eulerFromQuat([x, y, z, w]: Quat): Vec3 {
  const sine = 2 * (w * y - z * x);
  if (Math.abs(sine) > 1 - 1e-9) return [0, Math.sign(sine) * Math.PI / 2, -2 * Math.sign(sine) * Math.atan2(x, w)];
  return [
    Math.atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y)),
    Math.asin(sine),
    Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)),
  ];
}
