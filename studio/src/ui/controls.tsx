//! The small parts that everything is made of: buttons, fields, sections. Native elements throughout.

import type { LucideIcon } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import { signal } from "@preact/signals";
import { parseNumber, rounded, take } from "./numbers.ts";

interface IconButtonProps {
  icon: LucideIcon;
  label: string;
  /** Keys that do the same, shown in the tip. */
  keys?: string;
  onClick: () => void;
  /** For switches: whether it is on. */
  pressed?: boolean;
  /** It stays focusable: a disabled button would throw the focus away. */
  inactive?: boolean;
  /** Where its tip opens. */
  tip?: "below" | "above" | "left";
  class?: string;
}

/** A square button with an icon; its name shows as a tip on hover and focus. */
export function IconButton(props: IconButtonProps) {
  const Icon = props.icon;
  const tip = props.keys ? `${props.label} (${props.keys})` : props.label;
  return (
    <button
      type="button"
      class={`icon-button ${props.class ?? ""}`}
      aria-label={props.label}
      aria-pressed={props.pressed}
      aria-disabled={props.inactive}
      data-tip={tip}
      data-tip-at={props.tip ?? "below"}
      onClick={() => { if (!props.inactive) props.onClick(); }}
    >
      <Icon size={18} aria-hidden />
    </button>
  );
}

interface NumberFieldProps {
  label: string;
  value: number;
  unit: string;
  step: number;
  min?: number | undefined;
  max?: number | undefined;
  /** Digits after the point. */
  digits: number;
  /** Shows the label to screen readers only. */
  hideLabel?: boolean;
  placeholder?: string;
  onCommit: (value: number) => void;
}

/** A number that is typed in; it is taken when the field is left, on Enter, and with each step of the arrow keys. */
export function NumberField(props: NumberFieldProps) {
  const id = useId();
  // What is being typed stays while results come in and draw the panel anew.
  const [typing, setTyping] = useState<string | null>(null);
  const [note, setNote] = useState("");
  const shown = Number.isFinite(props.value) ? rounded(props.value, props.digits) : "";
  const commit = (typed: string) => {
    const taken = take(typed, props);
    setTyping(null);
    setNote(taken.note);
    if (taken.value !== null) props.onCommit(taken.value);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const way = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (way === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const from = parseNumber(typing ?? shown) ?? props.value;
    commit((from + way * props.step).toFixed(Math.max(props.digits, 6)));
  };
  return (
    <span class="number-field">
      <label for={id} class={props.hideLabel ? "sr-only" : "number-label"}>{props.label}</label>
      <input
        id={id}
        type="text"
        role="spinbutton"
        // The decimal keys of a phone have no minus.
        inputMode={(props.min ?? -1) >= 0 ? "decimal" : "text"}
        autocomplete="off"
        spellcheck={false}
        class="number"
        value={typing ?? shown}
        aria-valuenow={Number.isFinite(props.value) ? props.value : undefined}
        aria-valuetext={`${shown} ${props.unit}`.trim()}
        aria-valuemin={props.min}
        aria-valuemax={props.max}
        aria-describedby={note ? `${id}-note` : undefined}
        placeholder={props.placeholder}
        onInput={(event) => { setTyping(event.currentTarget.value); setNote(""); }}
        onBlur={() => { setTyping(null); }}
        onChange={(event) => { commit(event.currentTarget.value); }}
        onKeyDown={onKeyDown}
      />
      {props.unit && <span class="unit" aria-hidden>{props.unit}</span>}
      {note && <span class="number-note" id={`${id}-note`} role="status">{note}</span>}
    </span>
  );
}

interface SwitchProps {
  label: string;
  checked: boolean;
  describedBy?: string;
  onChange: (on: boolean) => void;
}

export function Switch({ label, checked, describedBy, onChange }: SwitchProps) {
  return (
    <label class="switch">
      <input
        type="checkbox"
        role="switch"
        checked={checked}
        aria-describedby={describedBy}
        onChange={(event) => { onChange(event.currentTarget.checked); }}
      />
      <span class="switch-track" aria-hidden />
      <span>{label}</span>
    </label>
  );
}

interface SelectProps<Value extends string> {
  label: string;
  hideLabel?: boolean;
  value: Value;
  choices: readonly { value: Value; label: string }[];
  onChange: (value: Value) => void;
}

export function Select<Value extends string>(props: SelectProps<Value>) {
  const id = useId();
  return (
    <span class="select-field">
      <label for={id} class={props.hideLabel ? "sr-only" : "field-label"}>{props.label}</label>
      <select id={id} value={props.value} onChange={(event) => { props.onChange(event.currentTarget.value as Value); }}>
        {props.choices.map((choice) => (
          <option key={choice.value} value={choice.value} selected={choice.value === props.value}>{choice.label}</option>
        ))}
      </select>
    </span>
  );
}

/** Which sections are open; kept while the page lives, so that they stay as they were when the panel comes back. */
const openSections = signal<Record<string, boolean>>({});

interface SectionProps {
  id: string;
  title: string;
  /** A few words beside the title, also while it is closed. */
  summary?: ComponentChildren;
  initiallyOpen?: boolean;
  children: ComponentChildren;
}

/** A part of a panel that opens and closes. */
export function Section({ id, title, summary, initiallyOpen = false, children }: SectionProps) {
  const open = openSections.value[id] ?? initiallyOpen;
  return (
    <details
      class="section"
      open={open}
      onToggle={(event) => {
        const isOpen = event.currentTarget.open;
        if (isOpen !== (openSections.peek()[id] ?? initiallyOpen)) openSections.value = { ...openSections.peek(), [id]: isOpen };
      }}
    >
      <summary><h2>{title}</h2><span class="section-summary">{summary}</span></summary>
      <div class="section-body">{children}</div>
    </details>
  );
}
