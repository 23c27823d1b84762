import { expect, test } from "vitest";
import { Pace } from "./pace.ts";

/** Frames this far apart. */
function run(pace: Pace, from: number, apart: number, n: number): number {
  let now = from;
  for (let i = 0; i < n; i++) {
    now += apart;
    pace.tick(now);
  }
  return now;
}

test("slow frames get fewer pixels, and all of them at rest", () => {
  const pace = new Pace();
  const now = run(pace, 0, 50, 40);
  expect(pace.share).toBe(0.5);
  pace.settle();
  expect(pace.share).toBe(1);
  // What was learnt holds for the next drag.
  run(pace, now + 1000, 50, 3);
  expect(pace.share).toBe(0.5);
});

test("quick frames keep every pixel", () => {
  const pace = new Pace();
  run(pace, 0, 16.7, 200);
  expect(pace.share).toBe(1);
});

test("a screen of 50 a second and a late frame now and then keep every pixel", () => {
  const pace = new Pace();
  const now = run(pace, 0, 20, 200);
  for (let i = 0; i < 60; i++) pace.tick(run(pace, now + 117 * i, 16.7, 5) + 33.4);
  expect(pace.share).toBe(1);
});

test("forty pictures a second are too few", () => {
  const pace = new Pace();
  run(pace, 0, 25, 40);
  expect(pace.share).toBe(0.5);
});

test("after a hitch the pixels come back on a screen of 60 a second", () => {
  const pace = new Pace();
  const now = run(pace, 0, 50, 40);
  run(pace, now, 16.7, 400);
  expect(pace.share).toBe(1);
});

test("what was too much is tried ever more seldom", () => {
  const pace = new Pace();
  let now = run(pace, 0, 50, 40);
  let slow = 0;
  for (let i = 0; i < 5000; i++) {
    const apart = pace.share > 0.5 ? 40 : 16.7;
    if (apart === 40) slow += 1;
    now += apart;
    pace.tick(now);
  }
  expect(slow).toBeGreaterThan(6);
  expect(slow).toBeLessThan(120);
});

test("what is held is not drawn in full between late frames", () => {
  const pace = new Pace();
  const now = run(pace, 0, 50, 40);
  pace.settle();
  pace.hold(true);
  expect(pace.share).toBe(0.5);
  // Each comes later than the picture would rest.
  for (let k = 1; k <= 10; k++) {
    pace.tick(now + 400 * k);
    pace.settle();
    expect(pace.share).toBe(0.5);
  }
  pace.hold(false);
  pace.settle();
  expect(pace.share).toBe(1);
});

test("frames now and then are not slow ones", () => {
  const pace = new Pace();
  run(pace, 0, 1000, 20);
  expect(pace.share).toBe(1);
});
