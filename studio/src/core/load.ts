//! Files of one's own: what they are, what of them is read, and in plain words why one is not.

import { withLegs } from "./base.ts";
import { checkDocument } from "./document.ts";
import { isFigure, isMjcf, namedFile, type FigureProblem, type FigureTask, type ProblemFile, type Vec3 } from "./files.ts";
import { movers, withGoalInReach } from "./goals.ts";
import { vectorAt } from "./math.ts";
import { placed } from "./place.ts";
import { companionOf, missingMeshes, srdfOf, type RobotDescription } from "./robot.ts";
import type { Companion, News, ProblemInfo, RunSpec, StudioDocument, ViewState } from "./types.ts";

/** Files that a figure may name, by name, the oldest first; so many are kept. */
export class FileShelf extends Map<string, Uint8Array> {
  static readonly most = 6;

  add(name: string, bytes: Uint8Array): void {
    this.delete(name);
    this.set(name, bytes);
    for (const oldest of [...this.keys()].slice(0, -FileShelf.most)) this.delete(oldest);
  }
}

/** A file that is not opened: what is wrong, where, and what to try. */
export class LoadFault extends Error {
  readonly where: string | undefined;
  readonly hint: string | undefined;

  constructor(what: string, { where, hint }: { where?: string | undefined; hint?: string | undefined } = {}) {
    super(what);
    this.name = "LoadFault";
    this.where = where;
    this.hint = hint;
  }
}

/** What loading asks of the worker. A refusal is an error with `line` and `column` where it has a place. */
export interface Reader {
  /** The figure that a URDF or a glTF file comes to, with its joints written out; a figure on such a file as it is. */
  inspect(source: { kind: "urdf"; text: string } | { kind: "gltf"; bytes: Uint8Array; free?: boolean } | { kind: "json"; text: string; file: Uint8Array }): Promise<{ figure: string; warnings: string[] }>;
  /** What a robot looks like. */
  describe(text: string, srdf: string | undefined): Promise<RobotDescription>;
  /** Reads a problem whole. */
  load(text: string, urdf: string | undefined): Promise<ProblemInfo>;
}

export interface Loaded {
  document: StudioDocument;
  companion: Companion | null;
  /** Whether a figure may name it. */
  isSource: boolean;
  /** What files of its kind do not give; null: nothing. */
  remark: string | null;
  /** How many remarks the library has on it: the problem's warnings. */
  warnings: number;
}

/** What is said about a file that was opened: one notice, however much there is to say, since the panel lists the rest; null: nothing. */
export function remarkOn(name: string, { remark, warnings }: Loaded): News | null {
  const rest = warnings === 0 ? undefined : `${warnings === 1 ? "One remark" : `${warnings} remarks`} on the file: see the panel, under Scene.`;
  const what = remark ?? rest;
  return what === undefined ? null : { kind: "info", what, where: name, hint: remark === null ? undefined : rest };
}

/** What is said about a file that was not. */
export function refusalOf(name: string, error: unknown): News {
  if (error instanceof LoadFault) return { kind: "error", what: error.message, where: error.where, hint: error.hint };
  return { kind: "error", what: `${name} cannot be opened: ${error instanceof Error ? error.message : String(error)}`, hint: "The current document is unchanged." };
}

const LARGEST = 64 * 1024 * 1024;
/** Endings of files that people try, and what to do with them. */
const OTHERS: readonly [RegExp, string, string][] = [
  [/\.(fbx|dae|blend|obj|3ds|max|mb|ma|usd[acz]?)$/i, "is a format that is not read here", "Export it as glTF binary (.glb) with its skeleton."],
  [/\.(amc|asf|c3d|trc)$/i, "is a motion in a format that is not read here", "Convert it to BVH or glTF binary (.glb); the scene Motion opens those."],
  [/\.bvh$/i, "is a motion, which the scene Motion opens", "Choose Motion among the scenes and drop it there."],
  [/\.xacro$/i, "is a macro file from which a URDF is made", "Run xacro over it and drop the URDF that comes out."],
  [/\.(sdf|world)$/i, "describes a robot in a format that is not read here", "Convert it to URDF."],
  [/\.(zip|gz|7z|rar|tar)$/i, "is an archive", "Unpack it and drop what is in it; a ZIP with a robot is opened as it is."],
  [/\.(png|jpe?g|gif|svg|pdf|mp4|webm)$/i, "is a picture or a film", "Drop a problem (JSON), a robot (URDF, MJCF) or a character (GLB, VRM)."],
];
const EXPECTED = "Drop a problem (JSON), a robot (URDF, MJCF) or a character (GLB, glTF, VRM).";

