//! Documents: their checks when they come from outside, and small changes to them.

import { MOST_POSES, SECONDS } from "./arm.ts";
import { isMethod, unusedMethod, usedMethods } from "./methods.ts";
import { ROBOT_BODIES, SCENE_IDS, type MethodName, type ProblemInfo, type RunResult, type RunSpec, type Settings, type StudioDocument } from "./types.ts";

/** Solvers that may stand side by side. */
export const MOST_RUNS = 6;

export type Fault = (message: string) => Error;

/** A document from a link or a file, or the fault. What is inside `problem` is checked by the library when it is loaded. */
export function checkDocument(value: unknown, fault: Fault): StudioDocument {
  const document = record(value, "document", fault);
  if (document["version"] !== 1) throw fault(`version ${show(document["version"])} is not known here`);
  const scene = document["scene"];
  if (scene !== "file" && !(SCENE_IDS as readonly unknown[]).includes(scene)) throw fault(`there is no scene ${show(scene)}`);
  text(document["title"], "title", fault);
  if (document["urdf"] !== undefined) text(document["urdf"], "urdf", fault);
  for (const option of Object.values(record(document["options"], "options", fault))) {
    if (!["number", "string", "boolean"].includes(typeof option)) throw fault("an option is a number, a text or yes or no");
  }
  checkProblem(document["problem"], fault);
  checkRuns(document["runs"], fault);
  if (typeof document["warm"] !== "boolean") throw fault("warm is yes or no");
  const perFrame = document["perFrame"];
  if (perFrame !== null && !(Number.isInteger(perFrame) && (perFrame as number) >= 1)) throw fault("perFrame is a whole number from 1, or null");
  checkView(document["view"], fault);
  if (document["path"] !== undefined) checkPath(document["path"], fault);
  for (const name of ["at", "half"]) {
    const place = document[name];
    if (place !== undefined && !(Number.isInteger(place) && (place as number) >= 0)) throw fault(`${name} is a whole number from 0`);
  }
  return value as StudioDocument;
}

function checkProblem(value: unknown, fault: Fault): void {
  const problem = record(value, "problem", fault);
  const schema = problem["schema"];
  if (schema === "posekit.figure/1") {
    if (!Array.isArray(problem["tasks"])) throw fault("a figure needs a list of tasks");
    const hasSkeleton = Array.isArray(problem["joints"]) || typeof problem["urdf"] === "string" || typeof problem["gltf"] === "string";
    if (!hasSkeleton) throw fault("a figure needs joints, a urdf or a gltf");
  } else if (schema === "posekit.chain/1") {
    if (!Array.isArray(problem["bones"]) && !Array.isArray(problem["points"])) throw fault("a chain has bones or points");
    if (!Array.isArray(problem["target"])) throw fault("a chain has a target");
  } else {
    throw fault(`the problem's schema ${show(schema)} is not known`);
  }
}

function checkRuns(value: unknown, fault: Fault): void {
  if (!Array.isArray(value) || value.length < 1 || value.length > MOST_RUNS) throw fault(`from 1 to ${MOST_RUNS} solvers stand side by side`);
  const seen = new Set<string>();
  for (const item of value) {
    const run = record(item, "run", fault) as Partial<RunSpec>;
    if (typeof run.id !== "string" || seen.has(run.id)) throw fault("every run has an id of its own");
    seen.add(run.id);
    if (!isMethod(run.method)) throw fault(`there is no solver ${show(run.method)}`);
    record(run.settings, "settings", fault);
    if (typeof run.visible !== "boolean") throw fault("visible is yes or no");
    if (run.start !== undefined && !isNumbers(run.start)) throw fault("a start is a list of numbers");
  }
}

function checkView(value: unknown, fault: Fault): void {
  const view = record(value, "view", fault);
  if (typeof view["showLimits"] !== "boolean" || typeof view["showTrace"] !== "boolean") throw fault("the view's switches are yes or no");
  if (!["boolean", "undefined"].includes(typeof view["showSolutions"])) throw fault("the view's switches are yes or no");
  const { body } = view;
  if (body !== undefined && !(ROBOT_BODIES as readonly unknown[]).includes(body)) throw fault(`a robot is not drawn with ${show(body)}`);
  if (view["camera"] !== undefined) checkCamera(view["camera"], fault);
}

