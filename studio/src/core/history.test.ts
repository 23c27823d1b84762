import { describe, expect, it } from "vitest";
import { History } from "./history.ts";
import type { StudioDocument } from "./types.ts";
import { sceneDocument } from "./scenes/index.ts";

const titled = (title: string) => ({ ...sceneDocument("limb-2d"), title });

describe("history", () => {
  it("steps back and forth through documents", () => {
    const [a, b, c] = [titled("a"), titled("b"), titled("c")];
    const history = new History(a);
    expect([history.undoLabel, history.redoLabel]).toEqual([null, null]);
    history.commit(b, "to b");
    history.commit(c, "to c");
    expect(history.undo()).toBe(b);
    expect([history.undoLabel, history.redoLabel]).toEqual(["to b", "to c"]);
    expect(history.undo()).toBe(a);
    expect(history.undo()).toBe(a);
    expect(history.redo()).toBe(b);
    history.commit(a, "away");
    expect(history.redoLabel).toBeNull();
    expect(history.undo()).toBe(b);
  });

  it("makes one entry of a drag, and two of two drags", () => {
    const history = new History(titled("a"));
    for (let index = 0; index < 50; index += 1) history.commit(titled(`b${index}`), "drag", "drag:1");
    history.seal();
    history.commit(titled("c"), "drag", "drag:1");
    expect(history.length).toBe(3);
    expect(history.undo().title).toBe("b49");
    expect(history.undo().title).toBe("a");
    history.redo();
    // What comes after a step through time never joins what was before it.
    history.commit(titled("d"), "drag", "drag:1");
    expect(history.undo().title).toBe("b49");
  });

  it("keeps what stands aside for as long as it can be gone back to, and no longer", () => {
    const file = { size: 5000 };
    const history = new History<StudioDocument, typeof file>(titled("a"), 30_000);
    history.commit(titled("b"), "open", null, file);
    history.commit(titled("c"), "rename");
    expect(history.aside).toBe(file);
    history.commit(titled("d"), "open", null, null);
    expect([history.aside, (history.undo(), history.aside), (history.undo(), history.aside), (history.undo(), history.aside)]).toEqual([null, file, file, null]);
    expect((history.redo(), history.aside)).toBe(file);
    // Its bytes count: many of them push the oldest out.
    for (let index = 0; index < 20; index += 1) history.commit(titled(`e${index}`), "open", null, { size: 5000 });
    expect(history.length).toBeLessThan(8);
  });

  it("changes nothing by a document that is the same", () => {
    const a = titled("a");
    const history = new History(a);
    history.commit(a, "nothing");
    expect(history.undoLabel).toBeNull();
  });

  it("drops a refused document, and amends one", () => {
    const history = new History(titled("a"));
    history.commit(titled("bad"), "bad");
    expect(history.drop().title).toBe("a");
    expect([history.undoLabel, history.redoLabel]).toEqual([null, null]);
    history.amend(titled("looked at"));
    expect([history.document.title, history.undoLabel]).toEqual(["looked at", null]);
  });

  it("keeps within its bounds by forgetting the oldest", () => {
    const history = new History(titled("a"), 20_000);
    for (let index = 0; index < 100; index += 1) history.commit(titled("x".repeat(1000) + String(index)), "write");
    expect(history.length).toBeLessThan(25);
    expect(history.document.title.endsWith("99")).toBe(true);
    for (let index = 0; index < 200; index += 1) history.undo();
    expect(history.undoLabel).toBeNull();
  });

  it("counts what documents share only once", () => {
    const figure = sceneDocument("figure");
    const history = new History(figure, 100_000);
    for (let index = 0; index < 50; index += 1) history.commit({ ...history.document, title: String(index) }, "rename");
    expect(history.length).toBe(51);
  });
});
