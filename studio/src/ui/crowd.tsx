//! The crowd in numbers: how many limbs, how many arrive, what a frame of solves takes.

import { signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { CrowdFrame, Session } from "../core/types.ts";
import { useSession } from "./context.ts";
import { duration } from "./words.ts";

/** How often numbers that change with every picture are written anew [ms]: often enough to be read. */
const OFTEN = 400;

/** Whether it is what is on show: all at once and without iterations, so most of what there is to say of a solve does not apply. */
export function isCrowd(session: Session): boolean {
  return session.document.value.scene === "crowd";
}

interface Sample {
  frame: CrowdFrame;
  /** Pictures a second since the last sample; null where it stands still. */
  rate: number | null;
}

/** Now and then the newest frame. */
function useSample(): Sample | null {
  const session = useSession();
  const sample = useMemo(() => signal<Sample | null>(null), []);
  useEffect(() => {
    let [seen, at] = [0, performance.now()];
    let last: CrowdFrame | null = null;
    const stop = session.crowd.subscribe((frame) => {
      seen += frame === last ? 0 : 1;
      last = frame;
      if (frame === null) sample.value = null;
      else if (sample.peek() === null || sample.peek()?.frame.count !== frame.count) sample.value = { frame, rate: null };
    });
    const timer = setInterval(() => {
      const now = performance.now();
      if (last !== null && sample.peek()?.frame !== last) sample.value = { frame: last, rate: (1000 * seen) / (now - at) };
      else if (last !== null && sample.peek()?.rate !== null) sample.value = { frame: last, rate: null };
      [seen, at] = [0, now];
    }, OFTEN);
    return () => { stop(); clearInterval(timer); };
  }, [session, sample]);
  return sample.value;
}

export function CrowdFacts() {
  const sample = useSample();
  if (!sample) return null;
  const { frame, rate } = sample;
  return (
    <dl class="facts">
      <div><dt>reached</dt><dd>{frame.reached} of {frame.count}</dd></div>
      <div><dt>all solved in</dt><dd>{duration(frame.micros)}</dd></div>
      <div><dt>pictures</dt><dd>{rate === null ? "still" : `${Math.round(rate)}\u00a0/s`}</dd></div>
    </dl>
  );
}

export function CrowdStatus() {
  const sample = useSample();
  return <>{sample ? `${sample.frame.reached} of ${sample.frame.count} limbs arrive` : ""}</>;
}
