//! The motion scene in a real browser: it plays, cleans, is edited by pointer and by keys, and what it writes can be opened again.

import AxeBuilder from "@axe-core/playwright";
import { readFileSync } from "node:fs";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { MotionSession } from "../src/core/motion/types.ts";
import type { MotionView } from "../src/three/motion/view.ts";
import { launch, lookAt, openStudio, type OpenOptions, type Studio } from "./browser.ts";

declare global {
  var posekitMotion: MotionSession;
  var posekitMotionView: MotionView;
}

let browser: Browser;
beforeAll(async () => { browser = await launch(); });
afterAll(() => browser.close());

/** Waits until every change is worked out and drawn. */
async function calm(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const session = globalThis.posekitMotion as MotionSession | undefined;
    return session?.shown.value && !session.isBusy.value && session.worker.value === "ready" && session.pulled.value === null && "posekitMotionView" in globalThis;
  }, undefined, { timeout: 30_000, polling: 50 });
  await page.evaluate(() => new Promise((done) => { requestAnimationFrame(() => { requestAnimationFrame(done); }); }));
}

async function openMotion(options: OpenOptions = {}): Promise<Studio> {
  const studio = await openStudio(browser, { viewport: { width: 1280, height: 860 }, ...options });
  if (options.isMobile) await studio.page.locator("#sheet-tab-scenes").click();
  await studio.page.locator('[data-scene="motion"]').click();
  await calm(studio.page);
  return studio;
}

/** Numbers of the table on the page. */
async function metric(page: Page, name: string): Promise<[number, number]> {
  const cells = await page.locator(`[data-metric="${name}"] td`).allInnerTexts();
  return cells.map(Number) as [number, number];
}

const contacts = (page: Page) => page.evaluate(() => globalThis.posekitMotion.contacts.value.map(({ joint, from, to }) => ({ joint, from, to })));

test("the walk is there, is drawn and cleaned, and the numbers say so", async () => {
  const { page, complaints, close } = await openMotion();
  expect((await lookAt(page)).drawn).toBeGreaterThan(0.02);
  const [before, after] = await metric(page, "Drift, median plant");
  expect(before).toBeGreaterThan(20);
  expect(after).toBeLessThan(1);
  await page.getByRole("switch", { name: "Make feet stand" }).uncheck({ force: true });
  await calm(page);
  const [off, same] = await metric(page, "Drift, median plant");
  expect(same).toBe(off);
  await page.keyboard.press("Control+z");
  await calm(page);
  expect((await metric(page, "Drift, median plant"))[1]).toBeLessThan(1);
  expect(complaints).toEqual([]);
  await close();
});

test("it plays, pauses, steps and scrubs", async () => {
  const { page, close } = await openMotion();
  const frame = () => page.evaluate(() => globalThis.posekitMotion.frame.value);
  await page.getByRole("button", { name: "Play", exact: true }).click();
  await page.waitForFunction(() => globalThis.posekitMotion.frame.value > 8);
  await page.getByRole("button", { name: "Pause" }).click();
  const here = await frame();
  await page.getByRole("button", { name: "On one frame" }).click();
  expect(await frame()).toBe(here + 1);
  await page.getByRole("slider", { name: "Frame", exact: true }).focus();
  await page.keyboard.press("Home");
  expect(await frame()).toBe(0);
  await close();
});

test("a contact's end is dragged, moved by keys, removed, and all of it undone", async () => {
  const { page, close } = await openMotion();
  const first = await contacts(page);
  const end = page.locator('[data-contact="3"] .bar-end[data-end="to"]');
  const box = await end.boundingBox();
  if (!box) throw new Error("the bar is not there");
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + 24, box.y + 6, { steps: 6 });
  await page.mouse.up();
  await calm(page);
  const dragged = await contacts(page);
  expect(dragged[3]?.to).toBeGreaterThan(first[3]?.to ?? Infinity);
  expect(dragged[3]?.from).toBe(first[3]?.from);
  expect((await metric(page, "Drift, median plant"))[1]).toBeLessThan(1);
  await page.keyboard.press("Alt+ArrowRight");
  await calm(page);
  const pressed = await contacts(page);
  const step = await page.evaluate(() => globalThis.posekitMotion.shown.value?.info.frameTime ?? 0);
  expect(pressed[3]?.to).toBeCloseTo((dragged[3]?.to ?? 0) + step, 9);
  await page.keyboard.press("Delete");
  await calm(page);
  expect(await contacts(page)).toHaveLength(first.length - 1);
  for (let step = 0; step < 3; step += 1) await page.keyboard.press("Control+z");
  await calm(page);
  expect(await contacts(page)).toEqual(first);
  await page.keyboard.press("Control+Shift+z");
  await calm(page);
  expect(await contacts(page)).toEqual(dragged);
  await close();
});

