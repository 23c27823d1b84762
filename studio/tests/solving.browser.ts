//! Dragging, stepping, undoing: the main task, by mouse and by keyboard alone.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, inject, test } from "vitest";
import type { MethodName } from "../src/core/types.ts";
import { distance, documentOf, dragHandle, handlePosition, onScreen, openScene, openStudio, resultOf, settled, sharedStudio } from "./browser.ts";

const studio = sharedStudio();
afterEach(() => { expect(studio.complaints).toEqual([]); });

test("dragging the target brings the tip to it, in each solver, in the plane and in space", async () => {
  const { page } = studio;
  for (const scene of ["chain-2d", "arm-free"] as const) {
    await openScene(page, scene);
    const methods = await page.evaluate(() => globalThis.posekitSession.info.value?.methods ?? []);
    expect(methods.length, scene).toBeGreaterThan(3);
    for (const [index, method] of methods.entries()) {
      await page.locator(".run select").first().selectOption(method);
      await settled(page);
      const before = await handlePosition(page, "target:0");
      await dragHandle(page, "target:0", { x: index % 2 === 0 ? -60 : 60, y: index % 2 === 0 ? 24 : -24 });
      const after = await handlePosition(page, "target:0");
      const { tip, error, tolerance, status } = await resultOf(page);
      expect(distance(before, after), `${scene} ${method}: the target moved`).toBeGreaterThan(0.01);
      expect(status, `${scene} ${method}`).toBe("reached");
      expect(distance(tip, after), `${scene} ${method}: tip on target`).toBeLessThanOrEqual(Math.max(error, tolerance) * 1.01);
    }
  }
});

test("a drag of any number of moves is one step of undo, and everything can be undone and done again", async () => {
  const { page } = studio;
  await openScene(page, "chain-2d");
  const states = [await documentOf(page)];
  const change = async (act: () => Promise<unknown>) => {
    await act();
    await settled(page);
    states.push(await documentOf(page));
  };
  await change(() => dragHandle(page, "target:0", { x: -40, y: 10 }));
  await change(() => page.locator(".run select").first().selectOption("fabrik"));
  await change(() => page.getByRole("button", { name: /Add a solver/ }).click());
  await change(() => page.getByRole("spinbutton", { name: "Segments" }).fill("9").then(() => page.keyboard.press("Enter")));
  expect(new Set(states.map((state) => JSON.stringify(state))).size, "five different states").toBe(5);
  for (const state of states.slice(0, -1).reverse()) {
    await page.getByRole("button", { name: /^Undo/ }).click();
    await settled(page);
    expect(problemAndRuns(await documentOf(page))).toEqual(problemAndRuns(state));
  }
  for (const state of states.slice(1)) {
    await page.getByRole("button", { name: /^Redo/ }).click();
    await settled(page);
    expect(problemAndRuns(await documentOf(page))).toEqual(problemAndRuns(state));
  }
});

test("undo and another scene let go of what is being dragged", async () => {
  const { page } = studio;
  await openScene(page, "chain-2d");
  const before = await documentOf(page);
  const from = await onScreen(page, await handlePosition(page, "target:0"));
  const grabAndPress = async (key: string) => {
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(from.x - 40, from.y + 10, { steps: 4 });
    await page.keyboard.press(key);
    await settled(page);
    const then = await documentOf(page);
    await page.mouse.move(from.x - 90, from.y + 40, { steps: 4 });
    await page.mouse.up();
    await settled(page);
    expect(problemAndRuns(await documentOf(page)), key).toEqual(problemAndRuns(then));
  };
  await grabAndPress("Control+z");
  expect(problemAndRuns(await documentOf(page))).toEqual(problemAndRuns(before));
  // What was undone is still there to be done again.
  expect(await page.evaluate(() => globalThis.posekitSession.canRedo.value)).not.toBe(null);
  await grabAndPress("]");
  expect((await documentOf(page)).scene).toBe("rope");
});

test("the keys for the next scene go round all of them, the motion scene too", async () => {
  const { page } = studio;
  await openScene(page, "tentacle");
  const current = () => page.locator(".scene[aria-current=true]").getAttribute("data-scene");
  for (const [key, next] of [["]", "figure"], ["]", "motion"], ["]", "hand"], ["[", "motion"], ["[", "figure"], ["[", "tentacle"]] as const) {
    await page.keyboard.press(key);
    expect(await current()).toBe(next);
  }
  await settled(page);
});

