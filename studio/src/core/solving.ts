//! The solves of a document: one request to the worker after the other. While one is under way only the newest document counts, so a drag never queues
//! up. Traces and times follow when nothing has changed for a moment.

import { batch, signal, type ReadonlySignal } from "@preact/signals";
import { RequestError, type Client } from "../worker/client.ts";
import type { RunOrder } from "../worker/protocol.ts";
import { flatPoints, insideRanges, onlyTargetsDiffer, targetsOf } from "./edit.ts";
import type { ProblemFile } from "./files.ts";
import { orderOf, source } from "./orders.ts";
import { hasPoses } from "./shown.ts";
import type { Playback, PoseData, ProblemInfo, RunResult, RunSpec, StudioDocument, TraceData } from "./types.ts";

/** How long nothing must have changed before traces and times are asked for [ms]. */
const QUIET = 140;

/** What solving needs of the session that it belongs to. */
export interface SolvingHost {
  readonly client: Client;
  readonly document: ReadonlySignal<StudioDocument>;
  isOver(): boolean;
  playback(): Playback;
  /** A drag is under way: traces and times wait. */
  isDragging(): boolean;
  /** The solvers go on from where they are. */
  isFollowing(): boolean;
  /** What comes before the solvers of a loaded problem; false where it takes their place. */
  prepare(): Promise<boolean>;
  /** What else is asked for with a document. */
  follow(document: StudioDocument): Promise<void>;
  /** A problem has been loaded.
   *
   * - `isOther`: poses of the one before mean nothing any more */
  loaded(isOther: boolean): void;
  refused(document: StudioDocument, error: RequestError): void;
  /** The main run has its trace. */
  traced(main: TraceData): void;
  trouble(error: unknown): void;
}

export class Solving {
  readonly #info = signal<ProblemInfo | null>(null);
  readonly #results = signal<RunResult[]>([]);
  /** What the worker has loaded. */
  #loaded: { problem: ProblemFile; urdf: string | undefined } | null = null;
  #dirty = false;
  #pumping = false;
  /** Counts what was asked for, so that late answers are known. */
  #round = 0;
  #quiet: ReturnType<typeof setTimeout> | null = null;
  #tracesWanted = false;
  #idle: (() => void)[] = [];
  /** Where each live run started last. */
  readonly #startedFrom = new Map<string, Float64Array>();
  /** What the traces and the times at hand belong to, by run. */
  readonly #traced = new Map<string, string>();
  readonly #measured = new Map<string, string>();

  constructor(private readonly host: SolvingHost) {}

