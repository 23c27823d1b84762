//! The drawer below the view: time and error.

import { ChevronDown, ChevronUp } from "lucide-preact";
import { useSession } from "../context.ts";
import { IconButton } from "../controls.tsx";
import { isCrowd } from "../crowd.tsx";
import { keysOf } from "../keyboard.ts";
import { drawerOpen } from "../page.ts";
import { ErrorPlot } from "./error-plot.tsx";
import { Speeds } from "./speeds.tsx";
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

/** Error and time of the solves, or the speeds along a path that is looked at. A crowd is solved in closed form, frame by frame: it has no iterations, and its time stands in the panel. */
export function Plots() {
  const session = useSession();
  if (isCrowd(session)) return null;
  if (session.arm.frame.value !== null) return <div class="plots"><Speeds /></div>;
  return (
    <div class="plots">
      <ErrorPlot />
      <Times />
    </div>
  );
}
