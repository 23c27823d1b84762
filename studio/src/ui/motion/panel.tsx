//! The panel of the motion scene: what cleaning did first, then how it is done, then the file.

import { CircleAlert, CircleCheck, CircleMinus, Footprints } from "lucide-preact";
import { useId, useState } from "preact/hooks";
import { FADE, FLOORS, RANGES, type RangeSpec } from "../../core/motion/settings.ts";
import { frameAt } from "../../core/motion/contacts.ts";
import { medianSlide } from "../../core/motion/slide.ts";
import type { Comparison, MotionMetric, MotionInfo, MotionReport, MotionSession, MotionPlant } from "../../core/motion/types.ts";
import { Section, Select, Switch } from "../controls.tsx";
import { motionFiles } from "../exports.ts";
import { Learn } from "../later.ts";
import { panelTab, type PanelTab } from "../page.ts";
import { RangeRow } from "../panel/scene-section.tsx";
import { Tabs } from "../tabs.tsx";
import { framesWord } from "../words.ts";
import { seconds } from "./timeline.tsx";

const TABS: { id: PanelTab; label: string }[] = [{ id: "solve", label: "Clean" }, { id: "learn", label: "Learn" }];

export function MotionPanel({ session }: { session: MotionSession }) {
  const tab = panelTab.value;
  return (
    <aside class="panel" aria-label="Panel">
      <Tabs name="panel" tabs={TABS} current={tab} onSelect={(id) => { panelTab.value = id; }} />
      <div class="panel-body" role="tabpanel" id={`panel-${tab}`} aria-labelledby={`panel-tab-${tab}`}>
        {tab === "solve" ? <MotionSections session={session} /> : <Learn />}
      </div>
    </aside>
  );
}

export function MotionSections({ session }: { session: MotionSession }) {
  const shown = session.shown.value;
  if (!shown) return <p class="panel-empty hint">{session.awaited.value ? "The settings of the link will be applied when its file is opened." : "The walk is being opened."}</p>;
  return (
    <>
      <ResultSection session={session} report={shown.report} info={shown.info} millis={shown.millis} />
      <CleanSection session={session} />
      <PlantsSection session={session} report={shown.report} info={shown.info} />
      <LookSection session={session} hasSkin={shown.rest.length > 0} />
      <FileSection session={session} info={shown.info} report={shown.report} />
      <ExportSection session={session} />
    </>
  );
}

function tenths(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(1);
}

function measured(value: number | null, { unit }: MotionMetric): string {
  if (value === null) return "–";
  return unit === "" ? value.toFixed(0) : tenths(value);
}

/** The answer in a sentence, then the numbers. */
function ResultSection({ session, report, info, millis }: { session: MotionSession; report: MotionReport; info: MotionInfo; millis: number }) {
  const { isOn } = session.document.value.settings;
  return (
    <Section id="motion-result" title="Before and after" initiallyOpen summary={isOn ? `${tenths(millis)}\u00a0ms` : "off"}>
      <p class="sentence" data-testid="answer">{answer(report, info, isOn)}</p>
      {report.metrics.length > 0 && <Metrics metrics={report.metrics} />}
    </Section>
  );
}

/** The measures that tell most; the others are there when they are asked for. */
const FIRST_MEASURES: readonly string[] = ["drift_median", "drift_max", "visible_share", "pose_distance"];

