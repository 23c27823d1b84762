//! A robot arm with one tool pose as its goal: its other solutions, its self-motion, and a path that it follows. What is shown of them, and the
//! changes of the document that they lead to.

import { batch, computed, signal, type ReadonlySignal } from "@preact/signals";
import { RequestError, type Client } from "../worker/client.ts";
import { isFigure, type ProblemFile } from "./files.ts";
import type { Surroundings } from "./surroundings.ts";
import { trackWords } from "./words.ts";
import type { ArmFacts, ArmPath, ArmSession, ArmTrack, Dexterity, NearLimit, PoseData, ProblemInfo, RunResult, ShownRun, StudioDocument } from "./types.ts";

/** The most poses of a path. */
export const MOST_POSES = 50;
/** From pose to pose, unless something else is set [s]; and its bounds. */
export const SECONDS = { usual: 1, min: 0.05, max: 60 } as const;

/** The pose of the tool that a problem asks for, 7 numbers; null where it asks for anything else or more. */
export function toolTarget(problem: ProblemFile): number[] | null {
  const [task, ...others] = isFigure(problem) ? problem.tasks : [];
  if (task?.task !== "pose" || others.length > 0 || !task.target || !task.orientation || task.along || task.about) return null;
  return [...task.target, ...task.orientation];
}

/** What the desk needs of the session that it belongs to. */
export interface ArmHost {
  readonly document: ReadonlySignal<StudioDocument>;
  readonly info: ReadonlySignal<ProblemInfo | null>;
  readonly results: ReadonlySignal<RunResult[]>;
  readonly dragging: ReadonlySignal<boolean>;
  readonly client: Client;
  readonly around: Surroundings;
  /** Another document, as a step of undo, which is solved. */
  change(document: StudioDocument, label: string, key?: string): void;
  /** The same with all solvers starting from these joint values. */
  startAt(q: ArrayLike<number>, label: string, key: string | null): void;
  /** Leaves traces and played iterations. */
  goLive(): void;
  tell(what: string, hint: string): void;
}

export class ArmDesk implements ArmSession {
  readonly #facts = signal<ArmFacts | null>(null);
  readonly #track = signal<ArmTrack | null>(null);
  readonly #frame = signal<number | null>(null);
  readonly #running = signal(false);
  readonly hovered = signal<number | null>(null);
  /** What the track at hand belongs to. */
  #tracked: { path: ArmPath | undefined; info: ProblemInfo | null } = { path: undefined, info: null };
  #slides = 0;
  #isLooping = false;

