import { beforeAll, describe, expect, it } from "vitest";
import { Problem } from "posekit/robots";
import { hasPackage, loadLibrary } from "../testing.ts";
import { checkDocument } from "../document.ts";
import { SCENES, sceneDocument, withOption } from "./index.ts";
import type { StudioDocument } from "../types.ts";
import { settingsFor } from "../settings.ts";

const read = ({ problem, urdf }: StudioDocument) => Problem.fromJson(JSON.stringify(problem), urdf);

it("builds documents that pass the checks of links", () => {
  for (const { id } of SCENES) {
    const document = sceneDocument(id);
    expect(checkDocument(JSON.parse(JSON.stringify(document)), (message) => new Error(message))).toEqual(document);
  }
});

it("keeps a target that was moved when an option changes, and no other", () => {
  const document = sceneDocument("rope");
  const longer = withOption(document, "segments", 80);
  expect(longer.problem).toMatchObject({ target: [0.55, 0.25] });
  const moved = { ...document, problem: { ...document.problem, target: [0.1, 0.2] } } as StudioDocument;
  expect(withOption(moved, "segments", 80).problem).toMatchObject({ target: [0.1, 0.2] });
});

describe.skipIf(!hasPackage)("with the library", () => {
  beforeAll(loadLibrary);

  for (const { id, options } of SCENES) {
    it(`${id} loads without a warning and its solvers fit`, () => {
      const document = sceneDocument(id);
      const problem = read(document);
      expect(problem.warnings()).toEqual([]);
      for (const run of document.runs) {
        expect(problem.methods()).toContain(run.method);
        const solver = problem.solver();
        solver.begin(run.method, JSON.stringify(settingsFor(run.method, run.settings)));
        solver.run();
        const line = `${id} ${run.method} ${solver.method} ${solver.status} ${solver.iterations} it, error ${solver.error.toExponential(1)} of ${problem.nJoints}`;
        if (process.env["SHOW"]) process.stdout.write(`${line}\n`);
        const isClassic = run.settings.classic === true;
        if (isClassic) expect(solver.status, line).not.toBe("reached");
        // Relaxation runs itself to the end, and is slow on long chains.
        else expect(run.method === "relaxation" ? ["reached", "iteration-limit"] : ["reached"], line).toContain(solver.status);
      }
    });

    it(`${id} loads with every choice at its ends`, () => {
      for (const option of options) {
        const values = option.kind === "range" ? [option.min, option.max] : option.kind === "switch" ? [true, false] : option.choices.map(({ value }) => value);
        for (const value of values) {
          const problem = read(sceneDocument(id, { [option.name]: value }));
          expect(problem.warnings(), `${option.name} ${value}`).toEqual([]);
        }
      }
    });
  }
});
