//! What core, view, page and worker share: the document, what a solve says, what is shown, and the session.
//!
//! The page and the view read the session's signals and call its actions; nothing else passes between them.
//! Units: metres, radians, quaternions x, y, z, w. Points of a problem in the plane are handed out with z = 0, so that a view needs one case only.

import type { ReadonlySignal, Signal } from "@preact/signals";
import type { MethodName, Settings, Status } from "posekit";
import type { ExportDesk } from "./exports.ts";
import type { ChainProblem, FigureProblem, ProblemFile, Quat, Vec3 } from "./files.ts";
import type { RobotDesk } from "./robot.ts";

// ---------------------------------------------------------------------------------------------------------------- document

export const SCENE_IDS = [
  "figure",
  "hand",
  "crowd",
  "arm6",
  "arm7",
  "limb-2d",
  "chain-2d",
  "rope",
  "arm-free",
  "arm-hinges",
  "arm-ranges",
  "tentacle",
  "lock-up-2",
  "lock-up-3",
] as const;
export type SceneId = (typeof SCENE_IDS)[number];

export type { MethodName, Settings };

/** One solver on the problem; several stand side by side, the first is the main one. */
export interface RunSpec {
  id: string;
  method: MethodName;
  settings: Settings;
  /** Where its solve starts, if not where the problem says: joint values (points for a chain of points). */
  start?: number[];
  /** Its start is the pose before the last move of a drag: solved without restarts, as it was then. */
  follows?: boolean;
  visible: boolean;
}

export interface CameraState {
  position: Vec3;
  target: Vec3;
  zoom: number;
}

export interface ViewState {
  /** Which way is up in a file of one's own; a scene says it itself. */
  up?: "y" | "z";
  camera?: CameraState;
  /** All limits, not only those of joints that are touched or held back. */
  showLimits: boolean;
  showTrace: boolean;
  /** The other solutions of a robot arm; left out: shown. */
  showSolutions?: boolean;
  /** What a robot is drawn with; left out: its visual shapes. */
  body?: RobotBody;
}

export const ROBOT_BODIES = ["visuals", "collisions", "joints"] as const;
export type RobotBody = (typeof ROBOT_BODIES)[number];

export type OptionValue = number | string | boolean;

/** Poses of the tool, one after the other. */
export interface ArmPath {
  /** Where the arm was when the first one was recorded: joint values. */
  start: number[];
  /** 7 numbers each. */
  poses: number[][];
  /** From each to the next [s]; where joints would be too fast it takes longer. */
  seconds: number;
}

/** Everything that is on screen, as plain JSON: what undo steps through and what a link carries. */
export interface StudioDocument {
  version: 1;
  scene: SceneId | "file";
  title: string;
  /** Choices of the scene that its problem was built from: segments, bone length, mode. */
  options: Record<string, OptionValue>;
  problem: ProblemFile;
  /** Text of the URDF, when the figure names one. */
  urdf?: string;
  runs: RunSpec[];
  /** A moved target starts from the last pose; otherwise from the problem's start. */
  warm: boolean;
  /** Iterations a frame while playing; null: to the end. */
  perFrame: number | null;
  view: ViewState;
  /** A path that the tool of a robot arm follows. */
  path?: ArmPath;
  /** In a link: the iteration on show, where it is not the last; what opens it goes there. */
  at?: number;
  /** In a link: how many half-steps of that iteration are on show, where it is not all of it. */
  half?: number;
}

// ---------------------------------------------------------------------------------------------------------------- results

export type StatusWord = Status;

export interface TaskInfo {
  index: number;
  /** The file's word: `position`, `pose`, `look-at`, ... */
  task: string;
  name: string;
  level: number;
  weight: number;
  /** Joint and pose on it (7 numbers, joint_from_frame) of each frame that the task speaks about. */
  frames: { joint: number; pose: Float64Array }[];
  /** Where it aims, as far as it aims at a place or a direction. */
  position: Vec3 | null;
  orientation: Quat | null;
  direction: Vec3 | null;
}

