//! What the page has to tell: errors with what, where and what to try; and the status for those who listen.

import { CircleAlert, Info, TriangleAlert, X } from "lucide-preact";
import { useEffect, useState } from "preact/hooks";
import type { Notice, Session } from "../core/types.ts";
import { useSession } from "./context.ts";
import { IconButton } from "./controls.tsx";
import { forget, pageNotices } from "./page.ts";

const ICONS = { error: CircleAlert, warning: TriangleAlert, info: Info } as const;

interface NoticesProps {
  /** In place of those of the session: those of another scene, and what closes one. */
  more?: readonly Notice[];
  onDismiss?: (id: number) => void;
}

export function Notices({ more, onDismiss }: NoticesProps) {
  const session = useSession();
  const notices = [...(more ?? session.notices.value), ...pageNotices.value].slice(-4);
  const dismiss = onDismiss ?? ((id: number) => { session.dismiss(id); });
  return (
    <div class="notices" role="region" aria-label="Messages">
      <ul aria-live="assertive" aria-relevant="additions">
        {notices.map((notice) => <Item key={notice.id} notice={notice} onClose={() => { if (notice.id < 0) forget(notice.id); else dismiss(notice.id); }} />)}
      </ul>
    </div>
  );
}

/** What is only said for information goes away by itself: it would stand before the figure [ms]. */
const INFO_STAYS = 8000;

function Item({ notice, onClose }: { notice: Notice; onClose: () => void }) {
  useEffect(() => {
    if (notice.kind !== "info") return;
    const timer = setTimeout(onClose, INFO_STAYS);
    return () => { clearTimeout(timer); };
  }, [notice.id]);
  const Icon = ICONS[notice.kind];
  return (
    <li class="notice" data-kind={notice.kind}>
      <Icon size={18} aria-hidden />
      <div class="notice-text">
        <p>{notice.what}</p>
        {notice.where !== undefined && <p class="notice-where">{notice.where}</p>}
        {notice.hint !== undefined && <p class="hint">{notice.hint}</p>}
      </div>
      <IconButton icon={X} tip="left" label="Close this message" onClick={onClose} />
    </li>
  );
}

/** Says what came of a change when it has come to rest: a drag must not be a flood of words. */
export function LiveStatus({ of: { announcement } }: { of: Pick<Session, "announcement"> }) {
  const [said, say] = useState("");
  useEffect(() => speakWhenCalm(announcement, say), [announcement]);
  return <div class="sr-only" role="status" aria-live="polite" id="live-status">{said}</div>;
}

function speakWhenCalm(announcement: Session["announcement"], say: (text: string) => void): () => void {
  let waiting = 0;
  const stop = announcement.subscribe((text) => {
    clearTimeout(waiting);
    waiting = window.setTimeout(() => { say(text); }, 500);
  });
  return () => {
    clearTimeout(waiting);
    stop();
  };
}

/** Only while something is not as usual. `who` is at work, in a word or two. */
export function WorkerStatus({ of: { worker }, who }: { of: Pick<Session, "worker">; who: string }) {
  const state = worker.value;
  if (state === "ready" || state === "busy") return null;
  const words = { loading: "Loading the scene", starting: `${who} is starting`, restarting: `${who} stopped and is being started again`, failed: `${who} does not start: reload the page` }[state];
  return <p class="worker-state" role="status" data-state={state}>{words}</p>;
}
