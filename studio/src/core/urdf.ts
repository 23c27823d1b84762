//! Limits in the text of a URDF: a range is changed where it stands, and every other byte stays as it is.
//!
//! The library reads robots; this finds no more than the places of numbers in a text that it has accepted.

import type { Range } from "./files.ts";

/** An attribute's value and where it stands between its quotes. */
interface Attribute {
  value: string;
  from: number;
  to: number;
}

/** A start tag; `nameEnd` is just behind its name. */
interface Tag {
  name: string;
  nameEnd: number;
  end: number;
  isClosed: boolean;
  attributes: Map<string, Attribute>;
}

interface RobotJoint {
  name: string;
  kind: string;
  limit: Tag | null;
  mimic: { joint: string; multiplier: number; offset: number } | null;
}

/** Another text between two places. */
interface Edit {
  from: number;
  to: number;
  text: string;
}

/**
 * The text with the range of a joint changed at one end. Joints that follow it are let as far as it then takes them: a gripper whose fingers repeat one
 * range would not open otherwise. The same text where the joint has no range.
 *
 * - `range`: as it is to hold, the other end included
 */
export function withRobotLimit(urdf: string, joint: string, range: Range, end: "min" | "max"): string {
  const joints = jointsOf(urdf);
  const found = joints.find(({ name }) => name === joint);
  if (!found || !hasRange(found)) return urdf;
  const own = end === "min" ? written(found.limit, "lower", range[0]) : written(found.limit, "upper", range[1]);
  const edits = [own, ...joints.flatMap((follower) => widened(follower, wayFrom(joints, follower, joint), range))];
  return edits.toSorted((a, b) => b.from - a.from).reduce((text, edit) => text.slice(0, edit.from) + edit.text + text.slice(edit.to), urdf);
}

function hasRange(joint: RobotJoint): joint is RobotJoint & { limit: Tag } {
  return joint.limit !== null && (joint.kind === "revolute" || joint.kind === "prismatic");
}

/** What a joint's value is of another's that it follows, perhaps by others; null where it does not. */
function wayFrom(joints: readonly RobotJoint[], follower: RobotJoint, driver: string): { multiplier: number; offset: number } | null {
  let [multiplier, offset] = [1, 0];
  let at: RobotJoint | undefined = follower;
  // A ring of followers is refused by the library; no way is longer than there are joints.
  for (let step = 0; at?.mimic && step < joints.length; step += 1) {
    const { mimic }: RobotJoint = at;
    if (!mimic) break;
    offset += multiplier * mimic.offset;
    multiplier *= mimic.multiplier;
    if (mimic.joint === driver) return { multiplier, offset };
    at = joints.find(({ name }) => name === mimic.joint);
  }
  return null;
}

/** What has to be changed so that a follower may go where its driver's range takes it. */
function widened(follower: RobotJoint, way: { multiplier: number; offset: number } | null, range: Range): Edit[] {
  if (!way || !hasRange(follower)) return [];
  const ends = range.map((value) => way.multiplier * value + way.offset).filter(Number.isFinite);
  const [lower, upper] = [bound(follower.limit, "lower"), bound(follower.limit, "upper")];
  const rounding = 1e-9 * (1 + Math.max(0, ...ends.map(Math.abs)));
  const [least, most] = [Math.min(...ends), Math.max(...ends)];
  return [
    ...(least < lower - rounding ? [written(follower.limit, "lower", least)] : []),
    ...(most > upper + rounding ? [written(follower.limit, "upper", most)] : []),
  ];
}

/** A bound as the library reads it: 0 where it is left out. */
function bound(limit: Tag, name: string): number {
  const text = limit.attributes.get(name)?.value.trim() ?? "0";
  if (/^[+-]?inf(inity)?$/i.test(text)) return text.startsWith("-") ? -Infinity : Infinity;
  return Number(text);
}

function written(limit: Tag, name: string, value: number): Edit {
  // No -0: nobody would write it.
  const text = String(value + 0);
  const there = limit.attributes.get(name);
  return there ? { from: there.from, to: there.to, text } : { from: limit.nameEnd, to: limit.nameEnd, text: ` ${name}="${text}"` };
}

function jointsOf(urdf: string): RobotJoint[] {
  const joints: RobotJoint[] = [];
  const open: string[] = [];
  let inside: RobotJoint | null = null;
  for (const tag of tagsOf(urdf)) {
    if (tag === null) {
      open.pop();
      continue;
    }
    if (open.length === 1 && tag.name === "joint") {
      inside = { name: textOf(tag, "name") ?? "", kind: textOf(tag, "type") ?? "", limit: null, mimic: null };
      joints.push(inside);
    } else if (open.length === 2 && open[1] === "joint" && inside !== null) {
      if (tag.name === "limit") inside.limit = tag;
      if (tag.name === "mimic") inside.mimic = { joint: textOf(tag, "joint") ?? "", multiplier: Number(textOf(tag, "multiplier") ?? 1), offset: Number(textOf(tag, "offset") ?? 0) };
    }
    if (!tag.isClosed) open.push(tag.name);
  }
  return joints;
}

/** What is no tag, from its beginning to its end. */
const OTHER_MARKUP: readonly (readonly [string, string])[] = [["<!--", "-->"], ["<![CDATA[", "]]>"], ["<?", "?>"]];

/** The start tags of a well-formed text in its order; null for each end of one that is not closed in itself. */
function* tagsOf(text: string): Generator<Tag | null> {
  for (let at = text.indexOf("<"); at >= 0; at = text.indexOf("<", at)) {
    const other = OTHER_MARKUP.find(([begin]) => text.startsWith(begin, at));
    if (other || text.startsWith("</", at)) {
      const end = text.indexOf(other?.[1] ?? ">", at + (other?.[0].length ?? 2));
      if (end < 0) return;
      if (!other) yield null;
      at = end + 1;
      continue;
    }
    const tag = tagAt(text, at);
    if (!tag) return;
    yield tag;
    at = tag.end;
  }
}

const NAME = /[^\s/>=]+/y;
const ATTRIBUTE = /\s*([^\s/>=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/y;
const END = /\s*(\/?)>/y;

function tagAt(text: string, at: number): Tag | null {
  NAME.lastIndex = at + 1;
  const name = NAME.exec(text)?.[0];
  if (name === undefined) return null;
  const nameEnd = at + 1 + name.length;
  const attributes = new Map<string, Attribute>();
  let next = nameEnd;
  for (;;) {
    ATTRIBUTE.lastIndex = next;
    const found = ATTRIBUTE.exec(text);
    if (!found) break;
    next = ATTRIBUTE.lastIndex;
    const value = found[2] ?? found[3] ?? "";
    attributes.set(found[1] ?? "", { value, from: next - 1 - value.length, to: next - 1 });
  }
  END.lastIndex = next;
  const end = END.exec(text);
  return end ? { name, nameEnd, end: END.lastIndex, isClosed: end[1] === "/", attributes } : null;
}

const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

/** An attribute as XML means it. */
function textOf(tag: Tag, name: string): string | undefined {
  const raw = tag.attributes.get(name)?.value;
  return raw?.replace(/[\t\n\r]/g, " ").replace(/&(#x[0-9a-f]+|#\d+|\w+);/gi, (whole, entity: string) => {
    if (!entity.startsWith("#")) return ENTITIES[entity] ?? whole;
    return String.fromCodePoint(/^#x/i.test(entity) ? Number.parseInt(entity.slice(2), 16) : Number.parseInt(entity.slice(1), 10));
  });
}
