//! The scenes, and documents made from them.

import { withoutStarts } from "../document.ts";
import { isFigure, isSpace, type ChainProblem, type ProblemFile } from "../files.ts";
import { aboutAxis, multiply, rotationAt } from "../math.ts";
import { inverse, twistAbout } from "../pictures/vec.ts";
import { SCENE_IDS, type OptionValue, type PoseData, type SceneId, type SceneSpec, type StudioDocument } from "../types.ts";
import { armFree, armHinges, armRanges } from "./arms.ts";
import { chain2d } from "./chain-2d.ts";
import { crowd } from "./crowd.ts";
import { figure } from "./figure.ts";
import { hand, handBall } from "./hand.ts";
import { limb2d } from "./limb-2d.ts";
import { lockUp2, lockUp3 } from "./lock-ups.ts";
import { robot6, robot7 } from "./robots.ts";
import { rope } from "./rope.ts";
import { completeOptions, type Props, type Scene } from "./scene.ts";
import { tentacle } from "./tentacle.ts";

export type { Props } from "./scene.ts";

const ALL: Readonly<Record<SceneId, Scene>> = {
  "limb-2d": limb2d,
  "chain-2d": chain2d,
  rope,
  "arm-free": armFree,
  "arm-hinges": armHinges,
  "arm-ranges": armRanges,
  tentacle,
  arm6: robot6,
  arm7: robot7,
  hand,
  figure,
  crowd,
  "lock-up-2": lockUp2,
  "lock-up-3": lockUp3,
};

/** The scenes in the order of the rail. */
export const SCENES: readonly SceneSpec[] = SCENE_IDS.map((id) => ALL[id].spec);

/** What the rail lists from top to bottom; the motion scene stands second. */
export const RAIL: readonly (SceneId | "motion")[] = SCENES.flatMap(({ id, group }) => (group === "learn" ? [] : id === SCENE_IDS[0] ? [id, "motion" as const] : [id]));

export function sceneSpec(id: SceneId): SceneSpec {
  return ALL[id].spec;
}

/** A scene as it is opened, with these choices. */
export function sceneDocument(id: SceneId, options: Partial<Record<string, OptionValue>> = {}): StudioDocument {
  const scene = ALL[id];
  const complete = completeOptions(scene.spec.options, options);
  const { problem, urdf } = scene.build(complete);
  return {
    version: 1,
    scene: id,
    title: scene.spec.title,
    options: complete,
    problem,
    ...(urdf === undefined ? {} : { urdf }),
    runs: scene.runs.map(({ method, settings }, index) => ({ id: `run${index + 1}`, method, settings: settings ?? {}, visible: true })),
    warm: scene.warm,
    perFrame: null,
    view: { showLimits: false, showTrace: true },
  };
}

const ARMS: readonly (SceneId | "file")[] = ["arm-free", "arm-hinges", "arm-ranges"];

/** A scene as it is opened from a document: from one kind of arm to another, bones, target, root and pose stay, the pose as far as hinges and ranges allow. */
export function sceneFrom(document: StudioDocument, id: SceneId, pose: PoseData | undefined): StudioDocument {
  const { problem: shown, scene, options } = document;
  if (scene === id || !ARMS.includes(id) || !ARMS.includes(scene)) return sceneDocument(id);
  const other = sceneDocument(id, options);
  const { problem } = other;
  if (!isSpace(problem) || !isSpace(shown) || pose?.poses.length !== 7 * problem.bones.length) return other;
  const bones = problem.bones.map((bone, joint) => {
    const turn = rotationAt(pose.poses, joint);
    const rotation = joint === 0 ? turn : multiply(inverse(rotationAt(pose.poses, joint - 1)), turn);
    const [min, max] = bone.limit ?? [-Math.PI, Math.PI];
    return { ...bone, rotation: bone.hinge ? aboutAxis(bone.hinge, Math.min(max, Math.max(min, twistAbout(rotation, bone.hinge)))) : rotation };
  });
  return { ...other, problem: { ...problem, bones, target: shown.target, ...(shown.root ? { root: shown.root } : {}) } };
}

/** The same document with another choice of its scene; a chain's target and root stay where they were put, as do solvers and view. */
export function withOption(document: StudioDocument, name: string, value: OptionValue): StudioDocument {
  if (document.scene === "file") return document;
  const rebuilt = sceneDocument(document.scene, { ...document.options, [name]: value });
  const { problem, options, urdf } = rebuilt;
  const runs = withoutStarts(document.runs);
  const before = sceneDocument(document.scene, document.options).problem;
  return { ...document, options, problem: keepTarget(problem, document.problem, before), runs, ...(urdf === undefined ? {} : { urdf }) };
}

/** Where the person has put target and root, unless they stand where the scene had them. */
function keepTarget(problem: ProblemFile, shown: ProblemFile, before: ProblemFile): ProblemFile {
  if (isFigure(problem) || isFigure(shown) || isFigure(before)) return problem;
  const kept = { ...problem };
  if (String(shown.target) !== String(before.target)) kept.target = shown.target;
  const [root, first] = [shown, before].map((chain) => ("root" in chain ? chain.root : undefined));
  return root && String(root) !== String(first) ? ({ ...kept, root } as ChainProblem) : kept;
}

/** What stands beside the figure of a document and what it is fleshed out with; null when there is nothing of that kind. */
export function propsOf(document: StudioDocument): Props | null {
  if (document.scene === "file") return null;
  const props = ALL[document.scene].props;
  if (!props) return null;
  if (document.scene !== "hand") return props;
  const radius = document.options["ball"];
  return { ...props, balls: handBall(typeof radius === "number" ? radius : 0.036) };
}
