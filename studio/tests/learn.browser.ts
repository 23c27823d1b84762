//! Learn in a real browser: every formula is drawn, every show opens, the marked line follows the steps, figures answer to their sliders.

import AxeBuilder from "@axe-core/playwright";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { dragHandle, openScene, openStudio, settled, sharedStudio } from "./browser.ts";

const studio = sharedStudio();

async function openLearn(page: Page, tab = "#panel-tab-learn"): Promise<string[]> {
  await page.locator(tab).click();
  // It is loaded when it is first wanted.
  await page.locator(".contents-item").first().waitFor();
  return await page.locator(".contents-item").evaluateAll((items) => items.map((item) => (item as HTMLElement).dataset["learn"] ?? ""));
}

async function openArticle(page: Page, id: string): Promise<void> {
  const back = page.locator(".article > .link-button");
  if (await back.count() > 0) await back.click();
  await page.locator(`.contents-item[data-learn="${id}"]`).click();
  await page.locator(".article").waitFor();
}

describe.each([["desk", { viewport: { width: 1024, height: 760 } }], ["phone", { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true }]] as const)("on a %s", (device, options) => {
  test.each(["light", "dark"] as const)("every article is drawn within its column and open to everybody, %s", async (colorScheme) => {
    const { page, complaints, close } = await openStudio(studio.browser, { ...options, colorScheme });
    const ids = await openLearn(page, device === "desk" ? "#panel-tab-learn" : "#sheet-tab-learn");
    expect(ids.length).toBe(15);
    for (const id of ids) {
      await openArticle(page, id);
      await page.waitForFunction(() => [...document.querySelectorAll(".figure")].every((figure) => figure.querySelector("svg :is(path, polyline, rect)")));
      const faults = await page.evaluate(() => [...document.querySelectorAll<HTMLElement>(".article math, .article .formula, .article .facts-table, .article .figure")].flatMap((part) => {
        const { width, height, right } = part.getBoundingClientRect();
        const column = document.querySelector(".article")?.getBoundingClientRect().right ?? 0;
        const isDrawn = width > 3 && height > 5 && (part.localName !== "math" || part.namespaceURI === "http://www.w3.org/1998/Math/MathML");
        return isDrawn && right <= column + 1 && part.scrollWidth <= part.clientWidth + 1 ? [] : [`${part.className || part.localName}: ${width} x ${height}, ${part.textContent.slice(0, 60)}`];
      }));
      expect(faults, id).toEqual([]);
      if (device === "desk") {
        const { violations } = await new AxeBuilder({ page }).include(".article").analyze();
        expect(violations.filter(({ impact }) => impact === "serious" || impact === "critical").map(({ id: rule, nodes }) => `${rule}: ${nodes[0]?.html ?? ""}`), id).toEqual([]);
      }
    }
    expect(await page.evaluate(() => [...document.fonts].filter(({ family }) => family.includes("STIX")).map(({ status }) => status)), "the font of formulas").toEqual(["loaded"]);
    expect(complaints).toEqual([]);
    await close();
  });
});

