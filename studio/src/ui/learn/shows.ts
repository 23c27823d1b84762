//! What the buttons of the articles set up: a scene, the solvers on it, and where in time to look. One step of undo each.

import type { FigureProblem, ProblemFile } from "../../core/files.ts";
import { sceneDocument } from "../../core/scenes/index.ts";
import type { MethodName, OptionValue, RunSpec, SceneId, Session, Settings, StudioDocument } from "../../core/types.ts";
import { leaveMotion, openMotion } from "../motion/desk.ts";
import { drawerOpen } from "../page.ts";

interface Show {
  scene: SceneId;
  title: string;
  options?: Record<string, OptionValue>;
  /** Without it, those of the scene. */
  runs?: { method: MethodName; settings?: Settings }[];
  /** In place of the scene's problem. */
  problem?: (of: ProblemFile) => ProblemFile;
  /** At the start of the trace, ready to be stepped; without it at the end. */
  atStart?: boolean;
  /** Moved targets start from the last pose. */
  isWarm?: boolean;
  perFrame?: number;
  /** The error curves are what there is to see. */
  withPlots?: boolean;
}

/** The same method twice: as published, and as it is here. */
function publishedAndOurs(method: MethodName): Required<Show>["runs"] {
  return [{ method, settings: { classic: true, iterations: 20 } }, { method }];
}

function stepped(method: MethodName, title: string, scene: SceneId = "chain-2d"): Show {
  return { scene, runs: [{ method }], title, atStart: true };
}

const withTarget = (target: number[]) => (problem: ProblemFile): ProblemFile => ({ ...problem, target }) as ProblemFile;

/** The elbow of a lock-up with a range from straight on: it may bend, but not fold back onto the other bone [rad]. */
function withElbow(problem: ProblemFile): ProblemFile {
  if (!("bones" in problem) || problem.dimension !== 2) throw new Error("the lock-ups are chains in the plane");
  const bones = problem.bones.map((bone, index) => (index === 1 ? { ...bone, limit: [0, 2.6] } : bone));
  return { ...problem, bones } as ProblemFile;
}

/** Two slides and two hinges, as machines have that place parts from above. */
const GANTRY: FigureProblem = {
  schema: "posekit.figure/1",
  joints: [
    { name: "rail", parent: null, kind: "prismatic", axis: [1, 0, 0], position: [0, 0, 0.7], limit: [-0.35, 0.35] },
    { name: "lift", parent: "rail", kind: "prismatic", axis: [0, 0, 1], position: [0, 0, -0.15], limit: [-0.3, 0] },
    { name: "shoulder", parent: "lift", kind: "revolute", axis: [0, 0, 1], position: [0, 0, -0.12], limit: [-2.6, 2.6] },
    { name: "elbow", parent: "shoulder", kind: "revolute", axis: [0, 0, 1], position: [0.3, 0, 0], limit: [-2.6, 2.6] },
    { name: "tool", parent: "elbow", kind: "fixed", position: [0.25, 0, 0] },
  ],
  start: { shoulder: 0.7, elbow: -1.2, lift: -0.05 },
  tasks: [{ task: "position", name: "tool", frame: "tool", target: [0.62, -0.22, 0.25] }],
};

