/**
 * The look of a drawing: colours by role, and what a solver wears.
 *
 * The same tables as `crates/posekit-cli/src/draw/look.rs`; a drawing in the page, an SVG and a report show the same thing.
 */

/** The two grounds that a picture is drawn on. */
export type Theme = "light" | "dark";

/** The shape of a curve's points and of a ghost's joints. */
export type Marker = "circle" | "square" | "triangle" | "diamond" | "wedge" | "plus" | "hexagon";

/** Who solved it, by the look: every method that has no colour of its own is `other`. */
export type Solver =
  "two-bone" | "direct" | "ccd" | "fabrik" | "relaxation" | "least-squares" | "other";

/** How a solver is drawn: colour says who, dash and marker say it again without colour. */
export interface SolverLook {
  readonly name: Solver;
  /** Place in {@link SOLVERS}. */
  readonly index: number;
  /** Lengths of dashes and gaps in pixels; empty for a full line. */
  readonly dash: readonly number[];
  readonly marker: Marker;
  /** Its own colour (Okabe and Ito) on light and on dark ground. */
  readonly fill: readonly [string, string];
  /** For lines: darkened on paper where it would fall below 3 to 1. */
  readonly edge: readonly [string, string];
}

function solver(
  index: number,
  name: Solver,
  fill: readonly [string, string],
  lightEdge: string,
  dash: readonly number[],
  marker: Marker,
): SolverLook {
  return { name, index, dash, marker, fill, edge: [lightEdge, fill[1]] };
}

/** Every look, in the order of the palette. */
export const SOLVERS: readonly SolverLook[] = [
  solver(0, "two-bone", ["#56B4E9", "#56B4E9"], "#4590BA", [], "plus"),
  solver(1, "direct", ["#56B4E9", "#56B4E9"], "#4590BA", [1, 3], "hexagon"),
  solver(2, "ccd", ["#0072B2", "#0072B2"], "#0072B2", [7, 3], "circle"),
  solver(3, "fabrik", ["#E69F00", "#E69F00"], "#B87F00", [2.5, 2.5], "square"),
  solver(4, "relaxation", ["#009E73", "#009E73"], "#009E73", [9, 3, 2, 3], "triangle"),
  solver(5, "least-squares", ["#CC79A7", "#CC79A7"], "#BE719B", [12, 4], "diamond"),
  solver(6, "other", ["#63676D", "#A6A8A6"], "#63676D", [4, 4, 1, 4], "wedge"),
];

/** The look of a method by its command-line name. The automatic choice wears that of the solver it chose: ask with that name. */
export function lookOf(method: string): SolverLook {
  // A robot arm is a closed form, and never stands beside two bones.
  const found = SOLVERS.find((look) => look.name === (method === "arm" ? "two-bone" : method));
  return found ?? (SOLVERS[6] as SolverLook);
}

/** Colours by role. Their order is that of the palette that shaders and SVG classes index. */
export const INKS = [
  "paper",
  "ink",
  "grid",
  "quiet",
  "start",
  "start-tint",
  "target",
  "shade",
] as const;

/** A place in the palette. */
export const Ink = {
  paper: 0,
  ink: 1,
  grid: 2,
  quiet: 3,
  start: 4,
  startTint: 5,
  target: 6,
  shade: 7,
} as const;

/** Where a solver's three colours begin: its own, its lines, the light fill of its bones. */
export function solverInk(look: SolverLook): number {
  return INKS.length + 3 * look.index;
}

/** Number of colours in a palette. */
export const PALETTE_SIZE = INKS.length + 3 * SOLVERS.length;

const GROUND: Record<Theme, Record<(typeof INKS)[number], string>> = {
  light: {
    paper: "#FAFAF7",
    ink: "#1C1E21",
    grid: "#E4E4DE",
    quiet: "#5C6066",
    start: "#86898D",
    "start-tint": "#E5E6E4",
    target: "#D55E00",
    shade: "#1C1E21",
  },
  dark: {
    paper: "#15171A",
    ink: "#E8E8E3",
    grid: "#2A2D31",
    quiet: "#A6A8A6",
    start: "#808387",
    "start-tint": "#282A2E",
    target: "#D55E00",
    shade: "#000000",
  },
};

/** A palette: `#RRGGBB` for every ink. */
export interface Palette {
  readonly theme: Theme;
  readonly colours: readonly string[];
}

/** The page's names for inks, where they differ. */
const TOKENS: Partial<Record<string, string>> = { quiet: "ink-soft", start: "before" };

/**
 * The palette of a theme.
 *
 * - `token`: reads a custom property of the page; what it does not set, or not as `#RRGGBB`, is as built in
 */
export function palette(theme: Theme, token: (name: string) => string = () => ""): Palette {
  const read = (name: string, fallback: string) => {
    const own = token(name).trim();
    return /^#[0-9a-f]{6}$/i.test(own) ? own.toUpperCase() : fallback;
  };
  const colours = INKS.map((name) => read(TOKENS[name] ?? name, GROUND[theme][name]));
  const paper = colours[Ink.paper] as string;
  colours[Ink.startTint] = mix(paper, colours[Ink.start] as string, 0.18);
  const side = theme === "light" ? 0 : 1;
  // Full enough for the figure to be what shines, light enough for its outline to be seen.
  const share = theme === "light" ? 0.36 : 0.58;
  for (const look of SOLVERS) {
    const fill = read(`solver-${look.name}`, look.fill[side]);
    colours.push(fill, read(`line-${look.name}`, look.edge[side]), mix(paper, fill, share));
  }
  return { theme, colours };
}

/** Red, green and blue of `#RRGGBB`, 0 to 1. */
export function rgb(colour: string): [number, number, number] {
  const bits = Number.parseInt(colour.slice(1), 16);
  return [((bits >> 16) & 255) / 255, ((bits >> 8) & 255) / 255, (bits & 255) / 255];
}

/** `share` of `b` laid over `a`. */
export function mix(a: string, b: string, share: number): string {
  const from = rgb(a);
  const to = rgb(b);
  const channel = (i: number) => {
    const value = Math.round(255 * ((from[i] as number) * (1 - share) + (to[i] as number) * share));
    return value.toString(16).padStart(2, "0");
  };
  return `#${channel(0)}${channel(1)}${channel(2)}`.toUpperCase();
}
