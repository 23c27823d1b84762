import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { assets } from "../../tests/assets.ts";
import { Engine } from "../worker/engine.ts";
import { isFigure, type FigureProblem } from "./files.ts";
import { asking, onSpot, spotAt, spotsOf, withGoal, withoutGoal, withTask } from "./goals.ts";
import { createSession } from "./session.ts";
import { hasPackage, loadLibrary, localWorker, until } from "./testing.ts";
import type { PoseData, ProblemInfo, SceneId, Session } from "./types.ts";

const open: Session[] = [];

function start(hash = ""): Session {
  const session = createSession({ startWorker: () => localWorker(new Engine()), nextFrame: (then) => { setTimeout(then, 1); }, hash, isStill: true });
  open.push(session);
  return session;
}

const rest = async (session: Session) => {
  // A change is under way a moment after it was asked for.
  await new Promise((resolve) => { setTimeout(resolve, 5); });
  await until(() => session.worker.value === "ready" && session.results.value.length > 0 && session.results.value.every(({ done, micros }) => done && micros !== null), "rest");
};
const figureOf = (session: Session): FigureProblem => {
  const { problem } = session.document.value;
  if (!isFigure(problem)) throw new Error("a figure");
  return problem;
};
const known = (session: Session): { info: ProblemInfo; pose: PoseData } => {
  const [info, pose] = [session.info.value, session.shown.value[0]];
  if (!info || !pose) throw new Error("nothing is on show");
  return { info, pose };
};
const spotNamed = (session: Session, name: string) => {
  const { info } = known(session);
  const spot = spotsOf(figureOf(session), info).find((one) => one.name === name);
  if (!spot) throw new Error(`there is no ${name}`);
  return spot;
};
const stands = (session: Session, before: Float64Array) => { known(session).pose.q.forEach((value, index) => { expect(value).toBeCloseTo(before[index] ?? NaN, 6); }); };

async function opened(scene: SceneId): Promise<Session> {
  const session = start();
  session.openScene(scene);
  await until(() => session.document.value.scene === scene, scene);
  await rest(session);
  return session;
}