  get info(): ReadonlySignal<ProblemInfo | null> { return this.#info; }
  get results(): ReadonlySignal<RunResult[]> { return this.#results; }

  /** Nothing is under way, and nothing waits. */
  get isIdle(): boolean {
    return !this.#pumping && !this.#dirty;
  }

  /** Something has changed that has to be solved. */
  change(): void {
    this.#dirty = true;
    this.#round += 1;
    this.stopWaiting();
    void this.#pump();
  }

  /** When all that was asked for has been solved. */
  settled(): Promise<void> {
    if (this.isIdle) return Promise.resolve();
    return new Promise((resolve) => { this.#idle.push(resolve); });
  }

  /** The worker has another problem loaded, or none. */
  forget(): void {
    this.#loaded = null;
  }

  /** Puts the results in the order of the runs; new ones come when they are solved. */
  arrange(runs: readonly RunSpec[]): void {
    this.accept(this.#results.peek(), runs);
  }

  accept(results: readonly RunResult[], runs: readonly RunSpec[] = this.host.document.peek().runs): void {
    this.#results.value = runs.flatMap((run) => results.filter(({ id }) => id === run.id));
  }

  /** Where a live run started last, other than at the problem's own start. */
  startOf(run: string): Float64Array | undefined {
    return this.#startedFrom.get(run);
  }

  /** - `isFollowing`: from the last pose of the run, if there is one */
  order(run: RunSpec, isFollowing: boolean): RunOrder {
    const last = isFollowing ? this.#results.peek().find(({ id, fault }) => id === run.id && fault === null) : undefined;
    const [start, info] = [last ? this.raw(last) : run.start, this.#info.peek()];
    return orderOf(run, start && info ? insideRanges(start, info) : start, isFollowing || run.follows);
  }

  /** Joint values, or the points of a chain of points, as a solver takes them. */
  raw(pose: PoseData): Float64Array {
    const info = this.#info.peek();
    if (!info || info.nJoints > 0) return pose.q.slice();
    return flatPoints(pose.points, info.dimension);
  }

  async #pump(): Promise<void> {
    if (this.#pumping || this.host.isOver()) return;
    this.#pumping = true;
    try {
      while (this.#dirty || this.#tracesWanted) {
        if (this.host.isOver()) return;
        if (this.#dirty) {
          this.#dirty = false;
          await this.#solve();
        } else {
          this.#tracesWanted = false;
          await this.#trace();
        }
      }
    } catch (error) {
      this.host.trouble(error);
    } finally {
      this.#pumping = false;
    }
    if (this.#dirty || this.#tracesWanted) {
      void this.#pump();
      return;
    }
    for (const then of this.#idle.splice(0)) then();
    if (!this.host.isDragging()) this.whenQuiet();
  }

  async #solve(): Promise<void> {
    const { host } = this;
    if (!(await this.#load(host.document.peek()))) return;
    if (!(await host.prepare())) return;
    const { mode } = host.playback();
    const document = host.document.peek();
    const isFollowing = host.isFollowing();
    const orders = document.runs.map((run) => this.order(run, isFollowing));
    const solved = host.client.ask<"solve">({ kind: "solve", runs: orders, targets: targetsOf(document.problem) });
    const followed = host.follow(document);
    const results = await solved;
    // What is stepped through changes as a whole: a result and its trace.
    if (mode === "trace") for (const result of results) result.trace = (await host.client.ask<"trace">({ kind: "trace", run: result.id })) ?? result.trace;
    for (const { id, start } of orders) {
      if (start instanceof Float64Array) this.#startedFrom.set(id, start);
      else this.#startedFrom.delete(id);
    }
    this.accept(results);
    if (mode === "trace" && !this.#dirty) for (const { id } of results) this.#traced.set(id, this.#signature(id));
    await followed;
    if (mode === "trace") this.#tracesWanted = true;
  }

  /** Makes the worker's problem that of the document; false when it was refused. */
  async #load(document: StudioDocument): Promise<boolean> {
    const { problem, urdf } = document;
    if (this.#loaded && this.#loaded.urdf === urdf && onlyTargetsDiffer(this.#loaded.problem, problem)) return true;
    try {
      const info = await this.host.client.ask<"load">({ kind: "load", source: source(JSON.stringify(problem), urdf) });
      this.#loaded = { problem, urdf };
      this.#startedFrom.clear();
      batch(() => {
        const old = this.#info.peek();
        this.#info.value = info;
        const isOther = !old || old.nValues !== info.nValues || old.start.points.length !== info.start.points.length;
        if (isOther) this.#results.value = [];
        this.host.loaded(isOther);
      });
      return true;
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      this.#loaded = null;
      this.host.refused(document, error);
      return false;
    }
  }

  // -------------------------------------------------------------------------------------------------------------- traces and times

  wantTraces(): void {
    this.#tracesWanted = true;
    void this.#pump();
  }

  /** Asks for traces and times when nothing has changed for a moment. */
  whenQuiet(): void {
    this.stopWaiting();
    const { mode, running } = this.host.playback();
    if (this.host.isOver() || (running && mode !== "trace")) return;
    const lacks = this.#results.peek().some((result) => result.fault === null && !(this.isTraced(result) && this.#isMeasured(result)));
    if (!lacks) return;
    this.#quiet = setTimeout(() => { void this.#rest(); }, QUIET);
  }

  stopWaiting(): void {
    if (this.#quiet) clearTimeout(this.#quiet);
    this.#quiet = null;
  }

  /** The trace of a result is of what was asked for last. */
  isTraced({ id }: RunResult): boolean {
    return this.#traced.get(id) === this.#signature(id);
  }

  #isMeasured({ id }: RunResult): boolean {
    return this.#measured.get(id) === this.#signature(id);
  }

  /** What a run's trace and time belong to. */
  #signature(id: string): string {
    const { runs, problem } = this.host.document.peek();
    const run = runs.find((one) => one.id === id);
    return `${this.#round}:${run?.method ?? ""}:${problem.schema}`;
  }

  async #rest(): Promise<void> {
    if (!this.isIdle || this.host.isDragging()) return;
    this.#tracesWanted = true;
    await this.#pump();
    await this.#measure();
  }

  async #trace(): Promise<void> {
    const round = this.#round;
    for (const result of this.#inOrder()) {
      if (this.isTraced(result)) continue;
      const trace = await this.host.client.ask<"trace">({ kind: "trace", run: result.id });
      if (trace === null || round !== this.#round || this.host.isDragging()) return;
      this.#traced.set(result.id, this.#signature(result.id));
      this.#patch(result.id, { trace });
    }
    const main = this.#results.peek()[0]?.trace ?? null;
    if (hasPoses(main)) this.host.traced(main);
  }

  async #measure(): Promise<void> {
    const round = this.#round;
    for (const result of this.#inOrder()) {
      if (round !== this.#round || !this.isIdle || this.host.isDragging() || this.host.isOver()) return;
      if (this.#isMeasured(result)) continue;
      try {
        const micros = await this.host.client.ask<"measure">({ kind: "measure", run: result.id });
        if (micros === null || round !== this.#round) return;
        this.#measured.set(result.id, this.#signature(result.id));
        this.#patch(result.id, { micros });
      } catch (error) {
        this.host.trouble(error);
        return;
      }
    }
  }

  /** The results without a fault, as they stand now. */
  #inOrder(): RunResult[] {
    return this.#results.peek().filter(({ fault }) => fault === null);
  }

  #patch(id: string, change: Partial<RunResult>): void {
    this.#results.value = this.#results.peek().map((result) => (result.id === id ? { ...result, ...change } : result));
  }
}
