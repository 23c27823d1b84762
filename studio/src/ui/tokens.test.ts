import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { Ink, palette, SOLVERS, solverInk, type Theme } from "../core/pictures/look.ts";

const CSS = readFileSync(new URL("style/tokens.css", import.meta.url), "utf8");

/** A token as the style sheet sets it for a theme: in the theme's own block, else for both. */
function token(theme: Theme, name: string): string {
  const blocks = CSS.split("\n}").filter((block) => block.includes(`data-theme="${theme}"`) || !block.includes("data-theme"));
  return blocks.map((block) => new RegExp(`--${name}: (#[0-9a-f]{6});`).exec(block)?.[1]).find((value) => value !== undefined)?.toUpperCase() ?? "";
}

test.each(["light", "dark"] as const)("pictures without a page wear the tokens' colours: %s", (theme) => {
  const { colours } = palette(theme);
  expect(token(theme, "paper")).toBe(colours[Ink.paper]);
  expect(token(theme, "ink")).toBe(colours[Ink.ink]);
  expect(token(theme, "grid")).toBe(colours[Ink.grid]);
  expect(token(theme, "target")).toBe(colours[Ink.target]);
  expect(token(theme, "before")).toBe(colours[Ink.start]);
  for (const look of SOLVERS.filter(({ name }) => name !== "other")) {
    expect(token(theme, `solver-${look.name}`), look.name).toBe(colours[solverInk(look)]?.toUpperCase());
    expect(token(theme, `line-${look.name}`), look.name).toBe(colours[solverInk(look) + 1]?.toUpperCase());
  }
});