export type LimitInfo =
  | { kind: "none" }
  | { kind: "range"; min: number; max: number }
  | { kind: "cone"; axis: Vec3; swing: number; twist: [number, number] };

/** What a loaded problem is made of; arrays by joint, parents first. */
export interface ProblemInfo {
  kind: "plane" | "space" | "points" | "figure";
  dimension: number;
  nJoints: number;
  nValues: number;
  names: string[];
  /** The links of a robot whose frames the joints are; empty where there is none. */
  links: string[];
  kinds: ("fixed" | "revolute" | "prismatic" | "ball" | "free")[];
  /** -1 for a root. */
  parents: Int32Array;
  /** Where a joint's values begin in a configuration. */
  valueOffsets: Uint32Array;
  /** 3 per joint. */
  axes: Float64Array;
  /** 7 per joint: parent_from_joint at neutral values, x y z qx qy qz qw. */
  rest: Float64Array;
  /** 7 per joint: world_from_joint at neutral values, where a character's mesh is at rest. */
  neutral: Float64Array;
  limits: LimitInfo[];
  /** The joint that each joint follows, or -1. */
  mimics: Int32Array;
  /** Those that can solve it, `auto` first. */
  methods: MethodName[];
  warnings: string[];
  tasks: TaskInfo[];
  /** Longest distance from a root to a tip at full stretch: what sizes, grids and steps are measured by. */
  reach: number;
  /** Where the problem's start puts everything. */
  start: PoseData;
}

/** A pose and what it looks like. */
export interface PoseData {
  /** Joint values; empty for a chain of points. */
  q: Float64Array;
  /** 7 per joint, world_from_joint; empty for a chain of points. */
  poses: Float64Array;
  /** 3 per point: for a chain its joints and its tip; for a figure the origins of its joints. */
  points: Float64Array;
}

export interface RunResult extends PoseData {
  id: string;
  /** What ran; never `auto`. */
  method: MethodName;
  reason: string;
  status: StatusWord;
  /** By how much the target is out of reach; 0 otherwise. */
  shortfall: number;
  /** Joints at limits that hold it back. */
  blocked: number[];
  iterations: number;
  error: number;
  orientationError: number;
  tolerance: number;
  /** On turns [rad]. */
  orientationTolerance: number;
  /** Iteration, or 0. */
  escapedAt: number;
  acceleratedAt: number;
  /** The method that did either. */
  escapedBy: MethodName | null;
  /** The solve that these numbers are of, measured over repeats [µs]; null until measured. */
  micros: number | null;
  /** Per task: distance, angle. */
  misses: Float64Array;
  holds: { joint: number; relief: number }[];
  /** False while iterations are being played and the end has not come. */
  done: boolean;
  /** Why it could not run at all; the pose is then where it would have started. */
  fault: string | null;
  /** The trace of this very solve, which ends in this result; without poses (`nPoints` is 0) until nothing has changed for a moment. */
  trace: TraceData | null;
}

/** As the library's `Phase`; `result`: the pose returned, where the last step ended elsewhere. */
export const PHASES = ["iteration", "joint", "backward", "forward", "pass", "escape", "acceleration", "refinement", "bone", "result"] as const;
export type PhaseName = (typeof PHASES)[number];

/** Phases in which part of the figure has moved. */
export const HALF_STEPS: readonly PhaseName[] = ["joint", "backward", "forward", "pass", "bone"];

