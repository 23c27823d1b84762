//! A right hand, palm towards +x, fingers up: five fingertips on a ball. Sizes are those of an adult's hand.

import type { FigureJoint, FigureProblem, FigureTask, JointValue, Vec3 } from "../files.ts";
import { aboutAxis, multiply, radians } from "../math.ts";
import { numberOption, type Props, type Scene } from "./scene.ts";

/** Where a finger begins on the palm: aside (towards the thumb), up; and how long its bones are compared with those below. */
const FINGERS = [
  { name: "index", aside: 0.026, up: 0.09, long: 1 },
  { name: "middle", aside: 0.004, up: 0.094, long: 1.08 },
  { name: "ring", aside: -0.017, up: 0.09, long: 1 },
  { name: "little", aside: -0.037, up: 0.081, long: 0.8 },
] as const;

/** Bones of a finger from the knuckle out [m], how far each hinge closes [°] and how far it is closed at first. */
const BONES = [
  { length: 0.044, most: 95, first: 22 },
  { length: 0.028, most: 105, first: 26 },
  { length: 0.023, most: 80, first: 16 },
] as const;

/** How far fingers spread to either side [°]. */
const SPREAD = 14;

/** What is held. */
const CENTER: Vec3 = [0.068, 0.002, 0.098];

/** Where on the ball each fingertip goes: a direction from its centre. */
const TOUCH: Readonly<Record<string, Vec3>> = {
  thumb: [-0.1, 0.62, -0.78],
  index: [0.35, 0.55, 0.75],
  middle: [0.45, 0.08, 0.89],
  ring: [0.4, -0.45, 0.8],
  little: [0.2, -0.86, 0.47],
};

const joint = (fields: FigureJoint): FigureJoint => fields;

function finger({ name, aside, up, long }: (typeof FINGERS)[number]): FigureJoint[] {
  const spread = joint({
    name: `${name} spread`, parent: "wrist", kind: "revolute", position: [0.004, aside, up], axis: [1, 0, 0], limit: [-radians(SPREAD), radians(SPREAD)],
  });
  const hinges = BONES.map(({ most }, index) => joint({
    name: `${name} ${index + 1}`,
    parent: index === 0 ? spread.name : `${name} ${index}`,
    kind: "revolute",
    position: [0, 0, index === 0 ? 0 : (BONES[index - 1]?.length ?? 0) * long],
    axis: [0, 1, 0],
    limit: [0, radians(most)],
  }));
  return [spread, ...hinges];
}

/** A saddle, here a ball within a cone, and two hinges that close across the palm. */
const THUMB: FigureJoint[] = [
  joint({
    name: "thumb 1", parent: "wrist", kind: "ball", position: [0.014, 0.024, 0.026],
    rotation: multiply(aboutAxis([1, 0, 0], radians(-42)), aboutAxis([0, 1, 0], radians(38))),
    cone: { axis: [0, 0, 1], swing: radians(38), twist: [radians(-25), radians(25)] },
  }),
  joint({ name: "thumb 2", parent: "thumb 1", kind: "revolute", position: [0, 0, 0.044], axis: [1, 0.35, 0], limit: [radians(-5), radians(60)] }),
  joint({ name: "thumb 3", parent: "thumb 2", kind: "revolute", position: [0, 0, 0.033], axis: [1, 0.35, 0], limit: [radians(-10), radians(80)] }),
];
const THUMB_TIP = 0.028;

const JOINTS: FigureJoint[] = [
  joint({ name: "wrist", parent: null, kind: "ball", cone: { axis: [0, 0, 1], swing: radians(60), twist: [radians(-10), radians(10)] } }),
  ...THUMB,
  ...FINGERS.flatMap(finger),
];

function start(): Record<string, JointValue> {
  const closed = FINGERS.flatMap(({ name }) => BONES.map(({ first }, index): [string, JointValue] => [`${name} ${index + 1}`, radians(first)]));
  return Object.fromEntries([...closed, ["thumb 2", radians(10)], ["thumb 3", radians(10)]]);
}

function touch(name: string, radius: number): Vec3 {
  const way = TOUCH[name] ?? [1, 0, 0];
  const norm = Math.hypot(...way);
  return [0, 1, 2].map((axis) => Number(((CENTER[axis] ?? 0) + (radius * (way[axis] ?? 0)) / norm).toFixed(5))) as Vec3;
}

function tasks(radius: number): FigureTask[] {
  const tips = [
    { name: "thumb", last: "thumb 3", out: THUMB_TIP },
    ...FINGERS.map(({ name, long }) => ({ name, last: `${name} 3`, out: BONES[2].length * long })),
  ];
  return tips.map(({ name, last, out }): FigureTask => ({ task: "position", name: `${name} tip`, frame: { joint: last, position: [0, 0, out] }, target: touch(name, radius) }));
}

function parts(): Props["parts"] {
  const palm: Props["parts"] = FINGERS.map(({ aside, up }) => ({ joint: "wrist", ends: [[0, aside * 0.55, 0.006], [0.001, aside, up - 0.004]], radii: [0.011, 0.0105] }));
  const fingers: Props["parts"] = FINGERS.flatMap(({ name, long }) => BONES.map(({ length }, index): Props["parts"][number] => {
    return { joint: `${name} ${index + 1}`, ends: [[0, 0, 0], [0, 0, length * long]], radii: [0.0095 - 0.001 * index, 0.0085 - 0.001 * index] };
  }));
  const thumb: Props["parts"] = [
    { joint: "thumb 1", ends: [[0, 0, 0], [0, 0, 0.044]], radii: [0.014, 0.011] },
    { joint: "thumb 2", ends: [[0, 0, 0], [0, 0, 0.033]], radii: [0.011, 0.0095] },
    { joint: "thumb 3", ends: [[0, 0, 0], [0, 0, THUMB_TIP]], radii: [0.0095, 0.008] },
  ];
  return [...palm, ...fingers, ...thumb];
}

/** The ball that is held, of this radius [m]. */
export function handBall(radius: number): Props["balls"] {
  // The fingertips' targets are the middles of the pads' bones.
  return [{ center: CENTER, radius: radius - 0.006 }];
}

export const hand: Scene = {
  spec: {
    id: "hand",
    title: "Hand",
    sentence: "Five fingertips on a ball at once: pull one away and see how the others and the wrist follow.",
    group: "figures",
    dimension: 3,
    up: "z",
    options: [{
      name: "ball", label: "Radius of the ball", kind: "range", min: 0.02, max: 0.055, step: 0.001, default: 0.036, unit: "m",
      sentence: "A larger ball opens the hand; around a small one some fingers cannot close.",
    }],
  },
  build(options) {
    const problem: FigureProblem = { schema: "posekit.figure/1", joints: JOINTS, start: start(), tasks: tasks(numberOption(options, "ball")) };
    return { problem };
  },
  // It is dragged: where a target cannot be had, staying near is worth more than a jump to another pose.
  runs: [{ method: "least-squares", settings: { least_squares: { restarts: 0 } } }],
  warm: true,
  props: { parts: parts(), plates: [], rods: [], balls: [] },
};
