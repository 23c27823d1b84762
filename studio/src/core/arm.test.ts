import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { Engine } from "../worker/engine.ts";
import { hasPackage, loadLibrary, localWorker, until } from "./testing.ts";
import { MOST_POSES, toolTarget } from "./arm.ts";
import { decodeLink, encodeLink } from "./link.ts";
import { createSession } from "./session.ts";
import { SCENES, sceneDocument } from "./scenes/index.ts";
import { nearLimitWords, trackWords } from "./words.ts";
import type { ArmTrack, PoseData, ProblemInfo, SceneId, Session } from "./types.ts";
import type { Vec3 } from "./files.ts";

const open: Session[] = [];

function start(hash = ""): Session {
  let now = 0;
  const session = createSession({
    startWorker: () => localWorker(new Engine()),
    nextFrame: (then) => { setTimeout(then, 1); },
    // A clock that goes on by 50 ms whenever it is looked at.
    now: () => (now += 50),
    hash,
    isStill: true,
  });
  open.push(session);
  return session;
}

const rests = (session: Session) => until(() => session.worker.value === "ready" && session.results.value.length > 0 && session.results.value.every(({ micros }) => micros !== null), "rest");

async function opened(scene: SceneId): Promise<Session> {
  const session = start();
  session.openScene(scene);
  await until(() => session.document.value.scene === scene && session.info.value !== null, scene);
  await rests(session);
  return session;
}

/** Does something and waits until all of it is solved. */
async function after(session: Session, act: () => void): Promise<void> {
  const before = session.results.value;
  act();
  await until(() => session.results.value !== before, "another result");
  await rests(session);
}

const facts = (session: Session) => {
  const found = session.arm.facts.value;
  if (!found) throw new Error("there is no arm");
  return found;
};

const track = (session: Session) => {
  const found = session.arm.track.value;
  if (!found) throw new Error("there is no track");
  return found;
};

const main = (session: Session) => {
  const result = session.results.value[0];
  if (!result) throw new Error("nothing is solved");
  return result;
};

/** The pose of the tool's joint. */
function tool(session: Session, { poses }: PoseData): number[] {
  const joint = session.info.value?.tasks[0]?.frames[0]?.joint ?? -1;
  return [...poses.slice(7 * joint, 7 * joint + 7)];
}

function expectAlike(a: ArrayLike<number>, b: ArrayLike<number>, within: number): void {
  expect(a.length).toBe(b.length);
  Array.from(a).forEach((value, index) => { expect(Math.abs(value - (b[index] ?? NaN))).toBeLessThan(within); });
}

/** Moves the target there and records it. */
async function record(session: Session, position: Vec3): Promise<void> {
  const [x, y, z] = toolTarget(session.document.value.problem) ?? [];
  if (String([x, y, z]) !== String(position)) await after(session, () => { session.moveHandle("target:0", { position }); });
  await after(session, () => { session.arm.record(); });
}

