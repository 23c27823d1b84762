//! The dialog that is open, if any.

import { isMotion, motion } from "../motion/desk.ts";
import { openDialog } from "../page.ts";
import { About } from "./about.tsx";
import { Code, MotionCode } from "./code.tsx";
import { Help } from "./help.tsx";
import { Share, ShareMotion } from "./share.tsx";

export function Dialogs() {
  switch (openDialog.value) {
    case "about": return <About />;
    case "help": return <Help />;
    case "share": return isMotion.peek() ? <ShareMotion session={motion()} /> : <Share />;
    case "code": return isMotion.peek() ? <MotionCode session={motion()} /> : <Code />;
    case null: return null;
  }
}
