//! What is drawn of a robot arm besides itself: its other solutions, and the path of its tool.

import type { ArmTrack, PoseData } from "../types.ts";
import { rotate } from "../math.ts";
import type { Quat, Vec3 } from "../files.ts";
import { Dash, type Drawing, type Pen } from "./drawing.ts";
import { Ink } from "./look.ts";
import { evaluate, type Bone, type Shape } from "./shape.ts";
import { along, distance } from "./vec.ts";

export interface ArmPicture {
  /** All solutions, and the one in which the arm is, which is not drawn again. */
  solutions: readonly PoseData[];
  current: number;
  /** The one under the pointer. */
  hovered: number | null;
  /** Recorded poses, 7 numbers each. */
  path: readonly (readonly number[])[];
  track: ArmTrack | null;
  /** What the track is drawn in. */
  ink: number;
  /** True while the arm is shown on the path, and not where the target wants it. */
  isOnPath: boolean;
}

/** A solution as it was drawn: the places of its spots, and those of its bones that are elsewhere than the arm's. */
export interface Ghost {
  index: number;
  spots: Float64Array;
  bones: readonly Bone[];
}

/** Bones that are nearer to those of the arm than this share of its size are not drawn again. */
const APART = 2e-3;

/**
 * Draws the other solutions as thin figures, as far as they are elsewhere than the arm; returns where they are.
 *
 * - `at`: the places of the arm's own spots
 */
export function drawSolutions(out: Drawing, pen: Pen, shape: Shape, at: Float64Array, { solutions, current, hovered }: ArmPicture): Ghost[] {
  const ghosts = solutions.map((pose, index): Ghost => {
    const spots = evaluate(shape, pose, new Float64Array(3 * shape.nSpots));
    const isApart = (spot: number) => distance(spotAt(spots, spot), spotAt(at, spot)) > APART * shape.size;
    return { index, spots, bones: shape.bones.filter(({ from, to }) => isApart(from) || isApart(to)) };
  });
  const others = ghosts.filter(({ index }) => index !== current);
  for (const { index, spots, bones } of others) {
    const isHovered = index === hovered;
    const [ink, width, opacity] = isHovered ? [Ink.ink, 2.6, 1] : [Ink.start, 1.6, 0.6];
    let end = -1;
    pen.begin(out.strokes, ink, width, 0, opacity);
    for (const { from, to } of bones) {
      if (from !== end) pen.up().to(...spotAt(spots, from));
      pen.to(...spotAt(spots, to));
      end = to;
    }
    for (const { from } of bones) out.mark(...spotAt(spots, from), "circle", isHovered ? 4 : 2.6, ink, Ink.paper, 1.2, opacity);
  }
  return others;
}

/** Draws the recorded poses, the way of the tool between them, and where it ends. */
export function drawPath(out: Drawing, pen: Pen, shape: Shape, { path, track, ink }: ArmPicture, pixel: number): void {
  const tip = shape.tips[0] ?? -1;
  if (track && track.nFrames > 0 && tip >= 0) drawTrack(out, pen, shape, tip, track, path, ink, pixel);
  else if (path.length > 1) drawRest(out, pen, path.map(positionOf));
  path.forEach((pose) => {
    const [at, turn] = [positionOf(pose), pose.slice(3, 7) as Quat];
    for (const axis of [[1, 0, 0], [0, 1, 0], [0, 0, 1]] as Vec3[]) {
      pen.begin(out.lines, Ink.quiet, axis[2] === 1 ? 1.6 : 1).to(...at).to(...along(at, rotate(turn, axis), 14 * pixel));
    }
    out.mark(...at, "diamond", 4.5, Ink.ink, Ink.paper, 1.4);
  });
}

function drawTrack(out: Drawing, pen: Pen, shape: Shape, tip: number, track: ArmTrack, path: ArmPicture["path"], ink: number, pixel: number): void {
  const { frames, nFrames, nJoints } = track;
  const spots = new Float64Array(3 * shape.nSpots);
  const view: PoseData = { q: frames.q, poses: frames.poses, points: frames.points };
  let last: Vec3 = [0, 0, 0];
  pen.begin(out.lines, ink, 2);
  for (let frame = 0; frame < nFrames; frame += 1) {
    view.poses = frames.poses.subarray(7 * nJoints * frame, 7 * nJoints * (frame + 1));
    last = spotAt(evaluate(shape, view, spots), tip);
    pen.to(...last);
  }
  if (track.endedAt === null) return;
  const next = Math.min(path.length - 1, Math.floor((track.endedAt / Math.max(track.asked, 1e-9)) * (path.length - 1)) + 1);
  drawRest(out, pen, [last, ...path.slice(next).map(positionOf)]);
  const size = 6 * pixel;
  for (const sign of [-1, 1]) pen.begin(out.lines, Ink.target, 2.4).to(last[0] - size, last[1], last[2] - sign * size).to(last[0] + size, last[1], last[2] + sign * size);
}

/** What is not followed. */
function drawRest(out: Drawing, pen: Pen, points: readonly Vec3[]): void {
  pen.begin(out.lines, Ink.target, 1.2, Dash.gap, 0.9);
  for (const point of points) pen.to(...point);
}

function positionOf(pose: readonly number[]): Vec3 {
  return [pose[0] ?? 0, pose[1] ?? 0, pose[2] ?? 0];
}

function spotAt(spots: ArrayLike<number>, spot: number): Vec3 {
  return [spots[3 * spot] as number, spots[3 * spot + 1] as number, spots[3 * spot + 2] as number];
}