describe.skipIf(!hasPackage)("a robot arm", () => {
  beforeAll(loadLibrary);
  afterEach(() => { for (const session of open.splice(0)) session.dispose(); });

  for (const { id } of SCENES) {
    const isArm = id === "arm6" || id === "arm7";
    it(`${id} is ${isArm ? "one" : "none"}`, async () => {
      const session = await opened("limb-2d");
      session.openScene(id);
      await until(() => session.document.value.scene === id && session.worker.value === "ready" && (session.arm.facts.value !== null) === isArm, id);
    });
  }

  it("is none while its tool has no orientation, or there is a second goal", async () => {
    const session = await opened("arm6");
    session.setOption("orientation", false);
    await until(() => session.arm.facts.value === null, "no arm");
    session.undo();
    await until(() => session.arm.facts.value !== null, "an arm");
    session.editGoals("Add", (problem) => ({ ...problem, tasks: [...problem.tasks, { task: "position", frame: { link: "forearm" }, target: [0.2, 0.2, 0.4] }] }));
    await until(() => session.arm.facts.value === null, "no arm");
  });

  it("has eight solutions, which put the tool at its target; each can be taken, in an order that stays", async () => {
    const session = await opened("arm6");
    const { solutions, current, family, parameter } = facts(session);
    expect([solutions.length, current, family, parameter]).toEqual([8, 0, "axes 2, 3 and 4 are parallel, 5 and 6 meet", null]);
    for (const pose of solutions) expectAlike(tool(session, pose).slice(0, 3), [0.38, -0.35, 0.25], 1e-5);
    for (let step = 1; step <= solutions.length; step += 1) {
      await after(session, () => { session.arm.stepSolution(1); });
      expect(facts(session).current).toBe(step % 8);
      expect(main(session)).toMatchObject({ status: "reached", iterations: 0 });
      expectAlike(main(session).q, solutions[step % 8]?.q ?? [], 1e-12);
    }
    await after(session, () => { session.arm.stepSolution(-1); });
    expect(facts(session).current).toBe(7);
    expect(session.canUndo.value).toBe("Choose another solution");
    const again = start(session.link());
    await until(() => again.arm.facts.value !== null, "the link");
    expectAlike(main(again).q, solutions[7]?.q ?? [], 1e-12);
    await after(session, () => { session.undo(); });
    expect(facts(session).current).toBe(0);
  });

  it("keeps its solution while the target is dragged", async () => {
    const session = await opened("arm6");
    await after(session, () => { session.arm.choose(3); });
    const { q } = main(session);
    session.beginDrag("target:0");
    for (let step = 1; step <= 5; step += 1) {
      await after0(session, () => { session.drag("target:0", { position: [0.38, -0.35 + 0.01 * step, 0.25] }); });
      expect(facts(session)).toMatchObject({ current: 0, selfMotion: null });
    }
    session.endDrag();
    await rests(session);
    expectAlike(main(session).q, q, 0.6);
    expect(facts(session).solutions.length).toBe(8);
  });

  it("with seven joints moves while its tool stays, in one step of undo", async () => {
    const session = await opened("arm7");
    const before = main(session);
    const { parameter, selfMotion } = facts(session);
    if (!selfMotion) throw new Error("no self-motion");
    expect(parameter).toBe(7);
    session.arm.beginSlide();
    for (const sample of [20, 5, selfMotion.parameters.length - 1]) {
      await after(session, () => { session.arm.slide(sample); });
      expect(facts(session).selfMotion).toMatchObject({ at: sample, parameters: selfMotion.parameters });
      expectAlike(tool(session, main(session)), tool(session, before), 1e-5);
    }
    expect(Math.max(...main(session).q.map((value, k) => Math.abs(value - (before.q[k] ?? 0))))).toBeGreaterThan(0.3);
    expect(session.canUndo.value).toBe("Self-motion");
    await after(session, () => { session.undo(); });
    expectAlike(main(session).q, before.q, 1e-9);
    session.arm.beginSlide();
    await after(session, () => { session.arm.slide(10_000); });
    expect(facts(session).selfMotion?.at).toBe(selfMotion.parameters.length - 1);
  });

  it("out of reach has no solutions, and still says how near it is to a limit", async () => {
    const session = await opened("arm7");
    await after(session, () => { session.moveHandle("target:0", { position: [3, 0, 0.4] }); });
    expect(facts(session)).toMatchObject({ solutions: [], current: -1, selfMotion: null });
    expect(facts(session).dexterity.near?.distance).toBeGreaterThanOrEqual(0);
    const runs = session.document.value.runs;
    session.arm.stepSolution(1);
    session.arm.slide(3);
    session.arm.choose(0);
    expect(session.document.value.runs).toBe(runs);
  });

  it("follows a path within its velocity limits, which is played, undone, and in links", async () => {
    const session = await opened("arm7");
    await record(session, [0.42, -0.35, 0.38]);
    expect(session.arm.track.value).toBeNull();
    await record(session, [0.42, 0.35, 0.38]);
    await record(session, [0.5, 0.1, 0.6]);
    expect(track(session)).toMatchObject({ outcome: "completed", endedAt: null, asked: 2, blocked: [] });
    await after(session, () => { session.arm.setSeconds(0.1); });
    const fast = track(session);
    const shares = [...fast.speeds].map((speed, k) => Math.abs(speed) / (fast.limits[k % fast.joints.length] ?? 0));
    expect(Math.max(...shares)).toBeGreaterThan(0.999);
    expect(Math.max(...shares)).toBeLessThanOrEqual(1 + 1e-9);
    expect(fast.times.at(-1)).toBeGreaterThan(fast.asked);
    session.arm.play();
    const seen = new Set<string>();
    await until(() => {
      seen.add(String(session.shown.value[0]?.q));
      return !session.arm.running.value;
    }, "the end of the path");
    expect(seen.size).toBeGreaterThan(3);
    expect(session.arm.frame.value).toBe(fast.nFrames - 1);
    const [end] = session.shown.value;
    if (!end) throw new Error("nothing is shown");
    expectAlike(tool(session, end).slice(0, 3), [0.5, 0.1, 0.6], 1e-5);
    expect(session.announcement.value).toMatch(/^follows the path in \d\.\d\d\ss, .* longer than requested: as fast as joint_\d/);
    session.arm.scrub(-5);
    expect(session.arm.frame.value).toBe(0);
    expect(session.arm.dexterity.value?.smallest).toBeGreaterThan(0);
    session.goLive();
    expect(session.arm.frame.value).toBeNull();
    const again = start(session.link());
    await until(() => again.arm.track.value !== null, "the link's path");
    expect(track(again)).toEqual(fast);
    await after(session, () => { session.undo(); });
    expect(track(session).asked).toBe(2);
    await after(session, () => { session.arm.removePose(1); });
    expect(track(session).asked).toBe(1);
    await after(session, () => { session.arm.removePose(1); });
    expect(session.arm.track.value).toBeNull();
    await after(session, () => { session.arm.removePose(0); });
    expect(session.document.value.path).toBeUndefined();
  });

  it("leaves its path for whatever else is done", async () => {
    const session = await opened("arm6");
    await record(session, [0.38, -0.35, 0.25]);
    await record(session, [0.38, 0.1, 0.25]);
    const acts: (() => void)[] = [
      () => { session.moveHandle("target:0", { position: [0.4, 0, 0.3] }); },
      () => { session.step(-1); },
      () => { session.undo(); },
      () => { session.arm.choose(1); },
      () => { session.openScene("limb-2d"); },
    ];
    for (const act of acts) {
      session.arm.play();
      expect(session.arm.frame.value).toBe(0);
      act();
      expect([session.arm.frame.value, session.arm.running.value]).toEqual([null, false]);
      await rests(session);
      session.goLive();
      await rests(session);
    }
    expect(session.arm.facts.value).toBeNull();
  });

  it("says where a path ends that cannot be followed", async () => {
    const session = await opened("arm7");
    await record(session, [0.42, -0.35, 0.38]);
    await record(session, [1.6, -0.35, 0.38]);
    const { endedAt, outcome, nFrames } = track(session);
    expect(outcome).not.toBe("completed");
    expect(endedAt).toBeGreaterThan(0.05);
    expect(endedAt).toBeLessThan(0.6);
    expect(nFrames).toBeGreaterThan(5);
    const info = session.info.value as ProblemInfo;
    expect(trackWords(track(session), info).long).toMatch(/^ends after \d+\s% of the path: /);
    await after(session, () => { session.arm.removePose(0); });
    await record(session, [2, 0, 0.4]);
    expect(track(session)).toMatchObject({ outcome: "reach", nFrames: 0 });
    expect(trackWords(track(session), info).long).toBe("does not reach the first pose");
    session.arm.play();
    expect(session.arm.frame.value).toBeNull();
  });

  it("records no pose twice in a row, and no more than fit", async () => {
    const session = await opened("arm6");
    await after(session, () => { session.arm.record(); });
    session.arm.record();
    expect(session.document.value.path?.poses.length).toBe(1);
    expect(session.notices.value.at(-1)?.what).toBe("The path already ends with this pose");
    const { path, ...document } = session.document.value;
    const pose = path?.poses[0] ?? [];
    session.open({ ...document, path: { start: path?.start ?? [], seconds: 1, poses: Array.from({ length: MOST_POSES }, (_, k) => [pose[0] ?? 0, 0.001 * k, ...pose.slice(2)]) } }, "Open");
    await until(() => session.arm.track.value !== null, "the track");
    session.arm.record();
    expect(session.document.value.path?.poses.length).toBe(MOST_POSES);
  });

  it("follows a path whose start belongs to another robot from its own", async () => {
    const session = await opened("arm6");
    const document = session.document.value;
    session.open({ ...document, path: { start: [1, 2], seconds: 1, poses: [[0.38, -0.35, 0.25, 1, 0, 0, 0], [0.38, -0.25, 0.25, 1, 0, 0, 0]] } }, "Open");
    await until(() => session.arm.track.value !== null, "the track");
    expect(track(session).outcome).toBe("completed");
    session.open({ ...document, path: { start: [], seconds: 1, poses: [[0.38, -0.35, 0.25, 0, 0, 0, 0], [0.38, -0.25, 0.25, 1, 0, 0, 0]] } }, "Open");
    await until(() => session.notices.value.length > 0, "a notice");
    expect(session.notices.value[0]?.what).toMatch(/rotation/);
    expect(session.arm.track.value).toBeNull();
  });
});

