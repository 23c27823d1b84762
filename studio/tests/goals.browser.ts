//! Goals that are put on another link, added and removed, and the limits of a robot, by keyboard and by mouse.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import AxeBuilder from "@axe-core/playwright";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { documentOf, dragHandle, openScene, resultOf, settled, sharedStudio } from "./browser.ts";
import type { FigureProblem } from "../src/core/files.ts";

const ARM = fileURLToPath(new URL("../../testdata/arm6.urdf", import.meta.url));

const studio = sharedStudio();

async function drop(page: Page): Promise<void> {
  await page.locator("#open-file").setInputFiles({ name: "arm6.urdf", mimeType: "application/xml", buffer: readFileSync(ARM) });
  await page.waitForFunction(() => globalThis.posekitSession.document.value.scene === "file");
  await settled(page);
}

const tasks = async (page: Page) => ((await documentOf(page)).problem as FigureProblem).tasks;
const goals = (page: Page) => page.getByRole("group", { name: /^Goal \d/ });
const pose = (page: Page) => page.evaluate(() => Array.from(globalThis.posekitSession.results.value[0]?.q ?? []));

test("the tool of a robot is chosen, a goal is added and removed, and nothing jumps", async () => {
  const { page } = studio;
  await drop(page);
  const before = await pose(page);
  await expect.poll(() => goals(page).count()).toBe(1);
  await page.getByLabel("On", { exact: true }).selectOption({ label: "wrist_2" });
  await settled(page);
  expect((await tasks(page))[0]).toMatchObject({ task: "pose", name: "wrist_2", frame: { link: "wrist_2" } });
  await page.getByLabel("Asks for").selectOption("position");
  await settled(page);
  for (const [index, value] of (await pose(page)).entries()) expect(value).toBeCloseTo(before[index] ?? NaN, 6);
  await page.getByRole("button", { name: "Add a goal", exact: true }).click();
  await expect.poll(() => goals(page).count()).toBe(2);
  await settled(page);
  expect((await tasks(page))[1]).toMatchObject({ task: "position", frame: { link: "tool0" } });
  // The new goal is selected, and has the focus, so that it can be put elsewhere at once.
  expect(await page.evaluate(() => globalThis.posekitSession.selection.value)).toBe("target:1");
  expect(await page.evaluate(() => document.activeElement?.closest("[role=group]")?.getAttribute("aria-label"))).toBe("Goal 2: tool0");
  await page.getByRole("button", { name: "Remove the goal wrist_2" }).click();
  await expect.poll(() => goals(page).count()).toBe(1);
  await settled(page);
  expect((await tasks(page)).map(({ name }) => name)).toEqual(["tool0"]);
  await dragHandle(page, "target:0", { x: -20, y: 15 });
  expect((await resultOf(page)).status).toBe("reached");
  await expect(page.getByRole("button", { name: /only goal cannot/ }).getAttribute("aria-disabled")).resolves.toBe("true");
  for (let back = 0; back < 5; back += 1) await page.keyboard.press("Control+z");
  await settled(page);
  expect((await tasks(page)).map(({ name }) => name)).toEqual(["tool0"]);
  expect((await tasks(page))[0]).toMatchObject({ task: "pose" });
  expect(studio.complaints).toEqual([]);
});

test("goals are changed with the keyboard alone, and no serious violation is found", async () => {
  const { page } = studio;
  await openScene(page, "hand");
  await page.locator("summary", { hasText: "Goals" }).focus();
  await page.keyboard.press("Enter");
  await page.locator(".add-goal").focus();
  await page.keyboard.press("Enter");
  await expect.poll(() => goals(page).count()).toBe(6);
  await settled(page);
  const focus = () => page.evaluate(() => `${document.activeElement?.tagName} in ${document.activeElement?.closest("[role=group]")?.getAttribute("aria-label")}`);
  await expect.poll(focus).toBe("SELECT in Goal 6: index 2");
  await page.keyboard.type("ring 2");
  await settled(page);
  await expect.poll(focus).toBe("SELECT in Goal 6: ring 2");
  expect((await tasks(page))[5]).toMatchObject({ name: "ring 2", frame: { joint: "ring 2" } });
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(violations.filter(({ impact }) => impact === "serious" || impact === "critical").map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ""}`)).toEqual([]);
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Enter");
  await expect.poll(() => goals(page).count()).toBe(5);
  await expect.poll(focus).toMatch(/^SELECT in Goal 5/);
  expect(studio.complaints).toEqual([]);
});

test("a goal is put on the joint that is selected", async () => {
  const { page } = studio;
  await openScene(page, "arm7");
  await page.evaluate(() => { globalThis.posekitSession.selection.value = "joint:4"; });
  await page.locator("summary", { hasText: "Selected" }).click();
  await page.getByRole("button", { name: "Add a goal on forearm" }).click();
  await settled(page);
  expect((await tasks(page))[1]).toMatchObject({ task: "position", frame: { link: "forearm" } });
});

test("a limit of a robot is dragged and typed", async () => {
  const { page } = studio;
  await drop(page);
  const joint = await page.evaluate(() => globalThis.posekitSession.info.value?.names.indexOf("elbow") ?? -1);
  const most = () => page.evaluate((at) => { const limit = globalThis.posekitSession.info.value?.limits[at]; return limit?.kind === "range" ? limit.max : NaN; }, joint);
  const was = await most();
  await page.evaluate((at) => { globalThis.posekitSession.selection.value = `limit:${at}:max`; }, joint);
  await settled(page);
  const field = page.getByLabel("Maximum", { exact: true });
  if (!(await field.isVisible())) await page.locator("summary", { hasText: "Selected" }).click();
  await field.fill("-40");
  await field.press("Enter");
  await settled(page);
  await expect.poll(most).toBeCloseTo(-40 * Math.PI / 180, 9);
  expect((await documentOf(page)).urdf).toContain(`upper="${await most()}"`);
  // The picture with the new limit comes with the next frames.
  await page.waitForTimeout(300);
  await page.waitForFunction((id) => globalThis.posekitView.handlePlace(id) !== null, `limit:${joint}:max`);
  const at = await page.evaluate((id) => {
    const place = globalThis.posekitView.handlePlace(id);
    const box = document.querySelector(".view-canvas")?.getBoundingClientRect();
    return place && box ? { x: place.x + box.left, y: place.y + box.top } : null;
  }, `limit:${joint}:max`);
  if (!at) throw new Error("the limit has no handle in the view");
  const typed = await most();
  await page.mouse.move(at.x, at.y);
  await page.mouse.down();
  for (let step = 1; step <= 10; step += 1) await page.mouse.move(at.x + 5 * step, at.y + 5 * step);
  await page.mouse.up();
  await settled(page);
  expect(Math.abs((await most()) - typed)).toBeGreaterThan(0.02);
  expect(await page.evaluate(() => globalThis.posekitSession.canUndo.value)).toBe("Move a limit");
  await page.keyboard.press("Control+z");
  await page.keyboard.press("Control+z");
  await settled(page);
  await expect.poll(most).toBe(was);
  expect(studio.complaints).toEqual([]);
});
