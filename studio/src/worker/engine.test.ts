import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { Problem } from "posekit/robots";
import { command, hasPackage, loadLibrary } from "../core/testing.ts";
import { SCENES, sceneDocument } from "../core/scenes/index.ts";
import { phaseAt, poseAt } from "../core/shown.ts";
import { HALF_STEPS, PHASES, type SceneId } from "../core/types.ts";
import { Engine } from "./engine.ts";
import type { RunOrder } from "./protocol.ts";

const loaded = async (id: SceneId) => {
  const engine = new Engine();
  const { problem, urdf } = sceneDocument(id);
  const info = await engine.load({ kind: "json", text: JSON.stringify(problem), ...(urdf === undefined ? {} : { urdf }) });
  return { engine, info };
};

/** The trace of a solve of its own. */
const traceOf = (engine: Engine, run: RunOrder) => {
  engine.solve(run, []);
  const trace = engine.trace(run.id);
  if (!trace) throw new Error("nothing is solved");
  return trace;
};

const order = (method: RunOrder["method"], settings: RunOrder["settings"] = {}, start: RunOrder["start"] = "problem"): RunOrder => ({ id: "run1", method, settings, start });

describe.skipIf(!hasPackage)("the engine", () => {
  beforeAll(loadLibrary);

  it("describes what it has loaded", async () => {
    const { info } = await loaded("limb-2d");
    expect(info).toMatchObject({ kind: "plane", dimension: 2, nJoints: 2, nValues: 2 });
    expect(info.limits).toEqual([{ kind: "none" }, { kind: "range", min: 0, max: (150 * Math.PI) / 180 }]);
    expect(info.start.points.length).toBe(9);
    expect(info.reach).toBeCloseTo(0.58);
    expect(info.tasks[0]).toMatchObject({ task: "position", position: [0.34, 0.19, 0] });
  });

  for (const { id } of SCENES) {
    it(`solves ${id} and traces the same way`, async () => {
      const { engine, info } = await loaded(id);
      for (const method of info.methods) {
        const solved = engine.solve(order(method), []);
        expect(solved.fault).toBeNull();
        const trace = traceOf(engine, order(method));
        expect(trace.nJoints).toBe(info.nJoints);
        expect(trace.nPoints * 3).toBe(solved.points.length);
        // It ends in the result, number for number, and so does the short one that comes with every solve.
        for (const ended of [trace, solved.trace ?? trace]) {
          expect([ended.iterations.at(-1), ended.errors.at(-1), ended.turns.at(-1)], method).toEqual([solved.iterations, solved.error, solved.orientationError]);
        }
        const last = poseAt(trace, trace.n - 1);
        expect([[...last.q], [...last.poses], [...last.points]], method).toEqual([[...solved.q], [...solved.poses], [...solved.points]]);
        expect([...trace.configurations, ...trace.poses, ...trace.points].every(Number.isFinite)).toBe(true);
      }
    });
  }

  it("begins with the state before anything has moved", async () => {
    const { engine, info } = await loaded("chain-2d");
    const trace = traceOf(engine, order("ccd"));
    expect(trace.configurations.slice(0, info.nValues)).toEqual(info.start.q);
    const tip = info.start.points.slice(-3);
    expect(trace.errors[0]).toBeCloseTo(Math.hypot((tip[0] ?? 0) - 0.42, (tip[1] ?? 0) + 0.38), 12);
  });

  it("moves one joint in every half-step of CCD, from the tip inward", async () => {
    const { engine, info } = await loaded("chain-2d");
    const trace = traceOf(engine, order("ccd"));
    expect([...trace.joints.slice(1, 1 + info.nJoints)]).toEqual([5, 4, 3, 2, 1, 0]);
    expect(trace.phases[1]).toBe(1);
    const before = trace.configurations.slice(0, 6);
    const after = trace.configurations.slice(6, 12);
    expect([...before].map((value, joint) => value !== after[joint])).toEqual([false, false, false, false, false, true]);
  });

  it("moves one bone in every half-step of relaxation, from the tip inward, and fits a pose behind them", async () => {
    const { engine, info } = await loaded("chain-2d");
    const trace = traceOf(engine, order("relaxation"));
    const n = info.nJoints;
    expect([...trace.joints.slice(1, 1 + n)]).toEqual([5, 4, 3, 2, 1, 0]);
    expect([...trace.phases.slice(1, 3 + n)].map((phase) => PHASES[phase])).toEqual([...Array<string>(n).fill("bone"), "pass", "iteration"]);
  });

  it("advances to the same end as one solve, bit for bit", async () => {
    const { engine } = await loaded("arm-hinges");
    const whole = engine.solve(order("ccd"), []);
    let part = engine.advance(order("ccd"), [], 1, true);
    for (let frame = 0; !part.done && frame < 500; frame += 1) part = engine.advance(order("ccd"), [], 1, false);
    expect(part.q).toEqual(whole.q);
    expect(part.iterations).toBe(whole.iterations);
  });

  it("follows a target from where it stands", async () => {
    const { engine } = await loaded("chain-2d");
    engine.solve(order("ccd"), []);
    const warm = engine.solve(order("ccd", {}, "last"), [{ task: 0, numbers: [0.4, -0.4] }]);
    const cold = engine.solve(order("ccd"), [{ task: 0, numbers: [0.4, -0.4] }]);
    expect(warm.status).toBe("reached");
    expect(warm.q).not.toEqual(cold.q);
    expect(warm.trace?.errors[0]).toBeLessThan(0.05);
    expect(cold.trace?.errors[0]).toBeGreaterThan(0.5);
  });

  it("says why a method cannot run", async () => {
    const { engine } = await loaded("figure");
    const result = engine.solve(order("two-bone"), []);
    expect(result.fault).toMatch(/two-bone|limb|bones/);
    expect(result.points.length).toBeGreaterThan(0);
  });

  it("brings a joint to where it is dragged, and leaves what hangs on it", async () => {
    for (const id of ["chain-2d", "arm-ranges", "arm7", "figure", "hand"] as const) {
      const { engine, info } = await loaded(id);
      const joint = id === "figure" ? info.names.indexOf("left elbow") : 3;
      const at = [0, 1, 2].map((axis) => info.start.poses[7 * joint + axis] ?? 0);
      const wanted = at.map((value, axis) => value + (axis === 0 ? 0.01 : axis === 1 ? -0.01 : 0));
      const q = engine.bend(joint, wanted, info.start.q);
      const { problem, urdf } = sceneDocument(id);
      const read = Problem.fromJson(JSON.stringify(problem), urdf);
      const poses = new Float64Array(info.start.poses.length);
      read.poses(q, poses);
      read.free();
      const off = (p: Float64Array, to: number[]) => Math.hypot(...to.map((value, axis) => (p[7 * joint + axis] ?? 0) - value));
      expect(off(poses, wanted), id).toBeLessThan(off(info.start.poses, wanted));
      const last = info.valueOffsets.at(-1) ?? 0;
      expect(q[last], id).toBe(info.start.q[last]);
    }
  });

  it("measures what is warm, however long the first solves or a halt of the machine take", async () => {
    const { engine } = await loaded("limb-2d");
    let now = 0;
    let step = (_now: number) => 1;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => now += step(now));
    try {
      // A solve takes 1 ms by this clock, and 2.5 ms while it is still being compiled.
      step = (at) => (at < 55 ? 2.5 : 1);
      engine.solve(order("two-bone"), []);
      expect(engine.measure("run1")).toBe(1000);
      // Once: it is warm now.
      step = () => 1;
      const before = now;
      engine.measure("run1");
      expect(now - before).toBeLessThan(40);
      // The machine halts behind the first solve that counts.
      let halts = 1;
      const halted = now + 5;
      step = (at) => (at > halted && halts-- > 0 ? 90 : 1);
      expect(engine.measure("run1")).toBe(1000);
    } finally {
      clock.mockRestore();
    }
  });

  it("measures", async () => {
    const { engine } = await loaded("limb-2d");
    expect(engine.measure("run1")).toBeNull();
    engine.solve(order("two-bone"), []);
    const micros = engine.measure("run1");
    expect(micros).toBeGreaterThan(0.01);
    expect(micros).toBeLessThan(500);
  });

  it("keeps traces within bounds and says when it left half-steps out", async () => {
    const engine = new Engine();
    const { problem } = sceneDocument("rope", { segments: 200 });
    await engine.load({ kind: "json", text: JSON.stringify(problem) });
    const trace = traceOf(engine, order("ccd", { tolerance: 0, iterations: 60, classic: true }));
    expect(trace.thinned).toBe(true);
    expect(trace.configurations.length + trace.poses.length + trace.points.length).toBeLessThan(4.1e6);
  });

  it("keeps a crowd of a thousand within a frame", async () => {
    const engine = new Engine();
    let frame = engine.answer({ kind: "crowd", order: { count: 1000, height: 0.1, speed: 0.4, time: 0 } });
    return frame.then(async (first) => {
      expect(first).toMatchObject({ count: 1000, reached: 1000 });
      const times: number[] = [];
      for (let index = 1; index < 60; index += 1) {
        frame = engine.answer({ kind: "crowd", order: { count: 1000, height: 0.1, speed: 0.4, time: index / 60 } });
        times.push(((await frame) as { micros: number }).micros);
      }
      times.sort((a, b) => a - b);
      process.stdout.write(`a crowd of 1000: ${((times[30] ?? 0) / 1000).toFixed(2)} ms a frame\n`);
      expect(times[30]).toBeLessThan(8000);
    });
  });

  it("has the digest that is committed", async () => {
    const { computed, committed } = (await new Engine().answer({ kind: "digest" })) as { computed: string; committed: string };
    expect(computed).toBe(committed);
  }, 60_000);
});

