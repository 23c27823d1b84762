//! The motion scene's store: a document and its history, what the worker makes of it, and the frame on show.
//!
//! The result depends on the document alone. `#pump` keeps the worker at the newest one; what comes in between is left out.

import type { Interpolation } from "posekit/motion";
import { batch, computed, signal } from "@preact/signals";
import { RequestError, WorkerLost, type WorkerLike } from "../../worker/client.ts";
import type { Vec3 } from "../files.ts";
import { History } from "../history.ts";
import { Store } from "../store.ts";
import type { NamedText, Snippet } from "../types.ts";
import { contactAround, contactsOf, contactsText, frameAt, timeOf, withSpan } from "./contacts.ts";
import { placed } from "../place.ts";
import { Clock } from "./clock.ts";
import { isSameFile, ownFile, sizeWords } from "./link.ts";
import { FIRST } from "./settings.ts";
import { medianSlide } from "./slide.ts";
import { motionSnippets, stemOf } from "./snippets.ts";
import type {
  MotionSettings, ContactEntry, JointCurves, LinkedMotion, MadeMotion, MotionDocument, MotionInfo, MotionPictures, MotionSession, MotionView, OpenedMotion, OwnFile, Picked,
  ShownMotion,
} from "./types.ts";

/** What the session needs from the page it runs in; a test gives its own. */
export interface MotionSurroundings {
  startWorker(): WorkerLike;
  nextFrame(then: () => void): void;
  /** Milliseconds from any beginning. */
  now(): number;
  /** The bytes of the built-in walk. */
  fetchWalk(): Promise<Uint8Array>;
  /** Whether the built-in walk stands until somebody plays it. */
  isStill: boolean;
}

const WALK = "walk.bvh";
/** Reading and cleaning a long file takes a while; a worker that has not answered for so long hangs [ms]. */
const PATIENCE = [20_000, 30_000] as const;

/** A pull under way: the newest target waits until the worker is free. */
interface Pull {
  joint: number;
  frame: number;
  /** Of the motion that is being posed. */
  motion: string;
  isOver: boolean;
  q: Float64Array | null;
  waiting: Vec3 | null;
  asking: Promise<void> | null;
}

/** An edit of a curve: the newest one waits until the worker is free. */
interface CurveEdit {
  joint: number;
  time: number;
  numbers: readonly number[];
  key: string | null;
}

interface OpenFile {
  name: string;
  bytes: Uint8Array;
  isWalk: boolean;
}

/** How long a figure without a motion stands at first [s]. */
export const STAND = 2;

export function createMotion(around: MotionSurroundings): MotionSession {
  return new MotionStore(around);
}

function documentOf(file: string, title: string, settings: MotionSettings): MotionDocument {
  const view: MotionView = { compare: "side", trails: true, skin: true, colours: true, follow: true };
  return { version: 1, title, file, clip: 0, settings, contacts: null, keys: [], view };
}

class MotionStore extends Store<MotionDocument> implements MotionSession {
  readonly #shown = signal<ShownMotion | null>(null);
  readonly #pulled = signal<{ joint: number; target: Vec3; poses: Float32Array | null } | null>(null);
  readonly #curves = signal<JointCurves | null>(null);
  readonly #isBusy = signal(false);
  readonly #said = signal("");
  readonly #awaited = signal<(LinkedMotion & { file: OwnFile }) | null>(null);
  readonly #clock: Clock;

  readonly picked = signal<Picked>(null);
  readonly selection = signal<number | null>(null);
  readonly hovered = signal<number | null>(null);
  readonly curveJoint = signal<number | null>(null);
  readonly contacts = computed<readonly ContactEntry[]>(() => {
    const shown = this.#shown.value;
    return this.document.value.contacts ?? (shown ? contactsOf(shown.contacts) : []);
  });

  readonly #files = new Map<string, OpenFile>();
  #nextFile = 1;
  /** What the worker has open. */
  #open: { id: string; motion: OpenedMotion } | null = null;
  /** The document that is on show. */
  #made: MotionDocument | null = null;
  #pumping: Promise<void> | null = null;
  #pull: Pull | null = null;
  #edit: CurveEdit | null = null;
  #editing: Promise<void> | null = null;
  #hasBegun = false;
  /** The frame on which a link begins. */
  #linkedFrame: number | null = null;
  #pictures: MotionPictures | null = null;
  readonly #stopCurves: () => void;

