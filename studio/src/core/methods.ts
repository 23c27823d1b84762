//! The methods by name: what they are called for people, and in which order they are listed.

import type { MethodName } from "./types.ts";

export const METHODS: readonly MethodName[] = ["auto", "two-bone", "direct", "ccd", "fabrik", "relaxation", "least-squares"];

/** Methods that have a published iteration, which `classic` runs as its text gives it. */
export const PUBLISHED: readonly MethodName[] = ["ccd", "fabrik", "relaxation"];

export function isMethod(name: unknown): name is MethodName {
  return typeof name === "string" && (METHODS as readonly string[]).includes(name);
}
