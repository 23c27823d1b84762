//! The bar on top: the document's name, undo and redo, files and sharing, theme, help.

import {
  CircleHelp, Contrast, Download, FolderOpen, Info, Moon, Redo2, RotateCcw, Share2, Sun, Undo2,
} from "lucide-preact";
import { useRef } from "preact/hooks";
import { useSession } from "./context.ts";
import { IconButton } from "./controls.tsx";
import { motionExports, problemExports, type Export } from "./exports.ts";
import { openFiles } from "./files.ts";
import { droppedFile } from "./folder.ts";
import { openDialog } from "./page.ts";
import { chooseTheme, themeChoice, type ThemeChoice } from "./theme.ts";
import { keysOf } from "./keyboard.ts";
import { MotionHistory, MotionTitle } from "./motion/bar.tsx";
import { isMotion, motion } from "./motion/desk.ts";

export function TopBar() {
  const session = useSession();
  const undo = session.canUndo.value;
  const redo = session.canRedo.value;
  const moves = isMotion.value ? motion() : null;
  return (
    <header class="bar">
      <button type="button" class="brand" onClick={() => { openDialog.value = "about"; }} aria-label="About posekit studio">
        <Mark /><span class="brand-name">posekit</span>
      </button>
      {moves ? <MotionTitle session={moves} /> : <TitleField />}
      {moves ? <MotionHistory session={moves} /> : <div class="bar-group" role="group" aria-label="History">
        <IconButton icon={Undo2} label={undo === null ? "Undo" : `Undo: ${undo}`} keys={keysOf("undo")} inactive={undo === null} onClick={() => { session.undo(); }} />
        <IconButton icon={Redo2} label={redo === null ? "Redo" : `Redo: ${redo}`} keys={keysOf("redo")} inactive={redo === null} onClick={() => { session.redo(); }} />
        <IconButton icon={RotateCcw} class="wide-only" label="Reset to the original scene" onClick={() => { session.reset(); }} />
      </div>}
      <div class="bar-group" role="group" aria-label="File">
        <OpenButton />
        <ExportMenu exports={moves ? motionExports(moves) : problemExports(session)} />
        <IconButton icon={Share2} label="Share as a link" keys={keysOf("share")} onClick={() => { openDialog.value = "share"; }} />
      </div>
      <div class="bar-group" role="group" aria-label="Page">
        <ThemeButton />
        <IconButton icon={Info} class="wide-only" label="About" onClick={() => { openDialog.value = "about"; }} />
        <IconButton icon={CircleHelp} label="Help and keys" keys={keysOf("help")} tip="left" onClick={() => { openDialog.value = "help"; }} />
      </div>
    </header>
  );
}

/** Two bones reaching for a ring: the sign of the house. */
function Mark() {
  return (
    <svg class="mark" viewBox="0 0 24 24" width="22" height="22" aria-hidden="true">
      <path class="mark-bone" d="M4 20 9.5 9 17 13.5" />
      <circle class="mark-joint" cx="9.5" cy="9" r="1.9" />
      <circle class="mark-ring" cx="19" cy="6" r="3" />
    </svg>
  );
}

function TitleField() {
  const session = useSession();
  return (
    <input
      class="title-field"
      type="text"
      aria-label="Name of this document"
      maxLength={80}
      value={session.document.value.title}
      onChange={(event) => { session.setTitle(event.currentTarget.value.trim() || "Untitled"); }}
    />
  );
}

function OpenButton() {
  const session = useSession();
  const field = useRef<HTMLInputElement>(null);
  return (
    <>
      <IconButton icon={FolderOpen} label="Open a file" keys={keysOf("open")} onClick={() => field.current?.click()} />
      <input
        ref={field}
        id="open-file"
        type="file"
        multiple
        class="sr-only"
        tabIndex={-1}
        aria-hidden
        accept=".json,.urdf,.xml,.mjcf,.srdf,.zip,.stl,.dae,.obj,.glb,.gltf,.vrm,.vrma,.bvh"
        onChange={(event) => {
          const files = [...(event.currentTarget.files ?? [])];
          event.currentTarget.value = "";
          void openFiles(session, files.map((file) => droppedFile(file)));
        }}
      />
    </>
  );
}

const THEMES: { choice: ThemeChoice; icon: typeof Sun; label: string }[] = [
  { choice: "auto", icon: Contrast, label: "Theme: system" },
  { choice: "light", icon: Sun, label: "Theme: light" },
  { choice: "dark", icon: Moon, label: "Theme: dark" },
];

function ThemeButton() {
  const index = Math.max(0, THEMES.findIndex(({ choice }) => choice === themeChoice.value));
  const now = THEMES[index];
  const next = THEMES[(index + 1) % THEMES.length];
  if (!now || !next) return null;
  return <IconButton icon={now.icon} label={now.label} keys={keysOf("theme")} onClick={() => { chooseTheme(next.choice); }} />;
}

/** What can be taken away: files, pictures, code. */
function ExportMenu({ exports }: { exports: readonly Export[] }) {
  const menu = useRef<HTMLDivElement>(null);
  if (exports.length === 0) return null;
  return (
    <>
      <button type="button" class="icon-button" popovertarget="export-menu" aria-label="Save and export" data-tip="Save and export" data-tip-at="below">
        <Download size={18} aria-hidden />
      </button>
      <div id="export-menu" class="menu" popover="auto" ref={menu}>
        {exports.map(({ icon: Icon, label, act }) => (
          <button key={label} type="button" class="menu-item" onClick={() => { menu.current?.hidePopover(); void act(); }}><Icon size={16} aria-hidden />{label}</button>
        ))}
      </div>
    </>
  );
}
