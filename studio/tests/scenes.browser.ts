//! Every scene loads, solves and draws, without a word on the console.

import { describe, expect, test } from "vitest";
import { SCENES } from "../src/core/scenes/index.ts";
import { distance, handlePosition, lookAt, openScene, openStudio, report, resultOf, settled, sharedStudio } from "./browser.ts";

const studio = sharedStudio();

test("WebGL 2 is really up", async () => {
  await studio.page.waitForFunction(() => "posekitView" in globalThis);
  const version = await studio.page.evaluate(() => {
    const gl = document.querySelector<HTMLCanvasElement>(".view-canvas")?.getContext("webgl2");
    return gl && !gl.isContextLost() ? String(gl.getParameter(gl.VERSION)) : "";
  });
  expect(version).toContain("WebGL 2.0");
});

describe.each(SCENES.filter(({ group }) => group !== "learn").map(({ id }) => id))("%s", (scene) => {
  test("is solved and drawn", async () => {
    await openScene(studio.page, scene);
    await studio.page.waitForTimeout(150);
    const { colours, drawn } = await lookAt(studio.page);
    expect(colours, "colours").toBeGreaterThan(16);
    expect(drawn, "share of the view that is not background").toBeGreaterThan(0.005);
    if (scene !== "crowd") {
      const statuses = await studio.page.evaluate(() => globalThis.posekitSession.results.value.map(({ status }) => status));
      expect(statuses).toContain("reached");
    }
    expect(studio.complaints).toEqual([]);
  });
});

test("the crowd is a thousand limbs that follow their targets", async () => {
  // Nothing moves by itself where people have asked for no motion.
  const lively = await openStudio(studio.browser, { reducedMotion: "no-preference" });
  await openScene(lively.page, "crowd");
  const frame = () => lively.page.evaluate(() => {
    const { count, micros, targets } = globalThis.posekitSession.crowd.value ?? { count: 0, micros: 0, targets: [0] };
    return { count, micros, first: targets[0] };
  });
  const before = await frame();
  await lively.page.waitForTimeout(400);
  const after = await frame();
  expect(after.count).toBe(1000);
  expect(after.first).not.toBe(before.first);
  report(`crowd: 1000 limbs in ${after.micros.toFixed(0)} µs a frame`);
  await lively.close();
});

test("who comes without an address meets a figure that sways until something is touched", async () => {
  for (const reducedMotion of ["no-preference", "reduce"] as const) {
    const { page, complaints, close } = await openStudio(studio.browser, { hash: "", reducedMotion });
    const hips = () => handlePosition(page, "target:5");
    const sentence = page.locator(".greeting");
    expect(await sentence.innerText()).toBe("Drag the orange ring at the hips");
    const first = await hips();
    if (reducedMotion === "reduce") {
      await page.waitForTimeout(500);
      expect(await hips()).toEqual(first);
    } else {
      await expect.poll(async () => distance(await hips(), first)).toBeGreaterThan(0.02);
    }
    await page.keyboard.press("Shift");
    await expect.poll(() => sentence.count()).toBe(0);
    const there = await hips();
    await page.waitForTimeout(300);
    expect(await hips()).toEqual(there);
    expect(await page.evaluate(() => globalThis.posekitSession.canUndo.value)).toBeNull();
    expect((await resultOf(page)).status).toBe("reached");
    expect(complaints).toEqual([]);
    await close();
  }
});

test("nothing is offered in the crowd that means nothing there", async () => {
  const { page } = studio;
  await openScene(page, "limb-2d");
  const sections = () => page.locator(".panel .section > summary h2").allInnerTexts();
  expect(await sections()).toEqual(expect.arrayContaining(["Selected", "Goals", "View and start"]));
  await openScene(page, "crowd");
  expect(await sections()).toEqual(["Solvers", "Scene"]);
  expect(await page.getByRole("switch", { name: "Start from the last pose" }).count()).toBe(0);
  expect(await page.locator(".handle").count()).toBe(0);
  const before = await page.evaluate(() => globalThis.posekitSession.document.value);
  for (const key of ["g", "ArrowUp", "n", "m", "c", "k"]) await page.keyboard.press(key);
  await page.waitForTimeout(100);
  expect(await page.evaluate(() => globalThis.posekitSession.document.value)).toEqual(before);
  expect(studio.complaints).toEqual([]);
});

test("a solver is added only where another fits", async () => {
  const { page } = studio;
  await openScene(page, "limb-2d");
  const add = page.getByRole("button", { name: /Add a solver/ });
  const ran = () => page.evaluate(() => globalThis.posekitSession.results.value.map(({ method }) => method));
  for (let press = 0; press < 8; press += 1) {
    await page.keyboard.press("n");
    await settled(page);
  }
  const methods = await ran();
  expect(methods.length).toBeGreaterThan(2);
  expect(new Set(methods).size).toBe(methods.length);
  expect(await add.getAttribute("aria-disabled")).toBe("true");
  expect(await page.locator(".section-body").first().innerText()).toContain("No other solver fits this problem.");
});
