//! What must hold: every goal with what it is on, what it asks for and what is left of it; goals come and go.

import { Plus, X } from "lucide-preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { isFigure, type FigureProblem, type FigureTask } from "../../core/files.ts";
import { asking, asksOf, jointOf, onSpot, spotAt, spotsOf, withGoal, withoutGoal, withTask, type Asks } from "../../core/goals.ts";
import type { PoseData, ProblemInfo, RunResult, Session, TaskInfo } from "../../core/types.ts";
import { useSession } from "../context.ts";
import { isCrowd } from "../crowd.tsx";
import { IconButton, NumberField, Section, Select } from "../controls.tsx";
import { angle, count, length } from "../words.ts";

export function GoalsSection() {
  const session = useSession();
  const { problem, scene } = session.document.value;
  const info = session.info.value;
  const main = session.results.value[0] ?? null;
  if (!info || info.tasks.length === 0 || isCrowd(session)) return null;
  return (
    <Section id="goals" title="Goals" initiallyOpen={scene === "file"} summary={count(info.tasks.length, "goal")}>
      {isFigure(problem)
        ? <FigureGoals figure={problem} info={info} main={main} />
        : <ul class="goals">{info.tasks.map((task) => <li key={task.index} class="goal"><GoalHead task={task} main={main} /></li>)}</ul>}
    </Section>
  );
}

interface FigureGoalsProps {
  figure: FigureProblem;
  info: ProblemInfo;
  main: RunResult | null;
}

function FigureGoals({ figure, info, main }: FigureGoalsProps) {
  const session = useSession();
  const list = useRef<HTMLUListElement>(null);
  const adder = useRef<HTMLButtonElement>(null);
  // Where the focus goes when the goals have changed: what it was on is gone, or something new wants it.
  const [next, setNext] = useState<number | null>(null);
  const n = figure.tasks.length;
  useEffect(() => {
    if (next === null || info.tasks.length !== n) return;
    setNext(null);
    const goals = list.current?.querySelectorAll<HTMLElement>(":scope > li");
    (goals?.[next]?.querySelector<HTMLElement>("select, input") ?? adder.current)?.focus();
  }, [n, next, info]);
  const add = () => {
    addGoal(session, null);
    setNext(n);
  };
  const remove = (index: number) => {
    session.selection.value = null;
    session.editGoals("Remove a goal", (old) => withoutGoal(old, index));
    setNext(Math.min(index, n - 2));
  };
  return (
    <>
      <ul class="goals" ref={list}>
        {figure.tasks.map((task, index) => (
          <Goal
            key={`${n}:${index}`} task={task} figure={figure} info={info} reported={info.tasks[index]} main={main} index={index}
            onRemove={n > 1 ? () => { remove(index); } : null}
          />
        ))}
      </ul>
      <button type="button" class="button add-goal" ref={adder} onClick={add}><Plus size={16} aria-hidden />Add a goal</button>
      <p class="hint">Goals of level 1 come first. Goals of a level share the remaining degrees of freedom by weight.</p>
    </>
  );
}

/** One goal more, selected so that it can be dragged at once. */
export function addGoal(session: Session, joint: number | null): void {
  const [info, pose] = [session.info.peek(), poseOf(session)];
  if (!info || !pose) return;
  const index = info.tasks.length;
  session.editGoals("Add a goal", (old) => withGoal(old, info, pose, joint));
  session.selection.value = `target:${index}`;
}

/** What is on show, or where it all begins. */
function poseOf(session: Session): PoseData | null {
  return session.shown.peek()[0] ?? session.info.peek()?.start ?? null;
}

interface GoalProps extends FigureGoalsProps {
  task: FigureTask;
  reported: TaskInfo | undefined;
  index: number;
  /** Null for the only one. */
  onRemove: (() => void) | null;
}

const ASKS: { value: Asks; label: string }[] = [
  { value: "position", label: "Position" },
  { value: "orientation", label: "Orientation" },
  { value: "pose", label: "Position and orientation" },
];

function Goal({ task, reported, figure, info, main, index, onRemove }: GoalProps) {
  const session = useSession();
  const name = reported?.name || task.task;
  const change = (label: string, to: (old: FigureTask, pose: PoseData) => FigureTask) => {
    const pose = poseOf(session);
    if (pose) session.editGoals(label, (old) => withTask(old, index, (one) => to(one, pose)));
  };
  const number = (label: string, to: Partial<FigureTask>) => {
    session.editProblem(`${label} of ${name}`, (old) => (isFigure(old) ? withTask(old, index, (one) => ({ ...one, ...to } as FigureTask)) : old));
  };
  const asks = asksOf(task);
  const joint = jointOf(task, info, index);
  return (
    <li><div class="goal" role="group" aria-label={`Goal ${index + 1}: ${name}`}>
      {reported && <GoalHead task={reported} main={main} />}
      <IconButton
        icon={X} tip="left" class="goal-remove" inactive={onRemove === null}
        label={onRemove ? `Remove the goal ${name}` : "The only goal cannot be removed: add another first"}
        onClick={() => { onRemove?.(); }}
      />
      {joint !== null && (
        <Select
          label="On" value={String(joint)} choices={choicesOf(figure, info, joint)}
          onChange={(chosen) => {
            const spot = spotAt(info, Number(chosen));
            if (spot) change("Move a goal to another joint", (old, pose) => onSpot(old, spot, pose));
          }}
        />
      )}
      {asks !== null && (
        <Select label="Asks for" value={asks} choices={ASKS} onChange={(wanted) => { change("Change what a goal asks for", (old, pose) => asking(old, wanted, reported, pose)); }} />
      )}
      <span class="goal-numbers">
        <NumberField label="Level" unit="" value={reported?.level ?? 1} min={1} max={9} step={1} digits={0} onCommit={(level) => { number("Level", { level }); }} />
        <NumberField label="Weight" unit="" value={reported?.weight ?? 1} min={0} step={0.1} digits={2} onCommit={(weight) => { number("Weight", { weight }); }} />
      </span>
    </div></li>
  );
}

/** Where a goal can be, and where it is. */
function choicesOf(figure: FigureProblem, info: ProblemInfo, joint: number): { value: string; label: string }[] {
  const spots = spotsOf(figure, info);
  const here = spots.some((spot) => spot.joint === joint) ? [] : [{ value: String(joint), label: info.links[joint] || (info.names[joint] ?? "") }];
  return [...here, ...spots.map((spot) => ({ value: String(spot.joint), label: spot.name }))];
}

function GoalHead({ task, main }: { task: TaskInfo; main: RunResult | null }) {
  return (
    <>
      <span class="goal-name">{task.name || task.task}</span>
      <span class="goal-miss">{main ? miss(task, main) : ""}</span>
    </>
  );
}

/** What is left: metres, degrees, or both. Nothing that a person could see counts as met. */
function miss(task: TaskInfo, result: RunResult): string {
  const distance = result.misses[2 * task.index] ?? 0;
  const turn = result.misses[2 * task.index + 1] ?? 0;
  const parts = [];
  if (distance > result.tolerance) parts.push(length(distance));
  if (turn > 1e-6) parts.push(angle(turn));
  return parts.length === 0 ? "met" : `error ${parts.join(" and ")}`;
}
