//! The motion scene in a real browser: it plays, cleans, is edited by pointer and by keys, and what it writes can be opened again.

import AxeBuilder from "@axe-core/playwright";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { decodeMotionLink } from "../src/core/motion/link.ts";
import type { MotionSession } from "../src/core/motion/types.ts";
import type { MotionView } from "../src/three/motion/view.ts";
import { assets } from "./assets.ts";
import { dragSmoothly, launch, lookAt, openPage, openStudio, painted, type OpenOptions, type Studio } from "./browser.ts";

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
  const studio = await openPage(browser, { hash: "#scene=motion", viewport: { width: 1280, height: 860 }, ...options });
  await calm(studio.page);
  return studio;
}

/** Numbers of the table on the page. */
async function metric(page: Page, name: string): Promise<[number, number]> {
  const cells = await page.locator(`[data-metric="${name}"] td`).allInnerTexts();
  return cells.map(Number) as [number, number];
}

/** Where a joint is on the screen. */
async function spotOf(page: Page, joint: number): Promise<{ x: number; y: number }> {
  return page.evaluate((joint) => {
    const at = globalThis.posekitMotionView.screenPosition(joint);
    const box = document.querySelector(".view-canvas")?.getBoundingClientRect();
    if (!at || !box) throw new Error("the joint is out of sight");
    return { x: at.x + box.left, y: at.y + box.top };
  }, joint);
}

/** The same for the first hand, and its joint. */
async function handOf(page: Page): Promise<{ joint: number; x: number; y: number }> {
  const joint = await page.evaluate(() => globalThis.posekitMotion.shown.value?.info.handles.find(({ role }) => role === "hand")?.joint ?? 0);
  return { joint, ...await spotOf(page, joint) };
}

const contacts = (page: Page) => page.evaluate(() => globalThis.posekitMotion.contacts.value.map(({ joint, from, to }) => ({ joint, from, to })));