/** The way of one run, entry by entry; entry 0 is the start, before anything has moved. */
export interface TraceData {
  /** Entries, the start included. */
  n: number;
  /** Numbers per entry in the arrays below. */
  nValues: number;
  nJoints: number;
  nPoints: number;
  iterations: Uint32Array;
  /** Index into [`PHASES`]. */
  phases: Uint8Array;
  /** The joint that moved, that of the bone that did, or the pass, or -1. */
  joints: Int32Array;
  errors: Float64Array;
  /** By how much frames are off [rad]. */
  turns: Float64Array;
  configurations: Float64Array;
  /** 7 per joint per entry. */
  poses: Float64Array;
  /** 3 per point per entry; for relaxation the relaxed points, whose distances may be off. */
  points: Float64Array;
  /** True when half-steps were left out because there would have been too many. */
  thinned: boolean;
}

// ---------------------------------------------------------------------------------------------------------------- robot arms

/** The joint that is nearest to its limit. */
export interface NearLimit {
  joint: number;
  /** The nearer end of its range, and the distance from there [rad, m]. */
  limit: number;
  distance: number;
  /** The distance in halves of the range, 0 to 1. */
  margin: number;
}

/** How well an arm moves its tool. */
export interface Dexterity {
  /** Product of the singular values of the Jacobian (metres, radians), and the smallest of them. */
  manipulability: number;
  smallest: number;
  /** Null where no joint has limits. */
  near: NearLimit | null;
}

/** The poses into which the arm can move while its tool stays. */
export interface SelfMotionData {
  /** Values of its parameter [rad], ascending, and the configuration of each. */
  parameters: Float64Array;
  values: Float64Array;
  /** The sample at which the arm is. */
  at: number;
}

/** What there is to say of a robot arm whose tool has one pose as its goal. */
export interface ArmFacts {
  /** Why there is a closed form; empty without one. */
  family: string;
  /** The solutions found, the nearest first; they keep their order while one is chosen after the other. None while a handle is dragged and there is no closed form. */
  solutions: PoseData[];
  /** The one in which the arm is, or -1. */
  current: number;
  /** The joint that is the parameter of the self-motion, -1 for the arm angle; null: there is no self-motion by formulas. */
  parameter: number | null;
  /** Null while a handle is dragged, and where the tool is not at its target. */
  selfMotion: SelfMotionData | null;
  dexterity: Dexterity;
}

/** A path as the arm follows it. */
export interface ArmTrack {
  outcome: "completed" | "limits" | "singularity" | "reach";
  /** Joints at a limit, if that ended it. */
  blocked: number[];
  /** Where on the path it ended [s of the path], and the smallest singular value there; null: completed. */
  endedAt: number | null;
  smallest: number | null;
  /** The time that the path was to take [s]. */
  asked: number;
  /** Joints of the arm, and their largest speeds; infinite where there is none. */
  joints: number[];
  limits: Float64Array;
  /** Samples: when, and the speed of each joint on the way there [rad/s, m/s]. */
  times: Float64Array;
  speeds: Float64Array;
  /** Pictures, so many a second; the last is the end. */
  rate: number;
  nFrames: number;
  nValues: number;
  nJoints: number;
  frames: PoseData;
  /** Seven numbers for each, as the library's. */
  dexterity: Float64Array;
}

// ---------------------------------------------------------------------------------------------------------------- what is shown

/** What a view draws of one run. */
export interface ShownRun extends PoseData {
  id: string;
  /** 0 is the main run; others are ghosts. */
  index: number;
  /** What ran: says the colour. */
  method: MethodName;
  visible: boolean;
  error: number;
  iteration: number;
  status: StatusWord | null;
  /** Joints that hold it back, when its end is shown. */
  blocked: number[];
  /** At an entry of the trace: what happened there. */
  phase: PhaseName | null;
  /** The joint of that move: its bone is lit. */
  joint: number | null;
  /** As it was before that entry, for the arrow or arc of the move. */
  before: PoseData | null;
}

/** Where the scrubber stands in the main run's trace. */
export interface Cursor {
  entry: number;
  entries: number;
  iteration: number;
  phase: PhaseName;
  /** The joint that moved, or -1. */
  joint: number;
}