/** What else was dropped. */
export interface OtherFiles {
  /** URDF and glTF files that were dropped before or together with a figure, by name: it may name one. */
  known: ReadonlyMap<string, Uint8Array>;
  /** What was dropped with a robot, by path. */
  files: ReadonlyMap<string, Uint8Array>;
}

export async function loadDocument(name: string, bytes: Uint8Array, { known, files }: OtherFiles, reader: Reader): Promise<Loaded> {
  if (bytes.length === 0) throw new LoadFault(`${name} is empty`, { hint: EXPECTED });
  if (bytes.length > LARGEST) throw new LoadFault(`${name} is too large: ${Math.round(bytes.length / 1048576)} MB`, { hint: "Files may have up to 64 MB; meshes and textures are not needed." });
  if (isGlb(bytes)) return await loadCharacter(name, bytes, reader);
  for (const [ending, what, hint] of OTHERS) if (ending.test(name)) throw new LoadFault(`${name} ${what}`, { hint });
  const text = decode(name, bytes);
  const start = text.trimStart();
  if (start.startsWith("<")) return await loadRobot(name, text, files, reader);
  if (!start.startsWith("{") && !start.startsWith("[")) throw new LoadFault(`${name} is neither JSON nor XML nor a GLB`, { hint: EXPECTED });
  const value = parse(name, text);
  if (/\.(gltf|vrma?)$/i.test(name) || isGltf(value)) return await loadCharacter(name, bytes, reader);
  if (value["version"] === 1 && "runs" in value) return await loadSaved(name, value, reader);
  return await loadProblem(name, text, value, known, reader);
}

function isGlb(bytes: Uint8Array): boolean {
  return bytes[0] === 0x67 && bytes[1] === 0x6c && bytes[2] === 0x54 && bytes[3] === 0x46;
}

function decode(name: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new LoadFault(`${name} is not a text in UTF-8, and not a GLB either`, { hint: EXPECTED });
  }
}

function parse(name: string, text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new LoadFault(`${name} is not valid JSON`, { where: placeOf(error, text), hint: "Look for a missing bracket, quote or comma there." });
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new LoadFault(`${name} contains no problem`, { hint: "A problem is an object with a `schema`." });
  return value as Record<string, unknown>;
}

/** Line and column, as far as the browser says where a text broke off. */
function placeOf(error: unknown, text: string): string | undefined {
  const message = error instanceof Error ? error.message : "";
  const lined = /line (\d+) column (\d+)/.exec(message);
  if (lined) return `line ${lined[1]}, column ${lined[2]}`;
  const found = /position (\d+)/.exec(message);
  if (!found) return undefined;
  const before = text.slice(0, Number(found[1])).split("\n");
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}

function isGltf(value: Record<string, unknown>): boolean {
  const asset = value["asset"];
  return typeof asset === "object" && asset !== null && "version" in asset && value["schema"] === undefined;
}

/** A fault of the library as one of the file. */
function refused(name: string, error: unknown, hint?: string): LoadFault {
  if (error instanceof LoadFault) return error;
  const { line, column } = (error ?? {}) as { line?: number; column?: number };
  const { what, where } = placed(error instanceof Error ? error.message : String(error), { line, column });
  return new LoadFault(`${name} cannot be used: ${what}`, { where, hint });
}

async function loadProblem(name: string, text: string, value: Record<string, unknown>, known: OtherFiles["known"], reader: Reader): Promise<Loaded> {
  const schema = value["schema"];
  if (schema === "posekit.solution/1") throw new LoadFault(`${name} is a solution, not a problem`, { hint: "Drop the problem that it was made from." });
  if (schema === "posekit.contacts/1") throw new LoadFault(`${name} holds contacts of a motion`, { hint: "Choose Motion among the scenes, open the motion and drop it there." });
  if (schema !== "posekit.chain/1" && schema !== "posekit.figure/1") {
    const has = schema === undefined ? "has no `schema`" : `has the schema ${JSON.stringify(schema).slice(0, 40)}`;
    throw new LoadFault(`${name} ${has}`, { hint: 'A chain begins with "schema": "posekit.chain/1", a figure with "schema": "posekit.figure/1".' });
  }
  const problem = value as unknown as ProblemFile;
  const file = namedBytes(name, problem, known);
  if (file && isCharacter(file)) return await loadFigureOn(name, text, problem as FigureProblem, file, reader);
  const urdf = file && decode(name, file.bytes);
  const info = await reader.load(text, urdf).catch((error: unknown) => { throw refused(name, error, "The message names the field; a problem that is saved from a scene shows how one is written."); });
  const plane = info.dimension === 2 || info.kind === "plane";
  return { document: documentOf(name, problem, urdf, plane ? "y" : "z"), companion: null, isSource: false, remark: null, warnings: info.warnings.length };
}

