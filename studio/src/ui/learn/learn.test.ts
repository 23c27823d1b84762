//! What the articles claim: their links lead somewhere, scenes end as they say, pseudo-code follows every step, figures show what their captions say.

import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { letters } from "../../../build/math-font.ts";
import { Engine } from "../../worker/engine.ts";
import { createSession } from "../../core/session.ts";
import { hasPoses, phaseAt } from "../../core/shown.ts";
import { hasPackage, loadLibrary, localWorker, until } from "../../core/testing.ts";
import { HALF_STEPS, PHASES, type RunResult, type Session, type Sketch, type SketchOrder, type StatusWord } from "../../core/types.ts";
import { ARTICLES, CHAPTERS, isArticle, isMethod, type ArticleId } from "./articles.ts";
import type { Spot } from "./drawing.tsx";
import { FIGURE_NAMES, FOLDED, framesOf, limbAt, ONE, COLD, WARM } from "./figures.tsx";
import { isShow, show, SHOWS, type ShowName } from "./shows.ts";
import { legsOf, slideOf, STANDING } from "./skate.tsx";
import { marksOf } from "./steps.tsx";
import { anglesOf } from "./triangle.tsx";

const IDS = Object.keys(ARTICLES) as ArticleId[];
const STATUSES: StatusWord[] = ["reached", "unreachable", "blocked", "stalled", "iteration-limit", "cancelled"];

const htmlOf = (id: ArticleId) => ARTICLES[id].parts.map((part) => ("html" in part ? part.html : "steps" in part ? part.steps.map(({ html }) => html).join("\n") : part.caption)).join("\n");
const named = (kind: "show" | "learn", ids: ArticleId[] = IDS) => ids.flatMap((id) => [...htmlOf(id).matchAll(new RegExp(`data-${kind}="([^"]*)"`, "g"))].map(([, name = ""]) => name));

describe("articles", () => {
  it("are all in the list, once", () => {
    expect(CHAPTERS.flatMap(({ ids }) => ids).toSorted()).toEqual(IDS.toSorted());
  });

  it("link to shows and articles that there are, and leave none out", () => {
    const shows = named("show");
    expect(shows.filter((name) => !isShow(name) && name !== "motion")).toEqual([]);
    expect(Object.keys(SHOWS).filter((name) => !shows.includes(name))).toEqual([]);
    const articles = named("learn");
    expect(articles.filter((name) => !isArticle(name))).toEqual([]);
    const figures = IDS.flatMap((id) => ARTICLES[id].parts.flatMap((part) => ("figure" in part ? [part.figure] : [])));
    expect([...new Set(figures)].toSorted()).toEqual(FIGURE_NAMES.toSorted());
  });

  it.each(IDS)("%s: formulas need no styles, and nothing of the markup is left over", (id) => {
    const html = htmlOf(id);
    expect(html).not.toMatch(/ style=/);
    expect(html.replace(/<[^>]*>/g, "")).not.toMatch(/\$|\\[a-z]|\*\*|\]\(|merror/);
    expect(ARTICLES[id].source.length).toBeGreaterThan(20);
  });

  it("have their letters, slanted ones too, in the font of formulas", () => {
    expect([..."√φ𝜑𝐉∑‖"].filter((letter) => !letters().includes(letter))).toEqual([]);
    expect(letters().length).toBeLessThan(400);
  });

  it("give every method a formula, and every method with steps its pseudo-code", () => {
    for (const id of IDS.filter(isMethod).filter((one) => one !== "auto")) expect(htmlOf(id), id).toContain('class="formula"');
    const withSteps = IDS.filter((id) => ARTICLES[id].parts.some((part) => "steps" in part));
    expect(withSteps.toSorted()).toEqual(["ccd", "direct", "fabrik", "least-squares", "relaxation", "two-bone"]);
  });

  it("mark lines of pseudo-code with phases and statuses only", () => {
    for (const id of IDS) {
      for (const part of ARTICLES[id].parts) {
        if (!("steps" in part)) continue;
        expect(part.method).toBe(id);
        const marks = part.steps.flatMap((line) => line.marks);
        expect(marks.filter((mark) => !([...PHASES, ...STATUSES, "bone:tip", "bone:root"] as string[]).includes(mark))).toEqual([]);
      }
    }
  });
});