function Metrics({ metrics }: { metrics: MotionMetric[] }) {
  const [isWhole, setWhole] = useState(false);
  const more = metrics.filter(({ key }) => !FIRST_MEASURES.includes(key)).length;
  return (
    <>
      <div class="table-box">
        <table class="metrics">
          <thead><tr><th scope="col">Feet that stand</th><th scope="col">before</th><th scope="col">after</th></tr></thead>
          <tbody>
            {metrics.map((metric) => (
              <tr key={metric.key} title={metric.sentence} data-metric={metric.key} hidden={!isWhole && !FIRST_MEASURES.includes(metric.key)}>
                <th scope="row">{metric.label}{metric.unit && <span class="metric-unit"> {metric.unit}</span>}</th>
                <td>{measured(metric.before, metric)}</td>
                <td>{measured(metric.after, metric)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {more > 0 && <button type="button" class="link-button" aria-expanded={isWhole} onClick={() => { setWhole(!isWhole); }}>{isWhole ? "Fewer measures" : `${more} more measures`}</button>}
      <p class="hint">Lengths are those of a figure with legs of 0.85 m.</p>
    </>
  );
}

function answer(report: MotionReport, info: MotionInfo, isOn: boolean): string {
  if (info.legs.length === 0) return `No legs were found: ${legsWords(info)}.`;
  if (report.plants.length === 0) return "No foot is planted in this motion, so there is nothing to clean.";
  const isFoot = ({ joint }: MotionPlant) => info.legs.some(({ end, ball }) => end === joint || ball === joint);
  const feet = report.plants.filter(isFoot);
  if (feet.length === 0) return "No foot is planted in this motion; the contacts belong to other joints.";
  const slide = medianSlide(report);
  if (!slide) return "No plant of this motion can be measured.";
  const plants = feet.length === 1 ? "the only plant" : `${feet.length} plants`;
  if (!isOn) return `Feet slide by ${tenths(slide.before)} mm in the middle of ${plants}. Cleaning is off.`;
  if (report.changed === 0) return `Already clean: feet slide by ${tenths(slide.after)} mm in the middle of ${plants}, and nothing was changed.`;
  const path = report.pathChange >= 0.05 ? ` The root trajectory was corrected by up to ${tenths(report.pathChange)} mm.` : "";
  return `Feet slid by ${tenths(slide.before)} mm and now by ${tenths(slide.after)} mm, in the middle of ${plants}; ${report.changed === 1 ? "one joint was" : `${report.changed} joints were`} changed.${path}`;
}

/** Why these are the legs, or why there are none. */
function legsWords({ legsReason }: MotionInfo): string {
  return legsReason.replace(/^no legs: /, "");
}

function CleanSection({ session }: { session: MotionSession }) {
  const { settings } = session.document.value;
  const [on, path, ends, place] = [useId(), useId(), useId(), useId()];
  return (
    <Section id="motion-clean" title="Cleaning" initiallyOpen summary={settings.isOn ? "on" : "off"}>
      <div class="setting">
        <Switch label="Remove foot slide" checked={settings.isOn} describedBy={on} onChange={(isOn) => { session.setSettings({ isOn }); }} />
        <p class="hint" id={on}>Holds each planted foot in place: the leg is solved in closed form, and the hips move along.</p>
      </div>
      {RANGES.map((spec) => <Range key={spec.name} spec={spec} session={session} />)}
      <div class="setting">
        <Select label="Floor" value={settings.floor} choices={FLOORS} onChange={(floor) => { session.setSettings({ floor }); }} />
        <p class="hint">The ground under the feet; for stairs and rough ground, choose each plant at its own height.</p>
      </div>
      <div class="setting">
        <Switch label="Correct the path of the hips" checked={settings.path} describedBy={path} onChange={(value) => { session.setSettings({ path: value }); }} />
        <p class="hint" id={path}>If all feet slide together with the body, the body travels too far or not far enough; its path is then corrected before any leg is.</p>
      </div>
      <div class="setting">
        <Switch label="Keep both ends" checked={settings.keepEnds} describedBy={ends} onChange={(keepEnds) => { session.setSettings({ keepEnds }); }} />
        <p class="hint" id={ends}>For a clip that is cut in between others: its first two and last two frames stay as they are, and so does the path of the hips.</p>
      </div>
      <div class="setting">
        <Switch label="In-place walk" checked={settings.inPlace} describedBy={place} onChange={(inPlace) => { session.setSettings({ inPlace }); }} />
        <p class="hint" id={place}>Feet are evaluated as if the figure moved forward, but it stays in place. Most in-place walks are detected without this.</p>
      </div>
      <Range spec={FADE} session={session} />
    </Section>
  );
}

function Range({ spec, session }: { spec: RangeSpec; session: MotionSession }) {
  const id = useId();
  return (
    <div class="setting">
      <RangeRow
        label={spec.label} unit={spec.unit} value={session.document.value.settings[spec.name]} min={spec.min} max={spec.max} step={spec.step} describedBy={id}
        onChange={(value) => { session.setSettings({ [spec.name]: value }); }}
      />
      <p class="hint" id={id}>{spec.sentence}</p>
    </div>
  );
}

const TONES: Record<MotionPlant["verdict"], { tone: string; icon: typeof CircleCheck }> = {
  fixed: { tone: "good", icon: CircleCheck }, clean: { tone: "good", icon: CircleCheck }, held: { tone: "good", icon: CircleCheck },
  lessened: { tone: "warn", icon: CircleMinus }, released: { tone: "warn", icon: CircleMinus }, skipped: { tone: "warn", icon: CircleMinus },
  unreachable: { tone: "bad", icon: CircleAlert }, missed: { tone: "bad", icon: CircleAlert },
};
/** More plants than this are listed worst first, and no more of them. */
const MOST_PLANTS = 60;

function PlantsSection({ session, report, info }: { session: MotionSession; report: MotionReport; info: MotionInfo }) {
  const rows = report.plants.length > MOST_PLANTS ? [...report.plants].sort((a, b) => b.after - a.after).slice(0, MOST_PLANTS) : report.plants;
  return (
    <Section id="motion-plants" title="Plants" summary={String(report.plants.length)}>
      {rows.length === 0 && <p class="hint">No plants. Add a contact on the timeline to hold a foot.</p>}
      <ul class="plants">
        {rows.map((plant) => <Plant key={`${plant.joint}/${plant.from}`} plant={plant} session={session} info={info} />)}
      </ul>
    </Section>
  );
}

function Plant({ plant, session, info }: { plant: MotionPlant; session: MotionSession; info: MotionInfo }) {
  const { tone, icon: Icon } = TONES[plant.verdict];
  return (
    <li>
      <button type="button" class="plant" onClick={() => { session.pause(); session.goTo(frameAt(info, plant.from)); }}>
        <span class="chip" data-tone={tone}><Icon size={14} aria-hidden />{info.joints[plant.joint]?.name}</span>
        <span class="plant-time">{seconds(plant.from)} to {seconds(plant.to)}</span>
        <span class="plant-words">{plant.verdict}{plant.words && `: ${plant.words}`}</span>
        <span class="plant-drift">{tenths(plant.before)} → {tenths(plant.after)} mm</span>
      </button>
    </li>
  );
}

const COMPARISONS: { value: Comparison; label: string }[] = [
  { value: "ghost", label: "Original as a ghost" },
  { value: "side", label: "Side by side" },
  { value: "result", label: "Result alone" },
  { value: "source", label: "Original alone" },
];

function LookSection({ session, hasSkin }: { session: MotionSession; hasSkin: boolean }) {
  const { view } = session.document.value;
  return (
    <Section id="motion-look" title="View" summary={COMPARISONS.find(({ value }) => value === view.compare)?.label}>
      <Select label="Compare" value={view.compare} choices={COMPARISONS} onChange={(compare) => { session.setView({ compare }); }} />
      <Switch label="Trails of the feet" checked={view.trails} onChange={(trails) => { session.setView({ trails }); }} />
      <Switch label="Follow the figure" checked={view.follow} onChange={(follow) => { session.setView({ follow }); }} />
      {hasSkin && <Switch label="Draw the skin" checked={view.skin} onChange={(skin) => { session.setView({ skin }); }} />}
      {hasSkin && view.skin && <Switch label="Original colours" checked={view.colours} onChange={(colours) => { session.setView({ colours }); }} />}
    </Section>
  );
}

function FileSection({ session, info, report }: { session: MotionSession; info: MotionInfo; report: MotionReport }) {
  const length = (info.nFrames - 1) * info.frameTime;
  return (
    <Section id="motion-file" title="File" summary={info.name}>
      {info.clips.length > 1 && (
        <Select
          label="Clip" value={String(info.clip ?? 0)}
          choices={info.clips.map(({ name, seconds: long }, index) => ({ value: String(index), label: `${name || `clip ${index + 1}`}, ${long.toFixed(1)} s` }))}
          onChange={(value) => { session.chooseClip(Number(value)); }}
        />
      )}
      <dl class="file-facts">
        <div><dt>Length</dt><dd>{length.toFixed(2)} s, {framesWord(info.nFrames, info.frameTime)}</dd></div>
        <div><dt>Joints</dt><dd>{info.joints.length}</dd></div>
        <div><dt>Legs</dt><dd>{info.legs.length === 0 ? "none" : info.legs.map(({ end }) => info.joints[end]?.name).join(", ")}; {legsWords(info)}</dd></div>
        {info.legs.length === 0 && info.candidates.length > 0 && <div><dt>Could be</dt><dd>{info.candidates.join(", ")}</dd></div>}
        <div><dt>Floor</dt><dd>{floorWords(report, info)}</dd></div>
        <div><dt>Read as</dt><dd>{info.survey}</dd></div>
      </dl>
      {info.warnings.length > 0 && <ul class="warnings">{info.warnings.map((warning) => <li key={warning}>{warning}</li>)}</ul>}
      <button type="button" class="button" onClick={() => { session.openWalk(); }}><Footprints size={16} aria-hidden />Open the built-in walk</button>
    </Section>
  );
}

function floorWords({ floor: [point, normal] }: MotionReport, info: MotionInfo): string {
  const up = info.up;
  const cos = normal[0] * up[0] + normal[1] * up[1] + normal[2] * up[2];
  const tilt = (180 / Math.PI) * Math.acos(Math.min(1, Math.max(-1, cos)));
  const height = (point[0] * up[0] + point[1] * up[1] + point[2] * up[2]) * info.millimetresPerUnit / 10;
  return `${tilt < 0.05 ? "level" : `tilted by ${tilt.toFixed(1)}°`}, ${height.toFixed(1)} cm above zero where feet stand`;
}

function ExportSection({ session }: { session: MotionSession }) {
  return (
    <Section id="motion-export" title="Export" initiallyOpen>
      <div class="export-row">
        {motionFiles(session).map(({ icon: Icon, label, act }) => (
          <button key={label} type="button" class="button" onClick={() => void act()}><Icon size={16} aria-hidden />{label}</button>
        ))}
      </div>
      <p class="hint">Only joints that were changed are written; everything else stays as the file has it. Drop a contacts file to use it.</p>
    </Section>
  );
}
