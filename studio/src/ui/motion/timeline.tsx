//! The timeline: time, the contacts of each foot as bars whose ends are dragged, and the keys. Everything in it works with keys too.

import { Diamond, Plus, Trash2, ZoomIn, ZoomOut } from "lucide-preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { signal } from "@preact/signals";
import { frameAt, rowsOf, supportsOf, timeOf, withHold, withSupport, type Row } from "../../core/motion/contacts.ts";
import { INTERPOLATIONS, type ContactEntry, type MotionInfo, type MotionSession } from "../../core/motion/types.ts";
import { IconButton, NumberField, Select } from "../controls.tsx";
import { framesWord } from "../words.ts";
import { follow, hold, moving, newDrag } from "./dragging.ts";

const zoom = signal(1);
const MOST_ZOOM = 32;

export function Timeline({ session }: { session: MotionSession }) {
  const info = session.shown.value?.info;
  if (!info) return <p class="timeline-empty hint">Drop a BVH, GLB or VRM file anywhere on the page.</p>;
  const contacts = session.contacts.value;
  const rows = rowsOf(info, contacts);
  return (
    <div class="timeline">
      <Tools session={session} info={info} contacts={contacts} />
      <div class="timeline-scroll">
        <div class="timeline-rows" data-zoom={zoom.value}>
          <Ruler session={session} info={info} />
          {rows.map((row) => <ContactRow key={row.joint} row={row} session={session} info={info} contacts={contacts} />)}
          <OtherRow session={session} info={info} rows={rows} />
          <KeyRow session={session} info={info} />
        </div>
      </div>
    </div>
  );
}

/** What is done to what is selected. */
function Tools({ session, info, contacts }: { session: MotionSession; info: MotionInfo; contacts: readonly ContactEntry[] }) {
  const picked = session.picked.value;
  const contact = picked?.kind === "contact" ? contacts[picked.index] : undefined;
  const isKey = picked?.kind === "key";
  const row = contact ? contact.joint : undefined;
  const words = contact
    ? row ?? ""
    : isKey ? `Pose at ${seconds(picked.time)}` : session.document.value.contacts === null ? "Detected contacts" : "Contacts set by hand";
  return (
    <div class="timeline-tools" role="group" aria-label="Timeline">
      <IconButton icon={Diamond} tip="above" label="Set the current pose as a key" keys="K" onClick={() => { void session.setKey(); }} />
      <IconButton
        icon={Trash2} tip="above" label={contact ? "Remove this contact" : isKey ? "Remove this key" : "Remove what is selected"} inactive={!contact && !isKey}
        onClick={() => { removePicked(session); }}
      />
      <IconButton icon={ZoomIn} tip="above" label="Zoom in on the timeline" inactive={zoom.value >= MOST_ZOOM} onClick={() => { zoom.value = Math.min(MOST_ZOOM, zoom.value * 2); }} />
      <IconButton icon={ZoomOut} tip="above" label="Zoom out of the timeline" inactive={zoom.value <= 1} onClick={() => { zoom.value = Math.max(1, zoom.value / 2); }} />
      <output class="timeline-words">{words}</output>
      {contact && picked?.kind === "contact" && (["from", "to"] as const).map((end) => (
        <NumberField
          key={end} label={end === "from" ? "From" : "To"} unit="s" value={contact[end]} step={info.frameTime} min={info.start} max={timeOf(info, info.nFrames - 1)} digits={3}
          onCommit={(value) => { place(session, info, picked.index, contact, end, value - contact[end]); }}
        />
      ))}
      {isKey && (
        <Select
          label="Interpolation" value={session.document.value.keys.find(({ time }) => time === picked.time)?.interpolation ?? "cubic"} choices={INTERPOLATIONS}
          onChange={(interpolation) => { session.setInterpolation(picked.time, interpolation); }}
        />
      )}
      {contact && picked?.kind === "contact" && <Holding session={session} info={info} contact={contact} index={picked.index} />}
      {session.document.value.contacts !== null && <button type="button" class="link-button" onClick={() => { session.findContacts(); }}>Find them again</button>}
      {!contact && info.stands && info.clip !== null && (
        <NumberField
          label="Length" unit="s" value={(info.nFrames - 1) * info.frameTime} step={0.5} min={0.1} max={600} digits={2}
          onCommit={(seconds) => { session.setSeconds(seconds); }}
        />
      )}
      {!contact && <span class="timeline-count">{framesWord(info.nFrames, info.frameTime)}</span>}
    </div>
  );
}

