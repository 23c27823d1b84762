//! The drawer below the view: time and error.

import { ChevronDown, ChevronUp } from "lucide-preact";
import { IconButton } from "../controls.tsx";
import { keysOf } from "../keyboard.ts";
import { drawerOpen } from "../page.ts";
import { ErrorPlot } from "./error-plot.tsx";
import { Times } from "./times.tsx";
import { Transport } from "./transport.tsx";

export function Drawer() {
  const open = drawerOpen.value;
  return (
    <section class="drawer" aria-label="Time" data-open={open}>
      <div class="drawer-head">
        <Transport />
        <IconButton
          class="drawer-toggle" tip="left" keys={keysOf("drawer")}
          icon={open ? ChevronDown : ChevronUp} label={open ? "Hide the plots" : "Show the plots"}
          onClick={() => { drawerOpen.value = !open; }}
        />
      </div>
      {open && <Plots />}
    </section>
  );
}

export function Plots() {
  return (
    <div class="plots">
      <ErrorPlot />
      <Times />
    </div>
  );
}