/**
 * `live`: every change is solved to its end, and the end is shown.
 * `play`: k iterations a frame from where the figure is; it follows the target.
 * `trace`: one entry of the recorded way is shown.
 */
export type PlayMode = "live" | "play" | "trace";

export interface Playback {
  mode: PlayMode;
  /** Time goes on by itself: iterations in `play`, the cursor in `trace`. */
  running: boolean;
}

export type HandleKind = "target" | "root" | "joint" | "pole" | "limit";

/** Something that can be taken hold of. Its position is where the document has it, not where a solver got. */
export interface Handle {
  /** `target:0`, `root`, `joint:3`, `pole`, `limit:3:min`. */
  id: string;
  kind: HandleKind;
  /** For people and screen readers: "Target of left hand". */
  label: string;
  position: Vec3;
  /** When it can be turned as well. */
  rotation: Quat | null;
  /** Directions in which it moves: the plane z = 0, space, or an angle only. */
  moves: "plane" | "space" | "angle";
  task: number | null;
  joint: number | null;
  /** For limits: which end, and its angle. */
  limit: { end: "min" | "max" | "swing" | "twist-min" | "twist-max"; value: number } | null;
}

/** What a handle is moved to. */
export interface HandleMove {
  position?: Vec3;
  rotation?: Quat;
  /** For limits [rad]. */
  value?: number;
}

export interface CrowdFrame {
  count: number;
  /** Shoulder, elbow, hand of each limb: 9 numbers. */
  points: Float32Array;
  /** 3 per limb. */
  targets: Float32Array;
  reached: number;
  /** What this frame's solves took, all together [µs]. */
  micros: number;
}

/** Something to tell. Texts are plain text: show them as such. */
export interface Notice {
  id: number;
  kind: "error" | "warning" | "info";
  what: string;
  /** File, line, column, joint, field. */
  where?: string;
  /** What to try. */
  hint?: string;
}

/** A notice before it is numbered. */
export type News = Omit<Notice, "id" | "where" | "hint"> & { where?: string | undefined; hint?: string | undefined };

export type WorkerState = "starting" | "ready" | "busy" | "loading" | "restarting" | "failed";

export interface NamedBytes {
  name: string;
  bytes: Uint8Array;
}

export interface NamedText {
  name: string;
  type: string;
  text: string;
}

export interface Snippet {
  language: "rust" | "shell" | "typescript";
  title: string;
  code: string;
  /** Files that it needs beside it. */
  files: NamedText[];
}

/** What a scene looks like. */
export interface ScenePreview {
  document: StudioDocument;
  info: ProblemInfo;
  /** Solved, or the start. */
  pose: PoseData;
  method: MethodName;
  crowd?: CrowdFrame;
}

/** A chain solved for one target after the other, for the figures of articles. */
export interface SketchOrder {
  problem: ChainProblem;
  method: MethodName;
  settings: Settings;
  /** Each solve starts from the pose before; otherwise from the problem's start. */
  isWarm?: boolean;
  targets: number[][];
}

export interface Sketch {
  results: RunResult[];
  /** Of the last one, in half-steps. */
  trace: TraceData | null;
}

/** A character's file, whose mesh a view may draw. */
export interface CharacterFile {
  name: string;
  bytes: Uint8Array;
  /** The glTF node of each joint, or -1. */
  nodes: number[];
}

/** Files that stand beside a document: what was dropped with it, by path. They are too large for a link. */
export interface Companion {
  files: ReadonlyMap<string, Uint8Array>;
  /** What of them a character's mesh is. */
  character: CharacterFile | null;
  /** All together [bytes]. */
  size: number;
}

/** What the view lends to the session, for exports. */
export interface Pictures {
  png(): Promise<Blob>;
  svg(): string;
}

// ---------------------------------------------------------------------------------------------------------------- tables

