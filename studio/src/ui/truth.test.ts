//! Result, plot, trace, shown pose and time are of one solve, whatever was dragged before.

import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { Engine } from "../worker/engine.ts";
import { canBeLimited, withFirstLimit } from "../core/edit.ts";
import { show } from "./learn/shows.ts";
import { curves } from "./drawer/curves.ts";
import { createSession } from "../core/session.ts";
import { SCENES } from "../core/scenes/index.ts";
import { poseAt } from "../core/shown.ts";
import { hasPackage, loadLibrary, localWorker, until } from "../core/testing.ts";
import type { RunResult, SceneId, Session } from "../core/types.ts";

const open: Session[] = [];

async function opened(scene: SceneId): Promise<Session> {
  const session = createSession({ startWorker: () => localWorker(new Engine()), nextFrame: (then) => { setTimeout(then, 1); }, hash: "", isStill: true });
  open.push(session);
  session.openScene(scene);
  await rest(session);
  return session;
}

/** Until everything is solved, traced and measured. */
const rest = (session: Session) => until(() => session.info.value !== null && session.worker.value === "ready" && session.results.value.length === session.document.value.runs.length
  && session.results.value.every(({ trace, micros, fault }) => fault !== null || ((trace?.nPoints ?? 0) > 0 && micros !== null)), "a trace and a time", 20_000);

/** What the page says in five places is one thing. */
function expectOneTruth(session: Session, what: string): void {
  const { runs, y } = curves(session.results.value);
  for (const result of session.results.value) {
    const { trace } = result;
    if (!trace) throw new Error(`${what}: no trace`);
    const end = poseAt(trace, trace.n - 1);
    expect([[...end.q], [...end.points]], `${what}: end of the trace`).toEqual([[...result.q], [...result.points]]);
    const shown = session.shown.value.find(({ id }) => id === result.id);
    expect([[...(shown?.points ?? [])], shown?.error], `${what}: shown`).toEqual([[...result.points], result.error]);
    const curve = y[runs.findIndex(({ id }) => id === result.id)] ?? [];
    expect(curve.filter((value) => value !== null).length - 1, `${what}: end of the plot`).toBe(result.iterations);
    const isInMetres = trace.turns.every((turn) => turn <= result.orientationTolerance);
    if (isInMetres) expect(curve[result.iterations], `${what}: error in the plot`).toBeCloseTo(result.error, 12);
  }
}

/** Drags a target by steps of this length, and lets every one be solved; returns by how much the pose moved at most in one. */
async function dragged(session: Session, step: number, n: number): Promise<number> {
  const place = () => session.handles.value.find(({ id }) => id === "target:0")?.position ?? [0, 0, 0];
  let most = 0;
  session.beginDrag("target:0");
  for (let move = 0; move < n; move += 1) {
    const before = session.results.value[0]?.points.slice() ?? new Float64Array();
    const result = session.results.value[0];
    const [x, y, z] = place();
    session.drag("target:0", { position: [x + step, y + 0.4 * step, z] });
    await until(() => session.results.value[0] !== result && session.worker.value === "ready", "the move");
    most = Math.max(most, farthest(before, session.results.value[0]?.points ?? before));
  }
  session.endDrag();
  await rest(session);
  return most;
}

function farthest(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let most = 0;
  for (let p = 0; p + 2 < a.length; p += 3) most = Math.max(most, Math.hypot(...[0, 1, 2].map((axis) => (a[p + axis] ?? 0) - (b[p + axis] ?? 0))));
  return most;
}

