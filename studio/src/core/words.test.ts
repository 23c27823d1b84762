import { expect, test } from "vitest";
import { framesWord } from "./words.ts";

test("rates are not rounded, and a single frame has none", () => {
  expect(framesWord(1, 1 / 60)).toBe("one frame");
  expect(framesWord(300, 1 / 30)).toBe("300 frames, 30 fps");
  expect(framesWord(300, 1001 / 30000)).toBe("300 frames, 29.97 fps");
  expect(framesWord(2752, 0.0083333)).toBe("2752 frames, 120 fps");
});
