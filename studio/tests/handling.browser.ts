//! Everything that can be taken hold of, and the camera: limits, gizmos, pole, one finger and two, wheel, and the plot that knows the pose.

import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Handle, SceneId } from "../src/core/types.ts";
import { distance, documentOf, dragHandle, handlePosition, onScreen, openScene, openStudio, resultOf, settled, sharedStudio, type Studio } from "./browser.ts";

interface Place { x: number; y: number }
type Spot = [number, number, number];

const studio = sharedStudio();
afterEach(() => { expect(studio.complaints).toEqual([]); });

/** Waits until what was changed has been drawn. */
function drawn(page: Page): Promise<void> {
  return page.evaluate(() => new Promise<void>((done) => { requestAnimationFrame(() => { requestAnimationFrame(() => { done(); }); }); }));
}

async function select(page: Page, id: string | null): Promise<void> {
  await page.evaluate((wanted) => { globalThis.posekitSession.selection.value = wanted; }, id);
  await drawn(page);
}

function handleOf(page: Page, id: string): Promise<Handle> {
  return page.evaluate((wanted) => {
    const handle = globalThis.posekitSession.handles.value.find((one) => one.id === wanted);
    if (!handle) throw new Error(`there is no handle ${wanted}`);
    return handle;
  }, id);
}

/** Where a handle is drawn: the middle of the places at which the pointer would take it. */
async function whereDrawn(page: Page, id: string): Promise<Place> {
  await drawn(page);
  return page.evaluate((wanted) => {
    const view = globalThis.posekitView;
    const box = view.canvas.getBoundingClientRect();
    let [n, sumX, sumY] = [0, 0, 0];
    for (let y = 2; y < box.height; y += 4) {
      for (let x = 2; x < box.width; x += 4) {
        if (view.pick(x, y)?.id !== wanted) continue;
        n += 1;
        sumX += x;
        sumY += y;
      }
    }
    if (n === 0) throw new Error(`${wanted} cannot be taken hold of anywhere`);
    return { x: box.left + sumX / n, y: box.top + sumY / n };
  }, id);
}

async function drag(page: Page, from: Place, by: Place, steps = 10): Promise<void> {
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  for (let step = 1; step <= steps; step += 1) await page.mouse.move(from.x + by.x * step / steps, from.y + by.y * step / steps);
  await page.mouse.up();
  await settled(page);
}

/** Pixels on the screen for a metre along each axis at a place. */
async function axesOnScreen(page: Page, at: Spot): Promise<Place[]> {
  const here = await onScreen(page, at);
  const step = 1e-4;
  return Promise.all([0, 1, 2].map(async (axis) => {
    const there = await onScreen(page, at.map((value, k) => (k === axis ? value + step : value)) as Spot);
    return { x: (there.x - here.x) / step, y: (there.y - here.y) / step };
  }));
}

/** Pixels for a metre across the line of sight. */
function pixelsPerMetre(axes: Place[]): number {
  return Math.hypot(...axes.map(({ x }) => x));
}

