//! The tokens of `style/tokens.css` for what is not drawn by style sheets: the view, the plots, the pictures.

import type { MethodName } from "../core/types.ts";

export type TokenName =
  | "paper" | "panel-paper" | "sunk" | "ink" | "ink-soft" | "line-soft" | "line-strong" | "grid" | "grid-strong"
  | "accent" | "focus" | "good" | "warn" | "bad" | "target" | "bone" | "bone-edge" | "before" | "joint" | "lit" | "limit"
  | `solver-${SolverColour}` | `line-${SolverColour}` | "line-target";

type SolverColour = "two-bone" | "ccd" | "fabrik" | "relaxation" | "least-squares";

/** A token's value as it stands in the theme that is on show, such as `#fafaf7`. */
export function token(name: TokenName): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

/** How a solver is told apart: by colour, and without colour by dash and marker. */
export interface SolverLook {
  fill: TokenName;
  line: TokenName;
  /** Lengths of dash and gap in pixels; empty is a full line. */
  dash: readonly number[];
  marker: Marker;
}

export type Marker = "disc" | "ring" | "square" | "triangle" | "diamond" | "cross";

const LOOKS: Record<Exclude<MethodName, "auto">, SolverLook> = {
  "two-bone": { fill: "solver-two-bone", line: "line-two-bone", dash: [], marker: "disc" },
  direct: { fill: "solver-two-bone", line: "line-two-bone", dash: [14, 4], marker: "ring" },
  ccd: { fill: "solver-ccd", line: "line-ccd", dash: [8, 4], marker: "square" },
  fabrik: { fill: "solver-fabrik", line: "line-fabrik", dash: [2, 3], marker: "triangle" },
  relaxation: { fill: "solver-relaxation", line: "line-relaxation", dash: [10, 3, 2, 3], marker: "diamond" },
  "least-squares": { fill: "solver-least-squares", line: "line-least-squares", dash: [5, 2, 5, 6], marker: "cross" },
};

/** The look of a method that ran: what `auto` chose, and until it has chosen that of the closed form. */
export function lookOf(method: MethodName): SolverLook {
  return LOOKS[method === "auto" ? "two-bone" : method];
}
