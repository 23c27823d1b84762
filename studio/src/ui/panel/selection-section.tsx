//! What is selected, with its numbers to type in.

import { Plus } from "lucide-preact";
import type { Vec3 } from "../../core/files.ts";
import { boneLength, chainJoint, LENGTHS, withBoneLength, withChainJoint, type ChainJoint } from "../../core/bones.ts";
import { canBeLimited, rootOf, withFirstLimit } from "../../core/edit.ts";
import { spotsOf } from "../../core/goals.ts";
import { jointLabel } from "../../core/handles.ts";
import type { Handle, HandleMove, ProblemInfo } from "../../core/types.ts";
import { eulerFromQuat, quatFromEuler } from "../turns.ts";
import { useSession } from "../context.ts";
import { NumberField, Section, Select } from "../controls.tsx";
import { jointName } from "../words.ts";
import { addGoal } from "./goals-section.tsx";

export function SelectionSection() {
  const session = useSession();
  const handles = session.handles.value;
  const info = session.info.value;
  const selected = handles.find(({ id }) => id === session.selection.value) ?? null;
  if (handles.length === 0) return null;
  return (
    <Section id="selection" title="Selected" summary={selected?.label ?? "nothing"}>
      <Select
        label="Handle"
        hideLabel
        value={selected?.id ?? ""}
        choices={[{ value: "", label: "Nothing: choose one, or click in the view" }, ...handles.map(({ id, label }) => ({ value: id, label }))]}
        onChange={(id) => { session.selection.value = id || null; }}
      />
      {selected && <HandleNumbers handle={selected} info={info} onMove={(move) => { session.moveHandle(selected.id, move); }} />}
    </Section>
  );
}

interface NumbersProps {
  handle: Handle;
  info: ProblemInfo | null;
  onMove: (move: HandleMove) => void;
}

function HandleNumbers({ handle, info, onMove }: NumbersProps) {
  return (
    <>
      {handle.limit ? <LimitNumber handle={handle} info={info} onMove={onMove} /> : <PositionNumbers handle={handle} onMove={onMove} />}
      {handle.rotation && <TurnNumbers rotation={handle.rotation} onMove={onMove} />}
      {handle.joint !== null && info && <JointFacts joint={handle.joint} info={info} />}
      {info && <BoneNumbers joint={handle.kind === "root" ? rootOf(info) : handle.joint} info={info} />}
      {info && <FirstLimit joint={handle.kind === "root" ? rootOf(info) : handle.joint} info={info} />}
      {handle.kind === "joint" && handle.joint !== null && <GoalHere joint={handle.joint} info={info} />}
    </>
  );
}

function PositionNumbers({ handle, onMove }: { handle: Handle; onMove: (move: HandleMove) => void }) {
  const names = handle.moves === "plane" ? ["x", "y"] : ["x", "y", "z"];
  return (
    <div class="numbers" role="group" aria-label="Position in metres">
      {names.map((name, axis) => (
        <NumberField
          key={name} label={name} unit="m" step={0.01} digits={3} value={handle.position[axis] ?? 0}
          onCommit={(value) => { onMove({ position: replaced(handle.position, axis, value) }); }}
        />
      ))}
    </div>
  );
}

function TurnNumbers({ rotation, onMove }: { rotation: NonNullable<Handle["rotation"]>; onMove: (move: HandleMove) => void }) {
  const angles = eulerFromQuat(rotation);
  return (
    <div class="numbers" role="group" aria-label="Rotation about the fixed axes x, y, z, in degrees">
      {["roll", "pitch", "yaw"].map((name, axis) => (
        <NumberField
          key={name} label={name} unit="°" step={5} digits={1} value={degrees(angles[axis] ?? 0)}
          onCommit={(value) => { onMove({ rotation: quatFromEuler(replaced(angles, axis, radians(value))) }); }}
        />
      ))}
    </div>
  );
}

const JOINTS: { value: ChainJoint; label: string }[] = [{ value: "ball", label: "Ball joint" }, { value: "hinge", label: "Hinge" }];

/** For chains: the bone that a joint carries, and how the joint turns. */
function BoneNumbers({ joint, info }: { joint: number | null; info: ProblemInfo }) {
  const session = useSession();
  const { problem } = session.document.value;
  const long = joint === null ? null : boneLength(problem, joint);
  if (joint === null || long === null) return null;
  const kind = chainJoint(problem, joint);
  const name = jointLabel(info, joint).toLowerCase();
  return (
    <>
      <NumberField
        label="Length of its bone" unit="m" step={0.01} digits={3} min={LENGTHS.min} max={LENGTHS.max} value={long}
        onCommit={(value) => { session.editProblem(`Change the bone of ${name}`, (old) => withBoneLength(old, joint, value)); }}
      />
      {kind && <Select label="Kind of joint" value={kind} choices={JOINTS} onChange={(next) => { session.editProblem(`Change the kind of ${name}`, (old) => withChainJoint(old, joint, next)); }} />}
    </>
  );
}

