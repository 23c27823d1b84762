import { deflateSync, strToU8 } from "fflate";
import { expect, it } from "vitest";
import { decodeLink, encodeLink, isLink, LinkError } from "./link.ts";
import { SCENES, sceneDocument } from "./scenes/index.ts";
import type { StudioDocument } from "./types.ts";

const packed = (text: string) => `#d1.${Buffer.from(deflateSync(strToU8(text))).toString("base64url")}`;

it("carries every scene, number by number", () => {
  for (const { id } of SCENES) {
    const document: StudioDocument = {
      ...sceneDocument(id),
      title: "Žluťoučký <script> \u{1f9be} ",
      perFrame: 3,
      at: 4,
      runs: [{ id: "a", method: "ccd", settings: { tolerance: 1e-9, ccd: { weights: [0.1, 0.2] } }, start: [Math.PI, 1e-300, -0.1 + 0.3], visible: false }],
      view: { showLimits: false, showTrace: true, camera: { position: [1, 2, 3], target: [0, 0, 0], zoom: 1.5 } },
    };
    const link = encodeLink(document);
    expect(isLink(link)).toBe(true);
    expect(link).toMatch(/^#d1\.[\w-]+$/);
    expect(decodeLink(link)).toEqual(document);
    expect(encodeLink(decodeLink(link))).toBe(link);
    expect(link.length, id).toBeLessThan(12_000);
  }
});

it("says what is wrong with a link", () => {
  const good = encodeLink(sceneDocument("rope"));
  const document = sceneDocument("rope");
  const wrong: [string, RegExp][] = [
    ["", /no problem/],
    ["#d9.abc", /no problem/],
    ["#d1.", /invalid characters/],
    ["#d1.a b", /invalid characters/],
    [good.slice(0, good.length / 2), /damaged/],
    [packed("not json"), /damaged/],
    [packed("[]"), /document is missing/],
    [packed('{ "version": 2 }'), /version 2/],
    [packed(JSON.stringify({ ...document, scene: "nowhere" })), /no scene "nowhere"/],
    [packed(JSON.stringify({ ...document, runs: [] })), /solvers/],
    [packed(JSON.stringify({ ...document, runs: [{ ...document.runs[0], method: "magic" }] })), /no solver "magic"/],
    [packed(JSON.stringify({ ...document, problem: { schema: "other/1" } })), /other\/1/],
    [packed(JSON.stringify({ ...document, problem: { schema: "posekit.figure/1" } })), /tasks/],
    [packed(JSON.stringify({ ...document, perFrame: 0.5 })), /perFrame/],
    [packed(JSON.stringify({ ...document, view: { ...document.view, camera: { position: [1, 2] } } })), /camera/],
    // A megabyte of zeros in a few letters unfolds no further than a bound.
    [packed("0".repeat(40_000_000)), /damaged|missing/],
  ];
  for (const [hash, message] of wrong) {
    expect(() => decodeLink(hash), hash.slice(0, 40)).toThrow(LinkError);
    expect(() => decodeLink(hash), hash.slice(0, 40)).toThrow(message);
  }
});
