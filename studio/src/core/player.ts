//! Which moment of the solves is on show: their ends as they come, an entry of their traces, iterations that are played a few a frame, or a crowd.

import { batch, computed, signal, type ReadonlySignal } from "@preact/signals";
import type { Client } from "../worker/client.ts";
import { targetsOf } from "./edit.ts";
import { Played } from "./played.ts";
import { cursorOf, entryOf, entryOfIteration, hasPoses, placeOf, stepFrom, type Place } from "./shown.ts";
import type { Solving } from "./solving.ts";
import type { Surroundings } from "./surroundings.ts";
import type { CrowdFrame, Cursor, Playback, StudioDocument, TraceData } from "./types.ts";

/** A trace is played in about so many entries a second, and in no more than so many seconds. */
const [ENTRIES_A_SECOND, LONGEST_PLAY] = [10, 9] as const;

/** Where the cursor goes from where it is; null: nowhere yet. */
type Move = (trace: TraceData, here: number | null) => number;

/** What the player needs of the session that it belongs to. */
export interface PlayerHost {
  readonly client: Client;
  readonly document: ReadonlySignal<StudioDocument>;
  readonly solving: Solving;
  readonly around: Surroundings;
  isOver(): boolean;
  /** A drag is under way, or let go of and not solved yet. */
  isHeld(): boolean;
  /** Changes the document without a step of undo. */
  amend(document: StudioDocument): void;
  /** Another moment goes on show than one of an arm's path. */
  leaveArm(): void;
}

export class Player {
  readonly #crowd = signal<CrowdFrame | null>(null);
  readonly #playback = signal<Playback>({ mode: "live", running: false });
  readonly #entry = signal<number | null>(null);
  readonly cursor = computed<Cursor | null>(() => {
    const entry = this.#entry.value;
    const trace = this.host.solving.results.value[0]?.trace ?? null;
    return entry === null || !hasPoses(trace) ? null : cursorOf(trace, Math.min(entry, trace.n - 1));
  });
  /** Moves of the cursor that wait for the trace. */
  #pending: { moves: Move[]; run: boolean } | null = null;
  readonly #played = new Played();
  /** What plays has begun with a drag. */
  #playsDrag = false;
  #framing = false;
  #frameAt = 0;
  #crowdTime = 0;
  #credit = 0;

  constructor(private readonly host: PlayerHost) {}

