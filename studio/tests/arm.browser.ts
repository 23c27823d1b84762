//! Robot arms by mouse and by keyboard: other solutions, the self-motion, and a path with its speeds.

import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { afterEach, expect, test } from "vitest";
import type { PoseData } from "../src/core/types.ts";
import { distance, documentOf, onScreen, openScene, openStudio, settled, sharedStudio } from "./browser.ts";
import { assets } from "./assets.ts";

const studio = sharedStudio();
afterEach(() => { expect(studio.complaints).toEqual([]); });

const current = (page: Page) => page.evaluate(() => globalThis.posekitSession.arm.facts.value?.current ?? -2);
const value = (page: Page) => page.evaluate(() => Array.from(globalThis.posekitSession.results.value[0]?.q ?? []));
const tip = (page: Page) => page.evaluate(() => [...(globalThis.posekitSession.shown.value[0]?.points.slice(-3) ?? [])]);

async function openArm(page: Page, scene: "arm6" | "arm7"): Promise<void> {
  await openScene(page, scene);
  await page.waitForFunction(() => (globalThis.posekitSession.arm.facts.value?.solutions.length ?? 0) > 0);
}

/** A place in the middle of a bone of another solution that no handle and no bone of a third is near. */
async function ghostPlace(page: Page, index: number): Promise<{ x: number; y: number }> {
  const solutions = await page.evaluate(() => (globalThis.posekitSession.arm.facts.value?.solutions ?? []).map(({ points }: PoseData) => [...points]));
  const own = solutions[index] ?? [];
  const middles = Array.from({ length: own.length / 3 - 1 }, (_, k) => [0, 1, 2].map((axis) => ((own[3 * k + axis] ?? 0) + (own[3 * k + 3 + axis] ?? 0)) / 2) as [number, number, number]);
  const apart = (middle: number[]) => Math.min(...solutions.filter((_, at) => at !== index).flatMap((points) => Array.from({ length: points.length / 3 }, (_, k) => distance(middle, points.slice(3 * k, 3 * k + 3)))));
  const [best] = middles.filter((_, k) => distance(own.slice(3 * k, 3 * k + 3), own.slice(3 * k + 3, 3 * k + 6)) > 0.1).sort((a, b) => apart(b) - apart(a));
  return onScreen(page, best ?? [0, 0, 0]);
}

test("another solution is taken with a click on its ghost, and given back by undo", async () => {
  const { page } = studio;
  await openArm(page, "arm6");
  expect(await page.getByRole("group", { name: "Solutions" }).innerText()).toContain("1 of 8");
  const before = await value(page);
  const place = await ghostPlace(page, 4);
  await page.mouse.move(place.x, place.y);
  await page.waitForFunction(() => globalThis.posekitSession.arm.hovered.value !== null);
  const hovered = await page.evaluate(() => globalThis.posekitSession.arm.hovered.value);
  await page.mouse.click(place.x, place.y);
  await page.waitForFunction((index) => globalThis.posekitSession.arm.facts.value?.current === index, hovered);
  const [end, tool] = [await value(page), await tip(page)];
  expect(end).not.toEqual(before);
  expect(distance(tool, [0.38, -0.35, 0.25])).toBeLessThan(1e-5);
  await page.getByRole("button", { name: /^Undo/ }).click();
  await page.waitForFunction(() => globalThis.posekitSession.arm.facts.value?.current === 0);
  expect(await value(page)).toEqual(before);
  // Switched off, nothing is there to be clicked.
  await page.getByText("Show the other solutions").click();
  // The next picture is without them.
  await onScreen(page, [0, 0, 0]);
  await page.mouse.click(place.x, place.y);
  await settled(page);
  expect(await current(page)).toBe(0);
  await page.getByText("Show the other solutions").click();
});

test("the solutions can be stepped through by key and by button, all of them", async () => {
  const { page } = studio;
  await openArm(page, "arm6");
  const seen = new Set([String(await value(page))]);
  for (let step = 1; step < 8; step += 1) {
    await page.keyboard.press("o");
    await page.waitForFunction((wanted) => globalThis.posekitSession.arm.facts.value?.current === wanted, step);
    seen.add(String(await value(page)));
  }
  expect(seen.size).toBe(8);
  await page.keyboard.press("Shift+O");
  await page.waitForFunction(() => globalThis.posekitSession.arm.facts.value?.current === 6);
  await page.getByRole("button", { name: "Next solution" }).click();
  await page.waitForFunction(() => globalThis.posekitSession.arm.facts.value?.current === 7);
  expect(await page.getByRole("group", { name: "Solutions" }).innerText()).toContain("8 of 8");
});

test("the slider moves the arm while its tool stays, by keyboard as well", async () => {
  const { page } = studio;
  await openArm(page, "arm7");
  const [before, tool] = [await value(page), await tip(page)];
  const slider = page.getByRole("slider", { name: "Self-motion: joint_7" });
  await slider.focus();
  await slider.press("Home");
  await page.waitForFunction(() => globalThis.posekitSession.arm.facts.value?.selfMotion?.at === 0);
  await slider.press("End");
  await page.waitForFunction(() => { const motion = globalThis.posekitSession.arm.facts.value?.selfMotion; return motion?.at === (motion?.parameters.length ?? 0) - 1; });
  await settled(page);
  expect(distance(await tip(page), tool)).toBeLessThan(1e-5);
  expect(Math.max(...(await value(page)).map((angle, k) => Math.abs(angle - (before[k] ?? 0))))).toBeGreaterThan(0.3);
  expect(await slider.getAttribute("aria-valuetext")).toMatch(/°$/);
  await page.keyboard.press("Control+z");
  await page.waitForFunction((q) => globalThis.posekitSession.results.value[0]?.q[7] === q, before[7]);
});

