import { expect, test } from "vitest";
import { BESIDE, placeTags } from "./tag-places.ts";

const bent = (by: number) => [{ x: 0, y: 0 }, { x: 100, y: by }, { x: 200, y: 0 }];

test("a number stands at the joint that tells its run from the other, on the far side", () => {
  const runs = [{ id: "a", spots: bent(40) }, { id: "b", spots: bent(-40) }];
  expect(placeTags(runs, new Map())).toEqual([{ x: 100, y: 40 + BESIDE.away }, { x: 100, y: -40 - BESIDE.away }]);
});

test("runs with the same pose have their numbers side by side", () => {
  const runs = ["a", "b", "c"].map((id) => ({ id, spots: bent(40) }));
  const places = placeTags(runs, new Map());
  const across = places.map((place) => place?.x ?? NaN);
  expect(across).toEqual([100, 100 + BESIDE.apart, 100 + 2 * BESIDE.apart]);
});

test("a number stays where it is until another joint is much better", () => {
  const seats = new Map<string, number>();
  const show = (first: number, second: number) => placeTags([
    { id: "a", spots: [{ x: 0, y: 0 }, { x: 100, y: first }, { x: 200, y: second }] },
    { id: "b", spots: [{ x: 0, y: 0 }, { x: 100, y: 0 }, { x: 200, y: 0 }] },
  ], seats)[0]?.x;
  expect(show(30, 20)).toBe(100);
  expect(show(30, 40)).toBe(100);
  expect(show(30, 80)).toBe(200);
});

test("a run without joints has no place", () => {
  expect(placeTags([{ id: "a", spots: [] }], new Map())).toEqual([null]);
});
