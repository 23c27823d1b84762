import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { Engine } from "../worker/engine.ts";
import { hasPackage, loadLibrary, localWorker, until } from "./testing.ts";
import { boneLength, chainJoint, withBoneLength, withChainJoint } from "./bones.ts";
import { flatPoints } from "./edit.ts";
import { isFigure, isSpace } from "./files.ts";
import { decodeLink, encodeLink } from "./link.ts";
import { createSession } from "./session.ts";
import type { Surroundings } from "./surroundings.ts";
import { SCENES, sceneDocument } from "./scenes/index.ts";
import type { Session } from "./types.ts";

const open: Session[] = [];

function start(surroundings: Partial<Surroundings> = {}): Session {
  const session = createSession({
    startWorker: () => localWorker(new Engine()),
    nextFrame: (then) => { setTimeout(then, 1); },
    hash: "#scene=limb-2d",
    isStill: true,
    ...surroundings,
  });
  open.push(session);
  return session;
}

const main = (session: Session) => {
  const result = session.results.value[0];
  if (!result) throw new Error("nothing is solved");
  return result;
};

const solved = (session: Session, scene?: string) => until(() => (scene === undefined || session.document.value.scene === scene) && session.results.value.length === session.document.value.runs.length && session.worker.value === "ready", `${scene} is solved`);
const traced = (session: Session) => until(() => session.results.value.length > 0 && session.results.value.every(({ trace, micros }) => (trace?.nPoints ?? 0) > 0 && micros !== null), "traces and times");
const tip = (session: Session) => [...(session.shown.value[0]?.points ?? [])].slice(-3);

async function opened(scene: (typeof SCENES)[number]["id"]): Promise<Session> {
  const session = start();
  session.openScene(scene);
  await solved(session, scene);
  await until(() => session.info.value !== null && (scene === "crowd" || session.handles.value.length > 0), "handles");
  return session;
}

