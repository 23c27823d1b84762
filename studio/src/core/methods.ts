//! The methods by name: what they are called for people, and in which order they are listed.

import type { MethodName, RunResult, RunSpec } from "./types.ts";

export const METHODS: readonly MethodName[] = ["auto", "two-bone", "arm", "direct", "ccd", "fabrik", "relaxation", "least-squares"];

/** Methods that have a published iteration, which `classic` runs as its text gives it. */
export const PUBLISHED: readonly MethodName[] = ["ccd", "fabrik", "relaxation"];

export function isMethod(name: unknown): name is MethodName {
  return typeof name === "string" && (METHODS as readonly string[]).includes(name);
}

/** What the runs have run; null while it is not known yet what an automatic one chooses. */
export function usedMethods(runs: readonly RunSpec[], results: readonly RunResult[]): ReadonlySet<MethodName> | null {
  const used = runs.map((run) => (run.method === "auto" ? results.find(({ id }) => id === run.id)?.method : run.method));
  return used.includes(undefined) ? null : new Set(used as MethodName[]);
}

/** The first of these methods that is not in use; null when there is no other. */
export function unusedMethod(methods: readonly MethodName[], used: ReadonlySet<MethodName>): MethodName | null {
  return methods.find((method) => method !== "auto" && !used.has(method)) ?? null;
}