describe("the triangle of two bones", () => {
  it("gives the angles that put the hand where it is, on either side of the elbow", () => {
    for (const [theta, phi] of [[0.4, 1.1], [-2.8, 0.3], [1.5, -2.2], [3, 0]] as const) {
      const elbow: Spot = [1 + 0.7 * Math.cos(theta), 2 + 0.7 * Math.sin(theta)];
      const hand: Spot = [elbow[0] + 0.4 * Math.cos(theta + phi), elbow[1] + 0.4 * Math.sin(theta + phi)];
      const found = anglesOf([[1, 2], elbow, hand]);
      expect(found.phi).toBeCloseTo(phi, 6);
      expect(Math.cos(found.theta - theta)).toBeCloseTo(1, 10);
      // The law of sines agrees with the tangent.
      expect(Math.sin(found.psi)).toBeCloseTo((found.b / found.L) * Math.sin(phi), 10);
    }
  });
});

const open: Session[] = [];

async function shown(name: ShowName): Promise<{ session: Session; results: RunResult[] }> {
  const session = createSession({ startWorker: () => localWorker(new Engine()), nextFrame: (then) => { setTimeout(then, 1); }, hash: "", isStill: true });
  open.push(session);
  await until(() => session.results.value.length > 0, "the first scene");
  show(session, name);
  await until(() => session.results.value.length === session.document.value.runs.length && session.results.value.every(({ id, trace, fault }) => id.startsWith("show") && (fault !== null || hasPoses(trace))), `traces of ${name}`, 20_000);
  return { session, results: session.results.value };
}

describe.skipIf(!hasPackage)("shows", () => {
  beforeAll(loadLibrary);
  afterEach(() => { for (const session of open.splice(0)) session.dispose(); });

  it.each(["reached", "unreachable", "blocked", "stalled", "iteration-limit"] as const)("%s ends so", async (status) => {
    expect((await shown(status)).results.map((result) => result.status)).toEqual([status]);
  });

  it.each(["lock-up-ccd", "lock-up-relaxation", "lock-up-fabrik"] as const)("%s: as published it stays, ours escapes, and the poses differ", async (name) => {
    const [published, ours] = (await shown(name)).results;
    expect(published?.status).not.toBe("reached");
    expect(ours).toMatchObject({ status: "reached", escapedBy: "direct" });
    expect(farthest(published, ours)).toBeGreaterThan(0.3);
  });

  it("the published CCD reaches where a limit keeps the elbow from folding back", async () => {
    expect((await shown("lock-up-limit")).results.map(({ status, escapedAt }) => [status, escapedAt])).toEqual([["reached", 0]]);
  });

  it("solvers side by side end in poses that differ, as their texts say", async () => {
    for (const name of ["direct-ccd", "regularized"] as const) {
      const { results } = await shown(name);
      expect(farthest(results[0], results[1]), name).toBeGreaterThan(0.02);
    }
    const [squares, ccd] = (await shown("least-squares-ccd")).results;
    expect(squares?.iterations).not.toBe(ccd?.iterations);
    const [regularized, exact] = (await shown("regularized")).results;
    expect(regularized?.error).toBeGreaterThan(100 * (exact?.tolerance ?? 1));
    expect(exact?.status).toBe("reached");
  });

  it("slides move, and some come to their ends", async () => {
    const { session, results } = await shown("slides");
    expect(session.info.value?.kinds.slice(0, 2)).toEqual(["prismatic", "prismatic"]);
    expect(results[0]?.status).toBe("reached");
    session.moveHandle("target:0", { position: [0.95, -0.1, 0.2] });
    await until(() => session.results.value[0]?.q !== results[0]?.q, "the move");
    expect(session.results.value[0]?.q[0]).toBeCloseTo(0.35, 6);
  });

  it.each(["ccd", "fabrik", "relaxation", "least-squares", "direct", "two-bone"] as const)("%s: every step of the trace marks a line, and different half-steps different lines", async (method) => {
    const lines = ARTICLES[method].parts.flatMap((part) => ("steps" in part ? part.steps : []));
    const { session } = await shown(`${method}-steps`);
    const trace = session.results.value[0]?.trace;
    if (!hasPoses(trace ?? null) || !trace) throw new Error("no trace");
    session.scrub(0);
    await until(() => session.cursor.value !== null, "the start");
    const seen = new Map<string, string>();
    for (let entry = 0; entry < trace.n; entry += 1) {
      session.scrub(entry);
      const marked: string[] = marksOf(session, session.results.value[0] as RunResult);
      const found = lines.flatMap(({ marks }, index) => (marks.some((mark) => marked.includes(mark)) ? [index] : []));
      const isBetween = method === "two-bone" && entry < trace.n - 1;
      if (entry > 0 && !isBetween) expect(found, `${marked.join()} at ${entry}`).not.toEqual([]);
      else expect(found).toEqual([]);
      if (HALF_STEPS.includes(phaseAt(trace, entry))) seen.set(marked[0] ?? "", found.join());
    }
    expect(new Set(seen.values()).size).toBe(seen.size);
    expect(seen.size).toBe({ ccd: 1, fabrik: 2, relaxation: 4, "least-squares": 0, direct: 0, "two-bone": 0 }[method]);
  });
});

