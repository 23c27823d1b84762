//! Files dropped anywhere on the page.

import { useEffect, useState } from "preact/hooks";
import { FolderOpen } from "lucide-preact";
import type { Session } from "../core/types.ts";
import { useSession } from "./context.ts";
import { openFiles } from "./files.ts";
import { messageOf } from "../core/orders.ts";
import { filesOf } from "./folder.ts";
import { tell } from "./page.ts";

export function DropZone() {
  const session = useSession();
  const [over, setOver] = useState(false);
  useEffect(() => watchDrops(session, setOver), [session]);
  if (!over) return null;
  return (
    <div class="drop-zone">
      <p><FolderOpen size={20} aria-hidden />Drop a motion (BVH), a character (GLB, glTF, VRM), a problem (JSON), or a robot (URDF, MJCF) with the folder of its meshes</p>
    </div>
  );
}

function watchDrops(session: Session, setOver: (over: boolean) => void): () => void {
  // Entering a child comes before leaving its parent, so a count tells when the page itself is left.
  let depth = 0;
  const holdsFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
  const onEnter = (event: DragEvent) => { if (holdsFiles(event)) { depth += 1; setOver(true); } };
  const onLeave = (event: DragEvent) => { if (holdsFiles(event)) { depth = Math.max(0, depth - 1); if (depth === 0) setOver(false); } };
  const onOver = (event: DragEvent) => { if (holdsFiles(event)) event.preventDefault(); };
  const onDrop = (event: DragEvent) => {
    if (!holdsFiles(event)) return;
    event.preventDefault();
    depth = 0;
    setOver(false);
    if (!event.dataTransfer) return;
    filesOf(event.dataTransfer).then((files) => openFiles(session, files)).catch((error: unknown) => {
      tell("error", `The drop cannot be read: ${messageOf(error)}`, "Choose the files with Open, or drop a ZIP of the folder.");
    });
  };
  const listeners = { dragenter: onEnter, dragleave: onLeave, dragover: onOver, drop: onDrop } as const;
  for (const [name, listener] of Object.entries(listeners)) document.addEventListener(name, listener as EventListener);
  return () => {
    for (const [name, listener] of Object.entries(listeners)) document.removeEventListener(name, listener as EventListener);
  };
}
