//! Play, pause, step by iteration and by half-step, scrub.

import { ChevronLeft, ChevronRight, ChevronsLeft, ChevronsRight, Pause, Play, Radio } from "lucide-preact";
import type { Session } from "../../core/types.ts";
import { useSession } from "../context.ts";
import { IconButton, Select } from "../controls.tsx";
import { isCrowd } from "../crowd.tsx";
import { keysOf, playOrPause } from "../keyboard.ts";
import { phaseWord } from "../words.ts";
import { pathText } from "./speeds.tsx";

const PER_FRAME = [
  { value: "all", label: "all" },
  ...[1, 2, 3, 5, 10, 20, 50].map((n) => ({ value: String(n), label: String(n) })),
];

export function Transport() {
  const session = useSession();
  if (isCrowd(session)) {
    return (
      <div class="transport" role="group" aria-label="Transport">
        <PlayButton />
        <span class="transport-note">Every limb is solved anew in every picture, in closed form: there are no iterations to step through</span>
      </div>
    );
  }
  if (session.arm.frame.value !== null) return <PathTransport />;
  const playback = session.playback.value;
  const { perFrame } = session.document.value;
  return (
    <div class="transport" role="group" aria-label="Transport">
      <IconButton tip="above" icon={ChevronsLeft} label="Back one iteration" keys={keysOf("step-back")} onClick={() => { session.step(-1); }} />
      <IconButton tip="above" icon={ChevronLeft} label="Back half a step" keys={keysOf("half-back")} onClick={() => { session.stepHalf(-1); }} />
      <PlayButton />
      <IconButton tip="above" icon={ChevronRight} label="Forward half a step" keys={keysOf("half-on")} onClick={() => { session.stepHalf(1); }} />
      <IconButton tip="above" icon={ChevronsRight} label="Forward one iteration" keys={keysOf("step-on")} onClick={() => { session.step(1); }} />
      <IconButton
        tip="above" icon={Radio} label="Live: show the end, solve every change" keys={keysOf("live")} pressed={playback.mode === "live"}
        onClick={() => { session.goLive(); }}
      />
      <Scrubber />
      <span class="per-frame">
        <Select
          label="Iterations per frame"
          value={perFrame === null ? "all" : String(perFrame)}
          choices={withCurrent(perFrame)}
          onChange={(value) => { session.setPerFrame(value === "all" ? null : Number(value)); }}
        />
      </span>
    </div>
  );
}

/** The time of a path that is looked at. */
function PathTransport() {
  const session = useSession();
  const { arm } = session;
  const [track, frame] = [arm.track.value, arm.frame.value];
  if (!track || frame === null) return null;
  const text = pathText(track, frame);
  return (
    <div class="transport" role="group" aria-label="Transport">
      <PlayButton />
      <IconButton tip="above" icon={Radio} label="Leave the path: back to solving" keys={keysOf("live")} onClick={() => { session.goLive(); }} />
      <span class="scrubber">
        <input
          type="range" aria-label="Place on the path" aria-valuetext={text} min={0} max={track.nFrames - 1} step={1} value={frame}
          onInput={(event) => { arm.pause(); arm.scrub(event.currentTarget.valueAsNumber); }}
        />
        <output class="cursor-text" title={text}>{text}</output>
      </span>
    </div>
  );
}

function PlayButton() {
  const session = useSession();
  const running = session.arm.frame.value === null ? session.playback.value.running : session.arm.running.value;
  return (
    <IconButton
      tip="above" class="play" keys={keysOf("play")} icon={running ? Pause : Play} label={running ? "Pause" : "Play"}
      onClick={() => { playOrPause(session); }}
    />
  );
}

/** The usual choices, and the document's own where it is none of them. */
function withCurrent(perFrame: number | null) {
  const value = String(perFrame);
  return perFrame === null || PER_FRAME.some((choice) => choice.value === value) ? PER_FRAME : [...PER_FRAME, { value, label: value }];
}

function Scrubber() {
  const session = useSession();
  const cursor = session.cursor.value;
  const entries = cursor?.entries ?? session.results.value[0]?.trace?.n ?? 1;
  const text = cursorText(session);
  return (
    <span class="scrubber">
      <input
        type="range"
        aria-label="Position in the trace"
        aria-valuetext={text}
        min={0}
        max={Math.max(0, entries - 1)}
        step={1}
        value={cursor?.entry ?? entries - 1}
        onInput={(event) => { session.scrub(event.currentTarget.valueAsNumber); }}
      />
      <output class="cursor-text" title={text}>{text}</output>
    </span>
  );
}

/** Where the scrubber stands, in words. */
function cursorText(session: Session): string {
  const cursor = session.cursor.value;
  const main = session.results.value[0];
  if (!cursor) {
    if (session.playback.value.mode === "play") return `iteration ${main?.iterations ?? 0}, running`;
    return main ? `the end, iteration ${main.iterations}` : "nothing solved yet";
  }
  if (cursor.entry === 0) return "the start";
  return `iteration ${cursor.iteration}, ${phaseWord(cursor.phase, cursor.joint, session.info.value)}`;
}
