//! How far feet slide, in one number: what is said wherever there is room for one.

import type { MotionReport } from "./types.ts";

/** The slide of the median plant before and after [mm, for a leg of 0.85 m]; null where no foot stands. */
export function medianSlide(report: MotionReport): { before: number; after: number } | null {
  const { before = null, after = null } = report.metrics.find(({ key }) => key === "drift_median") ?? {};
  return before === null || after === null ? null : { before, after };
}
