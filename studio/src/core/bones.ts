//! Bones of chains: how long they are, and about what the joint at the start of each turns.

import { isFigure, isPlane, isSpace, type ProblemFile, type SpaceBone } from "./files.ts";
import { aboutAxis, length, scale, unit } from "./math.ts";
import { across, twistAbout } from "./pictures/vec.ts";

/** Lengths that can be typed in [m]. */
export const LENGTHS = { min: 0.001, max: 1000 } as const;

export type ChainJoint = "ball" | "hinge";

/** How long the bone is that a joint carries; null where there is none to edit. */
export function boneLength(problem: ProblemFile, joint: number): number | null {
  if (isFigure(problem)) return null;
  if (isPlane(problem)) return problem.bones[joint]?.length ?? null;
  const bone = isSpace(problem) ? problem.bones[joint] : undefined;
  return bone ? length(bone.offset) : null;
}

export function withBoneLength(problem: ProblemFile, joint: number, wanted: number): ProblemFile {
  if (isFigure(problem)) return problem;
  if (isPlane(problem)) return { ...problem, bones: problem.bones.map((bone, at) => (at === joint ? { ...bone, length: wanted } : bone)) };
  if (!isSpace(problem)) return problem;
  const longer = (bone: SpaceBone): SpaceBone => {
    const now = length(bone.offset);
    return { ...bone, offset: now > 0 ? scale(bone.offset, wanted / now) : [wanted, 0, 0] };
  };
  return { ...problem, bones: problem.bones.map((bone, at) => (at === joint ? longer(bone) : bone)) };
}

/** What kind of joint the one at the start of a bone in space is; null in the plane, where all are hinges. */
export function chainJoint(problem: ProblemFile, joint: number): ChainJoint | null {
  const bone = !isFigure(problem) && isSpace(problem) ? problem.bones[joint] : undefined;
  return bone ? (bone.hinge ? "hinge" : "ball") : null;
}

/** A ball joint becomes a hinge across its bone, which keeps of its rotation what is about that axis; a hinge becomes a ball joint without limits. */
export function withChainJoint(problem: ProblemFile, joint: number, kind: ChainJoint): ProblemFile {
  if (isFigure(problem) || !isSpace(problem)) return problem;
  const changed = ({ hinge, limit, cone: _cone, ...bone }: SpaceBone): SpaceBone => {
    if (kind === "ball") return bone;
    const axis = hinge ?? across(unit(bone.offset), [0, 1, 0]);
    return { ...bone, hinge: axis, rotation: aboutAxis(axis, twistAbout(bone.rotation, axis)), ...(limit ? { limit } : {}) };
  };
  return { ...problem, bones: problem.bones.map((bone, at) => (at === joint ? changed(bone) : bone)) };
}