describe("limits", () => {
  test("the end of an arc follows the pointer about its joint, the other end stays, and undo brings it back", async () => {
    const { page } = studio;
    await openScene(page, "limb-2d");
    await select(page, "joint:1");
    const before = await documentOf(page);
    const [least, most] = [await handleOf(page, "limit:1:min"), await handleOf(page, "limit:1:max")];
    const elbow = await onScreen(page, await handlePosition(page, "joint:1"));
    const from = await whereDrawn(page, "limit:1:max");
    // A turn on the screen by 25 degrees clockwise, which is less of a bend in the plane.
    const turn = 25 * Math.PI / 180;
    const [x, y] = [from.x - elbow.x, from.y - elbow.y];
    const to = { x: elbow.x + Math.cos(turn) * x - Math.sin(turn) * y, y: elbow.y + Math.sin(turn) * x + Math.cos(turn) * y };
    await drag(page, from, { x: to.x - from.x, y: to.y - from.y });
    const moved = (await handleOf(page, "limit:1:max")).limit?.value ?? NaN;
    expect(moved).toBeCloseTo((most.limit?.value ?? 0) - turn, 1);
    expect((await handleOf(page, "limit:1:min")).limit?.value).toBe(least.limit?.value);
    const now = await whereDrawn(page, "limit:1:max");
    expect(Math.hypot(now.x - to.x, now.y - to.y), "it is where the pointer let it go").toBeLessThan(8);
    expect(await page.evaluate(() => globalThis.posekitSession.info.value?.limits[1])).toMatchObject({ max: moved });
    await page.keyboard.press("Control+z");
    await settled(page);
    expect((await documentOf(page)).problem).toEqual(before.problem);
  });

  test.each(["limit:2:min", "limit:2:max"])("%s of a hinge in space is dragged", async (id) => {
    const { page } = studio;
    await openScene(page, "arm-ranges");
    await select(page, "joint:2");
    const before = await documentOf(page);
    const value = (await handleOf(page, id)).limit?.value ?? NaN;
    await drag(page, await whereDrawn(page, id), { x: 0, y: -45 });
    const after = (await handleOf(page, id)).limit?.value ?? NaN;
    expect(Math.abs(after - value)).toBeGreaterThan(0.05);
    expect((await documentOf(page)).problem).not.toEqual(before.problem);
    await page.keyboard.press("Control+z");
    await settled(page);
    expect((await documentOf(page)).problem).toEqual(before.problem);
    expect((await handleOf(page, id)).limit?.value).toBe(value);
  });

  test.each(["swing", "twist-max"])("a cone's %s is dragged", async (end) => {
    const { page } = studio;
    await openScene(page, "figure");
    const joint = await page.evaluate(() => globalThis.posekitSession.info.value?.names.indexOf("right ankle") ?? -1);
    await select(page, `joint:${joint}`);
    const before = await documentOf(page);
    const id = `limit:${joint}:${end}`;
    const value = (await handleOf(page, id)).limit?.value ?? NaN;
    const from = await whereDrawn(page, id);
    const center = await onScreen(page, await handlePosition(page, `joint:${joint}`));
    // Half of the way towards the joint and a little aside: for a rim that is less, for a twist it is another angle.
    await drag(page, from, { x: (center.x - from.x) / 2 + 12, y: (center.y - from.y) / 2 - 12 });
    const after = (await handleOf(page, id)).limit?.value ?? NaN;
    expect(Math.abs(after - value)).toBeGreaterThan(0.03);
    await page.keyboard.press("Control+z");
    await settled(page);
    expect((await documentOf(page)).problem).toEqual(before.problem);
  });
});

