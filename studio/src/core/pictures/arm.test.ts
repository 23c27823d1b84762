import { expect, test } from "vitest";
import type { ArmTrack, PoseData, ProblemInfo } from "../types.ts";
import { aboutAxis } from "../math.ts";
import { drawPath, drawSolutions, type ArmPicture } from "./arm.ts";
import { Dash, Drawing, Pen, STROKE } from "./drawing.ts";
import { NO_FURNITURE } from "./furniture.ts";
import { Ink } from "./look.ts";
import { evaluate, shapeOf } from "./shape.ts";
import type { Vec3 } from "../files.ts";

/** An upright post on which a lower and an upper arm turn about y, at two angles. */
function pose(a: number, b: number): PoseData {
  const elbow: Vec3 = [Math.sin(a), 0, 1 + Math.cos(a)];
  return {
    q: Float64Array.of(a, b),
    poses: Float64Array.of(0, 0, 0, 0, 0, 0, 1, 0, 0, 1, ...aboutAxis([0, 1, 0], a), ...elbow, ...aboutAxis([0, 1, 0], a + b)),
    points: Float64Array.of(0, 0, 0, 0, 0, 1, ...elbow),
  };
}

const info = {
  kind: "figure", dimension: 3, nJoints: 3, nValues: 2, names: ["post", "shoulder", "elbow"], kinds: ["fixed", "revolute", "revolute"], links: ["", "", ""],
  parents: Int32Array.of(-1, 0, 1), valueOffsets: Uint32Array.of(0, 0, 1), axes: Float64Array.of(0, 0, 0, 0, 1, 0, 0, 1, 0), mimics: Int32Array.of(-1, -1, -1),
  rest: Float64Array.of(0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1), neutral: pose(0, 0).poses,
  limits: [{ kind: "none" }, { kind: "none" }, { kind: "none" }], methods: ["ccd"], warnings: [], reach: 3, start: pose(0.5, 0.5),
  tasks: [{
    index: 0, task: "pose", name: "tip", level: 1, weight: 1, position: [1, 0, 2], orientation: [0, 0, 0, 1], direction: null,
    frames: [{ joint: 2, pose: Float64Array.of(0, 0, 1, 0, 0, 0, 1) }],
  }],
} as unknown as ProblemInfo;
const shape = shapeOf(info, NO_FURNITURE);
const picture: ArmPicture = { solutions: [], current: -1, hovered: null, path: [], track: null, ink: 9, isOnPath: false };

/** Ink, dash and the two ends of every stroke. */
function strokesOf(rows: Drawing["strokes"]): { ink: number; dash: number; from: number[]; to: number[] }[] {
  return Array.from({ length: rows.count }, (_, row) => {
    const d = rows.data.subarray(row * STROKE, (row + 1) * STROKE);
    return { ink: d[7] ?? -1, dash: d[9] ?? -1, from: [...d.subarray(0, 3)], to: [...d.subarray(3, 6)] };
  });
}

function ghosts(change: Partial<ArmPicture>): { out: Drawing; drawn: number[][] } {
  const out = new Drawing();
  const at = evaluate(shape, pose(0.5, 0.5), new Float64Array(3 * shape.nSpots));
  const drawn = drawSolutions(out, new Pen(), shape, at, { ...picture, ...change });
  return { out, drawn: drawn.map(({ index, bones }) => [index, bones.length]) };
}

test("of other solutions only what is elsewhere than the arm is drawn", () => {
  const { out, drawn } = ghosts({ solutions: [pose(0.5, 0.5), pose(0.5, -0.5), pose(-0.5, 0.5)], current: 0 });
  // The post stays, and the lower arm of the first of the two as well.
  expect(drawn).toEqual([[1, 1], [2, 2]]);
  expect(strokesOf(out.strokes).map(({ ink }) => ink)).toEqual([Ink.start, Ink.start, Ink.start]);
  expect(out.marks.count).toBe(3);
  expect(ghosts({ solutions: [pose(0.5, 0.5)], current: -1 }).drawn).toEqual([[0, 0]]);
});

test("the one under the pointer stands out", () => {
  const { out } = ghosts({ solutions: [pose(-0.5, 0.5), pose(0.5, -0.5)], hovered: 1 });
  expect(strokesOf(out.strokes).map(({ ink }) => ink)).toEqual([Ink.start, Ink.start, Ink.ink]);
});

test("a path is drawn as far as the arm follows it, with a cross where it ends and the rest in dashes", () => {
  const frames = [0, 0.2, 0.4].map((a) => pose(a, 0));
  const joined = (name: "q" | "poses" | "points") => Float64Array.from(frames.flatMap((frame) => [...frame[name]]));
  const track = {
    outcome: "reach", endedAt: 1.5, asked: 2, nFrames: 3, nValues: 2, nJoints: 3, frames: { q: joined("q"), poses: joined("poses"), points: joined("points") },
  } as unknown as ArmTrack;
  const path = [[0, 0, 3], [0.5, 0, 2.9], [2, 0, 2]].map((at) => [...at, 0, 0, 0, 1]);
  const drawn = (change: Partial<ArmPicture>) => {
    const out = new Drawing();
    drawPath(out, new Pen(), shape, { ...picture, path, ...change }, 0.01);
    return { strokes: strokesOf(out.lines), marks: out.marks.count };
  };
  const { strokes, marks } = drawn({ track });
  expect(marks).toBe(3);
  const followed = strokes.filter(({ ink }) => ink === 9);
  expect(followed.length).toBe(2);
  expect(followed[0]?.from).toEqual([0, 0, 3]);
  const rest = strokes.filter(({ dash }) => dash === Dash.gap);
  expect(rest.map(({ to }) => to)).toEqual([[2, 0, 2]]);
  expect(rest[0]?.from).toEqual(followed[1]?.to);
  expect(strokes.filter(({ ink, dash }) => ink === Ink.target && dash === 0).length).toBe(2);
  // Whole, it has neither.
  expect(drawn({ track: { ...track, endedAt: null } }).strokes.filter(({ ink }) => ink === Ink.target)).toEqual([]);
  // Before the arm has been asked, or where it does not even begin, all of it is in dashes.
  expect(drawn({}).strokes.filter(({ dash }) => dash === Dash.gap).length).toBe(2);
  expect(drawn({ track: { ...track, nFrames: 0, endedAt: 0 } }).strokes.filter(({ dash }) => dash === Dash.gap).length).toBe(2);
});
