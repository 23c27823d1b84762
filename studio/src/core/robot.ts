//! What a robot looks like and what its files say of its joints, as the library describes it; and the files that were dropped with it.

import { computed, signal, type ReadonlySignal } from "@preact/signals";
import type { RobotDescription, RobotShape, RobotState } from "posekit/robots";
import type { Client } from "../worker/client.ts";
import { withoutStarts } from "./document.ts";
import { withTargetsAt } from "./edit.ts";
import type { CharacterFile, Companion, ProblemInfo, StudioDocument } from "./types.ts";

export type { RobotDescription, RobotShape, RobotState } from "posekit/robots";

export function companionOf(files: ReadonlyMap<string, Uint8Array>, character: CharacterFile | null = null): Companion {
  return { files, character, size: [...files.values()].reduce((sum, bytes) => sum + bytes.length, 0) };
}

/** The SRDF among the files that were dropped. */
export function srdfOf(files: ReadonlyMap<string, Uint8Array>): { name: string; text: string } | undefined {
  const found = [...files].find(([path]) => /\.srdf$/i.test(path));
  return found && { name: last(found[0]), text: new TextDecoder().decode(found[1]) };
}

/**
 * The dropped file that a robot's file names: the one whose path agrees with the name's from the end in the most parts. Names of packages and folders
 * need not agree.
 */
export function fileNamed(files: ReadonlyMap<string, Uint8Array>, name: string): string | undefined {
  const wanted = partsOf(name);
  let best: string | undefined;
  let most = 0;
  for (const path of files.keys()) {
    const parts = partsOf(path);
    let same = 0;
    while (same < parts.length && same < wanted.length && parts.at(-1 - same) === wanted.at(-1 - same)) same += 1;
    if (same > most) [best, most] = [path, same];
  }
  return best;
}

/** Parts of a path in lower case, without a scheme and without steps up. */
function partsOf(path: string): string[] {
  return path.replace(/^\w+:\/\//, "").toLowerCase().split(/[\\/]/).filter((part) => part !== "" && part !== "." && part !== "..");
}

function last(path: string): string {
  return path.split("/").at(-1) ?? path;
}

/** Meshes that a robot is drawn with and that are not among the files. */
export function missingMeshes(look: RobotDescription, files: ReadonlyMap<string, Uint8Array>): string[] {
  const named = new Set(look.visuals.flatMap(({ file }) => (file === undefined ? [] : [file])));
  return [...named].filter((file) => fileNamed(files, file) === undefined);
}

/** What a robot is drawn with: its visual shapes, in place of these its collision shapes, or none: what is here of them must be on half of the joints that have visual shapes. */
export function shapesOf({ visuals, collisions }: RobotDescription, body: "visuals" | "collisions", files: ReadonlyMap<string, Uint8Array>): readonly RobotShape[] {
  if (body === "collisions") return collisions;
  const jointsOf = (shapes: readonly RobotShape[]) => new Set(shapes.map(({ joint }) => joint)).size;
  const here = (shapes: readonly RobotShape[]) => jointsOf(shapes.filter(({ file }) => file === undefined || fileNamed(files, file) !== undefined));
  return [visuals, collisions].find((shapes) => here(shapes) > 0 && 2 * here(shapes) >= jointsOf(visuals)) ?? [];
}

/** Values of a configuration with those of a named state. */
export function withState(q: ArrayLike<number>, { values }: RobotState, info: ProblemInfo): number[] {
  const changed = Array.from(q);
  for (const [joint, own] of values) own.forEach((value, index) => { changed[(info.valueOffsets[joint] ?? 0) + index] = value; });
  return changed;
}

interface Asked {
  text: string;
  srdf: string | undefined;
  answer: Promise<RobotDescription>;
}

/** What of the session is changed here. */
interface DeskOrder {
  client: Client;
  document: ReadonlySignal<StudioDocument>;
  info: ReadonlySignal<ProblemInfo | null>;
  change(document: StudioDocument, label: string, key: string | null): void;
  trouble(error: unknown): void;
}

/** The look of the robot on show, what stands beside the document, and joints moved by their values. */
export class RobotDesk {
  readonly #companion = signal<Companion | null>(null);
  readonly #look = signal<RobotDescription | null>(null);
  /** Set for documents that came from glTF, GLB or VRM files. */
  readonly character: ReadonlySignal<CharacterFile | null> = computed(() => this.#companion.value?.character ?? null);
  #asked: Asked | null = null;
  #wanted: { q: number[]; label: string; key: string | null } | null = null;
  #isMoving = false;

  constructor(private readonly order: DeskOrder) {}

  /** The files that were dropped with what is on show. */
  get companion(): ReadonlySignal<Companion | null> { return this.#companion; }
  /** Null: no robot is on show. */
  get look(): ReadonlySignal<RobotDescription | null> { return this.#look; }

  /** The description of a robot's text, which is read once. */
  describe(text: string, srdf: string | undefined): Promise<RobotDescription> {
    if (this.#asked?.text !== text || this.#asked.srdf !== srdf) {
      const answer = this.order.client.ask<"robot">({ kind: "robot", text, ...(srdf === undefined ? {} : { srdf }) });
      this.#asked = { text, srdf, answer };
    }
    return this.#asked.answer;
  }

  /** Shows what belongs to a document. */
  follow({ urdf }: StudioDocument, companion: Companion | null): void {
    // A drag asks again with every move.
    if (this.#asked !== null && urdf === this.#asked.text && companion === this.#companion.peek()) return;
    this.#companion.value = companion;
    if (urdf === undefined) {
      this.#asked = null;
      this.#look.value = null;
      return;
    }
    const answer = this.describe(urdf, srdfOf(companion?.files ?? NO_FILES)?.text);
    const isCurrent = () => this.#asked?.answer === answer;
    // A robot that the library refuses is reported when its problem is loaded.
    answer.then((look) => { if (isCurrent()) this.#look.value = look; }, () => {
      if (!isCurrent()) return;
      // The next document asks again: the worker may be another by then.
      this.#asked = null;
      this.#look.value = null;
    });
  }

  /** Puts the joints at these values: every solver starts there, and the targets go to where their frames then are. */
  async setValues(q: readonly number[], label: string, key: string | null): Promise<void> {
    this.#wanted = { q: [...q], label, key };
    if (this.#isMoving) return;
    this.#isMoving = true;
    try {
      // While one answer is under way, only the newest values count.
      for (let wanted = this.#take(); wanted !== null; wanted = this.#take()) {
        const { client, document, info } = this.order;
        const poses = await client.ask<"poses">({ kind: "poses", q: Float64Array.from(wanted.q) });
        const shown = info.peek();
        if (shown === null || poses.length !== 7 * shown.nJoints) return;
        const { q: start } = wanted;
        const moved = withTargetsAt(document.peek(), shown, poses);
        this.order.change({ ...moved, runs: withoutStarts(moved.runs).map((run) => ({ ...run, start })) }, wanted.label, wanted.key);
      }
    } catch (error) {
      this.order.trouble(error);
    } finally {
      this.#isMoving = false;
    }
  }

  #take(): { q: number[]; label: string; key: string | null } | null {
    const wanted = this.#wanted;
    this.#wanted = null;
    return wanted;
  }
}

export const NO_FILES: ReadonlyMap<string, Uint8Array> = new Map();