/** A figure whose joints are those of a glTF file: written out, so that a link carries them, and with the file's mesh. */
async function loadFigureOn(name: string, text: string, figure: FigureProblem, file: NamedBytes, reader: Reader): Promise<Loaded> {
  try {
    // As it stands first, so that a fault is reported with its place in the file.
    await reader.inspect({ kind: "json", text, file: file.bytes });
    const { gltf: _gltf, urdf: _urdf, root, ...given } = figure;
    const { figure: whole, warnings } = await reader.inspect({ kind: "gltf", bytes: file.bytes, free: root === "free" });
    const { joints = [] } = JSON.parse(whole) as FigureProblem;
    const problem: FigureProblem = { ...given, joints };
    const info = await reader.load(JSON.stringify(problem), undefined);
    const character = { ...file, nodes: nodesOf(info.names, nodeNames(file.bytes)) };
    return { document: documentOf(name, problem, undefined, "y"), companion: companionOf(new Map([[file.name, file.bytes]]), character), isSource: false, remark: remarksOf(warnings).join(" ") || null, warnings: 0 };
  } catch (error) {
    throw refused(name, error, `Its joints are those of ${file.name}.`);
  }
}

interface NamedBytes {
  name: string;
  bytes: Uint8Array;
}

function isCharacter({ name, bytes }: NamedBytes): boolean {
  return isGlb(bytes) || /\.(gltf|vrma?)$/i.test(name);
}

/** The file that a figure names, which must be here. */
function namedBytes(name: string, problem: ProblemFile, known: OtherFiles["known"]): NamedBytes | undefined {
  if (!isFigure(problem)) return undefined;
  const named = namedFile(problem);
  if (typeof named !== "string") return undefined;
  const file = named.split("/").at(-1) ?? named;
  const bytes = known.get(file);
  if (bytes === undefined) throw new LoadFault(`${name} needs ${file}, which it names`, { hint: `Drop both files together, or ${file} first.` });
  return { name: file, bytes };
}

async function loadRobot(name: string, text: string, files: OtherFiles["files"], reader: Reader): Promise<Loaded> {
  if (!/<robot[\s>]/.test(text) && !isMjcf(text)) throw new LoadFault(`${name} is XML, but neither a URDF nor an MJCF: it has no element <robot> or <mujoco>`, { hint: "For SDF or xacro files, convert them to URDF first." });
  try {
    const { figure } = await reader.inspect({ kind: "urdf", text });
    const fixed = JSON.parse(figure) as FigureProblem;
    const whole = await reader.load(figure, text);
    const problem = withLegs(withGoalInReach(fixed, whole), whole);
    const info = problem === fixed ? whole : await reader.load(JSON.stringify(problem), text);
    const look = await reader.describe(text, srdfOf(files)?.text);
    const remark = [remarkOnMeshes(look, files), ...remarksOf(look.warnings)].filter((one) => one !== null).join(" ");
    return { document: documentOf(name, problem, text, "z"), companion: companionOf(files), isSource: true, remark: remark || null, warnings: info.warnings.length };
  } catch (error) {
    throw refused(name, error, "A robot needs links and joints of which at least one can move. An MJCF that includes others is not read: drop the one that has the bodies.");
  }
}

/** On meshes that a robot is drawn with and that are not among the files. */
export function remarkOnMeshes(look: RobotDescription, files: ReadonlyMap<string, Uint8Array>): string | null {
  const [first, ...more] = missingMeshes(look, files);
  if (first === undefined) return null;
  const rest = more.length === 0 ? "" : ` and ${more.length} more`;
  return `It is drawn with meshes that are not here: ${first.split("/").at(-1) ?? first}${rest}. Drop the robot's folder, or a ZIP of it.`;
}

async function loadCharacter(name: string, bytes: Uint8Array, reader: Reader): Promise<Loaded> {
  try {
    const { figure, warnings } = await reader.inspect({ kind: "gltf", bytes });
    const problem = JSON.parse(figure) as FigureProblem;
    const info = await reader.load(figure, undefined);
    const character = { name, bytes, nodes: nodesOf(info.names, nodeNames(bytes)) };
    // The panel lists what the library says of the joints as they are written out, not of the file.
    const remark = ["Joints of a glTF file have no limits of their own; its clips play in the scene Motion.", ...remarksOf(warnings)].join(" ");
    return { document: documentOf(name, withEffectors(problem, info), undefined, "y"), companion: companionOf(new Map([[name, bytes]]), character), isSource: true, remark, warnings: 0 };
  } catch (error) {
    throw refused(name, error, characterHint(error));
  }
}