  get crowd(): ReadonlySignal<CrowdFrame | null> { return this.#crowd; }
  get playback(): ReadonlySignal<Playback> { return this.#playback; }
  get entry(): ReadonlySignal<number | null> { return this.#entry; }

  get isCrowd(): boolean {
    return this.host.document.peek().scene === "crowd";
  }

  // -------------------------------------------------------------------------------------------------------------- modes

  play(): void {
    this.#playsDrag = false;
    if (this.isCrowd) {
      this.#playback.value = { mode: "play", running: true };
    } else if (this.host.document.peek().perFrame !== null) {
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

  /** Plays on with a drag from where the figure is, where so many iterations a frame are asked for. */
  playWithDrag(): void {
    const { perFrame, warm } = this.host.document.peek();
    if (perFrame === null || !warm || this.#playback.peek().mode !== "live") return;
    this.#playsDrag = true;
    this.#played.beginHere();
    this.#playback.value = { mode: "play", running: true };
    this.#frame();
  }

  pause(): void {
    const playback = this.#playback.peek();
    this.#playback.value = { ...playback, running: false };
    if (playback.mode !== "play" || this.isCrowd) return;
    const { solving } = this.host;
    void solving.settled().then(() => { this.keepPlayed(); });
    solving.whenQuiet();
  }

  goTo(mode: Playback["mode"]): void {
    this.keepPlayed();
    this.host.leaveArm();
    this.#pending = null;
    this.#played.isOn = false;
    batch(() => {
      this.#entry.value = null;
      this.#playback.value = { mode, running: this.isCrowd && this.#playback.peek().running };
    });
  }

  /** A crowd moves by itself; everything else waits. */
  settle(): void {
    if (this.isCrowd) {
      this.#playback.value = { mode: "play", running: !this.host.around.isStill };
    } else {
      if (this.#crowd.peek() !== null) this.#crowd.value = null;
      const { mode, running } = this.#playback.peek();
      if (mode === "play" || (mode === "live" && running)) this.#playback.value = { mode: "live", running: false };
    }
    this.#frame();
  }

  // -------------------------------------------------------------------------------------------------------------- played iterations

  /** The next iterations begin anew: the problem is another. */
  restart(): void {
    this.#played.restarts = true;
  }

  /** What was played is of another document. */
  forget(): void {
    this.#played.isOn = false;
  }

  /** The document with what is on show as what its solves come to. */
  asPlayed(): StudioDocument {
    const { document, solving } = this.host;
    const here = (wanted: string) => {
      const result = solving.results.peek().find(({ id, fault }) => id === wanted && fault === null);
      return result && solving.raw(result);
    };
    return this.#played.asPlayed(document.peek(), here, solving.info.peek()?.start.q);
  }

  /** Writes it down, so that undo, redo and the live end come back to it. It is no step of its own: nobody has changed anything. */
  keepPlayed(): void {
    const document = this.asPlayed();
    if (document === this.host.document.peek()) return;
    this.host.amend(document);
  }

  /** What plays in place of solves, or before them; false where nothing is left to solve. */
  async playFrame(): Promise<boolean> {
    if (this.isCrowd) {
      await this.#crowdFrame();
      return true;
    }
    const { mode, running } = this.#playback.peek();
    if (mode !== "play") return true;
    if (running) await this.#iterate();
    return false;
  }

  async #iterate(): Promise<void> {
    const { client, solving } = this.host;
    const document = this.host.document.peek();
    const { runs, perFrame, problem } = document;
    const targets = targetsOf(problem);
    const { restarts } = this.#played;
    const restart = restarts || this.#played.isStale(document);
    if (restart) this.#played.follows = !restarts;
    const orders = runs.map((run) => solving.order(run, this.#played.follows));
    if (restart) for (const { id, start } of orders) this.#played.begin(id, start instanceof Float64Array ? start : solving.info.peek()?.start.q ?? new Float64Array());
    this.#played.goOn(document);
    solving.accept(await client.ask<"advance">({ kind: "advance", runs: orders, targets, iterations: perFrame ?? 1, restart }));
  }

  async #crowdFrame(): Promise<void> {
    const { options } = this.host.document.peek();
    const number = (name: string) => Number(options[name] ?? 0);
    this.#crowd.value = await this.host.client.ask<"crowd">({ kind: "crowd", order: { count: number("count"), height: number("height"), speed: number("speed"), time: this.#crowdTime } });
  }

  // -------------------------------------------------------------------------------------------------------------- the cursor

  /** The place on show, counted from the start of the trace; empty at its end. */
  place(): Place {
    const [cursor, main] = [this.cursor.peek(), this.host.solving.results.peek()[0]];
    if (cursor) return cursor.entry < cursor.entries - 1 && main?.trace ? placeOf(main.trace, cursor.entry) : {};
    if (!main || !this.#played.isOn || this.#playback.peek().mode !== "play") return {};
    if (this.#played.isStale(this.host.document.peek())) return { at: 0 };
    return main.done ? {} : { at: main.iterations };
  }

  seekPlace(at: number | undefined, half: number | undefined): void {
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
    const played = this.#playback.peek().mode === "play" ? this.host.solving.results.peek()[0]?.iterations ?? 0 : null;
    if (played !== null) return (trace) => entryOfIteration(trace, played);
    return (trace) => (direction === 1 ? 0 : trace.n - 1);
  }

  /** Moves the cursor, as soon as the traces are there. */
  #seek(move: Move, run = false): void {
    if (this.isCrowd) return;
    const { solving } = this.host;
    this.host.leaveArm();
    this.#pending = { moves: [...(this.#pending?.moves ?? []), move], run };
    if (this.#playback.peek().mode !== "trace") this.#playback.value = { mode: "trace", running: false };
    const main = solving.results.peek()[0];
    if (main && hasPoses(main.trace) && solving.isIdle && solving.isTraced(main)) this.traced(main.trace);
    else solving.wantTraces();
  }

  /** The trace is there that moves wait for. */
  traced(trace: TraceData): void {
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

  // -------------------------------------------------------------------------------------------------------------- frames

  /** Goes on from picture to picture as long as something plays. */
  #frame(): void {
    const { around } = this.host;
    const isOver = () => this.host.isOver() || !this.#playback.peek().running;
    if (this.#framing || isOver()) return;
    this.#framing = true;
    this.#frameAt = around.now();
    const next = () => {
      if (isOver()) {
        this.#framing = false;
        return;
      }
      const now = around.now();
      const seconds = Math.min(0.1, (now - this.#frameAt) / 1000);
      this.#frameAt = now;
      this.#advance(seconds);
      around.nextFrame(next);
    };
    around.nextFrame(next);
  }

  #advance(seconds: number): void {
    if (this.#playback.peek().mode === "trace") {
      this.#playTrace(seconds);
      return;
    }
    this.#crowdTime += this.isCrowd ? seconds : 0;
    const { solving } = this.host;
    // A frame that is still being solved is not asked for twice, and what has come to its end waits for a change.
    if (solving.isIdle && !this.#isDone()) solving.change();
    // What began to play with a drag has nothing more to play when that is over.
    else if (this.#playsDrag && !this.host.isHeld() && this.#isDone()) this.pause();
  }

  #isDone(): boolean {
    const results = this.host.solving.results.peek();
    return !this.isCrowd && !this.#played.restarts && this.#played.isOn && results.length > 0 && results.every(({ done }) => done);
  }

  #playTrace(seconds: number): void {
    const trace = this.host.solving.results.peek()[0]?.trace ?? null;
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
}
