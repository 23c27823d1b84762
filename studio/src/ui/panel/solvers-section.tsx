//! The solvers that run on the problem, side by side, each with what became of it.

import { CheckCheck, Ellipsis, Eye, EyeOff, GraduationCap, Hourglass, Lock, Pause, Plus, Ruler, Star, Trash2 } from "lucide-preact";
import { useId } from "preact/hooks";
import type { MethodName, ProblemInfo, RunResult, RunSpec } from "../../core/types.ts";
import { useSession } from "../context.ts";
import { CrowdFacts, isCrowd } from "../crowd.tsx";
import { IconButton, Section, Select } from "../controls.tsx";
import { keysOf } from "../keyboard.ts";
import { chosenRun, learn } from "../page.ts";
import { runName, runNumber } from "../runs.ts";
import { Swatch } from "../swatch.tsx";
import { fixOf, type Fix } from "./fix.ts";
import { angle, duration, length, methodWord, statusWords, type StatusWords } from "../words.ts";

export function SolversSection() {
  const session = useSession();
  const { runs } = session.document.value;
  const info = session.info.value;
  const results = session.results.value;
  const main = results.find(({ id }) => id === runs[0]?.id);
  if (isCrowd(session)) return <Section id="solvers" title="Solvers" initiallyOpen summary="two bones, closed form"><CrowdFacts /></Section>;
  return (
    <Section id="solvers" title="Solvers" initiallyOpen summary={main ? statusWords(main, info).short : ""}>
      <ul class="runs">
        {runs.map((run, index) => (
          <Run key={run.id} run={run} isMain={index === 0} isOnly={runs.length === 1} info={info} result={results.find(({ id }) => id === run.id) ?? null} />
        ))}
      </ul>
      <AddSolver />
    </Section>
  );
}

/** It stays focusable where there is nothing to add, and says why. */
function AddSolver() {
  const session = useSession();
  const why = session.noOther.value;
  const id = useId();
  return (
    <>
      <button
        type="button" class="button" aria-keyshortcuts="n" aria-disabled={why !== null} aria-describedby={why === null ? undefined : id}
        onClick={() => { if (why === null) session.addRun(); }}
      >
        <Plus size={16} aria-hidden />Add a solver beside it<kbd class="inline-key">{keysOf("add-solver")}</kbd>
      </button>
      {why !== null && <p class="hint" id={id}>{why}.</p>}
    </>
  );
}

interface RunProps {
  run: RunSpec;
  isMain: boolean;
  isOnly: boolean;
  info: ProblemInfo | null;
  result: RunResult | null;
}

function Run({ run, isMain, isOnly, info, result }: RunProps) {
  const session = useSession();
  const methods = info?.methods ?? [run.method];
  const ran = result?.method ?? run.method;
  const word = runName(session, run.id, ran);
  const number = runNumber(session, run.id, ran);
  const isChosen = (chosenRun.value ?? session.document.value.runs[0]?.id) === run.id;
  return (
    <li class="run" data-run={run.id} data-method={result?.method ?? run.method} data-chosen={isChosen} onFocusIn={() => { chosenRun.value = run.id; }} onClick={() => { chosenRun.value = run.id; }}>
      <div class="run-head">
        <Swatch method={result?.method ?? run.method} />
        <Select
          label={isMain ? "Solver" : "Solver beside it"}
          hideLabel
          value={run.method}
          choices={methods.map((method) => ({ value: method, label: methodWord(method) }))}
          onChange={(method: MethodName) => { session.setMethod(run.id, method); }}
        />
        {number !== null && <span class="run-number" title={word}>{number}</span>}
        {!isMain && <IconButton icon={Star} tip="left" label={`Make ${word} the main solver`} onClick={() => { session.promoteRun(run.id); }} />}
        <IconButton
          icon={run.visible ? Eye : EyeOff} tip="left" label={run.visible ? `Hide ${word}` : `Show ${word}`}
          onClick={() => { session.setVisible(run.id, !run.visible); }}
        />
        {!isOnly && <IconButton icon={Trash2} tip="left" label={`Remove ${word}`} onClick={() => { session.removeRun(run.id); }} />}
      </div>
      {result && <Chip words={statusWords(result, info)} fix={fixOf(session, run, result, info)} />}
      <div class="run-foot">
        {result ? <Facts result={result} /> : <p class="hint">Not solved yet</p>}
        <IconButton icon={GraduationCap} tip="left" label={`How ${methodWord(result?.method ?? run.method)} works`} onClick={() => { learn(result?.method ?? run.method); }} />
      </div>
      {result?.fault && <p class="hint" data-tone="bad">{result.fault}</p>}
      {run.method === "auto" && result?.reason && <p class="hint">{methodWord(result.method)}: {result.reason}</p>}
    </li>
  );
}

const MARKS = { check: CheckCheck, ruler: Ruler, lock: Lock, pause: Pause, hourglass: Hourglass, dots: Ellipsis } as const;

function Facts({ result }: { result: RunResult }) {
  return (
    <dl class="facts">
      <div><dt>iterations</dt><dd>{result.iterations}</dd></div>
      <div><dt>error</dt><dd>{length(result.error)}</dd></div>
      <div><dt>time</dt><dd>{result.micros === null ? "…" : duration(result.micros)}</dd></div>
      {result.orientationError > 0 && <div><dt>orientation error</dt><dd>{angle(result.orientationError)}</dd></div>}
    </dl>
  );
}

export function Chip({ words, fix = null }: { words: StatusWords; fix?: Fix | null }) {
  const Icon = MARKS[words.mark];
  return (
    <p class="chip" data-tone={words.tone}>
      <Icon size={14} aria-hidden /><span>{words.long}</span>
      {fix && <button type="button" class="fix" onClick={fix.act}>{fix.label}</button>}
    </p>
  );
}
