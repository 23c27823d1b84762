//! A robot arm with one tool pose as its goal: its solutions, how it moves about its tool, how well it moves that, and a path for it.

import { ChevronLeft, ChevronRight, Pause, Play, Plus, X } from "lucide-preact";
import { useId } from "preact/hooks";
import { SECONDS, toolTarget } from "../../core/arm.ts";
import type { ArmFacts, ArmPath, ArmTrack, Dexterity, ProblemInfo } from "../../core/types.ts";
import { useSession } from "../context.ts";
import { IconButton, NumberField, Section, Switch } from "../controls.tsx";
import { keysOf } from "../keyboard.ts";
import { drawerOpen } from "../page.ts";
import { angle, count, jointName, nearLimitWords, trackWords } from "../words.ts";
import { Chip } from "./solvers-section.tsx";

export function ArmSection() {
  const session = useSession();
  const { problem, path, view } = session.document.value;
  const [info, facts, dexterity] = [session.info.value, session.arm.facts.value, session.arm.dexterity.value];
  if (!facts || !info || toolTarget(problem) === null) return null;
  return (
    <Section id="arm" title="Robot arm" initiallyOpen summary={count(facts.solutions.length, "solution")}>
      <Solutions facts={facts} />
      <Switch label="Show the other solutions" checked={view.showSolutions !== false} onChange={(on) => { session.setView({ showSolutions: on }); }} />
      {facts.parameter !== null && <SelfMotion facts={facts} info={info} />}
      {dexterity && <DexterityFacts dexterity={dexterity} info={info} />}
      <Path path={path} track={session.arm.track.value} info={info} />
    </Section>
  );
}

function Solutions({ facts: { solutions, current, family } }: { facts: ArmFacts }) {
  const { arm, dragging } = useSession();
  const isLater = dragging.value && family === "";
  const isOnly = solutions.length === 0 || (solutions.length === 1 && current === 0);
  const place = isLater ? "…" : solutions.length === 0 ? "none" : current < 0 ? `none of ${solutions.length}` : `${current + 1} of ${solutions.length}`;
  return (
    <div class="setting">
      <div class="stepper" role="group" aria-label="Solutions">
        <span class="stepper-label">Solution</span>
        <IconButton icon={ChevronLeft} tip="left" label="Previous solution" keys={keysOf("previous-solution")} inactive={isOnly} onClick={() => { arm.stepSolution(-1); }} />
        <output class="stepper-value" aria-live="polite">{place}</output>
        <IconButton icon={ChevronRight} tip="left" label="Next solution" keys={keysOf("next-solution")} inactive={isOnly} onClick={() => { arm.stepSolution(1); }} />
      </div>
      <p class="hint">{solutions.length === 0 && !isLater ? "No solution inside the limits: move the target." : family ? `By formulas: ${family}.` : "The nearest of those found numerically, at most 16."}</p>
    </div>
  );
}

function SelfMotion({ facts: { selfMotion, parameter }, info }: { facts: ArmFacts; info: ProblemInfo }) {
  const { arm } = useSession();
  const id = useId();
  const name = parameter === null || parameter < 0 ? "Arm angle" : `Self-motion: ${jointName(info, parameter)}`;
  const values = selfMotion?.parameters;
  const words = (at: number | undefined) => (at === undefined ? "–" : angle(at));
  return (
    <div class="setting">
      <div class="slider-head"><label for={id}>{name}</label><output class="numbers-text">{words(values?.[selfMotion?.at ?? 0])}</output></div>
      <input
        id={id} type="range" disabled={!values} min={0} max={Math.max(0, (values?.length ?? 1) - 1)} step={1} value={selfMotion?.at ?? 0}
        aria-valuetext={words(values?.[selfMotion?.at ?? 0])}
        onPointerDown={() => { arm.beginSlide(); }}
        onFocus={() => { arm.beginSlide(); }}
        onInput={(event) => { arm.slide(event.currentTarget.valueAsNumber); }}
      />
      <div class="slider-ends" aria-hidden="true"><span>{words(values?.[0])}</span><span>the tool stays</span><span>{words(values?.at(-1))}</span></div>
    </div>
  );
}

function DexterityFacts({ dexterity: { manipulability, smallest, near }, info }: { dexterity: Dexterity; info: ProblemInfo }) {
  return (
    <div class="dexterity">
      <dl class="facts">
        <div><dt>manipulability</dt><dd>{manipulability.toFixed(4)}</dd></div>
        <div><dt>least singular value</dt><dd>{smallest.toFixed(4)}</dd></div>
      </dl>
      {near && (
        <div class="near-limit" data-near={near.margin < 0.1}>
          <span class="near-name">{jointName(info, near.joint)}</span>
          <span class="near-words">{nearLimitWords(near, info)}</span>
          <svg class="near-bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true"><rect width={100 * (1 - near.margin)} height="4" /></svg>
        </div>
      )}
    </div>
  );
}

function Path({ path, track, info }: { path: ArmPath | undefined; track: ArmTrack | null; info: ProblemInfo }) {
  const { arm } = useSession();
  const running = arm.running.value;
  return (
    <div class="arm-path">
      <h3 class="sub-title">Path of the tool</h3>
      {path && <Poses path={path} />}
      {!path && <p class="hint">Record the pose of the tool, move its target, and record again: the arm follows from pose to pose.</p>}
      {path?.poses.length === 1 && <p class="hint">Move the target and record another pose.</p>}
      <div class="button-row">
        <button type="button" class="button" onClick={() => { arm.record(); }}><Plus size={16} aria-hidden />Record this pose<kbd class="inline-key">{keysOf("record")}</kbd></button>
        {track && track.nFrames > 0 && (
          <button type="button" class="button" onClick={() => { if (running) arm.pause(); else { drawerOpen.value = true; arm.play(); } }}>
            {running ? <Pause size={16} aria-hidden /> : <Play size={16} aria-hidden />}{running ? "Pause" : "Play the path"}
          </button>
        )}
      </div>
      {path && path.poses.length > 1 && (
        <NumberField
          label="From pose to pose" unit="s" value={path.seconds} step={0.1} digits={2} min={SECONDS.min} max={SECONDS.max}
          onCommit={(value) => { arm.setSeconds(value); }}
        />
      )}
      {track && <Chip words={trackWords(track, info)} />}
    </div>
  );
}

function Poses({ path }: { path: ArmPath }) {
  const { arm } = useSession();
  return (
    <ol class="poses">
      {path.poses.map((pose, index) => (
        <li key={index}>
          <span class="pose-number">{index + 1}</span>
          <span class="numbers-text">{pose.slice(0, 3).map((value) => value.toFixed(3).replace("-", "−")).join("  ")} m</span>
          <IconButton icon={X} tip="left" label={`Remove pose ${index + 1}`} onClick={() => { arm.removePose(index); }} />
        </li>
      ))}
    </ol>
  );
}
