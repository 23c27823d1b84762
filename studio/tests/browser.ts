//! A real Chromium and the page in it: what every browser test begins with.

import { chromium, type Browser, type BrowserContext, type BrowserContextOptions, type Page } from "playwright-core";
import { existsSync } from "node:fs";
import { afterAll, beforeAll, expect, inject } from "vitest";
import type { RunResult, SceneId, Session, StudioDocument } from "../src/core/types.ts";
import type { View } from "../src/three/view.ts";

declare global {
  var posekitSession: Session;
  var posekitView: View;
}

const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** WebGL without a graphics card is drawn by SwiftShader, slowly but truly. */
const ARGUMENTS = [
  "--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
  "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
];

export async function launch(): Promise<Browser> {
  const executablePath = process.env["CHROMIUM"] ?? PLACES.find((path) => existsSync(path));
  if (!executablePath) throw new Error("no Chromium: install the package chromium, or name its program in CHROMIUM");
  return chromium.launch({ executablePath, args: ARGUMENTS });
}

/** A measurement for whoever reads the output. */
export function report(line: string): void {
  process.stdout.write(`    ${line}\n`);
}

export interface Studio {
  page: Page;
  context: BrowserContext;
  /** Errors on the console and exceptions, which no test tolerates. */
  complaints: string[];
  close(): Promise<void>;
}

export interface OpenOptions extends BrowserContextOptions {
  hash?: string;
}

/** Opens the page in a context of its own and waits until it has solved something. */
export async function openStudio(browser: Browser, options: OpenOptions = {}): Promise<Studio> {
  const studio = await openPage(browser, options);
  await settled(studio.page);
  return studio;
}

/** The same without waiting. */
export async function openPage(browser: Browser, { hash = "#scene=limb-2d", ...options }: OpenOptions): Promise<Studio> {
  const context = await browser.newContext({ viewport: { width: 1100, height: 720 }, serviceWorkers: "block", reducedMotion: "reduce", ...options });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => {
    // Playwright itself refuses service workers where a test asks for it.
    if (message.type() === "error" || (message.type() === "warning" && !message.text().includes("blocked by Playwright"))) complaints.push(message.text());
  });
  page.on("pageerror", (error) => { complaints.push(`${error.message}\n${error.stack ?? ""}`); });
  await page.goto(inject("address") + hash);
  return { page, context, complaints, close: () => context.close() };
}

/** One page in a browser of its own for all tests of a file: there when the first of them begins. */
export function sharedStudio(): Studio & { browser: Browser } {
  const shared = {} as Studio & { browser: Browser };
  beforeAll(async () => {
    const browser = await launch();
    Object.assign(shared, { browser }, await openStudio(browser));
  });
  afterAll(() => shared.browser.close());
  return shared;
}

export function distance(a: readonly number[], b: readonly number[]): number {
  return Math.hypot(...a.map((value, axis) => value - (b[axis] ?? 0)));
}

/** Waits until the worker rests and every run has its end, or a crowd is on show. */
export async function settled(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const session = globalThis.posekitSession as Session | undefined;
    if (session?.worker.value !== "ready" || session.info.value === null) return false;
    const runs = session.document.value.runs.length;
    return session.crowd.value !== null || (session.results.value.length === runs && session.results.value.every((result) => result.done));
  }, undefined, { timeout: 30_000, polling: 50 });
}

export async function openScene(page: Page, scene: SceneId): Promise<void> {
  await page.locator(`[data-scene="${scene}"]`).click();
  await page.waitForFunction((id) => globalThis.posekitSession.document.value.scene === id, scene);
  await settled(page);
}

/** A path of two poses for a robot arm that is on show, looked at in its middle. */
export async function showPath(page: Page): Promise<void> {
  await page.evaluate(() => { globalThis.posekitSession.arm.record(); });
  const [x, y, z] = await handlePosition(page, "target:0");
  await page.evaluate((position) => { globalThis.posekitSession.moveHandle("target:0", { position }); }, [x, y + 0.2, z] as [number, number, number]);
  await settled(page);
  await page.evaluate(() => { globalThis.posekitSession.arm.record(); });
  await page.waitForFunction(() => globalThis.posekitSession.arm.track.value !== null);
  await settled(page);
  await page.evaluate(() => { globalThis.posekitSession.arm.scrub(30); });
}

export function documentOf(page: Page): Promise<StudioDocument> {
  return page.evaluate(() => globalThis.posekitSession.document.value);
}

/** The main run's result without its arrays. */
export function resultOf(page: Page): Promise<Pick<RunResult, "status" | "error" | "tolerance" | "method" | "iterations"> & { tip: number[] }> {
  return page.evaluate(() => {
    const result = globalThis.posekitSession.results.value[0];
    if (!result) throw new Error("nothing is solved");
    const { status, error, tolerance, method, iterations, points } = result;
    return { status, error, tolerance, method, iterations, tip: [...points.slice(-3)] };
  });
}

export function handlePosition(page: Page, id: string): Promise<[number, number, number]> {
  return page.evaluate((wanted) => {
    const handle = globalThis.posekitSession.handles.value.find((candidate) => candidate.id === wanted);
    if (!handle) throw new Error(`there is no handle ${wanted}`);
    return handle.position;
  }, id);
}

