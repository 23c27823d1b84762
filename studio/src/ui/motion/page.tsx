//! The motion scene on the page: on a desk view, drawer and panel; on a phone the view and one sheet.

import { medianSlide } from "../../core/motion/slide.ts";
import type { MotionSession } from "../../core/motion/types.ts";
import { Notices, WorkerStatus } from "../notices.tsx";
import { Learn } from "../later.ts";
import { sheetTab, type SheetTab } from "../page.ts";
import { Scenes } from "../rail.tsx";
import { Tabs } from "../tabs.tsx";
import { MotionDrawer, MotionTime, MotionTransport } from "./drawer.tsx";
import { MotionPanel, MotionSections } from "./panel.tsx";
import { MotionStage } from "./stage.tsx";

export function MotionMain({ session }: { session: MotionSession }) {
  return (
    <>
      <div class="stage-view">
        <MotionStage session={session} />
        {!isWaiting(session) && <WorkerStatus of={session} who="The library" />}
      </div>
      <Notices more={session.notices.value} onDismiss={(id) => { session.dismiss(id); }} />
    </>
  );
}

/** For a file: until then nobody asks the library anything. */
function isWaiting(session: MotionSession): boolean {
  return session.awaited.value !== null && session.shown.value === null;
}

export function MotionRest({ session, isPhone }: { session: MotionSession; isPhone: boolean }) {
  return isPhone ? <MotionSheet session={session} /> : <><MotionDrawer session={session} /><MotionPanel session={session} /></>;
}

const TABS: { id: SheetTab; label: string }[] = [{ id: "scenes", label: "Scenes" }, { id: "solve", label: "Clean" }, { id: "time", label: "Time" }, { id: "learn", label: "Learn" }];

function MotionSheet({ session }: { session: MotionSession }) {
  const tab = sheetTab.value;
  const report = session.shown.value?.report;
  const slide = report && medianSlide(report);
  return (
    <section class="sheet" aria-label="Panel">
      <div class="sheet-status">{slide ? `Slide ${slide.before.toFixed(1)} mm → ${slide.after.toFixed(1)} mm` : ""}</div>
      <Tabs name="sheet" tabs={TABS} current={tab} onSelect={(id) => { sheetTab.value = id; }} />
      <div class="sheet-body" role="tabpanel" id={`sheet-${tab}`} aria-labelledby={`sheet-tab-${tab}`} data-tab={tab}>
        {tab === "scenes" && <Scenes />}
        {tab === "solve" && <MotionSections session={session} />}
        {tab === "time" && <><MotionTransport session={session} /><MotionTime session={session} /></>}
        {tab === "learn" && <Learn />}
      </div>
    </section>
  );
}
