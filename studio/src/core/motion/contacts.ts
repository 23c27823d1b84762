//! Contacts as the timeline edits them, and their file.

import type { ContactEntry, MotionInfo } from "./types.ts";

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
