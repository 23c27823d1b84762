//! The door: styles, session, page.

import { render } from "preact";
import "@fontsource-variable/inter/wght.css";
import "@fontsource/jetbrains-mono/latin-400.css";
import "uplot/dist/uPlot.min.css";
import "./ui/style/tokens.css";
import "./ui/style/base.css";
import "./ui/style/page.css";
import "./ui/style/panel.css";
import "./ui/style/drawer.css";
import "./ui/style/dialog.css";
import "./ui/style/motion.css";
import { createSession } from "./core/session.ts";
import { keepAddress } from "./ui/address.ts";
import { App } from "./ui/app.tsx";
import { keptAt, placeHere } from "./ui/kept.ts";
import { greeting } from "./ui/greeting.tsx";
import { keepOfflineCopy } from "./ui/offline.ts";

const root = document.getElementById("app");
if (root) {
  const kept = await keptAt(placeHere());
  const session = createSession(kept?.kind === "problem" ? { restored: kept } : {});
  keepAddress(session, kept);
  if (kept === null && location.hash === "") greeting.value = true;
  render(<App session={session} />, root);
  // For tests and for people with a console; nothing on the page reads it.
  Object.assign(globalThis, { posekitSession: session });
  keepOfflineCopy();
}
