//! The drawer below the view: time and error.

import { ChevronDown, ChevronUp } from "lucide-preact";
import { useSession } from "../context.ts";
import { IconButton } from "../controls.tsx";
import { isCrowd } from "../crowd.tsx";
import { keysOf } from "../keyboard.ts";
import { drawerOpen } from "../page.ts";
import { ErrorPlot } from "./error-plot.tsx";
import { Times } from "./times.tsx";
import { Transport } from "./transport.tsx";

export function Drawer() {
  const open = drawerOpen.value;
  const hasPlots = !isCrowd(useSession());
  return (
    <section class="drawer" aria-label="Time" data-open={open && hasPlots}>
      <div class="drawer-head">
        <Transport />
        {hasPlots && <IconButton
          class="drawer-toggle" tip="left" keys={keysOf("drawer")}
          icon={open ? ChevronDown : ChevronUp} label={open ? "Hide the plots" : "Show the plots"}
          onClick={() => { drawerOpen.value = !open; }}
        />}
      </div>
      {open && <Plots />}
    </section>
  );
}

/** A crowd is solved in closed form, frame by frame: it has no iterations, and its time stands in the panel. */
export function Plots() {
  if (isCrowd(useSession())) return null;
  return (
    <div class="plots">
      <ErrorPlot />
      <Times />
    </div>
  );
}
