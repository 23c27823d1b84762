//! Files and texts to the person: downloads and the clipboard. Nothing leaves the machine.

import type { NamedText } from "../core/types.ts";

export function saveText(file: NamedText): void {
  saveBlob(file.name, new Blob([file.text], { type: file.type }));
}

export function saveBytes(name: string, bytes: Uint8Array): void {
  saveBlob(name, new Blob([bytes as Uint8Array<ArrayBuffer>], { type: "application/octet-stream" }));
}

export function saveBlob(name: string, blob: Blob): void {
  const address = URL.createObjectURL(blob);
  const anchor = document.createElement("a");
  anchor.href = address;
  anchor.download = name;
  anchor.click();
  // The download has its own hold on the blob as soon as it has begun.
  setTimeout(() => { URL.revokeObjectURL(address); }, 10_000);
}

/** False where the browser does not let the page write to the clipboard. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
