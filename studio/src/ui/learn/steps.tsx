//! Pseudo-code of a method beside the running solve: the line of the step on show is marked.

import { ChevronLeft, ChevronRight, ChevronsLeft, ChevronsRight, Play } from "lucide-preact";
import type { PhaseName, RunResult, Session, StatusWord } from "../../core/types.ts";
import { useSession } from "../context.ts";
import { IconButton } from "../controls.tsx";
import { isMotion } from "../motion/desk.ts";
import { length, phaseWord, statusWords } from "../words.ts";
import type { StepLine } from "./article.ts";

interface StepsProps {
  lines: StepLine[];
  method: string;
}

export function Steps({ lines, method }: StepsProps) {
  const session = useSession();
  const result = session.results.value[0];
  const isOn = !isMotion.value && result?.method === method && result.fault === null;
  const marked = isOn ? marksOf(session, result) : [];
  return (
    <figure class="steps">
      <ol>
        {lines.map(({ html, depth, marks }, index) => (
          <li key={index} data-depth={depth} aria-current={marks.some((mark) => marked.includes(mark as Mark)) ? "step" : undefined} dangerouslySetInnerHTML={{ __html: html }} />
        ))}
      </ol>
      <figcaption class="steps-bar">
        {isOn ? <Stepping session={session} result={result} /> : <button type="button" class="button" data-show={`${method}-steps`}><Play size={14} aria-hidden />Run it beside the figure</button>}
      </figcaption>
    </figure>
  );
}

export type Mark = PhaseName | "bone:tip" | "bone:root" | StatusWord;

/** What is on show: a phase of the trace, at its end the status of the solve as well. */
export function marksOf(session: Session, { status, done }: RunResult): Mark[] {
  const cursor = session.cursor.value;
  if (cursor?.entry === 0) return [];
  const isEnd = cursor === null || cursor.entry === cursor.entries - 1;
  return [...(cursor ? [markOf(cursor.phase, cursor.joint, session.info.value?.nJoints ?? 0)] : []), ...(isEnd && done ? [status] : [])];
}

/** The bones at either end of a chain are brought to their lengths by rules of their own. */
function markOf(phase: PhaseName, joint: number, nJoints: number): Mark {
  if (phase !== "bone") return phase;
  return joint === 0 ? "bone:root" : joint === nJoints - 1 ? "bone:tip" : "bone";
}

function Stepping({ session, result }: { session: Session; result: RunResult }) {
  const [cursor, info] = [session.cursor.value, session.info.value];
  const shown = session.shown.value[0];
  const words = !cursor ? statusWords(result, info).long : cursor.entry === 0 ? "the start" : `iteration ${cursor.iteration}: ${phaseWord(cursor.phase, cursor.joint, info)}`;
  return (
    <>
      <span class="steps-words">{words}{cursor && shown && <span class="steps-error">{length(shown.error)} away</span>}</span>
      <span class="steps-buttons" role="group" aria-label="Step through it">
        <IconButton tip="above" icon={ChevronsLeft} label="Back one iteration" onClick={() => { session.step(-1); }} />
        <IconButton tip="above" icon={ChevronLeft} label="Back half a step" onClick={() => { session.stepHalf(-1); }} />
        <IconButton tip="above" icon={ChevronRight} label="Forward half a step" onClick={() => { session.stepHalf(1); }} />
        <IconButton tip="above" icon={ChevronsRight} label="Forward one iteration" onClick={() => { session.step(1); }} />
      </span>
    </>
  );
}
