//! What the motion scene did as a program: for the command line, Rust and TypeScript. Each is complete and is run by the tests.

import type { NamedText, Snippet } from "../types.ts";
import { contactsText } from "./contacts.ts";
import type { MotionSettings, ContactEntry, MotionInfo, PoseKey } from "./types.ts";

export interface MotionOrder {
  info: Pick<MotionInfo, "name" | "format" | "clip" | "clips" | "stands" | "nFrames" | "frameTime" | "usual">;
  settings: MotionSettings;
  /** Null: as they are found. */
  contacts: readonly ContactEntry[] | null;
  keys: readonly PoseKey[];
  clip: number;
  /** The motion itself, where people do not have it as a file. */
  motion?: NamedText;
}

/** A file's name without its ending. */
export function stemOf(name: string): string {
  return name.replace(/\.[^.]*$/, "");
}

export function motionSnippets(order: MotionOrder): Snippet[] {
  const files = [order.motion, contactsFile(order)].filter((file) => file !== undefined);
  return [
    { language: "shell", title: "Command line", code: shell(order), files },
    { language: "rust", title: "Rust", code: rust(order), files },
    { language: "typescript", title: "TypeScript", code: typescript(order), files },
  ];
}

function contactsFile({ info, contacts }: MotionOrder): NamedText | undefined {
  return contacts === null ? undefined : { name: `${stemOf(info.name)}.contacts.json`, type: "application/json", text: contactsText(contacts) };
}

/** What is written; a figure at rest has no clip in its file that could be changed. */
function outputOf({ info }: MotionOrder): string {
  return `${stemOf(info.name)}-clean.${info.clip === null ? "glb" : (/\.([^.]*)$/.exec(info.name)?.[1] ?? info.format)}`;
}

/** Whether the file has no motion, and its figure stands for as long as was asked. */
function isStanding({ info }: MotionOrder): boolean {
  return info.stands && info.clip !== null;
}

function secondsOf({ info }: MotionOrder): number {
  return Math.round(1000 * (info.nFrames - 1) * info.frameTime) / 1000;
}

/** The settings that somebody has changed. */
function changed({ info, settings }: MotionOrder): Partial<MotionSettings> {
  return Object.fromEntries(Object.entries(settings).filter(([name, value]) => value !== info.usual[name as keyof MotionSettings]));
}

/** A remark in lines that can be read without scrolling. */
function broken(remark: string): string[] {
  return remark.match(/.{1,72}(?:\s|$)/g)?.map((line) => line.trimEnd()) ?? [remark];
}

// ---------------------------------------------------------------------------------------------------------------- shell

const FLOOR_WORDS = { fit: "fit", level: "level", "per-plant": "steps" } as const;
/** Settings that the command has an option for, or that mean nothing without poses. */
const OPTIONS: readonly string[] = ["isOn", "strength", "floor", "inPlace", "path", "keepEnds", "fade"];

function shell(order: MotionOrder): string {
  const { info, settings, keys, clip } = order;
  const remarks = Object.entries(changed(order)).filter(([name]) => !OPTIONS.includes(name))
    .map(([name, value]) => `The command has no option for ${name}: ${JSON.stringify(value)}; use the library for it.`);
  if (isStanding(order)) remarks.push("The file has no motion, and the command gives it none: use the library.");
  if (keys.length > 0) remarks.push(`The command sets no poses: use the library for ${keys.length === 1 ? "the one" : `the ${keys.length}`} of the page.`);
  const words = [settings.isOn ? "posekit clean" : "posekit check", quoted(info.name)];
  if (settings.isOn) words.push(`-o ${quoted(outputOf(order))}`);
  else remarks.push("Cleaning is off: this measures the feet and changes nothing.");
  if (info.clips.length > 1) words.push(`--clip ${clip + 1}`);
  if (settings.floor !== "fit") words.push(`--floor ${FLOOR_WORDS[settings.floor]}`);
  if (settings.inPlace) words.push("--in-place");
  const file = contactsFile(order);
  if (settings.isOn && settings.strength !== 1) words.push(`--strength ${settings.strength}`);
  if (settings.isOn && !settings.path) words.push("--keep-path");
  if (settings.isOn && settings.keepEnds) words.push("--keep-ends");
  if (settings.isOn && file) words.push(`--contacts ${quoted(file.name)}`);
  return `${remarks.flatMap((remark) => broken(remark)).map((line) => `# ${line}\n`).join("")}${words.join(" ")}\n`;
}