/** What a person sees of a state; where a run starts from is the session's own. */
function problemAndRuns({ scene, options, problem, runs }: Awaited<ReturnType<typeof documentOf>>) {
  return { scene, options, problem, runs: runs.map(({ id, method, settings }) => ({ id, method, settings })) };
}

describe("stepping shows what the command line traces", () => {
  const folder = mkdtempSync(join(tmpdir(), "posekit-studio-"));
  afterAll(() => { rmSync(folder, { recursive: true }); });

  test.each<MethodName>(["ccd", "fabrik", "relaxation"])("%s", async (method) => {
    const { page } = studio;
    await openScene(page, "chain-2d");
    await page.locator(".run select").first().selectOption(method);
    await settled(page);
    const problem = await page.evaluate(() => globalThis.posekitSession.exports.problem().text);
    const file = join(folder, `${method}.json`);
    writeFileSync(file, problem);
    const output = execFileSync(inject("posekit"), ["solve", file, "--solver", method, "--trace", "--format", "json"], { encoding: "utf8" });
    interface Step { error: number; points: number[][] }
    const { trace, ...end } = JSON.parse(output) as Step & { trace: (Step & { iteration: number })[] };
    expect(trace.length).toBeGreaterThan(0);
    await page.evaluate(() => { globalThis.posekitSession.scrub(0); });
    await page.locator(".stage").focus();
    for (const step of trace.slice(0, 6)) {
      const { iteration } = step;
      // Where the pose that is returned is fitted to the points of the last iteration, that iteration ends in it.
      const { error, points } = step === trace.at(-1) ? end : step;
      await page.keyboard.press(".");
      await page.waitForFunction((wanted) => globalThis.posekitSession.cursor.value?.iteration === wanted, iteration);
      const shown = await page.evaluate(() => {
        const main = globalThis.posekitSession.shown.value.find(({ index }) => index === 0);
        const entry = globalThis.posekitSession.cursor.value?.entry ?? 0;
        const raw = globalThis.posekitSession.results.value[0]?.trace;
        return {
          error: main?.error,
          points: raw ? [...raw.points.slice(entry * 3 * raw.nPoints, (entry + 1) * 3 * raw.nPoints)] : [],
        };
      });
      expect(shown.error, `error of iteration ${iteration}`).toBe(error);
      expect(shown.points, `points of iteration ${iteration}`).toEqual(points.flatMap(([x, y]) => [x, y, 0]));
    }
  });
});

test("half-steps go forth and back through one iteration", async () => {
  const { page } = studio;
  await openScene(page, "chain-2d");
  await page.locator(".run select").first().selectOption("ccd");
  await settled(page);
  await page.evaluate(() => { globalThis.posekitSession.scrub(0); });
  const phase = () => page.evaluate(() => `${globalThis.posekitSession.cursor.value?.iteration} ${globalThis.posekitSession.cursor.value?.phase}`);
  await page.getByRole("button", { name: "Forward half a step" }).click();
  expect(await phase()).toBe("1 joint");
  await page.getByRole("button", { name: "Forward one iteration" }).click();
  expect(await phase()).toBe("1 iteration");
  await page.getByRole("button", { name: "Back half a step" }).click();
  expect(await phase()).toBe("1 joint");
});