describe.skipIf(!hasPackage)("a session", () => {
  beforeAll(loadLibrary);
  afterEach(() => { for (const session of open.splice(0)) session.dispose(); });

  it("opens on a scene that is solved, traced and measured", async () => {
    const session = start();
    await traced(session);
    expect(main(session)).toMatchObject({ status: "reached", method: "two-bone", done: true, fault: null });
    expect(main(session).micros).toBeGreaterThan(0);
    expect(session.announcement.value).toMatch(/^reached in closed form, .*\sµs$/);
    expect(session.notices.value).toEqual([]);
  });

  for (const { id } of SCENES) {
    it(`${id}: has its handles, is solved, and its link opens the same`, async () => {
      const session = await opened(id);
      await traced(session);
      expect(session.notices.value).toEqual([]);
      // Nothing of a crowd is on show that could be taken hold of.
      if (id === "crowd") expect(session.handles.value).toEqual([]);
      else expect(session.handles.value.some(({ kind }) => kind === "target")).toBe(true);
      const other = start({ hash: session.link() });
      expect(other.document.value).toEqual(session.document.value);
      await solved(other);
      expect([...main(other).q]).toEqual([...main(session).q]);
    });
  }

  it("follows a dragged target, in one step of undo, and shows the same pose again from a link", async () => {
    for (const method of ["two-bone", "direct", "ccd", "fabrik", "relaxation", "least-squares"] as const) {
      const session = await opened("limb-2d");
      session.setOption("elbow", method !== "direct");
      session.setMethod("run1", method);
      await until(() => main(session).method === method, method);
      const before = session.document.value;
      session.beginDrag("target:0");
      for (let step = 0; step <= 20; step += 1) {
        session.drag("target:0", { position: [0.34 - 0.01 * step, 0.19 + 0.008 * step, 0] });
        await new Promise((resolve) => { setTimeout(resolve, 2); });
      }
      session.endDrag();
      await traced(session);
      expect(tip(session)[0]).toBeCloseTo(0.14, 4);
      expect(tip(session)[1]).toBeCloseTo(0.35, 4);
      const shown = [...main(session).q];
      const other = start({ hash: session.link() });
      await solved(other);
      expect([...main(other).q]).toEqual(shown);
      expect(session.canUndo.value).toBe("Move the target");
      session.undo();
      expect(session.document.value).toEqual(before);
      session.redo();
      await traced(session);
      expect([...main(session).q]).toEqual(shown);
    }
  });

  it("takes moves that follow each other without a pause as so many steps of undo, and no more", async () => {
    const session = await opened("chain-2d");
    const before = session.document.value;
    const places: number[] = [];
    for (let step = 1; step <= 15; step += 1) {
      const [x, y] = session.handles.value.find(({ id }) => id === "target:0")?.position ?? [0, 0];
      session.moveHandle("target:0", { position: [x - 0.01, y, 0] });
      places.push(x - 0.01);
      if (step % 4 === 0) await new Promise((resolve) => { setTimeout(resolve, 3); });
    }
    await traced(session);
    await until(() => session.document.value.runs[0]?.start !== undefined, "where the last solve began");
    const targets: number[] = [];
    while (session.document.value !== before && targets.length < 40) {
      targets.push((session.document.value.problem as { target: number[] }).target[0] ?? NaN);
      session.undo();
    }
    expect(targets.reverse()).toEqual(places);
  });

  it("solves on from the last pose when it is let go of before it is solved, and the link shows the same", async () => {
    const session = await opened("chain-2d");
    const reached = (y: number) => until(() => Math.abs((tip(session)[1] ?? 0) - y) < 1e-4, "the target");
    session.beginDrag("target:0");
    for (const y of [0.3, 0.5]) {
      session.drag("target:0", { position: [0.3, y, 0] });
      await reached(y);
    }
    const followed = [...main(session).q];
    session.drag("target:0", { position: [0.3, 0.51, 0] });
    session.endDrag();
    await reached(0.51);
    await until(() => session.document.value.runs[0]?.start !== undefined, "the start");
    expect(session.document.value.runs[0]?.start).toEqual(followed);
    const other = start({ hash: session.link() });
    await solved(other);
    expect([...main(other).q]).toEqual([...main(session).q]);
  });

  it("forgets where a drag was solved from when starts are given up", async () => {
    const session = await opened("limb-2d");
    session.beginDrag("target:0");
    for (let step = 0; step <= 20; step += 1) {
      session.drag("target:0", { position: [0.34 - 0.01 * step, 0.3, 0] });
      await new Promise((resolve) => { setTimeout(resolve, 2); });
    }
    session.endDrag();
    await traced(session);
    const run = () => session.document.value.runs[0];
    await until(() => run()?.follows === true, "a warm start");
    session.setWarm(false);
    expect([run()?.start, run()?.follows]).toEqual([undefined, undefined]);
  });

  it("keeps only the newest target while the worker is busy", async () => {
    let solves = 0;
    const engine = new Engine();
    const counting = { answer: (request: Parameters<Engine["answer"]>[0]) => { if (request.kind === "solve") solves += 1; return engine.answer(request); } };
    const session = start({ startWorker: () => localWorker(counting, 15) });
    await solved(session);
    await until(() => session.handles.value.length > 0, "handles");
    solves = 0;
    session.beginDrag("target:0");
    for (let step = 0; step < 200; step += 1) session.drag("target:0", { position: [0.3, 0.001 * step, 0] });
    await until(() => Math.abs((tip(session)[1] ?? 0) - 0.199) < 1e-6, "the newest target");
    expect(solves).toBeLessThan(5);
    session.endDrag();
  });

  it("steps by joints and by iterations, forward and back, and scrubs", async () => {
    const session = await opened("chain-2d");
    session.stepHalf(1);
    await until(() => session.cursor.value !== null, "a cursor");
    expect(session.cursor.value).toMatchObject({ entry: 1, iteration: 1, phase: "joint" });
    expect(session.shown.value[0]).toMatchObject({ joint: 5, phase: "joint" });
    expect(session.shown.value[0]?.before?.q).toEqual(session.info.value?.start.q);
    session.stepHalf(1);
    expect(session.shown.value[0]?.joint).toBe(4);
    session.step(1);
    const first = session.cursor.value;
    expect(first?.iteration).toBe(1);
    session.step(1);
    expect(session.cursor.value?.iteration).toBe(2);
    session.step(-1);
    expect(session.cursor.value).toEqual(first);
    session.scrub(0);
    expect([...(session.shown.value[0]?.q ?? [])]).toEqual([...(session.info.value?.start.q ?? [])]);
    session.scrub(1e9);
    expect(session.shown.value[0]?.iteration).toBe(main(session).iterations);
    session.goLive();
    expect(session.cursor.value).toBeNull();
  });

  it("takes several steps that were asked for before the trace was there", async () => {
    const session = start();
    session.openScene("chain-2d");
    session.scrub(0);
    session.stepHalf(1);
    session.stepHalf(1);
    await until(() => session.cursor.value !== null, "a cursor");
    expect(session.cursor.value?.entry).toBe(2);
  });

  it("plays a trace to its end", async () => {
    const session = await opened("lock-up-3");
    session.play();
    await until(() => session.playback.value.mode === "trace" && session.cursor.value !== null && session.cursor.value.entry === session.cursor.value.entries - 1, "the end");
    await until(() => !session.playback.value.running, "rest");
  });

  it("plays so many iterations a frame from where it stands, and follows the target", async () => {
    const session = await opened("chain-2d");
    session.setPerFrame(1);
    session.play();
    await until(() => !main(session).done, "the first frame");
    expect(main(session).iterations).toBeLessThan(6);
    await until(() => main(session).done && session.playback.value.mode === "play", "the end of the iterations");
    expect(main(session).status).toBe("reached");
    const arrived = [...main(session).q];
    session.beginDrag("target:0");
    session.drag("target:0", { position: [0.3, 0.5, 0] });
    session.endDrag();
    await until(() => main(session).done && Math.abs((tip(session)[1] ?? 0) - 0.5) < 1e-4, "the new target");
    session.pause();
    // The way goes from where the target was left.
    session.scrub(0);
    await until(() => session.cursor.value?.entry === 0, "the trace");
    arrived.forEach((value, index) => { expect(session.shown.value[0]?.q[index]).toBeCloseTo(value, 12); });
  });

  /** Places of the joints on show, x and y. */
  const places = (session: Session) => [...flatPoints(session.shown.value[0]?.points ?? new Float64Array(), 2)];

  /** Those on show, and what link, files and code make of them. */
  const everywhere = async (session: Session) => {
    const shown = places(session);
    const other = start({ hash: session.link() });
    await solved(other, "chain-2d");
    await until(() => other.playback.value.mode === "live" || other.cursor.value !== null, "the iteration of the link");
    const { points } = JSON.parse((await session.exports.solution("run1", false)).text) as { points: number[][] };
    return { shown, linked: places(other), saved: points.flat(), other };
  };
  const near = (a: readonly number[], b: readonly number[]) => {
    expect(a.length).toBe(b.length);
    a.forEach((value, index) => { expect(value).toBeCloseTo(b[index] ?? NaN, 12); });
  };
  const playedAlong = async () => {
    const session = await opened("chain-2d");
    session.setPerFrame(1);
    session.play();
    for (let step = 1; step <= 12; step += 1) {
      session.drag("target:0", { position: [0.5 - 0.06 * step, 0.3 + 0.03 * step, 0] });
      await new Promise((resolve) => { setTimeout(resolve, 12); });
    }
    session.endDrag();
    return session;
  };

  it("shares, saves and copies what was played, and keeps it when it goes live, is undone and done again", async () => {
    const session = await playedAlong();
    await until(() => main(session).done && session.worker.value === "ready", "the end");
    session.pause();
    await solved(session);
    const { shown, linked, saved } = await everywhere(session);
    near(linked, shown);
    near(saved, shown);
    const problem = start();
    await solved(problem);
    expect(await problem.loadFile("copied.json", new TextEncoder().encode(session.exports.problem().text))).toBe(true);
    problem.setMethod("run1", "ccd");
    await until(() => problem.results.value[0]?.method === "ccd" && problem.document.value.scene === "file", "what was copied");
    near(places(problem), shown);
    session.goLive();
    await traced(session);
    near(places(session), shown);
    expect(session.canUndo.value).toBe("Move the target");
    session.undo();
    expect(session.canUndo.value).toBe("Iterations per frame");
    session.redo();
    await traced(session);
    near(places(session), shown);
  });

  it("shares and saves the iteration at which playing was halted", async () => {
    const session = await playedAlong();
    await until(() => main(session).done, "the end of what was dragged");
    session.drag("target:0", { position: [-0.4, 0.6, 0] });
    session.endDrag();
    await until(() => !main(session).done && main(session).iterations > 1, "a few iterations");
    session.pause();
    await until(() => session.worker.value === "ready", "the last frame");
    expect(main(session).done).toBe(false);
    const { shown, linked, saved, other } = await everywhere(session);
    expect(other.cursor.value?.iteration).toBe(main(session).iterations);
    near(linked, shown);
    near(saved, shown);
    // A target that is moved while nothing plays: the figure stands where it stood.
    session.moveHandle("target:0", { position: [0.2, 0.5, 0] });
    await until(() => session.worker.value === "ready", "rest");
    near((await everywhere(session)).linked, shown);
  });

  it.each([["chain-2d", "ccd"], ["chain-2d", "fabrik"], ["chain-2d", "relaxation"], ["chain-2d", "least-squares"], ["arm-hinges", "ccd"], ["arm-ranges", "least-squares"], ["arm7", "least-squares"], ["hand", "ccd"], ["arm-ranges", "fabrik"], ["arm7", "relaxation"]] as const)(
    "%s by %s: shares, saves and copies the iteration that is looked at, and shares the half-step",
    async (scene, method) => {
      const session = await opened(scene);
      session.setMethod("run1", method);
      await until(() => main(session).method === method, method);
      const [x = 0, y = 0, z = 0] = session.handles.value.find(({ id }) => id === "target:0")?.position ?? [];
      session.moveHandle("target:0", { position: [x - 0.05, y + 0.04, z] });
      await traced(session);
      await until(() => session.worker.value === "ready", "rest");
      const { trace } = main(session);
      if (!trace) throw new Error("a trace");
      const middle = [...trace.iterations].findIndex((iteration, entry) => iteration >= 2 && trace.phases[entry] !== 0 && trace.iterations[entry + 1] === iteration);
      const whole = [...trace.iterations].lastIndexOf(Math.min(2, (trace.iterations.at(-1) ?? 0) - 1));
      for (const entry of [middle, whole].filter((one) => one >= 0 && one < trace.n - 1)) {
        session.scrub(entry);
        const other = start({ hash: session.link() });
        await until(() => other.cursor.value !== null, "the place of the link");
        expect(other.cursor.value).toEqual(session.cursor.value);
        near(places(other), places(session));
        const saved = JSON.parse((await session.exports.solution("run1", false)).text) as { configuration?: Record<string, number | number[]>; angles?: number[]; points: number[][] };
        const snippet = session.exports.snippets("run1")[0]?.code ?? "";
        const iteration = trace.iterations[entry] ?? 0;
        expect(snippet).toContain(`--iterations ${entry === middle ? iteration - 1 : iteration} `);
        expect(snippet.startsWith("# The page shows step")).toBe(entry === middle);
        const isBest = [...trace.errors].every((error, other) => error >= (trace.errors[entry] ?? 0) || (trace.iterations[other] ?? 0) >= iteration);
        if (entry !== whole) continue;
        expect(snippet.startsWith("# The page shows iteration")).toBe(!isBest);
        if (!isBest) continue;
        const { q, points } = session.shown.value[0] ?? { q: [], points: [] };
        if (saved.configuration) near(Object.values(saved.configuration).flat(), [...q]);
        else if (saved.angles) near(saved.angles, [...q]);
        else near(saved.points.flat(), [...points]);
      }
    },
  );

  it("locks up as published, and gets out", async () => {
    const session = await opened("lock-up-3");
    await traced(session);
    const results = session.results.value.map(({ status, escapedAt, escapedBy }) => [status, escapedAt > 0, escapedBy]);
    expect(results).toEqual([["stalled", false, null], ["reached", true, "direct"]]);
    session.setSetting("run1", "classic", null);
    await until(() => main(session).status === "reached", "the escape");
    session.undo();
    await until(() => main(session).status === "stalled", "the lock-up");
  });

  it("adds, promotes, hides and removes solvers", async () => {
    const session = await opened("chain-2d");
    session.addRun("fabrik");
    session.addRun();
    await solved(session);
    expect(session.document.value.runs.map(({ method }) => method)).toEqual(["ccd", "fabrik", "direct"]);
    session.promoteRun("run2");
    expect(session.shown.value.map(({ method }) => method)).toEqual(["fabrik", "ccd", "direct"]);
    session.setVisible("run1", false);
    session.removeRun("run3");
    await solved(session);
    expect(session.shown.value.map(({ visible }) => visible)).toEqual([true, false]);
    session.removeRun("run1");
    session.removeRun("run2");
    expect(session.document.value.runs.length).toBe(1);
    for (let index = 0; index < 10; index += 1) session.addRun("ccd");
    expect(session.document.value.runs.length).toBe(6);
    expect(session.notices.value[0]?.what).toMatch(/At most 6/);
  });

  it("adds solvers that are not there yet, and says when there is no other", async () => {
    const ran = (session: Session) => session.results.value.map(({ method }) => method);
    const add = async (session: Session) => {
      session.addRun();
      await solved(session);
    };
    const limb = await opened("limb-2d");
    expect([limb.document.value.runs[0]?.method, ...ran(limb)]).toEqual(["auto", "two-bone"]);
    while (limb.noOther.value === null) await add(limb);
    expect(new Set(ran(limb)).size).toBe(ran(limb).length);
    expect(ran(limb).length).toBe((limb.info.value?.methods.length ?? 0) - 1);
    const figure = await opened("figure");
    await add(figure);
    await add(figure);
    const methods = figure.info.value?.methods ?? [];
    expect(ran(figure).length).toBe(Math.min(3, methods.length - 1));
    while (figure.noOther.value === null) await add(figure);
    await add(figure);
    expect(new Set(ran(figure)).size).toBe(ran(figure).length);
    expect(figure.noOther.value).toBe("No other solver fits this problem");
    expect(figure.notices.value.at(-1)?.what).toBe(figure.noOther.value);
    const crowd = await opened("crowd");
    await add(crowd);
    expect(crowd.document.value.runs.length).toBe(1);
  });

  it("shows no time of an older solve", async () => {
    const session = await opened("chain-2d");
    await traced(session);
    const before = main(session);
    session.beginDrag("target:0");
    session.drag("target:0", { position: [0.3, 0.5, 0] });
    await until(() => main(session) !== before, "a new solve");
    expect(main(session).micros).toBeNull();
    expect(session.announcement.value).not.toMatch(/\ss$|µs|ms$/);
    session.endDrag();
    await traced(session);
    expect(main(session).micros).toBeGreaterThan(0);
  });

  it("carries a joint where it is dragged while the tip stays at its target", async () => {
    const session = await opened("arm-free");
    const wanted: [number, number, number] = [0.1, 0.2, 0.45];
    const before = session.handles.value.find(({ id }) => id === "joint:2")?.position ?? [0, 0, 0];
    session.beginDrag("joint:2");
    session.drag("joint:2", { position: wanted });
    await solved(session);
    session.endDrag();
    await traced(session);
    const after = session.handles.value.find(({ id }) => id === "joint:2")?.position ?? [0, 0, 0];
    const off = (p: readonly number[]) => Math.hypot(...wanted.map((value, axis) => value - (p[axis] ?? 0)));
    expect(off(after)).toBeLessThan(off(before));
    expect(main(session).status).toBe("reached");
    expect(session.canUndo.value).toBe("Move the joint");
    session.undo();
    await solved(session);
    await until(() => off(session.handles.value.find(({ id }) => id === "joint:2")?.position ?? [0, 0, 0]) === off(before), "the pose before");
  });

  it("turns the limb towards its pole", async () => {
    const session = await opened("arm-free");
    session.moveHandle("pole", { position: [0, 1, 0.3] });
    await traced(session);
    const side = session.handles.value.find(({ id }) => id === "pole")?.position ?? [0, 0, 0];
    expect(side[1]).toBeGreaterThan(0);
    expect(main(session).status).toBe("reached");
  });

  it("moves root and limits", async () => {
    const session = await opened("limb-2d");
    session.moveHandle("root", { position: [0.1, 0.05, 0] });
    await traced(session);
    expect([...(session.shown.value[0]?.points ?? [])].slice(0, 2)).toEqual([0.1, 0.05]);
    session.moveHandle("limit:1:max", { value: 0.5 });
    await until(() => session.info.value?.limits[1]?.kind === "range" && (session.info.value.limits[1] as { max: number }).max === 0.5, "the limit");
    await traced(session);
    await until(() => main(session).status === "blocked", "held back");
    expect((main(session).q[1] ?? 9)).toBeLessThanOrEqual(0.5);
    expect(session.announcement.value).toMatch(/held back by/);
  });

  it("makes the shown pose the start", async () => {
    const session = await opened("tentacle");
    await traced(session);
    const end = [...main(session).q];
    session.keepPose();
    await until(() => main(session).iterations === 0, "a start at the target");
    end.forEach((value, index) => { expect(session.info.value?.start.q[index]).toBeCloseTo(value, 12); });
  });

  it("takes a change back that the library refuses, and says why", async () => {
    const session = await opened("limb-2d");
    const before = session.document.value;
    session.editProblem("Change a length", (problem) => ({ ...problem, bones: [{ length: -1, angle: 0 }] }) as typeof problem);
    await until(() => session.notices.value.length > 0, "a notice");
    expect(session.notices.value[0]).toMatchObject({ kind: "error", what: expect.stringContaining("length") as string });
    expect(session.document.value).toBe(before);
    session.dismiss(session.notices.value[0]?.id ?? 0);
    await solved(session);
    expect(main(session).status).toBe("reached");
  });

  it("shows the first scene and a notice for a link that is damaged, or whose problem is none", async () => {
    const good = start().link();
    for (const hash of [`${good.slice(0, 60)}`, "#d1.%%%", `${good.slice(0, -20)}AAAAAAAAAAAAAAAAAAAA`]) {
      const session = start({ hash });
      expect(session.notices.value[0]?.kind, hash).toBe("error");
      await solved(session);
      expect(session.document.value.scene).toBe("figure");
    }
    const { problem, ...rest } = sceneDocument("rope");
    const session = start({ hash: encodeLink({ ...rest, problem: { ...problem, target: [1, 2, 3] } as typeof problem }) });
    await until(() => session.notices.value.length > 0, "a notice");
    await solved(session, "figure");
    expect(session.notices.value[0]).toMatchObject({ kind: "error", what: expect.stringContaining("target") as string });
    expect(() => decodeLink("#nothing")).toThrow(/no problem/);
  });

  it("changes the length of a bone and the kind of a joint, and solves what comes out", async () => {
    const session = start();
    session.openScene("arm-free");
    await solved(session, "arm-free");
    const bones = () => { const { problem } = session.document.value; return !isFigure(problem) && isSpace(problem) ? problem.bones : []; };
    const reach = session.info.value?.reach ?? 0;
    const long = boneLength(session.document.value.problem, 1) ?? 0;
    session.editProblem("Longer", (problem) => withBoneLength(problem, 1, long + 0.1));
    await until(() => Math.abs((session.info.value?.reach ?? 0) - reach - 0.1) < 1e-9, "a longer arm");
    expect(chainJoint(session.document.value.problem, 2)).toBe("ball");
    session.editProblem("Hinge", (problem) => withChainJoint(problem, 2, "hinge"));
    await until(() => session.info.value?.kinds[2] === "revolute", "a hinge");
    const { hinge = [0, 0, 0], offset = [0, 0, 0] } = bones()[2] ?? {};
    expect(Math.hypot(...hinge)).toBeCloseTo(1, 12);
    expect(hinge.reduce((sum, value, axis) => sum + value * (offset[axis] ?? 0), 0)).toBeCloseTo(0, 12);
    await until(() => session.results.value[0]?.status === "reached", "a solve");
    session.editProblem("Ball", (problem) => withChainJoint(problem, 2, "ball"));
    await until(() => session.info.value?.kinds[2] === "ball", "a ball joint");
    const flat = sceneDocument("chain-2d").problem;
    expect(boneLength(withBoneLength(flat, 0, 0.25), 0)).toBe(0.25);
    expect(chainJoint(flat, 0)).toBeNull();
    expect(boneLength(sceneDocument("figure").problem, 0)).toBeNull();
  });

  it("moves a handle for show, and leaves no step of undo", async () => {
    const session = start({ hash: "" });
    await solved(session, "figure");
    const hips = session.handles.value.find(({ label }) => label === "Target of hips");
    if (!hips) throw new Error("there are no hips");
    const [x, y, z] = hips.position;
    const q = session.results.value[0]?.q.slice();
    session.sway(hips.id, { position: [x + 0.05, y, z] });
    await until(() => String(session.results.value[0]?.q) !== String(q), "another pose");
    expect(session.results.value[0]?.status).toBe("reached");
    expect(session.canUndo.value).toBeNull();
    session.moveHandle(hips.id, { position: [x, y, z] });
    await until(() => session.canUndo.value !== null, "a step");
    session.undo();
    expect(session.handles.value.find(({ id }) => id === hips.id)?.position[0]).toBeCloseTo(x + 0.05, 12);
    expect(session.canUndo.value).toBeNull();
  });

  it("runs a crowd, and stops it", async () => {
    const session = start({ isStill: false });
    session.openScene("crowd");
    await until(() => (session.crowd.value?.count ?? 0) === 1000, "a crowd");
    const first = session.crowd.value?.targets.slice();
    await until(() => session.crowd.value !== null && String(session.crowd.value.targets.slice(0, 6)) !== String(first?.slice(0, 6)), "the wave");
    session.pause();
    expect(session.playback.value.running).toBe(false);
    session.setOption("count", 200);
    await until(() => session.crowd.value?.count === 200, "fewer");
    session.openScene("rope");
    await solved(session, "rope");
    expect(session.crowd.value).toBeNull();
    expect(session.playback.value).toEqual({ mode: "live", running: false });
    await traced(session);
  });

  it("previews scenes without opening them", async () => {
    const session = start();
    await solved(session);
    const seen = await session.preview("figure");
    expect(seen?.pose.poses.length).toBe(57 * 7);
    expect((await session.preview("crowd"))?.crowd?.count).toBe(200);
    expect(session.document.value.scene).toBe("limb-2d");
    session.moveHandle("target:0", { position: [0.2, 0.3, 0] });
    await until(() => Math.abs((tip(session)[0] ?? 0) - 0.2) < 1e-6, "the scene goes on");
  });

  it("starts a worker that died or hangs again, says so, and goes on", async () => {
    let started = 0;
    const hang = { answer: () => new Promise<never>(() => undefined) };
    const session = start({ startWorker: () => { started += 1; return localWorker(started === 2 ? hang : new Engine()); }, patience: [60, 300] });
    await solved(session);
    session.endWorker();
    await until(() => started === 3, "a third worker after a hanging second");
    await solved(session);
    expect(session.notices.value.some(({ kind, what }) => kind === "warning" && /started again/.test(what))).toBe(true);
    session.moveHandle("target:0", { position: [0.2, 0.3, 0] });
    await until(() => Math.abs((tip(session)[0] ?? 0) - 0.2) < 1e-6, "the target");
  });

  it("gives up on a worker that never answers", async () => {
    const hang = { answer: () => new Promise<never>(() => undefined) };
    const session = start({ startWorker: () => localWorker(hang), patience: [20, 20] });
    await until(() => session.worker.value === "failed", "failed");
  });

  it("exports the problem and the solution that are on screen", async () => {
    const session = await opened("arm-ranges");
    session.moveHandle("target:0", { position: [0.3, 0.4, 0.5] });
    await traced(session);
    const { text, name } = session.exports.problem();
    expect(name).toBe("arm-hinges-and-ranges.json");
    const other = start();
    await solved(other);
    expect(await other.loadFile(name, new TextEncoder().encode(text))).toBe(true);
    await solved(other);
    const solution = JSON.parse((await session.exports.solution("run1", true)).text) as { schema: string; status: string };
    expect(solution).toMatchObject({ schema: "posekit.solution/1", status: "reached" });
  });

  it("loads what people drop, and refuses the rest in plain words", async () => {
    const session = start();
    await solved(session);
    const drop = (name: string, text: string) => session.loadFile(name, new TextEncoder().encode(text));
    const arm = readFileSync(fileURLToPath(new URL("../../../testdata/arm6.urdf", import.meta.url)), "utf8");
    expect(await drop("arm6.urdf", arm)).toBe(true);
    await solved(session, "file");
    expect(session.info.value?.nJoints).toBeGreaterThan(5);
    const cart = readFileSync(fileURLToPath(new URL("../../../testdata/figures/cart.json", import.meta.url)), "utf8");
    expect(await drop("cart.json", cart)).toBe(false);
    expect(session.notices.value.at(-1)).toMatchObject({ what: expect.stringContaining("cart.urdf") as string, hint: expect.stringContaining("first") as string });
    const robot = readFileSync(fileURLToPath(new URL("../../../testdata/figures/cart.urdf", import.meta.url)), "utf8");
    expect(await drop("cart.urdf", robot)).toBe(true);
    expect(await drop("cart.json", cart)).toBe(true);
    const figures = new URL("../../../testdata/figures/", import.meta.url);
    expect(await drop("puppet.gltf", readFileSync(fileURLToPath(new URL("puppet.gltf", figures)), "utf8"))).toBe(true);
    expect(session.robot.character.value?.name).toBe("puppet.gltf");
    expect(await drop("puppet.json", readFileSync(fileURLToPath(new URL("puppet.json", figures)), "utf8"))).toBe(true);
    // Its joints are written out, and it wears the mesh of the file that it names.
    expect(session.document.value.problem).not.toHaveProperty("gltf");
    expect(session.robot.character.value?.name).toBe("puppet.gltf");
    // The mesh goes and comes back with its figure, however the figure is called.
    const worn = session.robot.character.value;
    session.setTitle("walker");
    session.openScene("rope");
    expect(session.robot.character.value).toBeNull();
    session.undo();
    expect(session.robot.character.value).toBe(worn);
    session.redo();
    expect(session.robot.character.value).toBeNull();
    for (let back = 0; back < 3; back += 1) session.undo();
    expect(session.document.value.title).toBe("puppet.gltf");
    expect(session.robot.character.value).not.toBeNull();
    for (let on = 0; on < 2; on += 1) session.redo();
    expect(session.robot.character.value).toBe(worn);
    const last = session.document.value;
    const bad: [string, string, RegExp, RegExp?][] = [
      ["empty.json", "", /empty/],
      ["<script>alert(1)</script>.json", "{\n \"a\": 1,,}", /<script>.* not valid JSON/, /line 2/],
      ["solution.json", '{ "schema": "posekit.solution/1" }', /a solution, not a problem/],
      ["other.json", '{ "schema": "other/1" }', /other\/1/],
      ["chain.json", '{ "schema": "posekit.chain/1", "dimension": 2,\n "bones": [{ "length": 1, "angel": 0 }], "target": [1, 0] }', /angel/, /line 2/],
      ["page.html", "<html></html>", /no element <robot>/],
      ["robot.urdf", "<robot name='x'><link name='a'/></robot>", /robot\.urdf/],
      ["broken.urdf", "<robot><link", /broken\.urdf/],
      ["mesh.fbx", "Kaydara", /format that is not read/],
      ["walk.bvh", "HIERARCHY", /motion/],
      ["broken.glb", "glTF\u0002\u0000\u0000\u0000", /broken\.glb/],
      ["words.txt", "hello", /neither JSON nor XML/],
    ];
    for (const [name, text, what, where] of bad) {
      expect(await drop(name, text), name).toBe(false);
      const notice = session.notices.value.at(-1);
      expect(notice?.what, name).toMatch(what);
      if (where) expect(notice?.where, name).toMatch(where);
      expect(session.document.value).toBe(last);
    }
    await solved(session);
    expect(main(session).fault).toBeNull();
  });
});
