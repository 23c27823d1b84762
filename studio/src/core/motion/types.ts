//! What the motion scene is made of: the document that undo steps through, what the worker says about it, and its session.

import type { ContactEntry as AnyContactEntry, Interpolation, MotionInfo, MotionReport, MotionSettings } from "posekit/motion";
import type { ReadonlySignal, Signal } from "@preact/signals";
import type { Merged, Vec3 } from "../files.ts";
import type { CameraState, NamedText, Notice, Snippet, WorkerState } from "../types.ts";

export type { MotionHandle, MotionInfo, MotionJoint, MotionLeg, MotionMetric, MotionPlant, MotionReport, MotionSettings } from "posekit/motion";

/** A contact as the file `posekit.contacts/1` has it. */
export type ContactEntry = Merged<AnyContactEntry>;

/** A pose that the figure goes through. */
export interface PoseKey {
  /** [s] */
  time: number;
  /** Joint values. */
  q: number[];
  /** How the change goes on to the next pose; cubic if it is not there. */
  interpolation?: Interpolation;
}

export const INTERPOLATIONS = [
  { value: "cubic", label: "smooth" },
  { value: "linear", label: "linear" },
  { value: "step", label: "step" },
] as const satisfies readonly { value: Interpolation; label: string }[];

/** Which motions are drawn. */
export const COMPARISONS = ["ghost", "side", "result", "source"] as const;
export type Comparison = (typeof COMPARISONS)[number];

export interface MotionView {
  compare: Comparison;
  trails: boolean;
  skin: boolean;
  /** The skin in its own colours, not in that of the result. */
  colours: boolean;
  follow: boolean;
  /** Where a link was looked at from; taken up when its motion comes on show. */
  camera?: CameraState;
}

/** Everything that makes the result, and how it is looked at. */
export interface MotionDocument {
  version: 1;
  title: string;
  /** Which of the files that were opened, and which of its clips. */
  file: string;
  clip: number;
  /** How long a figure without a motion stands, to be posed [s]; as usual if it is not there. */
  seconds?: number;
  settings: MotionSettings;
  /** Null: as they are found. */
  contacts: readonly ContactEntry[] | null;
  keys: readonly PoseKey[];
  view: MotionView;
}

/** Which file of one's own a motion is from. */
export interface OwnFile {
  name: string;
  /** [bytes] */
  size: number;
  /** The same for the same bytes. */
  print: string;
}

/** What a link carries: everything but a file of one's own. */
export interface LinkedMotion extends Omit<MotionDocument, "file"> {
  file: "walk" | OwnFile;
  frame: number;
}

/** What the view adds to links and exports. */
export interface MotionPictures {
  png(): Promise<Blob>;
  svg(): string;
  /** A film of the view, from when something begins to play until it has ended. */
  film(play: () => Promise<void>): Promise<Blob>;
  camera(): CameraState;
}

/** A file that was opened. Poses are 7 numbers a joint: place, then quaternion. */
export interface OpenedMotion {
  info: MotionInfo;
  /** Of all frames. */
  source: Float32Array;
  /** Of the figure at rest; empty where its joints are others than the clip's. */
  rest: Float32Array;
}

/** What came of a document. */
export interface MadeMotion {
  result: Float32Array;
  report: MotionReport;
  /** Text of a contacts file. */
  contacts: string;
  /** What it took [ms]. */
  millis: number;
}

export interface PulledPose {
  q: Float64Array;
  poses: Float32Array;
}

/** Curves of a joint, 6 numbers a frame: rotation vector in degrees, then place. */
export interface JointCurves {
  joint: number;
  source: Float32Array;
  result: Float32Array;
  /** The same 6 numbers in each pose that was set, and when these are [s]. */
  keys: Float64Array;
  times: Float64Array;
}

/** A motion that is on show. */
export interface ShownMotion extends OpenedMotion, MadeMotion {
  /** Bytes of the file, for its skin. */
  bytes: Uint8Array;
  /** Changes with every file and clip. */
  id: string;
}

/** What is selected on the timeline. */
export type Picked = { kind: "contact"; index: number } | { kind: "key"; time: number } | null;