/** A limit for a joint that has none. */
function FirstLimit({ joint, info }: { joint: number | null; info: ProblemInfo }) {
  const session = useSession();
  if (joint === null || !canBeLimited(session.document.value.problem, info, joint)) return null;
  const words = `Limit ${jointLabel(info, joint).toLowerCase()}`;
  return (
    <button type="button" class="button" onClick={() => { session.editProblem(words, (problem) => withFirstLimit(problem, info, joint)); }}>
      <Plus size={16} aria-hidden />{words}
    </button>
  );
}

/** For figures: a goal on the joint that is selected. */
function GoalHere({ joint, info }: { joint: number; info: ProblemInfo | null }) {
  const session = useSession();
  const spot = info && spotsOf(session.document.value.problem, info).find((one) => one.joint === joint);
  if (!spot) return null;
  return <button type="button" class="button add-goal" onClick={() => { addGoal(session, joint); }}><Plus size={16} aria-hidden />Add a goal on {spot.name}</button>;
}

const ENDS = { min: "Minimum", max: "Maximum", swing: "Swing", "twist-min": "Minimum twist", "twist-max": "Maximum twist" } as const;

function LimitNumber({ handle, info, onMove }: NumbersProps) {
  if (!handle.limit) return null;
  const slides = handle.joint !== null && info?.kinds[handle.joint] === "prismatic";
  const { end, value } = handle.limit;
  const [min, max] = boundsOf(handle, info);
  return slides
    ? <NumberField label={ENDS[end]} unit="m" step={0.01} digits={3} min={min} max={max} value={value} onCommit={(next) => { onMove({ value: next }); }} />
    : <NumberField label={ENDS[end]} unit="°" step={5} digits={1} min={inDegrees(min, -360)} max={inDegrees(max, 360)} value={degrees(value)} onCommit={(next) => { onMove({ value: radians(next) }); }} />;
}

/** Where an end of a limit can be put: one end does not pass the other. */
function boundsOf({ joint, limit: ends }: Handle, info: ProblemInfo | null): [number | undefined, number | undefined] {
  const limit = joint === null ? undefined : info?.limits[joint];
  if (limit?.kind === "range") return ends?.end === "min" ? [undefined, limit.max] : [limit.min, undefined];
  if (limit?.kind !== "cone") return [undefined, undefined];
  if (ends?.end === "swing") return [0, Math.PI];
  return ends?.end === "twist-min" ? [undefined, limit.twist[1]] : [limit.twist[0], undefined];
}

function inDegrees(bound: number | undefined, usual: number): number {
  return bound === undefined ? usual : degrees(bound);
}

const KINDS = { fixed: "does not move", revolute: "hinge", prismatic: "slide", ball: "ball joint", free: "free in space" } as const;

function JointFacts({ joint, info }: { joint: number; info: ProblemInfo }) {
  const { urdf } = useSession().document.value;
  const kind = info.kinds[joint];
  if (!kind) return null;
  const driver = info.mimics[joint] ?? -1;
  const range = rangeWords(info, joint);
  const facts = [
    `${jointName(info, joint)}: ${KINDS[kind]}${range && `, ${range}`}`,
    ...(driver >= 0 ? [`It follows ${jointName(info, driver)}: move that joint's limits`] : []),
    ...(range && driver < 0 && urdf !== undefined ? ["A changed limit is saved with the problem, in its URDF; the file that was opened stays as it is"] : []),
  ];
  return <p class="hint">{facts.join(". ")}</p>;
}

/** The range of a joint in words; empty where it has none. */
export function rangeWords(info: ProblemInfo, joint: number): string {
  const limit = info.limits[joint];
  if (limit?.kind === "cone") return `swings ${degrees(limit.swing).toFixed(0)}°`;
  if (limit?.kind !== "range") return "";
  const slides = info.kinds[joint] === "prismatic";
  const words = (value: number) => (Number.isFinite(value) ? slides ? value.toFixed(3) : `${degrees(value).toFixed(0)}°` : "no end");
  return `${words(limit.min)} to ${words(limit.max)}${slides ? "\u00a0m" : ""}`;
}

function replaced(from: Vec3, axis: number, value: number): Vec3 {
  return from.map((old, index) => (index === axis ? value : old)) as Vec3;
}

const degrees = (radians: number) => radians * 180 / Math.PI;
const radians = (degrees: number) => degrees * Math.PI / 180;
