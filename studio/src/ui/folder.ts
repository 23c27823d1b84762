//! Folders and ZIPs that are dropped or chosen: their files, with paths.

import { unzipSync } from "fflate";

/** A file with its path in the folder that was dropped. */
export interface Dropped {
  path: string;
  name: string;
  size: number;
  read(): Promise<Uint8Array>;
}

/** More than this in one folder is not a robot's. */
const MOST_FILES = 2000;
/** A ZIP is not unpacked beyond so much [bytes]. */
const LARGEST_UNPACKED = 512 * 1024 * 1024;

export function droppedFile(file: File, path = file.webkitRelativePath || file.name): Dropped {
  return { path, name: file.name, size: file.size, read: async () => new Uint8Array(await file.arrayBuffer()) };
}

/** The files of a drop, those in folders too. Must be called while the drop is handled: the browser forgets it then. */
export async function filesOf(transfer: DataTransfer): Promise<Dropped[]> {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry());
  const plain = [...transfer.files].map((file) => droppedFile(file));
  if (!entries.some((entry) => entry?.isDirectory)) return plain;
  const found: Dropped[] = [];
  for (const entry of entries) if (entry !== null) await collect(entry, found);
  if (found.length > MOST_FILES) throw new Error(`the folder has more than ${MOST_FILES} files`);
  return found;
}

async function collect(entry: FileSystemEntry, found: Dropped[]): Promise<void> {
  if (found.length > MOST_FILES || entry.name.startsWith(".")) return;
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => { (entry as FileSystemFileEntry).file(resolve, reject); });
    found.push(droppedFile(file, entry.fullPath.replace(/^\//, "")));
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  // It answers in parts, the last of which is empty.
  for (;;) {
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) => { reader.readEntries(resolve, reject); });
    if (part.length === 0) return;
    for (const child of part) await collect(child, found);
  }
}

/** With each ZIP in place of its files. */
export async function unpacked(list: readonly Dropped[]): Promise<Dropped[]> {
  const all: Dropped[] = [];
  for (const one of list) {
    if (/\.zip$/i.test(one.path)) all.push(...unzipped(await one.read()));
    else all.push(one);
  }
  return all;
}

/** In one go: the workers that would unpack it aside are refused by the page's policy. */
function unzipped(bytes: Uint8Array): Dropped[] {
  let size = 0;
  const files = unzipSync(bytes, {
    filter: ({ name, originalSize }) => {
      const isWanted = !name.endsWith("/") && !/(^|\/)(\.|__MACOSX)/.test(name);
      if (isWanted) size += originalSize;
      if (size > LARGEST_UNPACKED) throw new Error(`it unpacks to more than ${LARGEST_UNPACKED / 1048576} MB`);
      return isWanted;
    },
  });
  return Object.entries(files).map(([path, data]) => ({ path, name: path.split("/").at(-1) ?? path, size: data.length, read: () => Promise.resolve(data) }));
}
