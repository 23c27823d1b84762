//! Robots as they look: folders as ZIPs, with meshes of every format, and their joints in the panel.

import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { zipSync } from "fflate";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { assets } from "./assets.ts";
import { dropFiles, lookAt, openScene, settled, sharedStudio } from "./browser.ts";

const studio = sharedStudio();
const folder = join(assets ?? "", "mesh_robots");

function filesOf(path: string, prefix = ""): Record<string, Uint8Array> {
  const found: Record<string, Uint8Array> = {};
  for (const name of readdirSync(path)) {
    const whole = join(path, name);
    if (statSync(whole).isDirectory()) Object.assign(found, filesOf(whole, `${prefix}${name}/`));
    else found[`${prefix}${name}`] = new Uint8Array(readFileSync(whole));
  }
  return found;
}

async function dropZip(page: Page, name: string, files = filesOf(join(folder, name), `${name}/`)): Promise<void> {
  await dropFiles(page, [[`${name}.zip`, zipSync(files, { level: 1 })]]);
}

/** Waits until the robot of a title is drawn with its meshes. */
async function drawn(page: Page, title: string): Promise<void> {
  await page.waitForFunction((wanted) => globalThis.posekitSession.document.value.title === wanted, title, { timeout: 20_000 });
  await page.waitForFunction(() => globalThis.posekitView.hasMesh, undefined, { timeout: 20_000 });
  await settled(page);
}

const ROBOTS = [
  ["panda_description", "panda.urdf", 1],
  ["kuka_iiwa_14", "iiwa14.xml", 1],
  ["SO101", "so101_new_calib.urdf", 1],
  ["g1_description", "g1_29dof_rev_1_0.urdf", 4],
] as const;

for (const [name, title, goals] of ROBOTS) {
  test.skipIf(assets === null)(`${name} is drawn with its meshes`, async () => {
    const { page } = studio;
    await openScene(page, "limb-2d");
    await dropZip(page, name);
    await drawn(page, title);
    const { missing, tasks, status } = await page.evaluate(() => {
      const session = globalThis.posekitSession;
      return {
        missing: session.notices.value.some(({ what }) => what.includes("meshes that are not here")),
        tasks: session.info.value?.tasks.length, status: session.results.value[0]?.status,
      };
    });
    expect({ missing, tasks, status }).toEqual({ missing: false, tasks: goals, status: "reached" });
    const { colours, drawn: share } = await lookAt(page);
    expect(colours).toBeGreaterThan(500);
    expect(share).toBeGreaterThan(0.05);
    if (process.env["SHOW"]) await page.screenshot({ path: `${process.env["SHOW"]}/${name}.png` });
    expect(studio.complaints).toEqual([]);
  }, 120_000);
}

test.skipIf(assets === null)("meshes may follow the robot, and come back with undo and redo", async () => {
  const { page } = studio;
  await openScene(page, "limb-2d");
  const files = filesOf(join(folder, "panda_description"));
  await dropFiles(page, [["panda.urdf", files["urdf/panda.urdf"] as Uint8Array]]);
  await page.waitForFunction(() => globalThis.posekitSession.robot.look.value !== null);
  await expect.poll(() => page.locator(".notice").last().innerText()).toContain("meshes that are not here");
  expect(await page.evaluate(() => globalThis.posekitView.hasMesh)).toBe(false);
  const meshes = Object.fromEntries(Object.entries(files).filter(([path]) => path.startsWith("meshes/visual/")));
  await dropZip(page, "meshes", meshes);
  await drawn(page, "panda.urdf");
  await page.evaluate(() => { globalThis.posekitSession.undo(); });
  await page.waitForFunction(() => !globalThis.posekitView.hasMesh);
  await page.evaluate(() => { globalThis.posekitSession.redo(); });
  await drawn(page, "panda.urdf");
  expect(studio.complaints).toEqual([]);
}, 120_000);

const ARM = `<robot name="arm">
  <link name="base"><visual><geometry><cylinder radius="0.1" length="0.2"/></geometry></visual></link>
  <link name="upper"><visual><origin xyz="0 0 0.25"/><geometry><box size="0.1 0.1 0.5"/></geometry><material name="m"><color rgba="1 0 0 1"/></material></visual>
    <collision><geometry><sphere radius="0.3"/></geometry></collision></link>
  <link name="lower"><visual><origin xyz="0 0 0.25"/><geometry><box size="0.08 0.08 0.5"/></geometry></visual></link>
  <link name="tool"/>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/><limit lower="-2" upper="2" velocity="1.5"/></joint>
  <joint name="elbow" type="revolute"><parent link="upper"/><child link="lower"/><origin xyz="0 0 0.5"/><axis xyz="0 1 0"/><limit lower="-2" upper="2"/></joint>
  <joint name="end" type="fixed"><parent link="lower"/><child link="tool"/><origin xyz="0 0 0.5"/></joint>
  <gazebo/><transmission/><mujoco/></robot>`;
const STATES = `<robot name="arm"><group name="all"><joint name="shoulder"/><joint name="elbow"/></group>
  <group_state name="bent" group="all"><joint name="shoulder" value="0.5"/><joint name="elbow" value="1"/></group_state></robot>`;

test("joints are moved in the panel, one by one and to named states", async () => {
  const { page } = studio;
  const text = (content: string) => new TextEncoder().encode(content);
  await openScene(page, "limb-2d");
  await dropFiles(page, [["arm.urdf", text(ARM)], ["arm.srdf", text(STATES)]]);
  await drawn(page, "arm.urdf");
  expect(await page.evaluate(() => globalThis.posekitSession.info.value?.warnings)).toEqual([]);
  await page.locator("summary", { hasText: "Joints" }).click();
  const values = () => page.evaluate(() => Array.from(globalThis.posekitSession.results.value[0]?.q ?? []).map((value) => Math.round(1e6 * value) / 1e6));
  await page.getByLabel("Named states").selectOption({ label: "bent (all)" });
  await expect.poll(values).toEqual([0.5, 1]);
  await page.getByRole("slider", { name: "elbow" }).fill("-0.4");
  await expect.poll(values).toEqual([0.5, -0.4]);
  const field = page.getByLabel("shoulder, value");
  await field.fill("45");
  await field.press("Enter");
  await expect.poll(values).toEqual([Math.round(1e6 * Math.PI / 4) / 1e6, -0.4]);
  await settled(page);
  expect(await page.evaluate(() => globalThis.posekitSession.results.value[0]?.status)).toBe("reached");
  expect(await page.locator(".joint", { hasText: "shoulder" }).innerText()).toContain("86 °/s");
  if (process.env["SHOW"]) await page.screenshot({ path: `${process.env["SHOW"]}/joints.png` });
  await page.getByLabel("Drawn with").selectOption("collisions");
  await page.waitForFunction(() => globalThis.posekitView.hasMesh);
  await page.getByLabel("Drawn with").selectOption("joints");
  await page.waitForFunction(() => !globalThis.posekitView.hasMesh);
  expect(studio.complaints).toEqual([]);
}, 60_000);
