//! What helps most where a solve does not reach: one thing to do, in a word or two.

import type { ProblemInfo, RunResult, RunSpec, Session } from "../../core/types.ts";
import { jointName, worstHolds } from "../words.ts";

export interface Fix {
  label: string;
  act: () => void;
}

/** Iterations that are added where they did not suffice. */
const MORE = 2;

/** The nearest fix; null where it reached, or where nothing simple helps. */
export function fixOf(session: Session, run: RunSpec, result: RunResult, info: ProblemInfo | null): Fix | null {
  if (!result.done || !info) return null;
  const isPoint = info.tasks.length <= 1 && info.kind !== "figure";
  switch (result.status) {
    case "unreachable":
      return isPoint ? { label: "Bring the target to the tip", act: () => { session.moveHandle("target:0", { position: [...result.points.slice(-3)] as [number, number, number] }); } } : null;
    case "blocked": {
      const joint = worstHolds(result)[0];
      if (joint === undefined) return null;
      return { label: `Select ${jointName(info, joint)}`, act: () => { session.selection.value = session.handles.peek().some(({ id }) => id === `joint:${joint}`) ? `joint:${joint}` : "root"; } };
    }
    case "iteration-limit":
      return { label: "Allow twice as many", act: () => { session.setSetting(run.id, "iterations", Math.max(1, MORE * result.iterations)); } };
    case "stalled":
      return run.follows && run.settings.classic !== true ? { label: "Try other starts", act: () => { session.setMethod(run.id, run.method); } } : null;
    default:
      return null;
  }
}
