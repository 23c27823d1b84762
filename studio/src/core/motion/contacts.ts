//! Contacts as the timeline edits them, and their file.

import type { Quat, Vec3 } from "../files.ts";
import { add, multiply, rotate, rotationAt, scale, sub, vectorAt } from "../math.ts";
import type { ContactEntry, MotionInfo, ShownMotion } from "./types.ts";

const SCHEMA = "posekit.contacts/1";

export function contactsText(contacts: readonly ContactEntry[]): string {
  const lines = contacts.map((contact) => `    ${JSON.stringify(contact)}`);
  return `{ "schema": "${SCHEMA}",\n  "contacts": [${lines.length > 0 ? `\n${lines.join(",\n")} ` : ""}] }\n`;
}

/** Contacts of a text that the library has written or accepted. */
export function contactsOf(text: string): ContactEntry[] {
  return (JSON.parse(text) as { contacts: ContactEntry[] }).contacts;
}

/** The frame nearest to a time, among those that there are. */
export function frameAt(info: MotionInfo, time: number): number {
  return Math.min(info.nFrames - 1, Math.max(0, Math.round((time - info.start) / info.frameTime)));
}

export function timeOf(info: MotionInfo, frame: number): number {
  return info.start + frame * info.frameTime;
}

/** The same contact from one time to another: an end that moves goes to a frame, one that does not stays where it is, between frames too. */
export function withSpan(contact: ContactEntry, from: number, to: number, info: MotionInfo): ContactEntry {
  const first = from === contact.from ? from : timeOf(info, frameAt(info, from));
  const last = to === contact.to ? to : timeOf(info, frameAt(info, to));
  return { ...contact, from: Math.min(first, last), to: Math.max(first, last) };
}

/** How long a contact is that is set with one click [s]. */
const USUAL_LENGTH = 0.4;

/** A contact of a joint around a time, as long as usual, or as there is room for between its neighbours. */
export function contactAround(joint: string, time: number, contacts: readonly ContactEntry[], info: MotionInfo): ContactEntry | null {
  const own = contacts.filter((contact) => contact.joint === joint);
  if (own.some(({ from, to }) => from <= time && time <= to)) return null;
  const least = Math.max(info.start, ...own.filter(({ to }) => to < time).map(({ to }) => to + 2 * info.frameTime));
  const most = Math.min(timeOf(info, info.nFrames - 1), ...own.filter(({ from }) => from > time).map(({ from }) => from - 2 * info.frameTime));
  // Times are rounded: a millionth of a frame too little is room enough.
  if (most < least - 1e-6 * info.frameTime) return null;
  const from = Math.max(least, time - USUAL_LENGTH / 2);
  return withSpan({ joint, from, to: from, hold: "position" }, from, Math.min(most, time + USUAL_LENGTH / 2), info);
}

// ------------------------------------------------------------------------------------------------------------- where it is

/** A place and a rotation. */
interface Pose {
  at: Vec3;
  rotation: Quat;
}

const WORLD: Pose = { at: [0, 0, 0], rotation: [0, 0, 0, 1] };

/** The world of a contact at a time: under an in-place walk it goes back. */
function worldAt({ info, report }: ShownMotion, time: number): Pose {
  const ahead = report.walk[frameAt(info, time)];
  return ahead ? { ...WORLD, at: scale(ahead, -1) } : WORLD;
}

/** `b`, which is seen from `a`, in the world. */
function placed(a: Pose, b: Pose): Pose {
  return { at: add(a.at, rotate(a.rotation, b.at)), rotation: multiply(a.rotation, b.rotation) };
}

/** `b`, which is in the world, as seen from `a`. */
function seen(a: Pose, b: Pose): Pose {
  const [x, y, z, w] = a.rotation;
  const back: Quat = [-x, -y, -z, w];
  return { at: rotate(back, sub(b.at, a.at)), rotation: multiply(back, b.rotation) };
}

const middleOf = ({ from, to }: ContactEntry): number => 0.5 * (from + to);

/** Where a joint is in the result, in which contacts hold already. */
function jointAt({ info, result }: ShownMotion, name: string, time: number): Pose {
  const joint = info.joints.findIndex((each) => each.name === name);
  const index = frameAt(info, time) * info.joints.length + Math.max(0, joint);
  return { at: vectorAt(result, index, 7), rotation: rotationAt(result, index) };
}

/** What a contact is on at a time. */
function supportAt({ on }: ContactEntry, shown: ShownMotion, time: number): Pose {
  const world = worldAt(shown, time);
  if (on === undefined) return world;
  if (typeof on === "string") return jointAt(shown, on, time);
  const next = on.findIndex((key) => key.time > time);
  const after = on[next < 0 ? on.length - 1 : next];
  const before = on[next < 0 ? on.length - 1 : Math.max(0, next - 1)];
  if (!before || !after) return world;
  const part = after.time > before.time ? Math.max(0, (time - before.time) / (after.time - before.time)) : 0;
  return placed(world, { at: add(scale(before.at, 1 - part), scale(after.at, part)), rotation: between(before.rotation ?? WORLD.rotation, after.rotation ?? WORLD.rotation, part) });
}

