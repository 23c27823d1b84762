//! The page at the widths between phone and desk: nothing sticks out, nothing lies on anything else, and nothing moves where no motion is wanted.

import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launch, openScene, openStudio, settled, showPath } from "./browser.ts";

let browser: Browser;
beforeAll(async () => { browser = await launch(); });
afterAll(() => browser.close());

/** What is wrong with where things stand, in words; empty when nothing is. */
function faults(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found: string[] = [];
    const { clientWidth: width, clientHeight: height } = document.documentElement;
    const name = (element: Element) => `${element.tagName.toLowerCase()}.${element.className} "${(element.getAttribute("aria-label") ?? element.textContent).trim().slice(0, 30)}"`;
    const boxOf = (element: Element) => element.getBoundingClientRect();
    const overlap = (a: DOMRect, b: DOMRect) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
    if (document.documentElement.scrollWidth > width) found.push(`the page is ${document.documentElement.scrollWidth} px wide`);
    // Regions: inside the window, side by side.
    const regions = [...document.querySelectorAll(".bar, .rail, .stage, .drawer, .panel, .sheet")].filter((element) => element.checkVisibility());
    for (const [index, region] of regions.entries()) {
      const box = boxOf(region);
      if (box.left < -1 || box.top < -1 || box.right > width + 1 || box.bottom > height + 1) found.push(`${name(region)} is not all in the window`);
      if (region.matches(".stage") && (box.width < 240 || box.height < 160)) found.push(`the view has ${box.width} by ${box.height} px only`);
      for (const other of regions.slice(index + 1)) if (overlap(box, boxOf(other))) found.push(`${name(region)} lies on ${name(other)}`);
    }
    // Whatever scrolls sideways but was not meant to.
    for (const element of document.querySelectorAll(".bar, .rail, .panel-body, .sheet-body, .drawer, .transport, .section-body, .run, .timeline-tools")) {
      if (element.checkVisibility() && getComputedStyle(element).overflowX !== "visible" && element.scrollWidth > element.clientWidth + 1) found.push(`${name(element)} holds ${element.scrollWidth} px in ${element.clientWidth}`);
    }
    // Controls: nobody covers another, and each can be hit where it is.
    const clips = (element: Element): DOMRect => {
      let { left, top, right, bottom } = boxOf(element);
      for (let parent = element.parentElement; parent; parent = parent.parentElement) {
        if (getComputedStyle(parent).overflow === "visible") continue;
        const box = boxOf(parent);
        [left, top, right, bottom] = [Math.max(left, box.left), Math.max(top, box.top), Math.min(right, box.right), Math.min(bottom, box.bottom)];
      }
      return new DOMRect(left, top, Math.max(0, right - left), Math.max(0, bottom - top));
    };
    const controls = [...document.querySelectorAll("button, select, input, summary, a[href]")]
      // Handles are for keys and readers, a switch is its label, and bars lie in time as they please.
      .filter((element) => element.checkVisibility({ visibilityProperty: true }) && !element.matches(".handle, .switch input, .skip, .bar-body, .bar-end, .key-mark, input[type=file]"))
      .map((element) => ({ element, box: clips(element) }))
      .filter(({ element, box }) => box.width > 4 && box.height > 4 && box.width * box.height > 0.6 * boxOf(element).width * boxOf(element).height);
    for (const [index, { element, box }] of controls.entries()) {
      for (const other of controls.slice(index + 1)) {
        if (!element.contains(other.element) && !other.element.contains(element) && overlap(box, other.box)) found.push(`${name(element)} lies on ${name(other.element)}`);
      }
      const at = document.elementFromPoint((box.left + box.right) / 2, (box.top + box.bottom) / 2);
      if (at && !element.contains(at) && !at.contains(element)) found.push(`${name(element)} is under ${name(at)}`);
    }
    // Words that are cut off without three dots.
    for (const element of document.querySelectorAll("button, summary h2, h2, label, dt, dd, .chip span, .scene-title")) {
      // What is for screen readers alone is a pixel wide.
      if (!element.checkVisibility() || element.clientWidth <= 1 || element.closest(".handles, .sr-only")) continue;
      const { overflowX, textOverflow } = getComputedStyle(element);
      if (overflowX === "hidden" && textOverflow !== "ellipsis" && element.scrollWidth > element.clientWidth + 1) found.push(`${name(element)} is cut off`);
    }
    return [...new Set(found)];
  });
}

/** Opens every section that is closed. */
async function unfold(page: Page): Promise<void> {
  const closed = page.locator(".section:not([open]) > summary");
  while (await closed.count() > 0) await closed.first().click();
}