describe.skipIf(!hasPackage)("figures", () => {
  beforeAll(loadLibrary);
  const ask = async (order: SketchOrder): Promise<Sketch> => (await new Engine().answer({ kind: "sketch", order })) as Sketch;

  it.each([["ccd", 4], ["fabrik", 3], ["relaxation", 5]] as const)("%s: every frame differs from the one before, and the last is nearer", async (method, n) => {
    const sketch = await ask(ONE[method]);
    const frames = framesOf(sketch, method);
    expect(frames.length).toBe(n);
    for (const [index, { spots, title }] of frames.entries()) if (index > 0) expect(apart(spots, frames[index - 1]?.spots ?? []), title).toBeGreaterThan(0.01);
    const target = ONE[method].targets[0] as unknown as Spot;
    const miss = (spots: Spot[] | undefined) => apart([spots?.at(-1) ?? [9, 9]], [target]);
    expect(miss(frames.at(-1)?.spots)).toBeLessThan(0.7 * miss(frames[0]?.spots));
    expect(frames.at(-1)?.isRaw).toBeUndefined();
  });

  it("relaxation: lengths are off while points are relaxed, and right in the pose read off", async () => {
    const frames = framesOf(await ask(ONE.relaxation), "relaxation");
    const off = (spots: Spot[]) => Math.max(...[1, 0.9, 0.8].map((length, bone) => Math.abs(apart([spots[bone] ?? [0, 0]], [spots[bone + 1] ?? [0, 0]]) - length)));
    for (const { spots, title } of frames.slice(1, -1)) expect(off(spots), title).toBeGreaterThan(0.005);
    expect(off(frames.at(-1)?.spots ?? [])).toBeLessThan(1e-9);
  });

  it("the lock-up: bone 2 folds back onto the line, and joint 1 changes nothing", async () => {
    const [start, folded, after] = framesOf(await ask(FOLDED), "ccd").map(({ spots }) => spots);
    expect(start?.at(-1)?.[0]).toBeCloseTo(1.7, 9);
    expect(folded?.at(-1)?.[0]).toBeCloseTo(0.3, 9);
    expect(apart(folded ?? [], after ?? [])).toBeLessThan(1e-9);
  });

  it("a warm start takes less than half of the iterations", async () => {
    const [cold, warm] = (await Promise.all([ask(COLD), ask(WARM)])).map(({ results }) => results.reduce((sum, { iterations }) => sum + iterations, 0));
    expect(warm).toBeLessThan(0.5 * (cold ?? 0));
  });

  it("keys alone let a foot slide, a solve in every frame does not", async () => {
    const legs = legsOf(await ask(STANDING));
    for (const end of [legs[0], legs.at(-1)]) if (end) expect(slideOf(end.keyed)).toBeLessThan(1e-9);
    expect(Math.max(...legs.map(({ keyed }) => slideOf(keyed)))).toBeGreaterThan(0.02);
    expect(Math.max(...legs.map(({ solved }) => slideOf(solved)))).toBeLessThan(1e-9);
  });

  it("regularization bounds how fast the elbow moves at full reach", async () => {
    const steepest = async (regularisation: number) => {
      const { results } = await ask(limbAt(regularisation));
      return Math.max(...results.slice(1).map(({ q }, index) => Math.abs((q[1] ?? 0) - (results[index]?.q[1] ?? 0))));
    };
    expect(await steepest(0.01)).toBeLessThan(0.3 * await steepest(0));
  });
});

function apart(a: readonly Spot[], b: readonly Spot[]): number {
  return Math.max(...a.map(([x, y], index) => Math.hypot(x - (b[index]?.[0] ?? 0), y - (b[index]?.[1] ?? 0))));
}

function farthest(a: RunResult | undefined, b: RunResult | undefined): number {
  return Math.max(...Array.from(a?.points ?? [], (value, index) => Math.abs(value - (b?.points[index] ?? 0))));
}
