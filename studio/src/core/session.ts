//! The store: one document and its history, what the worker says about it, and what is shown of that.
//!
//! Everything that solves goes through `#pump`, one request after the other; while one is under way only the newest document counts, so a drag never
//! queues up. Traces and times follow when nothing has changed for a moment.

import { batch, computed, signal, type ReadonlySignal } from "@preact/signals";
import { RequestError, WorkerLost } from "../worker/client.ts";
import type { RunOrder } from "../worker/protocol.ts";
import { ArmDesk } from "./arm.ts";
import { besideMain, MOST_RUNS, startingAt, whyNoOther, withoutStarts } from "./document.ts";
import { fits, flatPoints, insideRanges, isFiniteMove, moveHandle, onlyTargetsDiffer, targetsOf, withStart } from "./edit.ts";
import { isFigure, isPoints, type FigureProblem, type ProblemFile, type Vec3 } from "./files.ts";
import { handlesOf, poleOf, touchedBy, towardPole } from "./handles.ts";
import { companionOf, RobotDesk } from "./robot.ts";
import { History } from "./history.ts";
import { encodeLink } from "./link.ts";
import { ExportDesk } from "./exports.ts";
import { FIRST, firstDocument, previewOf } from "./opening.ts";
import { FileShelf, loadDocument, refusalOf, remarkOn, remarkOnMeshes } from "./load.ts";
import { sceneDocument, sceneFrom, withOption } from "./scenes/index.ts";
import { settingsFor, withSetting, type SettingValue } from "./settings.ts";
import { browser, type Surroundings } from "./surroundings.ts";
import { unusedMethod, usedMethods } from "./methods.ts";
import { Store } from "./store.ts";
import { isBending, labelOf, messageOf, orderOf, source, type Drag } from "./orders.ts";
import { Played } from "./played.ts";
import { cursorOf, entryOf, entryOfIteration, hasPoses, placeOf, shownRuns, stepFrom, type Place } from "./shown.ts";
import { announce, methodWord } from "./words.ts";
import type {
  Companion, CrowdFrame, Cursor, Handle, HandleMove, MethodName, News, OptionValue, Playback, PoseData, ProblemInfo, RunResult, RunSpec,
  SceneId, ScenePreview, Session, Sketch, SketchOrder, StudioDocument, TraceData, ViewState,
} from "./types.ts";

/** How long nothing must have changed before traces and times are asked for [ms]. */
const QUIET = 140;
/** A trace is played in about so many entries a second, and in no more than so many seconds. */
const [ENTRIES_A_SECOND, LONGEST_PLAY] = [10, 9] as const;

export function createSession(surroundings: Partial<Surroundings> = {}): Session {
  return new StudioSession({ ...browser(), ...surroundings });
}

/** Where the cursor goes from where it is; null: nowhere yet. */
type Move = (trace: TraceData, here: number | null) => number;

class StudioSession extends Store<StudioDocument, Companion> implements Session {
  readonly #opened = signal(0);
  readonly #info = signal<ProblemInfo | null>(null);
  readonly #results = signal<RunResult[]>([]);
  readonly #crowd = signal<CrowdFrame | null>(null);
  readonly #playback = signal<Playback>({ mode: "live", running: false });
  readonly #entry = signal<number | null>(null);
  readonly #dragging = signal(false);

  readonly selection = signal<string | null>(null);
  readonly hovered = signal<string | null>(null);
  readonly hoveredIteration = signal<number | null>(null);