/** A choice of a scene. */
export type OptionSpec =
  | { name: string; label: string; kind: "range"; min: number; max: number; step: number; default: number; unit: string; sentence: string }
  | { name: string; label: string; kind: "choice"; choices: { value: string; label: string }[]; default: string; sentence: string }
  | { name: string; label: string; kind: "switch"; default: boolean; sentence: string };

export interface SceneSpec {
  id: SceneId;
  title: string;
  /** One line under the title. */
  sentence: string;
  group: "plane" | "space" | "robots" | "figures" | "learn";
  dimension: 2 | 3;
  /** Which way is up in the view. */
  up: "y" | "z";
  options: OptionSpec[];
}

/** A setting as the panel shows it; see `settings.ts`. */
export interface SettingSpec {
  /** Path in [`Settings`]: `iterations`, `relaxation.passes`. */
  path: string;
  label: string;
  unit: string;
  kind: "range" | "log-range" | "switch" | "choice" | "per-joint";
  min: number;
  max: number;
  step: number;
  default: number | boolean | string | null;
  choices: { value: string; label: string }[];
  /** What more of it does, and what it costs. */
  sentence: string;
  methods: MethodName[];
}

// ---------------------------------------------------------------------------------------------------------------- session

/** The part of the store that is about robot arms whose tool has one pose as its goal. */
export interface ArmSession {
  /** Null for everything else. */
  readonly facts: ReadonlySignal<ArmFacts | null>;
  /** The document's path as the arm follows it; null without one of two poses. */
  readonly track: ReadonlySignal<ArmTrack | null>;
  /** The frame of the path that is looked at; null: the solvers are. */
  readonly frame: ReadonlySignal<number | null>;
  readonly running: ReadonlySignal<boolean>;
  /** Of what is on show. */
  readonly dexterity: ReadonlySignal<Dexterity | null>;
  /** The solution under the pointer. */
  readonly hovered: Signal<number | null>;
  /** Solvers start from this solution. */
  choose(index: number): void;
  stepSolution(by: 1 | -1): void;
  /** What follows until the next call is one step of undo. */
  beginSlide(): void;
  /** To a sample of the self-motion. */
  slide(sample: number): void;
  /** The target of the tool becomes the next pose of the path. */
  record(): void;
  removePose(index: number): void;
  setSeconds(seconds: number): void;
  play(): void;
  pause(): void;
  scrub(frame: number): void;
  leave(): void;
}

/** The store. Signals to read, actions to call; every action that changes the document can be undone. */
export interface Session {
  // What there is.
  readonly document: ReadonlySignal<StudioDocument>;
  /** Counts the problems that were opened. */
  readonly opened: ReadonlySignal<number>;
  /** Null while a problem is being loaded, or when it was refused (a notice says why; the last good one stays on show). */
  readonly info: ReadonlySignal<ProblemInfo | null>;
  /** In the order of `document.runs`; empty until the first solve. */
  readonly results: ReadonlySignal<RunResult[]>;
  /** What to draw, one for each run that has something to show: at the cursor, or the end. */
  readonly shown: ReadonlySignal<ShownRun[]>;
  readonly handles: ReadonlySignal<Handle[]>;
  readonly arm: ArmSession;
  readonly robot: RobotDesk;
  /** Files, programs and pictures of what is on show. */
  readonly exports: ExportDesk;
  readonly crowd: ReadonlySignal<CrowdFrame | null>;
  readonly playback: ReadonlySignal<Playback>;
  /** Null unless a trace is being looked at. */
  readonly cursor: ReadonlySignal<Cursor | null>;
  readonly worker: ReadonlySignal<WorkerState>;
  readonly notices: ReadonlySignal<Notice[]>;
  readonly canUndo: ReadonlySignal<string | null>;
  readonly canRedo: ReadonlySignal<string | null>;
  /** Why no other solver can be added, in words; null when one can. */
  readonly noOther: ReadonlySignal<string | null>;
  /** The status of the main run in words, for the live region. */
  readonly announcement: ReadonlySignal<string>;
  /** Id of a handle. */
  readonly selection: Signal<string | null>;
  readonly hovered: Signal<string | null>;
  /** Iteration under the pointer in a plot: the poses of that iteration are shown meanwhile. */
  readonly hoveredIteration: Signal<number | null>;
  /** True while a handle is being dragged. */
  readonly dragging: ReadonlySignal<boolean>;

