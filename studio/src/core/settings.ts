//! The settings that a person can turn: name, range, default, and what more of it does and costs. The defaults are those of the library.

import { METHODS, PUBLISHED } from "./methods.ts";
import type { MethodName, SettingSpec, Settings } from "./types.ts";

const ITERATED: MethodName[] = ["auto", "arm", "direct", "ccd", "fabrik", "relaxation", "least-squares"];

const common = { unit: "", min: 0, max: 1, step: 1, choices: [] };

export const SETTINGS: readonly SettingSpec[] = [
  {
    ...common,
    path: "iterations",
    label: "Maximum iterations",
    kind: "range",
    max: 1000,
    default: 500,
    sentence: "More finds the target in harder cases and takes longer when it cannot be reached; 0 only measures the start.",
    methods: ITERATED,
  },
  {
    ...common,
    path: "tolerance",
    label: "Tolerance",
    unit: "m",
    kind: "log-range",
    min: 1e-9,
    max: 0.1,
    step: 0.1,
    default: null,
    sentence: "The largest distance that counts as reached: larger is faster and coarser. Automatic is a millionth of the reach.",
    methods: [...METHODS],
  },
  {
    ...common,
    path: "orientation_tolerance",
    label: "Angular tolerance",
    unit: "rad",
    kind: "log-range",
    min: 1e-9,
    max: 0.1,
    step: 0.1,
    default: 1e-6,
    sentence: "The largest angle that counts as reached: larger is faster and coarser.",
    methods: ["auto", "ccd", "least-squares"],
  },
  {
    ...common,
    path: "classic",
    label: "Classic: as published",
    kind: "switch",
    default: false,
    sentence: "On: the iteration exactly as published, with its lock-ups. Off: the same iteration with an escape.",
    methods: ["ccd", "fabrik", "relaxation"],
  },
  {
    ...common,
    path: "ccd.weights",
    label: "Share of each joint's rotation",
    kind: "per-joint",
    min: 0.05,
    step: 0.05,
    default: 1,
    sentence: "With less, a joint makes only part of its best rotation, which spreads the motion over the chain and takes more iterations.",
    methods: ["ccd"],
  },
  {
    ...common,
    path: "relaxation.passes",
    label: "Passes per iteration",
    kind: "range",
    min: 1,
    max: 30,
    default: 1,
    sentence: "More passes leave less error in the lengths before the pose is read, so fewer iterations are needed; each takes as much longer.",
    methods: ["relaxation"],
  },
  {
    ...common,
    path: "relaxation.reading",
    label: "How points become a pose",
    kind: "choice",
    choices: [
      { value: "angles", label: "Angles" },
      { value: "remeasured", label: "Remeasured" },
    ],
    default: "angles",
    sentence: "Angles: each bone takes the direction between its relaxed ends. Remeasured: points are pulled to their lengths from the root outward. Both cost the same.",
    methods: ["relaxation"],
  },
  {
    ...common,
    path: "relaxation.weights",
    label: "Weight of each joint",
    kind: "per-joint",
    max: 10,
    step: 0.1,
    default: 1,
    sentence: "A joint of more weight takes more of each correction, and its neighbours less.",
    methods: ["relaxation"],
  },
  {
    ...common,
    path: "least_squares.regularisation",
    label: "Regularization",
    kind: "log-range",
    min: 1e-6,
    max: 1,
    step: 0.1,
    default: 0,
    sentence: "More makes poses change more smoothly near singularities, and misses targets slightly.",
    methods: ["least-squares"],
  },
  {
    ...common,
    path: "least_squares.least_change",
    label: "Find the least change",
    kind: "switch",
    default: true,
    sentence: "Finds the pose nearby that reaches the goals with the least change. Off: the first such pose, in fewer iterations.",
    methods: ["least-squares"],
  },
  {
    ...common,
    path: "least_squares.restarts",
    label: "Restarts",
    kind: "range",
    max: 1000,
    default: 100,
    sentence: "Other starts to try if the first does not reach the target: more starts reach more targets, and may jump to another pose; 0 for tracking.",
    methods: ["least-squares"],
  },
  {
    ...common,
    path: "least_squares.stiffness",
    label: "Stiffness of each joint",
    kind: "per-joint",
    min: 0.01,
    max: 100,
    step: 0.1,
    default: 1,
    sentence: "A joint of twice the stiffness moves about half as much for the same target.",
    methods: ["least-squares"],
  },
  {
    ...common,
    path: "root",
    label: "Floating root",
    kind: "choice",
    choices: [
      { value: "free", label: "Moves" },
      { value: "pinned", label: "Stays" },
      { value: "pre-pulled", label: "Pre-pulled" },
    ],
    default: "free",
    sentence: "What a floating root does; pre-pulled saves iterations if a figure is dragged far.",
    methods: ["least-squares"],
  },
];

export type SettingValue = number | boolean | string | number[] | null;

/** The value at a path of one or two names; undefined where the default holds. */
export function settingAt(settings: Settings, path: string): SettingValue | undefined {
  let value: unknown = settings;
  for (const name of path.split(".")) {
    if (typeof value !== "object" || value === null) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value as SettingValue | undefined;
}

/** The settings with one of them changed; null takes it back to the default. */
export function withSetting(settings: Settings, path: string, value: SettingValue): Settings {
  const [first = "", ...rest] = path.split(".");
  const { [first]: old, ...others } = settings as Record<string, unknown>;
  if (rest.length === 0) return (value === null ? others : { ...others, [first]: value }) as Settings;
  const inner = withSetting((old ?? {}) as Settings, rest.join("."), value);
  return (Object.keys(inner).length === 0 ? others : { ...others, [first]: inner }) as Settings;
}

/** What goes to the solver: without what does not belong to the method, and would be refused or do nothing. */
export function settingsFor(method: MethodName, settings: Settings): Settings {
  const { classic, ...rest } = settings;
  return PUBLISHED.includes(method) && classic !== undefined ? { ...rest, classic } : rest;
}
