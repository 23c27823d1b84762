//! The panel on the right: what is being solved and how, or an article about it.

import { panelTab, type PanelTab } from "../page.ts";
import { Tabs } from "../tabs.tsx";
import { Learn } from "../later.ts";
import { ArmSection } from "./arm-section.tsx";
import { JointsSection } from "./joints-section.tsx";
import { SceneSection } from "./scene-section.tsx";
import { SelectionSection } from "./selection-section.tsx";
import { SolversSection } from "./solvers-section.tsx";
import { SettingsSection } from "./settings-section.tsx";
import { GoalsSection } from "./goals-section.tsx";
import { ViewSection } from "./view-section.tsx";

const TABS: { id: PanelTab; label: string }[] = [
  { id: "solve", label: "Solve" },
  { id: "learn", label: "Learn" },
];

export function Panel() {
  const tab = panelTab.value;
  return (
    <aside class="panel" aria-label="Panel">
      <Tabs name="panel" tabs={TABS} current={tab} onSelect={(id) => { panelTab.value = id; }} />
      <div class="panel-body" role="tabpanel" id={`panel-${tab}`} aria-labelledby={`panel-tab-${tab}`}>
        {tab === "solve" ? <SolvePanel /> : <Learn />}
      </div>
    </aside>
  );
}

export function SolvePanel() {
  return (
    <>
      <SolversSection />
      <ArmSection />
      <JointsSection />
      <SettingsSection />
      <SelectionSection />
      <SceneSection />
      <GoalsSection />
      <ViewSection />
    </>
  );
}
