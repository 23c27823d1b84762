//! Everybody: what axe finds, in both themes, on desk and phone, with every dialog open.

import AxeBuilder from "@axe-core/playwright";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launch, openScene, openStudio, settled, showPath } from "./browser.ts";

let browser: Browser;
beforeAll(async () => { browser = await launch(); });
afterAll(() => browser.close());

/** Violations that shut somebody out, with where. */
async function violations(page: Page): Promise<string[]> {
  const { violations: found } = await new AxeBuilder({ page }).withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]).analyze();
  return found
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.join(" ")}: ${node.failureSummary ?? ""}`));
}

describe.each(["light", "dark"] as const)("in the %s theme", (colorScheme) => {
  test("the page, its panels and its dialogs have no serious violation", async () => {
    const { page, close } = await openStudio(browser, { colorScheme });
    await openScene(page, "chain-2d");
    await page.getByRole("button", { name: /Add a solver/ }).click();
    await settled(page);
    const closed = page.locator(".section:not([open]) > summary");
    while (await closed.count() > 0) await closed.first().click();
    expect(await violations(page), "page").toEqual([]);
    await openScene(page, "arm7");
    expect(await violations(page), "robot arm").toEqual([]);
    await showPath(page);
    expect(await violations(page), "path").toEqual([]);
    await page.locator("#panel-tab-learn").click();
    await page.locator(".contents-item").first().click();
    expect(await violations(page), "learn").toEqual([]);
    for (const key of ["?", "s", "x"]) {
      await page.keyboard.press(key);
      await page.getByRole("dialog").waitFor();
      expect(await violations(page), `dialog of ${key}`).toEqual([]);
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
    }
    await page.locator(".brand").click();
    expect(await violations(page), "about").toEqual([]);
    await close();
  });

  test("a phone has no serious violation and no sideways scrolling", async () => {
    const { page, close } = await openStudio(browser, { colorScheme, viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });
    for (const tab of ["scenes", "solve", "time", "learn"]) {
      await page.locator(`#sheet-tab-${tab}`).click();
      expect(await violations(page), tab).toEqual([]);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      expect(overflow, tab).toBeLessThanOrEqual(0);
    }
    await page.locator("#sheet-tab-solve").click();
    const reset = page.getByRole("button", { name: "Reset to the original scene" });
    expect(await reset.count(), "one way back").toBe(1);
    await page.evaluate(() => { globalThis.posekitSession.moveHandle("target:0", { position: [0.2, 0.3, 0] }); });
    await reset.click();
    expect(await page.evaluate(() => globalThis.posekitSession.canUndo.value)).toBe("Back to the scene");
    await close();
  });
});

test("the focus can be seen wherever it goes", async () => {
  const { page, close } = await openStudio(browser);
  for (let tab = 0; tab < 50; tab += 1) {
    await page.keyboard.press("Tab");
    const seen = await page.evaluate(() => {
      const element = document.activeElement;
      if (!element || element === document.body) return true;
      if (element.matches(".handle")) return getComputedStyle(document.querySelector(".handle-caption") ?? element).display !== "none";
      const shown = element.matches(".switch input") ? element.nextElementSibling ?? element : element;
      const style = getComputedStyle(shown);
      return style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
    });
    expect(seen, await page.evaluate(() => document.activeElement?.outerHTML.slice(0, 120) ?? "")).toBe(true);
  }
  await close();
});
