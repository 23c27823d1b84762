import { expect, test } from "vitest";
import { framesWord } from "./words.ts";

test("rates are told as they are, and of one frame none", () => {
  expect(framesWord(1, 1 / 60)).toBe("one frame");
  expect(framesWord(300, 1 / 30)).toBe("300 frames, 30 a second");
  expect(framesWord(300, 1001 / 30000)).toBe("300 frames, 29.97 a second");
  expect(framesWord(2752, 0.0083333)).toBe("2752 frames, 120 a second");
});
