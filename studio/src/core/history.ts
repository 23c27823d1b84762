//! Undo and redo: a list of documents that share what did not change, and a place in it.

import type { StudioDocument } from "./types.ts";

/** What all entries together may weigh, in characters of JSON and bytes of files; the oldest are forgotten beyond it. */
export const LARGEST = 64_000_000;

interface Entry<Document, Aside> {
  document: Document;
  /** What led here: "Move target". */
  label: string;
  /** Changes with the same key in a row are one entry: a drag, a slider being pulled. */
  key: string | null;
  weight: number;
  /** What belongs to the document and is no part of it: a file too large for a link. */
  aside: Aside | null;
}

/** `Aside` is held by reference for as long as an entry names it. */
export class History<Document extends object = StudioDocument, Aside extends { size: number } = never> {
  private entries: Entry<Document, Aside>[];
  private at = 0;
  private weight: number;

  constructor(document: Document, private readonly largest = LARGEST, aside: Aside | null = null) {
    this.weight = weightOf(document, null);
    this.entries = [{ document, label: "", key: null, weight: this.weight, aside }];
  }

  get document(): Document {
    return this.current().document;
  }

  /** What stands beside the document. */
  get aside(): Aside | null {
    return this.current().aside;
  }

  /** What undo would take back, or null. */
  get undoLabel(): string | null {
    return this.at > 0 ? this.current().label : null;
  }

  get redoLabel(): string | null {
    return this.entries[this.at + 1]?.label ?? null;
  }

  /** Key of the newest change, as long as others may still join it. */
  get key(): string | null {
    return this.current().key;
  }

  /** Goes on to a document. With a `key`, it takes the place of the entry before it that has the same one. What stands
   *  aside stays, unless other is given. */
  commit(document: Document, label: string, key: string | null = null, aside: Aside | null = this.aside): void {
    const last = this.current();
    if (document === last.document) return;
    this.forgetFrom(this.at + 1);
    if (key !== null && key === last.key && this.at > 0) this.forgetFrom(this.at);
    const before = this.entries.at(-1);
    const weight = weightOf(document, before?.document ?? null) + (aside === null || aside === before?.aside ? 0 : aside.size);
    this.entries.push({ document, label, key, weight, aside });
    this.weight += weight;
    this.at = this.entries.length - 1;
    this.forgetOldest();
  }

  /** Changes the document without an entry of its own: where it is looked at from. */
  amend(document: Document): void {
    this.current().document = document;
  }

  /** Takes the newest document back as if it had never been. */
  drop(): Document {
    if (this.at > 0) this.forgetFrom(this.at);
    return this.document;
  }

  /** Ends a row of changes: the next one is an entry of its own, whatever its key. */
  seal(): void {
    this.current().key = null;
  }

  undo(): Document {
    this.seal();
    this.at = Math.max(0, this.at - 1);
    return this.document;
  }

  redo(): Document {
    this.seal();
    this.at = Math.min(this.entries.length - 1, this.at + 1);
    return this.document;
  }

  /** True right after the first change. */
  get isSecond(): boolean {
    return this.at === 1;
  }

  get length(): number {
    return this.entries.length;
  }

  private current(): Entry<Document, Aside> {
    const entry = this.entries[this.at];
    if (!entry) throw new Error("the history is never empty");
    return entry;
  }

  private forgetFrom(index: number): void {
    for (const entry of this.entries.splice(index)) this.weight -= entry.weight;
    this.at = Math.min(this.at, this.entries.length - 1);
  }

  private forgetOldest(): void {
    while (this.weight > this.largest && this.at > 0) {
      this.weight -= this.entries.shift()?.weight ?? 0;
      this.at -= 1;
    }
  }
}

/** How much an entry holds that the one before it does not share. */
function weightOf<Document extends object>(document: Document, before: Document | null): number {
  let weight = 200;
  for (const [name, value] of Object.entries(document) as [keyof Document, unknown][]) {
    if (before?.[name] === value) continue;
    weight += typeof value === "string" ? value.length : JSON.stringify(value).length;
  }
  return weight;
}
