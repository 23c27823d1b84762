//! Pictures of every scene, light and dark, on desk and phone, to look at; and those of README and docs/studio.md.
//!
//! `npm run screenshots` makes all; ONLY=rope,hand those scenes alone.

import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { SCENES } from "../src/core/scenes/index.ts";
import type { SceneId } from "../src/core/types.ts";
import { launch, openStudio, settled } from "./browser.ts";

const OUT = fileURLToPath(new URL("out/", import.meta.url));
const DOCS = fileURLToPath(new URL("../../docs/images/studio/", import.meta.url));
const ONLY = process.env["ONLY"]?.split(",");
const DEVICES = {
  desktop: { viewport: { width: 1440, height: 900 } },
  phone: { viewport: { width: 360, height: 780 }, hasTouch: true, isMobile: true },
} as const;

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
  mkdirSync(OUT, { recursive: true });
  mkdirSync(DOCS, { recursive: true });
});
afterAll(() => browser.close());

async function show(page: Page, scene: SceneId): Promise<void> {
  await page.evaluate((id) => { globalThis.posekitSession.openScene(id); }, scene);
  await settled(page);
  // Two frames: one that sees the change, one that has drawn it.
  await page.waitForTimeout(400);
}

for (const [device, options] of Object.entries(DEVICES)) {
  for (const colorScheme of ["light", "dark"] as const) {
    test(`${device}, ${colorScheme}`, async () => {
      const { page, close } = await openStudio(browser, { ...options, colorScheme });
      // A phone shows no thumbnails until its tab is open.
      if (device === "desktop") await page.waitForFunction((n) => document.querySelectorAll(".scene-picture img").length >= n, SCENES.filter(({ group }) => group !== "learn").length, { timeout: 60_000 });
      for (const { id } of SCENES.filter(({ id, group }) => (ONLY ? ONLY.includes(id) : group !== "learn"))) {
        await show(page, id);
        await page.screenshot({ path: `${OUT}${id}-${device}-${colorScheme}.png` });
      }
      if (ONLY === undefined || ONLY.includes("motion")) {
        await page.locator('[data-scene="motion"]').dispatchEvent("click").catch(() => undefined);
        if (device === "phone") {
          await page.locator("#sheet-tab-scenes").click();
          await page.locator('[data-scene="motion"]').click();
          await page.locator("#sheet-tab-time").click();
        }
        await page.waitForFunction(() => "posekitMotion" in globalThis && globalThis.posekitMotion.shown.value !== null && "posekitMotionView" in globalThis);
        await page.evaluate(() => { globalThis.posekitMotion.goTo(112); });
        for (const compare of ["ghost", "side"] as const) {
          await page.evaluate((how) => { globalThis.posekitMotion.setView({ compare: how }); }, compare);
          await page.waitForTimeout(700);
          await page.screenshot({ path: `${OUT}motion-${compare}-${device}-${colorScheme}.png` });
        }
      }
      await close();
    });
  }
}

/** As WebP, which the browser itself can write. */
async function saveSmall(page: Page, name: string): Promise<void> {
  // The view draws coarsely while it is busy, and finely when it has come to rest.
  await page.waitForTimeout(2500);
  const png = (await page.screenshot()).toString("base64");
  const webp = await page.evaluate(async (base64) => {
    const image = new Image();
    image.src = `data:image/png;base64,${base64}`;
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [image.width, image.height];
    canvas.getContext("2d")?.drawImage(image, 0, 0);
    return canvas.toDataURL("image/webp", 0.86).split(",")[1] ?? "";
  }, png);
  const bytes = Buffer.from(webp, "base64");
  expect(bytes.length, `${name} is small`).toBeLessThan(100_000);
  writeFileSync(`${DOCS}${name}.webp`, bytes);
}

test.skipIf(ONLY !== undefined)("for the documentation", async () => {
  const light = await openStudio(browser, { viewport: { width: 1280, height: 800 } });
  await show(light.page, "figure");
  await light.page.waitForFunction(() => document.querySelectorAll(".scene-picture img").length > 10, undefined, { timeout: 60_000 });
  await saveSmall(light.page, "figure");
  await show(light.page, "arm7");
  await light.page.evaluate(() => { globalThis.posekitSession.arm.record(); });
  for (const position of [[0.5, 0.25, 0.3], [0.35, 0.35, 0.65]] as [number, number, number][]) {
    await light.page.evaluate((to) => { globalThis.posekitSession.moveHandle("target:0", { position: to }); }, position);
    await settled(light.page);
    await light.page.evaluate(() => { globalThis.posekitSession.arm.record(); });
    await settled(light.page);
  }
  await light.page.evaluate(() => { globalThis.posekitSession.arm.setSeconds(0.5); });
  await settled(light.page);
  await light.page.getByRole("button", { name: "Show the plots" }).click();
  await light.page.waitForTimeout(400);
  await light.page.evaluate(() => { globalThis.posekitSession.arm.scrub(Math.round(0.6 * (globalThis.posekitSession.arm.track.value?.nFrames ?? 0))); });
  await saveSmall(light.page, "path");
  await light.page.getByRole("button", { name: "Hide the plots" }).click();
  await show(light.page, "figure");
  await light.page.locator("#panel-tab-learn").click();
  await light.page.locator('.contents-item[data-learn="lock-up"]').click();
  await light.page.getByRole("button", { name: "Figure 2: relaxation locks up" }).click();
  await settled(light.page);
  await light.page.waitForTimeout(400);
  await saveSmall(light.page, "lock-up");
  await light.close();
  const dark = await openStudio(browser, { viewport: { width: 1280, height: 800 }, colorScheme: "dark" });
  await show(dark.page, "arm7");
  await dark.page.waitForFunction(() => document.querySelectorAll(".scene-picture img").length > 10, undefined, { timeout: 60_000 });
  await saveSmall(dark.page, "robot");
  await dark.close();
});
