//! The crowd in numbers: how many limbs, how many arrive, what a frame of solves takes.

import { useSession } from "./context.ts";
import { duration } from "./words.ts";

export function CrowdFacts() {
  const crowd = useSession().crowd.value;
  if (!crowd) return null;
  return (
    <dl class="facts">
      <div><dt>limbs</dt><dd>{crowd.count}</dd></div>
      <div><dt>reached</dt><dd>{crowd.reached}</dd></div>
      <div><dt>time a frame</dt><dd>{duration(crowd.micros)}</dd></div>
    </dl>
  );
}