/** Where a point of the scene is on the page [px]. */
export async function onScreen(page: Page, position: [number, number, number]): Promise<{ x: number; y: number }> {
  await page.waitForFunction(() => "posekitView" in globalThis);
  // A scene that was just opened is framed with the next picture.
  await page.evaluate(() => new Promise((done) => { requestAnimationFrame(() => { requestAnimationFrame(done); }); }));
  return page.evaluate((at) => {
    const { x, y } = globalThis.posekitView.screenPosition(at);
    const box = document.querySelector(".view-canvas")?.getBoundingClientRect();
    return { x: x + (box?.left ?? 0), y: y + (box?.top ?? 0) };
  }, position);
}

/** Drags a handle with the mouse by a way on the screen, in steps as a hand would. */
export async function dragHandle(page: Page, id: string, by: { x: number; y: number }, steps = 12): Promise<void> {
  const from = await onScreen(page, await handlePosition(page, id));
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  for (let step = 1; step <= steps; step += 1) await page.mouse.move(from.x + by.x * step / steps, from.y + by.y * step / steps);
  await page.mouse.up();
  await settled(page);
}

/** Drops files on the page as a file manager would. */
export async function dropFiles(page: Page, files: [name: string, bytes: Uint8Array][]): Promise<void> {
  await page.evaluate((given) => {
    const transfer = new DataTransfer();
    for (const [name, base64] of given) transfer.items.add(new File([Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))], name));
    for (const type of ["dragenter", "dragover", "drop"]) {
      document.querySelector(".stage")?.dispatchEvent(new DragEvent(type, { dataTransfer: transfer, bubbles: true, cancelable: true }));
    }
  }, files.map(([name, bytes]) => [name, Buffer.from(bytes).toString("base64")] as const));
}

/** How many different colours a picture of the view has, and how much of it differs from its corner. */
export async function lookAt(page: Page): Promise<{ colours: number; drawn: number }> {
  const picture = await page.locator(".view-canvas").screenshot();
  return page.evaluate(async (base64) => {
    const image = new Image();
    image.src = `data:image/png;base64,${base64}`;
    await image.decode();
    const canvas = new OffscreenCanvas(image.width, image.height);
    const context = canvas.getContext("2d");
    if (!context) throw new Error("no canvas");
    context.drawImage(image, 0, 0);
    const pixels = new Uint32Array(context.getImageData(0, 0, image.width, image.height).data.buffer);
    const corner = pixels[0];
    return { colours: new Set(pixels).size, drawn: pixels.filter((pixel) => pixel !== corner).length / pixels.length };
  }, picture.toString("base64"));
}

/** Waits for the small pictures of all scenes but the motion scene, whose picture is a drawing. */
export async function painted(page: Page): Promise<void> {
  await page.waitForFunction(() => document.querySelectorAll(".scene-picture img").length === document.querySelectorAll(".scene:not([data-scene=motion])").length, undefined, { timeout: 40_000 });
}

/** Drags in circles from a point of the screen, reports the times between frames, and expects no task of the page to be long. */
export async function dragSmoothly(page: Page, from: { x: number; y: number }, what: string): Promise<void> {
  await page.evaluate(() => {
    const measured = { frames: [] as number[], tasks: [] as number[] };
    Object.assign(globalThis, { measured });
    new PerformanceObserver((list) => { measured.tasks.push(...list.getEntries().map(({ duration }) => duration)); }).observe({ type: "longtask" });
    let last = performance.now();
    const frame = (now: number) => { measured.frames.push(now - last); last = now; requestAnimationFrame(frame); };
    requestAnimationFrame(frame);
  });
  const measured = () => page.evaluate(() => (globalThis as unknown as { measured: { frames: number[]; tasks: number[] } }).measured);
  const longest: number[] = [];
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  for (let round = 0; round < 4; round += 1) {
    const before = (await measured()).tasks.length;
    for (let step = 0; step < 50; step += 1) await page.mouse.move(from.x + 60 * Math.sin(step / 8), from.y + 30 * Math.sin(step / 5));
    longest.push(Math.max(0, ...(await measured()).tasks.slice(before)));
  }
  await page.mouse.up();
  const { frames, tasks } = await measured();
  const sorted = frames.sort((a, b) => a - b);
  const at = (share: number) => (sorted[Math.floor(share * (sorted.length - 1))] ?? NaN).toFixed(1);
  report(`${what}, drawn by software: frame time median ${at(0.5)} ms, 95 % ${at(0.95)} ms, longest ${at(1)} ms over ${sorted.length} frames; `
    + `${tasks.length} tasks over 50 ms${tasks.length > 0 ? `, the longest ${Math.max(...tasks).toFixed(0)} ms` : ""}`);
  expect(sorted.length).toBeGreaterThan(20);
  // A busy machine takes its time away from any task: what the page itself takes too long for is long in every round.
  expect(Math.min(...longest), "the longest task of the best round [ms]").toBeLessThanOrEqual(50);
  expect(Math.max(0, ...tasks)).toBeLessThan(250);
}