/** A word as a shell takes it. */
function quoted(word: string): string {
  const safe = word.startsWith("-") ? `./${word}` : word;
  return /^[\w./-]+$/.test(safe) ? safe : `'${safe.replaceAll("'", "'\\''")}'`;
}

// ----------------------------------------------------------------------------------------------------------------- Rust

const FLOORS_IN_RUST = { fit: "Fit", level: "Level", "per-plant": "PerPlant" } as const;

function rust(order: MotionOrder): string {
  const { info, settings, keys, clip } = order;
  const { isOn } = settings;
  const posed = keys.length > 0;
  const motion = [...(isOn ? ["CleanSettings", "clean_within"] : []), ...(isOn && settings.floor !== "fit" ? ["FloorChoice"] : []), ...(notCubic(keys).length > 0 ? ["Interpolation"] : []), ...(posed ? ["Layer"] : [])];
  const file = isOn ? contactsFile(order) : undefined;
  const rests = info.clip === null;
  const io = [...(file ? ["ContactsFile"] : []), "Limits", "Warnings", "gltf"];
  const lines = [
    `use posekit_io::motion::{MotionFile, MotionOptions${rests ? ", to_glb" : ""}};`,
    `use posekit_io::{${io.join(", ")}};`,
    ...(motion.length > 0 ? [`use posekit_motion::${motion.length > 1 ? `{${motion.sort(byName).join(", ")}}` : motion.join("")};`] : []),
    "",
    "fn main() -> Result<(), Box<dyn std::error::Error>> {",
    `    let bytes = std::fs::read(${JSON.stringify(info.name)})?;`,
    "    let (options, limits) = (MotionOptions::default(), Limits::default());",
    "    let mut warnings = Warnings::new();",
    ...(isStanding(order) ? [
      "    // The file has no motion: its figure stands at rest.",
      "    let asset =",
      "        gltf::Asset::from_bytes(&bytes, &mut gltf::no_files, &limits, &mut warnings)?;",
      `    let bytes = asset.write_standing("posed", ${float(secondsOf(order))}, 30.0)?.file;`,
    ] : []),
    "    let file =",
    "        MotionFile::from_bytes(&bytes, &mut gltf::no_files, &options, &limits, &mut warnings)?;",
    rests ? "    let clip = &file.rest()?;" : `    let clip = file.clip(${clip})?;`,
    ...(isOn ? cleaning(order, file) : ["    let result = clip.clone();"]),
    ...(posed ? posing(order) : []),
    ...writing(order),
    "    Ok(())",
    "}",
  ];
  return `${lines.join("\n")}\n`;
}

function cleaning(order: MotionOrder, file: NamedText | undefined): string[] {
  const { strength, floor, inPlace, path, keepEnds, ease, release, shortest } = order.settings;
  const { usual } = order.info;
  const set = [
    ...(strength === usual.strength ? [] : [`settings.strength = ${float(strength)};`]),
    ...(floor === usual.floor ? [] : [`settings.floor = FloorChoice::${FLOORS_IN_RUST[floor]};`]),
    ...(inPlace === usual.inPlace ? [] : [`settings.in_place = ${String(inPlace)};`]),
    ...(path === usual.path ? [] : [`settings.path = ${String(path)};`]),
    ...(keepEnds === usual.keepEnds ? [] : [`settings.keep_ends = ${String(keepEnds)};`]),
    ...(ease === usual.ease ? [] : [`settings.ease = ${float(ease)};`]),
    ...(release === usual.release ? [] : [`settings.release = ${float(release)};`]),
    ...(shortest === usual.shortest ? [] : [`settings.shortest = ${float(shortest)};`]),
    ...(file ? [
      `let contacts = ContactsFile::from_json(&std::fs::read_to_string(${JSON.stringify(file.name)})?)?;`,
      "settings.contacts = Some(contacts.to_contacts(clip.skeleton())?);",
    ] : []),
  ];
  const cleaned = ["let keep = file.keeper();", "let cleaned = clean_within(clip, &settings, keep.as_ref())?;"];
  const last = order.keys.length > 0 ? [] : ["let result = cleaned.clip;"];
  return [`let ${set.length > 0 ? "mut " : ""}settings = CleanSettings { legs: file.legs(), ..CleanSettings::default() };`, ...set, ...cleaned, ...last].map((line) => `    ${line}`);
}

