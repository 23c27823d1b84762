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
  expect(pace.settle()).toBe(true);
  expect(pace.share).toBe(1);
  // What was learnt holds for the next drag.
  run(pace, now + 1000, 50, 3);
  expect(pace.share).toBe(0.5);
});

test("quick frames keep every pixel", () => {
  const pace = new Pace();
  run(pace, 0, 16.7, 200);
  expect(pace.share).toBe(1);
  expect(pace.settle()).toBe(false);
});

test("frames now and then are not slow ones", () => {
  const pace = new Pace();
  run(pace, 0, 1000, 20);
  expect(pace.share).toBe(1);
});
