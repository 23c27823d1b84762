//! The settings of cleaning as the panel shows them, one sentence each.

import type { MotionSettings } from "./types.ts";

/** Until a file is open, which brings the library's own. */
export const FIRST: MotionSettings = {
  isOn: true, strength: 1, floor: "fit", inPlace: false, path: true, keepEnds: false, ease: 0, release: 0, shortest: 0, fade: 0,
};

export type NumberSetting = "strength" | "ease" | "release" | "shortest" | "fade";

export interface RangeSpec {
  name: NumberSetting;
  label: string;
  unit: string;
  min: number;
  max: number;
  step: number;
  sentence: string;
}

export const RANGES: readonly RangeSpec[] = [
  { name: "strength", label: "Strength", unit: "", min: 0, max: 1, step: 0.01, sentence: "How much of the correction is applied: 1 removes the slide completely, less keeps some of it." },
  { name: "ease", label: "Ease", unit: "s", min: 0, max: 0.6, step: 0.01, sentence: "How long the foot blends into and out of a plant; longer is softer, shorter changes less of the swing." },
  { name: "release", label: "Release, in legs", unit: "", min: 0.02, max: 0.6, step: 0.01, sentence: "A foot that slides farther than this, in leg lengths, slides intentionally and is not changed." },
  { name: "shortest", label: "Shortest plant", unit: "s", min: 0.02, max: 0.4, step: 0.01, sentence: "Shorter plants are ignored." },
];

export const FADE: RangeSpec = {
  name: "fade", label: "Fade of poses", unit: "s", min: 0.05, max: 2, step: 0.05,
  sentence: "Fade-in before the first pose and fade-out after the last; between poses the change follows a smooth curve.",
};

export const FLOORS: readonly { value: MotionSettings["floor"]; label: string }[] = [
  { value: "fit", label: "A plane, tilted if necessary" },
  { value: "level", label: "A level plane" },
  { value: "per-plant", label: "Each plant at its own height" },
];
