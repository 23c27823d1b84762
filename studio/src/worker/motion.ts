//! The library behind the motion scene: one open motion file.

import { Motion, type Interpolation } from "posekit/motion";
import type { JointCurves, MadeMotion, MotionInfo, OpenedMotion, PulledPose } from "../core/motion/types.ts";

export type MotionRequest =
  | { kind: "motion-open"; bytes: Uint8Array; name: string; clip: number; seconds: number }
  /** Everything that makes the result; contacts are the text of a contacts file, or null for those that are found. */
  | { kind: "motion-set"; settings: string; contacts: string | null; times: Float64Array; values: Float64Array; interpolations: Interpolation[] }
  /** Pulls joints of a frame of the result to points. */
  | { kind: "motion-pull"; frame: number; joint: number; target: Float64Array }
  | { kind: "motion-frame"; frame: number }
  | { kind: "motion-curves"; joint: number }
  /** A configuration with one joint as its curves say. */
  | { kind: "motion-with-curve"; q: Float64Array; joint: number; numbers: Float64Array }
  | { kind: "motion-write"; format: "same" | "bvh" | "glb" };

export interface MotionAnswers {
  "motion-open": OpenedMotion;
  "motion-set": MadeMotion;
  "motion-pull": PulledPose;
  "motion-frame": Float64Array;
  "motion-curves": JointCurves;
  "motion-with-curve": Float64Array;
  "motion-write": Uint8Array;
}

/** Numbers of a pose, and of a frame of curves. */
const [POSE, CURVES] = [7, 6] as const;

export class MotionTable {
  #motion: Motion | null = null;
  #info: MotionInfo | null = null;
  /** Of the poses that are set. */
  #times: Float64Array = new Float64Array(0);

  answer(request: MotionRequest): MotionAnswers[MotionRequest["kind"]] {
    switch (request.kind) {
      case "motion-open": return this.#openFile(request.bytes, request.name, request.clip, request.seconds);
      case "motion-set": return this.#set(request);
      case "motion-pull": return this.#pull(request.frame, request.joint, request.target);
      case "motion-frame": return this.#frame(request.frame);
      case "motion-curves": return this.#curves(request.joint);
      case "motion-with-curve": return this.#withCurve(request.q, request.joint, request.numbers);
      case "motion-write": return this.#open().motion.write(request.format);
    }
  }

  #open(): { motion: Motion; info: MotionInfo } {
    if (!this.#motion || !this.#info) throw new Error("no motion is open");
    return { motion: this.#motion, info: this.#info };
  }

  #openFile(bytes: Uint8Array, name: string, clip: number, seconds: number): OpenedMotion {
    const motion = Motion.open(bytes, name, clip, seconds);
    const info = motion.info();
    this.#motion?.free();
    this.#motion = motion;
    this.#info = info;
    this.#times = new Float64Array(0);
    const source = new Float32Array(motion.posesLength);
    motion.poses("source", source);
    return { info: structuredClone(info), source, rest: restOf(motion, info) };
  }

  #set({ settings, contacts, times, values, interpolations }: MotionRequest & { kind: "motion-set" }): MadeMotion {
    const { motion } = this.#open();
    const began = performance.now();
    motion.set(settings, contacts, times, values, interpolations);
    this.#times = times;
    const millis = performance.now() - began;
    const result = new Float32Array(motion.posesLength);
    motion.poses("result", result);
    return { result, report: motion.report(), contacts: motion.contacts(), millis };
  }

  #pull(frame: number, joint: number, target: Float64Array): PulledPose {
    const { motion, info } = this.#open();
    const q = new Float64Array(info.nValues);
    const poses = new Float32Array(POSE * info.joints.length);
    motion.pull(frame, Uint32Array.of(joint), target, null, q, poses);
    return { q, poses };
  }

  #frame(frame: number): Float64Array {
    const { motion, info } = this.#open();
    const q = new Float64Array(info.nValues);
    motion.configuration(frame, q);
    return q;
  }

  #curves(joint: number): JointCurves {
    const { motion, info } = this.#open();
    const [source, result] = [new Float32Array(CURVES * info.nFrames), new Float32Array(CURVES * info.nFrames)];
    motion.curves("source", joint, source);
    motion.curves("result", joint, result);
    return { joint, source, result, keys: motion.keyCurves(joint), times: this.#times.slice() };
  }

  #withCurve(q: Float64Array, joint: number, numbers: Float64Array): Float64Array {
    const out = new Float64Array(q.length);
    this.#open().motion.withCurve(q, joint, numbers, out);
    return out;
  }
}

/** A skin is bound to the figure at rest; a file whose rest has other joints gets none. */
function restOf(motion: Motion, info: MotionInfo): Float32Array {
  if (info.format === "bvh") return new Float32Array(0);
  try {
    const rest = new Float32Array(POSE * info.joints.length);
    motion.restPoses(rest);
    return rest;
  } catch {
    return new Float32Array(0);
  }
}
