//! What the "show me" buttons set up: a scene, the solvers on it, and where in time to look. One step of undo each.

import { sceneDocument } from "../../core/scenes/index.ts";
import type { MethodName, OptionValue, RunSpec, SceneId, Session, SettingsSubset } from "../../core/types.ts";

interface Setting {
  scene: SceneId;
  options?: Record<string, OptionValue>;
  runs: { method: MethodName; settings?: SettingsSubset }[];
  title: string;
  /** Iterations to show; without it the end is. */
  atStart?: boolean;
}

/** Opens a scene with these solvers; `atStart` puts the scrubber on the start, ready to be stepped. */
export function setUp(session: Session, { scene, options = {}, runs, title, atStart = false }: Setting): void {
  const document = sceneDocument(scene, options);
  const made = runs.map(({ method, settings = {} }, index): RunSpec => ({ id: `show-${index}`, method, settings, visible: true }));
  session.open({ ...document, title, runs: made, warm: false, view: { ...document.view, showTrace: true } }, `Show: ${title}`);
  if (atStart) session.scrub(0);
}

/** The same solver twice: as published, and as it is here. */
export function publishedAndOurs(method: MethodName): Setting["runs"] {
  return [{ method, settings: { classic: true, iterations: 20 } }, { method }];
}
