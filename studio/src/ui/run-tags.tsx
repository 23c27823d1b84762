//! The numbers of runs of one method, in the view beside what they belong to: their colour is the same. The published iteration is called so.

import { useEffect, useRef } from "preact/hooks";
import type { Session, ShownRun } from "../core/types.ts";
import type { View } from "../three/view.ts";
import { useSession } from "./context.ts";
import { isClassic, runNumber } from "./runs.ts";
import { BESIDE, placeTags, type Spot } from "./tag-places.ts";
import { lookOf } from "./tokens.ts";

interface Tag {
  run: ShownRun;
  text: string;
}

/** The runs on show that another is called like. */
function tagsOf(session: Session): Tag[] {
  const { shown } = session;
  return shown.value.flatMap((run) => {
    if (!run.visible && run.index !== 0) return [];
    const number = runNumber(session, run.id, run.method);
    const isBesideOwn = shown.value.some((other) => other.id !== run.id && other.method === run.method);
    const words = [isBesideOwn && isClassic(session, run.id) ? "classic" : "", number ?? ""].filter((word) => word !== "");
    return words.length === 0 ? [] : [{ run, text: words.join(" ") }];
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
      {tags.map(({ run, text }) => <span key={run.id} class="run-tag" data-line={lookOf(run.method).line}>{text}</span>)}
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