const HOLDS = [
  { value: "position", label: "a point" },
  { value: "pose", label: "point and rotation" },
  { value: "surface", label: "a surface" },
] as const satisfies readonly { value: ContactEntry["hold"]; label: string }[];

/** Stands for no joint, and for an object whose poses are in a contacts file: no joint has an empty name. */
const WORLD = "";
const OBJECT = "\0";

/** What a contact holds, and what that is on. */
function Holding({ session, info, contact, index }: { session: MotionSession; info: MotionInfo; contact: ContactEntry; index: number }) {
  const { on } = contact;
  const isObject = on !== undefined && typeof on !== "string";
  const supports = [
    { value: WORLD, label: "the world" },
    ...(isObject ? [{ value: OBJECT, label: "what moves in its file" }] : []),
    ...supportsOf(contact, info).map((name) => ({ value: name, label: name })),
  ];
  return (
    <>
      <Select label="Holds" value={contact.hold} choices={HOLDS} onChange={(hold) => { session.changeContact(index, (old, shown) => withHold(old, hold, shown), "Change what a contact holds"); }} />
      <Select
        label="On" value={isObject ? OBJECT : (on ?? WORLD)} choices={supports}
        onChange={(name) => { if (name !== OBJECT) session.changeContact(index, (old, shown) => withSupport(old, name === WORLD ? undefined : name, shown), "Change what a contact is on"); }}
      />
    </>
  );
}

export function removePicked(session: MotionSession): void {
  const picked = session.picked.peek();
  if (picked?.kind === "contact") session.removeContact(picked.index);
  else if (picked?.kind === "key") session.removeKey(picked.time);
}

export function seconds(time: number): string {
  return `${time.toFixed(2)}\u00a0s`;
}

function shareOf(info: MotionInfo, time: number): number {
  const length = Math.max(info.frameTime, (info.nFrames - 1) * info.frameTime);
  return (100 * (time - info.start)) / length;
}

/** The time under a pointer. */
function timeAt(info: MotionInfo, track: Element, clientX: number): number {
  const box = track.getBoundingClientRect();
  return info.start + Math.min(1, Math.max(0, (clientX - box.left) / Math.max(1, box.width))) * (info.nFrames - 1) * info.frameTime;
}

/** Room for the number of a mark [CSS px]. */
const TICK_ROOM = 52;

/** A step between marks that are far enough apart to be read on a ruler of this width. */
function tickStep(info: MotionInfo, width: number): number {
  const length = (info.nFrames - 1) * info.frameTime;
  const wanted = (length * TICK_ROOM) / width;
  return [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300].find((step) => step >= wanted) ?? 600;
}

function Ruler({ session, info }: { session: MotionSession; info: MotionInfo }) {
  const track = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(640);
  useEffect(() => {
    const box = track.current;
    if (!box) return;
    const watcher = new ResizeObserver(() => { setWidth(Math.max(TICK_ROOM, box.clientWidth)); });
    watcher.observe(box);
    return () => { watcher.disconnect(); };
  }, []);
  const step = tickStep(info, width);
  const end = timeOf(info, info.nFrames - 1);
  const ticks: number[] = [];
  for (let time = Math.ceil(info.start / step) * step; time <= end + 1e-9 && ticks.length < 400; time += step) ticks.push(time);
  const drag = (event: PointerEvent) => {
    if (event.buttons !== 1) return;
    session.pause();
    session.goTo(frameAt(info, timeAt(info, event.currentTarget as Element, event.clientX)));
  };
  return (
    <div class="timeline-row ruler-row">
      <span class="row-label">Time</span>
      <div class="track ruler" ref={track} onPointerDown={(event) => { hold(event); drag(event); }} onPointerMove={drag}>
        <svg class="ticks" aria-hidden="true" width="100%" height="100%">
          {ticks.map((time) => (
            <g key={time}>
              <line x1={`${shareOf(info, time)}%`} x2={`${shareOf(info, time)}%`} y1="14" y2="20" />
              <text x={`${shareOf(info, time)}%`} y="11" text-anchor={shareOf(info, time) < 2 ? "start" : shareOf(info, time) > 98 ? "end" : "middle"}>{time.toFixed(step < 0.1 ? 2 : step < 1 ? 1 : 0)}</text>
            </g>
          ))}
        </svg>
        <Playhead session={session} info={info} />
      </div>
    </div>
  );
}