test("a double click adds a contact", async () => {
  const { page, close } = await openMotion();
  const before = await contacts(page);
  const row = page.getByRole("group", { name: "Left heel", exact: true });
  const track = await row.locator(".track").boundingBox();
  const bars = await row.locator(".bar-box").all();
  const [one, two] = await Promise.all(bars.slice(0, 2).map((bar) => bar.boundingBox()));
  if (!track || !one || !two) throw new Error("the row is not there");
  await page.mouse.dblclick((one.x + one.width + two.x) / 2, track.y + track.height / 2);
  await calm(page);
  expect(await contacts(page)).toHaveLength(before.length + 1);
  await page.getByRole("button", { name: "Find them again" }).click();
  await calm(page);
  expect(await contacts(page)).toEqual(before);
  await close();
});

test("a hand that is dragged goes there, sets a key, and the feet stay", async () => {
  const { page, close } = await openMotion();
  await page.evaluate(() => { globalThis.posekitMotion.goTo(60); });
  await calm(page);
  const from = await page.evaluate(() => {
    const joint = globalThis.posekitMotion.shown.value?.info.handles.find(({ role }) => role === "hand")?.joint ?? 0;
    const at = globalThis.posekitMotionView.screenPosition(joint);
    const box = document.querySelector(".view-canvas")?.getBoundingClientRect();
    if (!at || !box) throw new Error("the hand is out of sight");
    return { joint, x: at.x + box.left, y: at.y + box.top };
  });
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(from.x + 40, from.y - 60, { steps: 8 });
  await page.waitForFunction(() => globalThis.posekitMotion.pulled.value?.poses);
  await page.mouse.up();
  await page.waitForFunction(() => globalThis.posekitMotion.document.value.keys.length === 1);
  await calm(page);
  const to = await page.evaluate((joint) => {
    const at = globalThis.posekitMotionView.screenPosition(joint);
    const box = document.querySelector(".view-canvas")?.getBoundingClientRect();
    return { x: (at?.x ?? 0) + (box?.left ?? 0), y: (at?.y ?? 0) + (box?.top ?? 0) };
  }, from.joint);
  expect(Math.hypot(to.x - from.x - 40, to.y - from.y + 60)).toBeLessThan(6);
  expect((await metric(page, "Drift, worst plant"))[1]).toBeLessThan(1);
  await page.locator(".key-mark").focus();
  await page.keyboard.press("ArrowRight");
  await calm(page);
  const time = await page.evaluate(() => (globalThis.posekitMotion.document.value.keys[0]?.time ?? 0) / (globalThis.posekitMotion.shown.value?.info.frameTime ?? 1));
  expect(time).toBeCloseTo(61, 6);
  await page.keyboard.press("Control+z");
  await page.keyboard.press("Control+z");
  await calm(page);
  expect(await page.locator(".key-mark").count()).toBe(0);
  await close();
});

test("handles move by keys", async () => {
  const { page, close } = await openMotion();
  await page.keyboard.press("g");
  await page.keyboard.press("ArrowDown");
  await page.waitForFunction(() => globalThis.posekitMotion.document.value.keys.length === 1);
  await calm(page);
  expect((await metric(page, "Drift, worst plant"))[1]).toBeLessThan(1);
  await close();
});

