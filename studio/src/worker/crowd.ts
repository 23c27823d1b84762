//! The crowd: where its limbs stand and what they follow. They are solved by the library, all in one call.

import { Limbs } from "posekit";
import { CROWD_BONES, CROWD_GAP } from "../core/scenes/crowd.ts";
import type { CrowdFrame } from "../core/types.ts";
import type { CrowdOrder } from "./protocol.ts";

/** Height of the targets over the ground when the wave is flat, and how far they circle [m]. */
const [HEIGHT, CIRCLE] = [0.4, 0.13] as const;
/** Length of a wave over the field [m]. */
const WAVE = 3.2;
/** The first solves wait for the module's code to be compiled and would be no measure; as many again are one. */
const WARM = 16;
/** The clocks of browsers tick too seldom for one solve: what a frame takes is a mean of so many. */
const MEAN = 32;

/** What a number of limbs is made of: 3 numbers each. */
interface Field {
  limbs: Limbs;
  starts: Float32Array;
  mids: Float32Array;
  ends: Float32Array;
  targets: Float32Array;
  poles: Float32Array;
  out: Float32Array;
  /** How long solving all of them takes [µs]. */
  micros: number;
}

export class CrowdState {
  private field: Field | null = null;
  private count = 0;

  frame({ count, height, speed, time }: CrowdOrder): CrowdFrame {
    const isNew = this.count !== count;
    const field = this.fieldOf(count);
    for (let limb = 0; limb < count; limb += 1) aim(field, limb, height, 2 * Math.PI * speed * time);
    if (isNew) {
      solve(field, WARM);
      field.micros = solve(field, WARM).micros;
    }
    const { reached, micros } = solve(field, 1);
    field.micros += (micros - field.micros) / MEAN;
    const points = new Float32Array(9 * count);
    for (let limb = 0; limb < count; limb += 1) {
      for (let k = 0; k < 3; k += 1) {
        points[9 * limb + k] = field.starts[3 * limb + k] ?? 0;
        points[9 * limb + 3 + k] = field.mids[3 * limb + k] = field.out[6 * limb + k] ?? 0;
        points[9 * limb + 6 + k] = field.ends[3 * limb + k] = field.out[6 * limb + 3 + k] ?? 0;
      }
    }
    return { count, points, targets: field.targets.slice(), reached, micros: field.micros };
  }

  private fieldOf(count: number): Field {
    if (this.field && this.count === count) return this.field;
    this.field?.limbs.free();
    const three = () => new Float32Array(3 * count);
    const field: Field = { limbs: new Limbs(count), starts: three(), mids: three(), ends: three(), targets: three(), poles: three(), out: new Float32Array(6 * count), micros: 0 };
    const side = Math.ceil(Math.sqrt(count));
    for (let limb = 0; limb < count; limb += 1) {
      const x = ((limb % side) - (side - 1) / 2) * CROWD_GAP;
      const y = (Math.floor(limb / side) - (Math.ceil(count / side) - 1) / 2) * CROWD_GAP;
      field.starts.set([x, y, 0], 3 * limb);
      field.mids.set([x + 0.1, y, Math.sqrt(CROWD_BONES[0] ** 2 - 0.01)], 3 * limb);
      field.ends.set([x + 0.1, y, Math.sqrt(CROWD_BONES[0] ** 2 - 0.01) + CROWD_BONES[1]], 3 * limb);
      field.poles.set([x + 10, y, 0.3], 3 * limb);
    }
    this.field = field;
    this.count = count;
    return field;
  }
}

/** Solves all limbs so many times: how many reach, and how long once takes. */
function solve({ limbs, starts, mids, ends, targets, poles, out }: Field, times: number): { reached: number; micros: number } {
  let reached = 0;
  const began = performance.now();
  for (let time = 0; time < times; time += 1) reached = limbs.solve(starts, mids, ends, targets, poles, out);
  return { reached, micros: 1000 * (performance.now() - began) / times };
}

/** Targets go round in circles and up and down with a wave that runs over the field. */
function aim({ starts, targets }: Field, limb: number, height: number, turn: number): void {
  const at = 3 * limb;
  const [x, y] = [starts[at] ?? 0, starts[at + 1] ?? 0];
  const phase = (2 * Math.PI * (x + 0.6 * y)) / WAVE - turn;
  targets[at] = x + CIRCLE * Math.cos(phase);
  targets[at + 1] = y + CIRCLE * Math.sin(phase);
  targets[at + 2] = HEIGHT + height * Math.sin(phase);
}
