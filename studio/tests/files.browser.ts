//! Links, files that are dropped, good and bad, and what can be taken away.

import { readFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import type { Download } from "playwright-core";
import { expect, inject, test } from "vitest";
import { assets } from "./assets.ts";
import { documentOf, dragHandle, dropFiles, openScene, openStudio, settled, sharedStudio } from "./browser.ts";

const studio = sharedStudio();

/** Drops a file on the page as a file manager would. */
function drop(name: string, bytes: Uint8Array): Promise<void> {
  return dropFiles(studio.page, [[name, bytes]]);
}

/** A binary glTF file of three nodes, each hanging on the one before. */
function threeNodes(): Uint8Array {
  const nodes = [{ name: "hip", children: [1] }, { name: "knee", translation: [0, -0.5, 0], children: [2] }, { name: "ankle", translation: [0, -0.5, 0] }];
  const json = Buffer.from(JSON.stringify({ asset: { version: "2.0" }, scene: 0, scenes: [{ nodes: [0] }], nodes, skins: [{ joints: [0, 1, 2] }] }));
  const padded = Buffer.concat([json, Buffer.alloc((4 - (json.length % 4)) % 4, 0x20)]);
  const head = Buffer.alloc(20);
  [0x46546c67, 2, 20 + padded.length, padded.length, 0x4e4f534a].forEach((value, index) => head.writeUInt32LE(value, 4 * index));
  return Buffer.concat([head, padded]);
}

const text = (content: string) => new TextEncoder().encode(content);

test("a link brings back everything, also in another browser", async () => {
  const { page } = studio;
  await openScene(page, "arm-ranges");
  await dragHandle(page, "target:0", { x: -40, y: 20 });
  await page.getByRole("button", { name: /Add a solver/ }).click();
  await settled(page);
  const link = await page.evaluate(() => globalThis.posekitSession.link());
  const before = await documentOf(page);
  const other = await openStudio(studio.browser, { hash: link });
  expect(await documentOf(other.page)).toEqual(before);
  expect(other.complaints).toEqual([]);
  await other.close();
});

test("a link that is put into the address of the open page is followed", async () => {
  const { page } = studio;
  await openScene(page, "rope");
  const link = await page.evaluate(() => globalThis.posekitSession.link());
  await openScene(page, "limb-2d");
  await page.evaluate((hash) => { location.hash = hash; }, link);
  await page.waitForFunction(() => globalThis.posekitSession.document.value.scene === "rope");
  await settled(page);
  await page.evaluate(() => { location.hash = "#d1.torn"; });
  await page.locator(".notice[data-kind=error]").waitFor();
  await page.getByRole("button", { name: "Close this message" }).click();
  expect((await documentOf(page)).scene).toBe("rope");
  expect(studio.complaints).toEqual([]);
});

test("a broken link says so and leaves a page that works", async () => {
  const other = await openStudio(studio.browser, { hash: "#d1.nonsense" });
  await other.page.locator(".notice").waitFor();
  expect(await other.page.locator(".notice").innerText()).toMatch(/link/i);
  await openScene(other.page, "rope");
  await other.close();
});

test("a figure is opened together with the binary file that it names", async () => {
  const { page } = studio;
  const figure = { schema: "posekit.figure/1", gltf: "leg.glb", tasks: [{ task: "position", frame: { joint: "ankle" }, target: [0.3, -0.6, 0.2] }] };
  await dropFiles(page, [["leg.glb", threeNodes()], ["kick.json", text(JSON.stringify(figure))]]);
  await page.waitForFunction(() => globalThis.posekitSession.document.value.title === "kick.json");
  await settled(page);
  expect(await page.evaluate(() => globalThis.posekitSession.results.value[0]?.status)).toBe("reached");
  // The link carries the joints, so that it opens without the file.
  const other = await openStudio(studio.browser, { hash: await page.evaluate(() => globalThis.posekitSession.link()) });
  expect(await other.page.evaluate(() => globalThis.posekitSession.info.value?.names)).toEqual(["hip", "knee", "ankle"]);
  await other.close();
  expect(studio.complaints).toEqual([]);
});

test.skipIf(assets === null).each(["urdf/panda.urdf", "gltf/CesiumMan.glb"])("%s is opened and solved", async (path) => {
  const { page } = studio;
  const name = path.split("/").at(-1) ?? path;
  await openScene(page, "limb-2d");
  await drop(name, readFileSync(`${assets ?? ""}/${path}`));
  await page.waitForFunction(() => globalThis.posekitSession.document.value.scene === "file", undefined, { timeout: 30_000 });
  await settled(page);
  const { nJoints, handles } = await page.evaluate(() => ({
    nJoints: globalThis.posekitSession.info.value?.nJoints ?? 0,
    handles: globalThis.posekitSession.handles.value.length,
  }));
  expect(nJoints).toBeGreaterThan(5);
  expect(handles).toBeGreaterThan(0);
  expect(studio.complaints).toEqual([]);
});

test.skipIf(assets === null)("a character's mesh comes back with undo and redo, and the share dialog says that a link has none", async () => {
  const { page } = studio;
  const share = async () => {
    await page.keyboard.press("s");
    const words = await page.getByRole("dialog").innerText();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    return words;
  };
  const wears = (hasMesh: boolean) => page.waitForFunction((wanted) => globalThis.posekitView.hasMesh === wanted, hasMesh);
  await openScene(page, "limb-2d");
  await drop("CesiumMan.glb", readFileSync(`${assets ?? ""}/gltf/CesiumMan.glb`));
  await wears(true);
  expect(await share()).toContain("not the mesh");
  await openScene(page, "rope");
  await wears(false);
  expect(await share()).toContain("the whole state");
  await page.keyboard.press("Control+z");
  await wears(true);
  await page.keyboard.press("Control+z");
  await wears(false);
  await page.keyboard.press("Control+Shift+z");
  await wears(true);
  expect(studio.complaints).toEqual([]);
});

const BAD: [name: string, bytes: Uint8Array, says: RegExp][] = [
  ["cut-off.json", text('{ "schema": "posekit.chain/1", "dimension": 2, "bones": [ { "length": 1'), /cut-off\.json|line|end/i],
  ["slip.json", text('{ "schema": "posekit.chain/1", "dimension": 2, "bones": [ { "lenght": 1, "angle": 0 } ], "target": [1, 0] }'), /lenght/],
  ["no-robot.urdf", text('<robot name="r"><joint name="j" type="revolute"><parent link="a"/></joint></robot>'), /no-robot\.urdf|link|joint/i],
  ["walk.contacts.json", text('{ "schema": "posekit.contacts/1", "contacts": [] }'), /contacts of a motion[\s\S]*Motion/],
  ["torn.glb", Uint8Array.from([0x67, 0x6c, 0x54, 0x46, 2, 0, 0, 0, 255, 0, 0, 0, 1]), /torn\.glb|gltf/i],
  ["<script>alert(1)</script>.png", Uint8Array.from([0x89, 0x50, 0x4e, 0x47]), /<script>alert\(1\)<\/script>\.png/],
];

test("bad files are refused with what, where and what to try, and the page lives on", async () => {
  const { page } = studio;
  let alerts = 0;
  page.on("dialog", (dialog) => { alerts += 1; void dialog.dismiss(); });
  const before = await documentOf(page);
  for (const [name, bytes, says] of BAD) {
    await drop(name, bytes);
    const notice = page.locator(".notice[data-kind=error]").last();
    await expect.poll(() => notice.innerText().catch(() => ""), { timeout: 10_000 }).toMatch(says);
    await notice.getByRole("button", { name: "Close this message" }).click();
    await expect.poll(() => page.locator(".notice[data-kind=error]").count()).toBe(0);
  }
  expect(await page.locator("#app script").count()).toBe(0);
  expect(alerts).toBe(0);
  expect(await documentOf(page), "nothing was replaced").toEqual(before);
  await openScene(page, "rope");
  expect(studio.complaints).toEqual([]);
});

test("a name with markup in it is shown as text", async () => {
  const { page } = studio;
  const problem = '{ "schema": "posekit.figure/1", "joints": [ { "name": "<img src=x onerror=alert(1)>", "parent": null, "kind": "revolute", "axis": [0,0,1] }, { "name": "<b>tip</b>", "parent": "<img src=x onerror=alert(1)>", "kind": "fixed", "position": [1,0,0] } ], "tasks": [ { "task": "position", "name": "<i>goal</i>", "frame": "<b>tip</b>", "target": [0, 1, 0] } ] }';
  await openScene(page, "limb-2d");
  await drop("<b>bold</b>.json", text(problem));
  await page.waitForFunction(() => globalThis.posekitSession.document.value.scene === "file");
  await settled(page);
  expect(await page.locator("#app img[src=x], #app b b, .goal i").count()).toBe(0);
  expect(studio.complaints).toEqual([]);
});

test("the solution that is saved is the command line's, byte for byte", async () => {
  const { page } = studio;
  await openScene(page, "chain-2d");
  await page.locator(".run select").first().selectOption("fabrik");
  await settled(page);
  const { problem, solution } = await page.evaluate(async () => {
    const session = globalThis.posekitSession;
    const main = session.document.value.runs[0]?.id ?? "";
    return { problem: session.exports.problem().text, solution: (await session.exports.solution(main, true)).text };
  });
  const output = execFileSync(inject("posekit"), ["solve", "-", "--solver", "fabrik", "--trace", "--format", "json"], { input: problem, encoding: "utf8" });
  expect(solution.trim()).toBe(output.trim());
});

test("a robot's problem is saved with the robot, and both together open again", async () => {
  const { page } = studio;
  await openScene(page, "arm6");
  await dragHandle(page, "target:0", { x: -40, y: 20 });
  const wanted = await page.evaluate(() => Array.from(globalThis.posekitSession.handles.value[0]?.position ?? []));
  const downloads: Download[] = [];
  const onDownload = (download: Download) => { downloads.push(download); };
  page.on("download", onDownload);
  await page.getByRole("button", { name: "Save and export" }).click();
  await page.getByRole("button", { name: "Problem (JSON)" }).click();
  await expect.poll(() => downloads.length).toBe(2);
  page.off("download", onDownload);
  const saved = await Promise.all(downloads.map(async (download): Promise<[string, Uint8Array]> => [download.suggestedFilename(), readFileSync(await download.path())]));
  expect(saved.map(([name]) => name).sort()).toEqual(["six-axis-robot.json", "six-axis-robot.urdf"]);
  const fresh = await openStudio(studio.browser);
  await dropFiles(fresh.page, saved);
  await fresh.page.waitForFunction(() => globalThis.posekitSession.document.value.title === "six-axis-robot.json");
  await settled(fresh.page);
  expect(await fresh.page.evaluate(() => Array.from(globalThis.posekitSession.handles.value[0]?.position ?? []))).toEqual(wanted);
  expect(await fresh.page.evaluate(() => globalThis.posekitSession.results.value[0]?.status)).toBe("reached");
  expect(fresh.complaints).toEqual([]);
  await fresh.close();
});

test("pictures: SVG of the figure, PNG of the view", async () => {
  const { page } = studio;
  await openScene(page, "chain-2d");
  const svg = await page.evaluate(() => globalThis.posekitSession.exports.svg().text);
  expect(svg).toMatch(/^<svg|^<\?xml/);
  const parsed = await page.evaluate((source) => new DOMParser().parseFromString(source, "image/svg+xml").querySelector("parsererror") === null, svg);
  expect(parsed).toBe(true);
  const png = await page.evaluate(async () => { const blob = await globalThis.posekitSession.exports.png(); return { size: blob.size, type: blob.type }; });
  expect(png.type).toBe("image/png");
  expect(png.size).toBeGreaterThan(2000);
});

test("a snippet for the command line does what is on screen", async () => {
  const { page } = studio;
  await openScene(page, "chain-2d");
  await page.keyboard.press("x");
  await page.getByRole("tab", { name: "Command line" }).click();
  expect(await page.locator(".code").innerText()).toContain("posekit solve");
  await page.keyboard.press("Escape");
});
