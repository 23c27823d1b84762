//! The store: one document and its history, what the worker says about it, and what is shown of that.
//!
//! [`Solving`] asks the worker, [`Player`] has which moment of the answers is on show, [`Dragging`] moves handles. Here are the documents and their solvers.

import { batch, computed, signal, type ReadonlySignal } from "@preact/signals";
import { WorkerLost, type RequestError } from "../worker/client.ts";
import { ArmDesk } from "./arm.ts";
import { besideMain, MOST_RUNS, startingAt, whyNoOther, withoutStarts } from "./document.ts";
import { Dragging } from "./dragging.ts";
import { fits, flatPoints, withStart } from "./edit.ts";
import { isFigure, type FigureProblem, type ProblemFile } from "./files.ts";
import { handlesOf, touchedBy } from "./handles.ts";
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
import { messageOf, source } from "./orders.ts";
import { Player } from "./player.ts";
import { shownRuns } from "./shown.ts";
import { Solving } from "./solving.ts";
import { Store } from "./store.ts";
import { announce, methodWord } from "./words.ts";
import type {
  Companion, CrowdFrame, Cursor, Handle, HandleMove, MethodName, News, OptionValue, Playback, PoseData, ProblemInfo, RunResult, RunSpec,
  SceneId, ScenePreview, Session, Sketch, SketchOrder, StudioDocument, ViewState,
} from "./types.ts";

export function createSession(surroundings: Partial<Surroundings> = {}): Session {
  return new StudioSession({ ...browser(), ...surroundings });
}

class StudioSession extends Store<StudioDocument, Companion> implements Session {
  readonly #opened = signal(0);
  readonly #solving: Solving;
  readonly #player: Player;
  readonly #dragging: Dragging;

  readonly selection = signal<string | null>(null);
  readonly hovered = signal<string | null>(null);
  readonly hoveredIteration = signal<number | null>(null);

