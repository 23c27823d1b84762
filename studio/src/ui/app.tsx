//! The whole page.

import { ExternalLink } from "lucide-preact";
import { useEffect, useState } from "preact/hooks";
import type { Session } from "../core/types.ts";
import { SessionContext, useSession } from "./context.ts";
import { CrowdStatus, isCrowd } from "./crowd.tsx";
import { Dialogs } from "./dialogs/dialogs.tsx";
import { BASE } from "./dialogs/share.tsx";
import { Drawer, Plots } from "./drawer/drawer.tsx";
import { DropZone } from "./drop.tsx";
import { Greeting } from "./greeting.tsx";
import { isMotion, motion } from "./motion/desk.ts";
import { listenToKeys } from "./keyboard.ts";
import { Learn, MotionMain, MotionRest } from "./later.ts";
import { LiveStatus, Notices, WorkerStatus } from "./notices.tsx";
import { sheetTab, type SheetTab } from "./page.ts";
import { Panel, SolvePanel } from "./panel/panel.tsx";
import { Chip } from "./panel/solvers-section.tsx";
import { Scenes } from "./rail.tsx";
import { Swatch } from "./swatch.tsx";
import { Tabs } from "./tabs.tsx";
import { TopBar } from "./topbar.tsx";
import { Transport } from "./drawer/transport.tsx";
import { Viewport } from "./viewport.tsx";
import { statusWords, trackWords } from "./words.ts";

/** As a part of another page: the view, its time and a link to the whole. */
const IS_EMBEDDED = new URLSearchParams(location.search).get("embed") === "1";

/** Up to this width there is one sheet below the view in place of rail, panel and drawer. */
const PHONE = matchMedia("(max-width: 760px)");

export function App({ session }: { session: Session }) {
  const isPhone = useMedia(PHONE);
  useEffect(() => listenToKeys(session), [session]);
  const moves = isMotion.value ? motion() : null;
  if (IS_EMBEDDED && !moves) return <SessionContext.Provider value={session}><Embedded /></SessionContext.Provider>;
  return (
    <SessionContext.Provider value={session}>
      <div class="page" data-phone={isPhone} data-dragging={session.dragging.value}>
        <h1 class="sr-only">posekit studio</h1>
        <a class="skip" href="#stage">To the figure</a>
        <TopBar />
        {!isPhone && <div class="rail"><Scenes /></div>}
        <main class="stage" id="stage" tabIndex={-1}>
          {moves ? <MotionMain session={moves} /> : <><div class="stage-view"><Viewport /><Greeting /><WorkerStatus of={session} who="The solver" /></div><Notices /></>}
        </main>
        {moves ? <MotionRest session={moves} isPhone={isPhone} /> : isPhone ? <Sheet /> : <><Drawer /><Panel /></>}
        <LiveStatus of={moves ?? session} />
        <DropZone />
        <Dialogs />
      </div>
    </SessionContext.Provider>
  );
}

function Embedded() {
  const session = useSession();
  return (
    <div class="page" data-embedded data-dragging={session.dragging.value}>
      <h1 class="sr-only">{session.document.value.title}, posekit studio</h1>
      <main class="stage" id="stage" tabIndex={-1}><div class="stage-view"><Viewport /><WorkerStatus of={session} who="The solver" /></div><Notices /></main>
      <footer class="embed-bar">
        {!isCrowd(session) && <SheetStatus />}
        <Transport />
        <button type="button" class="button" onClick={() => { window.open(BASE + session.link(), "_blank", "noopener"); }}><ExternalLink size={16} aria-hidden />Open in the studio</button>
      </footer>
      <LiveStatus of={session} />
    </div>
  );
}

const SHEET_TABS: { id: SheetTab; label: string }[] = [
  { id: "scenes", label: "Scenes" },
  { id: "solve", label: "Solve" },
  { id: "time", label: "Time" },
  { id: "learn", label: "Learn" },
];

/** On a phone everything is here. */
function Sheet() {
  const tab = sheetTab.value;
  return (
    <section class="sheet" aria-label="Panel">
      <SheetStatus />
      <Tabs name="sheet" tabs={SHEET_TABS} current={tab} onSelect={(id) => { sheetTab.value = id; }} />
      <div class="sheet-body" role="tabpanel" id={`sheet-${tab}`} aria-labelledby={`sheet-tab-${tab}`} data-tab={tab}>
        {tab === "scenes" && <Scenes />}
        {tab === "solve" && <SolvePanel />}
        {tab === "time" && <><Transport /><Plots /></>}
        {tab === "learn" && <Learn />}
      </div>
    </section>
  );
}

/** The answer stays in sight, whatever tab is open. */
function SheetStatus() {
  const session = useSession();
  const main = session.results.value[0];
  if (isCrowd(session)) return <div class="sheet-status"><CrowdStatus /></div>;
  const [track, info] = [session.arm.track.value, session.info.value];
  if (session.arm.frame.value !== null && track && info) return <div class="sheet-status"><Chip words={trackWords(track, info)} /></div>;
  return <div class="sheet-status">{main && <><Swatch method={main.method} /><Chip words={statusWords(main, info)} /></>}</div>;
}

function useMedia(query: MediaQueryList): boolean {
  const [matches, setMatches] = useState(query.matches);
  useEffect(() => {
    const onChange = () => { setMatches(query.matches); };
    query.addEventListener("change", onChange);
    return () => { query.removeEventListener("change", onChange); };
  }, [query]);
  return matches;
}
