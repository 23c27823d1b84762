//! Handles that are moved: a drag is one step of undo, and the solvers follow its target from pose to pose.

import { batch, signal, type ReadonlySignal, type Signal } from "@preact/signals";
import type { Client } from "../worker/client.ts";
import { isFiniteMove, moveHandle } from "./edit.ts";
import { isPoints, type Vec3 } from "./files.ts";
import { poleOf, towardPole } from "./handles.ts";
import type { History } from "./history.ts";
import type { Player } from "./player.ts";
import type { Solving } from "./solving.ts";
import type { Companion, Handle, HandleMove, RunSpec, StudioDocument } from "./types.ts";

/** A drag under way. */
interface Drag {
  handle: Handle;
  /** Entry of the history that the drag writes. */
  key: string;
  /** Where each run stood when it began. */
  from: ReadonlyMap<string, Float64Array>;
  /** Where a joint or the pole is wanted, until the worker has brought it there. */
  wanted: Vec3 | null;
}

/** What dragging needs of the session that it belongs to. */
export interface DraggingHost {
  readonly client: Client;
  readonly document: ReadonlySignal<StudioDocument>;
  readonly history: History<StudioDocument, Companion>;
  readonly handles: ReadonlySignal<Handle[]>;
  readonly selection: Signal<string | null>;
  readonly solving: Solving;
  readonly player: Player;
  isOver(): boolean;
  commit(document: StudioDocument, label: string, key: string | null): void;
  /** Changes the document without a step of undo. */
  amend(document: StudioDocument): void;
  /** The pose in which every solver starts from now. */
  startAt(q: ArrayLike<number>, label: string, key: string | null): void;
  /** What is shown of each run. */
  shownPoses(): ReadonlyMap<string, Float64Array>;
  /** A drag begins, or has come to its end. */
  begun(): void;
  ended(): void;
}

export class Dragging {
  readonly #isOn = signal(false);
  #drag: Drag | null = null;
  /** The drag that was let go of last, until its last move has been solved. */
  #ending: Drag | null = null;
  #drags = 0;
  #isSwaying = false;

  constructor(private readonly host: DraggingHost) {}

  /** True while a handle is being dragged. */
  get isOn(): ReadonlySignal<boolean> { return this.#isOn; }

  /** A drag is under way, or let go of and not solved yet. */
  get isHeld(): boolean {
    return (this.#drag ?? this.#ending) !== null;
  }

  /** The solvers go on from pose to pose. */
  get isFollowing(): boolean {
    return this.#isSwaying || this.#followed() !== null;
  }

  begin(id: string): void {
    const { host } = this;
    const handle = host.handles.peek().find((one) => one.id === id);
    if (!handle) return;
    this.leave();
    this.#drags += 1;
    host.begun();
    this.#drag = { handle, key: `drag:${this.#drags}`, from: host.shownPoses(), wanted: null };
    batch(() => {
      this.#isOn.value = true;
      host.selection.value = id;
      if (host.player.playback.peek().mode === "trace") host.player.goTo("live");
      if (handle.kind === "target") host.player.playWithDrag();
    });
  }

  move(id: string, move: HandleMove): void {
    if (this.#drag?.handle.id !== id) this.begin(id);
    const drag = this.#drag;
    const { host } = this;
    const info = host.solving.info.peek();
    if (!drag || !info || !isFiniteMove(move)) return;
    const document = host.document.peek();
    const { handle } = drag;
    if (isBending(handle) && !isPoints(document.problem)) {
      drag.wanted = move.position ?? null;
      host.solving.change();
      return;
    }
    const moved = moveHandle(document, info, handle, move);
    if (moved === document) return;
    host.commit(moved, labelOf(handle), drag.key);
    host.solving.change();
  }

  end(): void {
    const drag = this.#drag;
    if (!drag) return;
    this.#drag = null;
    this.#ending = drag;
    this.#isOn.value = false;
    const { host } = this;
    void host.solving.settled().then(() => {
      if (this.#ending === drag && !host.isOver()) this.#keepStarts(drag);
      host.ended();
      host.solving.whenQuiet();
    });
  }

  /** Moves a handle by itself, for show. */
  sway(id: string, move: HandleMove): void {
    const { host } = this;
    const handle = host.handles.peek().find((one) => one.id === id);
    const info = host.solving.info.peek();
    // What is still being solved is not asked for twice.
    if (!handle || !info || !host.solving.isIdle) return;
    const moved = moveHandle(host.document.peek(), info, handle, move);
    this.#isSwaying = true;
    host.amend(moved);
    host.solving.change();
  }

  /** The newest change is somebody's. */
  endSway(): void {
    this.#isSwaying = false;
  }

  leave(): void {
    this.#drag = null;
    this.#ending = null;
    this.#isOn.value = false;
    this.host.history.seal();
  }

  /** Brings the joint or the pole that is dragged to where it is wanted. */
  async bend(): Promise<void> {
    const { host } = this;
    const drag = this.#drag ?? this.#ending;
    const wanted = drag?.wanted ?? null;
    const info = host.solving.info.peek();
    const main = host.solving.results.peek()[0];
    if (!drag || !wanted || !info || !main || info.nJoints === 0 || drag.handle.joint === null) return;
    drag.wanted = null;
    const from = drag.from.get(main.id) ?? main.q;
    const document = host.document.peek();
    const pole = drag.handle.kind === "pole" ? poleOf(document, main) : null;
    const position = pole ? towardPole(pole, wanted) : wanted;
    const q = await host.client.ask<"bend">({ kind: "bend", joint: drag.handle.joint, position: [...position], from: drag.handle.kind === "pole" ? main.q.slice() : from.slice() });
    if (host.document.peek() !== document || (this.#drag !== null && this.#drag !== drag)) return;
    host.startAt(q, labelOf(drag.handle), drag.key);
  }

  /** The drag whose target the solvers follow from pose to pose: the one under way, or let go of and not solved yet. */
  #followed(): Drag | null {
    const drag = this.#drag ?? this.#ending;
    return drag !== null && !isBending(drag.handle) && this.host.history.key === drag.key && this.host.document.peek().warm ? drag : null;
  }

  /** Writes down where the last solves began, so that undo and a link show the same pose again. */
  #keepStarts(drag: Drag): void {
    const { host } = this;
    const document = host.document.peek();
    if (this.#followed() === drag && host.player.playback.peek().mode === "live") {
      const runs = document.runs.map((run): RunSpec => {
        const start = host.solving.startOf(run.id);
        return start ? { ...run, start: Array.from(start), follows: true } : run;
      });
      host.commit({ ...document, runs }, labelOf(drag.handle), drag.key);
    }
    this.#ending = null;
    host.history.seal();
  }
}

/** Whether moving it changes the pose from which every solver starts, not what is wanted of them. */
function isBending({ kind }: Handle): boolean {
  return kind === "joint" || kind === "pole";
}

function labelOf({ kind }: Handle): string {
  return `Move ${kind === "limit" ? "a limit" : `the ${kind}`}`;
}