test("the walk is there, is drawn and cleaned, and the numbers say so", async () => {
  const { page, complaints, close } = await openMotion();
  expect((await lookAt(page)).drawn).toBeGreaterThan(0.02);
  const [before, after] = await metric(page, "drift_median");
  expect(before).toBeGreaterThan(20);
  expect(after).toBeLessThan(1);
  await page.getByRole("switch", { name: "Remove foot slide" }).uncheck({ force: true });
  await calm(page);
  const [off, same] = await metric(page, "drift_median");
  expect(same).toBe(off);
  await page.keyboard.press("Control+z");
  await calm(page);
  expect((await metric(page, "drift_median"))[1]).toBeLessThan(1);
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
  await page.getByRole("button", { name: "Forward one frame" }).click();
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
  expect((await metric(page, "drift_median"))[1]).toBeLessThan(1);
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

test("any joint can be held: a hand gets a row, stands still, and undo takes it away", async () => {
  const { page, close } = await openMotion();
  const before = await contacts(page);
  const speed = await metric(page, "slide_speed");
  await page.evaluate(() => { globalThis.posekitMotion.goTo(60); });
  await page.getByLabel("Hold another joint, from the current frame").selectOption({ label: "LeftHand" });
  await calm(page);
  const added = (await contacts(page)).at(-1);
  expect(added?.joint).toBe("LeftHand");
  // A hand is no foot: what is said of feet stays.
  expect(await metric(page, "slide_speed")).toEqual(speed);
  expect(await page.getByTestId("answer").innerText()).toContain(`in the middle of ${before.length} plants`);
  await page.getByRole("group", { name: "LeftHand", exact: true }).locator(".bar-body").waitFor();
  // Where the hand is in the frames of the contact, and where it went before.
  const ways = await page.evaluate(({ from, to }) => {
    const { shown } = globalThis.posekitMotion;
    if (!shown.value) return [];
    const { info, source, result } = shown.value;
    const joint = info.joints.findIndex(({ name }) => name === "LeftHand");
    const frames = [from, (from + to) / 2, to].map((time) => Math.round((time - info.start) / info.frameTime));
    const places = (poses: ArrayLike<number>) => frames.map((frame) => [0, 1, 2].map((k) => poses[7 * (frame * info.joints.length + joint) + k] ?? 0));
    const way = ([a, b, c]: number[][]) => [b, c].reduce((sum, place) => sum + Math.hypot(...(place ?? []).map((value, k) => value - (a?.[k] ?? 0))), 0);
    return [way(places(source)), way(places(result))];
  }, { from: added?.from ?? 0, to: added?.to ?? 0 });
  expect(ways[0], "it went on [cm]").toBeGreaterThan(10);
  expect(ways[1], "it is held [cm]").toBeLessThan(0.1);
  await page.keyboard.press("Control+z");
  await calm(page);
  expect(await contacts(page)).toEqual(before);
  await close();
});

test("the place of a contact is dragged in the view, and what it is on is chosen", async () => {
  const { page, close } = await openMotion();
  await page.evaluate(() => { globalThis.posekitMotion.goTo(60); });
  await page.getByLabel("Hold another joint, from the current frame").selectOption({ label: "LeftHand" });
  await calm(page);
  const anchor = () => page.evaluate(() => {
    const at = globalThis.posekitMotionView.anchorPosition();
    const box = document.querySelector(".view-canvas")?.getBoundingClientRect();
    if (!at || !box) throw new Error("no contact is selected");
    return { x: at.x + box.left, y: at.y + box.top };
  });
  /** How far the hand is from where the contact holds it [CSS px]. */
  const off = () => page.evaluate(() => {
    const hand = globalThis.posekitMotion.shown.value?.info.joints.findIndex(({ name }) => name === "LeftHand") ?? -1;
    const [at, place] = [globalThis.posekitMotionView.screenPosition(hand), globalThis.posekitMotionView.anchorPosition()];
    return at && place ? Math.hypot(at.x - place.x, at.y - place.y) : NaN;
  });
  const last = () => page.evaluate(() => globalThis.posekitMotion.contacts.value.at(-1));
  const from = await anchor();
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(from.x + 20, from.y - 40, { steps: 8 });
  await page.mouse.up();
  await calm(page);
  const to = await anchor();
  expect(Math.hypot(to.x - from.x - 20, to.y - from.y + 40)).toBeLessThan(2);
  expect((await last())?.at).toHaveLength(3);
  expect(await off()).toBeLessThan(1);
  expect(await page.locator(".key-mark").count(), "no pose was set").toBe(0);
  await page.getByLabel("Holds", { exact: true }).selectOption("pose");
  await page.getByLabel("On", { exact: true }).selectOption("Hips");
  await calm(page);
  expect(await last()).toMatchObject({ hold: "pose", on: "Hips" });
  expect(await off()).toBeLessThan(1);
  // Arrows move it, too.
  await page.locator("[data-anchor]").focus();
  await page.keyboard.press("ArrowUp");
  await calm(page);
  expect((await anchor()).y).toBeLessThan(to.y);
  for (let k = 0; k < 4; k += 1) await page.keyboard.press("Control+z");
  await calm(page);
  expect((await last())?.at).toBeUndefined();
  await close();
});

test("a character without a motion gets a length and keys, and goes back into its own file", async () => {
  const { page, close } = await openMotion();
  await page.setInputFiles("#open-file", fileURLToPath(new URL("../../testdata/figures/puppet.gltf", import.meta.url)));
  await page.waitForFunction(() => globalThis.posekitMotion.shown.value?.info.stands);
  await calm(page);
  expect(await page.locator(".timeline-count").innerText()).toContain("61 frames");
  await page.getByLabel("Length").fill("1.5");
  await page.keyboard.press("Enter");
  await calm(page);
  expect(await page.locator(".timeline-count").innerText()).toContain("46 frames");
  for (const [frame, dy] of [[15, -40], [30, 30]] as const) {
    await page.evaluate((to) => { globalThis.posekitMotion.goTo(to); }, frame);
    await calm(page);
    const hand = await spotOf(page, await page.evaluate(() => globalThis.posekitMotion.shown.value?.info.joints.findIndex(({ name }) => name === "LeftHand") ?? -1));
    await page.mouse.move(hand.x, hand.y);
    await page.mouse.down();
    await page.mouse.move(hand.x + 20, hand.y + dy, { steps: 6 });
    await page.waitForFunction(() => globalThis.posekitMotion.pulled.value?.poses);
    await page.mouse.up();
    await calm(page);
  }
  await page.waitForFunction(() => globalThis.posekitMotion.document.value.keys.length === 2);
  const written = await page.evaluate(async () => {
    const file = await globalThis.posekitMotion.write("same");
    return new TextDecoder().decode(file?.bytes);
  });
  const gltf = JSON.parse(written) as { skins: unknown[]; animations: { name: string; channels: unknown[] }[] };
  expect([gltf.skins.length, gltf.animations.length, gltf.animations[0]?.name]).toEqual([1, 1, "posed"]);
  expect(gltf.animations[0]?.channels.length).toBeGreaterThan(3);
  await close();
});

test("frame time and long tasks while a hand of a motion is dragged", async () => {
  const { page, close } = await openMotion();
  await page.evaluate(() => { globalThis.posekitMotion.goTo(60); });
  await calm(page);
  // The small pictures of the scenes would be measured with the drag.
  await painted(page);
  await dragSmoothly(page, await handOf(page), "dragging a hand of a motion");
  await close();
});

test("a hand that is dragged goes there, sets a key, and the feet stay", async () => {
  const { page, close } = await openMotion();
  await page.evaluate(() => { globalThis.posekitMotion.goTo(60); });
  await calm(page);
  const from = await handOf(page);
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(from.x + 40, from.y - 60, { steps: 8 });
  await page.waitForFunction(() => globalThis.posekitMotion.pulled.value?.poses);
  await page.mouse.up();
  await page.waitForFunction(() => globalThis.posekitMotion.document.value.keys.length === 1);
  await calm(page);
  const to = await spotOf(page, from.joint);
  expect(Math.hypot(to.x - from.x - 40, to.y - from.y + 60)).toBeLessThan(6);
  expect((await metric(page, "drift_max"))[1]).toBeLessThan(1);
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

test("handles move by keys: a key that is held pulls on, and is one step of undo", async () => {
  const { page, close } = await openMotion();
  const height = () => page.evaluate(() => {
    const { shown, selection, frame } = globalThis.posekitMotion;
    const { info, result } = shown.value ?? { info: { joints: [] }, result: [] };
    return result[7 * (frame.value * info.joints.length + (selection.value ?? 0)) + 1] ?? NaN;
  });
  await page.keyboard.press("g");
  const before = await height();
  for (let repeat = 0; repeat < 3; repeat += 1) await page.keyboard.down("ArrowDown");
  await page.keyboard.up("ArrowDown");
  await page.waitForFunction(() => globalThis.posekitMotion.document.value.keys.length === 1);
  await calm(page);
  // Three steps of 20 mm, in the clip's centimetres; cleaning moves the hips by a little.
  expect(Math.abs(before - await height() - 6)).toBeLessThan(0.5);
  expect((await metric(page, "drift_max"))[1]).toBeLessThan(1);
  await page.keyboard.press("Control+z");
  await calm(page);
  expect(await page.evaluate(() => globalThis.posekitMotion.canUndo.value)).toBe(null);
  expect(await height()).toBeCloseTo(before, 6);
  await close();
});

test("undo in the middle of a drag lets go: of a bar, of a hand", async () => {
  const { page, complaints, close } = await openMotion();
  const first = await contacts(page);
  const end = await page.locator('[data-contact="3"] .bar-end[data-end="to"]').boundingBox();
  if (!end) throw new Error("the bar is not there");
  await page.mouse.move(end.x + end.width / 2, end.y + end.height / 2);
  await page.mouse.down();
  await page.mouse.move(end.x + 30, end.y + 5, { steps: 5 });
  await page.keyboard.press("Control+z");
  await page.mouse.move(end.x + 50, end.y + 5, { steps: 5 });
  await page.mouse.up();
  await calm(page);
  expect(await contacts(page)).toEqual(first);
  const hand = await handOf(page);
  await page.evaluate(() => { globalThis.posekitMotion.setSettings({ ease: 0.2 }); });
  await calm(page);
  await page.mouse.move(hand.x, hand.y);
  await page.mouse.down();
  await page.mouse.move(hand.x + 30, hand.y - 30, { steps: 4 });
  await page.keyboard.press("Control+z");
  await page.mouse.move(hand.x + 60, hand.y - 60, { steps: 4 });
  await page.mouse.up();
  await calm(page);
  expect(await page.evaluate(() => globalThis.posekitMotion.document.value.keys.length)).toBe(0);
  expect(await page.evaluate(() => globalThis.posekitMotion.document.value.settings.ease)).not.toBe(0.2);
  expect(complaints).toEqual([]);
  await close();
});

test("curves are edited: a key is set on them, dragged for its value and its time, typed, and undone", async () => {
  const { page, close } = await openMotion();
  await page.evaluate(() => {
    const motion = globalThis.posekitMotion;
    motion.pause();
    motion.curveJoint.value = motion.shown.value?.info.joints.findIndex(({ name }) => name === "LeftArm") ?? null;
  });
  await page.waitForFunction(() => globalThis.posekitMotion.curves.value);
  await calm(page);
  const keys = () => page.evaluate(() => globalThis.posekitMotion.document.value.keys.length);
  /** The first key's time and its rotation about z, and what the result has there. */
  const first = () => page.evaluate(() => {
    const { curves, shown } = globalThis.posekitMotion;
    const [time = NaN, z = NaN] = [curves.value?.times[0], curves.value?.keys[2]];
    const frame = Math.round(time / (shown.value?.info.frameTime ?? 1));
    return { frame, z, result: curves.value?.result[6 * frame + 2] ?? NaN };
  });
  const plot = page.locator(".motion-curves .u-over");
  const at = async (part: number) => {
    const box = await plot.boundingBox();
    if (!box) throw new Error("there is no plot");
    return { x: box.x + part * box.width, y: box.y + 4 };
  };
  const place = await at(0.3);
  await page.mouse.dblclick(place.x, place.y);
  await page.waitForFunction(() => globalThis.posekitMotion.curves.value?.times.length === 1);
  await calm(page);
  const before = await first();
  expect(before.frame).toBe(40);
  const field = page.getByLabel("z", { exact: true });
  await field.fill(String(before.z + 20));
  await page.keyboard.press("Enter");
  await page.waitForFunction((z) => Math.abs((globalThis.posekitMotion.curves.value?.result[6 * 40 + 2] ?? 0) - z) < 0.1, before.z + 20);
  await page.waitForFunction((z) => Math.abs((globalThis.posekitMotion.curves.value?.keys[2] ?? 0) - z) < 0.1, before.z + 20);
  await calm(page);

  const diamond = async () => {
    const shown = await first();
    const box = await plot.boundingBox();
    const [low, high] = await page.evaluate(() => {
      const { curves } = globalThis.posekitMotion;
      const all = [...(curves.value?.source ?? []), ...(curves.value?.result ?? [])].filter((_, k) => k % 6 < 3);
      const [min, max] = [Math.min(...all), Math.max(...all)];
      return [(min + max) / 2 - 0.55 * (max - min), (min + max) / 2 + 0.55 * (max - min)];
    });
    if (!box || low === undefined || high === undefined) throw new Error("there is no plot");
    return { x: box.x + (box.width * shown.frame) / 132, y: box.y + (box.height * (high - shown.z)) / (high - low) };
  };
  const grip = await diamond();
  await page.mouse.move(grip.x, grip.y);
  await page.mouse.down();
  await page.mouse.move(grip.x, grip.y - 30, { steps: 5 });
  await page.mouse.up();
  await page.waitForFunction((z) => (globalThis.posekitMotion.curves.value?.keys[2] ?? 0) > z + 25, before.z);
  await calm(page);
  const raised = await first();
  expect(raised.frame).toBe(40);
  expect(Math.abs(raised.result - raised.z)).toBeLessThan(0.1);
  await page.keyboard.press("Control+z");
  await page.waitForFunction((z) => Math.abs((globalThis.posekitMotion.curves.value?.keys[2] ?? 0) - z) < 0.1, before.z + 20);
  await calm(page);

  const again = await diamond();
  await page.mouse.move(again.x, again.y);
  await page.mouse.down();
  await page.mouse.move(again.x + 100, again.y + 2, { steps: 5 });
  await page.mouse.up();
  await page.waitForFunction(() => (globalThis.posekitMotion.curves.value?.times[0] ?? 0) > 1.5);
  await calm(page);
  const moved = await first();
  expect(moved.z).toBeCloseTo(before.z + 20, 1);
  await page.getByLabel("Interpolation").selectOption("step");
  await calm(page);
  expect(await page.evaluate(() => globalThis.posekitMotion.document.value.keys[0]?.interpolation)).toBe("step");
  expect(await keys()).toBe(1);
  await close();
});

test("a pose that is moved past another by keys keeps the focus", async () => {
  const { page, close } = await openMotion();
  for (const frame of [20, 24]) {
    await page.evaluate((wanted) => { globalThis.posekitMotion.goTo(wanted); }, frame);
    await page.keyboard.press("k");
    await page.waitForFunction((n) => globalThis.posekitMotion.document.value.keys.length === n, frame === 20 ? 1 : 2);
    await calm(page);
  }
  await page.locator(".key-mark").first().focus();
  await page.keyboard.press("Shift+ArrowRight");
  await calm(page);
  await page.keyboard.press("ArrowRight");
  await calm(page);
  const frames = await page.evaluate(() => {
    const { document, shown } = globalThis.posekitMotion;
    return document.value.keys.map(({ time }) => Math.round((time - (shown.value?.info.start ?? 0)) / (shown.value?.info.frameTime ?? 1)));
  });
  expect(frames).toEqual([24, 31]);
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
      expect((await metric(page, "drift_median"))[0], name).toBeLessThan(3);
      await page.keyboard.press("Control+z");
      await calm(page);
    }
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Contacts", exact: true }).click()]);
    const text = readFileSync(await download.path(), "utf8");
    expect(JSON.parse(text)).toMatchObject({ schema: "posekit.contacts/1" });
    await page.setInputFiles("#open-file", { name: "feet.json", mimeType: "", buffer: Buffer.from(text) });
    await page.waitForFunction(() => globalThis.posekitMotion.document.value.contacts !== null);
    await calm(page);
    expect((await metric(page, "drift_median"))[1]).toBeLessThan(1);
    expect(complaints).toEqual([]);
    await close();
  });

  test("a file whose rows are miscounted says how it becomes sound", async () => {
    const { page, close } = await openMotion();
    await page.setInputFiles("#open-file", { name: "miscounted.bvh", mimeType: "", buffer: Buffer.from(WALK.replace(/Frames:\s*\d+/, "Frames: 7")) });
    await expect.poll(() => page.locator(".notice[data-kind=error]").innerText().catch(() => "")).toMatch(/is 7[\s\S]*posekit convert miscounted\.bvh -o whole\.bvh --lenient/);
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
    expect((await metric(page, "drift_median"))[1]).toBeLessThan(1);
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

const WALK = readFileSync(new URL("../../testdata/clips/walk.bvh", import.meta.url), "utf8");

/** The walk on a slope: its hips hang on a joint that is turned by so many degrees about x. */
function walkOnSlope(degrees: number): string {
  const [joints = "", motion = ""] = WALK.split("MOTION");
  const [frames = "", time = "", ...rows] = motion.trim().split(/\r?\n/);
  const inner = joints.replace("HIERARCHY", "").trim().replace("ROOT", "JOINT");
  const outer = `HIERARCHY\nROOT slope\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n${inner}\n}\n`;
  return `${outer}MOTION\n${frames}\n${time}\n${rows.map((row) => `0 ${degrees} 0 ${row}`).join("\n")}\n`;
}

test("the grid is tilted as the floor is", async () => {
  const { page, complaints, close } = await openMotion();
  const floor = () => page.evaluate(() => globalThis.posekitMotionView.floor);
  expect((await floor()).normal[1]).toBeGreaterThan(0.9999);
  await page.setInputFiles("#open-file", { name: "slope.bvh", mimeType: "", buffer: Buffer.from(walkOnSlope(7)) });
  await page.waitForFunction(() => globalThis.posekitMotion.shown.value?.info.name === "slope.bvh");
  await calm(page);
  const { normal, level } = await floor();
  const [slope, across] = [(180 / Math.PI) * Math.atan2(normal[2], normal[1]), (180 / Math.PI) * Math.asin(normal[0])];
  expect(Math.abs(slope - 7)).toBeLessThan(0.5);
  expect(Math.abs(across)).toBeLessThan(0.5);
  // Whatever stands is on it: no joint of a foot that is held is far above the grid, and none below.
  const heights = await page.evaluate(([x, y, z]) => {
    const { shown, contacts } = globalThis.posekitMotion;
    if (!shown.value) return [];
    const { info, result } = shown.value;
    return contacts.value.map(({ joint, from, to }) => {
      const frame = Math.round(((from + to) / 2 - info.start) / info.frameTime);
      const at = 7 * (frame * info.joints.length + info.joints.findIndex(({ name }) => name === joint));
      return (result[at] ?? 0) * (x ?? 0) + (result[at + 1] ?? 0) * (y ?? 0) + (result[at + 2] ?? 0) * (z ?? 0);
    });
  }, normal);
  expect(Math.min(...heights)).toBeGreaterThan(level);
  expect(Math.min(...heights)).toBeLessThan(level + 8);
  expect(complaints).toEqual([]);
  await close();
});

test.skipIf(assets === null)("a character wears its own colours, and takes its images away with it", async () => {
  const { page, complaints, close } = await openMotion();
  const textures = () => page.evaluate(() => globalThis.posekitMotionView.textures);
  const colours = async () => (await lookAt(page)).colours;
  const open = async (least: number) => {
    await page.setInputFiles("#open-file", { name: "Fox.glb", mimeType: "", buffer: readFileSync(`${assets ?? ""}/gltf/Fox.glb`) });
    await page.waitForFunction((count) => globalThis.posekitMotion.shown.value?.info.name === "Fox.glb" && globalThis.posekitMotionView.textures > count, least);
    await calm(page);
  };
  const leave = async () => {
    await page.evaluate(() => { globalThis.posekitMotion.openWalk(); });
    await page.waitForFunction(() => globalThis.posekitMotion.shown.value?.info.name === "walk.bvh");
    await calm(page);
  };
  // The light of the first character stays.
  await open(await textures());
  await leave();
  const before = await textures();
  await open(before);
  const orange = () => page.evaluate(async () => {
    const image = await createImageBitmap(await globalThis.posekitMotionView.png());
    const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
    context?.drawImage(image, 0, 0);
    const pixels = context?.getImageData(0, 0, image.width, image.height).data ?? [];
    let found = 0;
    for (let i = 0; i < pixels.length; i += 4) found += Number((pixels[i] ?? 0) > 150 && (pixels[i + 2] ?? 0) < 80);
    return found / (pixels.length / 4);
  });
  expect(await orange()).toBeGreaterThan(0.01);
  expect(await colours()).toBeGreaterThan(50);
  await page.locator("summary", { has: page.getByRole("heading", { name: "View", exact: true }) }).click();
  await page.getByRole("switch", { name: "Original colours" }).uncheck({ force: true });
  await calm(page);
  expect(await orange()).toBeLessThan(0.001);
  // The original stands aside in a skin of its own, which is grey whatever the result wears.
  await page.evaluate(() => { globalThis.posekitMotion.setView({ colours: true, compare: "side" }); });
  await page.waitForFunction(() => globalThis.posekitMotionView.skins === 2);
  await calm(page);
  expect(await orange()).toBeGreaterThan(0.005);
  await leave();
  expect(await textures()).toBe(before);
  expect(await page.evaluate(() => globalThis.posekitMotionView.skins)).toBe(0);
  // Also that the page's policy has refused nothing.
  expect(complaints).toEqual([]);
  await close();
});

test("both motions are in sight when they are compared side by side, whatever the frame was", async () => {
  const { page, close } = await openMotion();
  await page.evaluate(() => {
    // At once, as a key and a click between two pictures.
    globalThis.posekitMotion.goTo(120);
    globalThis.posekitMotion.setView({ compare: "side" });
  });
  await calm(page);
  const { at, box } = await page.evaluate(() => ({ at: globalThis.posekitMotionView.screenPosition(0), box: document.querySelector(".view-canvas")?.getBoundingClientRect() }));
  expect(at?.x).toBeGreaterThan(0);
  expect(at?.x).toBeLessThan(box?.width ?? 0);
  expect(at?.y).toBeGreaterThan(0);
  expect(at?.y).toBeLessThan(box?.height ?? 0);
  await close();
});

test("pictures of what is on show: PNG, SVG and a film", async () => {
  const { page, complaints, close } = await openMotion();
  const take = async (item: string) => {
    await page.getByRole("button", { name: "Save and export" }).click();
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: item }).click()]);
    return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
  };
  const png = await take("Picture (PNG)");
  expect(png.name).toBe("walk.png");
  expect(png.bytes.subarray(1, 4).toString()).toBe("PNG");
  const drawn = await page.evaluate(async (base64) => {
    const image = new Image();
    image.src = `data:image/png;base64,${base64}`;
    await image.decode();
    const box = document.querySelector(".view-canvas")?.getBoundingClientRect();
    const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
    context?.drawImage(image, 0, 0);
    const pixels = new Uint32Array(context?.getImageData(0, 0, image.width, image.height).data.buffer ?? new ArrayBuffer(0));
    return { share: image.width / (box?.width ?? 1), drawn: pixels.filter((pixel) => pixel !== pixels[0]).length / pixels.length };
  }, png.bytes.toString("base64"));
  expect(drawn.share).toBeGreaterThanOrEqual(1);
  expect(drawn.drawn).toBeGreaterThan(0.02);
  await page.evaluate(() => { globalThis.posekitMotion.goTo(20); });
  const film = await take("Film (WebM)");
  expect(film.name).toBe("walk.webm");
  expect(film.bytes.subarray(0, 4).toString("hex"), "a Matroska file").toBe("1a45dfa3");
  expect(film.bytes.length).toBeGreaterThan(20_000);
  expect(await page.evaluate(() => [globalThis.posekitMotion.frame.value, globalThis.posekitMotion.playing.value])).toEqual([20, false]);
  const svg = await take("Picture (SVG)");
  expect(svg.name).toBe("walk.svg");
  expect(svg.bytes.toString("utf8")).toMatch(/^<svg[\s\S]*<title>Walk with known skate: [\s\S]*<\/svg>\s*$/);
  expect(complaints).toEqual([]);
  await close();
});

describe("links", () => {
  async function linkOf(page: Page): Promise<string> {
    await page.getByRole("button", { name: "Share as a link" }).click();
    const link = await page.getByRole("textbox", { name: "Link" }).inputValue();
    await page.keyboard.press("Escape");
    return new URL(link).hash;
  }

  test("a link brings back the walk with all that was done to it, also in another browser", async () => {
    const one = await openMotion();
    await one.page.evaluate(() => {
      const session = globalThis.posekitMotion;
      session.setSettings({ ease: 0.25 });
      session.removeContact(1);
      session.setView({ compare: "side", trails: false });
      session.goTo(77);
    });
    await calm(one.page);
    await one.page.locator(".view-canvas").focus();
    await one.page.keyboard.press("ArrowLeft");
    const hash = await linkOf(one.page);
    const before = await one.page.evaluate(() => ({ contacts: globalThis.posekitMotion.contacts.value, at: globalThis.posekitMotionView.screenPosition(0) }));
    await one.close();
    const other = await openStudio(browser, { viewport: { width: 1280, height: 860 }, hash });
    await calm(other.page);
    const after = await other.page.evaluate(() => {
      const { document, frame, contacts } = globalThis.posekitMotion;
      return { ...document.value, frame: frame.value, shown: contacts.value, at: globalThis.posekitMotionView.screenPosition(0) };
    });
    expect(after).toMatchObject({ frame: 77, settings: { ease: 0.25 }, view: { compare: "side", trails: false } });
    expect(after.shown).toEqual(before.contacts);
    expect(Math.hypot((after.at?.x ?? 0) - (before.at?.x ?? 0), (after.at?.y ?? 0) - (before.at?.y ?? 0))).toBeLessThan(2);
    expect(other.complaints).toEqual([]);
    // And a link to a problem leads out of the scene.
    await other.page.evaluate(() => { location.hash = globalThis.posekitSession.link(); });
    await other.page.waitForFunction(() => document.querySelector('[data-scene="figure"]')?.getAttribute("aria-current") === "true");
    await other.close();
  });

  test("a link to a file of one's own says what it holds, and asks for the file", async () => {
    const bytes = Buffer.from(`${WALK}\n`);
    const one = await openMotion();
    await one.page.setInputFiles("#open-file", { name: "mine.bvh", mimeType: "", buffer: bytes });
    await one.page.waitForFunction(() => globalThis.posekitMotion.shown.value?.info.name === "mine.bvh");
    await one.page.evaluate(() => { globalThis.posekitMotion.removeContact(0); });
    await calm(one.page);
    await one.page.getByRole("button", { name: "Share as a link" }).click();
    expect(await one.page.getByRole("dialog").innerText()).toMatch(/not the motion itself[\s\S]*mine\.bvh/);
    await one.page.keyboard.press("Escape");
    const hash = await linkOf(one.page);
    expect(decodeMotionLink(hash).file).toMatchObject({ name: "mine.bvh", size: bytes.length });
    const wanted = await contacts(one.page);
    await one.close();
    const other = await openStudio(browser, { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true, hash });
    const ask = other.page.getByRole("region", { name: "This link needs mine.bvh" });
    await ask.waitFor();
    expect(await other.page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBeLessThanOrEqual(0);
    const { violations } = await new AxeBuilder({ page: other.page }).analyze();
    expect(violations.filter(({ impact }) => impact === "serious" || impact === "critical").map(({ id }) => id)).toEqual([]);
    await other.page.setInputFiles("#open-file", { name: "mine.bvh", mimeType: "", buffer: bytes });
    await calm(other.page);
    expect(await contacts(other.page)).toEqual(wanted);
    expect(await ask.count()).toBe(0);
    await other.close();
  });

  test("a broken link says so", async () => {
    const { page, close } = await openStudio(browser, { hash: "#m1.abc" });
    const notice = page.locator('.notice[data-kind="error"]');
    await notice.waitFor();
    expect(await notice.innerText()).toContain("damaged");
    await close();
  });
});

test("what was done is code, for three languages", async () => {
  const { page, close } = await openMotion();
  await page.evaluate(() => {
    globalThis.posekitMotion.setSettings({ floor: "level", path: false });
    globalThis.posekitMotion.removeContact(0);
  });
  await calm(page);
  await page.keyboard.press("x");
  const code = page.locator(".code");
  expect(await code.innerText()).toContain("posekit clean walk.bvh -o walk-clean.bvh --floor level --keep-path --contacts walk.contacts.json");
  await page.getByRole("tab", { name: "Rust" }).click();
  expect(await code.innerText()).toContain("settings.floor = FloorChoice::Level;");
  await page.getByRole("tab", { name: "TypeScript" }).click();
  expect(await code.innerText()).toContain('Motion.open(readFileSync("walk.bvh"), "walk.bvh", 0)');
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save walk.contacts.json" }).click()]);
  expect(JSON.parse(readFileSync(await download.path(), "utf8"))).toMatchObject({ schema: "posekit.contacts/1" });
  await close();
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
  expect((await metric(page, "drift_median"))[1]).toBeLessThan(1);
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
    await page.evaluate(() => { globalThis.posekitMotion.nudge(0, [0, -2, 0]); globalThis.posekitMotion.endPull(); });
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
      expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth), tab).toBeLessThanOrEqual(0);
    }
    await close();
  });
});
