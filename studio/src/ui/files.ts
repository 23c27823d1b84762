//! Files that are dropped or chosen, on their way to the session.

import type { Session } from "../core/types.ts";
import { isMotion, leaveMotion, motion, openMotion } from "./motion/desk.ts";
import { tell } from "./page.ts";

/** Above this a browser would be busy for seconds, and no skeleton is that large. */
const LARGEST = 64 * 1024 * 1024;

/** More files than this belong to a folder, not to one figure. */
const MOST_FILES = 4;

/** Opens one of the files: the problem, where there is one, for which the others are kept because it may name them. */
export async function openFiles(session: Session, files: File[]): Promise<void> {
  const main = files.find(({ name }) => /\.json$/i.test(name)) ?? files[0];
  if (!main) return;
  const others = files.filter((file) => file !== main);
  const isProblem = /\.json$/i.test(main.name);
  if (others.length > 0 && (!isProblem || files.length > MOST_FILES)) {
    tell("info", `Opened only one of ${files.length} files: ${main.name}`, "Drop one file at a time, or a problem together with the file that it names.");
  } else {
    for (const file of others) {
      const bytes = await read(file);
      if (bytes) session.remember(file.name, bytes);
    }
  }
  const bytes = await read(main);
  if (bytes) await open(session, main.name, bytes);
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
  if (file.size > LARGEST) {
    tell("error", `${file.name} is too large: ${Math.round(file.size / 1048576)} MB`, "Files may have up to 64 MB. Meshes and textures are not needed.");
    return null;
  }
  try {
    return new Uint8Array(await file.arrayBuffer());
  } catch {
    tell("error", `${file.name} cannot be read`, "Folders cannot be opened; choose a file in them.");
    return null;
  }
}
