import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Engine } from "../../worker/engine.ts";
import { command, hasPackage, loadLibrary, localWorker, until, WASM } from "../testing.ts";
import { typeFaults } from "../typing.ts";
import type { Snippet } from "../types.ts";
import { createMotion } from "./session.ts";
import { motionSnippets, type MotionOrder } from "./snippets.ts";
import { FIRST } from "./settings.ts";
import type { MotionSession } from "./types.ts";

const WALK = readFileSync(new URL("../../../../testdata/clips/walk.bvh", import.meta.url));

describe.skipIf(!hasPackage)("programs", () => {
  const folder = mkdtempSync(join(tmpdir(), "posekit-motion-"));
  mkdirSync(join(folder, "node_modules"));
  if (hasPackage) symlinkSync(dirname(WASM), join(folder, "node_modules", "posekit"));
  beforeAll(loadLibrary);
  afterAll(() => { rmSync(folder, { recursive: true }); });

  async function walk(): Promise<MotionSession> {
    const session = createMotion({ startWorker: () => localWorker(new Engine()), nextFrame: () => undefined, now: () => 0, fetchWalk: () => Promise.resolve(new Uint8Array(WALK)), isStill: true });
    session.begin();
    await until(() => session.shown.value !== null, "the walk");
    await session.settled();
    return session;
  }

  const EDITS: [string, (session: MotionSession) => Promise<void>][] = [
    ["as it is opened", () => Promise.resolve()],
    ["with settings", (session) => Promise.resolve(session.setSettings({ strength: 0.6, floor: "level" }))],
    ["with a setting that the command has not", (session) => Promise.resolve(session.setSettings({ ease: 0.3, shortest: 0.1, path: false }))],
    ["with contacts on the file's own path", (session) => {
      session.setSettings({ path: false });
      session.removeContact(2);
      return Promise.resolve();
    }],
    ["with contacts", (session) => Promise.resolve(session.removeContact(2))],
    ["with a pose", async (session) => {
      session.goTo(40);
      session.nudge(session.shown.value?.info.handles.find(({ role }) => role === "hand")?.joint ?? 0, [0, 20, 0]);
      session.endPull();
      await until(() => session.document.value.keys.length === 1, "the key");
    }],
    ["with a pose that lasts until the next", async (session) => {
      session.goTo(40);
      session.nudge(session.shown.value?.info.handles.find(({ role }) => role === "hand")?.joint ?? 0, [0, 20, 0]);
      session.endPull();
      await until(() => session.document.value.keys.length === 1, "the key");
      session.goTo(60);
      await session.setKey();
      session.setInterpolation(session.document.value.keys[0]?.time ?? 0, "step");
    }],
    ["without cleaning", (session) => Promise.resolve(session.setSettings({ isOn: false }))],
  ];

  /** The snippet of a language, with the files that it reads in the folder. */
  function given(session: MotionSession, language: Snippet["language"]): Snippet {
    const found = session.snippets().find((one) => one.language === language);
    if (!found) throw new Error(`no snippet in ${language}`);
    for (const { name, text } of found.files) writeFileSync(join(folder, name), text);
    return found;
  }

  const written = () => readFileSync(join(folder, "walk-clean.bvh"), "utf8");

  it.each(EDITS)("%s: what programs write is what the page writes", async (_, edit) => {
    const session = await walk();
    await edit(session);
    await session.settled();
    const wanted = new TextDecoder().decode((await session.write("same"))?.bytes);
    writeFileSync(join(folder, "snippet.mjs"), given(session, "typescript").code);
    const printed = execFileSync("node", ["snippet.mjs"], { cwd: folder, encoding: "utf8" });
    expect(printed).toBe(`${session.shown.value?.report.changed} joints changed\n`);
    expect(written()).toBe(wanted);
    if (!command) return;
    const shell = given(session, "shell").code;
    execFileSync("sh", ["-c", `${shell.trim().replace("posekit ", `${command} `)} ${session.document.value.settings.isOn ? "--force" : ""} || test $? = 1`], { cwd: folder, stdio: "pipe" });
    // What the command cannot do, it says, and no more.
    expect(written() === wanted, shell).toBe(!shell.startsWith("#") || !session.document.value.settings.isOn);
    session.dispose();
  });

  it("writes TypeScript that the package's types allow", async () => {
    const session = await walk();
    session.removeContact(2);
    const name = join(folder, "snippet.ts");
    writeFileSync(name, given(session, "typescript").code);
    expect(typeFaults([name])).toEqual([]);
    session.dispose();
  });
});

const order: MotionOrder = {
  info: { name: "a b's.glb", format: "glb", clip: 1, clips: [{ name: "a", seconds: 1 }, { name: "b", seconds: 2 }], stands: false, nFrames: 61, frameTime: 1 / 30, usual: FIRST },
  settings: FIRST, contacts: null, keys: [], clip: 1,
};
const code = (change: Partial<MotionOrder>, language: Snippet["language"]) => motionSnippets({ ...order, ...change }).find((one) => one.language === language)?.code ?? "";

describe("words", () => {
  it("name the clip, and files with any letters", () => {
    expect(code({}, "shell")).toBe("posekit clean 'a b'\\''s.glb' -o 'a b'\\''s-clean.glb' --clip 2\n");
  });

  it("say what the command has no option for", () => {
    const shell = code({ settings: { ...FIRST, ease: 0.3 }, keys: [{ time: 0, q: [] }], contacts: [] }, "shell");
    expect(shell.match(/^# The /gm)).toHaveLength(2);
    expect(shell).toContain("ease: 0.3");
    expect(shell).toContain("--contacts 'a b'\\''s.contacts.json'");
  });

  it("are Rust with points in its numbers", () => {
    const rust = code({ settings: { ...FIRST, shortest: 5 }, keys: [{ time: 1, q: [0, -1e-7, 2.5] }] }, "rust");
    expect(rust).toContain("settings.shortest = 5.0;");
    expect(rust).toContain("layer.set(&cleaned.clip, 1.0, &[0.0, -1e-7, 2.5])?;");
    expect(rust).toContain("use posekit_motion::{CleanSettings, Layer, clean_within};");
    const steps = code({ keys: [{ time: 1, q: [0], interpolation: "step" }] }, "rust");
    expect(steps).toContain("layer.set_interpolation(1.0, Interpolation::Step);");
    expect(steps).toContain("use posekit_motion::{CleanSettings, Interpolation, Layer, clean_within};");
  });
});
