import { expect, test } from "vitest";
import { parseNumber, rounded, take } from "./numbers.ts";

test.each<[string, number | null]>([
  ["0.3", 0.3], ["0,3", 0.3], [" -1,25 ", -1.25], ["−2", -2], [".5", 0.5], ["5.", 5], ["1e-3", 0.001], ["+4", 4],
  ["0x10", null], ["1,000.5", null], ["1,2,3", null], ["three", null], ["3 m", null], ["", null], ["1e999", null], ["Infinity", null], ["--1", null],
])("%j", (typed, value) => { expect(parseNumber(typed)).toBe(value); });

test("what is shown as zero has no minus", () => {
  expect([-0.0004, -0.0006, 0, -1].map((value) => rounded(value, 3))).toEqual(["0.000", "-0.001", "0.000", "-1.000"]);
});

test("what is not taken as it was typed is said", () => {
  expect(take("0,3", { digits: 3 })).toEqual({ value: 0.3, note: "" });
  expect(take("12", { min: 1, max: 9, digits: 0 })).toEqual({ value: 9, note: "At most 9" });
  expect(take("-1", { min: 0, digits: 2 })).toEqual({ value: 0, note: "At least 0" });
  expect(take("2.4", { digits: 0 })).toEqual({ value: 2, note: "Whole numbers only: rounded" });
  expect(take("0x10", { digits: 3 })).toEqual({ value: null, note: "Not a number: 0x10. It stays" });
});
