//! Light, dark, or as the system has it. What is on show is always written on the root element.

import { computed, effect, signal } from "@preact/signals";

export type ThemeChoice = "auto" | "light" | "dark";

const KEY = "posekit-studio-theme";
const dark = matchMedia("(prefers-color-scheme: dark)");
const systemIsDark = signal(dark.matches);
dark.addEventListener("change", (event) => { systemIsDark.value = event.matches; });

/** What the person chose; kept on this machine. */
export const themeChoice = signal<ThemeChoice>(stored());

/** What is on show. */
export const theme = computed<"light" | "dark">(() =>
  themeChoice.value === "auto" ? (systemIsDark.value ? "dark" : "light") : themeChoice.value);

/** Reading it once at the start is enough to keep the root element true. */
effect(() => {
  document.documentElement.dataset["theme"] = theme.value;
});

export function chooseTheme(choice: ThemeChoice): void {
  themeChoice.value = choice;
  try {
    localStorage.setItem(KEY, choice);
  } catch {
    // Storage may be forbidden; the choice then lasts as long as the page.
  }
}

function stored(): ThemeChoice {
  try {
    const value = localStorage.getItem(KEY);
    return value === "light" || value === "dark" ? value : "auto";
  } catch {
    return "auto";
  }
}

const reduced = matchMedia("(prefers-reduced-motion: reduce)");
/** Whether things should change without moving. */
export const reducedMotion = signal(reduced.matches);
reduced.addEventListener("change", (event) => { reducedMotion.value = event.matches; });
