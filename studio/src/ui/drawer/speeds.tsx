//! The speed of every joint along a path, each on a row of its own whose height is its limit, and where the path ends.

import type { ArmTrack, ProblemInfo } from "../../core/types.ts";
import { useSession } from "../context.ts";
import { angle, jointName, length, seconds, trackWords } from "../words.ts";

/** Height of a row in its own units. */
const HIGH = 100;

export function Speeds() {
  const session = useSession();
  const [track, info, frame] = [session.arm.track.value, session.info.value, session.arm.frame.value];
  if (!track || !info) return null;
  const time = frame === null ? null : timeOf(track, frame);
  return (
    <figure class="plot speeds">
      <figcaption class="plot-title">
        Joint speeds{track.limits.some(Number.isFinite) ? " against their limits" : ""} <span class="plot-note">{trackWords(track, info).long}</span>
      </figcaption>
      <div class="speed-rows">
        {track.joints.map((joint, k) => <Row key={joint} track={track} info={info} k={k} time={time} />)}
      </div>
    </figure>
  );
}

/** When a frame is [s]; the last is the end. */
export function timeOf({ rate, nFrames, times }: ArmTrack, frame: number): number {
  return frame >= nFrames - 1 ? times.at(-1) ?? 0 : frame / rate;
}

/** What the plot is wide: the time taken, and what of the path was not followed. */
function spanOf({ times, asked, endedAt }: ArmTrack): number {
  return Math.max(1e-9, (times.at(-1) ?? 0) + (endedAt === null ? 0 : asked - endedAt));
}

interface RowProps {
  track: ArmTrack;
  info: ProblemInfo;
  /** Which of the arm's joints. */
  k: number;
  time: number | null;
}

function Row({ track, info, k, time }: RowProps) {
  const { arm } = useSession();
  const joint = track.joints[k] ?? 0;
  const limit = track.limits[k] ?? Infinity;
  const speeds = speedsOf(track, k);
  const most = Math.max(...speeds, 0);
  const top = Number.isFinite(limit) ? limit : Math.max(most, 1e-9);
  const span = spanOf(track);
  const x = (at: number) => (1000 * at) / span;
  const end = track.times.at(-1) ?? 0;
  const now = time === null ? most : speeds[track.times.findIndex((at) => at >= time - 1e-9)] ?? 0;
  const word = info.kinds[joint] === "prismatic" ? `${length(now)}/s` : `${angle(now)}/s`;
  const share = Number.isFinite(limit) ? `${Math.round((100 * now) / limit)}\u00a0%` : "no limit";
  const scrub = (event: PointerEvent) => {
    if (event.type === "pointermove" && event.buttons !== 1) return;
    const box = (event.currentTarget as Element).getBoundingClientRect();
    arm.pause();
    arm.scrub((span * track.rate * (event.clientX - box.left)) / Math.max(1, box.width));
  };
  return (
    <div class="speed-row" data-full={now >= 0.999 * limit}>
      <span class="speed-name" title={jointName(info, joint)}>{jointName(info, joint)}</span>
      <svg
        class="speed-line" viewBox={`0 0 1000 ${HIGH}`} preserveAspectRatio="none" role="img" onPointerDown={scrub} onPointerMove={scrub}
        aria-label={`${jointName(info, joint)}: at most ${info.kinds[joint] === "prismatic" ? length(most) : angle(most)} per second${Number.isFinite(limit) ? `, ${Math.round((100 * most) / limit)} % of its limit` : ""}`}
      >
        <rect class="speed-ground" width={x(end)} height={HIGH} />
        {track.endedAt !== null && <rect class="speed-rest" x={x(end)} width={1000 - x(end)} height={HIGH} />}
        <path d={areaOf(track, speeds, top, x)} />
        {Number.isFinite(limit) && <line class="speed-limit" x1="0" x2={x(end)} y1="0.5" y2="0.5" />}
        {track.endedAt !== null && <line class="speed-end" x1={x(end)} x2={x(end)} y1="0" y2={HIGH} />}
        {time !== null && <line class="speed-now" x1={x(time)} x2={x(time)} y1="0" y2={HIGH} />}
      </svg>
      <span class="speed-value">{word}</span>
      <span class="speed-share">{share}</span>
    </div>
  );
}

function speedsOf({ speeds, joints, times }: ArmTrack, k: number): number[] {
  return Array.from(times, (_, sample) => Math.abs(speeds[sample * joints.length + k] ?? 0));
}

/** Speeds are those on the way to each sample: steps. */
function areaOf({ times }: ArmTrack, speeds: number[], top: number, x: (time: number) => number): string {
  const parts = [`M0 ${HIGH}`];
  for (let sample = 1; sample < times.length; sample += 1) {
    const y = (HIGH * (1 - Math.min(1, (speeds[sample] ?? 0) / top))).toFixed(2);
    parts.push(`L${x(times[sample - 1] ?? 0).toFixed(2)} ${y}`, `L${x(times[sample] ?? 0).toFixed(2)} ${y}`);
  }
  return `${parts.join("")}L${x(times.at(-1) ?? 0).toFixed(2)} ${HIGH}Z`;
}

/** Where the path is, in words. */
export function pathText(track: ArmTrack, frame: number): string {
  return `${seconds(timeOf(track, frame))} of ${seconds(track.times.at(-1) ?? 0)}`;
}
