//! What passes between the page and the worker. Every request has one answer, in the order of the requests, those apart excepted.

import type { MotionAnswers, MotionRequest } from "./motion.ts";
import type { RobotDescription } from "../core/robot.ts";
import type { ArmFacts, ArmPath, ArmTrack, CrowdFrame, MethodName, PoseData, ProblemInfo, RunResult, Settings, Sketch, SketchOrder, TraceData } from "../core/types.ts";

/** One solver on the loaded problem. */
export interface RunOrder {
  id: string;
  method: MethodName;
  settings: Settings;
  /** Joint values or points; `problem`: where the problem says; `last`: where this run stands. */
  start: Float64Array | "problem" | "last";
}

/** A task's target: 2 or 3 numbers, 4 for an orientation, 7 for a pose. */
export interface TargetOrder {
  task: number;
  numbers: number[];
}

export interface CrowdOrder {
  count: number;
  height: number;
  speed: number;
  /** Seconds. */
  time: number;
}

export type Source = { kind: "json"; text: string; urdf?: string; file?: Uint8Array } | { kind: "urdf"; text: string; free?: boolean } | { kind: "gltf"; bytes: Uint8Array; free?: boolean };

export type Request =
  | { kind: "load"; source: Source }
  /** Reads without taking it over; the answer carries the problem as a figure, written out. */
  | { kind: "inspect"; source: Source }
  /** Solves another problem without taking it over: for small pictures. */
  | { kind: "preview"; source: Source; method: MethodName }
  /** Solves a chain for one target after the other without taking it over: for the figures of articles. */
  | { kind: "sketch"; order: SketchOrder }
  /** Runs to the end. */
  | { kind: "solve"; runs: RunOrder[]; targets: TargetOrder[] }
  /** Goes on by `iterations`; begins where a run or a target has changed. */
  | { kind: "advance"; runs: RunOrder[]; targets: TargetOrder[]; iterations: number; restart: boolean }
  /** The trace of what a run solved last, in half-steps. */
  | { kind: "trace"; run: string }
  /** Times what a run solved last. */
  | { kind: "measure"; run: string }
  /** Brings one joint to a place, from a pose, with the least change. */
  | { kind: "bend"; joint: number; position: number[]; from: Float64Array }
  /** What a robot looks like, and its named states. */
  | { kind: "robot"; text: string; srdf?: string }
  /** Where the joints of the loaded problem are with these values. */
  | { kind: "poses"; q: Float64Array }
  /** What there is to say of the arm where a run stands. */
  | { kind: "arm"; run: string; target: number[]; isStill: boolean }
  | { kind: "track"; path: ArmPath }
  | { kind: "solution"; run: RunOrder; targets: TargetOrder[]; trace: boolean }
  /** A character's file with some of its nodes turned, four numbers each. */
  | { kind: "pose-gltf"; bytes: Uint8Array; nodes: Uint32Array; turns: Float64Array }
  | { kind: "crowd"; order: CrowdOrder }
  | { kind: "digest" }
  | MotionRequest;

/** The answers by the kind of request. */
export interface Answers extends MotionAnswers {
  load: ProblemInfo;
  inspect: { figure: string; name: string; warnings: string[] };
  preview: { info: ProblemInfo; pose: PoseData; method: MethodName };
  sketch: Sketch;
  solve: RunResult[];
  advance: RunResult[];
  /** Null where the run has solved nothing. */
  trace: TraceData | null;
  /** The time of a solve [µs]; null where the run has solved nothing. */
  measure: number | null;
  bend: Float64Array;
  robot: RobotDescription;
  /** 7 numbers for each joint. */
  poses: Float64Array;
  /** Null where the problem is no arm with one goal. */
  arm: ArmFacts | null;
  track: ArmTrack | null;
  solution: string;
  "pose-gltf": Uint8Array;
  crowd: CrowdFrame;
  digest: { computed: string; committed: string };
}

export type RequestKind = Request["kind"];

/** Requests that neither need nor change what is loaded: they may wait for a module while others are answered. */
export const APART: readonly RequestKind[] = ["inspect", "preview", "sketch", "robot", "digest"];

/** A fault in words, with its place as far as it has one. */
export interface FaultData {
  message: string;
  line?: number;
  column?: number;
}

export interface Envelope {
  id: number;
  request: Request;
}

export type Reply = { id: number; answer: Answers[RequestKind] } | { id: number; fault: FaultData };

/** The buffers that may change hands instead of being copied. */
export function transferables(value: unknown, found: ArrayBuffer[] = []): ArrayBuffer[] {
  if (ArrayBuffer.isView(value)) {
    if (value.byteLength > 0 && value.buffer instanceof ArrayBuffer && !found.includes(value.buffer)) found.push(value.buffer);
  } else if (Array.isArray(value)) {
    for (const item of value) if (typeof item === "object") transferables(item, found);
  } else if (typeof value === "object" && value !== null) {
    for (const item of Object.values(value)) if (typeof item === "object") transferables(item, found);
  }
  return found;
}