  readonly arm: ArmDesk;
  readonly exports: ExportDesk;
  readonly robot: RobotDesk;
  readonly shown = computed(() => this.arm.shown.value ?? shownRuns(this.document.value.runs, this.#results.value, { entry: this.#entry.value, iteration: this.hoveredIteration.value }));
  readonly cursor = computed<Cursor | null>(() => {
    const entry = this.#entry.value;
    const trace = this.#results.value[0]?.trace ?? null;
    return entry === null || !hasPoses(trace) ? null : cursorOf(trace, Math.min(entry, trace.n - 1));
  });
  readonly handles = computed<Handle[]>(() => {
    const info = this.#info.value;
    // What moves in a crowd is moved by its wave.
    if (!info || this.document.value.scene === "crowd" || !fits(this.document.value.problem, info)) return [];
    const shown = this.shown.value[0];
    const pose: PoseData = shown && shown.points.length === info.start.points.length ? shown : info.start;
    return handlesOf(this.document.value, info, pose, touchedBy([this.selection.value, this.hovered.value]));
  });
  readonly noOther = computed(() => whyNoOther(this.document.value, this.#info.value, this.#results.value));
  readonly announcement = computed(() => this.arm.said.value ?? announce(this.#results.value[0] ?? null, this.#info.value, this.cursor.value));

  /** What the worker has loaded. */
  #loaded: { problem: ProblemFile; urdf: string | undefined } | null = null;
  #drag: Drag | null = null;
  /** The drag that was let go of last, until its last move has been solved. */
  #ending: Drag | null = null;
  #drags = 0;
  /** What plays has begun with a drag. */
  #playsDrag = false;
  /** The newest change is nobody's. */
  #isSwaying = false;
  #dirty = false;
  #pumping = false;
  /** Counts what was asked for, so that late answers are known. */
  #round = 0;
  #quiet: ReturnType<typeof setTimeout> | null = null;
  #tracesWanted = false;
  /** Moves of the cursor that wait for the trace. */
  #pending: { moves: Move[]; run: boolean } | null = null;
  readonly #played = new Played();
  /** Where each live run started last. */
  readonly #startedFrom = new Map<string, Float64Array>();
  #framing = false;
  #frameAt = 0;
  #crowdTime = 0;
  #credit = 0;
  readonly #known = new FileShelf();
  /** The document whose loading failed last, so that it is not tried for ever. */
  #refused: StudioDocument | null = null;
  #idle: (() => void)[] = [];

  constructor(private readonly around: Surroundings) {
    const faults: News[] = [];
    const { at, half, ...first } = around.restored?.document ?? firstDocument(around.hash, (error) => { faults.push(error); });
    super(new History<StudioDocument, Companion>(first, undefined, around.restored?.companion), around);
    faults.forEach((fault) => { this.tell(fault); });
    this.arm = new ArmDesk({
      around, client: this.client, document: this.document, info: this.#info, results: this.#results, dragging: this.#dragging,
      change: (document, label, key) => { this.commit(document, label, key); this.#change(); },
      startAt: (q, label, key) => { this.#goTo("live"); this.#startAt(q, label, key); this.#change(); },
      goLive: () => { this.selection.value = null; this.goLive(); },
      tell: (what, hint) => { this.tell({ kind: "info", what, hint }); },
    });
    this.robot = new RobotDesk({
      client: this.client, document: this.document, info: this.#info,
      change: (next, label, key) => { this.#goTo("live"); this.commit(next, label, key); this.#change(); },
      trouble: (error) => { this.#trouble(error); },
    });
    this.exports = new ExportDesk({
      client: this.client, info: this.#info, results: this.#results, shown: this.shown, cursor: this.cursor, companion: this.robot.companion,
      asPlayed: () => this.#asPlayed(), place: () => this.#placeOnShow(), settled: () => this.#settled(),
    });
    this.robot.follow(first, this.history.aside);
    this.#settlePlayback();
    this.#change();
    this.#seekPlace(at, half);
  }

  get opened(): ReadonlySignal<number> { return this.#opened; }
  get info(): ReadonlySignal<ProblemInfo | null> { return this.#info; }
  get results(): ReadonlySignal<RunResult[]> { return this.#results; }
  get crowd(): ReadonlySignal<CrowdFrame | null> { return this.#crowd; }
  get playback(): ReadonlySignal<Playback> { return this.#playback; }
  get dragging(): ReadonlySignal<boolean> { return this.#dragging; }

  // -------------------------------------------------------------------------------------------------------------- documents

  openScene(id: SceneId): void {
    this.open(sceneFrom(this.document.peek(), id, this.shown.peek()[0]), "Open scene");
  }

  open(document: StudioDocument, label: string): void {
    this.#take(document, label, null);
  }

  restore(document: StudioDocument, companion: Companion | null): void {
    this.#take(document, "Go back", companion);
  }

  current(): StudioDocument {
    return { ...this.#asPlayed(), ...this.#placeOnShow() };
  }

  /** Another problem altogether: nothing of the old one stays on show. */
  #take({ at, half, ...document }: StudioDocument, label: string, companion: Companion | null): void {
    this.#leaveDrag();
    this.#isSwaying = false;
    batch(() => {
      // What was said about another problem is of no use here.
      this.reported.keep(({ kind }) => kind === "warning");
      this.selection.value = null;
      this.hovered.value = null;
      this.#goTo("live");
      this.commit(document, label, null, companion);
      this.#opened.value += 1;
      this.#settlePlayback();
    });
    this.#change();
    this.#seekPlace(at, half);
  }

  setOption(name: string, value: OptionValue): void {
    this.#goTo(this.#isCrowd() ? this.#playback.peek().mode : "live");
    this.commit(withOption(this.document.peek(), name, value), "Change the scene", `option:${name}`);
    this.#change();
  }

  async loadFile(name: string, bytes: Uint8Array, files: ReadonlyMap<string, Uint8Array> = new Map()): Promise<boolean> {
    try {
      const loaded = await loadDocument(name, bytes, { known: this.#known, files }, {
        describe: (text, srdf) => this.robot.describe(text, srdf),
        inspect: (source) => this.client.ask<"inspect">({ kind: "inspect", source }),
        load: async (text, urdf) => {
          await this.#settled();
          this.#loaded = null;
          return await this.client.ask<"load">({ kind: "load", source: source(text, urdf) });
        },
      });
      if (loaded.isSource) this.remember(name, bytes);
      this.#take(loaded.document, `Open ${name}`, loaded.companion);
      const remark = remarkOn(name, loaded);
      if (remark) this.tell(remark);
      return true;
    } catch (error) {
      this.#loaded = null;
      this.tell(refusalOf(name, error));
      this.#change();
      return false;
    }
  }

  addFiles(files: ReadonlyMap<string, Uint8Array>): void {
    const before = this.history.aside;
    const document = { ...this.document.peek() };
    const companion = companionOf(new Map([...before?.files ?? [], ...files]), before?.character ?? null);
    this.commit(document, "Add files", null, companion);
    const look = this.robot.look.peek();
    const missing = look && remarkOnMeshes(look, companion.files);
    if (missing !== null) this.tell({ kind: "info", what: missing });
  }

  remember(name: string, bytes: Uint8Array): void {
    this.#known.add(name, bytes);
  }

  reset(): void {
    this.#goTo("live");
    const document = this.document.peek();
    if (document.scene === "file") {
      this.commit({ ...document, runs: withoutStarts(document.runs) }, "Back to the start");
    } else {
      const fresh = sceneDocument(document.scene);
      this.commit({ ...fresh, runs: withoutStarts(document.runs), view: document.view }, "Back to the scene");
    }
    this.#settlePlayback();
    this.#change();
  }

  undo(): void {
    this.#keepPlayed();
    this.#step(this.history.undo());
  }

  redo(): void {
    this.#keepPlayed();
    this.#step(this.history.redo());
  }

  #step(to: StudioDocument): void {
    const { scene, title, view } = this.document.peek();
    // Where one stands to look is no step of work: within a scene it stays.
    const isSame = to.scene === scene && (scene !== "file" || to.title === title);
    const document = isSame && view.camera ? { ...to, view: { ...to.view, camera: view.camera } } : to;
    this.history.amend(document);
    this.#leaveDrag();
    this.#played.isOn = false;
    batch(() => {
      this.#goTo("live");
      this.show(document);
      this.#settlePlayback();
    });
    this.#change();
  }

  setTitle(title: string): void {
    this.commit({ ...this.document.peek(), title }, "Rename", "title");
  }

  editProblem(label: string, change: (problem: ProblemFile) => ProblemFile): void {
    this.#goTo("live");
    const document = this.document.peek();
    this.commit({ ...document, problem: change(document.problem), runs: withoutStarts(document.runs) }, label, `edit:${label}`);
    this.#change();
  }

  editGoals(label: string, change: (problem: FigureProblem) => FigureProblem): void {
    const shown = new Map(this.#results.peek().flatMap((result) => (result.fault === null ? [[result.id, Array.from(this.#rawShown(result))] as const] : [])));
    this.#goTo("live");
    const document = this.document.peek();
    const problem = isFigure(document.problem) ? change(document.problem) : document.problem;
    if (problem === document.problem) return;
    this.commit({ ...document, problem, runs: document.warm ? startingAt(document.runs, shown) : withoutStarts(document.runs) }, label);
    this.#change();
  }

  setView(change: Partial<ViewState>): void {
    const document = this.document.peek();
    const next = { ...document, view: { ...document.view, ...change } };
    // Where one stands to look is no step of work; switches are.
    if (Object.keys(change).every((name) => name === "camera")) {
      this.amend(next);
    } else {
      this.commit(next, "Change the view");
    }
  }

  protected override commit(document: StudioDocument, label: string, key: string | null = null, companion?: Companion | null): void {
    this.#isSwaying = false;
    super.commit(document, label, key, companion);
  }

  protected override show(document: StudioDocument): void {
    batch(() => {
      super.show(document);
      this.robot.follow(document, this.history.aside);
    });
  }

  // -------------------------------------------------------------------------------------------------------------- handles

  beginDrag(id: string): void {
    const handle = this.handles.peek().find((one) => one.id === id);
    if (!handle) return;
    this.#leaveDrag();
    this.#drags += 1;
    this.arm.leave();
    const from = new Map(this.#results.peek().flatMap((result) => (result.fault === null ? [[result.id, this.#rawShown(result)] as const] : [])));
    this.#drag = { handle, key: `drag:${this.#drags}`, from, wanted: null };
    batch(() => {
      this.#dragging.value = true;
      this.selection.value = id;
      if (this.#playback.peek().mode === "trace") this.#goTo("live");
      const { perFrame, warm } = this.document.peek();
      if (handle.kind === "target" && perFrame !== null && warm && this.#playback.peek().mode === "live") this.#playOn();
    });
  }

  drag(id: string, move: HandleMove): void {
    if (this.#drag?.handle.id !== id) this.beginDrag(id);
    const drag = this.#drag;
    const info = this.#info.peek();
    if (!drag || !info || !isFiniteMove(move)) return;
    const document = this.document.peek();
    const { handle } = drag;
    if (isBending(handle) && !isPoints(document.problem)) {
      drag.wanted = move.position ?? null;
      this.#change();
      return;
    }
    const moved = moveHandle(document, info, handle, move);
    if (moved === document) return;
    this.commit(moved, labelOf(handle), drag.key);
    this.#change();
  }

  endDrag(): void {
    const drag = this.#drag;
    if (!drag) return;
    this.#drag = null;
    this.#ending = drag;
    this.#dragging.value = false;
    void this.#settled().then(() => {
      if (this.#ending === drag && !this.isOver) this.#keepStarts(drag);
      void this.arm.follow(this.document.peek());
      this.#whenQuiet();
    });
  }

  /** The drag whose target the solvers follow from pose to pose: the one under way, or let go of and not solved yet. */
  #followed(): Drag | null {
    const drag = this.#drag ?? this.#ending;
    return drag !== null && !isBending(drag.handle) && this.history.key === drag.key && this.document.peek().warm ? drag : null;
  }

  /** Writes down where the last solves began, so that undo and a link show the same pose again. */
  #keepStarts(drag: Drag): void {
    const document = this.document.peek();
    if (this.#followed() === drag && this.#playback.peek().mode === "live") {
      const runs = document.runs.map((run): RunSpec => {
        const start = this.#startedFrom.get(run.id);
        return start ? { ...run, start: Array.from(start), follows: true } : run;
      });
      this.commit({ ...document, runs }, labelOf(drag.handle), drag.key);
    }
    this.#ending = null;
    this.history.seal();
  }

  #leaveDrag(): void {
    this.#drag = null;
    this.#ending = null;
    this.#dragging.value = false;
    this.history.seal();
  }

  moveHandle(id: string, move: HandleMove): void {
    this.beginDrag(id);
    this.drag(id, move);
    this.endDrag();
  }

  sway(id: string, move: HandleMove): void {
    const handle = this.handles.peek().find((one) => one.id === id);
    const info = this.#info.peek();
    // What is still being solved is not asked for twice.
    if (!handle || !info || this.#pumping || this.#dirty) return;
    const moved = moveHandle(this.document.peek(), info, handle, move);
    this.#isSwaying = true;
    this.amend(moved);
    this.#change();
  }

  // -------------------------------------------------------------------------------------------------------------- runs

  addRun(method?: MethodName): void {
    const document = this.document.peek();
    const { runs } = document;
    const why = method !== undefined && runs.length < MOST_RUNS ? null : this.noOther.peek();
    const used = usedMethods(runs, this.#results.peek());
    const wanted = method ?? (used && unusedMethod(this.#info.peek()?.methods ?? [], used));
    if (why !== null || wanted === null) {
      this.tell({ kind: "info", what: why ?? "The problem is still being solved", ...(runs.length >= MOST_RUNS ? { hint: "Remove one first." } : {}) });
      return;
    }
    const run = besideMain(runs, wanted);
    this.#setRuns([...runs, run], `Add ${methodWord(run.method)}`);
  }

  removeRun(id: string): void {
    const { runs } = this.document.peek();
    if (runs.length > 1) this.#setRuns(runs.filter((run) => run.id !== id), "Remove a solver");
  }

  setMethod(id: string, method: MethodName): void {
    this.#setRun(id, ({ follows: _follows, ...run }) => ({ ...run, method, settings: settingsFor(method, run.settings) }), `Solve by ${methodWord(method)}`);
  }

  setSetting(id: string, path: string, value: SettingValue): void {
    this.#setRun(id, (run) => ({ ...run, settings: withSetting(run.settings, path, value) }), "Change a setting", `setting:${id}:${path}`);
  }

  setVisible(id: string, visible: boolean): void {
    this.#setRun(id, (run) => ({ ...run, visible }), visible ? "Show a solver" : "Hide a solver");
  }

  promoteRun(id: string): void {
    const { runs } = this.document.peek();
    const run = runs.find((one) => one.id === id);
    if (run) this.#setRuns([run, ...runs.filter((one) => one !== run)], "Make it the main solver");
  }

  #setRun(id: string, change: (run: RunSpec) => RunSpec, label: string, key: string | null = null): void {
    this.#setRuns(this.document.peek().runs.map((run) => (run.id === id ? change(run) : run)), label, key);
  }

  #setRuns(runs: RunSpec[], label: string, key: string | null = null): void {
    batch(() => {
      this.commit({ ...this.document.peek(), runs }, label, key);
      // Results follow the order of the runs at once; new ones come when they are solved.
      const results = this.#results.peek();
      this.#results.value = runs.flatMap((run) => results.filter((result) => result.id === run.id));
    });
    this.#change();
  }

  setWarm(warm: boolean): void {
    const document = this.document.peek();
    this.commit({ ...document, warm, runs: warm ? document.runs : withoutStarts(document.runs) }, warm ? "Start from the last pose" : "Start from the beginning");
    this.#change();
  }

  setPerFrame(iterations: number | null): void {
    const perFrame = iterations === null ? null : Math.max(1, Math.round(iterations));
    this.commit({ ...this.document.peek(), perFrame }, "Iterations per frame", "per-frame");
    if (this.#playback.peek().mode === "play" && perFrame === null) this.goLive();
  }

  // -------------------------------------------------------------------------------------------------------------- time

  play(): void {
    this.#playsDrag = false;
    if (this.#isCrowd()) {
      this.#playback.value = { mode: "play", running: true };
    } else if (this.document.peek().perFrame !== null) {
      if (this.#playback.peek().mode !== "play") {
        this.#played.restarts = true;
        this.#entry.value = null;
      }
      this.#playback.value = { mode: "play", running: true };
    } else {
      this.#seek((trace, here) => (here === null || here >= trace.n - 1 ? 0 : here), true);
    }
    this.#frame();
  }

  /** Plays on from where the figure is, so many iterations a frame. */
  #playOn(): void {
    this.#playsDrag = true;
    this.#played.beginHere();
    this.#playback.value = { mode: "play", running: true };
    this.#frame();
  }

  pause(): void {
    const playback = this.#playback.peek();
    this.#playback.value = { ...playback, running: false };
    if (playback.mode !== "play" || this.#isCrowd()) return;
    void this.#settled().then(() => { this.#keepPlayed(); });
    this.#whenQuiet();
  }

  /** The document with what is on show as what its solves come to. */
  #asPlayed(): StudioDocument {
    const here = (wanted: string) => {
      const result = this.#results.peek().find(({ id, fault }) => id === wanted && fault === null);
      return result && this.#raw(result);
    };
    return this.#played.asPlayed(this.document.peek(), here, this.#info.peek()?.start.q);
  }

  /** Writes it down, so that undo, redo and the live end come back to it. It is no step of its own: nobody has changed anything. */
  #keepPlayed(): void {
    const document = this.#asPlayed();
    if (document === this.document.peek()) return;
    this.amend(document);
  }

  /** The place on show, counted from the start of the trace; empty at its end. */
  #placeOnShow(): Place {
    const [cursor, main] = [this.cursor.peek(), this.#results.peek()[0]];
    if (cursor) return cursor.entry < cursor.entries - 1 && main?.trace ? placeOf(main.trace, cursor.entry) : {};
    if (!main || !this.#played.isOn || this.#playback.peek().mode !== "play") return {};
    if (this.#played.isStale(this.document.peek())) return { at: 0 };
    return main.done ? {} : { at: main.iterations };
  }

  #seekPlace(at: number | undefined, half: number | undefined): void {
    if (at !== undefined) this.#seek((trace) => entryOf(trace, at, half));
  }

  step(direction: 1 | -1): void {
    const from = this.#beginning(direction);
    this.#seek((trace, here) => stepFrom(trace, here ?? from(trace), direction));
  }

  stepHalf(direction: 1 | -1): void {
    const from = this.#beginning(direction);
    this.#seek((trace, here) => Math.min(trace.n - 1, Math.max(0, (here ?? from(trace)) + direction)));
  }

  scrub(entry: number): void {
    this.#seek((trace) => Math.min(trace.n - 1, Math.max(0, Math.round(entry))));
  }

  /** Where the first step goes from: the last of played iterations; otherwise the start, or the end for a step back. */
  #beginning(direction: 1 | -1): (trace: TraceData) => number {
    const played = this.#playback.peek().mode === "play" ? this.#results.peek()[0]?.iterations ?? 0 : null;
    if (played !== null) return (trace) => entryOfIteration(trace, played);
    return (trace) => (direction === 1 ? 0 : trace.n - 1);
  }

  /** Moves the cursor, as soon as the traces are there. */
  #seek(move: Move, run = false): void {
    if (this.#isCrowd()) return;
    this.arm.leave();
    this.#pending = { moves: [...(this.#pending?.moves ?? []), move], run };
    if (this.#playback.peek().mode !== "trace") this.#playback.value = { mode: "trace", running: false };
    const main = this.#results.peek()[0];
    if (main && hasPoses(main.trace) && !this.#dirty && !this.#pumping && this.#isTraced(main)) this.#applyMoves(main.trace);
    else this.#wantTraces();
  }

  #applyMoves(trace: TraceData): void {
    const pending = this.#pending;
    if (!pending) return;
    this.#pending = null;
    const before = this.#entry.peek();
    const here = before === null ? null : Math.min(before, trace.n - 1);
    batch(() => {
      this.#entry.value = pending.moves.reduce<number | null>((at, move) => move(trace, at), here);
      this.#playback.value = { mode: "trace", running: pending.run };
    });
    this.#credit = 0;
    if (pending.run) this.#frame();
  }

  goLive(): void {
    this.#goTo("live");
    this.#settlePlayback();
    this.#change();
  }

  #goTo(mode: Playback["mode"]): void {
    this.#keepPlayed();
    this.arm.leave();
    this.#pending = null;
    this.#played.isOn = false;
    batch(() => {
      this.#entry.value = null;
      this.#playback.value = { mode, running: this.#isCrowd() && this.#playback.peek().running };
    });
  }

  /** A crowd moves by itself; everything else waits. */
  #settlePlayback(): void {
    if (this.#isCrowd()) {
      this.#playback.value = { mode: "play", running: !this.around.isStill };
    } else {
      if (this.#crowd.peek() !== null) this.#crowd.value = null;
      const { mode, running } = this.#playback.peek();
      if (mode === "play" || (mode === "live" && running)) this.#playback.value = { mode: "live", running: false };
    }
    this.#frame();
  }

  #isCrowd(): boolean {
    return this.document.peek().scene === "crowd";
  }

  keepPose(): void {
    const info = this.#info.peek();
    const shown = this.shown.peek()[0];
    if (!info || !shown || this.#isCrowd()) return;
    const start = info.nJoints > 0 ? shown.q : flatPoints(shown.points, info.dimension);
    this.#goTo("live");
    const document = this.document.peek();
    this.commit({ ...document, problem: withStart(document.problem, info, start), runs: withoutStarts(document.runs) }, "Start from this pose");
    this.#change();
  }

  /** Goes on from picture to picture as long as something plays. */
  #frame(): void {
    if (this.#framing || this.isOver || !this.#playback.peek().running) return;
    this.#framing = true;
    this.#frameAt = this.around.now();
    const next = () => {
      if (this.isOver || !this.#playback.peek().running) {
        this.#framing = false;
        return;
      }
      const now = this.around.now();
      const seconds = Math.min(0.1, (now - this.#frameAt) / 1000);
      this.#frameAt = now;
      this.#advance(seconds);
      this.around.nextFrame(next);
    };
    this.around.nextFrame(next);
  }

  #advance(seconds: number): void {
    if (this.#playback.peek().mode === "trace") this.#playTrace(seconds);
    else {
      this.#crowdTime += this.#isCrowd() ? seconds : 0;
      // A frame that is still being solved is not asked for twice, and what has come to its end waits for a change.
      if (!this.#pumping && !this.#isDone()) this.#change();
      // What began to play with a drag has nothing more to play when that is over.
      else if (this.#playsDrag && this.#drag === null && this.#ending === null && this.#isDone()) this.pause();
    }
  }

  #isDone(): boolean {
    const results = this.#results.peek();
    return !this.#isCrowd() && !this.#played.restarts && this.#played.isOn && results.length > 0 && results.every(({ done }) => done);
  }

  #playTrace(seconds: number): void {
    const trace = this.#results.peek()[0]?.trace ?? null;
    const entry = this.#entry.peek();
    if (!hasPoses(trace) || entry === null) return;
    this.#credit += seconds * Math.max(ENTRIES_A_SECOND, trace.n / LONGEST_PLAY);
    const whole = Math.floor(this.#credit);
    if (whole < 1) return;
    this.#credit -= whole;
    const next = Math.min(trace.n - 1, entry + whole);
    batch(() => {
      this.#entry.value = next;
      if (next >= trace.n - 1) this.#playback.value = { mode: "trace", running: false };
    });
  }

  // -------------------------------------------------------------------------------------------------------------- solving

  /** Something has changed that has to be solved. */
  #change(): void {
    this.#dirty = true;
    this.#round += 1;
    if (this.#quiet) clearTimeout(this.#quiet);
    this.#quiet = null;
    void this.#pump();
  }

  async #pump(): Promise<void> {
    if (this.#pumping || this.isOver) return;
    this.#pumping = true;
    try {
      while (this.#dirty || this.#tracesWanted) {
        if (this.isOver) return;
        if (this.#dirty) {
          this.#dirty = false;
          await this.#solve();
        } else {
          this.#tracesWanted = false;
          await this.#trace();
        }
      }
    } catch (error) {
      this.#trouble(error);
    } finally {
      this.#pumping = false;
    }
    if (this.#dirty || this.#tracesWanted) {
      void this.#pump();
      return;
    }
    for (const then of this.#idle.splice(0)) then();
    if (this.#drag === null) this.#whenQuiet();
  }

  /** When all that was asked for has been solved. */
  #settled(): Promise<void> {
    if (!this.#pumping && !this.#dirty) return Promise.resolve();
    return new Promise((resolve) => { this.#idle.push(resolve); });
  }

  async #solve(): Promise<void> {
    const document = this.document.peek();
    if (!(await this.#load(document))) return;
    const held = this.#drag ?? this.#ending;
    if (held?.wanted) await this.#bend(held, held.wanted);
    const { mode, running } = this.#playback.peek();
    if (this.#isCrowd()) await this.#crowdFrame();
    if (mode === "play" && !this.#isCrowd()) {
      if (running) await this.#playFrame();
      return;
    }
    const current = this.document.peek();
    const targets = targetsOf(current.problem);
    const orders = current.runs.map((run) => this.#order(run, this.#isSwaying || this.#followed() !== null));
    const solved = this.client.ask<"solve">({ kind: "solve", runs: orders, targets });
    const followed = this.arm.follow(current);
    const results = await solved;
    // What is stepped through changes as a whole: a result and its trace.
    if (mode === "trace") for (const result of results) result.trace = (await this.client.ask<"trace">({ kind: "trace", run: result.id })) ?? result.trace;
    for (const order of orders) {
      if (order.start instanceof Float64Array) this.#startedFrom.set(order.id, order.start);
      else this.#startedFrom.delete(order.id);
    }
    this.#accept(results);
    if (mode === "trace" && !this.#dirty) for (const { id } of results) this.#traced.set(id, this.#signature(id));
    await followed;
    if (mode === "trace") this.#tracesWanted = true;
  }

  /** Makes the worker's problem that of the document; false when it was refused. */
  async #load(document: StudioDocument): Promise<boolean> {
    const { problem, urdf } = document;
    if (this.#loaded && this.#loaded.urdf === urdf && onlyTargetsDiffer(this.#loaded.problem, problem)) return true;
    try {
      const info = await this.client.ask<"load">({ kind: "load", source: source(JSON.stringify(problem), urdf) });
      this.#loaded = { problem, urdf };
      this.#startedFrom.clear();
      this.#played.restarts = true;
      batch(() => {
        const old = this.#info.peek();
        this.#info.value = info;
        // Poses of another skeleton mean nothing any more.
        if (old && old.nValues === info.nValues && old.start.points.length === info.start.points.length) return;
        this.#results.value = [];
        this.arm.forget();
      });
      return true;
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      this.#loaded = null;
      this.#refuse(document, error);
      return false;
    }
  }

  /** The last good document comes back; the refused one leaves no trace. */
  #refuse(document: StudioDocument, error: RequestError): void {
    const where = error.line === undefined ? undefined : `line ${error.line}, column ${error.column ?? 1}`;
    const isNew = this.#refused !== document;
    this.#refused = document;
    if (this.history.document === document && this.history.undoLabel !== null) {
      this.show(this.history.drop());
      this.#leaveDrag();
      this.tell({ kind: "error", what: error.message, where, hint: "The last change was taken back." });
      this.#change();
      return;
    }
    // Nothing to go back to: a link that cannot be solved.
    if (isNew) this.open(sceneDocument(FIRST), "Open scene");
    this.tell({ kind: "error", what: error.message, where, hint: "The first scene is shown instead." });
  }

  #order(run: RunSpec, isFollowing: boolean): RunOrder {
    const last = isFollowing ? this.#results.peek().find((result) => result.id === run.id && result.fault === null) : undefined;
    const [start, info] = [last ? this.#raw(last) : run.start, this.#info.peek()];
    return orderOf(run, start && info ? insideRanges(start, info) : start, isFollowing || run.follows);
  }

  /** Joint values, or the points of a chain of points, as a solver takes them. */
  #raw(pose: PoseData): Float64Array {
    const info = this.#info.peek();
    if (!info || info.nJoints > 0) return pose.q.slice();
    return flatPoints(pose.points, info.dimension);
  }

  /** The same of what is shown of a run. */
  #rawShown(result: RunResult): Float64Array {
    return this.#raw(this.shown.peek().find(({ id }) => id === result.id) ?? result);
  }

  #accept(results: RunResult[]): void {
    this.#results.value = this.document.peek().runs.flatMap((run) => results.filter(({ id }) => id === run.id));
  }

  async #bend(drag: Drag, wanted: Vec3): Promise<void> {
    const info = this.#info.peek();
    const main = this.#results.peek()[0];
    if (!info || !main || info.nJoints === 0 || drag.handle.joint === null) return;
    drag.wanted = null;
    const from = drag.from.get(main.id) ?? main.q;
    const document = this.document.peek();
    const pole = drag.handle.kind === "pole" ? poleOf(document, main) : null;
    const position = pole ? towardPole(pole, wanted) : wanted;
    const q = await this.client.ask<"bend">({ kind: "bend", joint: drag.handle.joint, position: [...position], from: drag.handle.kind === "pole" ? main.q.slice() : from.slice() });
    if (this.document.peek() !== document || (this.#drag !== null && this.#drag !== drag)) return;
    this.#startAt(q, labelOf(drag.handle), drag.key);
  }

  /** The pose that the person makes is where every solver starts from now. */
  #startAt(q: ArrayLike<number>, label: string, key: string | null): void {
    const document = this.document.peek();
    const start = Array.from(q);
    this.commit({ ...document, runs: document.runs.map((run) => ({ ...run, start, follows: true })) }, label, key);
  }

  async #playFrame(): Promise<void> {
    const document = this.document.peek();
    const { runs, perFrame, problem } = document;
    const targets = targetsOf(problem);
    const { restarts } = this.#played;
    const restart = restarts || this.#played.isStale(document);
    if (restart) this.#played.follows = !restarts;
    const orders = runs.map((run) => this.#order(run, this.#played.follows));
    if (restart) for (const { id, start } of orders) this.#played.begin(id, start instanceof Float64Array ? start : this.#info.peek()?.start.q ?? new Float64Array());
    this.#played.goOn(document);
    this.#accept(await this.client.ask<"advance">({ kind: "advance", runs: orders, targets, iterations: perFrame ?? 1, restart }));
  }

  async #crowdFrame(): Promise<void> {
    const { options } = this.document.peek();
    const number = (name: string) => Number(options[name] ?? 0);
    this.#crowd.value = await this.client.ask<"crowd">({ kind: "crowd", order: { count: number("count"), height: number("height"), speed: number("speed"), time: this.#crowdTime } });
  }

  // -------------------------------------------------------------------------------------------------------------- traces and times

  #wantTraces(): void {
    this.#tracesWanted = true;
    void this.#pump();
  }

  /** Asks for traces and times when nothing has changed for a moment. */
  #whenQuiet(): void {
    if (this.#quiet) clearTimeout(this.#quiet);
    this.#quiet = null;
    if (this.isOver || (this.#playback.peek().running && this.#playback.peek().mode !== "trace")) return;
    const lacks = this.#results.peek().some((result) => result.fault === null && !(this.#isTraced(result) && this.#isMeasured(result)));
    if (!lacks) return;
    this.#quiet = setTimeout(() => { void this.#rest(); }, QUIET);
  }

  /** What the traces and the times at hand belong to, by run. */
  readonly #traced = new Map<string, string>();
  readonly #measured = new Map<string, string>();

  #isTraced({ id }: RunResult): boolean {
    return this.#traced.get(id) === this.#signature(id);
  }

  #isMeasured({ id }: RunResult): boolean {
    return this.#measured.get(id) === this.#signature(id);
  }

  /** What a run's time belongs to. */
  #signature(id: string): string {
    const { runs, problem } = this.document.peek();
    const run = runs.find((one) => one.id === id);
    return `${this.#round}:${run?.method ?? ""}:${problem.schema}`;
  }

  async #rest(): Promise<void> {
    if (this.#pumping || this.#dirty || this.#drag !== null) return;
    this.#tracesWanted = true;
    await this.#pump();
    await this.#measure();
  }

  async #trace(): Promise<void> {
    const round = this.#round;
    for (const run of this.document.peek().runs) {
      const result = this.#results.peek().find(({ id }) => id === run.id);
      if (!result || result.fault !== null || this.#isTraced(result)) continue;
      const trace = await this.client.ask<"trace">({ kind: "trace", run: run.id });
      if (trace === null || round !== this.#round || this.#drag !== null) return;
      this.#traced.set(run.id, this.#signature(run.id));
      this.#patch(run.id, { trace });
    }
    const main = this.#results.peek()[0]?.trace ?? null;
    if (hasPoses(main)) this.#applyMoves(main);
  }

  async #measure(): Promise<void> {
    const round = this.#round;
    for (const run of this.document.peek().runs) {
      const result = this.#results.peek().find(({ id }) => id === run.id);
      if (!result || result.fault !== null || round !== this.#round || this.#pumping || this.#drag !== null || this.isOver) continue;
      if (this.#isMeasured(result)) continue;
      try {
        const micros = await this.client.ask<"measure">({ kind: "measure", run: run.id });
        if (micros === null || round !== this.#round) return;
        this.#measured.set(run.id, this.#signature(run.id));
        this.#patch(run.id, { micros });
      } catch (error) {
        this.#trouble(error);
        return;
      }
    }
  }

  #patch(id: string, change: Partial<RunResult>): void {
    this.#results.value = this.#results.peek().map((result) => (result.id === id ? { ...result, ...change } : result));
  }

  // -------------------------------------------------------------------------------------------------------------- trouble

  #trouble(error: unknown): void {
    if (this.isOver || error instanceof WorkerLost) return;
    this.tell({ kind: "error", what: messageOf(error) });
  }

  protected restarted(why: string): void {
    this.#loaded = null;
    this.tell({ kind: "warning", what: `The solver was started again: ${why}`, hint: "Nothing is lost. If it happens again, undo the last change." });
    // The request that died is not repeated at once, lest it kill the next worker too: the document is.
    queueMicrotask(() => { this.#change(); });
  }

  override dispose(): void {
    if (this.#quiet) clearTimeout(this.#quiet);
    super.dispose();
  }

  // -------------------------------------------------------------------------------------------------------------- out

  async preview(scene: SceneId): Promise<ScenePreview | null> {
    await this.#settled();
    return await previewOf(this.client, scene);
  }

  async sketch(order: SketchOrder): Promise<Sketch> {
    await this.#settled();
    return await this.client.ask<"sketch">({ kind: "sketch", order });
  }

  link(): string {
    return encodeLink(this.current());
  }

  async digest(): Promise<{ computed: string; committed: string }> { return await this.client.ask<"digest">({ kind: "digest" }); }
}