/** The same without waiting for traces and times, which do not come during a drag. */
async function after0(session: Session, act: () => void): Promise<void> {
  const before = session.results.value;
  act();
  await until(() => session.results.value !== before && session.worker.value === "ready", "another result");
}

describe("a path in a link", () => {
  const document = sceneDocument("arm6");
  const path = { start: [0, 0.1], poses: [[0, 0, 0, 0, 0, 0, 1]], seconds: 2 };

  it("comes back as it was", () => {
    expect(decodeLink(encodeLink({ ...document, path }))).toEqual({ ...document, path });
  });

  it("is checked", () => {
    for (const bad of [{ ...path, poses: [] }, { ...path, poses: [[1, 2, 3]] }, { ...path, seconds: 0 }, { ...path, start: ["a"] as unknown as number[] }, 3 as unknown as typeof path]) {
      expect(() => decodeLink(encodeLink({ ...document, path: bad }))).toThrow(/not a studio document: .*path/);
    }
  });
});

describe("words", () => {
  const info = { kind: "figure", names: ["base", "elbow", "wrist", "lift"], kinds: ["fixed", "revolute", "revolute", "prismatic"] } as unknown as ProblemInfo;
  const done: ArmTrack = {
    outcome: "completed", blocked: [], endedAt: null, smallest: null, asked: 1, joints: [1, 2], limits: Float64Array.of(2, Infinity),
    times: Float64Array.of(0, 1.5), speeds: Float64Array.of(0, 0, 2, 40), rate: 60, nFrames: 91, nValues: 3, nJoints: 4,
    frames: { q: new Float64Array(), poses: new Float64Array(), points: new Float64Array() }, dexterity: new Float64Array(),
  };

  it("say how an arm follows its path", () => {
    const long = (change: Partial<ArmTrack>) => trackWords({ ...done, ...change }, info).long;
    expect(long({})).toBe("follows the path in 1.50\u00a0s, 0.50\u00a0s longer than requested: as fast as elbow can");
    expect(long({ asked: 1.5 })).toBe("follows the path in 1.50\u00a0s");
    expect(long({ outcome: "limits", endedAt: 0.629, blocked: [1] })).toBe("ends after 62\u00a0% of the path: elbow is at its limit");
    expect(long({ outcome: "limits", endedAt: 0.5, blocked: [1, 2] })).toBe("ends after 50\u00a0% of the path: elbow and wrist are at their limits");
    expect(long({ outcome: "singularity", endedAt: 0.5 })).toMatch(/singular there/);
    expect(long({ outcome: "reach", endedAt: 0, nFrames: 0 })).toBe("does not reach the first pose");
  });

  it("say which limit is near", () => {
    expect(nearLimitWords({ joint: 1, limit: Math.PI / 2, distance: Math.PI / 8, margin: 0.3 }, info)).toBe("22.5° before its limit, 90.0°");
    expect(nearLimitWords({ joint: 3, limit: 0.4, distance: 0, margin: 0 }, info)).toBe("at its limit, 40.0\u00a0cm");
  });
});
