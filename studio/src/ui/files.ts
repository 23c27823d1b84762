//! Files that are dropped or chosen, on their way to the session.

import { isMjcf } from "../core/files.ts";
import { messageOf } from "../core/orders.ts";
import type { Session } from "../core/types.ts";
import { unpacked, type Dropped } from "./folder.ts";
import { isMotion, leaveMotion, motion, openMotion } from "./motion/desk.ts";
import { tell } from "./page.ts";

/** Above this a browser would be busy for seconds, and no skeleton is that large. */
const LARGEST = 64 * 1024 * 1024;

/** More files than this belong to a folder, not to one figure. */
const MOST_FILES = 4;

/** What a robot is drawn with, and what is known of its groups. */
const BESIDE = /\.(stl|dae|obj|glb|gltf|srdf)$/i;

/** Opens what was dropped: a robot with its meshes, meshes for the robot on show, or one file, for which the others are kept because it may name them. */
export async function openFiles(session: Session, dropped: readonly Dropped[]): Promise<void> {
  const files = await unpacked(dropped).catch(messageOf);
  if (typeof files === "string") {
    tell("error", `The ZIP cannot be unpacked: ${files}`, "Unpack it yourself and drop the folder.");
    return;
  }
  const json = files.find(({ path }) => /\.json$/i.test(path));
  // A JSON in the folder of a robot is no problem file.
  const problem = files.length <= MOST_FILES ? json : undefined;
  const robots = problem !== undefined || files.length === 1 ? [] : await robotsOf(files);
  const [robot] = robots;
  if (robot) await openRobot(session, robot, robots.length, files);
  else if (problem === undefined && areMeshes(session, files)) session.addFiles(await readAll(files));
  else await openOne(session, json ?? files[0], files);
}

/** The robots in a folder, the one to open first: URDF before MJCF, and of those none that only puts a scene around another. */
async function robotsOf(files: readonly Dropped[]): Promise<Dropped[]> {
  const urdfs = files.filter(({ path }) => /\.urdf$/i.test(path));
  if (urdfs.length > 0) return urdfs.sort(byPath);
  const models: Dropped[] = [];
  for (const file of files) {
    if (!/\.(xml|mjcf)$/i.test(file.path) || file.size > LARGEST) continue;
    const text = new TextDecoder().decode(await file.read());
    if (isMjcf(text) && !text.includes("<include")) models.push(file);
  }
  return models.sort(byPath);
}

function byPath(a: Dropped, b: Dropped): number {
  return a.path.split("/").length - b.path.split("/").length || (a.path < b.path ? -1 : 1);
}

async function openRobot(session: Session, robot: Dropped, count: number, files: readonly Dropped[]): Promise<void> {
  const bytes = await read(robot);
  if (!bytes) return;
  const beside = await readAll(files.filter(({ path }) => BESIDE.test(path)));
  leaveMotion();
  if (await session.loadFile(robot.name, bytes, beside) && count > 1) tell("info", `Opened one of ${count} robots: ${robot.path}`, "Drop another one together with its meshes to see that.");
}

/** Meshes and an SRDF for the robot on show; a GLB alone is a character. */
function areMeshes(session: Session, files: readonly Dropped[]): boolean {
  const wants = session.robot.look.peek()?.visuals.some(({ kind }) => kind === "mesh") ?? false;
  const areBeside = files.every(({ path }) => BESIDE.test(path));
  return wants && !isMotion.peek() && areBeside && !files.every(({ path }) => /\.(glb|gltf)$/i.test(path));
}

async function readAll(files: readonly Dropped[]): Promise<Map<string, Uint8Array>> {
  const all = new Map<string, Uint8Array>();
  for (const file of files) {
    const bytes = await read(file);
    if (bytes) all.set(file.path, bytes);
  }
  return all;
}

async function openOne(session: Session, main: Dropped | undefined, files: readonly Dropped[]): Promise<void> {
  if (!main) return;
  const others = files.filter((file) => file !== main);
  const isProblem = /\.json$/i.test(main.path);
  if (others.length > 0 && (!isProblem || files.length > MOST_FILES)) {
    tell("info", `Opened only one of ${files.length} files: ${main.name}`, "Drop one file at a time, a problem together with the file that it names, or a robot's folder.");
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
  } else if (/\.(bvh|vrma)$/i.test(name) || (isMotion.peek() && !/\.(json|urdf|xml|mjcf)$/i.test(name))) {
    await openMotion(false).loadFile(name, bytes);
    motion().begin();
  } else {
    leaveMotion();
    await session.loadFile(name, bytes);
  }
}

async function read(file: Dropped): Promise<Uint8Array | null> {
  if (file.size > LARGEST) {
    tell("error", `${file.name} is too large: ${Math.round(file.size / 1048576)} MB`, "Files may have up to 64 MB.");
    return null;
  }
  try {
    return await file.read();
  } catch {
    tell("error", `${file.name} cannot be read`, "Choose it again, or drop its folder.");
    return null;
  }
}
