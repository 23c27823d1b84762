//! The settings of the chosen solver: range, default, and a sentence that says what more of it does and costs.

import { useId } from "preact/hooks";
import { SETTINGS } from "../../core/settings.ts";
import type { MethodName, ProblemInfo, RunSpec, SettingSpec } from "../../core/types.ts";
import { RotateCcw } from "lucide-preact";
import { useSession } from "../context.ts";
import { IconButton, NumberField, Section, Select, Switch } from "../controls.tsx";
import { isCrowd } from "../crowd.tsx";
import { chosenRun } from "../page.ts";
import { exponent, jointName, methodWord } from "../words.ts";

type SettingValue = number | boolean | string | number[] | null;

export function SettingsSection() {
  const session = useSession();
  const { runs } = session.document.value;
  const run = runs.find(({ id }) => id === chosenRun.value) ?? runs[0];
  const info = session.info.value;
  if (!run || isCrowd(session)) return null;
  const ran = session.results.value.find(({ id }) => id === run.id)?.method ?? run.method;
  const settings = SETTINGS.filter(({ methods }) => methods.includes(run.method) || (run.method === "auto" && methods.includes(ran)));
  return (
    <Section id="settings" title="Settings" summary={methodWord(run.method)}>
      {settings.map((spec) => (
        <Setting key={spec.path} spec={spec} run={run} info={info} onChange={(value) => { session.setSetting(run.id, spec.path, value); }} />
      ))}
    </Section>
  );
}

interface SettingProps {
  spec: SettingSpec;
  run: RunSpec;
  info: ProblemInfo | null;
  onChange: (value: SettingValue) => void;
}

function Setting({ spec, run, info, onChange }: SettingProps) {
  const id = useId();
  const value = valueAt(run, spec.path);
  return (
    <div class="setting">
      <div class="setting-row">
        <Control spec={spec} value={value} method={run.method} info={info} describedBy={id} onChange={onChange} />
        {value !== undefined && <IconButton icon={RotateCcw} tip="left" label={`${spec.label}: back to the default`} onClick={() => { onChange(null); }} />}
      </div>
      <p class="hint" id={id}>{spec.sentence} {bounds(spec)}</p>
    </div>
  );
}

type ControlProps = Omit<SettingProps, "run"> & { value: SettingValue | undefined; method: MethodName; describedBy: string };

function Control({ spec, value, info, describedBy, onChange }: ControlProps) {
  switch (spec.kind) {
    case "switch":
      return <Switch label={spec.label} checked={(value ?? spec.default) === true} describedBy={describedBy} onChange={onChange} />;
    case "choice":
      return <Select label={spec.label} value={String(value ?? spec.default)} choices={spec.choices} onChange={onChange} />;
    case "range":
      return <Slider spec={spec} value={numberOr(value, spec.default)} describedBy={describedBy} toPosition={(x) => x} toValue={(x) => x} onChange={onChange} />;
    case "log-range":
      return (
        <Slider
          spec={spec} value={numberOr(value, spec.default)} describedBy={describedBy} onChange={onChange}
          toPosition={(x) => Math.log10(Math.max(x, spec.min))} toValue={(x) => Number((10 ** x).toPrecision(2))}
        />
      );
    case "per-joint":
      return <PerJoint spec={spec} values={Array.isArray(value) ? value : []} info={info} onChange={onChange} />;
  }
}

interface SliderProps {
  spec: SettingSpec;
  value: number | null;
  describedBy: string;
  toPosition: (value: number) => number;
  toValue: (position: number) => number;
  onChange: (value: number) => void;
}

/** A slider, in logarithms where the range spans many sizes, and the number beside it. */
function Slider({ spec, value, describedBy, toPosition, toValue, onChange }: SliderProps) {
  const isLog = spec.kind === "log-range";
  const at = value ?? Math.sqrt(Math.max(spec.min, 1e-15) * spec.max);
  const digits = spec.step >= 1 ? 0 : Math.min(6, Math.ceil(-Math.log10(spec.step)));
  return (
    <div class="range-row">
      {isLog
        ? <span class="number-field"><span class="number-label">{spec.label}</span><output class="number-shown">{value === null ? "auto" : exponent(value)}</output><span class="unit">{spec.unit}</span></span>
        : <NumberField label={spec.label} unit={spec.unit} value={at} min={spec.min} max={spec.max} step={spec.step} digits={digits} onCommit={onChange} />}
      <input
        type="range"
        aria-label={spec.label}
        aria-describedby={describedBy}
        aria-valuetext={isLog ? `${exponent(at)} ${spec.unit}` : undefined}
        min={toPosition(spec.min)}
        max={toPosition(spec.max)}
        step={isLog ? 0.1 : spec.step}
        value={toPosition(at)}
        onInput={(event) => { onChange(toValue(event.currentTarget.valueAsNumber)); }}
      />
    </div>
  );
}

/** Joints of a list at most: beyond that a page of fields helps nobody. */
const MOST_FIELDS = 64;

function PerJoint({ spec, values, info, onChange }: { spec: SettingSpec; values: number[]; info: ProblemInfo | null; onChange: (values: number[]) => void }) {
  if (!info) return null;
  const usual = typeof spec.default === "number" ? spec.default : 1;
  const names = info.names.length > 0 ? info.names.map((_, joint) => jointName(info, joint)) : Array.from({ length: info.start.points.length / 3 }, (_, index) => `point ${index}`);
  const all = names.map((_, joint) => values[joint] ?? usual);
  return (
    <details class="per-joint">
      <summary>{spec.label}</summary>
      <div class="per-joint-list">
        {names.slice(0, MOST_FIELDS).map((name, joint) => (
          <NumberField
            key={name} label={name} unit={spec.unit} value={all[joint] ?? usual} min={spec.min} max={spec.max} step={spec.step} digits={2}
            onCommit={(value) => { onChange(all.map((old, index) => (index === joint ? value : old))); }}
          />
        ))}
      </div>
      {names.length > MOST_FIELDS && <p class="hint">The other {names.length - MOST_FIELDS} keep their values.</p>}
    </details>
  );
}

function numberOr(value: SettingValue | undefined, usual: SettingSpec["default"]): number | null {
  if (typeof value === "number") return value;
  return typeof usual === "number" ? usual : null;
}

/** The value at a path of one or two names; undefined where the default holds. */
function valueAt(run: RunSpec, path: string): SettingValue | undefined {
  let value: unknown = run.settings;
  for (const name of path.split(".")) {
    if (typeof value !== "object" || value === null) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value as SettingValue | undefined;
}

function bounds(spec: SettingSpec): string {
  const unit = spec.unit ? ` ${spec.unit}` : "";
  switch (spec.kind) {
    case "range": return `From ${spec.min} to ${spec.max}${unit}; default ${spec.default ?? "automatic"}.`;
    case "log-range": return `From ${exponent(spec.min)} to ${exponent(spec.max)}${unit}; default ${typeof spec.default === "number" ? exponent(spec.default) : "automatic"}.`;
    case "switch": return `Default ${spec.default === true ? "on" : "off"}.`;
    case "choice": return `Default ${spec.choices.find(({ value }) => value === spec.default)?.label.toLowerCase() ?? "automatic"}.`;
    case "per-joint": return `From ${spec.min}; default ${spec.default ?? "automatic"}.`;
  }
}