describe.skipIf(!hasPackage || !command)("beside the command line", () => {
  beforeAll(loadLibrary);
  const cases = new URL("../../../testdata/cases/", import.meta.url);

  for (const [name, method] of [["plane-two-bone", "ccd"], ["plane-hundred", "fabrik"], ["plane-root-and-weights", "relaxation"], ["space-hinge-limits", "ccd"], ["space-cones", "least-squares"]] as const) {
    it(`${name} by ${method}: solution and trace are the same bytes`, async () => {
      const path = fileURLToPath(new URL(`${name}.json`, cases));
      const printed = execFileSync(command ?? "", ["solve", path, "--solver", method, "--trace", "--format", "json"], { encoding: "utf8" });
      const engine = new Engine();
      await engine.load({ kind: "json", text: readFileSync(path, "utf8") });
      expect(engine.solution(order(method), [], true).trim()).toBe(printed.trim());
    });
  }

  for (const [name, method] of [["plane-two-bone", "ccd"], ["plane-two-bone", "fabrik"], ["plane-root-and-weights", "relaxation"], ["plane-limits", "ccd"], ["plane-straight-inline", "ccd"], ["plane-two-bone", "least-squares"]] as const) {
    it(`${name} by ${method}: stepping shows the trace that the command prints, bit for bit`, async () => {
      const path = fileURLToPath(new URL(`${name}.json`, cases));
      const printed = JSON.parse(execFileSync(command ?? "", ["solve", path, "--solver", method, "--trace", "--format", "json"], { encoding: "utf8" })) as {
        trace: { iteration: number; error: number; points: number[][] }[];
      };
      const engine = new Engine();
      await engine.load({ kind: "json", text: readFileSync(path, "utf8") });
      const trace = traceOf(engine, order(method));
      expect(trace.thinned).toBe(false);
      const size = 3 * trace.nPoints;
      // Several steps may end in one iteration: the escape and the iteration itself.
      const ends = [...trace.iterations.keys()].filter((entry) => entry > 0 && ![...HALF_STEPS, "result"].includes(phaseAt(trace, entry)));
      expect(ends.map((entry) => trace.iterations[entry])).toEqual(printed.trace.map(({ iteration }) => iteration));
      printed.trace.forEach((step, index) => {
        const entry = ends[index] ?? 0;
        expect(trace.errors[entry]).toBe(step.error);
        expect([...trace.points.subarray(entry * size, (entry + 1) * size)]).toEqual(step.points.flatMap(([x = 0, y = 0]) => [x, y, 0]));
      });
    });
  }
});
