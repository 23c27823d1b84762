//! What both sessions stand on: a document with its history, what is reported, and the worker.

import { batch, signal, type ReadonlySignal } from "@preact/signals";
import { Client, type WorkerLike } from "../worker/client.ts";
import type { History } from "./history.ts";
import { Notices } from "./notices.ts";
import type { News, Notice, WorkerState } from "./types.ts";

export interface WorkerOptions {
  startWorker(): WorkerLike;
  /** How long a worker may keep silent [ms]: at work, and before its first answer. */
  patience?: readonly [number, number];
}

/** `Aside` stands beside a document in its history and is no part of it: the files that were dropped with it. */
export abstract class Store<Document extends object, Aside extends { size: number } = never> {
  protected readonly client: Client;
  protected readonly reported = new Notices();
  protected isOver = false;
  readonly #document;
  readonly #worker = signal<WorkerState>("starting");
  readonly #undoLabel = signal<string | null>(null);
  readonly #redoLabel = signal<string | null>(null);

  constructor(protected readonly history: History<Document, Aside>, { startWorker, patience }: WorkerOptions) {
    this.#document = signal(history.document);
    const hooks = {
      onState: (state: WorkerState) => { this.#worker.value = state; },
      onRestart: (why: string) => { this.restarted(why); },
    };
    this.client = new Client(startWorker, hooks, patience);
  }

  get document(): ReadonlySignal<Document> { return this.#document; }
  get worker(): ReadonlySignal<WorkerState> { return this.#worker; }
  get notices(): ReadonlySignal<Notice[]> { return this.reported.all; }
  get canUndo(): ReadonlySignal<string | null> { return this.#undoLabel; }
  get canRedo(): ReadonlySignal<string | null> { return this.#redoLabel; }

  /** A new worker is there, which knows nothing. */
  protected abstract restarted(why: string): void;

  /** A step that undo takes back. Steps in a row with the same key are one; what stands aside stays, unless other is given. */
  protected commit(document: Document, label: string, key: string | null = null, aside?: Aside | null): void {
    this.history.commit(document, label, key, aside);
    this.show(document);
  }

  /** A change that is no step: where it is looked at from. */
  protected amend(document: Document): void {
    this.history.amend(document);
    this.#document.value = document;
  }

  /** Puts the document on show at which the history is. */
  protected show(document: Document): void {
    batch(() => {
      this.#document.value = document;
      this.#undoLabel.value = this.undoLabel;
      this.#redoLabel.value = this.history.redoLabel;
    });
  }

  /** What undo would take back, or null. */
  protected get undoLabel(): string | null {
    return this.history.undoLabel;
  }

  tell(news: News): void {
    this.reported.tell(news);
  }

  dismiss(notice: number): void {
    this.reported.keep(({ id }) => id !== notice);
  }

  /** Ends the worker as a crash would; for tests. */
  endWorker(): void {
    this.client.kill();
  }

  dispose(): void {
    this.isOver = true;
    this.client.dispose();
  }
}
