//! The link that holds everything that is on screen.

import { Check, Copy } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { encodeMotionLink, sizeWords } from "../../core/motion/link.ts";
import type { MotionSession } from "../../core/motion/types.ts";
import { useSession } from "../context.ts";
import { copyText } from "../save.ts";
import { Dialog } from "./dialog.tsx";

/** Some chats and mail programs cut longer links. */
const LONG = 8000;

export function Share() {
  const session = useSession();
  const character = session.robot.character.value;
  return (
    <ShareDialog hash={session.link()} saved="Saving the problem as a file is safer.">
      {character === null
        ? "The link holds the whole state: problem, solvers, settings and view."
        : <>The link holds problem, solvers, settings and view, but not the mesh: whoever opens it sees the bones. For the mesh, send <strong>{character.name}</strong> with it.</>}
    </ShareDialog>
  );
}

export function ShareMotion({ session }: { session: MotionSession }) {
  const [linked] = useState(() => session.linked());
  const { file } = linked;
  return (
    <ShareDialog hash={encodeMotionLink(linked)} saved="Saving the contacts as a file is safer.">
      {file === "walk"
        ? "The link holds the whole state: settings, contacts, poses, frame and view, of the built-in walk."
        : <>The link holds settings, contacts, poses, frame and view, but not the motion itself. Whoever opens it needs <strong>{file.name}</strong> ({sizeWords(file.size)}): send the file with it.</>}
    </ShareDialog>
  );
}

declare const __POSEKIT_BASE__: string;

/** The address of this page without its query and fragment, or that under which it is published. */
export const BASE = __POSEKIT_BASE__ || location.href.replace(/[?#].*$/, "");
/** Whether others can open it. */
const isPublished = __POSEKIT_BASE__ !== "" || !/^(localhost|127\.|\[::1\])/.test(location.hostname);

/** `saved` is what to do instead of a very long link. */
function ShareDialog({ hash, saved, children }: { hash: string; saved: string; children: ComponentChildren }) {
  const [link] = useState(BASE + hash);
  return (
    <Dialog title="Share as a link">
      <p>{children} All of it is in the fragment of the address (after the #), which browsers do not send to the server.</p>
      <div class="copy-row">
        <input class="link-field" type="text" readOnly aria-label="Link" value={link} onFocus={(event) => { event.currentTarget.select(); }} />
        <CopyButton text={link} label="Copy the link" />
      </div>
      {!isPublished && <p class="hint">The link opens only on this computer, while the studio runs here. To send it to others, publish the page: <code>cargo xtask studio --build --base URL</code>.</p>}
      {link.length > LONG && (
        <p class="hint">This link has {link.length.toLocaleString("en")} characters, and some chats cut long links. {saved}</p>
      )}
    </Dialog>
  );
}

/** Copies and says so; where the browser forbids it, says what to do instead. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const [state, setState] = useState<"ready" | "copied" | "refused">("ready");
  const copy = async () => {
    setState(await copyText(text) ? "copied" : "refused");
    setTimeout(() => { setState("ready"); }, 3000);
  };
  const words = { ready: label, copied: "Copied", refused: "Not allowed: select and copy it" }[state];
  const Icon = state === "copied" ? Check : Copy;
  return (
    <button type="button" class="button" onClick={() => { void copy(); }}>
      <Icon size={16} aria-hidden /><span aria-live="polite">{words}</span>
    </button>
  );
}
