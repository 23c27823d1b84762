//! Taking hold of a handle: which one lies under a pointer, and what a movement of the pointer means for it.

import * as THREE from "three";
import type { Handle, HandleMove, PoseData } from "../core/types.ts";
import type { Ghost } from "../core/pictures/arm.ts";
import { limitRadius, type TrailSpot } from "../core/pictures/compose.ts";
import { angleTowards, limitOf, type LimitMark } from "../core/pictures/limits.ts";
import type { Projection } from "../core/pictures/projection.ts";
import type { Shape } from "../core/pictures/shape.ts";
import type { Vec3 } from "../core/files.ts";
import { cross, dot, sub, vectorAt } from "../core/math.ts";
import { across, along, angleAbout, direction, turned } from "../core/pictures/vec.ts";

/** How near a pointer must come [CSS px]. */
const REACH = { mouse: 13, touch: 24 } as const;
/** What is in front where several handles lie together. */
const RANK: Record<Handle["kind"], number> = { limit: 0, target: 1, pole: 2, root: 3, joint: 4 };

/** The handle under a pointer, or null. Rank decides between those within a few pixels of each other, then distance. */
export function pick(
  handles: readonly Handle[],
  projection: Projection,
  x: number,
  y: number,
  pointer: keyof typeof REACH,
  room: (handle: Handle) => number,
): Handle | null {
  const out = new Float64Array(4);
  let best: Handle | null = null;
  let least = Infinity;
  for (const handle of handles) {
    const [px, py, pz] = handle.position;
    if (!projection.at(px, py, pz, out)) continue;
    const apart = Math.hypot((out[0] as number) - x, (out[1] as number) - y);
    if (apart > REACH[pointer] + room(handle)) continue;
    const cost = apart + 5 * RANK[handle.kind];
    if (cost < least) {
      least = cost;
      best = handle;
    }
  }
  return best;
}

/** How near a pointer must come to a corner of the tip's way [CSS px]. */
const TRAIL_REACH = 9;

/** The iteration at whose end the tip was under a pointer, or null. */
export function iterationUnder(trail: readonly TrailSpot[], projection: Projection, x: number, y: number): number | null {
  const out = new Float64Array(4);
  let found: number | null = null;
  let least: number = TRAIL_REACH;
  for (const { at, iteration } of trail) {
    if (!projection.at(...at, out)) continue;
    const apart = Math.hypot((out[0] as number) - x, (out[1] as number) - y);
    if (apart < least) [found, least] = [iteration, apart];
  }
  return found;
}

/** How near a pointer must come to a bone of another solution [CSS px]. */
const GHOST_REACH = { mouse: 8, touch: 16 } as const;

/** The solution of an arm that is under a pointer, or null. */
export function solutionUnder(
  ghosts: readonly Ghost[], shape: Shape, projection: Projection, x: number, y: number, pointer: keyof typeof GHOST_REACH,
): number | null {
  let found: number | null = null;
  let least: number = GHOST_REACH[pointer];
  for (const { index, spots, bones } of ghosts) {
    const places = Array.from({ length: shape.nSpots }, (_, spot) => projection.place(vectorAt(spots, spot)));
    for (const { from, to } of bones) {
      const [a, b] = [places[from], places[to]];
      const apart = a && b ? distanceToSegment(x, y, a, b) : Infinity;
      if (apart < least) [found, least] = [index, apart];
    }
  }
  return found;
}

function distanceToSegment(x: number, y: number, [ax, ay]: Vec3, [bx, by]: Vec3): number {
  const [dx, dy] = [bx - ax, by - ay];
  const share = ((x - ax) * dx + (y - ay) * dy) / Math.max(dx * dx + dy * dy, 1e-9);
  const t = Math.min(1, Math.max(0, share));
  return Math.hypot(ax + t * dx - x, ay + t * dy - y);
}

