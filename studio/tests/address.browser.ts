//! Every scene has an address; a reload and Back lose nothing; a part of another page shows the view only.

import { fileURLToPath } from "node:url";
import { expect, inject, test } from "vitest";
import { documentOf, openScene, openStudio, resultOf, settled, sharedStudio } from "./browser.ts";

const studio = sharedStudio();

/** Until what was changed last has been written down. */
const written = () => studio.page.waitForTimeout(600);

test("a scene's address opens it, and the page says which it is", async () => {
  const { page, close } = await openStudio(studio.browser, { hash: "#scene=arm-ranges" });
  expect((await documentOf(page)).scene).toBe("arm-ranges");
  expect(await page.title()).toBe("Arm, hinges and ranges · posekit studio");
  await close();
  const { page: other, close: closeOther } = await openStudio(studio.browser, { hash: "#scene=nowhere" });
  expect(await other.locator(".notice").textContent()).toContain("There is no scene nowhere");
  await closeOther();
});

test("a reload and Back keep what was moved and what was dropped", async () => {
  const { page } = studio;
  await openScene(page, "chain-2d");
  await page.evaluate(() => { globalThis.posekitSession.moveHandle("target:0", { position: [0.3, 0.45, 0] }); });
  await settled(page);
  await written();
  const moved = await documentOf(page);
  const pose = await resultOf(page);
  await page.reload();
  await settled(page);
  expect((await documentOf(page)).problem).toEqual(moved.problem);
  expect((await resultOf(page)).tip).toEqual(pose.tip);
  await page.setInputFiles("#open-file", fileURLToPath(new URL("../../testdata/figures/puppet.gltf", import.meta.url)));
  await page.waitForFunction(() => globalThis.posekitSession.robot.character.value !== null);
  await settled(page);
  await written();
  await openScene(page, "rope");
  expect(new URL(page.url()).hash).toBe("#scene=rope");
  await page.goBack();
  await page.waitForFunction(() => globalThis.posekitSession.robot.character.value?.name === "puppet.gltf");
  await page.goBack();
  await page.waitForFunction(() => globalThis.posekitSession.document.value.scene === "chain-2d");
  await settled(page);
  expect((await documentOf(page)).problem).toEqual(moved.problem);
  await page.goForward();
  await page.waitForFunction(() => globalThis.posekitSession.document.value.scene === "file");
  await page.reload();
  await settled(page);
  expect(await page.evaluate(() => globalThis.posekitSession.robot.character.value?.name)).toBe("puppet.gltf");
});

test("as a part of another page it is the view, its time and a link to the whole", async () => {
  const page = await studio.context.newPage();
  await page.goto(`${inject("address")}?embed=1#scene=tentacle`);
  await settled(page);
  expect(await page.locator(".rail, .panel, .bar").count()).toBe(0);
  expect(await page.getByRole("button", { name: "Open in the studio" }).isVisible()).toBe(true);
  await page.close();
});

test("a link that is made here says that it opens only here", async () => {
  const { page } = studio;
  await page.locator(".stage").focus();
  await page.keyboard.press("s");
  expect(await page.getByRole("dialog").textContent()).toContain("opens only on this computer");
  await page.keyboard.press("Escape");
});
