//! The whole document in a link: JSON, deflated, in the letters that an address may have.

import { deflateSync, inflateSync, strFromU8, strToU8 } from "fflate";
import { checkDocument } from "./document.ts";
import type { StudioDocument } from "./types.ts";

/** What the hash begins with; the number is that of the encoding. */
const PREFIX = "#d1.";
/** Largest text that a link may unfold to, in bytes. */
const LARGEST = 16_000_000;

/** A link that cannot be read; the message says why. */
export class LinkError extends Error {}

/** The hash of an address that carries the document. */
export function encodeLink(document: StudioDocument): string {
  return pack(PREFIX, document);
}

/** True when a hash claims to carry a document. */
export function isLink(hash: string): boolean {
  return hash.startsWith(PREFIX);
}

/** The document of a hash. Throws [`LinkError`]. */
export function decodeLink(hash: string): StudioDocument {
  if (!isLink(hash)) throw new LinkError("This link carries no problem that this page can read.");
  return checkDocument(unpack(PREFIX, hash), linkFault);
}

/** What is wrong with what a link carries. */
export function linkFault(message: string): LinkError {
  return new LinkError(`The link is not a studio document: ${message}.`);
}

/** Any value as a hash. */
export function pack(prefix: string, value: unknown): string {
  return prefix + toBase64Url(deflateSync(strToU8(JSON.stringify(value)), { level: 9 }));
}

/** The value of a hash that begins with the prefix. Throws [`LinkError`]. */
export function unpack(prefix: string, hash: string): unknown {
  return parse(inflate(fromBase64Url(hash.slice(prefix.length))));
}

function inflate(packed: Uint8Array): string {
  const out = new Uint8Array(Math.min(LARGEST, Math.max(1024, packed.length * 1100)));
  try {
    // With a buffer of its own, nothing is allocated by what the link claims.
    return strFromU8(inflateSync(packed, { out }));
  } catch {
    throw new LinkError("The link is damaged or incomplete: copy all of it again.");
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new LinkError("The link is damaged or incomplete: copy all of it again.");
  }
}

function toBase64Url(bytes: Uint8Array): string {
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function fromBase64Url(text: string): Uint8Array {
  if (!/^[\w-]+$/.test(text)) throw new LinkError("The link contains invalid characters: copy all of it again.");
  const padded = text.replaceAll("-", "+").replaceAll("_", "/") + "===".slice((text.length + 3) % 4);
  try {
    return Uint8Array.from(atob(padded), (letter) => letter.charCodeAt(0));
  } catch {
    throw new LinkError("The link is damaged or incomplete: copy all of it again.");
  }
}
