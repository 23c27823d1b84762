//! The figure comes first: how much of the window the view has, and what may cover it.

import { expect, test } from "vitest";
import { openScene, openStudio, settled, sharedStudio } from "./browser.ts";

const studio = sharedStudio();

test("the view has 60 % of a laptop's window, and a message makes room beside it", async () => {
  const { page, close } = await openStudio(studio.browser, { viewport: { width: 1440, height: 900 } });
  const view = async () => (await page.locator(".view-canvas").boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  const { width, height } = await view();
  expect(width * height / (1440 * 900)).toBeGreaterThan(0.6);
  await page.evaluate(() => globalThis.posekitSession.loadFile("words.txt", new TextEncoder().encode("hello")));
  const message = await page.locator(".notice").first().boundingBox();
  const smaller = await view();
  expect(message?.y ?? 0).toBeGreaterThanOrEqual(smaller.y + smaller.height - 1);
  await close();
});

test("where the target is out of reach, one line says by how much and what helps; undo of a drag leaves the camera", async () => {
  const { page } = studio;
  await openScene(page, "chain-2d");
  await page.evaluate(() => {
    const { posekitSession: session } = globalThis;
    session.moveHandle("target:0", { position: [3, 0, 0] });
    session.setView({ camera: { position: [0, 0, 5], target: [0.2, 0.1, 0], zoom: 1.5 } });
  });
  await settled(page);
  await page.waitForFunction(() => globalThis.posekitSession.results.value[0]?.status === "unreachable");
  expect(await page.locator(".run .chip").first().textContent()).toMatch(/^out of reach by [\d.]+\sm/);
  await page.getByRole("button", { name: "Bring the target to the tip" }).click();
  await page.waitForFunction(() => globalThis.posekitSession.results.value[0]?.status === "reached");
  await page.evaluate(() => { globalThis.posekitSession.undo(); globalThis.posekitSession.undo(); });
  await settled(page);
  expect(await page.evaluate(() => globalThis.posekitSession.document.value.view.camera?.zoom)).toBe(1.5);
});