describe("at the desk", () => {
  let ids: string[] = [];
  beforeAll(async () => { ids = await openLearn(studio.page); });

  test("every show opens what it names", async () => {
    const { page } = studio;
    for (const id of ids) {
      await openArticle(page, id);
      const names = await page.locator(".show [data-show]").evaluateAll((buttons) => buttons.map((button) => (button as HTMLElement).dataset["show"] ?? ""));
      for (const name of names.filter((one) => one !== "motion")) {
        const before = await page.evaluate(() => globalThis.posekitSession.opened.value);
        await page.locator(`.show [data-show="${name}"]`).click();
        await page.waitForFunction((opened) => globalThis.posekitSession.opened.value > opened, before);
        await settled(page);
        expect(await page.evaluate(() => globalThis.posekitSession.results.value.map(({ fault }) => fault).filter((fault) => fault !== null)), name).toEqual([]);
      }
    }
    expect(studio.complaints).toEqual([]);
  });

  test("the marked line of the pseudo-code follows the article's own buttons and the transport", async () => {
    const { page } = studio;
    await openArticle(page, "fabrik");
    await openScene(page, "arm7");
    await page.locator(".steps").getByRole("button", { name: "Run it beside the figure" }).click();
    await settled(page);
    await page.waitForFunction(() => globalThis.posekitSession.cursor.value?.entry === 0);
    const marked = () => page.locator(".steps [aria-current]").allInnerTexts();
    await expect.poll(marked).toEqual([]);
    await page.locator(".steps").getByRole("button", { name: "Forward half a step" }).click();
    await expect.poll(async () => (await marked())[0]).toBe("tip ← target");
    expect(await page.locator(".steps-words").innerText()).toContain("inward pass");
    await page.locator(".transport").getByRole("button", { name: "Forward half a step" }).click();
    await expect.poll(async () => (await marked())[0]).toBe("root ← its own place");
    await page.locator(".steps").getByRole("button", { name: "Back half a step" }).click();
    await expect.poll(async () => (await marked())[0]).toBe("tip ← target");
    await page.evaluate(() => { globalThis.posekitSession.goLive(); });
    await expect.poll(marked).toEqual(["repeat until the tip is at the target"]);
  });

  test("the triangle follows the limb on show", async () => {
    const { page } = studio;
    await openArticle(page, "two-bone");
    await openScene(page, "limb-2d");
    const phi = page.locator('[data-angle="phi"]');
    const before = await phi.innerText();
    await dragHandle(page, "target:0", { x: -60, y: 40 });
    await expect.poll(() => phi.innerText()).not.toBe(before);
    const q = await page.evaluate(() => globalThis.posekitSession.results.value[0]?.q[1] ?? 0);
    expect(parseFloat((await phi.innerText()).replace("−", "-"))).toBeCloseTo(q * 180 / Math.PI, 0);
  });

  test("sliders change their figures: the direction of a turn, damping, regularization, twist", async () => {
    const { page } = studio;
    const slide = async (figure: string, value: number) => { await page.locator(`[data-figure="${figure}"] input`).fill(String(value)); };
    const says = (figure: string) => page.locator(`[data-figure="${figure}"] .readout`).innerText();
    await openArticle(page, "ccd");
    for (const [value, word] of [[90, "counterclockwise"], [0, "in line"], [-90, "clockwise"], [180, "in line"]] as const) {
      await slide("turn", value);
      expect(await page.locator('[data-figure="turn"] svg').getAttribute("data-turn")).toBe(word);
    }
    await openArticle(page, "well-posed");
    const largest = async (value: number) => { await slide("damping", value); return parseFloat(/Largest step: ([\d.]+)/.exec(await says("damping"))?.[1] ?? ""); };
    expect(await largest(-2)).toBeGreaterThan(5 * await largest(-1));
    await slide("reach", -1);
    await expect.poll(() => says("reach")).not.toContain("…");
    const more = await says("reach");
    await slide("reach", -4);
    await expect.poll(() => says("reach")).not.toBe(more);
    await openArticle(page, "joints");
    expect(await says("twist")).toContain("the least");
    const least = parseFloat((await says("twist")).replace(/[^\d.]*/, ""));
    await slide("twist", 90);
    expect(parseFloat((await says("twist")).replace(/[^\d.]*/, ""))).toBeGreaterThan(least + 10);
  });

  test("the motion scene opens with its article beside it, and a show leads back", async () => {
    const { page } = studio;
    await openArticle(page, "motion");
    await page.locator('.show [data-show="motion"]').click();
    await page.waitForFunction(() => "posekitMotion" in globalThis && globalThis.posekitMotion.shown.value !== null);
    expect(await page.locator(".learn-title").innerText()).toBe("Contacts and keyframes");
    await page.locator("#panel-tab-solve").click();
    await page.locator("[data-testid=answer]").waitFor();
    await page.locator("#panel-tab-learn").click();
    await page.locator('.show [data-show="door"]').click();
    await page.waitForFunction(() => globalThis.posekitSession.document.value.scene === "figure");
    await settled(page);
    expect(await page.locator(".rail [aria-current=true]").getAttribute("data-scene")).toBe("figure");
    expect(studio.complaints).toEqual([]);
  });
});