/** So many remarks of the library on a file are reported in full. */
const MOST_TOLD = 2;

function remarksOf(warnings: readonly string[]): string[] {
  const more = warnings.length - MOST_TOLD;
  return [...warnings.slice(0, MOST_TOLD).map((warning) => `The file's ${warning}.`), ...(more > 0 ? [`And ${more} more of that kind.`] : [])];
}

/** What to try with a character that is refused: only what can be the matter. */
function characterHint(error: unknown): string {
  const message = error instanceof Error ? error.message : "";
  if (/buffer|uri/i.test(message)) return "External buffers are not fetched: export it as one file (.glb).";
  if (/no joint moves/i.test(message)) return "Its joints are siblings, so none would move another. Parent them in the program that exported it.";
  if (/skin|no joint|no node|skeleton/i.test(message)) return "It must contain a skeleton: a skin, or nodes with parents.";
  return "The message says where the file goes wrong; exporting it anew as .glb often helps.";
}

/** Hands and feet, and what else people call the ends of a character; not what only steers them. */
const ENDS = /(hand|foot|wrist|ankle|paw|hoof|head)(?!.*(finger|thumb|index|middle|ring|pinky|little|toe|end|top|tip))/i;
const AIDS = /control|ctrl|pole|roll|target|tracker|(^|[^a-z])ik([^a-z]|$)/i;
const STEERS = /[a-z]IK/;
const isAid = (name: string) => AIDS.test(name) || STEERS.test(name);
const MOST_ENDS = 6;

/** A target for each hand and foot, or for each end, where they are at rest: all of them can be grabbed, and the others hold. */
function withEffectors(problem: FigureProblem, info: ProblemInfo): FigureProblem {
  const moversAbove = (joint: number) => movers(info, info.parents[joint] ?? -1);
  const isEnd = info.names.map((name) => ENDS.test(name) && !isAid(name));
  const named = info.names.flatMap((_, joint) => (isEnd[joint] && !hasAncestor(info, joint, isEnd) && moversAbove(joint) > 0 ? [joint] : []));
  const leaves = info.names.flatMap((name, joint) => (!info.parents.includes(joint) && !isAid(name) && moversAbove(joint) > 1 ? [joint] : []));
  const ends = (named.length > 1 ? named : leaves).slice(0, MOST_ENDS);
  if (ends.length < 2) return problem;
  const tasks = ends.map((joint): FigureTask => {
    const name = info.names[joint] ?? "";
    return { task: "position", name, frame: { joint: name }, target: vectorAt(info.start.poses, joint, 7).map((value) => value + 0) as Vec3 };
  });
  return { ...problem, tasks };
}

function hasAncestor(info: ProblemInfo, joint: number, marked: readonly boolean[]): boolean {
  for (let at = info.parents[joint] ?? -1; at >= 0; at = info.parents[at] ?? -1) if (marked[at]) return true;
  return false;
}

/** The names of a glTF file's nodes. */
function nodeNames(bytes: Uint8Array): (string | undefined)[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // A GLB: 12 bytes of header, then the chunk of JSON behind its length and type.
  const json = isGlb(bytes) ? bytes.subarray(20, 20 + view.getUint32(12, true)) : bytes;
  const { nodes } = JSON.parse(new TextDecoder().decode(json)) as { nodes?: { name?: string }[] };
  return (nodes ?? []).map(({ name }) => name);
}

/** Joints bear the names of their nodes; those that have none, or one that is taken, bear the node's number. */
function nodesOf(joints: readonly string[], nodes: readonly (string | undefined)[]): number[] {
  return joints.map((name) => {
    const numbered = /(?:^| \()node (\d+)\)?$/.exec(name);
    return numbered ? Number(numbered[1]) : nodes.indexOf(name);
  });
}

async function loadSaved(name: string, value: Record<string, unknown>, reader: Reader): Promise<Loaded> {
  const document = checkDocument(value, (message) => new LoadFault(`${name} is not a document of this page: ${message}`));
  await reader.load(JSON.stringify(document.problem), document.urdf).catch((error: unknown) => { throw refused(name, error); });
  return { document, companion: null, isSource: false, remark: null, warnings: 0 };
}

function documentOf(name: string, problem: ProblemFile, urdf: string | undefined, up: "y" | "z"): StudioDocument {
  const run: RunSpec = { id: "run1", method: "auto", settings: {}, visible: true };
  const view: ViewState = { up, showLimits: false, showTrace: true };
  return { version: 1, scene: "file", title: name, options: {}, problem, ...(urdf === undefined ? {} : { urdf }), runs: [run], warm: true, perFrame: null, view };
}
