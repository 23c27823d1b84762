//! What a whole solve takes, as one bar per run.

import { useSession } from "../context.ts";
import { Swatch } from "../swatch.tsx";
import { lookOf } from "../tokens.ts";
import { duration } from "../words.ts";
import { runName } from "../runs.ts";

export function Times() {
  const session = useSession();
  const results = session.results.value;
  const longest = Math.max(...results.map(({ micros }) => micros ?? 0), 1e-9);
  return (
    <figure class="times">
      <figcaption class="plot-title">Time of a solve</figcaption>
      <ul class="time-list">
        {results.map((result) => (
          <li key={result.id} class="time">
            <Swatch method={result.method} />
            <span class="time-name">{runName(session, result.id, result.method)}</span>
            <span class="time-value">{result.micros === null ? "…" : duration(result.micros)}</span>
            <svg class="time-bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true" data-line={lookOf(result.method).line}>
              <rect width={100 * (result.micros ?? 0) / longest} height="6" />
            </svg>
          </li>
        ))}
      </ul>
    </figure>
  );
}