  readonly arm: ArmDesk;
  readonly exports: ExportDesk;
  readonly robot: RobotDesk;
  readonly shown = computed(() => this.arm.shown.value ?? shownRuns(this.document.value.runs, this.results.value, { entry: this.#player.entry.value, iteration: this.hoveredIteration.value }));
  readonly handles = computed<Handle[]>(() => {
    const info = this.info.value;
    // What moves in a crowd is moved by its wave.
    if (!info || this.document.value.scene === "crowd" || !fits(this.document.value.problem, info)) return [];
    const shown = this.shown.value[0];
    const pose: PoseData = shown && shown.points.length === info.start.points.length ? shown : info.start;
    return handlesOf(this.document.value, info, pose, touchedBy([this.selection.value, this.hovered.value]));
  });
  readonly noOther = computed(() => whyNoOther(this.document.value, this.info.value, this.results.value));
  readonly announcement = computed(() => this.arm.said.value ?? announce(this.results.value[0] ?? null, this.info.value, this.cursor.value));

  readonly #known = new FileShelf();
  /** The document whose loading failed last, so that it is not tried for ever. */
  #refused: StudioDocument | null = null;

  constructor(around: Surroundings) {
    const faults: News[] = [];
    const { at, half, ...first } = around.restored?.document ?? firstDocument(around.hash, (error) => { faults.push(error); });
    super(new History<StudioDocument, Companion>(first, undefined, around.restored?.companion), around);
    faults.forEach((fault) => { this.tell(fault); });
    const own = {
      around, client: this.client, document: this.document,
      isOver: () => this.isOver,
      amend: (document: StudioDocument) => { this.amend(document); },
      trouble: (error: unknown) => { this.#trouble(error); },
    };
    this.#solving = new Solving({
      ...own,
      playback: () => this.playback.peek(),
      isDragging: () => this.dragging.peek(),
      isFollowing: () => this.#dragging.isFollowing,
      prepare: async () => {
        await this.#dragging.bend();
        return await this.#player.playFrame();
      },
      follow: (document) => this.arm.follow(document),
      loaded: (isOther) => {
        this.#player.restart();
        if (isOther) this.arm.forget();
      },
      refused: (document, error) => { this.#refuse(document, error); },
      traced: (main) => { this.#player.traced(main); },
    });
    const solving = this.#solving;
    const { info, results } = solving;
    this.#player = new Player({ ...own, solving, isHeld: () => this.#dragging.isHeld, leaveArm: () => { this.arm.leave(); } });
    this.#dragging = new Dragging({
      ...own, solving, player: this.#player, history: this.history, handles: this.handles, selection: this.selection,
      commit: (document, label, key) => { this.commit(document, label, key); },
      startAt: (q, label, key) => { this.#startAt(q, label, key); },
      shownPoses: () => this.#shownPoses(),
      begun: () => { this.arm.leave(); },
      ended: () => { void this.arm.follow(this.document.peek()); },
    });
    this.arm = new ArmDesk({
      ...own, info, results, dragging: this.dragging,
      change: (document, label, key) => { this.commit(document, label, key); solving.change(); },
      startAt: (q, label, key) => { this.#player.goTo("live"); this.#startAt(q, label, key); solving.change(); },
      goLive: () => { this.selection.value = null; this.goLive(); },
      tell: (what, hint) => { this.tell({ kind: "info", what, hint }); },
    });
    this.robot = new RobotDesk({
      ...own, info,
      change: (next, label, key) => { this.#player.goTo("live"); this.commit(next, label, key); solving.change(); },
    });
    this.exports = new ExportDesk({
      ...own, info, results, shown: this.shown, cursor: this.cursor, companion: this.robot.companion,
      asPlayed: () => this.#player.asPlayed(), place: () => this.#player.place(), settled: () => solving.settled(),
    });
    this.robot.follow(first, this.history.aside);
    this.#player.settle();
    solving.change();
    this.#player.seekPlace(at, half);
  }

  get opened(): ReadonlySignal<number> { return this.#opened; }
  get info(): ReadonlySignal<ProblemInfo | null> { return this.#solving.info; }
  get results(): ReadonlySignal<RunResult[]> { return this.#solving.results; }
  get crowd(): ReadonlySignal<CrowdFrame | null> { return this.#player.crowd; }
  get playback(): ReadonlySignal<Playback> { return this.#player.playback; }
  get cursor(): ReadonlySignal<Cursor | null> { return this.#player.cursor; }
  get dragging(): ReadonlySignal<boolean> { return this.#dragging.isOn; }

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
    return { ...this.#player.asPlayed(), ...this.#player.place() };
  }

  /** Another problem altogether: nothing of the old one stays on show. */
  #take({ at, half, ...document }: StudioDocument, label: string, companion: Companion | null): void {
    this.#dragging.leave();
    batch(() => {
      // What was said about another problem is of no use here.
      this.reported.keep(({ kind }) => kind === "warning");
      this.selection.value = null;
      this.hovered.value = null;
      this.#player.goTo("live");
      this.commit(document, label, null, companion);
      this.#opened.value += 1;
      this.#player.settle();
    });
    this.#solving.change();
    this.#player.seekPlace(at, half);
  }

  setOption(name: string, value: OptionValue): void {
    this.#player.goTo(this.#player.isCrowd ? this.playback.peek().mode : "live");
    this.commit(withOption(this.document.peek(), name, value), "Change the scene", `option:${name}`);
    this.#solving.change();
  }

  async loadFile(name: string, bytes: Uint8Array, files: ReadonlyMap<string, Uint8Array> = new Map()): Promise<boolean> {
    try {
      const loaded = await loadDocument(name, bytes, { known: this.#known, files }, {
        describe: (text, srdf) => this.robot.describe(text, srdf),
        inspect: (source) => this.client.ask<"inspect">({ kind: "inspect", source }),
        load: async (text, urdf) => {
          await this.#solving.settled();
          this.#solving.forget();
          return await this.client.ask<"load">({ kind: "load", source: source(text, urdf) });
        },
      });
      if (loaded.isSource) this.remember(name, bytes);
      this.#take(loaded.document, `Open ${name}`, loaded.companion);
      const remark = remarkOn(name, loaded);
      if (remark) this.tell(remark);
      return true;
    } catch (error) {
      this.#solving.forget();
      this.tell(refusalOf(name, error));
      this.#solving.change();
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
    this.#player.goTo("live");
    const document = this.document.peek();
    if (document.scene === "file") {
      this.commit({ ...document, runs: withoutStarts(document.runs) }, "Back to the start");
    } else {
      const fresh = sceneDocument(document.scene);
      this.commit({ ...fresh, runs: withoutStarts(document.runs), view: document.view }, "Back to the scene");
    }
    this.#player.settle();
    this.#solving.change();
  }

  undo(): void {
    this.#player.keepPlayed();
    this.#step(this.history.undo());
  }

  redo(): void {
    this.#player.keepPlayed();
    this.#step(this.history.redo());
  }

  #step(to: StudioDocument): void {
    const { scene, title, view } = this.document.peek();
    // Where one stands to look is no step of work: within a scene it stays.
    const isSame = to.scene === scene && (scene !== "file" || to.title === title);
    const document = isSame && view.camera ? { ...to, view: { ...to.view, camera: view.camera } } : to;
    this.history.amend(document);
    this.#dragging.leave();
    this.#player.forget();
    batch(() => {
      this.#player.goTo("live");
      this.show(document);
      this.#player.settle();
    });
    this.#solving.change();
  }

  setTitle(title: string): void {
    this.commit({ ...this.document.peek(), title }, "Rename", "title");
  }

  editProblem(label: string, change: (problem: ProblemFile) => ProblemFile): void {
    this.#player.goTo("live");
    const document = this.document.peek();
    this.commit({ ...document, problem: change(document.problem), runs: withoutStarts(document.runs) }, label, `edit:${label}`);
    this.#solving.change();
  }

  editGoals(label: string, change: (problem: FigureProblem) => FigureProblem): void {
    const shown = this.#shownPoses();
    this.#player.goTo("live");
    const document = this.document.peek();
    const problem = isFigure(document.problem) ? change(document.problem) : document.problem;
    if (problem === document.problem) return;
    this.commit({ ...document, problem, runs: document.warm ? startingAt(document.runs, shown) : withoutStarts(document.runs) }, label);
    this.#solving.change();
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
    this.#dragging.endSway();
    super.commit(document, label, key, companion);
  }

  protected override show(document: StudioDocument): void {
    batch(() => {
      super.show(document);
      this.robot.follow(document, this.history.aside);
    });
  }

  // -------------------------------------------------------------------------------------------------------------- handles

  beginDrag(id: string): void { this.#dragging.begin(id); }
  drag(id: string, move: HandleMove): void { this.#dragging.move(id, move); }
  endDrag(): void { this.#dragging.end(); }
  sway(id: string, move: HandleMove): void { this.#dragging.sway(id, move); }

  moveHandle(id: string, move: HandleMove): void {
    this.beginDrag(id);
    this.drag(id, move);
    this.endDrag();
  }

  /** What is shown of each run without a fault, as its solver takes it. */
  #shownPoses(): ReadonlyMap<string, Float64Array> {
    const shown = this.shown.peek();
    const results = this.results.peek().filter(({ fault }) => fault === null);
    return new Map(results.map((result) => [result.id, this.#solving.raw(shown.find(({ id }) => id === result.id) ?? result)]));
  }

  // -------------------------------------------------------------------------------------------------------------- runs

  addRun(method?: MethodName): void {
    const document = this.document.peek();
    const { runs } = document;
    const why = method !== undefined && runs.length < MOST_RUNS ? null : this.noOther.peek();
    const used = usedMethods(runs, this.results.peek());
    const wanted = method ?? (used && unusedMethod(this.info.peek()?.methods ?? [], used));
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
      this.#solving.arrange(runs);
    });
    this.#solving.change();
  }

  setWarm(warm: boolean): void {
    const document = this.document.peek();
    this.commit({ ...document, warm, runs: warm ? document.runs : withoutStarts(document.runs) }, warm ? "Start from the last pose" : "Start from the beginning");
    this.#solving.change();
  }

  setPerFrame(iterations: number | null): void {
    const perFrame = iterations === null ? null : Math.max(1, Math.round(iterations));
    this.commit({ ...this.document.peek(), perFrame }, "Iterations per frame", "per-frame");
    if (this.playback.peek().mode === "play" && perFrame === null) this.goLive();
  }

  // -------------------------------------------------------------------------------------------------------------- time

  play(): void { this.#player.play(); }
  pause(): void { this.#player.pause(); }
  step(direction: 1 | -1): void { this.#player.step(direction); }
  stepHalf(direction: 1 | -1): void { this.#player.stepHalf(direction); }
  scrub(entry: number): void { this.#player.scrub(entry); }

  goLive(): void {
    this.#player.goTo("live");
    this.#player.settle();
    this.#solving.change();
  }

  keepPose(): void {
    const info = this.info.peek();
    const shown = this.shown.peek()[0];
    if (!info || !shown || this.#player.isCrowd) return;
    const start = info.nJoints > 0 ? shown.q : flatPoints(shown.points, info.dimension);
    this.#player.goTo("live");
    const document = this.document.peek();
    this.commit({ ...document, problem: withStart(document.problem, info, start), runs: withoutStarts(document.runs) }, "Start from this pose");
    this.#solving.change();
  }

  /** The pose that the person makes is where every solver starts from now. */
  #startAt(q: ArrayLike<number>, label: string, key: string | null): void {
    const document = this.document.peek();
    const start = Array.from(q);
    this.commit({ ...document, runs: document.runs.map((run) => ({ ...run, start, follows: true })) }, label, key);
  }

  // -------------------------------------------------------------------------------------------------------------- trouble

  /** The last good document comes back; the refused one leaves no trace. */
  #refuse(document: StudioDocument, error: RequestError): void {
    const where = error.line === undefined ? undefined : `line ${error.line}, column ${error.column ?? 1}`;
    const isNew = this.#refused !== document;
    this.#refused = document;
    if (this.history.document === document && this.history.undoLabel !== null) {
      this.show(this.history.drop());
      this.#dragging.leave();
      this.tell({ kind: "error", what: error.message, where, hint: "The last change was taken back." });
      this.#solving.change();
      return;
    }
    // Nothing to go back to: a link that cannot be solved.
    if (isNew) this.open(sceneDocument(FIRST), "Open scene");
    this.tell({ kind: "error", what: error.message, where, hint: "The first scene is shown instead." });
  }

  #trouble(error: unknown): void {
    if (this.isOver || error instanceof WorkerLost) return;
    this.tell({ kind: "error", what: messageOf(error) });
  }

  protected restarted(why: string): void {
    this.#solving.forget();
    this.tell({ kind: "warning", what: `The solver was started again: ${why}`, hint: "Nothing is lost. If it happens again, undo the last change." });
    // The request that died is not repeated at once, lest it kill the next worker too: the document is.
    queueMicrotask(() => { this.#solving.change(); });
  }

  override dispose(): void {
    this.#solving.stopWaiting();
    super.dispose();
  }

  // -------------------------------------------------------------------------------------------------------------- out

  async preview(scene: SceneId): Promise<ScenePreview | null> {
    await this.#solving.settled();
    return await previewOf(this.client, scene);
  }

  async sketch(order: SketchOrder): Promise<Sketch> {
    await this.#solving.settled();
    return await this.client.ask<"sketch">({ kind: "sketch", order });
  }

  link(): string {
    return encodeLink(this.current());
  }

  async digest(): Promise<{ computed: string; committed: string }> { return await this.client.ask<"digest">({ kind: "digest" }); }
}
