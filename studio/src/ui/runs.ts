//! What the page asks about runs.

import type { MethodName, Session } from "../core/types.ts";
import { runWord } from "./words.ts";

/** Whether a run is set to the published iteration. */
export function isClassic(session: Session, id: string): boolean {
  return session.document.value.runs.find((run) => run.id === id)?.settings.classic ?? false;
}

/** The place of a run among those that are called like it, from 1; null where it is the only one. */
export function runNumber(session: Session, id: string, ran: MethodName): number | null {
  const results = session.results.value;
  const word = runWord(ran, isClassic(session, id));
  const alike = session.document.value.runs.filter((run) => {
    const method = run.id === id ? ran : results.find((result) => result.id === run.id)?.method ?? run.method;
    return runWord(method, run.settings.classic ?? false) === word;
  });
  return alike.length > 1 ? alike.findIndex((run) => run.id === id) + 1 : null;
}

/** What a run is called: by what ran, and by its number where another is called so too. */
export function runName(session: Session, id: string, ran: MethodName): string {
  const number = runNumber(session, id, ran);
  const word = runWord(ran, isClassic(session, id));
  return number === null ? word : `${word} (${number})`;
}