/** Poses on top, and what must be held is held again. */
function posing({ settings, keys }: MotionOrder): string[] {
  const from = settings.isOn ? "&cleaned.clip" : "&result";
  const held = "let result = cleaned.hold_again(&layer.apply(&cleaned.clip)?, &settings, keep.as_ref())?.clip;";
  return [
    `let mut layer = Layer::new(${float(settings.fade)});`,
    ...keys.map(({ time, q }) => `layer.set(${from}, ${float(time)}, &[${q.map(float).join(", ")}])?;`),
    ...notCubic(keys).map(({ time, interpolation }) => `layer.set_interpolation(${float(time)}, Interpolation::${interpolation === "step" ? "Step" : "Linear"});`),
    settings.isOn ? held : "let result = layer.apply(&result)?;",
  ].map((line) => `    ${line}`);
}

/** Poses from which the change does not go on smoothly. */
function notCubic(keys: readonly PoseKey[]): PoseKey[] {
  return keys.filter(({ interpolation = "cubic" }) => interpolation !== "cubic");
}

function writing(order: MotionOrder): string[] {
  const { info, clip } = order;
  const output = JSON.stringify(outputOf(order));
  if (info.clip === null) return [`    std::fs::write(${output}, to_glb(&result, ${JSON.stringify(info.name)})?)?;`];
  return [
    `let written = file.write(${clip}, &result, "posekit")?;`,
    'println!("{} joints changed", written.joints[0]);',
    `std::fs::write(${output}, written.file)?;`,
  ].map((line) => `    ${line}`);
}

/** A number that Rust takes for one with a point. */
function float(value: number): string {
  return /[.e]/.test(String(value)) ? String(value) : `${value}.0`;
}

/** Types before functions, as rustfmt has them. */
function byName(a: string, b: string): number {
  const isType = (name: string) => /^[A-Z]/.test(name);
  return isType(a) === isType(b) ? (a < b ? -1 : 1) : isType(a) ? -1 : 1;
}

// ----------------------------------------------------------------------------------------------------------- TypeScript

function typescript(order: MotionOrder): string {
  const { info, keys, clip } = order;
  const file = contactsFile(order);
  const name = JSON.stringify(info.name);
  const numbers = (values: readonly number[]) => `Float64Array.of(${values.join(", ")})`;
  return `import { readFileSync, writeFileSync } from "node:fs";
import init, { Motion } from "posekit/motion";

await init();
const motion = Motion.open(readFileSync(${name}), ${name}, ${clip}${isStanding(order) ? `, ${secondsOf(order)}` : ""});
const settings = ${JSON.stringify(changed(order))};
const contacts = ${file ? `readFileSync(${JSON.stringify(file.name)}, "utf8")` : "null"};
const times = ${numbers(keys.map(({ time }) => time))};
const poses = ${numbers(keys.flatMap(({ q }) => q))};
motion.set(settings, contacts, times, poses${notCubic(keys).length > 0 ? `, ${JSON.stringify(keys.map(({ interpolation }) => interpolation ?? "cubic"))}` : ""});
writeFileSync(${JSON.stringify(outputOf(order))}, motion.write(${info.clip === null ? '"glb"' : '"same"'}));

console.log(motion.report().changed, "joints changed");
motion.free();
`;
}
