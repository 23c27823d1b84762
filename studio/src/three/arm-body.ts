//! Bodies for a robot arm whose file has no shapes: a housing about each axis, a tube to the next, a foot and a flange, all turned on a lathe.

import * as THREE from "three";
import { vectorAt } from "../core/math.ts";
import type { ProblemInfo } from "../core/types.ts";

export interface ArmPart {
  joint: number;
  geometry: THREE.BufferGeometry;
  /** In the solver's colour. */
  isAccent: boolean;
}

/** Radius of a housing at the base and at the tool, as shares of the reach. */
const [AT_BASE, AT_TOOL] = [0.062, 0.034] as const;
/** Housings stand out beyond their axis by this share of their radius, their edges are this round, and tubes this thick. */
const [OUT, ROUND, TUBE] = [1.05, 0.28, 0.74] as const;
/** A tube shorter than this share of the radius is hidden in its housing. */
const HIDDEN = 0.7;

/** The bodies of an arm; none where joints branch, or are not hinges in a row. */
export function armParts(info: ProblemInfo): ArmPart[] {
  const row = rowOf(info);
  const hinges = row.filter((joint) => info.kinds[joint] === "revolute").length;
  if (hinges < 3) return [];
  let passed = 0;
  return row.flatMap((joint, at) => {
    if (info.kinds[joint] === "revolute") passed += 1;
    const radius = info.reach * (AT_BASE + (AT_TOOL - AT_BASE) * Math.max(0, passed - 1) / Math.max(1, hinges - 1));
    const next = row[at + 1];
    const link = new THREE.Vector3(...(next === undefined ? [0, 0, 0] as const : vectorAt(info.rest, next, 7)));
    if (info.kinds[joint] === "revolute") return housing(joint, new THREE.Vector3(...vectorAt(info.axes, joint)), link, radius, passed === 1 ? Math.hypot(...vectorAt(info.rest, joint, 7)) : Infinity);
    if (at === 0) return foot(joint, link, radius);
    return next === undefined ? flange(joint, radius) : tube(joint, new THREE.Vector3(), link, radius);
  });
}

/** The joints from the root to the end, as far as each has one child and moves as a hinge or not at all. */
function rowOf(info: ProblemInfo): number[] {
  const row: number[] = [];
  for (let joint = 0; joint < info.nJoints; joint += 1) {
    if (info.parents[joint] !== (row.at(-1) ?? -1) || !["fixed", "revolute"].includes(info.kinds[joint] ?? "")) return [];
    row.push(joint);
  }
  return row;
}

/**
 * About the axis and as far along it as the next joint is, from there a tube across; a ring in the solver's colour at either end.
 *
 * - `room`: what there is below: the first housing does not reach through the floor
 */
function housing(joint: number, axis: THREE.Vector3, link: THREE.Vector3, radius: number, room: number): ArmPart[] {
  const along = link.dot(axis);
  const turn = axis.clone().multiplyScalar(along);
  const [low, high] = [Math.min(0, along) - Math.min(OUT * radius, room), Math.max(0, along) + OUT * radius];
  const part = (profile: THREE.Vector2[], isAccent: boolean): ArmPart => ({ joint, geometry: turned(profile, new THREE.Vector3(), axis), isAccent });
  const ring = (at: number) => part(barrel(at - 0.05 * radius, at + 0.05 * radius, 1.02 * radius, 0.03 * radius), true);
  return [part(barrel(low, high, radius, ROUND * radius), false), ring(low + 0.45 * radius), ring(high - 0.45 * radius), ...tube(joint, turn, link, radius)];
}

function tube(joint: number, from: THREE.Vector3, to: THREE.Vector3, radius: number): ArmPart[] {
  const link = to.clone().sub(from);
  const length = link.length();
  if (length < HIDDEN * radius) return [];
  const [thick, slim] = [TUBE * radius, 0.88 * TUBE * radius];
  const profile = [[0, 0], [thick, 0], [thick, 0.2 * length], [slim, 0.35 * length], [slim, 0.65 * length], [thick, 0.8 * length], [thick, length], [0, length]];
  return [{ joint, geometry: turned(profile.map(([x = 0, y = 0]) => new THREE.Vector2(x, y)), from, link.divideScalar(length)), isAccent: false }];
}

/** A plate on the floor and a column to the first joint. */
function foot(joint: number, link: THREE.Vector3, radius: number): ArmPart[] {
  const height = link.length();
  const up = height > 0 ? link.clone().divideScalar(height) : new THREE.Vector3(0, 0, 1);
  const plate = { joint, geometry: turned(barrel(0, 0.3 * radius, 1.5 * radius, 0.1 * radius), new THREE.Vector3(), up), isAccent: false };
  const column = [[0, 0], [1.2 * radius, 0], [1.2 * radius, 0.3 * radius], [0.97 * radius, 0.6 * radius], [0.97 * radius, Math.max(height, 0.7 * radius)], [0, Math.max(height, 0.7 * radius)]];
  return [plate, { joint, geometry: turned(column.map(([x = 0, y = 0]) => new THREE.Vector2(x, y)), new THREE.Vector3(), up), isAccent: false }];
}

/** Where tools are screwed on: a disc that ends at the frame of the tool. */
function flange(joint: number, radius: number): ArmPart[] {
  const z = new THREE.Vector3(0, 0, 1);
  return [{ joint, geometry: turned(barrel(-0.35 * radius, 0, 0.8 * radius, 0.08 * radius), new THREE.Vector3(), z), isAccent: true }];
}

/** Half the outline of a cylinder with rounded edges. */
function barrel(low: number, high: number, radius: number, round: number): THREE.Vector2[] {
  const arc = (center: number, from: number) => Array.from({ length: 4 }, (_, i) => {
    const angle = from + (i * Math.PI) / 6;
    return new THREE.Vector2(radius - round + round * Math.cos(angle), center + round * Math.sin(angle));
  });
  return [new THREE.Vector2(0, low), ...arc(low + round, -Math.PI / 2), ...arc(high - round, 0), new THREE.Vector2(0, high)];
}

/** An outline turned about an axis through a point. */
function turned(profile: THREE.Vector2[], from: THREE.Vector3, axis: THREE.Vector3): THREE.BufferGeometry {
  const turn = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 1, 0), axis);
  return new THREE.LatheGeometry(profile, 32).applyQuaternion(turn).translate(from.x, from.y, from.z);
}
