//! The numbers of runs of one method, in the view beside what they belong to: their colour and dash are the same.

import { useEffect, useRef } from "preact/hooks";
import type { Session, ShownRun } from "../core/types.ts";
import type { View } from "../three/view.ts";
import { useSession } from "./context.ts";
import { runNumber } from "./runs.ts";
import { BESIDE, placeTags, type Spot } from "./tag-places.ts";
import { lookOf } from "./tokens.ts";

interface Tag {
  run: ShownRun;
  number: number;
}

/** The runs on show that another is called like. */
function tagsOf(session: Session): Tag[] {
  return session.shown.value.flatMap((run) => {
    const number = run.visible || run.index === 0 ? runNumber(session, run.id, run.method) : null;
    return number === null ? [] : [{ run, number }];
  });
}

export function RunTags({ view }: { view: View }) {
  const session = useSession();
  const box = useRef<HTMLDivElement>(null);
  const tags = tagsOf(session);
  const now = useRef(tags);
  now.current = tags;
  const isShown = tags.length > 0;
  useEffect(() => {
    if (!isShown) return undefined;
    // Where each sits, which it leaves only for a much better place.
    const seats = new Map<string, number>();
    const place = () => {
      const runs = now.current.map(({ run }) => ({ id: run.id, spots: spotsOf(view, run) }));
      const places = placeTags(runs, seats);
      [...(box.current?.children ?? [])].forEach((child, index) => {
        const at = places[index];
        if (at && child instanceof HTMLElement) child.style.transform = `translate(${at.x.toFixed(1)}px, ${at.y.toFixed(1)}px) translate(-50%, -50%)`;
      });
    };
    place();
    return view.onDrawn(place);
  }, [view, isShown]);
  if (!isShown) return null;
  return (
    <div class="run-tags" ref={box} aria-hidden="true">
      {tags.map(({ run, number }) => <span key={run.id} class="run-tag" data-line={lookOf(run.method).line}>{number}</span>)}
    </div>
  );
}

/** Its joints on the screen; of many, some. */
function spotsOf(view: View, { points }: ShownRun): Spot[] {
  const count = points.length / 3;
  const stride = Math.max(1, Math.ceil(count / BESIDE.most));
  const spots: Spot[] = [];
  for (let k = count - 1; k >= 0; k -= stride) spots.push(view.screenPosition([points[3 * k] ?? 0, points[3 * k + 1] ?? 0, points[3 * k + 2] ?? 0]));
  return spots;
}
