//! Numbers and states in words: plain, with units, and of the same width while they change.

import { refinementFrom } from "./attempts.ts";
import type { ArmTrack, Cursor, MethodName, NearLimit, PhaseName, ProblemInfo, RunResult } from "./types.ts";

const METHOD_WORDS: Record<MethodName, string> = {
  auto: "Automatic",
  direct: "Direct",
  "two-bone": "Two-bone",
  arm: "Robot arm",
  ccd: "CCD",
  fabrik: "FABRIK",
  relaxation: "Relaxation",
  "least-squares": "Least squares",
};

export function methodWord(method: MethodName): string {
  return METHOD_WORDS[method];
}

/** A run by what it is: the method, and whether it is the published iteration. */
export function runWord(method: MethodName, isClassic: boolean): string {
  return isClassic ? `${methodWord(method)}, classic` : methodWord(method);
}

/** Three significant digits, in the unit that people would use. */
export function length(metres: number): string {
  const size = Math.abs(metres);
  if (size === 0) return "0\u00a0m";
  if (size >= 1) return `${digits(metres)}\u00a0m`;
  if (size >= 0.01) return `${digits(metres * 100)}\u00a0cm`;
  if (size >= 0.0005) return `${digits(metres * 1000)}\u00a0mm`;
  return `${exponent(metres)}\u00a0m`;
}

/** The number of frames and the frame rate, which a single frame does not have. */
export function framesWord(nFrames: number, frameTime: number): string {
  if (nFrames === 1) return "one frame";
  // 119.88 and 29.97 must not become 120 and 30.
  return `${nFrames} frames, ${Number((1 / frameTime).toFixed(2))} fps`;
}

export function angle(radians: number): string {
  const degrees = radians * 180 / Math.PI;
  const size = Math.abs(degrees);
  return size > 0 && size < 0.005 ? `${exponent(degrees)}°` : `${digits(degrees)}°`;
}

export function duration(micros: number): string {
  if (micros >= 1e6) return `${digits(micros / 1e6)}\u00a0s`;
  if (micros >= 1000) return `${digits(micros / 1000)}\u00a0ms`;
  return `${digits(micros)}\u00a0µs`;
}

/** Three significant digits without an exponent; a true minus. */
function digits(value: number): string {
  const size = Math.abs(value);
  const places = size >= 100 ? 0 : size >= 10 ? 1 : 2;
  return minus(value.toFixed(places));
}

/** One digit after the point and a power of ten. */
export function exponent(value: number): string {
  if (value === 0) return "0";
  const [mantissa = "", power = ""] = value.toExponential(1).split("e");
  return minus(`${mantissa}e${power.replace("+", "")}`);
}

function minus(text: string): string {
  return text.replaceAll("-", "−");
}

export function count(n: number, one: string, many = `${one}s`): string {
  return `${n} ${n === 1 ? one : many}`;
}

export type Tone = "good" | "warn" | "bad" | "plain";

/** The status of a solve: an icon that does not depend on colour, a word or two, and a sentence. */
export interface StatusWords {
  mark: "check" | "ruler" | "lock" | "pause" | "hourglass" | "dots";
  tone: Tone;
  short: string;
  long: string;
}

export function statusWords(result: RunResult, info: ProblemInfo | null): StatusWords {
  const within = count(result.iterations, "iteration");
  if (!result.done) return { mark: "dots", tone: "plain", short: "running", long: `running, after ${within}` };
  switch (result.status) {
    case "reached": {
      const by = result.escapedBy && ` by ${methodWord(result.escapedBy)}`;
      const escaped = result.escapedAt > 0 ? `, escaped from a lock-up at iteration ${result.escapedAt}${by ?? ""}` : "";
      return { mark: "check", tone: "good", short: escaped ? "reached, escaped" : "reached", long: `${reachedIn(result)}${escaped}` };
    }
    case "unreachable":
      return { mark: "ruler", tone: "warn", short: `${length(result.shortfall)} too far`, long: outOfReach(result) };
    case "blocked":
      return { mark: "lock", tone: "warn", short: "held back", long: `held back by ${blockers(result, info)}` };
    case "stalled":
      return { mark: "pause", tone: "warn", short: "no better pose", long: `${missWord(result)}, no better pose found` };
    case "iteration-limit":
      return { mark: "hourglass", tone: "warn", short: "out of iterations", long: `out of iterations after ${result.iterations}, ${missWord(result)}` };
    case "cancelled":
      return { mark: "dots", tone: "plain", short: "stopped", long: `stopped after ${within}` };
  }
}

/** What is proven, and how far away the end is where that is more. */
function outOfReach(result: RunResult): string {
  const { shortfall, error, tolerance } = result;
  return error - shortfall <= Math.max(tolerance, 0.005 * error) ? `out of reach by ${length(error)}` : `out of reach by at least ${length(shortfall)}, ${length(error)} away`;
}

/** The distance that remains; where only the orientation is off, the angle. */
function missWord({ error, tolerance, orientationError }: RunResult): string {
  return error > tolerance || orientationError === 0 ? `${length(error)} away` : `${angle(orientationError)} off`;
}

/** Methods without iterations: the pose follows from formulas. */
const CLOSED_FORMS: readonly MethodName[] = ["two-bone", "direct", "arm"];

/** Iterations until the target was reached, and those that refined the pose afterwards. */
function reachedIn({ iterations, method, trace }: RunResult): string {
  // The kernel of arms without a closed form does iterate.
  if (CLOSED_FORMS.includes(method) && iterations <= 1) return "reached in closed form";
  const first = trace ? refinementFrom(trace) : 0;
  const refined = trace && first < trace.n ? iterations - (trace.iterations[first - 1] ?? 0) : 0;
  const needed = iterations - refined;
  const reached = needed === 0 ? "reached from the start" : `reached in ${count(needed, "iteration")}`;
  return refined === 0 ? reached : `${reached}, refined in ${refined}`;
}

