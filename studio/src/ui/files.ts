//! Files that are dropped or chosen, on their way to the session.

import type { Session } from "../core/types.ts";
import { isMotion, leaveMotion, motion, openMotion } from "./motion/desk.ts";
import { tell } from "./page.ts";

/** Above this a browser would be busy for seconds, and no skeleton is that large. */
const LARGEST = 64 * 1024 * 1024;

/** Opens the first of the files; says what became of the others. */
export async function openFiles(session: Session, files: File[]): Promise<void> {
  const [first, ...others] = files;
  if (!first) return;
  if (others.length > 0) tell("info", `Opened only the first of ${files.length} files: ${first.name}`, "Drop one file at a time.");
  if (first.size > LARGEST) {
    tell("error", `${first.name} is too large: ${Math.round(first.size / 1048576)} MB`, "Files may have up to 64 MB. Meshes and textures are not needed.");
    return;
  }
  const bytes = await read(first);
  if (bytes) await open(session, first.name, bytes);
}

/** To the scene that it is meant for: motions to theirs, and while that is open characters and contacts too. */
async function open(session: Session, name: string, bytes: Uint8Array): Promise<void> {
  const text = () => new TextDecoder().decode(bytes);
  if (isMotion.peek() && /\.json$/i.test(name) && text().includes("posekit.contacts/")) {
    await motion().loadContacts(name, text());
  } else if (/\.(bvh|vrma)$/i.test(name) || (isMotion.peek() && !/\.(json|urdf|xml)$/i.test(name))) {
    await openMotion(false).loadFile(name, bytes);
    motion().begin();
  } else {
    leaveMotion();
    await session.loadFile(name, bytes);
  }
}

async function read(file: File): Promise<Uint8Array | null> {
  try {
    return new Uint8Array(await file.arrayBuffer());
  } catch {
    tell("error", `${file.name} cannot be read`, "Folders cannot be opened; choose a file in them.");
    return null;
  }
}
