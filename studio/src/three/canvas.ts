//! What a view has to follow of the page around its canvas: size, theme, and whether the browser still draws.

import { palette, type Palette } from "../core/pictures/look.ts";

/** Device pixels for a CSS pixel beyond which nothing gets finer to the eye. */
export const MOST_RATIO = 2;

export interface CanvasHooks {
  resize(): void;
  /** The theme or its colours have changed. */
  theme(): void;
  /** The browser took the drawing context away, or gave it back. */
  lost(isLost: boolean): void;
}

/** Tells of every change; returns what stops it. */
export function watchCanvas(canvas: HTMLCanvasElement, hooks: CanvasHooks): () => void {
  const resize = new ResizeObserver(() => { hooks.resize(); });
  resize.observe(canvas);
  const theme = new MutationObserver(() => { hooks.theme(); });
  theme.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme", "class", "style"] });
  const dark = matchMedia(DARK);
  const onScheme = () => { hooks.theme(); };
  const onLost = (event: Event) => {
    event.preventDefault();
    hooks.lost(true);
  };
  const onBack = () => { hooks.lost(false); };
  dark.addEventListener("change", onScheme);
  canvas.addEventListener("webglcontextlost", onLost);
  canvas.addEventListener("webglcontextrestored", onBack);
  return () => {
    resize.disconnect();
    theme.disconnect();
    dark.removeEventListener("change", onScheme);
    canvas.removeEventListener("webglcontextlost", onLost);
    canvas.removeEventListener("webglcontextrestored", onBack);
  };
}

const DARK = "(prefers-color-scheme: dark)";

/** The colours that the page has now. */
export function pagePalette(): Palette {
  const style = getComputedStyle(document.documentElement);
  const chosen = document.documentElement.dataset["theme"];
  const isDark = chosen === undefined ? matchMedia(DARK).matches : chosen === "dark";
  return palette(isDark ? "dark" : "light", (name) => style.getPropertyValue(`--${name}`));
}

/** What is drawn on a canvas right now, which must be asked for in the task that has drawn it. */
export function pictureOf(canvas: HTMLCanvasElement): Promise<Blob> {
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => {
      if (blob === null) reject(new Error("The picture could not be made: the browser gave no image."));
      else resolve(blob);
    }, "image/png");
  });
}
