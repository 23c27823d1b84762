import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { Problem } from "posekit/robots";
import { assets } from "../../tests/assets.ts";
import { Engine } from "../worker/engine.ts";
import { isMjcf } from "./files.ts";
import { createSession } from "./session.ts";
import { command, hasPackage, loadLibrary, localWorker, until } from "./testing.ts";
import type { Session } from "./types.ts";
import { withRobotLimit } from "./urdf.ts";

const ROBOT = `<?xml version="1.0"?>
<!-- <joint name="lift"><limit lower="9"/></joint> -->
<robot name='cart'>
  <link name="rail"/> <link name="cart"/> <link name="left &amp; low"/>
  <transmission name="t"><joint name="lift"><limit lower="7" upper="8"/></joint></transmission>
  <joint name="lift" type="prismatic">
    <parent link="rail"/><child link='cart'/>
    <![CDATA[ <limit lower="5" upper="6"/> ]]>
    <limit effort="1"   velocity='2' upper = '0.5'/>
  </joint>
  <joint type="revolute" name="a &lt; b &#38; c">
    <parent link="cart"/><child link="left &amp; low"/><limit lower="-1" upper="1e0" effort="1" velocity="1" ></limit>
  </joint>
</robot>
`;

describe("the limit of a robot's joint", () => {
  it("is changed where it stands, and no other byte", () => {
    expect(withRobotLimit(ROBOT, "lift", [0, 0.25], "max")).toBe(ROBOT.replace("upper = '0.5'", "upper = '0.25'"));
    expect(withRobotLimit(ROBOT, "a < b & c", [-2.5, 1], "min")).toBe(ROBOT.replace('lower="-1"', 'lower="-2.5"'));
  });

  it("is written where it was left out", () => {
    expect(withRobotLimit(ROBOT, "lift", [-0.1, 0.5], "min")).toBe(ROBOT.replace('<limit effort="1"', '<limit lower="-0.1" effort="1"'));
  });

  it("stays where there is none", () => {
    for (const kind of ["continuous", "fixed"]) {
      const text = ROBOT.replace("revolute", kind);
      expect(withRobotLimit(text, "a < b & c", [-2, 2], "max")).toBe(text);
    }
    for (const text of [ROBOT, "", "<", "<robot", "<robot><joint name='x' type='revolute'><limit", "<!-- <robot>"]) expect(withRobotLimit(text, "x", [0, 1], "max")).toBe(text);
  });

  const gripper = (follower: string, far = "") => `<robot name="g"><link name="palm"/><link name="left"/><link name="right"/><link name="tip"/>
<joint name="left" type="prismatic"><parent link="palm"/><child link="left"/><limit lower="0" upper="0.04"/></joint>
<joint name="right" type="prismatic"><parent link="palm"/><child link="right"/><mimic joint="left" ${follower}/><limit lower="0" upper="0.04"/></joint>
<joint name="tip" type="revolute"><parent link="right"/><child link="tip"/><limit lower="0" upper="1"/>${far}</joint></robot>`;

  it("lets those that follow it as far as it takes them", () => {
    const wide = withRobotLimit(gripper(""), "left", [0, 0.0625], "max");
    expect(wide.match(/upper="0.0625"/g)?.length).toBe(2);
    const narrow = withRobotLimit(gripper(""), "left", [0, 0.03125], "max");
    expect([narrow.match(/upper="0.03125"/g)?.length, narrow.match(/upper="0.04"/g)?.length]).toEqual([1, 1]);
    const turned = withRobotLimit(gripper('multiplier="-2" offset="0.01"', '<mimic joint="right" multiplier="100"/>'), "left", [0, 0.5], "max");
    expect(turned).toMatch(/name="right".*lower="-0.99" upper="0.04"/);
    expect(turned).toMatch(/name="tip".*lower="-99" upper="1"/);
  });
});