  readonly shown = computed<ShownRun[] | null>(() => {
    const [track, frame, main] = [this.#track.value, this.#frame.value, this.host.results.value[0]];
    if (!track || frame === null || !main) return null;
    const rest = { error: 0, iteration: 0, status: null, blocked: [], phase: null, joint: null, before: null };
    return [{ ...frameAt(track, frame), ...rest, id: main.id, index: 0, method: main.method, visible: true }];
  });

  readonly dexterity = computed<Dexterity | null>(() => {
    const [track, frame] = [this.#track.value, this.#frame.value];
    if (!track || frame === null) return this.#facts.value?.dexterity ?? null;
    return dexterityOf(track.dexterity.subarray(7 * frame, 7 * frame + 7));
  });

  /** What becomes of the path, while it is looked at. */
  readonly said = computed<string | null>(() => {
    const [track, info] = [this.#track.value, this.host.info.value];
    return track && info && this.#frame.value !== null ? trackWords(track, info).long : null;
  });

  constructor(private readonly host: ArmHost) {}

  get facts(): ReadonlySignal<ArmFacts | null> { return this.#facts; }
  get track(): ReadonlySignal<ArmTrack | null> { return this.#track; }
  get frame(): ReadonlySignal<number | null> { return this.#frame; }
  get running(): ReadonlySignal<boolean> { return this.#running; }

  /** Asks for what belongs to the solve that was asked for last. */
  async follow(document: StudioDocument): Promise<void> {
    const { host } = this;
    const target = toolTarget(document.problem);
    const run = document.runs[0];
    const { path } = document;
    const info = host.info.peek();
    const asked = target && run ? host.client.ask<"arm">({ kind: "arm", run: run.id, target, isStill: !host.dragging.peek() }) : null;
    const isKnown = this.#tracked.path === path && this.#tracked.info === info;
    const wanted = target && path && path.poses.length > 1 && !isKnown ? host.client.ask<"track">({ kind: "track", path }) : null;
    const [facts, tracked] = await Promise.allSettled([asked, wanted]);
    for (const answer of [facts, tracked]) {
      if (answer.status === "rejected" && answer.reason instanceof RequestError) host.tell(answer.reason.message, "Undo the last change.");
    }
    // What has been opened meanwhile asks for its own.
    if (host.info.peek() !== info) return;
    this.#tracked = { path, info };
    batch(() => {
      this.#facts.value = facts.status === "fulfilled" ? facts.value : null;
      const track = isKnown && target ? this.#track.peek() : tracked.status === "fulfilled" ? tracked.value : null;
      if (track !== this.#track.peek()) this.leave();
      this.#track.value = track;
    });
  }

  /** Nothing is known of what is being loaded. */
  forget(): void {
    batch(() => {
      this.leave();
      this.#facts.value = null;
      this.#track.value = null;
      this.hovered.value = null;
      this.#tracked = { path: undefined, info: null };
    });
  }

  // -------------------------------------------------------------------------------------------------------------- solutions

  choose(index: number): void {
    const pose = this.#facts.peek()?.solutions[index];
    if (pose) this.host.startAt(pose.q, "Choose another solution", null);
  }

  stepSolution(by: 1 | -1): void {
    const facts = this.#facts.peek();
    const count = facts?.solutions.length ?? 0;
    if (!facts || count === 0) return;
    // From a pose that is none of them, to the first or the last.
    const from = facts.current >= 0 ? facts.current : by > 0 ? -1 : 0;
    const next = (from + by + count) % count;
    if (next !== facts.current) this.choose(next);
  }

  beginSlide(): void {
    this.#slides += 1;
  }

  slide(sample: number): void {
    const motion = this.#facts.peek()?.selfMotion;
    const count = motion?.parameters.length ?? 0;
    const nValues = this.host.info.peek()?.nValues ?? 0;
    const at = Math.min(count - 1, Math.max(0, Math.round(sample)));
    if (!motion || count === 0 || at === motion.at) return;
    this.host.startAt(motion.values.subarray(at * nValues, (at + 1) * nValues), "Self-motion", `slide:${this.#slides}`);
  }

  // -------------------------------------------------------------------------------------------------------------- path

  record(): void {
    const document = this.host.document.peek();
    const target = toolTarget(document.problem);
    const main = this.host.results.peek()[0];
    if (!target || !main) return;
    const { path } = document;
    const poses = path?.poses ?? [];
    if (String(poses.at(-1)) === String(target)) {
      this.host.tell("The path already ends with this pose", "Move the target of the tool first.");
    } else if (poses.length >= MOST_POSES) {
      this.host.tell(`A path has at most ${MOST_POSES} poses`, "Remove one first.");
    } else {
      const start = path?.start ?? Array.from(main.q);
      this.#change({ start, poses: [...poses, target], seconds: path?.seconds ?? SECONDS.usual }, "Record a pose");
    }
  }

  removePose(index: number): void {
    const { path } = this.host.document.peek();
    if (!path) return;
    const poses = path.poses.filter((_, at) => at !== index);
    this.#change(poses.length > 0 ? { ...path, poses } : undefined, "Remove a pose");
  }

  setSeconds(seconds: number): void {
    const { path } = this.host.document.peek();
    if (path) this.#change({ ...path, seconds }, "Change the time of the path", "path:seconds");
  }

  #change(path: ArmPath | undefined, label: string, key?: string): void {
    const { path: _path, ...rest } = this.host.document.peek();
    this.leave();
    this.host.change(path ? { ...rest, path } : rest, label, key);
  }

  // -------------------------------------------------------------------------------------------------------------- time

  play(): void {
    const track = this.#track.peek();
    if (!track || track.nFrames === 0) return;
    const here = this.#frame.peek();
    this.scrub(here === null || here >= track.nFrames - 1 ? 0 : here);
    this.#running.value = true;
    this.#loop();
  }

  pause(): void {
    this.#running.value = false;
  }

  scrub(frame: number): void {
    const track = this.#track.peek();
    if (!track || track.nFrames === 0) return;
    if (this.#frame.peek() === null) this.host.goLive();
    this.#frame.value = Math.min(track.nFrames - 1, Math.max(0, Math.round(frame)));
  }

  leave(): void {
    batch(() => {
      this.#frame.value = null;
      this.#running.value = false;
    });
  }

  /** Goes on from picture to picture as long as the path plays. */
  #loop(): void {
    if (this.#isLooping) return;
    this.#isLooping = true;
    const { around } = this.host;
    let [at, credit] = [around.now(), 0];
    const next = () => {
      const [track, frame] = [this.#track.peek(), this.#frame.peek()];
      if (!this.#running.peek() || !track || frame === null) {
        this.#isLooping = false;
        return;
      }
      const now = around.now();
      credit += ((now - at) / 1000) * track.rate;
      at = now;
      const whole = Math.floor(credit);
      credit -= whole;
      batch(() => {
        if (whole > 0) this.#frame.value = Math.min(track.nFrames - 1, frame + whole);
        if (frame + whole >= track.nFrames - 1) this.#running.value = false;
      });
      around.nextFrame(next);
    };
    around.nextFrame(next);
  }
}

function frameAt({ frames, nValues, nJoints }: ArmTrack, frame: number): PoseData {
  const { q, poses, points } = frames;
  const nPoints = nJoints;
  return {
    q: q.subarray(frame * nValues, (frame + 1) * nValues),
    poses: poses.subarray(7 * frame * nJoints, 7 * (frame + 1) * nJoints),
    points: points.subarray(3 * frame * nPoints, 3 * (frame + 1) * nPoints),
  };
}

/** The library's seven numbers. */
export function dexterityOf(numbers: ArrayLike<number>): Dexterity {
  const [manipulability = 0, smallest = 0, , joint = -1, limit = 0, distance = 0, margin = 1] = Array.from(numbers);
  const near: NearLimit | null = joint < 0 ? null : { joint, limit, distance, margin };
  return { manipulability, smallest, near };
}