describe("gizmos on a pose target", () => {
  /** The target's handle, its place, its axes on the screen, and metres for a pixel there. */
  async function worn(page: Page): Promise<{ handle: Handle; at: Place; axes: Place[]; metres: number }> {
    await openScene(page, "arm6");
    await select(page, "target:0");
    const handle = await handleOf(page, "target:0");
    const axes = await axesOnScreen(page, handle.position);
    return { handle, at: await onScreen(page, handle.position), axes, metres: 1 / pixelsPerMetre(axes) };
  }

  test("an arrow moves the target along its axis alone", async () => {
    const { page } = studio;
    const { handle, at, axes, metres } = await worn(page);
    const opened = await documentOf(page);
    for (const [axis, way] of axes.entries()) {
      const long = Math.hypot(way.x, way.y);
      // An axis that points at the eye cannot be dragged by anybody.
      if (long * metres < 0.5) continue;
      const here = await handleOf(page, "target:0");
      const grip = { x: at.x + way.x * metres * 28, y: at.y + way.y * metres * 28 };
      await drag(page, grip, { x: 30 * way.x / long, y: 30 * way.y / long });
      const { position } = await handleOf(page, "target:0");
      const moved = position.map((value, k) => value - (here.position[k] ?? 0));
      expect(moved[axis], `along ${"xyz"[axis]}`).toBeGreaterThan(10 / long);
      for (const other of [0, 1, 2].filter((k) => k !== axis)) expect(Math.abs(moved[other] ?? NaN)).toBeLessThan(1e-9);
      expect((await resultOf(page)).status).toBe("reached");
      await page.keyboard.press("Control+z");
      await settled(page);
      expect((await documentOf(page)).problem, "one step of undo").toEqual(opened.problem);
      await select(page, "target:0");
    }
    expect((await handleOf(page, "target:0")).position).toEqual(handle.position);
  });

  test("a ring turns the target and leaves it where it is", async () => {
    const { page } = studio;
    const { handle, at } = await worn(page);
    const opened = await documentOf(page);
    // The rings are circles about the target's own axes; the pointer says when it is on one.
    const grip = await page.evaluate(({ x, y }) => {
      const canvas = globalThis.posekitView.canvas;
      const move = (to: { x: number; y: number }) => canvas.dispatchEvent(new PointerEvent("pointermove", { clientX: to.x, clientY: to.y, pointerType: "mouse", bubbles: true }));
      for (let radius = 16; radius < 80; radius += 2) {
        for (let turn = 0; turn < 24; turn += 1) {
          const to = { x: x + radius * Math.cos(turn * Math.PI / 12), y: y + radius * Math.sin(turn * Math.PI / 12) };
          move(to);
          if (globalThis.posekitView.gizmoUnder === "rotate") return to;
        }
      }
      return null;
    }, at);
    if (!grip) throw new Error("there is no ring about the target");
    const [outX, outY] = [grip.x - at.x, grip.y - at.y];
    const long = Math.hypot(outX, outY);
    await drag(page, grip, { x: -outY / long * 30, y: outX / long * 30 });
    const turned = await handleOf(page, "target:0");
    expect(distance(turned.position, handle.position)).toBe(0);
    const [one, two] = [handle.rotation ?? [0, 0, 0, 1], turned.rotation ?? [0, 0, 0, 1]];
    const cosine = Math.abs(one.reduce((sum, value, k) => sum + value * (two[k] ?? 0), 0));
    expect(2 * Math.acos(Math.min(1, cosine)), "turned by [rad]").toBeGreaterThan(0.1);
    expect(Math.hypot(...two)).toBeCloseTo(1, 9);
    expect((await resultOf(page)).status).toBe("reached");
    await page.keyboard.press("Control+z");
    await settled(page);
    expect((await documentOf(page)).problem).toEqual(opened.problem);
  });
});

test("the pole swivels the limb about the line from root to tip, and the tip stays on the target", async () => {
  const { page } = studio;
  await openScene(page, "arm-free");
  const points = () => page.evaluate(() => [...globalThis.posekitSession.results.value[0]?.points ?? []]);
  const before = await points();
  const pole = await handlePosition(page, "pole");
  await dragHandle(page, "pole", { x: -60, y: 70 });
  const after = await points();
  const middle = 3 * 3;
  expect(distance(after.slice(middle, middle + 3), before.slice(middle, middle + 3)), "the middle joint moved [m]").toBeGreaterThan(0.03);
  expect(distance(after.slice(0, 3), before.slice(0, 3))).toBeLessThan(1e-9);
  expect((await resultOf(page)).status).toBe("reached");
  expect(distance(await handlePosition(page, "pole"), pole)).toBeGreaterThan(0.05);
  await page.keyboard.press("Control+z");
  await settled(page);
  expect(distance(await points(), before), "undone").toBeLessThan(1e-6);
});

