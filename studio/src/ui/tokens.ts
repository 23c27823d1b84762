//! The tokens of `style/tokens.css` for what is not drawn by style sheets, and how solvers are told apart.

import { lookOf as lookOfName, type Marker } from "../core/pictures/look.ts";
import type { MethodName } from "../core/types.ts";

export type { Marker };

/** A token's value as it stands in the theme that is on show, such as `#fafaf7`. */
export function token(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

/** How a solver is told apart: by colour, and without colour by dash and marker. */
export interface SolverLook {
  /** Name of the token of its lines. */
  line: string;
  /** Lengths of dash and gap in pixels; empty is a full line. */
  dash: readonly number[];
  marker: Marker;
}

/** The look of a method that ran: what `auto` chose, and until it has chosen that of the closed form. */
export function lookOf(method: MethodName): SolverLook {
  const { name, dash, marker } = lookOfName(method === "auto" ? "two-bone" : method);
  return { line: `line-${name}`, dash, marker };
}
