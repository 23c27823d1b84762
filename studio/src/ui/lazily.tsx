//! Parts of the page that are fetched when they are first shown.

import type { ComponentType } from "preact";
import { signal } from "@preact/signals";

/** A component that is there as soon as its script is. */
export function lazily<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  const part = signal<ComponentType<P> | null>(null);
  let isAsked = false;
  return function Lazily(props: P) {
    const Part = part.value;
    if (!isAsked) {
      isAsked = true;
      load().then((loaded) => { part.value = loaded; }, () => { isAsked = false; });
    }
    return Part ? <Part {...props} /> : null;
  };
}
