import type * as THREE from "three";
import { expect, it } from "vitest";
import { Batches } from "./batches.ts";
import { makePrograms, sharedUniforms } from "./programs.ts";

it("shares no buffer between geometries, which give theirs back when rows grow", () => {
  const batches = new Batches(makePrograms(sharedUniforms()));
  const geometries = new Set([...batches.group.children, ...batches.casters.children].map((mesh) => (mesh as THREE.Mesh).geometry));
  const buffers = [...geometries].flatMap(({ attributes, index }) => [...Object.values(attributes), ...(index ? [index] : [])]);
  expect(buffers.length).toBeGreaterThan(geometries.size);
  expect(new Set(buffers).size).toBe(buffers.length);
});