function checkPath(value: unknown, fault: Fault): void {
  const path = record(value, "path", fault);
  const { poses, seconds } = path;
  if (!isNumbers(path["start"])) throw fault("a path's start is a list of numbers");
  if (!Array.isArray(poses) || poses.length < 1 || poses.length > MOST_POSES) throw fault(`a path has from 1 to ${MOST_POSES} poses`);
  if (!poses.every((pose) => isNumbers(pose) && pose.length === 7)) throw fault("a pose of a path is seven numbers");
  if (typeof seconds !== "number" || !(seconds >= SECONDS.min && seconds <= SECONDS.max)) throw fault(`a path's seconds are from ${SECONDS.min} to ${SECONDS.max}`);
}

export function checkCamera(value: unknown, fault: Fault): void {
  const camera = record(value, "camera", fault);
  for (const name of ["position", "target"]) {
    const vector = camera[name];
    if (!isNumbers(vector) || vector.length !== 3) throw fault(`the camera's ${name} is three numbers`);
  }
  if (!Number.isFinite(camera["zoom"])) throw fault("the camera's zoom is a number");
}

export function isNumbers(value: unknown): value is number[] {
  return Array.isArray(value) && value.every(Number.isFinite);
}

export function record(value: unknown, what: string, fault: Fault): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw fault(`${what} is missing`);
  return value as Record<string, unknown>;
}

export function text(value: unknown, what: string, fault: Fault): void {
  if (typeof value !== "string") throw fault(`${what} is a text`);
}

/** A value in a message, not too long. */
export function show(value: unknown): string {
  const shown = JSON.stringify(value) as string | undefined;
  return (shown ?? "nothing").slice(0, 60);
}

/** An id that no run has. */
function freshRunId(runs: readonly RunSpec[]): string {
  let index = runs.length + 1;
  while (runs.some((run) => run.id === `run${index}`)) index += 1;
  return `run${index}`;
}

/** One more run, from where the main one starts. */
export function besideMain(runs: readonly RunSpec[], method: MethodName): RunSpec {
  const { start } = runs[0] ?? {};
  return { id: freshRunId(runs), method, settings: {}, visible: true, ...(start ? { start } : {}) };
}

/** The same problem without what belongs to one start. */
export function withoutStarts(runs: readonly RunSpec[]): RunSpec[] {
  return runs.map(({ start: _start, follows: _follows, ...rest }) => rest);
}

/** The same runs, each from a start of its own; those without one from the problem's. */
export function startingAt(runs: readonly RunSpec[], starts: ReadonlyMap<string, ArrayLike<number>>): RunSpec[] {
  return withoutStarts(runs).map((run) => {
    const start = starts.get(run.id);
    return start ? { ...run, start: Array.from(start) } : run;
  });
}

/** A run that ends with this iteration. */
export function cutOff(run: RunSpec, iterations: number): RunSpec {
  return { ...run, settings: { ...run.settings, iterations } };
}

/** Settings as they are solved: what follows a drag does not start again elsewhere, which would be a jump, unless its settings say so. */
export function solvedSettings({ settings, follows }: RunSpec, isFollowing = follows === true): Settings {
  return isFollowing ? { ...settings, least_squares: { restarts: 0, ...settings.least_squares } } : settings;
}

/** Why no other solver can be put beside those that run; null when one can. */
export function whyNoOther({ runs, scene }: StudioDocument, info: ProblemInfo | null, results: readonly RunResult[]): string | null {
  if (scene === "crowd") return "A crowd is solved in closed form only";
  if (runs.length >= MOST_RUNS) return `At most ${MOST_RUNS} solvers stand side by side`;
  const used = usedMethods(runs, results);
  return info && used && unusedMethod(info.methods, used) === null ? "No other solver fits this problem" : null;
}
