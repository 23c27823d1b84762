//! Links that are followed while the page is open: pasted into its address, or chosen from the history.

import { decodeLink, isLink } from "../core/link.ts";
import type { Session } from "../core/types.ts";
import { tell } from "./page.ts";

/** Opens the document of every new hash that carries one; returns what stops it. */
export function followLinks(session: Session): () => void {
  const onChange = () => {
    if (isLink(location.hash)) follow(session, location.hash);
  };
  addEventListener("hashchange", onChange);
  return () => { removeEventListener("hashchange", onChange); };
}

function follow(session: Session, hash: string): void {
  try {
    session.open(decodeLink(hash), "Open a link");
  } catch (error) {
    tell("error", error instanceof Error ? error.message : "This link cannot be read.", "What was on show stays.");
  }
}
