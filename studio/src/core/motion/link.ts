//! The motion document in a link. The built-in walk is only named; of a file of one's own the link says which it was, because clips are too large for links.

import { checkCamera, isNumbers, record, show, text, type Fault } from "../document.ts";
import { linkFault, pack, unpack } from "../link.ts";
import { FIRST, FLOORS, RANGES, FADE } from "./settings.ts";
import { COMPARISONS, INTERPOLATIONS, type LinkedMotion, type OwnFile } from "./types.ts";

/** What the hash begins with; the number is that of the encoding. */
const PREFIX = "#m1.";

/** The hash of an address that carries a motion document. */
export function encodeMotionLink(linked: LinkedMotion): string {
  return pack(PREFIX, linked);
}

/** True when a hash claims to carry a motion document. */
export function isMotionLink(hash: string): boolean {
  return hash.startsWith(PREFIX);
}

/** The document of a hash; joints and times are checked by the library when they are used. Throws [`LinkError`]. */
export function decodeMotionLink(hash: string): LinkedMotion {
  return checkLinked(unpack(PREFIX, hash), linkFault);
}

/** What a link, or the browser, has kept of a motion, or the fault. */
export function checkLinked(value: unknown, fault: Fault): LinkedMotion {
  const linked = record(value, "motion", fault);
  if (linked["version"] !== 1) throw fault(`version ${show(linked["version"])} is not known here`);
  text(linked["title"], "title", fault);
  checkFile(linked["file"], fault);
  if (!isCount(linked["clip"])) throw fault("the clip is a number from 0");
  if (!isCount(linked["frame"])) throw fault("the frame is a number from 0");
  if (linked["seconds"] !== undefined && !Number.isFinite(linked["seconds"])) throw fault("the length is a number of seconds");
  checkSettings(linked["settings"], fault);
  if (linked["contacts"] !== null) checkContacts(linked["contacts"], fault);
  checkKeys(linked["keys"], fault);
  checkView(linked["view"], fault);
  return value as LinkedMotion;
}

function checkFile(value: unknown, fault: Fault): void {
  if (value === "walk") return;
  const file = record(value, "file", fault);
  text(file["name"], "the file's name", fault);
  text(file["print"], "the file's fingerprint", fault);
  if (!isCount(file["size"])) throw fault("the file's size is a number of bytes");
}

function checkSettings(value: unknown, fault: Fault): void {
  const settings = record(value, "settings", fault);
  // Links from before there was a choice.
  settings["keepEnds"] ??= FIRST.keepEnds;
  for (const [name, usual] of Object.entries(FIRST)) {
    if (typeof settings[name] !== typeof usual) throw fault(`the setting ${name} is missing`);
  }
  for (const { name } of [...RANGES, FADE]) if (!Number.isFinite(settings[name])) throw fault(`the setting ${name} is a number`);
  if (!FLOORS.some((floor) => floor.value === settings["floor"])) throw fault(`there is no floor ${show(settings["floor"])}`);
}

function checkContacts(value: unknown, fault: Fault): void {
  if (!Array.isArray(value)) throw fault("contacts are a list");
  for (const item of value) {
    const contact = record(item, "contact", fault);
    text(contact["joint"], "a contact's joint", fault);
    if (!Number.isFinite(contact["from"]) || !Number.isFinite(contact["to"])) throw fault("a contact is from one time to another");
  }
}

function checkKeys(value: unknown, fault: Fault): void {
  if (!Array.isArray(value)) throw fault("poses are a list");
  for (const item of value) {
    const key = record(item, "pose", fault);
    if (!Number.isFinite(key["time"]) || !isNumbers(key["q"])) throw fault("a pose has a time and joint values");
    const { interpolation } = key;
    if (interpolation !== undefined && !INTERPOLATIONS.some(({ value }) => value === interpolation)) throw fault(`there is no interpolation ${show(interpolation)}`);
  }
}

function checkView(value: unknown, fault: Fault): void {
  const view = record(value, "view", fault);
  if (!(COMPARISONS as readonly unknown[]).includes(view["compare"])) throw fault(`there is no comparison ${show(view["compare"])}`);
  for (const name of ["trails", "skin", "colours", "follow"]) if (typeof view[name] !== "boolean") throw fault("the view's switches are yes or no");
  if (view["camera"] !== undefined) checkCamera(view["camera"], fault);
}

function isCount(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) >= 0;
}

/** Tells files apart, also where nothing encrypts the page: a mistake is what it guards against, not a forger. */
export function ownFile(name: string, bytes: Uint8Array): OwnFile {
  // The hash of Fowler, Noll and Vo, twice with different primes.
  let [a, b] = [0x811c9dc5, 0x9747b28c];
  for (const byte of bytes) {
    a = Math.imul(a ^ byte, 0x01000193);
    b = Math.imul(b ^ byte, 0x5bd1e995);
  }
  const word = (value: number) => (value >>> 0).toString(16).padStart(8, "0");
  return { name, size: bytes.length, print: word(a) + word(b) };
}

export function isSameFile(wanted: OwnFile, bytes: Uint8Array): boolean {
  return wanted.size === bytes.length && wanted.print === ownFile("", bytes).print;
}

/** A size for people. */
export function sizeWords(bytes: number): string {
  const kilobytes = bytes / 1024;
  return kilobytes < 1000 ? `${Math.max(1, Math.round(kilobytes))} kB` : `${(kilobytes / 1024).toFixed(1)} MB`;
}
