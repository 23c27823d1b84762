import { expect, it } from "vitest";
import { LinkError, pack } from "../link.ts";
import { decodeMotionLink, encodeMotionLink, isMotionLink, isSameFile, ownFile } from "./link.ts";
import { FIRST } from "./settings.ts";
import type { LinkedMotion } from "./types.ts";

const linked: LinkedMotion = {
  version: 1,
  title: "Žluťoučký <script> \u{1f9be} ",
  file: { name: "ruka.bvh", size: 12, print: "0123456789abcdef" },
  clip: 3,
  frame: 112,
  settings: { ...FIRST, ease: 0.1 + 0.2 },
  contacts: [{ joint: "LeftFoot", from: 0.1, to: 1 / 3, hold: "position", at: [1, 2, 3] }],
  keys: [{ time: 1e-3, q: [Math.PI, -0, 1e-300] }],
  view: { compare: "side", trails: false, skin: true, colours: false, follow: true, camera: { position: [1, 2, 3], target: [0, 0, 0], zoom: 1 } },
};

it("carries a motion, number by number", () => {
  const hash = encodeMotionLink(linked);
  expect(isMotionLink(hash)).toBe(true);
  expect(hash).toMatch(/^#m1\.[\w-]+$/);
  // JSON has no negative zero.
  expect(decodeMotionLink(hash)).toEqual({ ...linked, keys: [{ time: 1e-3, q: [Math.PI, 0, 1e-300] }] });
});

it("says what is wrong with a link", () => {
  const wrong: [unknown, RegExp][] = [
    [null, /motion is missing/],
    [{ ...linked, version: 2 }, /version 2/],
    [{ ...linked, file: "run" }, /file is missing/],
    [{ ...linked, file: { name: "a.bvh" } }, /fingerprint/],
    [{ ...linked, clip: -1 }, /clip/],
    [{ ...linked, frame: 0.5 }, /frame/],
    [{ ...linked, settings: { ...FIRST, ease: null } }, /ease/],
    [{ ...linked, settings: { ...FIRST, floor: "lava" } }, /no floor "lava"/],
    [{ ...linked, contacts: [{ joint: "a", from: "0", to: 1 }] }, /contact/],
    [{ ...linked, keys: [{ time: 0, q: ["0"] }] }, /pose/],
    [{ ...linked, keys: [{ time: 0, q: [0], interpolation: "bezier" }] }, /interpolation/],
    [{ ...linked, view: { ...linked.view, compare: "both" } }, /no comparison "both"/],
    [{ ...linked, view: { ...linked.view, camera: { position: [1] } } }, /camera/],
  ];
  for (const [value, message] of wrong) {
    expect(() => decodeMotionLink(pack("#m1.", value)), String(message)).toThrow(LinkError);
    expect(() => decodeMotionLink(pack("#m1.", value))).toThrow(message);
  }
  expect(() => decodeMotionLink("#m1.x y")).toThrow(/invalid characters/);
});

it("knows a file again, whatever its name", () => {
  const bytes = Uint8Array.from({ length: 1000 }, (_, i) => (i * i) % 251);
  const file = ownFile("a.bvh", bytes);
  expect(isSameFile(file, bytes.slice())).toBe(true);
  bytes[999] = (bytes[999] ?? 0) ^ 1;
  expect(isSameFile(file, bytes)).toBe(false);
  expect(isSameFile(file, bytes.slice(1))).toBe(false);
});
