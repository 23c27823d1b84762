import { expect, it } from "vitest";
import { placed } from "./place.ts";

it("tells a place once, beside what is wrong", () => {
  expect(placed("line 4, column 11, byte 29: the file ends", { line: 4, column: 11 })).toEqual({ what: "the file ends", where: "line 4, column 11" });
  expect(placed("Frames, line 128, column 12: 7 rows follow", { line: 128, column: 12 })).toEqual({ what: "Frames: 7 rows follow", where: "line 128, column 12" });
  expect(placed("no such joint", { line: 2 })).toEqual({ what: "no such joint", where: "line 2" });
  expect(placed("tip: line 3 is short", {})).toEqual({ what: "tip: line 3 is short", where: undefined });
});
