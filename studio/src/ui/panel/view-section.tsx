//! What is drawn besides the figure, and the pose to go on from.

import { Pin } from "lucide-preact";
import { useSession } from "../context.ts";
import { Section, Switch } from "../controls.tsx";
import { isCrowd } from "../crowd.tsx";
import { keysOf } from "../keyboard.ts";

export function ViewSection() {
  const session = useSession();
  if (isCrowd(session)) return null;
  const { showLimits, showTrace } = session.document.value.view;
  return (
    <Section id="view" title="View and start">
      <Switch label="Show all limits, not only those of the joint that is touched" checked={showLimits} onChange={(on) => { session.setView({ showLimits: on }); }} />
      <Switch label="Show the path of the tip" checked={showTrace} onChange={(on) => { session.setView({ showTrace: on }); }} />
      <button type="button" class="button" onClick={() => { session.keepPose(); }}>
        <Pin size={16} aria-hidden />Make this pose the start<kbd class="inline-key">{keysOf("keep")}</kbd>
      </button>
      <p class="hint">Every solve then starts from the pose that is shown now, also one in the middle of a trace.</p>
    </Section>
  );
}
