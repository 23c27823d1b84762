//! What the page itself remembers: which dialog and which tab are open. Nothing of it belongs to the document.

import { signal } from "@preact/signals";
import type { Notice } from "../core/types.ts";
import type { ArticleId } from "./learn/articles.ts";

export type DialogName = "help" | "about" | "share" | "code";
export type PanelTab = "solve" | "learn";
/** On a phone one sheet shows one of these. */
export type SheetTab = "scenes" | "solve" | "time" | "learn";

export const openDialog = signal<DialogName | null>(null);
export const panelTab = signal<PanelTab>("solve");
export const sheetTab = signal<SheetTab>("solve");
/** The timeline of a motion. */
export const timelineOpen = signal(true);
/** The plots; folded at first, for the figure. */
export const drawerOpen = signal(false);
/** The article that is open, or the list of them. */
export const article = signal<ArticleId | null>(null);
/** The run whose settings and snippets are shown; null is the main one. */
export const chosenRun = signal<string | null>(null);
/** Keys without Ctrl do something only while this is on: some people dictate, and every word would be keys. */
export const singleKeys = signal(true);

/** Notices of the page itself, such as a link that was copied; those of the session stand beside them. */
export const pageNotices = signal<Notice[]>([]);

let nextNotice = -1;

export function tell(kind: Notice["kind"], what: string, hint?: string): void {
  const notice: Notice = { id: nextNotice, kind, what, ...(hint === undefined ? {} : { hint }) };
  nextNotice -= 1;
  pageNotices.value = [...pageNotices.peek(), notice];
}

export function forget(id: number): void {
  pageNotices.value = pageNotices.peek().filter((notice) => notice.id !== id);
}

/** Opens an article wherever the width of the screen shows it. */
export function learn(about: ArticleId | null): void {
  article.value = about;
  panelTab.value = "learn";
  sheetTab.value = "learn";
}