describe("files", () => {
  test("what is written can be opened again, clean", async () => {
    const { page, complaints, close } = await openMotion();
    for (const [button, ending] of [["BVH, all else kept", "bvh"], ["GLB", "glb"]] as const) {
      const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: button, exact: true }).click()]);
      const name = download.suggestedFilename();
      expect(name).toBe(`walk-clean.${ending}`);
      const bytes = readFileSync(await download.path());
      await page.setInputFiles("#open-file", { name, mimeType: "", buffer: bytes });
      await page.waitForFunction((wanted) => globalThis.posekitMotion.shown.value?.info.name === wanted, name);
      await calm(page);
      expect((await metric(page, "Drift, median plant"))[0], name).toBeLessThan(3);
      await page.keyboard.press("Control+z");
      await calm(page);
    }
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Contacts", exact: true }).click()]);
    const text = readFileSync(await download.path(), "utf8");
    expect(JSON.parse(text)).toMatchObject({ schema: "posekit.contacts/1" });
    await page.setInputFiles("#open-file", { name: "feet.json", mimeType: "", buffer: Buffer.from(text) });
    await page.waitForFunction(() => globalThis.posekitMotion.document.value.contacts !== null);
    await calm(page);
    expect((await metric(page, "Drift, median plant"))[1]).toBeLessThan(1);
    expect(complaints).toEqual([]);
    await close();
  });

  test("a file that is cut says where, and what was on show stays", async () => {
    const { page, close } = await openMotion();
    await page.setInputFiles("#open-file", { name: "cut.bvh", mimeType: "", buffer: Buffer.from("HIERARCHY\nROOT hip\n{\nOFFSET 0 0\n") });
    const notice = page.locator('.notice[data-kind="error"]');
    await notice.waitFor();
    expect(await notice.innerText()).toMatch(/cut\.bvh cannot be used[\s\S]*line 4/);
    await calm(page);
    expect(await page.evaluate(() => globalThis.posekitMotion.shown.value?.info.name)).toBe("walk.bvh");
    await close();
  });

  test("contacts of a joint that is not there are refused with their place", async () => {
    const { page, close } = await openMotion();
    const text = '{ "schema": "posekit.contacts/1", "contacts": [ { "joint": "tail", "from": 0, "to": 1, "hold": "position" } ] }';
    await page.setInputFiles("#open-file", { name: "tail.json", mimeType: "", buffer: Buffer.from(text) });
    const notice = page.locator('.notice[data-kind="error"]');
    await notice.waitFor();
    expect(await notice.innerText()).toContain("tail");
    await calm(page);
    expect((await metric(page, "Drift, median plant"))[1]).toBeLessThan(1);
    await close();
  });

  test("a BVH that is dropped in another scene opens this one", async () => {
    const { page, close } = await openStudio(browser);
    const walk = readFileSync(new URL("../../testdata/clips/walk.bvh", import.meta.url));
    await page.setInputFiles("#open-file", { name: "mine.bvh", mimeType: "", buffer: walk });
    await calm(page);
    expect(await page.evaluate(() => globalThis.posekitMotion.shown.value?.info.name)).toBe("mine.bvh");
    await page.locator('[data-scene="rope"]').click();
    await page.waitForFunction(() => globalThis.posekitSession.document.value.scene === "rope");
    await page.locator('[data-scene="motion"]').click();
    await calm(page);
    expect(await page.evaluate(() => globalThis.posekitMotion.shown.value?.info.name)).toBe("mine.bvh");
    await close();
  });
});

test("a worker that dies comes back with the work", async () => {
  const { page, close } = await openMotion();
  await page.evaluate(() => { globalThis.posekitMotion.removeContact(0); });
  await calm(page);
  const before = await contacts(page);
  await page.evaluate(() => { globalThis.posekitMotion.endWorker(); });
  await page.evaluate(() => { globalThis.posekitMotion.setSettings({ ease: 0.2 }); });
  await calm(page);
  expect(await contacts(page)).toEqual(before);
  expect((await metric(page, "Drift, median plant"))[1]).toBeLessThan(1);
  await close();
});

describe.each(["light", "dark"] as const)("in the %s theme", (colorScheme) => {
  async function violations(page: Page): Promise<string[]> {
    const { violations: found } = await new AxeBuilder({ page }).withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]).analyze();
    return found
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      // A bar is as wide as its time is long, and has numbers to type beside it.
      .map(({ id, nodes }) => ({ id, nodes: nodes.filter(({ target }) => id !== "target-size" || !String(target).includes("bar-body")) }))
      .flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.join(" ")}: ${node.failureSummary ?? ""}`));
  }

  test("nothing shuts anybody out", async () => {
    const { page, close } = await openMotion({ colorScheme });
    await page.getByRole("button", { name: "Show the curves of a joint" }).click();
    const closed = page.locator(".section:not([open]) > summary");
    while (await closed.count() > 0) await closed.first().click();
    await page.evaluate(() => { globalThis.posekitMotion.nudge(0, [0, -2, 0]); });
    await page.waitForFunction(() => globalThis.posekitMotion.document.value.keys.length === 1);
    await calm(page);
    expect(await violations(page)).toEqual([]);
    await close();
  });

  test("a phone has all of it, without sideways scrolling", async () => {
    const { page, close } = await openMotion({ colorScheme, viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });
    for (const tab of ["scenes", "solve", "time"]) {
      await page.locator(`#sheet-tab-${tab}`).click();
      expect(await violations(page), tab).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), tab).toBeLessThanOrEqual(0);
    }
    await close();
  });
});