describe.skipIf(!hasPackage)("one truth", () => {
  beforeAll(loadLibrary);
  afterEach(() => { for (const session of open.splice(0)) session.dispose(); });

  for (const { id } of SCENES.filter((scene) => scene.id !== "crowd")) {
    it(`${id}: opened, dragged, and far out of reach`, async () => {
      const session = await opened(id);
      expectOneTruth(session, "opened");
      await dragged(session, 0.01, 12);
      expectOneTruth(session, "dragged");
      await dragged(session, session.info.value?.reach ?? 1, 3);
      expectOneTruth(session, "out of reach");
    });
  }

  it.each(["ccd", "fabrik", "relaxation", "least-squares"] as const)("arm with ranges by %s: a small drag moves the pose a little, and every step leads on to the end", async (method) => {
    const session = await opened("arm-ranges");
    session.setMethod("run1", method);
    await rest(session);
    const reach = session.info.value?.reach ?? 1;
    const most = await dragged(session, 0.01, 60);
    expect(most / reach).toBeLessThan(0.25);
    expectOneTruth(session, method);
    session.scrub(0);
    await until(() => session.cursor.value !== null, "the start");
    const { trace, iterations } = session.results.value[0] as RunResult;
    for (let step = 0; step < (trace?.n ?? 0) && (session.cursor.value?.iteration ?? 0) < iterations; step += 1) session.step(1);
    expect(session.cursor.value?.iteration).toBe(iterations);
    for (let step = 0; step < (trace?.n ?? 0); step += 1) session.step(-1);
    expect(session.cursor.value?.entry).toBe(0);
  });

  it("holds feet and hands of the standing figure wherever its hips are dragged", async () => {
    const session = await opened("figure");
    const info = session.info.value;
    const hips = info?.tasks.findIndex(({ name }) => name === "hips") ?? -1;
    const [x, y, z] = session.handles.value.find(({ id }) => id === `target:${hips}`)?.position ?? [0, 0, 0];
    session.beginDrag(`target:${hips}`);
    for (let step = 1; step <= 12; step += 1) {
      const result = session.results.value[0];
      session.drag(`target:${hips}`, { position: [x + 0.03 * step, y - 0.04 * step, z - 0.02 * step] });
      await until(() => session.results.value[0] !== result && session.worker.value === "ready", "the move");
      const misses = session.results.value[0]?.misses ?? new Float64Array();
      for (const { index, name, level } of info?.tasks ?? []) if (level === 1) expect(misses[2 * index], `${name} at step ${step}`).toBeLessThan(1e-3);
    }
    session.endDrag();
  });

  it("keeps target and pose from one kind of arm to the next, as far as its joints allow", async () => {
    const session = await opened("arm-hinges");
    const old = session.results.value[0];
    session.moveHandle("target:0", { position: [0.2, 0.4, 0.6] });
    await until(() => session.results.value[0] !== old, "the move");
    await rest(session);
    const before = session.results.value[0]?.points.slice() ?? new Float64Array();
    session.openScene("arm-free");
    await until(() => session.document.value.scene === "arm-free", "the other arm");
    await rest(session);
    expect(session.document.value.problem).toMatchObject({ target: [0.2, 0.4, 0.6] });
    expect(farthest(before, session.results.value[0]?.points ?? before)).toBeLessThan(1e-6);
    session.openScene("arm-ranges");
    await until(() => session.document.value.scene === "arm-ranges", "the third arm");
    await rest(session);
    expect(session.document.value.problem).toMatchObject({ target: [0.2, 0.4, 0.6] });
  });

  it("gives a joint of a lock-up a limit, which then has handles", async () => {
    const session = await opened("lock-up-3");
    const info = session.info.value;
    if (!info) throw new Error("nothing is loaded");
    expect(canBeLimited(session.document.value.problem, info, 1)).toBe(true);
    session.editProblem("Limit joint 2", (problem) => withFirstLimit(problem, info, 1));
    await until(() => session.info.value?.limits[1]?.kind === "range", "the limit");
    await rest(session);
    expect(session.handles.value.map(({ id }) => id)).toContain("limit:1:max");
    expect(canBeLimited(session.document.value.problem, session.info.value ?? info, 1)).toBe(false);
  });

  it("draws two poses where Learn sets the direct solver beside CCD", async () => {
    const session = await opened("chain-2d");
    show(session, "direct-ccd");
    await until(() => session.document.value.runs.length === 2, "two solvers");
    await rest(session);
    const [a, b] = session.results.value;
    expect(farthest(a?.points ?? [], b?.points ?? []) / (session.info.value?.reach ?? 1)).toBeGreaterThan(0.05);
  });

  it("plays so many iterations a frame while a target is dragged", async () => {
    const session = await opened("arm-ranges");
    session.setPerFrame(1);
    session.beginDrag("target:0");
    session.drag("target:0", { position: [0.1, 0.5, 0.5] });
    await until(() => session.results.value[0]?.done === false, "a frame that is not the end");
    expect(session.playback.value).toEqual({ mode: "play", running: true });
    session.endDrag();
    await until(() => session.results.value[0]?.done === true, "the end");
    await until(() => !session.playback.value.running, "it comes to rest by itself");
    await rest(session);
    expectOneTruth(session, "played");
  });
});
