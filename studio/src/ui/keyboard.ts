//! Every key that does something, in one table: what listens and what the help lists are the same.

import { batch } from "@preact/signals";
import type { Session } from "../core/types.ts";
import { RAIL } from "../core/scenes/index.ts";
import { drawerOpen, openDialog, panelTab, sheetTab, singleKeys, timelineOpen } from "./page.ts";
import { chooseTheme, theme } from "./theme.ts";
import { cameraAction, focusHandles } from "./camera.ts";
import { isMotion, leaveMotion, motion, openMotion } from "./motion/desk.ts";
import { motionKey } from "./motion/keys.ts";

export interface KeyAction {
  id: string;
  /** As it is shown; alternatives one after the other. */
  keys: string[];
  what: string;
  group: "Time" | "Solvers" | "Document" | "View" | "Page";
  matches: (event: KeyboardEvent) => boolean;
  act: (session: Session) => void;
}

const plain = (event: KeyboardEvent) => !event.ctrlKey && !event.metaKey && !event.altKey;
const key = (wanted: string) => (event: KeyboardEvent) => plain(event) && event.key.toLowerCase() === wanted;
const control = (wanted: string, shift = false) => (event: KeyboardEvent) =>
  (event.ctrlKey || event.metaKey) && !event.altKey && event.shiftKey === shift && event.key.toLowerCase() === wanted;

export const ACTIONS: KeyAction[] = [
  {
    id: "play", keys: ["Space"], what: "Play or pause", group: "Time", matches: key(" "),
    act: playOrPause,
  },
  { id: "step-on", keys: ["."], what: "Forward one iteration", group: "Time", matches: key("."), act: (session) => { step(session, 1); } },
  { id: "step-back", keys: [","], what: "Back one iteration", group: "Time", matches: key(","), act: (session) => { step(session, -1); } },
  { id: "half-on", keys: ["Shift", "."], what: "Forward half a step: one joint, one half, one bone", group: "Time", matches: (event) => plain(event) && (event.key === ">" || event.key === ":"), act: (session) => { session.stepHalf(1); } },
  { id: "half-back", keys: ["Shift", ","], what: "Back half a step", group: "Time", matches: (event) => plain(event) && (event.key === "<" || event.key === ";"), act: (session) => { session.stepHalf(-1); } },
  { id: "live", keys: ["L"], what: "Live: show the end, solve every change", group: "Time", matches: key("l"), act: (session) => { session.goLive(); } },
  { id: "keep", keys: ["K"], what: "Make the pose that is shown the start", group: "Time", matches: key("k"), act: (session) => { session.keepPose(); } },
  { id: "add-solver", keys: ["N"], what: "Add a solver beside the others", group: "Solvers", matches: key("n"), act: (session) => { session.addRun(); } },
  { id: "next-solver", keys: ["M"], what: "Next method for the main solver", group: "Solvers", matches: key("m"), act: nextMethod },
  { id: "classic", keys: ["C"], what: "Classic iteration on or off", group: "Solvers", matches: key("c"), act: toggleClassic },
  { id: "next-solution", keys: ["O"], what: "Next solution of a robot arm", group: "Solvers", matches: (event) => key("o")(event) && !event.shiftKey, act: (session) => { session.arm.stepSolution(1); } },
  { id: "previous-solution", keys: ["Shift", "O"], what: "Previous solution", group: "Solvers", matches: (event) => key("o")(event) && event.shiftKey, act: (session) => { session.arm.stepSolution(-1); } },
  { id: "record", keys: ["R"], what: "Record the tool pose of a robot arm for its path", group: "Solvers", matches: key("r"), act: (session) => { session.arm.record(); } },
  { id: "undo", keys: ["Ctrl", "Z"], what: "Undo", group: "Document", matches: control("z"), act: (session) => { session.undo(); } },
  { id: "redo", keys: ["Ctrl", "Shift", "Z"], what: "Redo", group: "Document", matches: (event) => control("z", true)(event) || control("y")(event), act: (session) => { session.redo(); } },
  { id: "open", keys: ["Ctrl", "O"], what: "Open a file", group: "Document", matches: control("o"), act: () => { document.getElementById("open-file")?.click(); } },
  { id: "share", keys: ["S"], what: "Share as a link", group: "Document", matches: key("s"), act: () => { openDialog.value = "share"; } },
  { id: "code", keys: ["X"], what: "Copy as code", group: "Document", matches: key("x"), act: () => { openDialog.value = "code"; } },
  { id: "next-scene", keys: ["]"], what: "Next scene", group: "Document", matches: key("]"), act: (session) => { nextScene(session, 1); } },
  { id: "previous-scene", keys: ["["], what: "Previous scene", group: "Document", matches: key("["), act: (session) => { nextScene(session, -1); } },
  { id: "handles", keys: ["G"], what: "Grab: go to the handles, the target first", group: "View", matches: key("g"), act: focusHandles },
  { id: "frame", keys: ["F"], what: "Frame what is selected, or everything", group: "View", matches: key("f"), act: () => { cameraAction("frame"); } },
  { id: "zoom-in", keys: ["+"], what: "Zoom in", group: "View", matches: (event) => plain(event) && (event.key === "+" || event.key === "="), act: () => { cameraAction("zoom-in"); } },
  { id: "zoom-out", keys: ["−"], what: "Zoom out", group: "View", matches: key("-"), act: () => { cameraAction("zoom-out"); } },
  { id: "limits", keys: ["I"], what: "All limits shown, or only those of the joint that is touched", group: "View", matches: key("i"), act: (session) => { session.setView({ showLimits: !session.document.peek().view.showLimits }); } },
  { id: "learn", keys: ["H"], what: "Learn, or back to solving", group: "Page", matches: key("h"), act: toggleLearn },
  { id: "drawer", keys: ["P"], what: "Plots shown or hidden", group: "Page", matches: key("p"), act: () => { const open = isMotion.peek() ? timelineOpen : drawerOpen; open.value = !open.value; } },
  { id: "theme", keys: ["T"], what: "Light or dark", group: "Page", matches: key("t"), act: () => { chooseTheme(theme.peek() === "dark" ? "light" : "dark"); } },
  { id: "help", keys: ["?"], what: "This list", group: "Page", matches: (event) => plain(event) && event.key === "?", act: () => { openDialog.value = "help"; } },
];

