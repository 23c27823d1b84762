//! What the browser keeps of every place in its history: the whole document and the files that were dropped, so that a reload and Back lose nothing.

import { checkDocument } from "../core/document.ts";
import { checkLinked } from "../core/motion/link.ts";
import type { Companion, StudioDocument } from "../core/types.ts";
import type { LinkedMotion } from "../core/motion/types.ts";

export type Kept =
  | { kind: "problem"; document: StudioDocument; companion: Companion | null }
  /** `own`: the file that was dropped; null: the built-in walk. */
  | { kind: "motion"; linked: LinkedMotion; own: Uint8Array | null };

/** The same as it is written down: the files, which are large and change rarely, by their name in a store of their own. */
type Written =
  | { kind: "problem"; document: unknown; files: string | null }
  | { kind: "motion"; linked: unknown; files: string | null };

/** Places that are kept; the oldest are forgotten. */
const MOST = 30;
const [DATABASE, PLACES, FILES] = ["posekit-studio", "places", "files"] as const;

let opened: Promise<IDBDatabase> | null = null;

function database(): Promise<IDBDatabase> {
  opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 2);
    request.onupgradeneeded = () => {
      for (const store of request.result.objectStoreNames) request.result.deleteObjectStore(store);
      for (const store of [PLACES, FILES]) request.result.createObjectStore(store);
    };
    request.onsuccess = () => { resolve(request.result); };
    request.onerror = () => { reject(new Error("the browser keeps nothing here")); };
  });
  return opened;
}

async function inStore<T>(name: string, mode: IDBTransactionMode, work: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  const request = work((await database()).transaction(name, mode).objectStore(name));
  return await new Promise((resolve, reject) => {
    request.onsuccess = () => { resolve(request.result); };
    request.onerror = () => { reject(new Error("the browser's storage failed")); };
  });
}

/** What has been written down already, by the name that it has there. */
const named = new WeakMap<object, string>();

async function keepFiles(files: Companion | Uint8Array | null): Promise<string | null> {
  if (files === null) return null;
  const known = named.get(files);
  // It may have been forgotten meanwhile, while an undo still led to it.
  if (known !== undefined && await inStore(FILES, "readonly", (store) => store.getKey(known)) !== undefined) return known;
  const name = newPlace();
  await inStore(FILES, "readwrite", (store) => store.put(files, name));
  named.set(files, name);
  return name;
}

let last: Promise<void> = Promise.resolve();

/** Writes down what stands at a place, one after the other. Where the browser keeps nothing, such as in private windows, nothing is kept. */
export function keep(place: string, kept: Kept): Promise<void> {
  last = last.then(() => write(place, kept));
  return last;
}

async function write(place: string, kept: Kept): Promise<void> {
  try {
    const written: Written = kept.kind === "problem"
      ? { kind: "problem", document: kept.document, files: await keepFiles(kept.companion) }
      : { kind: "motion", linked: kept.linked, files: await keepFiles(kept.own) };
    await inStore(PLACES, "readwrite", (store) => store.put(written, place));
    await forgetOld(place);
  } catch { /* The page works without. */ }
}

/** Forgets the oldest places, and files that no place has any more. */
async function forgetOld(here: string): Promise<void> {
  const places = await inStore(PLACES, "readonly", (store) => store.getAllKeys());
  const old = places.slice(0, -MOST).filter((place) => place !== here);
  for (const place of old) await inStore(PLACES, "readwrite", (store) => store.delete(place));
  const files = await inStore(FILES, "readonly", (store) => store.getAllKeys());
  if (files.length <= places.length - old.length) return;
  const left = await inStore<Written[]>(PLACES, "readonly", (store) => store.getAll() as IDBRequest<Written[]>);
  const used = new Set<IDBValidKey | null>(left.map((written) => written.files));
  for (const name of files) if (!used.has(name)) await inStore(FILES, "readwrite", (store) => store.delete(name));
}

const damaged = (message: string): Error => new Error(message);

/** What stood at a place; null where nothing is kept, or what another version of the page kept. */
export async function keptAt(place: string | null): Promise<Kept | null> {
  if (place === null) return null;
  try {
    const written = await inStore<Written | undefined>(PLACES, "readonly", (store) => store.get(place) as IDBRequest<Written | undefined>);
    if (written === undefined) return null;
    const { files: name } = written;
    const files = name === null ? null : await inStore<unknown>(FILES, "readonly", (store) => store.get(name) as IDBRequest<unknown>);
    if (name !== null && typeof files === "object" && files !== null) named.set(files, name);
    return written.kind === "problem"
      ? { kind: "problem", document: checkDocument(written.document, damaged), companion: (files ?? null) as Companion | null }
      : { kind: "motion", linked: checkLinked(written.linked, damaged), own: (files ?? null) as Uint8Array | null };
  } catch {
    return null;
  }
}

/** The place on show, which the browser's history names; null for one that is new. */
export function placeHere(): string | null {
  const state = history.state as { place?: unknown } | null;
  return typeof state?.place === "string" ? state.place : null;
}

/** A name that sorts by age. */
export function newPlace(): string {
  return `${Date.now().toString(36).padStart(9, "0")}-${Math.floor(Math.random() * 1e9).toString(36)}`;
}