/** A line through all rows at the frame on show. */
function Playhead({ session, info }: { session: MotionSession; info: MotionInfo }) {
  const line = useRef<HTMLSpanElement>(null);
  useEffect(() => session.frame.subscribe((frame) => {
    // Set from here, so that playing does not render the page anew with every frame.
    if (line.current) line.current.style.left = `${shareOf(info, timeOf(info, frame))}%`;
  }), [session, info]);
  return <span class="playhead" ref={line} aria-hidden="true" />;
}

interface RowProps {
  row: Row;
  session: MotionSession;
  info: MotionInfo;
  contacts: readonly ContactEntry[];
}

function ContactRow({ row, session, info, contacts }: RowProps) {
  const name = info.joints[row.joint]?.name;
  const own = contacts.map((contact, index) => ({ contact, index })).filter(({ contact }) => contact.joint === name);
  return (
    <div class="timeline-row" role="group" aria-label={row.label}>
      <span class="row-label">
        <span class="row-name" title={row.label}>{shortened(row.label)}</span>
        <button
          type="button" class="row-add" aria-label={`Add a contact of ${row.label} at the current frame`} title="Add a contact at the current frame"
          onClick={() => { session.addContact(row.joint, timeOf(info, session.frame.peek())); }}
        ><Plus size={12} aria-hidden /></button>
      </span>
      <div class="track" onDblClick={(event) => { if (event.target === event.currentTarget) session.addContact(row.joint, timeAt(info, event.currentTarget, event.clientX)); }}>
        {own.map(({ contact, index }) => <Bar key={index} contact={contact} index={index} label={row.label} session={session} info={info} />)}
      </div>
    </div>
  );
}

/** Any other joint can be held too: it gets a row with its first contact. */
function OtherRow({ session, info, rows }: { session: MotionSession; info: MotionInfo; rows: readonly Row[] }) {
  const others = info.joints.flatMap(({ name }, joint) => (rows.some((row) => row.joint === joint) ? [] : [{ name, joint }]));
  return (
    <div class="timeline-row">
      <span class="row-label">
        <select
          class="row-other" aria-label="Hold another joint, from the current frame"
          onChange={(event) => {
            const { value } = event.currentTarget;
            event.currentTarget.value = "";
            if (value !== "") session.addContact(Number(value), timeOf(info, session.frame.peek()));
          }}
        >
          <option value="">Hold a joint</option>
          {others.map(({ name, joint }) => <option key={joint} value={String(joint)}>{name}</option>)}
        </select>
      </span>
    </div>
  );
}

type Part = "from" | "to" | "whole";

interface BarProps {
  contact: ContactEntry;
  index: number;
  label: string;
  session: MotionSession;
  info: MotionInfo;
}

/** A contact. Its ends are for pointers; with keys, Alt and the arrows move them, or the numbers above the rows. */
function Bar({ contact, index, label, session, info }: BarProps) {
  const box = useRef<HTMLDivElement>(null);
  const left = shareOf(info, contact.from);
  const width = shareOf(info, contact.to) - left;
  useEffect(() => {
    if (!box.current) return;
    box.current.style.left = `${left}%`;
    box.current.style.width = `max(10px, ${width}%)`;
  }, [left, width]);
  const picked = session.picked.value;
  const isPicked = picked?.kind === "contact" && picked.index === index;
  const pick = () => { session.picked.value = { kind: "contact", index }; };
  const shared = { session, info, index, contact };
  return (
    <div class="bar-box" ref={box} data-picked={isPicked} data-contact={index}>
      <button
        type="button" class="bar-body" aria-pressed={isPicked} aria-label={`${label} holds from ${seconds(contact.from)} to ${seconds(contact.to)}`}
        onClick={pick} onFocus={pick}
        onPointerDown={(event) => { startDrag(event, "whole", shared); pick(); }}
        onKeyDown={(event) => { onBarKey(event, shared); }}
      />
      {(["from", "to"] as const).map((end) => (
        <span key={end} class="bar-end" data-end={end} aria-hidden="true" onPointerDown={(event) => { startDrag(event, end, shared); pick(); }} />
      ))}
    </div>
  );
}

interface Shared {
  session: MotionSession;
  info: MotionInfo;
  index: number;
  contact: ContactEntry;
}