  // Documents.
  openScene(id: SceneId): void;
  setOption(name: string, value: OptionValue): void;
  open(document: StudioDocument, label: string): void;
  /** Another problem, as it was left before. */
  restore(document: StudioDocument, companion: Companion | null): void;
  /** All that is on show as a document: what a link carries. */
  current(): StudioDocument;
  /**
   * JSON problems, URDF, MJCF, solutions refused with a reason, glTF, GLB, VRM. Resolves when it is on show or refused.
   *
   * - `files`: what was dropped with it, by path: meshes and an SRDF
   */
  loadFile(name: string, bytes: Uint8Array, files?: ReadonlyMap<string, Uint8Array>): Promise<boolean>;
  /** More of that, for the robot on show. */
  addFiles(files: ReadonlyMap<string, Uint8Array>): void;
  /** A file that a figure may name, such as a robot's; it is not opened. */
  remember(name: string, bytes: Uint8Array): void;
  /** Back to the scene as it first was. */
  reset(): void;
  undo(): void;
  redo(): void;
  setTitle(title: string): void;

  // Handles. A drag is one step of undo.
  beginDrag(id: string): void;
  drag(id: string, move: HandleMove): void;
  endDrag(): void;
  /** Moves a handle once: numbers typed in, arrow keys. */
  moveHandle(id: string, move: HandleMove): void;
  /** Moves a handle by itself, for show: nobody's work, and no step of undo. */
  sway(id: string, move: HandleMove): void;

  // The problem.
  /** Any change of the problem's JSON, for the numbers in the panel. */
  editProblem(label: string, change: (problem: ProblemFile) => ProblemFile): void;
  /** A change of what must hold: the figure goes on from the pose in which it is, and every call is a step of undo. */
  editGoals(label: string, change: (problem: FigureProblem) => FigureProblem): void;
  setView(change: Partial<ViewState>): void;

  // Runs.
  /** Adds a solver: this one, or the first that is not among them; says why where there is none. */
  addRun(method?: MethodName): void;
  removeRun(id: string): void;
  setMethod(id: string, method: MethodName): void;
  setSetting(id: string, path: string, value: number | boolean | string | number[] | null): void;
  setVisible(id: string, visible: boolean): void;
  /** Makes it the main one. */
  promoteRun(id: string): void;
  setWarm(warm: boolean): void;
  setPerFrame(iterations: number | null): void;

  // Time.
  play(): void;
  pause(): void;
  /** By whole iterations, forward or back. */
  step(direction: 1 | -1): void;
  /** By half-step, joint or pass, forward or back. */
  stepHalf(direction: 1 | -1): void;
  /** To an entry of the main run's trace. */
  scrub(entry: number): void;
  /** Leaves the trace: the end is shown, changes are solved at once. */
  goLive(): void;
  /** The start pose becomes what is shown. */
  keepPose(): void;

  // Out.
  link(): string;
  /** The case table's digest, computed in the worker, and the committed one. */
  digest(): Promise<{ computed: string; committed: string }>;
  /** Says something to the person. */
  tell(news: News): void;
  dismiss(notice: number): void;
  /** A scene as it looks solved, without opening it; for the small pictures. */
  preview(scene: SceneId): Promise<ScenePreview | null>;
  sketch(order: SketchOrder): Promise<Sketch>;
  /** For the test of the restart only. */
  endWorker(): void;
  dispose(): void;
}
