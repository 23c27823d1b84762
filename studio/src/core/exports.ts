//! What leaves the page: files, programs and pictures of what is on show.

import type { ReadonlySignal } from "@preact/signals";
import type { Client } from "../worker/client.ts";
import { cutOff, solvedSettings } from "./document.ts";
import { insideRanges, targetsOf, withStart } from "./edit.ts";
import type { ProblemFile } from "./files.ts";
import { orderOf } from "./orders.ts";
import { NO_FILES, srdfOf } from "./robot.ts";
import { remarkOnPlace, type Place } from "./shown.ts";
import { savedFiles, slug, snippetsOf } from "./snippets.ts";
import type { Companion, Cursor, NamedBytes, NamedText, Pictures, ProblemInfo, RunResult, RunSpec, ShownRun, Snippet, StudioDocument } from "./types.ts";

interface Shown {
  client: Client;
  info: ReadonlySignal<ProblemInfo | null>;
  results: ReadonlySignal<RunResult[]>;
  companion: ReadonlySignal<Companion | null>;
  shown: ReadonlySignal<ShownRun[]>;
  cursor: ReadonlySignal<Cursor | null>;
  /** The document with what is on show as what its solves come to. */
  asPlayed(): StudioDocument;
  /** The place on show, counted from the start of the trace; empty at its end. */
  place(): Place;
  settled(): Promise<void>;
}

export class ExportDesk {
  #pictures: Pictures | null = null;

  constructor(private readonly on: Shown) {}

  /** The problem with the start of the main run written into it: what is on screen as one file. */
  #problemAsShown(problem: ProblemFile, run: RunSpec | undefined): ProblemFile {
    const info = this.on.info.peek();
    return run?.start && info ? withStart(problem, info, insideRanges(run.start, info)) : problem;
  }

  /** The problem without the files that it names. */
  problem(): NamedText {
    return this.files()[0];
  }

  /** The problem, and the robot that it names. */
  files(): [NamedText, ...NamedText[]] {
    const { problem, runs, title, urdf } = this.on.asPlayed();
    const files = savedFiles(this.#problemAsShown(problem, runs[0]), urdf, slug(title));
    // Named states and groups of a robot stand in a file of their own.
    const srdf = urdf === undefined ? undefined : srdfOf(this.on.companion.peek()?.files ?? NO_FILES);
    return srdf === undefined ? files : [...files, { ...srdf, type: "application/xml" }];
  }

  async solution(id: string, trace: boolean): Promise<NamedText> {
    await this.on.settled();
    const { runs, problem, title } = this.on.asPlayed();
    const found = runs.find((one) => one.id === id);
    if (!found) throw new Error("there is no such solver");
    const run = this.#asFarAsShown(found, runs[0]);
    const text = await this.on.client.ask<"solution">({ kind: "solution", run: orderOf(run, run.start), targets: targetsOf(problem), trace });
    return { name: `${slug(title)}.solution.json`, type: "application/json", text };
  }

  /** The file of the character on show in the pose on show: its meshes, materials and clips as they are, its joints turned. */
  async posed(): Promise<NamedBytes> {
    await this.on.settled();
    const [character, info, pose] = [this.on.companion.peek()?.character, this.on.info.peek(), this.on.shown.peek()[0]];
    if (!character || !info || !pose) throw new Error("there is no character");
    const joints = info.kinds.flatMap((kind, joint) => (kind === "ball" && (character.nodes[joint] ?? -1) >= 0 ? [joint] : []));
    const turns = joints.flatMap((joint) => Array.from(pose.q.subarray(info.valueOffsets[joint], (info.valueOffsets[joint] ?? 0) + 4)));
    const order = { bytes: character.bytes, nodes: Uint32Array.from(joints, (joint) => character.nodes[joint] ?? 0), turns: Float64Array.from(turns) };
    const bytes = await this.on.client.ask<"pose-gltf">({ kind: "pose-gltf", ...order });
    return { name: character.name.replace(/(\.\w+)?$/, "-posed$1"), bytes };
  }

  /** A run cut off at the iteration on show, where that is not the last. */
  #asFarAsShown(run: RunSpec, main: RunSpec | undefined): RunSpec {
    const result = this.on.results.peek().find(({ id }) => id === run.id);
    const { at, half } = this.on.place();
    if (at === undefined || !result) return run;
    if (this.on.cursor.peek()) {
      const iteration = this.on.shown.peek().find(({ id }) => id === run.id)?.iteration ?? at;
      return cutOff(run, run.id === main?.id && half !== undefined ? iteration - 1 : iteration);
    }
    return result.done && at > 0 ? run : cutOff(run, at > 0 ? result.iterations : 0);
  }

  snippets(id: string): Snippet[] {
    const { problem, runs, urdf } = this.on.asPlayed();
    const found = runs.find((one) => one.id === id) ?? runs[0];
    if (!found) return [];
    const run = this.#asFarAsShown(found, runs[0]);
    const result = this.on.results.peek().find((one) => one.id === run.id);
    const remark = found === runs[0] ? remarkOnPlace(this.on.results.peek()[0]?.trace ?? null, this.on.place()) : undefined;
    // What reached its target without a rescue had no use for restarts.
    const isPlain = result?.status === "reached" && result.escapedAt === 0;
    return snippetsOf({ problem: this.#problemAsShown(problem, run), urdf, method: run.method, settings: isPlain ? run.settings : solvedSettings(run), remark });
  }

  setPictures(pictures: Pictures | null): void {
    this.#pictures = pictures;
  }

  async png(): Promise<Blob> {
    if (!this.#pictures) throw new Error("there is no picture yet");
    return await this.#pictures.png();
  }

  svg(): NamedText {
    if (!this.#pictures) throw new Error("there is no picture yet");
    return { name: `${slug(this.on.asPlayed().title)}.svg`, type: "image/svg+xml", text: this.#pictures.svg() };
  }
}