function startDrag(event: PointerEvent, part: Part, { session, info, index, contact }: Shared): void {
  if (event.button !== 0) return;
  const element = event.currentTarget as HTMLElement;
  const track = element.closest(".track");
  if (!track) return;
  event.preventDefault();
  element.closest(".bar-box")?.querySelector("button")?.focus();
  hold(event);
  const key = newDrag();
  const began = timeAt(info, track, event.clientX);
  let mine = session.contacts.peek();
  const onMove = (move: PointerEvent) => {
    // Undo in the middle of a drag lets go.
    if (session.contacts.peek() !== mine) return;
    const by = timeAt(info, track, move.clientX) - began;
    place(session, info, index, contact, part, by, key);
    mine = session.contacts.peek();
  };
  follow(element, onMove, () => { session.endDrag(); });
}

/** Moves one end, which stops at the other, or the whole, which stops at the ends of the clip. */
function place(session: MotionSession, info: MotionInfo, index: number, contact: ContactEntry, part: Part, by: number, key?: string): void {
  const end = timeOf(info, info.nFrames - 1);
  if (part === "from") session.setContact(index, Math.min(contact.from + by, contact.to), contact.to, key);
  else if (part === "to") session.setContact(index, contact.from, Math.max(contact.to + by, contact.from), key);
  else {
    const bounded = Math.min(Math.max(by, info.start - contact.from), end - contact.to);
    session.setContact(index, contact.from + bounded, contact.to + bounded, key);
  }
}

function onBarKey(event: KeyboardEvent, { session, info, index, contact }: Shared): void {
  if (event.key === "Delete" || event.key === "Backspace") {
    event.preventDefault();
    session.removeContact(index);
    return;
  }
  const sign = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[event.key];
  if (sign === undefined || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  if (event.altKey) place(session, info, index, contact, event.shiftKey ? "from" : "to", sign * info.frameTime);
  else place(session, info, index, contact, "whole", sign * (event.shiftKey ? 10 : 1) * info.frameTime);
}

function KeyRow({ session, info }: { session: MotionSession; info: MotionInfo }) {
  const { keys } = session.document.value;
  return (
    <div class="timeline-row" role="group" aria-label="Poses">
      <span class="row-label"><span class="row-name">Poses</span></span>
      <div class="track">
        {keys.map(({ time }, index) => <KeyMark key={index} time={time} session={session} info={info} />)}
        {keys.length === 0 && <span class="track-hint">drag a hand, foot, the hips or the head of the figure to set one</span>}
      </div>
    </div>
  );
}

function KeyMark({ time, session, info }: { time: number; session: MotionSession; info: MotionInfo }) {
  const mark = useRef<HTMLButtonElement>(null);
  useEffect(() => { if (mark.current) mark.current.style.left = `${shareOf(info, time)}%`; }, [time, info]);
  const picked = session.picked.value;
  const pick = () => { session.picked.value = { kind: "key", time }; session.goTo(frameAt(info, time)); };
  return (
    <button
      ref={mark} type="button" class="key-mark" data-key={time} aria-label={`Pose at ${seconds(time)}`} aria-pressed={picked?.kind === "key" && picked.time === time}
      onClick={pick}
      onPointerDown={(event) => { dragKey(event, time, session, info); }}
      onKeyDown={(event) => {
        const sign = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
        if (event.key === "Delete" || event.key === "Backspace") session.removeKey(time);
        else if (sign !== undefined) moveByKey(session, time, time + sign * (event.shiftKey ? 10 : 1) * info.frameTime);
        else return;
        event.preventDefault();
      }}
    />
  );
}

/** The marks are in the order of their times: where one passes another the focus goes with it. */
function moveByKey(session: MotionSession, time: number, to: number): void {
  session.moveKey(time, to);
  const picked = session.picked.peek();
  requestAnimationFrame(() => {
    if (picked?.kind === "key") document.querySelector<HTMLElement>(`.key-mark[data-key="${picked.time}"]`)?.focus();
  });
}

function dragKey(event: PointerEvent, time: number, session: MotionSession, info: MotionInfo): void {
  const element = event.currentTarget as HTMLElement;
  const track = element.closest(".track");
  if (!track || event.button !== 0) return;
  hold(event);
  const moveTo = moving(session, info, time, newDrag());
  follow(element, (move) => { moveTo(timeAt(info, track, move.clientX)); }, () => { session.endDrag(); });
}

/** Long names of joints differ at their ends as often as at their beginnings. */
function shortened(label: string): string {
  return label.length > 14 ? `${label.slice(0, 6)}…${label.slice(-6)}` : label;
}
