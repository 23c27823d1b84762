import { expect, test } from "vitest";
import type { Quat, Vec3 } from "../core/files.ts";
import { eulerFromQuat, quatFromEuler } from "./turns.ts";

/** Quaternions q and -q are the same turn. */
function sameTurn(a: Quat, b: Quat): number {
  return 1 - Math.abs(a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0));
}

test("angles that are typed in come back", () => {
  const angles: Vec3[] = [[0, 0, 0], [0.3, -0.2, 2.9], [-3, 1.5, -3], [1, -1.5, 0]];
  for (const typed of angles) {
    const back = eulerFromQuat(quatFromEuler(typed));
    for (const axis of [0, 1, 2]) expect(back[axis]).toBeCloseTo(typed[axis] ?? NaN, 9);
  }
});

test("a pitch of a quarter turn keeps the turn", () => {
  for (const typed of [[0.4, Math.PI / 2, 0.9], [0.4, -Math.PI / 2, 0.9]] as Vec3[]) {
    const quat = quatFromEuler(typed);
    expect(sameTurn(quat, quatFromEuler(eulerFromQuat(quat)))).toBeLessThan(1e-12);
  }
});
