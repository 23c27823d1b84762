//! What a scene is: its choices, and the problem that is built from them.

import type { ProblemFile, Vec3 } from "../files.ts";
import type { MethodName, OptionSpec, OptionValue, SceneSpec, Settings } from "../types.ts";

/** Values of a scene's options, all of them there. */
export type Options = Readonly<Record<string, OptionValue>>;

export interface SceneProblem {
  problem: ProblemFile;
  urdf?: string;
}

export interface Scene {
  spec: SceneSpec;
  build(options: Options): SceneProblem;
  /** The solvers that stand there at first; the first is the main one. */
  runs: { method: MethodName; settings?: Settings }[];
  /** Whether a moved target starts from the last pose; false where the start itself is the lesson. */
  warm: boolean;
  props?: Props;
}

/** What stands in the world beside the figure, and its flesh; a view may draw it, no solver knows of it. */
export interface Props {
  /** Tapered body parts on joints, by name: two ends in the joint's frame and the half widths there. */
  parts: { joint: string; ends: [Vec3, Vec3]; radii: [number, number] }[];
  /** Flat bodies in the world, such as a door. */
  plates: { corners: Vec3[] }[];
  /** Rods in the world, such as a rail. */
  rods: { ends: [Vec3, Vec3]; radius: number }[];
  /** Balls in the world. */
  balls: { center: Vec3; radius: number }[];
}

export function numberOption(options: Options, name: string): number {
  const value = options[name];
  if (typeof value !== "number" || !Number.isFinite(value)) throw new Error(`the option ${name} is a number`);
  return value;
}

export function textOption(options: Options, name: string): string {
  return String(options[name]);
}

export function switchOption(options: Options, name: string): boolean {
  return options[name] === true;
}

/** The values given, brought into their ranges, and the defaults of the others. */
export function completeOptions(specs: readonly OptionSpec[], given: Partial<Record<string, OptionValue>>): Record<string, OptionValue> {
  return Object.fromEntries(specs.map((spec) => [spec.name, completeOption(spec, given[spec.name])]));
}

function completeOption(spec: OptionSpec, value: OptionValue | undefined): OptionValue {
  switch (spec.kind) {
    case "range": {
      if (typeof value !== "number" || !Number.isFinite(value)) return spec.default;
      const bounded = Math.min(spec.max, Math.max(spec.min, value));
      return Number.isInteger(spec.step) ? Math.round(bounded) : bounded;
    }
    case "choice":
      return spec.choices.some((choice) => choice.value === value) ? (value as string) : spec.default;
    case "switch":
      return typeof value === "boolean" ? value : spec.default;
  }
}

/** Bones from `min` to `max`: the option that many scenes have. */
export function segments(min: number, max: number, usual: number): OptionSpec {
  const sentence = "More segments bend more smoothly; the time of an iteration grows in proportion.";
  return { name: "segments", label: "Segments", kind: "range", min, max, step: 1, default: usual, unit: "", sentence };
}

export function lengthOption(name: string, label: string, usual: number, [min, max]: [number, number], sentence: string): OptionSpec {
  return { name, label, kind: "range", min, max, step: 0.01, default: usual, unit: "m", sentence };
}

export function degreesOption(name: string, label: string, usual: number, [min, max]: [number, number], sentence: string): OptionSpec {
  return { name, label, kind: "range", min, max, step: 1, default: usual, unit: "°", sentence };
}