test("the main task by keyboard alone", async () => {
  const { page, complaints, close } = await openStudio(studio.browser);
  const press = async (...keys: string[]) => { for (const key of keys) await page.keyboard.press(key); };
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute("data-handle") ?? document.activeElement?.className ?? "");
  // To a scene by the rail: the skip link, the bar, then the scenes.
  for (let tab = 0; tab < 60 && !(await page.evaluate(() => document.activeElement?.getAttribute("data-scene") === "chain-2d")); tab += 1) await press("Tab");
  await press("Enter");
  await settled(page);
  expect((await documentOf(page)).scene).toBe("chain-2d");
  await press("g");
  expect(await focused()).toBe("target:0");
  const before = await handlePosition(page, "target:0");
  await press("ArrowLeft", "ArrowLeft", "ArrowUp", "Shift+ArrowUp");
  await settled(page);
  const after = await handlePosition(page, "target:0");
  expect(after[0]).toBeLessThan(before[0]);
  expect(after[1]).toBeGreaterThan(before[1]);
  expect((await resultOf(page)).status).toBe("reached");
  await page.waitForFunction(() => document.getElementById("live-status")?.textContent?.includes("reached"));
  await press("n", "m");
  await settled(page);
  expect((await documentOf(page)).runs.length).toBe(2);
  // The run may have reached in one iteration: forward, back, and forward again.
  await press(".", ",", ".");
  await page.waitForFunction(() => globalThis.posekitSession.cursor.value?.iteration === 1);
  await press("l");
  expect(await page.evaluate(() => globalThis.posekitSession.playback.value.mode)).toBe("live");
  await press("Control+z");
  await settled(page);
  await press("?");
  expect(await page.getByRole("dialog").getAttribute("aria-labelledby")).toBe("dialog-title");
  await press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await press("s");
  await page.getByRole("dialog").waitFor();
  await press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await press("h");
  await page.locator(".learn").waitFor();
  expect(complaints).toEqual([]);
  await close();
});

test("a key that is held moves the target on, and is one step of undo", async () => {
  const { page } = studio;
  await openScene(page, "chain-2d");
  const before = await documentOf(page);
  const [x0] = await handlePosition(page, "target:0");
  await page.keyboard.press("g");
  for (let repeat = 0; repeat < 15; repeat += 1) await page.keyboard.down("ArrowLeft");
  await page.keyboard.up("ArrowLeft");
  await settled(page);
  const [x1] = await handlePosition(page, "target:0");
  // Fifteen steps of the grid, which are as long as each other.
  await page.keyboard.press("ArrowLeft");
  await settled(page);
  const [x2] = await handlePosition(page, "target:0");
  expect(x0 - x1).toBeCloseTo(15 * (x1 - x2), 9);
  await page.keyboard.press("Control+z");
  expect((await handlePosition(page, "target:0"))[0]).toBe(x1);
  await page.keyboard.press("Control+z");
  expect(problemAndRuns(await documentOf(page))).toEqual(problemAndRuns(before));
});

test("numbers are typed with a point or a comma, and what is not taken is said", async () => {
  const { page } = studio;
  await openScene(page, "chain-2d");
  await page.evaluate(() => { globalThis.posekitSession.selection.value = "target:0"; });
  const selected = page.locator("details.section", { hasText: "Selected" });
  if (await selected.getAttribute("open") === null) await selected.locator("summary").click();
  const x = page.getByRole("spinbutton", { name: "x", exact: true });
  const type = async (typed: string) => {
    await x.fill(typed);
    await x.press("Enter");
    await settled(page);
  };
  await type("0,3");
  expect((await handlePosition(page, "target:0"))[0]).toBe(0.3);
  await type("0x10");
  expect((await handlePosition(page, "target:0"))[0]).toBe(0.3);
  await expect.poll(() => x.inputValue()).toBe("0.300");
  await expect.poll(() => page.locator(".number-note").allInnerTexts()).toEqual(["Not a number: 0x10. It stays"]);
  await x.press("ArrowUp");
  await settled(page);
  expect((await handlePosition(page, "target:0"))[0]).toBeCloseTo(0.31, 12);
  const segments = page.getByRole("spinbutton", { name: "Segments" });
  await segments.fill("1000");
  await segments.press("Enter");
  await expect.poll(() => page.locator(".number-note").allInnerTexts()).toEqual([expect.stringMatching(/^At most \d/)]);
});

test("playing goes on by itself and follows the target", async () => {
  const { page } = studio;
  await openScene(page, "rope");
  await page.getByLabel("Iterations per frame").selectOption("1");
  await page.getByRole("button", { name: "Play" }).click();
  await dragHandle(page, "target:0", { x: -50, y: 20 });
  await page.waitForFunction(() => globalThis.posekitSession.results.value[0]?.status === "reached");
  await page.getByRole("button", { name: "Pause" }).click();
  expect(await page.evaluate(() => globalThis.posekitSession.playback.value.running)).toBe(false);
});
