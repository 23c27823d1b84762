//! What the browser keeps of every place in its history: the whole document and the files that were dropped, so that a reload and Back lose nothing.

import type { Companion, StudioDocument } from "../core/types.ts";
import type { LinkedMotion } from "../core/motion/types.ts";

export type Kept =
  | { kind: "problem"; document: StudioDocument; companion: Companion | null }
  /** `own`: the file that was dropped; null: the built-in walk. */
  | { kind: "motion"; linked: LinkedMotion; own: Uint8Array | null };

/** Places that are kept; the oldest are forgotten. */
const MOST = 30;
const [DATABASE, STORE] = ["posekit-studio", "places"] as const;

let opened: Promise<IDBDatabase> | null = null;

function database(): Promise<IDBDatabase> {
  opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 1);
    request.onupgradeneeded = () => { request.result.createObjectStore(STORE); };
    request.onsuccess = () => { resolve(request.result); };
    request.onerror = () => { reject(new Error("the browser keeps nothing here")); };
  });
  return opened;
}

async function inStore<T>(mode: IDBTransactionMode, work: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  const request = work((await database()).transaction(STORE, mode).objectStore(STORE));
  return await new Promise((resolve, reject) => {
    request.onsuccess = () => { resolve(request.result); };
    request.onerror = () => { reject(new Error("the browser's storage failed")); };
  });
}

/** Writes down what stands at a place. Where the browser keeps nothing, such as in private windows, nothing is kept. */
export async function keep(place: string, kept: Kept): Promise<void> {
  try {
    await inStore("readwrite", (store) => store.put(kept, place));
    const places = await inStore("readonly", (store) => store.getAllKeys());
    for (const old of places.slice(0, -MOST).filter((old) => old !== place)) await inStore("readwrite", (store) => store.delete(old));
  } catch { /* The page works without. */ }
}

/** What stood at a place; null where nothing is kept. */
export async function keptAt(place: string | null): Promise<Kept | null> {
  if (place === null) return null;
  try {
    return (await inStore<Kept | undefined>("readonly", (store) => store.get(place) as IDBRequest<Kept | undefined>)) ?? null;
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
