//! What the page asks about runs.

import type { Session } from "../core/types.ts";

/** Whether a run is set to the published iteration. */
export function isClassic(session: Session, id: string): boolean {
  return session.document.value.runs.find((run) => run.id === id)?.settings.classic ?? false;
}
