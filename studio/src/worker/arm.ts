//! The library's arm behind the worker's requests: what there is to say of a robot arm whose tool has one pose as its goal.

import type { Arm, Problem } from "posekit/robots";
import type { Robots } from "./robots.ts";
import { dexterityOf } from "../core/arm.ts";
import type { ArmFacts, ArmPath, ArmTrack, PoseData, ProblemInfo, SelfMotionData } from "../core/types.ts";

/** Steps of a self-motion's parameter. */
const SAMPLES = 720;
/** An arm without a closed form may have a solution for every start: so many of the nearest are enough to look at. */
const MOST_SOLUTIONS = 16;
/** Joint values that differ by no more are the same [rad, m]. */
const SAME = 1e-6;
/** Pictures of a path: so many a second, and no more than so many. */
const [RATE, MOST_FRAMES] = [60, 1500] as const;

interface Curve {
  parameters: Float64Array;
  values: Float64Array;
}

export class ArmTable {
  private readonly arm: Arm | null;
  /** What was found for a target; it stays as long as the arm stands in one of these poses, so that their order does. */
  private known: { target: string; solutions: Float64Array; curves: Curve[] } | null = null;

  constructor(library: typeof Robots, private readonly problem: Problem, private readonly info: ProblemInfo) {
    this.arm = armOf(library, problem);
  }

  free(): void {
    this.arm?.free();
  }

  /**
   * - `isReached`: whether `q` puts the tool at the target: only there is a self-motion
   * - `isStill`: whether there is time for that, and for solutions without a closed form
   */
  facts(target: number[], q: Float64Array, isReached: boolean, isStill: boolean): ArmFacts | null {
    const { arm } = this;
    if (!arm) return null;
    const pose = Float64Array.from(target);
    const known = this.known?.target === String(target) ? this.known : null;
    const solutions = known && this.isAmong(q, known.solutions) ? known.solutions : this.solutions(arm, pose, q, isStill);
    const isOnCurve = known?.curves.some(({ values }) => this.isAmong(q, values)) ?? false;
    const curves = known && isOnCurve ? known.curves : isStill && isReached ? this.curves(arm, pose, q) : [];
    this.known = { target: String(target), solutions, curves };
    const [current = -1, difference = Infinity] = arm.nearest(q, solutions);
    const dexterity = new Float64Array(7);
    arm.dexterity(q, dexterity);
    return {
      family: arm.family,
      solutions: this.rows(solutions).map((row) => this.pose(row)),
      current: difference <= 100 * SAME ? current : -1,
      parameter: arm.parameter ?? null,
      selfMotion: this.motion(arm, q, curves),
      dexterity: dexterityOf(dexterity),
    };
  }

  private isAmong(q: Float64Array, configurations: Float64Array): boolean {
    const [, difference = Infinity] = this.arm?.nearest(q, configurations) ?? [];
    return difference <= SAME;
  }

  private solutions(arm: Arm, target: Float64Array, q: Float64Array, isStill: boolean): Float64Array {
    if (arm.family === "" && !isStill) return new Float64Array();
    return arm.solutions(target, q).subarray(0, MOST_SOLUTIONS * this.problem.nValues);
  }

  private curves(arm: Arm, target: Float64Array, q: Float64Array): Curve[] {
    if (arm.parameter === undefined) return [];
    const motion = arm.selfMotion(target, q, SAMPLES);
    const curves = Array.from({ length: motion.length }, (_, curve) => ({ parameters: motion.parameters(curve), values: motion.values(curve) }));
    motion.free();
    return curves;
  }

  /** The curve on which the arm is. */
  private motion(arm: Arm, q: Float64Array, curves: Curve[]): SelfMotionData | null {
    let best: SelfMotionData | null = null;
    let least = Infinity;
    for (const { parameters, values } of curves) {
      const [at = 0, difference = Infinity] = arm.nearest(q, values);
      if (difference < least) [best, least] = [{ parameters: parameters.slice(), values: values.slice(), at }, difference];
    }
    return best;
  }

  private rows(flat: Float64Array): Float64Array[] {
    const { nValues } = this.problem;
    return Array.from({ length: flat.length / nValues }, (_, row) => flat.slice(row * nValues, (row + 1) * nValues));
  }

  private pose(q: Float64Array): PoseData {
    const poses = new Float64Array(7 * this.problem.nJoints);
    this.problem.poses(q, poses);
    return { q, poses, points: originsOf(poses) };
  }

  track({ start, poses, seconds }: ArmPath): ArmTrack | null {
    const { arm, problem, info } = this;
    if (!arm) return null;
    const { nValues, nJoints } = problem;
    const times = Float64Array.from(poses, (_, pose) => seconds * pose);
    const from = start.length === nValues ? Float64Array.from(start) : info.start.q;
    const track = arm.track(times, Float64Array.from(poses.flat()), from);
    const when = track.times();
    const duration = when.at(-1) ?? 0;
    const rate = Math.min(RATE, MOST_FRAMES / Math.max(duration, 1e-3));
    const nFrames = track.length === 0 ? 0 : Math.floor(duration * rate + 1e-9) + 2;
    const frames = { q: new Float64Array(nFrames * nValues), poses: new Float64Array(7 * nFrames * nJoints), points: new Float64Array(3 * nFrames * nJoints) };
    const dexterity = new Float64Array(7 * nFrames);
    for (let frame = 0; frame < nFrames; frame += 1) {
      const q = frames.q.subarray(frame * nValues, (frame + 1) * nValues);
      // The last frame is the end, which is seldom a whole number of frames away.
      track.configurationAt(frame === nFrames - 1 ? duration : frame / rate, q);
      problem.poses(q, frames.poses.subarray(7 * frame * nJoints, 7 * (frame + 1) * nJoints));
      arm.dexterity(q, dexterity.subarray(7 * frame, 7 * (frame + 1)));
    }
    frames.points.set(originsOf(frames.poses));
    const answer: ArmTrack = {
      outcome: track.outcome as ArmTrack["outcome"],
      blocked: Array.from(track.blocked()),
      endedAt: track.endedAt ?? null,
      smallest: track.smallestSingularValue ?? null,
      asked: times.at(-1) ?? 0,
      joints: Array.from(arm.joints()),
      limits: Float64Array.from(arm.velocityLimits()),
      times: Float64Array.from(when),
      speeds: track.speeds(),
      rate, nFrames, nValues, nJoints, frames, dexterity,
    };
    track.free();
    return answer;
  }
}

/** The arm of the only task; null where there is none. */
function armOf({ Arm }: typeof Robots, problem: Problem): Arm | null {
  if (problem.kind !== "figure" || problem.nTasks !== 1) return null;
  try {
    return new Arm(problem, 0);
  } catch {
    // Balls, a root that floats, a task on two frames.
    return null;
  }
}

/** The places of flat poses. */
function originsOf(poses: Float64Array): Float64Array {
  const points = new Float64Array((3 * poses.length) / 7);
  for (let pose = 0; 7 * pose < poses.length; pose += 1) points.set(poses.subarray(7 * pose, 7 * pose + 3), 3 * pose);
  return points;
}
