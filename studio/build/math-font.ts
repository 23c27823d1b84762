//! The font of formulas: STIX Two Math with the letters that the articles have, a tenth of the whole. Few systems have a font for mathematics.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import subsetFont from "subset-font";
import type { Plugin } from "vite";
import { articleOf } from "./articles.ts";

const whole = fileURLToPath(new URL("../node_modules/@fontsource/stix-two-math/files/stix-two-math-latin-400-normal.woff2", import.meta.url));
const made = fileURLToPath(new URL("../node_modules/.posekit/math.woff2", import.meta.url));
const folder = new URL("../src/ui/learn/articles/", import.meta.url);

/** Finds it as `posekit/math.woff2`; while developing, the whole font. */
export function mathFont(): Plugin {
  let isBuilding = false;
  return {
    name: "math-font",
    enforce: "pre",
    configResolved({ command }) { isBuilding = command === "build"; },
    async resolveId(id) {
      const asked = /^posekit\/math\.woff2(\?.*)?$/.exec(id);
      if (!asked) return null;
      if (isBuilding) {
        mkdirSync(dirname(made), { recursive: true });
        writeFileSync(made, await subsetFont(readFileSync(whole), letters(), { targetFormat: "woff2" }));
      }
      return (isBuilding ? made : whole) + (asked[1] ?? "");
    },
  };
}

/** All characters of the articles' formulas, and the slanted forms in which browsers draw single letters. */
export function letters(): string {
  const files = readdirSync(folder).filter((name) => name.endsWith(".md"));
  const html = files.map((name) => JSON.stringify(articleOf(readFileSync(new URL(name, folder), "utf8")))).join("");
  const found = [...html.matchAll(/<math.*?<\/math>/gs)].flatMap(([math]) => [...math.replace(/<[^>]*>/g, "")]);
  // The sign of a root is drawn, not written.
  return [...new Set(["√", ...found.flatMap((letter) => [letter, slanted(letter)])])].sort().join("");
}

function slanted(letter: string): string {
  const code = letter.codePointAt(0) ?? 0;
  const from = (first: string, to: number) => String.fromCodePoint(to + code - (first.codePointAt(0) ?? 0));
  if (letter === "h") return "ℎ";
  if (/[A-Z]/.test(letter)) return from("A", 0x1d434);
  if (/[a-z]/.test(letter)) return from("a", 0x1d44e);
  if (/[Α-Ω]/.test(letter)) return from("Α", 0x1d6e2);
  if (/[α-ω]/.test(letter)) return from("α", 0x1d6fc);
  return { ε: "𝜀", ϵ: "𝜖", ϕ: "𝜙" }[letter] ?? letter;
}