/** Keys that mean something only where the focus is; listed in the help. */
export const LOCAL_KEYS: { keys: string[]; what: string }[] = [
  { keys: ["Tab"], what: "Next handle; Shift for the previous one" },
  { keys: ["←", "→"], what: "Move the handle along x; a limit, by degrees" },
  { keys: ["↑", "↓"], what: "Move the handle along y in the plane, along the height in space" },
  { keys: ["PageUp", "PageDown"], what: "Move the handle in depth" },
  { keys: ["Shift"], what: "With any of these: a tenth of the step" },
  { keys: ["Alt", "arrows"], what: "Turn the handle" },
  { keys: ["Esc"], what: "Let go: back to the view" },
  { keys: ["←", "→"], what: "On the timeline: move a contact or a pose by one frame; Shift by ten" },
  { keys: ["Alt", "← →"], what: "On the timeline: move the end of a contact; with Shift, its beginning" },
  { keys: ["Delete"], what: "On the timeline: remove the contact or the pose" },
  { keys: ["arrows"], what: "On the view: orbit, or move the picture in the plane; with Shift, move it" },
];

/** The keys of an action as a tip shows them. */
export function keysOf(id: string): string {
  return ACTIONS.find((action) => action.id === id)?.keys.join(" ") ?? "";
}

/** Listens on the whole page; returns what stops it. */
export function listenToKeys(session: Session): () => void {
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.defaultPrevented || document.querySelector("dialog[open]")) return;
    const action = ACTIONS.find(({ matches }) => matches(event));
    if (!action || isMeantForField(event, action)) return;
    event.preventDefault();
    if (isMotion.peek() && !motionKey(action.id, motion())) return;
    if (action.group !== "Solvers" || session.document.peek().scene !== "crowd") action.act(session);
  };
  document.addEventListener("keydown", onKeyDown);
  return () => { document.removeEventListener("keydown", onKeyDown); };
}

/** Typing in a field, and Space or Enter on a button, are the field's and the button's own. */
function isMeantForField(event: KeyboardEvent, action: KeyAction): boolean {
  const target = event.target instanceof HTMLElement ? event.target : null;
  const types = target?.matches("input:not([type=range],[type=checkbox],[type=radio]), textarea, [contenteditable]") ?? false;
  const needsControl = event.ctrlKey || event.metaKey;
  if (types) return !(needsControl && action.id === "open");
  if (needsControl) return false;
  if (!singleKeys.peek() && action.id !== "help") return true;
  if (event.key === " ") return target?.matches("button:not(.handle), summary, input, select, a, [role=tab]") ?? false;
  return target?.matches("select") ?? false;
}

/** Of the path, while that is looked at. */
export function playOrPause(session: Session): void {
  const [shows, { running }] = session.arm.frame.peek() === null ? [session, session.playback.peek()] : [session.arm, { running: session.arm.running.peek() }];
  if (running) shows.pause();
  else shows.play();
}

/** One iteration, or a tenth of a second of the path. */
function step(session: Session, by: 1 | -1): void {
  const [frame, track] = [session.arm.frame.peek(), session.arm.track.peek()];
  if (frame === null || !track) session.step(by);
  else session.arm.scrub(frame + by * Math.max(1, Math.round(track.rate / 10)));
}

function nextMethod(session: Session): void {
  const run = session.document.peek().runs[0];
  const methods = session.info.peek()?.methods ?? [];
  const next = run && methods[(methods.indexOf(run.method) + 1) % methods.length];
  if (run && next) session.setMethod(run.id, next);
}

function toggleClassic(session: Session): void {
  const run = session.document.peek().runs[0];
  if (run) session.setSetting(run.id, "classic", !(run.settings.classic ?? false));
}

/** Through the rail, round and round; from a file of one's own, which is not in it, to its ends. */
function nextScene(session: Session, by: number): void {
  const here = isMotion.peek() ? "motion" : session.document.peek().scene;
  const at = RAIL.findIndex((id) => id === here);
  const next = RAIL[at < 0 && by < 0 ? RAIL.length - 1 : (at + by + RAIL.length) % RAIL.length];
  if (next === "motion") openMotion();
  else if (next !== undefined) batch(() => { leaveMotion(); session.openScene(next); });
}

function toggleLearn(): void {
  const next = panelTab.peek() === "learn" ? "solve" : "learn";
  panelTab.value = next;
  sheetTab.value = next;
}