describe.each([
  { device: "a phone", isPhone: true, sizes: [[360, 740], [412, 915]] },
  { device: "a tablet or a desk", isPhone: false, sizes: [[768, 1024], [800, 600], [820, 1180], [1100, 720]] },
] as const)("on $device", ({ isPhone, sizes }) => {
  const options = isPhone ? { hasTouch: true, isMobile: true } : {};

  /** Looks at every size in turn. */
  async function atEverySize(page: Page, what: string): Promise<void> {
    for (const [width, height] of sizes) {
      await page.setViewportSize({ width, height });
      // The view learns its size, and then draws.
      await page.evaluate(() => new Promise((done) => { requestAnimationFrame(() => { requestAnimationFrame(done); }); }));
      expect(await faults(page), `${what} at ${width} by ${height}`).toEqual([]);
    }
  }

  test("every panel has its place", async () => {
    const { page, complaints, close } = await openStudio(browser, { ...options, viewport: { width: sizes[0][0], height: sizes[0][1] } });
    for (const scene of ["chain-2d", "arm6", "crowd"] as const) {
      await page.evaluate((id) => { globalThis.posekitSession.openScene(id); }, scene);
      await settled(page);
      if (scene !== "crowd") {
        await page.evaluate(() => { globalThis.posekitSession.addRun(); globalThis.posekitSession.selection.value = "target:0"; });
        await settled(page);
      }
      if (scene === "arm6") await showPath(page);
      for (const tab of isPhone ? ["scenes", "solve", "time", "learn"] : ["solve", "learn"]) {
        await page.locator(`#${isPhone ? "sheet" : "panel"}-tab-${tab}`).click();
        if (tab === "solve") await unfold(page);
        await atEverySize(page, `${scene}, ${tab}`);
      }
    }
    expect(complaints).toEqual([]);
    await close();
  });

  test("so has the motion scene", async () => {
    const { page, complaints, close } = await openStudio(browser, { ...options, viewport: { width: sizes[0][0], height: sizes[0][1] } });
    if (isPhone) await page.locator("#sheet-tab-scenes").click();
    await page.locator('[data-scene="motion"]').click();
    await page.waitForFunction(() => "posekitMotion" in globalThis && globalThis.posekitMotion.shown.value !== null && !globalThis.posekitMotion.isBusy.value && "posekitMotionView" in globalThis);
    for (const tab of isPhone ? ["scenes", "solve", "time", "learn"] : ["solve", "learn"]) {
      await page.locator(`#${isPhone ? "sheet" : "panel"}-tab-${tab}`).click();
      if (tab === "solve") await unfold(page);
      if (tab === (isPhone ? "time" : "solve")) await page.getByRole("button", { name: "Show the curves of a joint" }).click();
      await atEverySize(page, `motion, ${tab}`);
    }
    expect(complaints).toEqual([]);
    await close();
  });
});

/** Elements whose styles take longer than a blink to change, and animations under way. */
function moving(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const seconds = (list: string) => Math.max(...list.split(",").map((one) => parseFloat(one) * (one.trim().endsWith("ms") ? 0.001 : 1)));
    const slow = [...document.querySelectorAll("*")].filter((element) => {
      const style = getComputedStyle(element);
      return seconds(style.transitionDuration) > 0.02 || (style.animationName !== "none" && seconds(style.animationDuration) > 0.02);
    });
    return slow.map((element) => `${element.tagName} ${element.className}`);
  });
}

test("where no motion is wanted nothing glides, fades or plays by itself; elsewhere it does", async () => {
  const still = await openStudio(browser, { reducedMotion: "reduce" });
  const lively = await openStudio(browser, { reducedMotion: "no-preference" });
  expect(await moving(still.page)).toEqual([]);
  expect((await moving(lively.page)).length).toBeGreaterThan(3);
  const glides = async (page: Page) => {
    await openScene(page, "arm-ranges");
    await page.waitForFunction(() => "posekitView" in globalThis);
    return page.evaluate(async () => {
      globalThis.posekitSession.selection.value = "target:0";
      const places: number[] = [];
      globalThis.posekitView.onDrawn(() => { places.push(Math.round(globalThis.posekitView.screenPosition([0, 0, 0]).x)); });
      globalThis.posekitView.cameraAction("frame");
      await new Promise((done) => { setTimeout(done, 600); });
      return new Set(places).size;
    });
  };
  expect(await glides(still.page), "the camera jumps").toBe(1);
  expect(await glides(lively.page), "the camera glides").toBeGreaterThan(1);
  for (const { page, plays } of [{ page: still.page, plays: false }, { page: lively.page, plays: true }]) {
    await openScene(page, "crowd");
    expect(await page.evaluate(() => globalThis.posekitSession.playback.value.running)).toBe(plays);
  }
  await still.close();
  await lively.close();
});