export const SHOWS = {
  "door": { scene: "figure", title: "Four contacts" },
  "reached": { scene: "limb-2d", runs: [{ method: "auto" }], title: "Reached" },
  "unreachable": { scene: "limb-2d", runs: [{ method: "auto" }], title: "Out of reach", problem: withTarget([0.6, 0.4]) },
  "blocked": { scene: "arm-ranges", options: { range: 25 }, runs: [{ method: "ccd" }], title: "Held back by limits" },
  "stalled": { scene: "lock-up-3", runs: [{ method: "ccd", settings: { classic: true } }], title: "No better pose" },
  "iteration-limit": { scene: "chain-2d", runs: [{ method: "ccd", settings: { iterations: 2 } }], title: "Out of iterations" },
  "self-motion": { scene: "arm7", runs: [{ method: "auto" }], title: "One tool pose, many arm poses" },
  "regularized": {
    scene: "limb-2d", options: { elbow: false }, title: "An arm at full reach", problem: withTarget([0.5, 0.28]),
    runs: [{ method: "least-squares", settings: { least_squares: { regularisation: 0.01 } } }, { method: "least-squares" }],
  },
  "lock-up-ccd": { scene: "lock-up-3", runs: publishedAndOurs("ccd"), title: "Figure 3: CCD locks up", atStart: true },
  "lock-up-relaxation": { scene: "lock-up-2", runs: publishedAndOurs("relaxation"), title: "Figure 2: relaxation locks up" },
  "lock-up-fabrik": { scene: "lock-up-3", runs: publishedAndOurs("fabrik"), title: "FABRIK locks up" },
  "lock-up-limit": { scene: "lock-up-3", runs: [{ method: "ccd", settings: { classic: true } }], title: "A limit avoids the lock-up", problem: withElbow, atStart: true },
  "auto-rope": { scene: "rope", runs: [{ method: "auto" }], title: "Automatic on a rope", isWarm: true },
  "auto-figure": { scene: "figure", runs: [{ method: "auto" }], title: "Automatic on a figure", isWarm: true },
  "two-bone-steps": { scene: "limb-2d", runs: [{ method: "two-bone" }], title: "Two bones", isWarm: true },
  "crowd": { scene: "crowd", title: "A crowd of limbs" },
  "direct-steps": stepped("direct", "Direct on a chain"),
  "direct-ccd": { scene: "chain-2d", runs: [{ method: "direct" }, { method: "ccd" }], title: "Direct beside CCD" },
  "ccd-steps": stepped("ccd", "CCD step by step"),
  "ccd-free": { scene: "arm-free", runs: [{ method: "ccd" }], title: "CCD with free joints", isWarm: true },
  "ccd-hinges": { scene: "arm-hinges", runs: [{ method: "ccd" }], title: "CCD with hinges", isWarm: true },
  "ccd-ranges": { scene: "arm-ranges", runs: [{ method: "ccd" }], title: "CCD with hinges and ranges", isWarm: true },
  "fabrik-steps": stepped("fabrik", "FABRIK half by half"),
  "fabrik-rope": { scene: "rope", runs: [{ method: "fabrik" }], title: "FABRIK on a rope" },
  "relaxation-steps": stepped("relaxation", "Relaxation bone by bone"),
  "relaxation-weights": { scene: "rope", options: { weights: "root" }, runs: [{ method: "relaxation" }], title: "Relaxation with weights" },
  "least-squares-steps": stepped("least-squares", "Least squares step by step"),
  "least-squares-figure": { scene: "figure", runs: [{ method: "least-squares" }], title: "Least squares on a figure", isWarm: true },
  "least-squares-arm": { scene: "arm7", runs: [{ method: "least-squares" }], title: "Least squares on a robot", isWarm: true },
  "least-squares-ccd": { scene: "arm-ranges", runs: [{ method: "least-squares" }, { method: "ccd" }], title: "Least squares beside CCD", withPlots: true },
  "arm-six": { scene: "arm6", runs: [{ method: "auto" }], title: "Eight solutions", isWarm: true },
  "warm-frames": { scene: "chain-2d", runs: [{ method: "ccd" }], title: "One iteration per frame", isWarm: true, perFrame: 1 },
  "warm-end": { scene: "chain-2d", runs: [{ method: "ccd" }], title: "Warm start", isWarm: true },
  "warm-off": { scene: "chain-2d", runs: [{ method: "ccd" }], title: "Cold start" },
  "slides": { scene: "arm-free", runs: [{ method: "ccd" }], title: "Two slides and two hinges", problem: () => GANTRY, isWarm: true },
  "twist": { scene: "arm-free", runs: [{ method: "fabrik" }], title: "The least twist", isWarm: true },
} satisfies Record<string, Show>;

export type ShowName = keyof typeof SHOWS;

export function isShow(name: string): name is ShowName {
  return name in SHOWS;
}

/** The document of a show. One with a figure of its own is a file, not a scene. */
export function showDocument(name: ShowName): StudioDocument {
  const { scene, options = {}, runs, problem, title, isWarm = false, perFrame }: Show = SHOWS[name];
  const base = sceneDocument(scene, options);
  const made = problem?.(base.problem) ?? base.problem;
  const isOwn = made.schema !== base.problem.schema;
  return {
    ...base,
    ...(isOwn ? { scene: "file" as const, options: {} } : {}),
    problem: made, title, warm: isWarm, perFrame: perFrame ?? null,
    runs: runs?.map(({ method, settings = {} }, index): RunSpec => ({ id: `show-${index}`, method, settings, visible: true })) ?? base.runs,
    view: { ...base.view, showTrace: true, ...(isOwn ? { up: "z" as const } : {}) },
  };
}

/** Opens a show, or the motion scene. */
export function show(session: Session, name: string): void {
  if (name === "motion") {
    openMotion();
    return;
  }
  if (!isShow(name)) throw new Error(`there is no show ${name}`);
  leaveMotion();
  const { atStart = false, withPlots = false }: Show = SHOWS[name];
  const document = showDocument(name);
  session.open(document, `Show: ${document.title}`);
  if (atStart) session.scrub(0);
  if (withPlots) drawerOpen.value = true;
}