test("a path is recorded, played with its speeds, scrubbed and left", async () => {
  const { page } = studio;
  await openArm(page, "arm7");
  const record = page.getByRole("button", { name: /Record this pose/ });
  await record.click();
  for (const position of [[0.42, 0.35, 0.38], [0.5, 0.1, 0.6]] as [number, number, number][]) {
    await page.evaluate((to) => { globalThis.posekitSession.moveHandle("target:0", { position: to }); }, position);
    await settled(page);
    await page.keyboard.press("r");
    await settled(page);
  }
  await page.waitForFunction(() => globalThis.posekitSession.arm.track.value?.asked === 2);
  expect(await page.locator(".poses > li").count()).toBe(3);
  expect(await page.locator(".arm-path .chip").innerText()).toMatch(/^follows the path in 2\.00\ss$/);
  const seconds = page.getByRole("spinbutton", { name: "From pose to pose" });
  await seconds.fill("0.2");
  await seconds.press("Enter");
  await page.waitForFunction(() => globalThis.posekitSession.arm.track.value?.asked === 0.4);
  expect(await page.locator(".arm-path .chip").innerText()).toMatch(/longer than requested: as fast as joint_\d/);
  await page.getByRole("button", { name: "Play the path" }).click();
  expect(await page.locator(".speed-row").count()).toBe(7);
  await page.waitForFunction(() => !globalThis.posekitSession.arm.running.value && globalThis.posekitSession.arm.frame.value !== null);
  expect(distance(await tip(page), [0.5, 0.1, 0.6])).toBeLessThan(1e-5);
  const scrubber = page.getByRole("slider", { name: "Place on the path" });
  await scrubber.press("Home");
  expect(distance(await tip(page), [0.42, -0.35, 0.38])).toBeLessThan(1e-5);
  // A click into a row goes to that time.
  const row = page.locator(".speed-line").first();
  const box = await row.boundingBox();
  if (!box) throw new Error("no row");
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  const share = await page.evaluate(() => (globalThis.posekitSession.arm.frame.value ?? 0) / (globalThis.posekitSession.arm.track.value?.nFrames ?? 1));
  expect(Math.abs(share - 0.5)).toBeLessThan(0.06);
  await page.keyboard.press("l");
  await page.locator(".speed-row").first().waitFor({ state: "detached" });
  const again = await openStudio(studio.browser, { hash: await page.evaluate(() => globalThis.posekitSession.link()) });
  await again.page.waitForFunction(() => globalThis.posekitSession.arm.track.value?.asked === 0.4);
  expect((await documentOf(again.page)).path).toEqual((await documentOf(page)).path);
  expect(again.complaints).toEqual([]);
  await again.close();
});

test("where a path ends is marked and said", async () => {
  const { page } = studio;
  await openArm(page, "arm7");
  await page.keyboard.press("r");
  await page.evaluate(() => { globalThis.posekitSession.moveHandle("target:0", { position: [1.6, -0.35, 0.38] }); });
  await settled(page);
  await page.keyboard.press("r");
  await page.waitForFunction(() => globalThis.posekitSession.arm.track.value !== null);
  expect(await page.locator(".arm-path .chip").innerText()).toMatch(/^ends after \d+\s% of the path: /);
  expect(await page.getByRole("group", { name: "Solutions" }).innerText()).toContain("none");
  await page.getByRole("button", { name: "Play the path" }).click();
  expect(await page.locator(".speed-end").count()).toBe(7);
  await page.keyboard.press("l");
});

test("an arm on a phone is tapped, slid and played", async () => {
  const phone = await openStudio(studio.browser, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  const { page } = phone;
  await page.locator("#sheet-tab-scenes").click();
  await openArm(page, "arm6");
  await page.locator("#sheet-tab-solve").click();
  const place = await ghostPlace(page, 4);
  await page.touchscreen.tap(place.x, place.y);
  await page.waitForFunction(() => (globalThis.posekitSession.arm.facts.value?.current ?? 0) > 0);
  for (const y of [-0.35, 0.1]) {
    await page.evaluate((to) => { globalThis.posekitSession.moveHandle("target:0", { position: [0.38, to, 0.26] }); }, y);
    await settled(page);
    await page.getByRole("button", { name: /Record this pose/ }).tap();
    await settled(page);
  }
  await page.getByRole("button", { name: "Play the path" }).tap();
  expect(await page.locator(".sheet-status").innerText()).toContain("follows the path");
  await page.locator("#sheet-tab-time").click();
  expect(await page.locator(".speed-row").count()).toBe(6);
  expect(phone.complaints).toEqual([]);
  await phone.close();
});

test.skipIf(assets === null)("a robot of one's own has them, too: an arm angle", async () => {
  const { page } = studio;
  const buffer = readFileSync(`${assets ?? ""}/urdf/iiwa14_primitive_collision.urdf`);
  await page.locator("#open-file").setInputFiles({ name: "iiwa.urdf", mimeType: "text/xml", buffer });
  await page.waitForFunction(() => globalThis.posekitSession.document.value.title.includes("iiwa") && globalThis.posekitSession.arm.facts.value !== null);
  await page.evaluate(() => { globalThis.posekitSession.moveHandle("target:0", { position: [0.5, 0.1, 0.6], rotation: [1, 0, 0, 0] }); });
  await settled(page);
  await page.waitForFunction(() => (globalThis.posekitSession.arm.facts.value?.selfMotion?.parameters.length ?? 0) > 10);
  const slider = page.getByRole("slider", { name: "Arm angle" });
  const before = await tip(page);
  await slider.press("PageUp");
  await settled(page);
  expect(distance(await tip(page), before)).toBeLessThan(1e-5);
});
