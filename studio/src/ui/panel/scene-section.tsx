//! The scene: what it is, and the choices that its problem is built from.

import { RotateCcw } from "lucide-preact";
import { useId } from "preact/hooks";
import { SCENES } from "../../core/scenes/index.ts";
import type { OptionSpec, OptionValue } from "../../core/types.ts";
import { useSession } from "../context.ts";
import { isCrowd } from "../crowd.tsx";
import { NumberField, Section, Select, Switch } from "../controls.tsx";

export function SceneSection() {
  const session = useSession();
  const document = session.document.value;
  const scene = SCENES.find(({ id }) => id === document.scene);
  const info = session.info.value;
  return (
    <Section id="scene" title="Scene" initiallyOpen summary={scene?.title ?? "Own file"}>
      <p class="sentence">{scene?.sentence ?? "A problem of your own. Everything works as with the scenes."}</p>
      {scene?.options.map((option) => (
        <Option
          key={option.name}
          option={option}
          value={document.options[option.name] ?? option.default}
          onChange={(value) => { session.setOption(option.name, value); }}
        />
      ))}
      {!isCrowd(session) && <Switch
        label="Start from the last pose"
        checked={document.warm}
        onChange={(on) => { session.setWarm(on); }}
      />}
      <button type="button" class="button phone-only" onClick={() => { session.reset(); }}><RotateCcw size={16} aria-hidden />Reset to the original scene</button>
      {info && info.warnings.length > 0 && (
        <ul class="warnings">{info.warnings.map((warning) => <li key={warning}>{warning}</li>)}</ul>
      )}
    </Section>
  );
}

function Option({ option, value, onChange }: { option: OptionSpec; value: OptionValue; onChange: (value: OptionValue) => void }) {
  const id = useId();
  switch (option.kind) {
    case "switch":
      return <div class="setting"><Switch label={option.label} checked={value === true} describedBy={id} onChange={onChange} /><Sentence id={id} text={option.sentence} /></div>;
    case "choice":
      return <div class="setting"><Select label={option.label} value={String(value)} choices={option.choices} onChange={onChange} /><Sentence id={id} text={option.sentence} /></div>;
    case "range":
      return (
        <div class="setting">
          <RangeRow
            label={option.label} unit={option.unit} value={Number(value)} min={option.min} max={option.max} step={option.step}
            describedBy={id} onChange={onChange}
          />
          <Sentence id={id} text={option.sentence} />
        </div>
      );
  }
}

interface RangeRowProps {
  label: string;
  unit: string;
  value: number;
  min: number;
  max: number;
  step: number;
  describedBy: string;
  onChange: (value: number) => void;
}

/** A slider and the same number to type. */
export function RangeRow(props: RangeRowProps) {
  const digits = props.step >= 1 ? 0 : Math.ceil(-Math.log10(props.step));
  return (
    <div class="range-row">
      <NumberField label={props.label} value={props.value} unit={props.unit} step={props.step} min={props.min} max={props.max} digits={digits} onCommit={props.onChange} />
      <input
        type="range"
        aria-label={props.label}
        aria-describedby={props.describedBy}
        min={props.min}
        max={props.max}
        step={props.step}
        value={props.value}
        onInput={(event) => { props.onChange(event.currentTarget.valueAsNumber); }}
      />
    </div>
  );
}

function Sentence({ id, text }: { id: string; text: string }) {
  return <p class="hint" id={id}>{text}</p>;
}
