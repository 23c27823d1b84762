//! The top bar's parts that belong to what is open: the name and the history.

import { Redo2, RotateCcw, Undo2 } from "lucide-preact";
import type { MotionSession } from "../../core/motion/types.ts";
import { IconButton } from "../controls.tsx";
import { keysOf } from "../keyboard.ts";

export function MotionTitle({ session }: { session: MotionSession }) {
  return (
    <input
      class="title-field" type="text" aria-label="Name of this document" maxLength={80} value={session.document.value.title}
      onChange={(event) => { session.setTitle(event.currentTarget.value.trim() || "Untitled"); }}
    />
  );
}

export function MotionHistory({ session }: { session: MotionSession }) {
  const undo = session.canUndo.value;
  const redo = session.canRedo.value;
  return (
    <div class="bar-group" role="group" aria-label="History">
      <IconButton icon={Undo2} label={undo === null ? "Undo" : `Undo: ${undo}`} keys={keysOf("undo")} inactive={undo === null} onClick={() => { session.undo(); }} />
      <IconButton icon={Redo2} label={redo === null ? "Redo" : `Redo: ${redo}`} keys={keysOf("redo")} inactive={redo === null} onClick={() => { session.redo(); }} />
      <IconButton icon={RotateCcw} class="wide-only" label="Reset to the original clip" onClick={() => { session.reset(); }} />
    </div>
  );
}