export interface MotionSession {
  readonly document: ReadonlySignal<MotionDocument>;
  /** Null until the first file has been opened. */
  readonly shown: ReadonlySignal<ShownMotion | null>;
  /** The contacts that are in force, found or set by hand. */
  readonly contacts: ReadonlySignal<readonly ContactEntry[]>;
  /** The pose while one pulls at the figure, in place of the frame's. */
  readonly pulled: ReadonlySignal<{ joint: number; target: Vec3; poses: Float32Array | null } | null>;
  readonly curves: ReadonlySignal<JointCurves | null>;
  /** The frame on show. */
  readonly frame: ReadonlySignal<number>;
  readonly playing: ReadonlySignal<boolean>;
  readonly isLooping: Signal<boolean>;
  readonly speed: Signal<number>;
  readonly picked: Signal<Picked>;
  /** Joint of a handle. */
  readonly selection: Signal<number | null>;
  readonly hovered: Signal<number | null>;
  /** The joint whose curves are shown; null shows none. */
  readonly curveJoint: Signal<number | null>;
  readonly worker: ReadonlySignal<WorkerState>;
  /** True while a change is being worked out. */
  readonly isBusy: ReadonlySignal<boolean>;
  readonly notices: ReadonlySignal<Notice[]>;
  readonly canUndo: ReadonlySignal<string | null>;
  readonly canRedo: ReadonlySignal<string | null>;
  readonly announcement: ReadonlySignal<string>;
  /** What a link carried while the file that belongs to it is not there yet. */
  readonly awaited: ReadonlySignal<(LinkedMotion & { file: OwnFile }) | null>;

  /** Opens the built-in walk, unless something is open. */
  begin(): void;
  openWalk(): void;
  /** True when it is on show. */
  loadFile(name: string, bytes: Uint8Array): Promise<boolean>;
  openLink(linked: LinkedMotion): void;
  chooseClip(index: number): void;
  /** How long a figure without a motion stands [s]; what lies beyond goes. */
  setSeconds(seconds: number): void;
  setTitle(title: string): void;
  setSettings(change: Partial<MotionSettings>): void;
  setView(change: Partial<MotionView>): void;
  reset(): void;
  undo(): void;
  redo(): void;

  play(): void;
  pause(): void;
  goTo(frame: number): void;
  step(by: number): void;

  /** Changes of one drag bear one key, and are one step of undo. */
  setContact(index: number, from: number, to: number, key?: string): void;
  /** The same for what a contact holds, and where. */
  changeContact(index: number, change: (contact: ContactEntry, shown: ShownMotion) => ContactEntry, label: string, key?: string): void;
  addContact(joint: number, time: number): void;
  removeContact(index: number): void;
  /** Back to the contacts that are found. */
  findContacts(): void;
  loadContacts(name: string, text: string): Promise<boolean>;

  beginPull(joint: number): void;
  pull(target: Vec3): void;
  endPull(): void;
  /** Takes hold of a joint, unless it is held, and pulls it on by this much: arrow keys, until `endPull`. */
  nudge(joint: number, by: Vec3): void;
  /** Sets the pose of the frame on show as a key. */
  setKey(): Promise<void>;
  removeKey(time: number): void;
  /** False where it cannot go, as another key is there. */
  moveKey(time: number, to: number, key?: string): boolean;
  setInterpolation(time: number, interpolation: Interpolation): void;
  /** In the pose at a time, the joint whose curves are shown gets these 6 numbers. */
  setCurve(time: number, numbers: readonly number[], key?: string): void;
  /** Ends a drag: the next change is a step of its own. */
  endDrag(): void;

  write(format: "same" | "bvh" | "glb"): Promise<{ name: string; bytes: Uint8Array } | null>;
  contactsFile(): NamedText;
  /** What a link to what is on show carries. */
  linked(): LinkedMotion;
  snippets(): Snippet[];
  setPictures(pictures: MotionPictures | null): void;
  exportPng(): Promise<{ name: string; blob: Blob }>;
  /** A film of the view, while the motion plays once. */
  exportFilm(): Promise<{ name: string; blob: Blob }>;
  exportSvg(): NamedText;
  /** Every change so far is worked out. */
  settled(): Promise<void>;
  dismiss(id: number): void;
  /** Ends the worker as a crash would; for tests. */
  endWorker(): void;
  dispose(): void;
}
