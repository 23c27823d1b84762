//! Addresses: every scene has one, Back goes to what was open before, a reload loses nothing, and links that are followed open.

import { effect, untracked } from "@preact/signals";
import { decodeLink, isLink } from "../core/link.ts";
import { decodeMotionLink, isMotionLink } from "../core/motion/link.ts";
import { sceneAddress, sceneOfAddress } from "../core/opening.ts";
import { sceneDocument } from "../core/scenes/index.ts";
import type { Session } from "../core/types.ts";
import { keep, keptAt, newPlace, placeHere, type Kept } from "./kept.ts";
import { isMotion, leaveMotion, motion, openMotion } from "./motion/desk.ts";
import { tell } from "./page.ts";

/** Changes are written down when none has followed for so long [ms]. */
const CALM = 250;

/** Follows what is opened, and what the browser's history and new addresses ask for, for as long as the page is there. */
export function keepAddress(session: Session, restored: Kept | null): void {
  let place = placeHere() ?? newPlace();
  if (restored?.kind === "motion") restore(session, restored);
  else if (restored === null && (isMotionLink(location.hash) || location.hash === sceneAddress("motion"))) follow(session, location.hash);
  history.replaceState({ place }, "", location.href);
  let seen = openedHere(session);
  let [timer, isFollowing] = [0, false];
  let was = () => problemState(session);
  const write = () => {
    clearTimeout(timer);
    timer = 0;
    void keep(place, was());
  };
  effect(() => {
    const now = openedHere(session);
    document.title = `${isMotion.value ? motion().document.value.title : session.document.value.title} · posekit studio`;
    void session.cursor.value;
    void session.robot.companion.value;
    untracked(() => {
      if (isFollowing) return;
      const isTouched = session.canUndo.peek() !== null || session.canRedo.peek() !== null;
      if (now !== seen) {
        if (timer !== 0) write();
        place = newPlace();
        history.pushState({ place }, "", addressOf(session));
      } else if (isTouched && location.href !== addressOf(session)) {
        // What a link opened is no longer what it says.
        history.replaceState({ place }, "", addressOf(session));
      }
      seen = now;
      const problem = problemState(session);
      was = isMotion.peek() ? motionState : () => problem;
      clearTimeout(timer);
      timer = window.setTimeout(write, CALM);
    });
  });
  const onPop = ({ state }: PopStateEvent) => {
    if (timer !== 0) write();
    const wanted = (state as { place?: string } | null)?.place ?? null;
    void keptAt(wanted).then((kept) => {
      place = wanted ?? newPlace();
      history.replaceState({ place }, "", location.href);
      isFollowing = true;
      try {
        if (kept) restore(session, kept);
        else follow(session, location.hash);
      } finally {
        isFollowing = false;
      }
      seen = openedHere(session);
    });
  };
  const onHide = () => { if (timer !== 0) write(); };
  addEventListener("popstate", onPop);
  addEventListener("pagehide", onHide);
}

/** Changes whenever another problem is opened, or the motion scene. */
function openedHere(session: Session): string {
  return isMotion.value ? "motion" : `problem ${session.opened.value}`;
}

function addressOf(session: Session): string {
  return location.href.replace(/[#].*$/, "") + sceneAddress(isMotion.peek() ? "motion" : session.document.peek().scene);
}

function problemState(session: Session): Kept {
  return { kind: "problem", document: session.current(), companion: session.robot.companion.peek() };
}

function motionState(): Kept {
  const linked = motion().linked();
  return { kind: "motion", linked, own: linked.file === "walk" ? null : motion().shown.peek()?.bytes ?? null };
}

function restore(session: Session, kept: Kept): void {
  if (kept.kind === "problem") {
    leaveMotion();
    session.restore(kept.document, kept.companion);
    return;
  }
  const opened = openMotion(false);
  opened.openLink(kept.linked);
  // A file that is open still needs no opening.
  if (kept.own && opened.awaited.peek() !== null && kept.linked.file !== "walk") void opened.loadFile(kept.linked.file.name, kept.own);
}

/** Opens what an address names: a link, or a scene. */
function follow(session: Session, hash: string): void {
  try {
    const scene = sceneOfAddress(hash);
    if (isMotionLink(hash)) {
      const linked = decodeMotionLink(hash);
      openMotion(false).openLink(linked);
    } else if (scene === "motion") {
      openMotion();
    } else if (isLink(hash) || scene !== null) {
      const opened = scene === null ? decodeLink(hash) : sceneDocument(scene);
      leaveMotion();
      session.open(opened, "Open a link");
    }
  } catch (error) {
    tell("error", error instanceof Error ? error.message : "This link cannot be read.", "The current document is unchanged.");
  }
}
