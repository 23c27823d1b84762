import { readFileSync } from "node:fs";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Engine } from "../../worker/engine.ts";
import { hasPackage, loadLibrary, localWorker, until } from "../testing.ts";
import { length, sub } from "../math.ts";
import { contactAround, placeOf, rowsOf, supportsOf, timeOf, withHold, withPlace, withSpan, withSupport } from "./contacts.ts";
import { decodeMotionLink, encodeMotionLink } from "./link.ts";
import { createMotion } from "./session.ts";
import { RANGES } from "./settings.ts";
import { medianSlide } from "./slide.ts";
import type { ContactEntry, MotionInfo, MotionSession } from "./types.ts";

const WALK = readFileSync(new URL("../../../../testdata/clips/walk.bvh", import.meta.url));

describe.skipIf(!hasPackage)("the motion session", () => {
  beforeAll(loadLibrary);

  let session: MotionSession;
  let info: MotionInfo;
  let time = 0;
  let frames: (() => void)[] = [];
  beforeEach(async () => {
    time = 0;
    frames = [];
    session = createMotion({
      startWorker: () => localWorker(new Engine()),
      nextFrame: (then) => { frames.push(then); },
      now: () => time,
      fetchWalk: () => Promise.resolve(new Uint8Array(WALK)),
      isStill: true,
    });
    session.begin();
    await until(() => session.shown.value !== null, "the walk");
    await session.settled();
    info = session.shown.value?.info as MotionInfo;
  });

  const slide = () => session.shown.value && medianSlide(session.shown.value.report);
  const drift = () => slide()?.after ?? NaN;
  /** Draws a frame, so many seconds later. */
  const tick = (seconds: number) => {
    time += 1000 * seconds;
    frames.splice(0).forEach((then) => { then(); });
  };

  it("begins with the walk, cleaned by the library's own settings", () => {
    expect(drift()).toBeLessThan(1);
    expect(session.document.value.settings).toEqual(info.usual);
    expect(session.canUndo.value).toBeNull();
    for (const { name, min, max } of RANGES) {
      expect(info.usual[name], name).toBeGreaterThanOrEqual(min);
      expect(info.usual[name], name).toBeLessThanOrEqual(max);
    }
    session.undo();
    expect(session.document.value.file).not.toBe("");
  });

  it("undoes a slider that was pulled as one step, and comes to the newest value", async () => {
    for (const strength of [0.8, 0.5, 0.2, 0]) session.setSettings({ strength });
    await session.settled();
    expect(drift()).toBeGreaterThan(5);
    session.undo();
    await session.settled();
    expect(drift()).toBeLessThan(1);
    expect(session.canUndo.value).toBeNull();
    session.redo();
    await session.settled();
    expect(drift()).toBeGreaterThan(5);
  });

  it("plays by the clock, again from the beginning or to the end", () => {
    session.play();
    tick(0.2);
    expect(session.frame.value).toBe(Math.floor(0.2 / info.frameTime));
    for (let n = 0; n < 40; n += 1) tick(0.2);
    expect(session.playing.value).toBe(true);
    session.isLooping.value = false;
    for (let n = 0; n < 60; n += 1) tick(0.2);
    expect([session.playing.value, session.frame.value]).toEqual([false, info.nFrames - 1]);
  });

  it("adds, moves and removes contacts, and finds them again", async () => {
    const found = session.contacts.value;
    const [row] = rowsOf(info, found);
    if (!row) throw new Error("there are no rows");
    const own = found.filter(({ joint }) => joint === info.joints[row.joint]?.name);
    const gap = ((own[0]?.to ?? 0) + (own[1]?.from ?? 0)) / 2;
    session.addContact(row.joint, gap);
    await session.settled();
    expect(session.contacts.value).toHaveLength(found.length + 1);
    session.addContact(row.joint, gap);
    expect(session.contacts.value).toHaveLength(found.length + 1);
    session.removeContact(found.length);
    session.findContacts();
    await session.settled();
    expect(session.contacts.value).toEqual(found);
    expect(session.document.value.contacts).toBeNull();
  });

  it("changes where a contact holds, what, and what it is on, as the library has it then", async () => {
    const hand = info.joints.findIndex(({ name }) => name === "LeftHand");
    const [before, time] = [session.contacts.value.length, timeOf(info, 60)];
    session.addContact(hand, time);
    await session.settled();
    const contact = () => {
      const found = session.contacts.value[before];
      if (!found) throw new Error("there is no contact");
      return found;
    };
    /** Where the hand is at its times, as far as it is from where it should be. */
    const off = () => {
      const shown = session.shown.value;
      if (!shown) throw new Error("nothing is on show");
      const { from, to } = contact();
      return Math.max(...[from, time, to].map((at) => {
        const frame = Math.round((at - info.start) / info.frameTime);
        const index = 7 * (frame * info.joints.length + hand);
        return length(sub([0, 1, 2].map((k) => shown.result[index + k] ?? NaN) as [number, number, number], placeOf(contact(), shown, at)));
      }));
    };
    expect(off()).toBeLessThan(1e-3);
    const place = session.shown.value ? placeOf(contact(), session.shown.value, time) : [0, 0, 0] as const;
    session.changeContact(before, (old, shown) => withPlace(old, [place[0], place[1] + 6, place[2] - 4], shown, time), "Move a contact");
    await session.settled();
    expect(contact().at).toEqual([place[0], place[1] + 6, place[2] - 4]);
    expect(off()).toBeLessThan(1e-3);
    for (const hold of ["pose", "surface", "position"] as const) {
      session.changeContact(before, (old, shown) => withHold(old, hold, shown), "Change what a contact holds");
      await session.settled();
      expect(contact().hold).toBe(hold);
      expect(off(), hold).toBeLessThan(hold === "surface" ? 30 : 1e-2);
    }
    // On the hips it goes with them, and stays where it was in the middle of its time.
    expect(supportsOf(contact(), info)).not.toContain("LeftHand");
    const was = session.shown.value ? placeOf(contact(), session.shown.value, time) : [0, 0, 0] as const;
    session.changeContact(before, (old, shown) => withSupport(old, "Hips", shown), "Change what a contact is on");
    await session.settled();
    expect(contact().on).toBe("Hips");
    expect(off()).toBeLessThan(1e-2);
    const shown = session.shown.value;
    const { from, to } = contact();
    expect(shown && length(sub(placeOf(contact(), shown, (from + to) / 2), [...was]))).toBeLessThan(2);
    expect(shown && length(sub(placeOf(contact(), shown, from), placeOf(contact(), shown, to)))).toBeGreaterThan(10);
    // On something of its own that moves, as a file gives it.
    const on: ContactEntry["on"] = [{ time: from, at: [0, 0, 0] }, { time: to, at: [0, 9, 0], rotation: [0, 0.1, 0, 0.995] }];
    session.changeContact(before, (old) => ({ ...old, on, at: [...was] }), "Load");
    await session.settled();
    expect(off()).toBeLessThan(1e-2);
    session.undo();
    session.undo();
    await session.settled();
    expect(contact().on).toBeUndefined();
  });

  it("draws the contacts of an in-place walk where its feet stand, and moves them there", async () => {
    const [head = "", rows = ""] = WALK.toString("utf8").split(/(?<=Frame Time:.*\n)/);
    const inPlace = rows.split("\n").map((row) => row.replace(/^(\s*)\S+ (\S+) \S+ /, "$10 $2 0 ")).join("\n");
    expect(await session.loadFile("in-place.bvh", new TextEncoder().encode(head + inPlace))).toBe(true);
    await session.settled();
    const { shown: { value: shown }, contacts: { value: contacts } } = session;
    if (!shown) throw new Error("nothing is on show");
    expect(shown.report.walk).toHaveLength(shown.info.nFrames);
    expect(contacts.length).toBeGreaterThan(4);
    for (const contact of contacts) {
      const joint = shown.info.joints.findIndex(({ name }) => name === contact.joint);
      const foot = (time: number) => {
        const index = 7 * (Math.round((time - shown.info.start) / shown.info.frameTime) * shown.info.joints.length + joint);
        return [0, 1, 2].map((k) => shown.result[index + k] ?? NaN) as [number, number, number];
      };
      for (const time of [contact.from, contact.to]) {
        expect(length(sub(placeOf(contact, shown, time), foot(time)))).toBeLessThan(1e-2);
        expect(length(sub(placeOf(withPlace(contact, [1, 2, 3], shown, time), shown, time), [1, 2, 3]))).toBeLessThan(1e-9);
      }
    }
    const goes = contacts.map((contact) => length(sub(placeOf(contact, shown, contact.from), placeOf(contact, shown, contact.to))));
    expect(Math.max(...goes)).toBeGreaterThan(10);
  });

  it("gives a figure without a motion a length, sets keys on it, and writes them into its own file", async () => {
    const puppet = readFileSync(new URL("../../../../testdata/figures/puppet.gltf", import.meta.url));
    expect(await session.loadFile("puppet.gltf", new Uint8Array(puppet))).toBe(true);
    const shown = () => {
      const found = session.shown.value;
      if (!found) throw new Error("nothing is on show");
      return found;
    };
    expect(shown().info).toMatchObject({ stands: true, clip: 0, nFrames: 61 });
    expect(session.notices.value[0]?.hint).toContain("Set its length");
    const { id } = shown();
    session.setSeconds(1);
    await session.settled();
    expect(shown()).toMatchObject({ id, info: { nFrames: 31 } });
    session.goTo(15);
    const hand = shown().info.joints.findIndex(({ name }) => name === "LeftHand");
    session.nudge(hand, [0, 0.2, 0.1]);
    session.endPull();
    await until(() => session.document.value.keys.length === 1, "the key");
    await session.settled();
    const place = (frame: number) => [0, 1, 2].map((k) => shown().result[7 * (frame * shown().info.joints.length + hand) + k] ?? NaN) as [number, number, number];
    expect(length(sub(place(15), place(0)))).toBeCloseTo(Math.hypot(0.2, 0.1), 2);
    expect(length(sub(place(30), place(0)))).toBeLessThan(1e-6);
    const code = session.snippets().map((snippet) => snippet.code);
    expect(code[1]).toContain('write_standing("posed", 1.0, 30.0)');
    expect(code[2]).toContain('"puppet.gltf", 0, 1)');
    const written = await session.write("same");
    expect(new TextDecoder().decode(written?.bytes.subarray(0, 400))).toBe(puppet.toString("utf8", 0, 400));
    // A link keeps the length; what lies beyond a shorter one goes, and comes back with it.
    expect(session.linked().seconds).toBe(1);
    session.setSeconds(0.3);
    await session.settled();
    expect([shown().info.nFrames, session.document.value.keys.length]).toEqual([10, 0]);
    session.undo();
    await session.settled();
    expect([shown().info.nFrames, session.document.value.keys.length]).toEqual([31, 1]);
  });

  it("keeps a pose that was pulled, moves it and takes it back", async () => {
    session.goTo(40);
    const hand = info.handles.find(({ role }) => role === "hand")?.joint ?? 0;
    session.nudge(hand, [0, 20, 0]);
    session.endPull();
    await until(() => session.document.value.keys.length === 1, "the key");
    await session.settled();
    expect(drift()).toBeLessThan(1);
    const at = timeOf(info, 40);
    session.moveKey(at, timeOf(info, 44));
    expect(session.document.value.keys[0]?.time).toBe(timeOf(info, 44));
    session.undo();
    session.undo();
    await session.settled();
    expect(session.document.value.keys).toEqual([]);
  });

  it("refuses files and contacts in words, and keeps what is on show", async () => {
    const shown = session.shown.value?.id;
    expect(await session.loadFile("cut.bvh", new TextEncoder().encode("HIERARCHY\nROOT a\n{\n"))).toBe(false);
    expect(session.notices.value.at(-1)).toMatchObject({ kind: "error", where: expect.stringContaining("line") as string });
    await session.settled();
    expect(session.shown.value?.id).toBe(shown);
    expect(await session.loadContacts("x.json", '{ "schema": "posekit.contacts/1", "contacts": [ { "joint": "tail", "from": 0, "to": 1, "hold": "position" } ] }')).toBe(false);
    session.setSettings({ strength: 7 });
    await session.settled();
    expect(session.document.value.settings.strength).toBe(1);
    expect(drift()).toBeLessThan(1);
  });

  /** A session of its own, which knows no file. */
  const another = () => createMotion({ startWorker: () => localWorker(new Engine()), nextFrame: () => undefined, now: () => 0, fetchWalk: () => Promise.resolve(new Uint8Array(WALK)), isStill: true });

  it("carries all of the walk in a link", async () => {
    const hand = info.handles.find(({ role }) => role === "hand")?.joint ?? 0;
    session.setSettings({ ease: 0.2 });
    session.setContact(0, 0, 0.5);
    session.goTo(40);
    session.nudge(hand, [0, 20, 0]);
    session.endPull();
    await until(() => session.document.value.keys.length === 1, "the key");
    await session.settled();
    session.setView({ compare: "side", follow: false });
    const other = another();
    other.openLink(decodeMotionLink(encodeMotionLink(session.linked())));
    await until(() => other.shown.value !== null, "the walk of the link");
    await other.settled();
    const { file: _, ...wanted } = session.document.value;
    expect(other.document.value).toMatchObject(wanted);
    expect(other.frame.value).toBe(40);
    expect(other.shown.value?.result).toEqual(session.shown.value?.result);
    expect(other.canUndo.value).toBe("Open a link");
    other.undo();
    await other.settled();
    expect(other.document.value).toMatchObject({ contacts: null, keys: [], settings: info.usual });
    other.dispose();
  });

  it("waits for the file that a link is about, and leaves another alone", async () => {
    const mine = new Uint8Array([...WALK, 10]);
    await session.loadFile("mine.bvh", mine);
    session.removeContact(0);
    await session.settled();
    const linked = decodeMotionLink(encodeMotionLink(session.linked()));
    expect(linked.file).toMatchObject({ name: "mine.bvh", size: mine.length });
    const other = another();
    other.openLink(linked);
    other.begin();
    expect(other.awaited.value?.file).toEqual(linked.file);
    expect(other.shown.value).toBeNull();
    expect(await other.loadFile("other.bvh", new Uint8Array(WALK))).toBe(true);
    expect(other.document.value.contacts).toBeNull();
    expect(other.notices.value.at(-1)).toMatchObject({ kind: "warning", what: expect.stringContaining("other.bvh is not the file") as string });
    other.openLink(linked);
    expect(await other.loadFile("renamed.bvh", mine)).toBe(true);
    expect(other.awaited.value).toBeNull();
    expect(other.document.value.contacts).toEqual(session.document.value.contacts);
    // What is open already is not asked for.
    await other.loadFile("other.bvh", new Uint8Array(WALK));
    other.openLink(linked);
    await until(() => other.document.value.contacts !== null, "the link's contacts");
    other.dispose();
  });

  it("opens the motion alone where the library refuses what the link has set", async () => {
    const linked = session.linked();
    session.openLink({ ...linked, contacts: [{ joint: "tail", from: 0, to: 1, hold: "position" }] });
    await until(() => session.notices.value.some(({ kind }) => kind === "error"), "the refusal");
    await session.settled();
    expect(session.document.value.contacts).toBeNull();
    expect(drift()).toBeLessThan(1);
  });

  it("writes what it shows, and contacts that it reads again", async () => {
    const file = await session.write("same");
    expect(file?.name).toBe("walk-clean.bvh");
    const text = session.contactsFile().text;
    expect(await session.loadContacts("feet.json", text)).toBe(true);
    expect(drift()).toBeLessThan(1);
    expect(await session.loadFile("again.bvh", file?.bytes ?? new Uint8Array(0))).toBe(true);
    expect(slide()?.before).toBeLessThan(3);
  });
});

describe("contacts", () => {
  const info = { nFrames: 11, start: 0, frameTime: 0.1, joints: [{ name: "foot", parent: -1, turns: true, moves: false }], legs: [] } as unknown as MotionInfo;

  it("keep an end that does not move, and put the other on a frame", () => {
    const contact = { joint: "foot", from: 0.15, to: 0.5, hold: "position" as const };
    expect(withSpan(contact, 0.15, 0.68, info)).toMatchObject({ from: 0.15, to: expect.closeTo(0.7, 12) as number });
    expect(withSpan(contact, 0.15, 0.04, info)).toMatchObject({ from: 0, to: 0.15 });
  });

  it("fit between their neighbours, and not on them", () => {
    const there = [{ joint: "foot", from: 0, to: 0.3, hold: "position" as const }, { joint: "foot", from: 0.7, to: 1, hold: "position" as const }];
    expect(contactAround("foot", 0.2, there, info)).toBeNull();
    const added = contactAround("foot", 0.5, there, info);
    expect(added?.from).toBeCloseTo(0.5);
    expect(added?.to).toBeCloseTo(0.5);
    expect(contactAround("hand", 0.05, there, info)).toMatchObject({ from: 0 });
  });
});