/** A joint's name on the page: files count the joints of a chain from 0, the page from 1. */
export function jointName(info: Pick<ProblemInfo, "kind" | "names">, joint: number): string {
  const name = info.kind === "figure" ? info.names[joint] : undefined;
  return name ?? `joint ${joint + 1}`;
}

/** So many joints are named. */
const NAMED = 3;

/** The joints that hold a pose back; the one whose release would help most comes first. */
export function worstHolds({ blocked, holds }: RunResult): number[] {
  const relief = (joint: number) => holds.find((hold) => hold.joint === joint)?.relief ?? 0;
  return blocked.toSorted((a, b) => relief(b) - relief(a));
}

/** "elbow (limit 150°) and wrist": the joints that hold it back most, and for hinges the end of the range at which they are. */
function blockers(result: RunResult, info: ProblemInfo | null): string {
  if (!info || result.blocked.length === 0) return "its limits";
  const named = worstHolds(result).slice(0, NAMED).map((joint) => withLimit(joint, result, info));
  const more = result.blocked.length - named.length;
  return more > 0 ? `${named.join(", ")} and ${more} more` : named.join(" and ");
}

function withLimit(joint: number, result: RunResult, info: ProblemInfo): string {
  const name = jointName(info, joint);
  const limit = info.limits[joint];
  if (limit?.kind !== "range") return name;
  const value = result.q[info.valueOffsets[joint] ?? 0] ?? 0;
  const end = Math.abs(value - limit.min) < Math.abs(value - limit.max) ? limit.min : limit.max;
  return `${name} (limit ${info.kinds[joint] === "prismatic" ? length(end) : angle(end)})`;
}

/** The value of a hinge or a slide. */
export function jointValue(value: number, joint: number, info: ProblemInfo): string {
  return info.kinds[joint] === "prismatic" ? length(value) : angle(value);
}

/** "12.3° before its limit, 150°". */
export function nearLimitWords({ joint, limit, distance }: NearLimit, info: ProblemInfo): string {
  const end = jointValue(limit, joint, info);
  return distance === 0 ? `at its limit, ${end}` : `${jointValue(distance, joint, info)} before its limit, ${end}`;
}

/** Joints that are as fast as they can at some time of a track. */
function fastest({ joints, limits, speeds }: ArmTrack): number[] {
  return joints.filter((_, k) => {
    const limit = limits[k] ?? Infinity;
    for (let at = k; at < speeds.length; at += joints.length) if (Math.abs(speeds[at] ?? 0) >= 0.9999 * limit) return true;
    return false;
  });
}

/** How an arm follows its path: when it is there, or where it ends and why. */
export function trackWords(track: ArmTrack, info: ProblemInfo): StatusWords {
  const named = (joints: number[]) => listed(joints.map((joint) => jointName(info, joint)));
  const time = track.times.at(-1) ?? 0;
  if (track.endedAt === null) {
    const late = time - track.asked;
    const slow = late > 0.005 ? `, ${seconds(late)} longer than requested: as fast as ${named(fastest(track))} can` : "";
    return { mark: "check", tone: "good", short: `in ${seconds(time)}`, long: `follows the path in ${seconds(time)}${slow}` };
  }
  const part = Math.floor((100 * track.endedAt) / track.asked);
  const where = track.nFrames === 0 ? "does not reach the first pose" : `ends after ${part}\u00a0% of the path`;
  const short = track.nFrames === 0 ? "not reached" : `ends at ${part}\u00a0%`;
  switch (track.outcome) {
    case "limits":
      return { mark: "lock", tone: "warn", short, long: `${where}: ${named(track.blocked)} ${track.blocked.length > 1 ? "are at their limits" : "is at its limit"}` };
    case "singularity":
      return { mark: "pause", tone: "warn", short, long: `${where}: the arm is singular there and would turn back; from another solution it goes further` };
    default:
      return { mark: "ruler", tone: "warn", short, long: track.nFrames === 0 ? where : `${where}: no solution was found that goes further` };
  }
}

function listed(words: string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1) ?? ""}`;
}

export function seconds(value: number): string {
  return `${value.toFixed(2)}\u00a0s`;
}

/** An entry of a trace in words. */
export function phaseWord(phase: PhaseName, joint: number, info: ProblemInfo | null): string {
  const name = joint < 0 || info === null ? "" : jointName(info, joint);
  switch (phase) {
    case "iteration": return "end of the iteration";
    case "joint": return name ? `rotated ${name}` : "rotated a joint";
    case "backward": return "inward pass";
    case "forward": return "outward pass";
    case "bone": return name ? `brought the bone at ${name} to its length` : "brought a bone to its length";
    case "pass": return "pose fitted to the points";
    case "escape": return "escaped from the lock-up";
    case "acceleration": return "another method, for slow convergence";
    case "refinement": return "refinement";
    case "result": return "the pose returned";
  }
}

/** The main result and the position in time as one sentence, for screen readers. */
export function announce(result: RunResult | null, info: ProblemInfo | null, cursor: Cursor | null): string {
  if (cursor) {
    return `iteration ${cursor.iteration}, step ${cursor.entry} of ${cursor.entries - 1}: ${phaseWord(cursor.phase, cursor.joint, info)}`;
  }
  if (!result) return "";
  if (result.fault !== null) return result.fault;
  const time = result.micros === null ? "" : `, ${duration(result.micros)}`;
  return `${statusWords(result, info).long}${time}`;
}