describe.skipIf(!hasPackage)("goals", () => {
  beforeAll(loadLibrary);
  afterEach(() => { for (const session of open.splice(0)) session.dispose(); });

  it("can be on the links of a robot that something moves, and on the joints of a figure", async () => {
    const robot = await opened("arm6");
    expect(spotsOf(figureOf(robot), known(robot).info).map(({ frame }) => frame)).toEqual(
      ["shoulder", "upper_arm", "forearm", "wrist_1", "wrist_2", "wrist_3", "tool0"].map((link) => ({ link })),
    );
    const hand = await opened("hand");
    expect(spotsOf(figureOf(hand), known(hand).info)[0]).toEqual({ joint: 0, name: "wrist", frame: { joint: "wrist" } });
    expect(spotsOf((await opened("arm-ranges")).document.value.problem, known(robot).info)).toEqual([]);
  });

  for (const scene of ["arm6", "arm7", "hand", "figure"] as const) {
    it(`${scene}: come and go without moving the figure, each in one step of undo, and links hold them`, async () => {
      const session = await opened(scene);
      const [x, y, z] = session.handles.value.find(({ id }) => id === "target:0")?.position ?? [0, 0, 0];
      session.moveHandle("target:0", { position: [x + 0.004, y, z + 0.004] });
      await rest(session);
      const before = session.document.value;
      const q = known(session).pose.q.slice();
      const { info, pose } = known(session);
      const n = info.tasks.length;
      session.editGoals("Add a goal", (old) => withGoal(old, info, pose, null));
      session.editGoals("Add a goal", (old) => withGoal(old, info, pose, spotsOf(old, info)[1]?.joint ?? null));
      await rest(session);
      expect(session.info.value?.tasks.length).toBe(n + 2);
      const miss = session.results.value[0]?.misses.slice(2 * n) ?? [];
      expect(Math.max(...miss), "what is new already holds").toBeLessThan(1e-5);
      stands(session, q);
      const other = start(session.link());
      await rest(other);
      expect(other.document.value).toEqual(session.document.value);
      expect([...known(other).pose.q]).toEqual([...known(session).pose.q]);
      session.editGoals("Remove a goal", (old) => withoutGoal(old, n));
      await rest(session);
      expect(session.info.value?.tasks.length).toBe(n + 1);
      stands(session, q);
      for (const label of ["Remove a goal", "Add a goal", "Add a goal"]) {
        expect(session.canUndo.value).toBe(label);
        session.undo();
      }
      expect(session.document.value).toEqual(before);
      await rest(session);
      stands(session, q);
    });
  }

  it("go to another link, which is then where it is, and is dragged from there", async () => {
    const session = await opened("arm7");
    const q = known(session).pose.q.slice();
    const spot = spotNamed(session, "hand");
    const { pose } = known(session);
    session.editGoals("Move a goal to another joint", (old) => withTask(old, 0, (task) => onSpot(task, spot, pose)));
    await rest(session);
    expect(figureOf(session).tasks[0]).toMatchObject({ task: "pose", name: "hand", frame: { link: "hand" } });
    expect(session.results.value[0]?.status).toBe("reached");
    stands(session, q);
    const [x, y, z] = session.handles.value.find(({ id }) => id === "target:0")?.position ?? [0, 0, 0];
    const at = 7 * spot.joint;
    expect([x, y, z]).toEqual([...pose.poses.slice(at, at + 3)]);
    session.editGoals("Change what a goal asks for", (old) => withTask(old, 0, (task) => asking(task, "position", session.info.value?.tasks[0], pose)));
    session.moveHandle("target:0", { position: [x + 0.02, y, z - 0.02] });
    await rest(session);
    expect(session.results.value[0]?.status).toBe("reached");
    const now = known(session).pose.poses;
    expect([now[at], now[at + 2]]).toEqual([expect.closeTo(x + 0.02, 5), expect.closeTo(z - 0.02, 5)]);
  });

  it("ask for a place, a turn, or both, and keep what they asked for", async () => {
    const session = await opened("hand");
    const { info, pose } = known(session);
    const tip = figureOf(session).tasks[1];
    if (tip?.task !== "position") throw new Error("a fingertip");
    const both = asking({ ...tip, weight: 2 }, "pose", info.tasks[1], pose);
    expect(both).toMatchObject({ task: "pose", name: tip.name, weight: 2, frame: tip.frame, target: tip.target, orientation: expect.any(Array) as number[] });
    expect(asking(both, "position", info.tasks[1], pose)).toEqual({ ...tip, weight: 2 });
    const turn = asking(both, "orientation", info.tasks[1], pose);
    expect(turn).not.toHaveProperty("target");
    // Where it is now, which is at the end of the finger and not at its last joint.
    const place = asking(turn, "position", info.tasks[1], pose);
    if (place.task !== "position") throw new Error("a place");
    expect(Math.hypot(...place.target.map((value, axis) => value - (tip.target[axis] ?? 0)))).toBeLessThan(1e-4);
    const eyes = figureOf(await opened("figure")).tasks.find(({ task }) => task === "look-at");
    if (!eyes) throw new Error("eyes");
    expect(asking(eyes, "position", info.tasks[0], pose)).toBe(eyes);
  });

  it("leave a figure that starts anew each time where its problem starts", async () => {
    const session = await opened("arm6");
    session.setWarm(false);
    const { info, pose } = known(session);
    session.editGoals("Add a goal", (old) => withGoal(old, info, pose, null));
    expect(session.document.value.runs[0]).not.toHaveProperty("start");
  });

  describe.skipIf(assets === null)("of robots that others made", () => {
    it.each(["ur5e.urdf", "panda.urdf", "g1_29dof_rev_1_0.urdf", "panda_arm_hand.urdf"])("%s", async (name) => {
      const session = start();
      await rest(session);
      expect(await session.loadFile(name, new Uint8Array(readFileSync(join(assets ?? "", "urdf", name))))).toBe(true);
      await rest(session);
      const { info, pose } = known(session);
      const spots = spotsOf(figureOf(session), info);
      expect(spots.every(({ frame }) => typeof frame === "object" && "link" in frame)).toBe(true);
      for (const spot of spots.slice(0, 6)) {
        session.editGoals("Move a goal to another joint", (old) => withTask(old, 0, (task) => onSpot(task, spot, pose)));
        await rest(session);
        expect(session.results.value[0], spot.name).toMatchObject({ status: "reached", fault: null });
        expect(spotAt(known(session).info, session.info.value?.tasks[0]?.frames[0]?.joint ?? -1)).toEqual(spot);
      }
      session.editGoals("Add a goal", (old) => withGoal(old, known(session).info, pose, null));
      await rest(session);
      expect(session.notices.value.filter(({ kind }) => kind === "error")).toEqual([]);
      const [saved, robot] = session.exports.files();
      const other = start();
      await rest(other);
      other.remember(robot?.name ?? "", new TextEncoder().encode(robot?.text));
      expect(await other.loadFile(saved.name, new TextEncoder().encode(saved.text))).toBe(true);
      await rest(other);
      stands(other, known(session).pose.q);
    });
  });
});
