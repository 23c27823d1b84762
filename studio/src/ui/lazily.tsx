//! Parts of the page that are fetched when they are first shown.

import type { ComponentType } from "preact";
import { signal } from "@preact/signals";
import { tell } from "./page.ts";

/** A component that is there as soon as its script is. */
export function lazily<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  const part = signal<ComponentType<P> | null>(null);
  let isAsked = false;
  return function Lazily(props: P) {
    const Part = part.value;
    if (!isAsked) {
      isAsked = true;
      load().then((loaded) => { part.value = loaded; }, () => {
        isAsked = false;
        tell("error", "A part of the page cannot be loaded", "Reload the page, or look whether there is a network.");
      });
    }
    return Part ? <Part {...props} /> : null;
  };
}