/** Where a limit's handle is drawn, or null when its joint has no such limit now. */
export function limitPlace(
  handle: Handle, shape: Shape, pose: PoseData, spots: ArrayLike<number>, pixel: number,
): Vec3 | null {
  if (handle.joint === null || handle.limit === null) return null;
  const mark = limitOf(shape, pose, spots, handle.joint);
  if (mark === null) return null;
  const radius = limitRadius(shape, handle.joint, pixel);
  const { end, value } = handle.limit;
  if (mark.kind === "range") return along(mark.at, turned(mark.arm, mark.axis, value), radius);
  if (mark.kind === "rail") return along(mark.at, mark.axis, value);
  if (end === "swing") return along(mark.at, turned(mark.axis, rimSide(mark), value), radius);
  const center = along(mark.at, mark.bone, 0.55 * radius);
  return along(center, turned(mark.arm, mark.bone, value), 0.26 * radius);
}

/** The axis about which a cone's handle leans away from the cone's own axis: towards where the bone is. */
function rimSide(mark: LimitMark & { kind: "cone" }): Vec3 {
  return direction(cross(mark.axis, mark.bone)) ?? across(mark.axis, [0.4, 0.2, 0.9]);
}

/** A drag of one handle, from where it was taken. */
export class Grab {
  readonly #plane = new THREE.Plane();
  readonly #hit = new THREE.Vector3();
  readonly #offset = new THREE.Vector3();
  readonly #mark: LimitMark | null;
  #value: number;

  /**
   * - `normal`: of the plane in which it moves: towards the eye, or up
   * - `ray`: under the pointer when it was taken
   */
  constructor(readonly handle: Handle, normal: THREE.Vector3, ray: THREE.Ray, shape: Shape, pose: PoseData, spots: ArrayLike<number>) {
    const at = new THREE.Vector3(...handle.position);
    this.#mark = handle.kind === "limit" && handle.joint !== null ? limitOf(shape, pose, spots, handle.joint) : null;
    this.#value = handle.limit?.value ?? 0;
    this.#plane.setFromNormalAndCoplanarPoint(this.#normal(normal), at);
    if (ray.intersectPlane(this.#plane, this.#hit) !== null) this.#offset.subVectors(at, this.#hit);
  }

  /** Angles are read in the plane in which they turn. */
  #normal(normal: THREE.Vector3): THREE.Vector3 {
    const mark = this.#mark;
    if (mark === null) return this.handle.moves === "plane" ? new THREE.Vector3(0, 0, 1) : normal;
    const axis = this.#turnAxis(mark);
    if (axis === null) return normal;
    const plane = new THREE.Vector3(...axis);
    // Seen edge on, that plane says nothing: the pointer is then read in the plane of the screen.
    return Math.abs(plane.dot(normal)) > 0.12 ? plane : normal;
  }

  #turnAxis(mark: LimitMark): Vec3 | null {
    if (mark.kind === "range") return mark.axis;
    if (mark.kind === "rail") return null;
    return this.handle.limit?.end === "swing" ? rimSide(mark) : mark.bone;
  }

  /** What the handle is moved to when the pointer is here; null when the ray misses its plane. */
  move(ray: THREE.Ray): HandleMove | null {
    const hit = ray.intersectPlane(this.#plane, this.#hit);
    // A plane seen almost edge on would throw the handle to the horizon.
    if (hit === null || Math.abs(ray.direction.dot(this.#plane.normal)) < 0.02) return null;
    hit.add(this.#offset);
    const place: Vec3 = [hit.x, hit.y, hit.z];
    const mark = this.#mark;
    if (mark === null) {
      const rotation = this.handle.rotation;
      return rotation === null ? { position: place } : { position: place, rotation };
    }
    this.#value = this.#limitValue(mark, place);
    return { value: this.#value };
  }

  #limitValue(mark: LimitMark, place: Vec3): number {
    const way = sub(place, mark.at);
    if (mark.kind === "range") return angleTowards(mark, place, this.#value);
    if (mark.kind === "rail") return dot(way, mark.axis);
    if (this.handle.limit?.end === "swing") {
      const angle = angleAbout(rimSide(mark), mark.axis, way);
      return Math.min(Math.max(Math.abs(angle), 0), Math.PI);
    }
    return angleAbout(mark.bone, mark.arm, way);
  }
}
