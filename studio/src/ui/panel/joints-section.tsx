//! The joints of a robot: their values, limits and speeds, its named states, its base, and what it is drawn with.

import { useId } from "preact/hooks";
import { floats, withBase } from "../../core/base.ts";
import { isFigure } from "../../core/files.ts";
import { withState, type RobotDescription } from "../../core/robot.ts";
import { ROBOT_BODIES, type ProblemInfo, type RobotBody } from "../../core/types.ts";
import { useSession } from "../context.ts";
import { NumberField, Section, Select, Switch } from "../controls.tsx";
import { count, jointName } from "../words.ts";
import { rangeWords } from "./selection-section.tsx";

export function JointsSection() {
  const session = useSession();
  const { problem, urdf } = session.document.value;
  const [info, look] = [session.info.value, session.robot.look.value];
  if (urdf === undefined || info === null || look === null || !isFigure(problem)) return null;
  const shown = session.shown.value[0]?.q;
  const q = shown?.length === info.nValues ? shown : info.start.q;
  const joints = info.kinds.flatMap((kind, joint) => (kind === "revolute" || kind === "prismatic" ? [joint] : []));
  return (
    <Section id="joints" title="Joints" summary={count(joints.length, "joint")}>
      <BodyChoice look={look} />
      {look.states.length > 0 && <States look={look} info={info} q={q} />}
      <Base info={info} />
      <ul class="joints">{joints.map((joint) => <Joint key={joint} joint={joint} info={info} look={look} q={q} />)}</ul>
    </Section>
  );
}

const BODIES: Record<RobotBody, string> = { visuals: "Its visual shapes", collisions: "Its collision shapes", joints: "Its joints" };

function BodyChoice({ look }: { look: RobotDescription }) {
  const session = useSession();
  const has = { visuals: look.visuals.length > 0, collisions: look.collisions.length > 0, joints: true };
  const choices = ROBOT_BODIES.filter((body) => has[body]).map((value) => ({ value, label: BODIES[value] }));
  if (choices.length < 2) return null;
  const chosen = session.document.value.view.body ?? "visuals";
  return <Select label="Drawn with" value={has[chosen] ? chosen : choices[0]?.value ?? "joints"} choices={choices} onChange={(body) => { session.setView({ body }); }} />;
}

function States({ look, info, q }: { look: RobotDescription; info: ProblemInfo; q: Float64Array }) {
  const session = useSession();
  const label = (at: number) => {
    const state = look.states[at];
    return state ? `${state.name}${state.group === null ? "" : ` (${state.group})`}` : "";
  };
  const choices = [{ value: "", label: "Go to a named state" }, ...look.states.map((_, at) => ({ value: String(at), label: label(at) }))];
  const go = (value: string) => {
    const state = look.states[Number(value)];
    if (value !== "" && state) void session.robot.setValues(withState(q, state, info), `Go to ${state.name}`, null);
  };
  return <Select label="Named states" value="" choices={choices} onChange={go} />;
}

/** Where the file itself has no floating base: whether it floats. */
function Base({ info }: { info: ProblemInfo }) {
  const session = useSession();
  const { problem } = session.document.value;
  if (!isFigure(problem) || (floats(info) && problem.root !== "free")) return null;
  return (
    <Switch
      label="Floating base, feet held" checked={problem.root === "free"}
      onChange={(isFree) => { session.editGoals(isFree ? "Let the base float" : "Fix the base", (figure) => withBase(figure, info, session.shown.peek()[0] ?? info.start, isFree)); }}
    />
  );
}

/** What is slid in one go is one step of undo. */
let slides = 0;

interface JointProps {
  joint: number;
  info: ProblemInfo;
  look: RobotDescription;
  q: Float64Array;
}

function Joint({ joint, info, look, q }: JointProps) {
  const { robot } = useSession();
  const id = useId();
  const at = info.valueOffsets[joint] ?? 0;
  const value = q[at] ?? 0;
  const [name, driver, speed] = [jointName(info, joint), info.mimics[joint] ?? -1, look.maxSpeeds[joint] ?? null];
  const isSlide = info.kinds[joint] === "prismatic";
  const unit = isSlide ? 1 : Math.PI / 180;
  const [min, max] = endsOf(info, joint);
  const set = (next: number, key: string | null) => {
    const values = Array.from(q);
    values[at] = next;
    void robot.setValues(values, `Move ${name}`, key);
  };
  const facts = [rangeWords(info, joint) || "no limit", ...(speed === null ? [] : [`${(speed / unit).toFixed(isSlide ? 2 : 0)} ${isSlide ? "m" : "°"}/s`]), ...(driver < 0 ? [] : [`follows ${jointName(info, driver)}`])];
  return (
    <li class="joint">
      <div class="slider-head">
        <label for={id}>{name}</label>
        {driver < 0
          ? <NumberField label={`${name}, value`} hideLabel unit={isSlide ? "m" : "°"} step={isSlide ? 0.01 : 5} digits={isSlide ? 3 : 1} min={min / unit} max={max / unit} value={value / unit} onCommit={(next) => { set(next * unit, null); }} />
          : <output class="numbers-text">{(value / unit).toFixed(isSlide ? 3 : 1)}{isSlide ? " m" : "°"}</output>}
      </div>
      <input
        id={id} type="range" disabled={driver >= 0} min={min} max={max} step={(max - min) / 1000} value={value}
        aria-valuetext={`${(value / unit).toFixed(isSlide ? 3 : 1)} ${isSlide ? "metres" : "degrees"}`}
        onPointerDown={() => { slides += 1; }}
        onFocus={() => { slides += 1; }}
        onInput={(event) => { set(event.currentTarget.valueAsNumber, `joint:${joint}:${slides}`); }}
      />
      <p class="hint">{facts.join(" · ")}</p>
    </li>
  );
}

/** Ends of a slider: those of the range, or half a turn or a metre to either side where there is none. */
function endsOf(info: ProblemInfo, joint: number): [number, number] {
  const most = info.kinds[joint] === "prismatic" ? 1 : Math.PI;
  const limit = info.limits[joint];
  if (limit?.kind !== "range") return [-most, most];
  return [Number.isFinite(limit.min) ? limit.min : -most, Number.isFinite(limit.max) ? limit.max : most];
}
