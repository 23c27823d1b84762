//! Links that the page was opened with, and those that are followed while it is open: pasted into its address, or chosen from the history.

import { decodeLink, isLink } from "../core/link.ts";
import { decodeMotionLink, isMotionLink } from "../core/motion/link.ts";
import type { Session } from "../core/types.ts";
import { leaveMotion, openMotion } from "./motion/desk.ts";
import { tell } from "./page.ts";

/** Opens the document of every new hash that carries one; returns what stops it. The session itself opens the problem that the page began with. */
export function followLinks(session: Session): () => void {
  const onChange = () => {
    const { hash } = location;
    if (isMotionLink(hash)) follow(() => { followMotion(hash); });
    else if (isLink(hash)) follow(() => { followProblem(session, hash); });
  };
  if (isMotionLink(location.hash)) onChange();
  addEventListener("hashchange", onChange);
  return () => { removeEventListener("hashchange", onChange); };
}

function followProblem(session: Session, hash: string): void {
  const document = decodeLink(hash);
  leaveMotion();
  session.open(document, "Open a link");
}

function followMotion(hash: string): void {
  const linked = decodeMotionLink(hash);
  openMotion(false).openLink(linked);
}

function follow(open: () => void): void {
  try {
    open();
  } catch (error) {
    tell("error", error instanceof Error ? error.message : "This link cannot be read.", "The current document is unchanged.");
  }
}