describe.skipIf(!hasPackage)("limits of robots", () => {
  const open: Session[] = [];
  beforeAll(loadLibrary);
  afterEach(() => { for (const session of open.splice(0)) session.dispose(); });

  async function opened(): Promise<Session> {
    const session = createSession({ startWorker: () => localWorker(new Engine()), nextFrame: (then) => { setTimeout(then, 1); }, hash: "", isStill: true });
    open.push(session);
    session.openScene("arm6");
    await until(() => session.document.value.scene === "arm6" && session.handles.value.length > 2, "the robot");
    await rest(session);
    return session;
  }
  const elbow = (session: Session) => session.info.value?.names.indexOf("elbow") ?? -1;
  const limitOf = (session: Session) => session.info.value?.limits[elbow(session)] as { min: number; max: number };
  const rest = async (session: Session) => {
    // A change is under way a moment after it was asked for.
    await new Promise((resolve) => { setTimeout(resolve, 5); });
    await until(() => session.worker.value === "ready" && session.results.value.every(({ done, micros }) => done && micros !== null), "rest");
  };

  it("have handles that move them, in one step of undo, and links and saved files hold them", async () => {
    const session = await opened();
    session.selection.value = `joint:${elbow(session)}`;
    const ids = session.handles.value.map(({ id }) => id);
    expect(ids).toContain(`limit:${elbow(session)}:max`);
    const before = session.document.value;
    const { max } = limitOf(session);
    session.beginDrag(`limit:${elbow(session)}:max`);
    for (const value of [-0.5, -1, -1.7]) session.drag(`limit:${elbow(session)}:max`, { value });
    session.endDrag();
    await rest(session);
    expect(limitOf(session).max).toBe(-1.7);
    const value = () => session.results.value[0]?.q[session.info.value?.valueOffsets[elbow(session)] ?? 0] ?? NaN;
    expect(value()).toBeLessThanOrEqual(-1.7);
    const linked = createSession({ startWorker: () => localWorker(new Engine()), nextFrame: (then) => { setTimeout(then, 1); }, hash: session.link(), isStill: true });
    open.push(linked);
    await rest(linked);
    expect(linked.document.value).toEqual(session.document.value);
    const [problem, robot] = session.exports.files();
    expect(robot?.text).toContain('upper="-1.7"');
    if (command) {
      const folder = mkdtempSync(join(tmpdir(), "posekit-"));
      for (const file of [problem, robot]) writeFileSync(join(folder, file?.name ?? ""), file?.text ?? "");
      const solved = JSON.parse(execFileSync(command, ["solve", problem.name, "--format", "json"], { cwd: folder, encoding: "utf8" })) as { configuration: Record<string, number> };
      rmSync(folder, { recursive: true });
      expect(solved.configuration["elbow"]).toBe(value());
    }
    session.undo();
    await rest(session);
    expect(session.document.value).toEqual(before);
    expect(limitOf(session).max).toBe(max);
    session.redo();
    await rest(session);
    expect(limitOf(session).max).toBe(-1.7);
  });

  it("do not pass each other", async () => {
    const session = await opened();
    session.moveHandle(`joint:${elbow(session)}`, { position: [0.3, 0, 0.5] });
    await rest(session);
    const { min } = limitOf(session);
    session.moveHandle(`limit:${elbow(session)}:max`, { value: min - 1 });
    await rest(session);
    expect(limitOf(session)).toEqual({ kind: "range", min, max: min });
  });

  describe.skipIf(assets === null)("of others", () => {
    const folder = join(assets ?? "", "urdf");
    const names = assets === null ? [] : readdirSync(folder).filter((name) => name.endsWith(".urdf"));
    it.each(names)("%s: every range can be moved at both ends, and nothing else changes", (name) => {
      const text = readFileSync(join(folder, name), "utf8");
      const robot = Problem.fromUrdf(text);
      const [limits, mimics] = [robot.limits(), robot.mimics()];
      let moved = 0;
      robot.names().forEach((joint, index) => {
        const [kind, min = 0, max = 0] = limits.subarray(6 * index);
        if (kind !== 1 || (mimics[index] ?? -1) >= 0 || moved >= 12) return;
        moved += 1;
        for (const [end, range] of [["min", [min - 0.125, max]], ["max", [min, max + 0.125]], ["max", [min, (min + max) / 2]]] as const) {
          const changed = Problem.fromUrdf(withRobotLimit(text, joint, [...range], end));
          const now = changed.limits();
          const at = 6 * index + (end === "min" ? 1 : 2);
          expect(now[at], `${joint} ${end}`).toBeCloseTo(end === "min" ? range[0] : range[1], 9);
          now[at] = limits[at] ?? 0;
          for (const [follower, driver] of mimics.entries()) if (driver === index) now.set(limits.subarray(6 * follower, 6 * follower + 6), 6 * follower);
          expect([...now].map((value) => value.toFixed(9)), joint).toEqual([...limits].map((value) => value.toFixed(9)));
          changed.free();
        }
      });
      robot.free();
    });
  });
});

it("knows its own robots", () => {
  const text = readFileSync(fileURLToPath(new URL("scenes/arm7.urdf", import.meta.url)), "utf8");
  expect(withRobotLimit(text, "joint_4", [-3, -0.0698], "min")).toMatch(/name="joint_4"[\s\S]{0,300}lower="-3"/);
});

it("the first element tells an MJCF from a URDF", () => {
  expect(isMjcf("<mujoco model='arm'><worldbody/></mujoco>")).toBe(true);
  expect(isMjcf("\uFEFF<?xml version='1.0'?>\n<!-- an <robot> of old -->\n<mujoco/>")).toBe(true);
  expect(isMjcf(`${"<!-- <robot> -->\n".repeat(2000)}<mujoco>`)).toBe(true);
  expect(isMjcf("<!-- a <mujoco> that is never closed")).toBe(false);
  expect(isMjcf("<!DOCTYPE robot [<!ENTITY n 'x'>]><robot/>")).toBe(false);
  // As written by xacro: an expression took a time that doubled with each of them.
  expect(isMjcf(`<?xml version='1.0'?>${"<!-- | edited by hand is lost | -->\n".repeat(2000)}<robot name='hyq'/>`)).toBe(false);
  expect(isMjcf("<?xml version='1.0'?>\n<robot name='g1'>\n<mujoco>\n<compiler/>\n</mujoco></robot>")).toBe(false);
});
