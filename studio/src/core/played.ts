//! What has been played: iterations, a few at a time, from where they began towards targets that may have moved since.

import { targetsOf } from "./edit.ts";
import type { RunSpec, StudioDocument } from "./types.ts";

export class Played {
  /** The trace goes from where the iterations began. */
  isOn = false;
  /** The next iterations begin anew. */
  restarts = false;
  /** They follow from where the figure was, without restarts. */
  follows = false;
  /** Where each run began. */
  readonly #starts = new Map<string, Float64Array>();
  /** The targets, methods and settings that they were of. */
  #order = "";

  /** Whether targets, methods or settings have changed since: then the next iterations begin anew from where they are. */
  isStale(document: StudioDocument): boolean {
    return orderOf(document) !== this.#order;
  }

  /** Iterations of a document follow. */
  goOn(document: StudioDocument): void {
    this.restarts = false;
    this.isOn = true;
    this.#order = orderOf(document);
  }

  /** The next iterations begin anew where the figure is. */
  beginHere(): void {
    this.restarts = false;
    this.#order = "";
  }

  /** A run begins here. */
  begin(id: string, start: Float64Array): void {
    this.#starts.set(id, start);
  }

  /** Where a run began that was played. */
  start(id: string): Float64Array | undefined {
    const start = this.isOn ? this.#starts.get(id) : undefined;
    return start && start.length > 0 ? start : undefined;
  }

  /** A document with what is on show as what its solves come to: its runs begin where the played iterations did.
   *
   * - `here`: the pose in which a run is now; where targets have moved it begins there
   * - `usual`: where a run begins that says nothing of it */
  asPlayed(document: StudioDocument, here: (id: string) => Float64Array | undefined, usual: Float64Array | undefined): StudioDocument {
    if (!this.isOn || this.restarts) return document;
    const isStale = this.isStale(document);
    const runs = document.runs.map((run): RunSpec => {
      const start = isStale ? here(run.id) : this.start(run.id);
      if (!start || start.length === 0) return run;
      const isThere = String(start) === String(run.start ?? usual);
      return isThere ? run : { ...run, start: Array.from(start), follows: true };
    });
    return JSON.stringify(runs) === JSON.stringify(document.runs) ? document : { ...document, runs };
  }
}

function orderOf({ problem, runs }: StudioDocument): string {
  return JSON.stringify([targetsOf(problem), runs.map(({ method, settings }) => [method, settings])]);
}