describe("the camera", () => {
  test.each<SceneId>(["chain-2d", "arm-ranges"])("a wheel brings what is under the pointer nearer in %s", async (scene) => {
    const { page } = studio;
    await openScene(page, scene);
    const root = await handlePosition(page, "root");
    const [at, scale] = [await onScreen(page, root), pixelsPerMetre(await axesOnScreen(page, root))];
    await page.mouse.move(at.x, at.y);
    await page.mouse.wheel(0, -240);
    await drawn(page);
    const nearer = pixelsPerMetre(await axesOnScreen(page, root));
    expect(nearer / scale).toBeGreaterThan(1.2);
    const now = await onScreen(page, root);
    expect(Math.hypot(now.x - at.x, now.y - at.y), "it stays under the pointer").toBeLessThan(3);
    await page.mouse.wheel(0, 240);
    await drawn(page);
    expect(pixelsPerMetre(await axesOnScreen(page, root)) / scale).toBeCloseTo(1, 6);
  });

  test.each<SceneId>(["chain-2d", "arm-ranges"])("the key F brings what is selected, or everything, into sight in %s", async (scene) => {
    const { page } = studio;
    await openScene(page, scene);
    const center = await page.evaluate(() => {
      const { left, top, width, height } = globalThis.posekitView.canvas.getBoundingClientRect();
      return { x: left + width / 2, y: top + height / 2, width, height };
    });
    const target = await handlePosition(page, "target:0");
    const wide = pixelsPerMetre(await axesOnScreen(page, target));
    await select(page, "target:0");
    await page.keyboard.press("f");
    await drawn(page);
    const at = await onScreen(page, target);
    expect(Math.hypot(at.x - center.x, at.y - center.y), "in the middle").toBeLessThan(4);
    expect(pixelsPerMetre(await axesOnScreen(page, target)) / wide, "nearer").toBeGreaterThan(1.3);
    await select(page, null);
    await page.keyboard.press("f");
    await drawn(page);
    for (const id of ["root", "target:0", "joint:2"]) {
      const seen = await onScreen(page, await handlePosition(page, id));
      expect(Math.abs(seen.x - center.x), id).toBeLessThan(center.width / 2);
      expect(Math.abs(seen.y - center.y), id).toBeLessThan(center.height / 2);
    }
    expect(pixelsPerMetre(await axesOnScreen(page, target)) / wide).toBeLessThan(1.3);
  });

  test("a drag beside everything orbits in space, with the right button it moves the picture", async () => {
    const { page } = studio;
    await openScene(page, "arm-ranges");
    const root = await handlePosition(page, "root");
    const box = await page.locator(".view-canvas").boundingBox();
    if (!box) throw new Error("there is no view");
    const empty = { x: box.x + 40, y: box.y + box.height - 40 };
    const axes = await axesOnScreen(page, root);
    await drag(page, empty, { x: 80, y: 0 });
    await drawn(page);
    const turned = await axesOnScreen(page, root);
    expect(Math.hypot((turned[0]?.x ?? 0) - (axes[0]?.x ?? 0), (turned[1]?.x ?? 0) - (axes[1]?.x ?? 0))).toBeGreaterThan(20);
    const still = await onScreen(page, root);
    await page.mouse.move(empty.x, empty.y);
    await page.mouse.down({ button: "right" });
    await page.mouse.move(empty.x + 50, empty.y - 30, { steps: 5 });
    await page.mouse.up({ button: "right" });
    await drawn(page);
    const moved = await onScreen(page, root);
    // What is nearer than the middle goes farther, in the same direction.
    const [across, down] = [(moved.x - still.x) / 50, (moved.y - still.y) / -30];
    expect(across).toBeGreaterThan(0.5);
    expect(across).toBeLessThan(1.5);
    expect(Math.abs(across - down)).toBeLessThan(0.03);
  });
});

