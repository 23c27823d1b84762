//! What must hold: every task with what is left of it.

import { isFigure, type ProblemFile } from "../../core/files.ts";
import type { RunResult, TaskInfo } from "../../core/types.ts";
import { useSession } from "../context.ts";
import { isCrowd } from "../crowd.tsx";
import { NumberField, Section } from "../controls.tsx";
import { angle, count, length } from "../words.ts";

export function GoalsSection() {
  const session = useSession();
  const info = session.info.value;
  const main = session.results.value[0] ?? null;
  const problem = session.document.value.problem;
  if (!info || info.tasks.length === 0 || isCrowd(session)) return null;
  const edits = isFigure(problem);
  return (
    <Section id="goals" title="Goals" summary={count(info.tasks.length, "goal")}>
      <ul class="goals">
        {info.tasks.map((task) => (
          <li key={task.index} class="goal">
            <span class="goal-name">{task.name || task.task}</span>
            <span class="goal-miss">{main ? miss(task, main) : ""}</span>
            {edits && (
              <span class="goal-numbers">
                <NumberField label="level" unit="" value={task.level} min={1} max={9} step={1} digits={0} onCommit={(level) => { session.editProblem(`Level of ${task.name || task.task}`, (old) => edited(old, task.index, { level })); }} />
                <NumberField label="weight" unit="" value={task.weight} min={0} step={0.1} digits={2} onCommit={(weight) => { session.editProblem(`Weight of ${task.name || task.task}`, (old) => edited(old, task.index, { weight })); }} />
              </span>
            )}
          </li>
        ))}
      </ul>
      {edits && <p class="hint">Goals of level 1 come first. Goals of a level share what the levels above leave free, each by its weight.</p>}
    </Section>
  );
}

function edited(problem: ProblemFile, index: number, change: { level?: number; weight?: number }): ProblemFile {
  if (!isFigure(problem)) return problem;
  return { ...problem, tasks: problem.tasks.map((task, at) => (at === index ? { ...task, ...change } : task)) };
}

/** What is left: metres, degrees, or both. Nothing that a person could see counts as met. */
function miss(task: TaskInfo, result: RunResult): string {
  const distance = result.misses[2 * task.index] ?? 0;
  const turn = result.misses[2 * task.index + 1] ?? 0;
  const parts = [];
  if (distance > result.tolerance) parts.push(length(distance));
  if (turn > 1e-6) parts.push(angle(turn));
  return parts.length === 0 ? "met" : `off by ${parts.join(" and ")}`;
}
