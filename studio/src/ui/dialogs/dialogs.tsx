//! The dialog that is open, if any.

import { openDialog } from "../page.ts";
import { About } from "./about.tsx";
import { Code } from "./code.tsx";
import { Help } from "./help.tsx";
import { Share } from "./share.tsx";

export function Dialogs() {
  switch (openDialog.value) {
    case "about": return <About />;
    case "help": return <Help />;
    case "share": return <Share />;
    case "code": return <Code />;
    case null: return null;
  }
}