describe("fingers", () => {
  let phone: Studio;
  beforeAll(async () => { phone = await openStudio(studio.browser, { viewport: { width: 390, height: 800 }, hasTouch: true, isMobile: true }); });
  afterAll(() => phone.close());

  /** Touches the page as a hand does: every row is where the fingers are. */
  async function touch(page: Page, rows: Place[][]): Promise<void> {
    const client = await page.context().newCDPSession(page);
    const points = (row: Place[]) => row.map(({ x, y }, id) => ({ x, y, id }));
    for (const [index, row] of rows.entries()) {
      const isMore = row.length > (rows[index - 1]?.length ?? 0);
      await client.send("Input.dispatchTouchEvent", { type: isMore ? "touchStart" : "touchMove", touchPoints: points(row) });
    }
    await client.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
    await client.detach();
    await drawn(page);
  }

  async function middle(page: Page): Promise<Place> {
    const box = await page.locator(".view-canvas").boundingBox();
    if (!box) throw new Error("there is no view");
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  }

  const STEPS = Array.from({ length: 9 }, (_, step) => step / 8);

  test.each<SceneId>(["limb-2d", "arm-ranges"])("two that part bring the picture nearer, two that go along move it, in %s", async (scene) => {
    const { page } = phone;
    await page.evaluate((id) => { globalThis.posekitSession.openScene(id); }, scene);
    await settled(page);
    const before = await documentOf(page);
    const root = await handlePosition(page, "root");
    const at = await middle(page);
    const scale = pixelsPerMetre(await axesOnScreen(page, root));
    await touch(page, STEPS.map((t) => [{ x: at.x - 40 - 40 * t, y: at.y }, { x: at.x + 40 + 40 * t, y: at.y }]));
    const near = pixelsPerMetre(await axesOnScreen(page, root));
    expect(near / scale, "twice as far apart").toBeGreaterThan(1.7);
    expect(near / scale).toBeLessThan(2.4);
    const here = await onScreen(page, root);
    await touch(page, STEPS.map((t) => [{ x: at.x - 40 + 60 * t, y: at.y - 30 * t }, { x: at.x + 40 + 60 * t, y: at.y - 30 * t }]));
    const there = await onScreen(page, root);
    expect(Math.abs(there.x - here.x - 60)).toBeLessThan(25);
    expect(Math.abs(there.y - here.y + 30)).toBeLessThan(15);
    expect(pixelsPerMetre(await axesOnScreen(page, root)) / near).toBeCloseTo(1, 1);
    expect((await documentOf(page)).problem, "nothing was taken hold of").toEqual(before.problem);
    expect(phone.complaints).toEqual([]);
  });

  test("one on the target drags it; a second finger lets go of it and moves the picture", async () => {
    const { page } = phone;
    await page.evaluate(() => { globalThis.posekitSession.openScene("chain-2d"); });
    await settled(page);
    const before = await handlePosition(page, "target:0");
    const at = await onScreen(page, before);
    await touch(page, STEPS.map((t) => [{ x: at.x - 40 * t, y: at.y + 20 * t }]));
    await settled(page);
    const after = await handlePosition(page, "target:0");
    const seen = await onScreen(page, after);
    expect(Math.hypot(seen.x - at.x + 40, seen.y - at.y - 20)).toBeLessThan(4);
    expect((await resultOf(page)).status).toBe("reached");
    const second = { x: seen.x - 90, y: seen.y - 60 };
    await touch(page, [[seen], ...STEPS.map((t) => [{ x: seen.x + 30 * t, y: seen.y }, { x: second.x + 30 * t, y: second.y }])]);
    await settled(page);
    expect(await page.evaluate(() => globalThis.posekitSession.dragging.value)).toBe(false);
    expect(distance(await handlePosition(page, "target:0"), after), "the target stays in the world").toBeLessThan(1e-9);
    expect((await onScreen(page, after)).x - seen.x).toBeGreaterThan(15);
  });
});

