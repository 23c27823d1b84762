//! What is reported beside the picture: the newest few, each once.

import { signal, type ReadonlySignal } from "@preact/signals";
import type { News, Notice } from "./types.ts";

const MOST = 5;

export class Notices {
  readonly #all = signal<Notice[]>([]);
  #next = 1;

  get all(): ReadonlySignal<Notice[]> { return this.#all; }

  tell({ kind, what, where, hint }: News): void {
    const full: Notice = { id: this.#next, kind, what, ...(where === undefined ? {} : { where }), ...(hint === undefined ? {} : { hint }) };
    this.#next += 1;
    this.#all.value = [...this.#all.peek().filter((old) => old.what !== what), full].slice(-MOST);
  }

  /** Only these stay. */
  keep(stays: (notice: Notice) => boolean): void {
    this.#all.value = this.#all.peek().filter(stays);
  }
}
