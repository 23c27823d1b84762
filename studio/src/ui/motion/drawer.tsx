//! The drawer of the motion scene: transport, timeline, curves.

import { ChevronDown, ChevronLeft, ChevronRight, ChevronUp, ChartSpline, Pause, Play, Repeat, SkipBack } from "lucide-preact";
import { useEffect, useRef } from "preact/hooks";
import { timeOf } from "../../core/motion/contacts.ts";
import type { MotionSession } from "../../core/motion/types.ts";
import { IconButton, Select } from "../controls.tsx";
import { keysOf } from "../keyboard.ts";
import { timelineOpen } from "../page.ts";
import { Curves } from "./curves.tsx";
import { Timeline } from "./timeline.tsx";

const SPEEDS = ["0.1", "0.25", "0.5", "1", "2"].map((value) => ({ value, label: `${value}×` }));

export function MotionDrawer({ session }: { session: MotionSession }) {
  const open = timelineOpen.value;
  return (
    <section class="drawer motion-drawer" aria-label="Time" data-open={open}>
      <div class="drawer-head">
        <MotionTransport session={session} />
        <IconButton
          class="drawer-toggle" tip="left" keys={keysOf("drawer")}
          icon={open ? ChevronDown : ChevronUp} label={open ? "Hide the timeline" : "Show the timeline"}
          onClick={() => { timelineOpen.value = !open; }}
        />
      </div>
      {open && <MotionTime session={session} />}
    </section>
  );
}

/** Timeline and, where they are wanted, curves. */
export function MotionTime({ session }: { session: MotionSession }) {
  return (
    <>
      <Timeline session={session} />
      {session.curveJoint.value !== null && <Curves session={session} />}
    </>
  );
}

export function MotionTransport({ session }: { session: MotionSession }) {
  const isPlaying = session.playing.value;
  const hasCurves = session.curveJoint.value !== null;
  return (
    <div class="transport" role="group" aria-label="Transport">
      <IconButton tip="above" icon={SkipBack} label="To the beginning" onClick={() => { session.pause(); session.goTo(0); }} />
      <IconButton tip="above" icon={ChevronLeft} label="Back one frame" keys={keysOf("step-back")} onClick={() => { session.step(-1); }} />
      <IconButton
        tip="above" class="play" keys={keysOf("play")} icon={isPlaying ? Pause : Play} label={isPlaying ? "Pause" : "Play"}
        onClick={() => { if (isPlaying) session.pause(); else session.play(); }}
      />
      <IconButton tip="above" icon={ChevronRight} label="Forward one frame" keys={keysOf("step-on")} onClick={() => { session.step(1); }} />
      <IconButton tip="above" icon={Repeat} label="Loop" pressed={session.isLooping.value} onClick={() => { session.isLooping.value = !session.isLooping.peek(); }} />
      <Scrubber session={session} />
      <span class="per-frame">
        <Select label="Speed" hideLabel value={String(session.speed.value)} choices={SPEEDS} onChange={(value) => { session.speed.value = Number(value); }} />
      </span>
      <IconButton
        tip="above" icon={ChartSpline} label={hasCurves ? "Hide the curves" : "Show the curves of a joint"} pressed={hasCurves}
        onClick={() => { session.curveJoint.value = hasCurves ? null : (session.selection.peek() ?? session.shown.peek()?.info.handles[0]?.joint ?? 0); }}
      />
    </div>
  );
}

/** Set from the frame's signal directly, so that playing does not render the page anew. */
function Scrubber({ session }: { session: MotionSession }) {
  const field = useRef<HTMLInputElement>(null);
  const text = useRef<HTMLOutputElement>(null);
  const info = session.shown.value?.info;
  const last = Math.max(0, (info?.nFrames ?? 1) - 1);
  useEffect(() => session.frame.subscribe((frame) => {
    if (!info) return;
    const words = `${timeOf(info, frame).toFixed(2)}\u00a0s, frame ${frame + 1} of ${info.nFrames}`;
    if (field.current) {
      field.current.value = String(frame);
      field.current.setAttribute("aria-valuetext", words);
    }
    if (text.current) text.current.textContent = words;
  }), [session, info]);
  return (
    <span class="scrubber">
      <input ref={field} type="range" aria-label="Frame" min={0} max={last} step={1} onInput={(event) => { session.pause(); session.goTo(event.currentTarget.valueAsNumber); }} />
      <output class="cursor-text" ref={text} />
    </span>
  );
}