describe("plot and pose know of each other", () => {
  /** CCD takes some iterations, of which each has its pose. */
  async function traced(page: Page): Promise<void> {
    await openScene(page, "chain-2d");
    await page.locator(".run select").first().selectOption("ccd");
    await settled(page);
    await page.waitForFunction(() => (globalThis.posekitSession.results.value[0]?.trace?.n ?? 0) > 4);
    // The plot follows results ten times a second.
    await page.waitForTimeout(250);
  }

  test("over the plot the pose of that iteration is shown, and beside it the end again", async () => {
    const { page } = studio;
    await traced(page);
    const shown = () => page.evaluate(() => {
      const run = globalThis.posekitSession.shown.value[0];
      return { iteration: run?.iteration, points: [...run?.points ?? []] };
    });
    const end = await shown();
    await showPlots(page);
    const over = await page.locator(".plot .u-over").first().boundingBox();
    if (!over) throw new Error("there is no plot");
    const seen: number[][] = [];
    const last = end.iteration ?? 0;
    for (const wanted of [1, Math.floor(last / 2)]) {
      await page.mouse.move(over.x + (wanted / last) * over.width, over.y + over.height / 2);
      await page.waitForFunction((iteration) => globalThis.posekitSession.hoveredIteration.value === iteration, wanted);
      const pose = await shown();
      expect(pose.iteration).toBe(wanted);
      expect(await page.locator(".plot-note").first().innerText()).toContain(`iteration ${wanted}`);
      seen.push(pose.points);
    }
    expect(distance(seen[0] ?? [], seen[1] ?? [])).toBeGreaterThan(1e-3);
    await page.mouse.move(over.x + over.width / 2, over.y - 120);
    await page.waitForFunction(() => globalThis.posekitSession.hoveredIteration.value === null);
    expect(await shown()).toEqual(end);
  });

  test("over the way of the tip the plot marks that iteration", async () => {
    const { page } = studio;
    await traced(page);
    await select(page, null);
    const tips = await page.evaluate(() => {
      const trace = globalThis.posekitSession.results.value[0]?.trace;
      if (!trace) throw new Error("there is no trace");
      const at = (entry: number) => [...trace.points.slice((entry + 1) * 3 * trace.nPoints - 3, (entry + 1) * 3 * trace.nPoints)] as [number, number, number];
      const last = (iteration: number) => trace.iterations.findLastIndex((one) => one === iteration);
      return [...new Set(trace.iterations)].map((iteration) => ({ iteration, at: at(last(iteration)) }));
    });
    const places = await Promise.all(tips.map(async ({ iteration, at }) => ({ iteration, ...(await onScreen(page, at)) })));
    // One that stands alone: away from the others and from everything that can be taken hold of.
    const alone = [];
    for (const place of places) {
      const isApart = places.every((other) => other === place || Math.hypot(other.x - place.x, other.y - place.y) > 12);
      const box = await page.locator(".view-canvas").boundingBox();
      const isFree = await page.evaluate(({ x, y }) => globalThis.posekitView.pick(x, y) === null, { x: place.x - (box?.x ?? 0), y: place.y - (box?.y ?? 0) });
      if (isApart && isFree) alone.push(place);
    }
    expect(alone.length).toBeGreaterThan(0);
    await showPlots(page);
    const inked = () => page.locator(".plot canvas").first().screenshot();
    const without = await inked();
    for (const { x, y, iteration } of alone.slice(0, 3)) {
      await page.mouse.move(x + 40, y + 40);
      await page.mouse.move(x, y);
      await page.waitForFunction((wanted) => globalThis.posekitSession.hoveredIteration.value === wanted, iteration, { timeout: 3000 });
      expect(await page.evaluate(() => globalThis.posekitSession.shown.value[0]?.iteration)).toBe(iteration);
      expect(await page.locator(".plot-note").first().innerText()).toContain(`iteration ${iteration}`);
      expect(without.equals(await inked()), "a mark in the plot").toBe(false);
    }
    const box = await page.locator(".view-canvas").boundingBox();
    await page.mouse.move((box?.x ?? 0) + 5, (box?.y ?? 0) + 5);
    await page.waitForFunction(() => globalThis.posekitSession.hoveredIteration.value === null);
  });
});

/** Unfolds the plots, where they are not. */
async function showPlots(page: Page): Promise<void> {
  const button = page.getByRole("button", { name: "Show the plots" });
  if (await button.count() > 0) await button.click();
  await page.locator(".plot .u-over").first().waitFor();
}