  constructor(private readonly around: MotionSurroundings) {
    super(new History<MotionDocument>(documentOf("", "Motion", FIRST)), { startWorker: () => around.startWorker(), patience: PATIENCE });
    this.#clock = new Clock(around, () => this.#shown.peek()?.info ?? null);
    const joint = computed(() => ({ joint: this.curveJoint.value, shown: this.#shown.value }));
    this.#stopCurves = joint.subscribe(({ joint: wanted, shown }) => { void this.#askCurves(wanted, shown); });
  }

  get shown() { return this.#shown; }
  get pulled() { return this.#pulled; }
  get curves() { return this.#curves; }
  get frame() { return this.#clock.frame; }
  get playing() { return this.#clock.playing; }
  get isLooping() { return this.#clock.isLooping; }
  get speed() { return this.#clock.speed; }
  get isBusy() { return this.#isBusy; }
  get announcement() { return this.#said; }
  get awaited() { return this.#awaited; }

  // -------------------------------------------------------------------------------------------------------------- files

  begin(): void {
    if (!this.#hasBegun && this.document.peek().file === "") this.openWalk();
  }

  openWalk(): void {
    this.#openWalk(null);
  }

  #openWalk(linked: LinkedMotion | null): void {
    this.#hasBegun = true;
    void this.around.fetchWalk().then(
      async (bytes) => {
        const isShown = await this.#take({ name: WALK, bytes, isWalk: true }, "Walk with known skate", linked);
        if (isShown && linked === null && !this.around.isStill) this.play();
      },
      () => { this.tell({ kind: "error", what: "The built-in walk cannot be loaded", hint: "Drop a BVH or GLB file of your own." }); },
    );
  }

  async loadFile(name: string, bytes: Uint8Array): Promise<boolean> {
    const awaited = this.#awaited.peek();
    const file = { name, bytes, isWalk: false };
    if (awaited && isSameFile(awaited.file, bytes)) return await this.#take(file, name, awaited);
    const isOpen = await this.#take(file, name, null);
    if (isOpen && awaited) {
      const { name: wanted, size } = awaited.file;
      this.tell({ kind: "warning", what: `${name} is not the file of the link: what was set in the link is left out.`, hint: `Open the link again and drop ${wanted}, ${sizeWords(size)}.` });
    }
    return isOpen;
  }

  openLink(linked: LinkedMotion): void {
    this.#hasBegun = true;
    const { file } = linked;
    if (file === "walk") {
      this.#openWalk(linked);
      return;
    }
    const open = [...this.#files.values()].find(({ bytes }) => isSameFile(file, bytes));
    if (open) {
      void this.#take(open, open.name, linked);
      return;
    }
    this.#awaited.value = { ...linked, file };
    if (this.#shown.peek()) this.tell({ kind: "warning", what: `The link was made with ${file.name}, which it does not hold.`, hint: `Drop that file, ${sizeWords(file.size)}, to see what the link is about.` });
  }

  /** Opens a file, with what a link has set on it; where the file is refused, what was on show stays. */
  async #take(file: OpenFile, title: string, linked: LinkedMotion | null): Promise<boolean> {
    const { name } = file;
    await this.settled();
    const id = `file${this.#nextFile}`;
    this.#nextFile += 1;
    this.#files.set(id, file);
    let opened: OpenedMotion;
    try {
      opened = await this.#openFile(id, 0, linked?.seconds ?? STAND);
    } catch (error) {
      this.#files.delete(id);
      this.#open = null;
      this.#refuse(name, error);
      this.#change();
      return false;
    }
    this.reported.keep(() => false);
    this.#awaited.value = null;
    this.#clock.rewind();
    const { camera: _, ...view } = this.document.peek().view;
    const plain = { ...documentOf(id, title, opened.info.usual), view };
    if (linked) this.#takeLinked(plain, linked, name);
    else this.commit(plain, `Open ${name}`);
    await this.settled();
    this.#remark(name);
    return true;
  }

  /** What the link has set is a step of its own: it can be undone, and where the library refuses it the file alone stays. */
  #takeLinked(plain: MotionDocument, linked: LinkedMotion, name: string): void {
    const { title, clip, seconds, settings, contacts, keys, view, frame } = linked;
    const document: MotionDocument = { version: 1, title, file: plain.file, clip, ...(seconds === undefined ? {} : { seconds }), settings, contacts, keys, view };
    this.#linkedFrame = frame;
    if (JSON.stringify([clip, seconds ?? STAND, settings, contacts, keys]) === JSON.stringify([plain.clip, STAND, plain.settings, plain.contacts, plain.keys])) {
      this.commit(document, `Open ${name}`);
    } else {
      this.history.commit({ ...plain, view }, `Open ${name}`);
      this.commit(document, "Open a link");
    }
  }

  #remark(name: string): void {
    const info = this.#shown.peek()?.info;
    if (!info) return;
    const rest = info.warnings.length > 0 ? `${info.warnings.length === 1 ? "One remark" : `${info.warnings.length} remarks`} on the file: see the panel.` : undefined;
    if (info.stands) this.tell({ kind: "info", what: `${name} has no animation: its figure stands at rest.`, where: rest, hint: "Set its length below the view, go to a time, and drag a hand, a foot or the hips: each sets a key." });
    else if (info.legs.length === 0) this.tell({ kind: "warning", what: `No legs were found in ${name}, so nothing is cleaned.`, where: info.legsReason.replace(/^no legs: /, ""), hint: "Any joint can be held all the same: choose it below the rows of the timeline." });
    else if (rest !== undefined) this.tell({ kind: "info", what: rest, where: name });
  }

  async #openFile(id: string, clip: number, seconds: number): Promise<OpenedMotion> {
    const key = `${id}/${clip}/${seconds}`;
    if (this.#open?.id === key) return this.#open.motion;
    const file = this.#files.get(id);
    if (!file) throw new Error("the file is not open any more");
    const motion = await this.client.ask<"motion-open">({ kind: "motion-open", bytes: file.bytes, name: file.name, clip, seconds });
    this.#open = { id: key, motion };
    return motion;
  }

  chooseClip(index: number): void {
    this.#clock.rewind();
    this.commit({ ...this.document.peek(), clip: index, contacts: null, keys: [] }, "Choose a clip");
  }

  setSeconds(seconds: number): void {
    const document = this.document.peek();
    const end = seconds + 1e-9;
    const keys = document.keys.filter(({ time }) => time <= end);
    const contacts = document.contacts?.filter(({ from }) => from <= end).map((contact) => ({ ...contact, to: Math.min(contact.to, seconds) })) ?? null;
    this.commit({ ...document, seconds, keys, contacts }, "Change the length", "seconds");
  }

  setTitle(title: string): void {
    this.commit({ ...this.document.peek(), title }, "Rename", "title");
  }

  // ----------------------------------------------------------------------------------------------------------- document

  setSettings(change: Partial<MotionSettings>): void {
    const document = this.document.peek();
    this.commit({ ...document, settings: { ...document.settings, ...change } }, "Change a setting", `settings:${Object.keys(change).join()}`);
  }

  setView(change: Partial<MotionView>): void {
    const document = this.document.peek();
    const next = { ...document, view: { ...document.view, ...change } };
    // Looking is no step of work.
    if (this.#made === document) this.#made = next;
    this.amend(next);
  }

  reset(): void {
    const document = this.document.peek();
    this.commit({ ...document, settings: this.#info()?.usual ?? document.settings, contacts: null, keys: [] }, "Back to the clip as it was");
  }

  undo(): void {
    this.#step(this.history.undo());
  }

  redo(): void {
    this.#step(this.history.redo());
  }

  #step(document: MotionDocument): void {
    if (document.file === "") {
      this.history.redo();
      return;
    }
    this.#leavePull();
    // Where one looks from is not undone.
    const next = { ...document, view: this.document.peek().view };
    this.history.amend(next);
    this.show(next);
    this.#change();
  }

  endDrag(): void {
    void (this.#editing ?? Promise.resolve()).then(() => { this.history.seal(); });
  }

  protected override commit(document: MotionDocument, label: string, key: string | null = null): void {
    super.commit(document, label, key);
    this.#change();
  }

  protected override show(document: MotionDocument): void {
    batch(() => {
      super.show(document);
      const picked = this.picked.peek();
      if (picked?.kind === "contact" && document.contacts && picked.index >= document.contacts.length) this.picked.value = null;
      if (picked?.kind === "key" && !document.keys.some(({ time }) => time === picked.time)) this.picked.value = null;
    });
  }

  /** What was there before the first file is nothing to go back to. */
  protected override get undoLabel(): string | null {
    return this.history.isSecond ? null : super.undoLabel;
  }

  // ----------------------------------------------------------------------------------------------------------- working out

  #change(): void {
    if (this.#pumping === null && !this.isOver) {
      this.#isBusy.value = true;
      this.#pumping = this.#pump().finally(() => {
        this.#pumping = null;
        this.#isBusy.value = false;
      });
    }
  }

  settled(): Promise<void> {
    return this.#pumping ?? Promise.resolve();
  }

  async #pump(): Promise<void> {
    while (!this.isOver) {
      const document = this.document.peek();
      if (document === this.#made || document.file === "") return;
      try {
        await this.#make(document);
      } catch (error) {
        if (error instanceof WorkerLost) return;
        this.#refuse(this.#files.get(document.file)?.name ?? "The motion", error);
        this.#goBack(document);
      }
    }
  }

  async #make(document: MotionDocument): Promise<void> {
    const opened = await this.#openFile(document.file, document.clip, document.seconds ?? STAND);
    const made = await this.#set(document, document.contacts === null ? null : contactsText(document.contacts));
    const file = this.#files.get(document.file);
    // The view may have changed meanwhile, which makes no difference to the motion.
    this.#made = sameWork(this.document.peek(), document) ? this.document.peek() : document;
    batch(() => {
      this.#shown.value = { ...opened, ...made, bytes: file?.bytes ?? new Uint8Array(0), id: `${document.file}/${document.clip}` };
      this.#pulled.value = null;
      this.#clock.goTo(this.#linkedFrame ?? this.#clock.frame.peek());
      this.#linkedFrame = null;
      this.#said.value = saidOf(this.#shown.value);
    });
  }

  /** The result of a document with the text of a contacts file, or those that are found. */
  #set({ settings, keys }: MotionDocument, contacts: string | null): Promise<MadeMotion> {
    const times = Float64Array.from(keys, ({ time }) => time);
    const values = Float64Array.from(keys.flatMap(({ q }) => q));
    const interpolations = keys.map(({ interpolation }) => interpolation ?? "cubic");
    return this.client.ask<"motion-set">({ kind: "motion-set", settings: JSON.stringify(settings), contacts, times, values, interpolations });
  }

  /** A document that the library refuses does not stay. */
  #goBack(document: MotionDocument): void {
    if (this.document.peek() !== document) return;
    this.show(this.history.drop());
    if (this.document.peek() === document) this.#made = document;
  }

  protected restarted(why: string): void {
    this.#open = null;
    this.#made = null;
    this.#pull = null;
    this.#pulled.value = null;
    this.tell({ kind: "warning", what: `The worker stopped (${why}) and was started again`, hint: "Nothing of your work is lost." });
    void this.settled().then(() => { this.#change(); });
  }

  async #askCurves(joint: number | null, shown: ShownMotion | null): Promise<void> {
    if (joint === null || shown === null || joint >= shown.info.joints.length) {
      this.#curves.value = null;
      return;
    }
    const curves = await this.client.ask<"motion-curves">({ kind: "motion-curves", joint }).catch(() => null);
    if (this.#shown.peek() === shown && this.curveJoint.peek() === joint) this.#curves.value = curves;
  }

  // ------------------------------------------------------------------------------------------------------------- time

  play(): void { this.#clock.play(); }
  pause(): void { this.#clock.pause(); }
  goTo(frame: number): void { this.#clock.goTo(frame); }
  step(by: number): void { this.#clock.step(by); }

  #info(): MotionInfo | null {
    return this.#shown.peek()?.info ?? null;
  }

  // ---------------------------------------------------------------------------------------------------------- contacts

  setContact(index: number, from: number, to: number, key?: string): void {
    const info = this.#info();
    const old = this.contacts.peek()[index];
    if (!info || !old) return;
    const changed = withSpan(old, from, to, info);
    if (changed.from === old.from && changed.to === old.to) return;
    this.#setContacts(this.contacts.peek().map((contact, at) => (at === index ? changed : contact)), "Move a contact", key ?? null);
  }

  changeContact(index: number, change: (contact: ContactEntry, shown: ShownMotion) => ContactEntry, label: string, key?: string): void {
    const shown = this.#shown.peek();
    const old = this.contacts.peek()[index];
    if (!shown || !old) return;
    const changed = change(old, shown);
    this.#setContacts(this.contacts.peek().map((contact, at) => (at === index ? changed : contact)), label, key ?? null);
  }

  addContact(joint: number, time: number): void {
    const info = this.#info();
    const name = info?.joints[joint]?.name;
    if (!info || name === undefined) return;
    const added = contactAround(name, time, this.contacts.peek(), info);
    if (!added) return;
    const contacts = [...this.contacts.peek(), added];
    this.#setContacts(contacts, "Add a contact");
    this.picked.value = { kind: "contact", index: contacts.length - 1 };
  }

  removeContact(index: number): void {
    this.picked.value = null;
    this.#setContacts(this.contacts.peek().filter((_, at) => at !== index), "Remove a contact");
  }

  findContacts(): void {
    if (this.document.peek().contacts === null) return;
    this.picked.value = null;
    this.commit({ ...this.document.peek(), contacts: null }, "Find contacts again");
  }

  async loadContacts(name: string, text: string): Promise<boolean> {
    await this.settled();
    const before = this.document.peek();
    let contacts: ContactEntry[];
    try {
      contacts = contactsOf(text);
    } catch (error) {
      this.#refuse(name, error);
      return false;
    }
    // The text itself goes to the library once, so that it can say where a fault is.
    try {
      await this.#set(before, text);
    } catch (error) {
      this.#refuse(name, error);
      return false;
    }
    this.#setContacts(contacts, `Load ${name}`);
    await this.settled();
    return true;
  }

  #setContacts(contacts: readonly ContactEntry[], label: string, key: string | null = null): void {
    this.commit({ ...this.document.peek(), contacts }, label, key);
  }

  // ------------------------------------------------------------------------------------------------------------- poses

  beginPull(joint: number): void {
    this.pause();
    this.selection.value = joint;
    const motion = this.#shown.peek()?.id ?? "";
    this.#pull = { joint, frame: this.frame.peek(), motion, isOver: false, q: null, waiting: null, asking: null };
  }

  /** Undo while a hand is being pulled lets go of it. */
  #leavePull(): void {
    if (!this.#pull) return;
    this.#pull.isOver = true;
    this.#pull = null;
    this.#pulled.value = null;
  }

  pull(target: Vec3): void {
    const pull = this.#pull;
    if (!pull || !target.every(Number.isFinite)) return;
    this.#pulled.value = { joint: pull.joint, target, poses: this.#pulled.peek()?.poses ?? null };
    pull.waiting = target;
    pull.asking ??= this.#follow(pull).finally(() => { pull.asking = null; });
  }

  async #follow(pull: Pull): Promise<void> {
    while (pull.waiting) {
      const target = pull.waiting;
      pull.waiting = null;
      const found = await this.client.ask<"motion-pull">({ kind: "motion-pull", frame: pull.frame, joint: pull.joint, target: Float64Array.from(target) }).catch((error: unknown) => {
        this.#refuse("The pose", error);
        return null;
      });
      if (!found || pull.isOver) return;
      pull.q = found.q;
      if (this.#pull === pull || this.#pull === null) this.#pulled.value = { joint: pull.joint, target: this.#pulled.peek()?.target ?? target, poses: found.poses };
    }
  }

  endPull(): void {
    const pull = this.#pull;
    this.#pull = null;
    if (!pull) return;
    void (pull.asking ?? Promise.resolve()).then(() => {
      if (pull.q && pull.motion === this.#shown.peek()?.id) this.#addKey(pull.frame, pull.q, "Pose the figure");
      else this.#pulled.value = null;
    });
  }

  nudge(joint: number, by: Vec3): void {
    const shown = this.#shown.peek();
    if (!shown) return;
    const from = this.#pull?.joint === joint ? this.#pulled.peek()?.target : undefined;
    if (!from) this.beginPull(joint);
    this.pull((from ?? this.#placeOf(joint, shown)).map((value, k) => value + (by[k] ?? 0)) as Vec3);
  }

  /** Where a joint is on show. */
  #placeOf(joint: number, { info, result }: ShownMotion): Vec3 {
    const first = 7 * this.frame.peek() * info.joints.length;
    const poses = this.#pulled.peek()?.poses ?? result.subarray(first, first + 7 * info.joints.length);
    return [0, 1, 2].map((k) => poses[7 * joint + k] ?? 0) as Vec3;
  }

  async setKey(): Promise<void> {
    this.pause();
    await this.settled();
    const frame = this.frame.peek();
    const motion = this.#shown.peek()?.id;
    const q = await this.client.ask<"motion-frame">({ kind: "motion-frame", frame }).catch(() => null);
    if (q && motion === this.#shown.peek()?.id) this.#addKey(frame, q, "Set a key");
  }

  #addKey(frame: number, q: Float64Array, label: string): void {
    const info = this.#info();
    if (!info) return;
    const time = timeOf(info, frame);
    const document = this.document.peek();
    const old = document.keys.find((key) => key.time === time);
    const keys = [...document.keys.filter((key) => key !== old), { ...old, time, q: [...q] }].sort((a, b) => a.time - b.time);
    this.commit({ ...document, keys }, label);
    this.picked.value = { kind: "key", time };
  }

  removeKey(time: number): void {
    const document = this.document.peek();
    this.picked.value = null;
    this.commit({ ...document, keys: document.keys.filter((key) => key.time !== time) }, "Remove a key");
  }

  moveKey(time: number, to: number, key?: string): boolean {
    const info = this.#info();
    if (!info) return false;
    const document = this.document.peek();
    const wanted = timeOf(info, frameAt(info, to));
    if (wanted === time || document.keys.some((one) => one.time === wanted)) return wanted === time;
    const keys = document.keys.map((one) => (one.time === time ? { ...one, time: wanted } : one)).sort((a, b) => a.time - b.time);
    this.picked.value = { kind: "key", time: wanted };
    this.commit({ ...document, keys }, "Move a key", key ?? null);
    return true;
  }

  setInterpolation(time: number, interpolation: Interpolation): void {
    const document = this.document.peek();
    this.commit({ ...document, keys: document.keys.map((key) => (key.time === time ? { ...key, interpolation } : key)) }, "Change an interpolation");
  }

  setCurve(time: number, numbers: readonly number[], key?: string): void {
    const joint = this.curveJoint.peek();
    if (joint === null || !numbers.every(Number.isFinite)) return;
    this.#edit = { joint, time, numbers, key: key ?? null };
    this.#editing ??= this.#editCurves().finally(() => { this.#editing = null; });
  }

  async #editCurves(): Promise<void> {
    while (this.#edit) {
      const { joint, time, numbers, key } = this.#edit;
      this.#edit = null;
      const old = this.document.peek().keys.find((one) => one.time === time);
      if (!old) continue;
      const q = await this.client.ask<"motion-with-curve">({ kind: "motion-with-curve", q: Float64Array.from(old.q), joint, numbers: Float64Array.from(numbers) }).catch((error: unknown) => {
        this.#refuse("The pose", error);
        return null;
      });
      const document = this.document.peek();
      if (q && document.keys.includes(old)) this.commit({ ...document, keys: document.keys.map((one) => (one === old ? { ...old, q: [...q] } : one)) }, "Edit a curve", key);
    }
  }

  // ----------------------------------------------------------------------------------------------------------- exports

  async write(format: "same" | "bvh" | "glb"): Promise<{ name: string; bytes: Uint8Array } | null> {
    await this.settled();
    const info = this.#info();
    if (!info) return null;
    try {
      const bytes = await this.client.ask<"motion-write">({ kind: "motion-write", format });
      const ending = format === "same" ? (/\.([^.]*)$/.exec(info.name)?.[1] ?? info.format) : format;
      return { name: `${this.#stem}-clean.${ending}`, bytes };
    } catch (error) {
      this.#refuse("The file", error);
      return null;
    }
  }

  /** The file's name without its ending. */
  get #stem(): string {
    return stemOf(this.#info()?.name ?? "motion");
  }

  contactsFile(): NamedText {
    return { name: `${this.#stem}.contacts.json`, type: "application/json", text: contactsText(this.contacts.peek()) };
  }

  linked(): LinkedMotion {
    const awaited = this.#awaited.peek();
    if (awaited && !this.#shown.peek()) return awaited;
    const document = this.document.peek();
    const file = this.#files.get(document.file);
    const camera = this.#pictures?.camera();
    const view = camera ? { ...document.view, camera } : document.view;
    return { ...document, file: !file || file.isWalk ? "walk" : ownFile(file.name, file.bytes), frame: this.#clock.frame.peek(), view };
  }

  snippets(): Snippet[] {
    const shown = this.#shown.peek();
    if (!shown) return [];
    const { file, settings, contacts, keys, clip } = this.document.peek();
    const isWalk = this.#files.get(file)?.isWalk ?? false;
    const motion = isWalk ? { motion: { name: WALK, type: "text/plain", text: new TextDecoder().decode(shown.bytes) } } : {};
    return motionSnippets({ info: shown.info, settings, contacts, keys, clip, ...motion });
  }

  setPictures(pictures: MotionPictures | null): void {
    this.#pictures = pictures;
  }

  async exportPng(): Promise<{ name: string; blob: Blob }> {
    if (!this.#pictures) throw new Error("there is no picture yet");
    return { name: `${this.#stem}.png`, blob: await this.#pictures.png() };
  }

  async exportFilm(): Promise<{ name: string; blob: Blob }> {
    if (!this.#pictures) throw new Error("there is no picture yet");
    return { name: `${this.#stem}.webm`, blob: await this.#pictures.film(() => this.#clock.playOnce()) };
  }

  exportSvg(): NamedText {
    if (!this.#pictures) throw new Error("there is no picture yet");
    return { name: `${this.#stem}.svg`, type: "image/svg+xml", text: this.#pictures.svg() };
  }

  // ------------------------------------------------------------------------------------------------------------- words

  #refuse(name: string, error: unknown): void {
    if (error instanceof WorkerLost) return;
    const { line, column } = error instanceof RequestError ? error : { line: undefined, column: undefined };
    const { what, where } = placed(error instanceof Error ? error.message : String(error), { line, column });
    const { message, hint } = explained(name, what);
    this.tell({ kind: "error", what: `${name} cannot be used: ${message}`, where, hint: hint ?? "The current document is unchanged." });
  }

  override dispose(): void {
    super.dispose();
    this.#stopCurves();
    this.pause();
  }
}

/** What a fault means on the page, and what to try. */
function explained(name: string, message: string): { message: string; hint: string | undefined } {
  const lenient = "; the complete rows can be read leniently";
  if (message.includes(lenient)) {
    return { message: message.replace(lenient, ""), hint: `The command writes the complete rows as a valid file: posekit convert ${name} -o whole.bvh --lenient` };
  }
  const isSplit = message.includes("no other file is read");
  return { message, hint: isSplit ? "Export it as glTF binary (.glb), which holds everything in one file." : undefined };
}

/** Whether two documents make the same result. */
function sameWork(a: MotionDocument, b: MotionDocument): boolean {
  return a.file === b.file && a.clip === b.clip && a.seconds === b.seconds && a.settings === b.settings && a.contacts === b.contacts && a.keys === b.keys;
}

function saidOf(shown: ShownMotion): string {
  const slide = medianSlide(shown.report);
  if (!slide) return shown.report.plants.length === 0 ? "No foot is planted in this motion" : "No foot is planted long enough in this motion";
  return `Slide of the median plant: ${slide.before.toFixed(1)} millimetres before, ${slide.after.toFixed(1)} after`;
}