function between(a: Quat, b: Quat, part: number): Quat {
  const side = a.reduce((sum, value, k) => sum + value * (b[k] ?? 0), 0) < 0 ? -1 : 1;
  const mixed = a.map((value, k) => (1 - part) * value + part * side * (b[k] ?? 0)) as Quat;
  const size = Math.hypot(...mixed);
  return mixed.map((value) => value / size) as Quat;
}

/** What a contact holds, seen from what it is on; what it leaves open as it is in the middle of its time. */
function heldOn(contact: ContactEntry, shown: ShownMotion): Pose {
  const { at, rotation } = contact;
  const time = middleOf(contact);
  const frame: Pose = { at: contact.point ?? WORLD.at, rotation: contact.turn ?? WORLD.rotation };
  const measured = seen(supportAt(contact, shown, time), placed(jointAt(shown, contact.joint, time), frame));
  return { at: at ?? measured.at, rotation: rotation ?? measured.rotation };
}

/** Within its time. */
function within({ from, to }: ContactEntry, time: number): number {
  return Math.min(to, Math.max(from, time));
}

/** Where a contact holds, in the world, at a time or the nearest one of its own. */
export function placeOf(contact: ContactEntry, shown: ShownMotion, time: number): Vec3 {
  return placed(supportAt(contact, shown, within(contact, time)), heldOn(contact, shown)).at;
}

/** The same contact, held at another place in the world at a time. */
export function withPlace(contact: ContactEntry, place: Vec3, shown: ShownMotion, time: number): ContactEntry {
  const { at } = seen(supportAt(contact, shown, within(contact, time)), { at: place, rotation: WORLD.rotation });
  return contact.hold === "pose" ? { ...contact, at, rotation: heldOn(contact, shown).rotation } : { ...contact, at };
}

/** The same contact of another kind, where it is. */
export function withHold(contact: ContactEntry, hold: ContactEntry["hold"], shown: ShownMotion): ContactEntry {
  const { at: given, rotation: _rotation, normal: _normal, ...rest } = contact;
  const { at, rotation } = heldOn(contact, shown);
  const [, floor] = shown.report.floor;
  switch (hold) {
    case "position": return { ...rest, hold, ...(given ? { at: given } : {}) };
    case "pose": return given ? { ...rest, hold, at, rotation } : { ...rest, hold };
    case "surface": return { ...rest, hold, at, normal: seen({ ...supportAt(contact, shown, middleOf(contact)), at: WORLD.at }, { at: floor, rotation: WORLD.rotation }).at };
  }
}

/** The same contact on something else, where it is in the middle of its time. */
export function withSupport(contact: ContactEntry, on: string | undefined, shown: ShownMotion): ContactEntry {
  const { at: given, rotation: turned, normal, on: _on, ...rest } = contact;
  const moved: ContactEntry = on === undefined ? rest : { ...rest, on };
  const time = middleOf(contact);
  const [before, after] = [contact, moved].map((each) => supportAt(each, shown, time)) as [Pose, Pose];
  const { at, rotation } = seen(after, placed(before, heldOn(contact, shown)));
  const along = (normal: Vec3): Vec3 => seen({ ...after, at: WORLD.at }, { at: rotate(before.rotation, normal), rotation: WORLD.rotation }).at;
  return { ...moved, ...(given ? { at } : {}), ...(turned ? { rotation } : {}), ...(normal ? { normal: along(normal) } : {}) };
}

/** The joints that a contact may be on: those that do not hang on what it holds. */
export function supportsOf({ joint }: ContactEntry, info: MotionInfo): string[] {
  const hangs = info.joints.map(() => false);
  info.joints.forEach(({ name, parent }, index) => { hangs[index] = name === joint || (hangs[parent] ?? false); });
  return info.joints.filter((_, index) => !hangs[index]).map(({ name }) => name);
}

/** A row of the timeline: a joint that can hold. */
export interface Row {
  joint: number;
  label: string;
}

/** Heel and ball of each foot, and whatever else holds something. */
export function rowsOf(info: MotionInfo, contacts: readonly ContactEntry[]): Row[] {
  const rows: Row[] = [];
  const add = (joint: number, label: string) => { if (!rows.some((row) => row.joint === joint)) rows.push({ joint, label }); };
  const name = (joint: number) => info.joints[joint]?.name ?? "";
  // With more than two legs, left and right do not say which.
  const isPair = info.legs.length <= 2 && info.legs.every(({ side }) => side !== "middle");
  for (const leg of info.legs) {
    const side = leg.side === "left" ? "Left" : "Right";
    add(leg.end, isPair ? `${side} ${leg.ball === null ? "foot" : "heel"}` : name(leg.end));
    if (leg.ball !== null) add(leg.ball, isPair ? `${side} ball` : name(leg.ball));
  }
  for (const { joint } of contacts) {
    const index = info.joints.findIndex(({ name }) => name === joint);
    if (index >= 0) add(index, joint);
  }
  return rows;
}
