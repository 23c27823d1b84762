//! The library behind the worker's requests: one loaded problem, and a solver for each run on it.

import * as solving from "posekit";
import type { Problem, Solver } from "posekit";
import { mayBeOfArm, type FigureProblem } from "../core/files.ts";
import { settingsFor } from "../core/settings.ts";
import type { PoseData, ProblemInfo, RunResult, Settings, Sketch, SketchOrder, StatusWord, TraceData } from "../core/types.ts";
import { isMethod } from "../core/methods.ts";
import { ArmTable } from "./arm.ts";
import { CrowdState } from "./crowd.ts";
import { describe, inSpace } from "./describe.ts";
import { MotionTable } from "./motion.ts";
import { robots, type Robots } from "./robots.ts";
import type { Answers, Request, RequestKind, RunOrder, Source, TargetOrder } from "./protocol.ts";
import { endingIn, fullTrace, lightTrace, withIterations, type End, type Start } from "./trace.ts";

/** Numbers that the traces of all runs together may have: 8 bytes each, and copied once. */
const MOST_NUMBERS = 4_000_000;
/** Solves are repeated for so long to be timed, behind so much for warming up, in batches of at least so long [ms]; and no more often than that. */
const [MEASURE_FOR, MEASURE_WARM, MEASURE_BATCH, MEASURE_MOST] = [11, 5, 1, 200_000] as const;
/** A method that has not been timed before runs for so long first [ms]: meanwhile the browser puts better code in place of what it compiled in haste. */
const MEASURE_COLD = 60;
/** Batches to take the best of, and how long to wait for them [ms]; fewer are taken only behind the last. Time that goes by in a few batches is the machine's. */
const [MEASURE_BATCHES, MEASURE_LONG, MEASURE_FEWEST, MEASURE_LONGEST] = [8, 55, 3, 250] as const;
/** Iterations in which a joint is brought to where it is dragged. */
const BEND_ITERATIONS = 60;

/** What a problem is read and solved by. */
type Library = typeof solving | typeof Robots;

/** A solver and where it stands. */
interface Seat {
  solver: Solver;
  /** Method, settings and start that it goes on from when played, as text; empty where it begins anew. */
  begun: string;
  /** What it has solved last, or is playing: results, traces and times are of this. */
  order: { run: RunOrder; targets: TargetOrder[] } | null;
  /** Joint values or raw points. */
  last: Float64Array;
  start: Start;
  done: boolean;
}

export class Engine {
  private library: Library = solving;
  private problem: Problem | null = null;
  private info: ProblemInfo | null = null;
  private urdf: string | undefined;
  private readonly seats = new Map<string, Seat>();
  private arm: ArmTable | null = null;
  private bending: { joint: number; problem: Problem; solver: Solver } | null = null;
  /** Methods that have been timed. */
  private readonly warm = new Set<string>();
  private readonly crowd = new CrowdState();
  private readonly motion = new MotionTable();

  async answer(request: Request): Promise<Answers[RequestKind]> {
    switch (request.kind) {
      case "load": return await this.load(request.source);
      case "inspect": return await inspect(request.source);
      case "preview": return await preview(request.source, request.method);
      case "sketch": return await sketch(request.order);
      case "solve": return request.runs.map((run) => this.solve(run, request.targets));
      case "advance": return request.runs.map((run) => this.advance(run, request.targets, request.iterations, request.restart));
      case "trace": return this.trace(request.run);
      case "measure": return this.measure(request.run);
      case "bend": return this.bend(request.joint, request.position, request.from);
      case "robot": return (await robots()).describeRobot(request.text, request.srdf);
      case "poses": return this.poses(request.q);
      case "arm": return this.armFacts(request.run, request.target, request.isStill);
      case "track": return this.arm?.track(request.path) ?? null;
      case "solution": return this.solution(request.run, request.targets, request.trace);
      case "pose-gltf": return solving.poseGltf(request.bytes, request.nodes, request.turns);
      case "crowd": return this.crowd.frame(request.order);
      case "digest": return await digest();
      default: return this.motion.answer(request);
    }
  }

  async load(source: Source): Promise<ProblemInfo> {
    const { library, problem, info } = await read(source);
    this.forget();
    this.library = library;
    this.problem = problem;
    this.urdf = source.kind === "json" ? source.urdf : undefined;
    this.info = info;
    this.arm = "Arm" in library ? new ArmTable(library, problem, info) : null;
    return structuredClone(info);
  }

  /** Gives back what the library holds. */
  forget(): void {
    for (const { solver } of this.seats.values()) solver.free();
    this.seats.clear();
    this.forgetBending();
    this.arm?.free();
    this.arm = null;
    this.problem?.free();
    this.problem = null;
  }

  private forgetBending(): void {
    this.bending?.solver.free();
    this.bending?.problem.free();
    this.bending = null;
  }

  private loaded(): { problem: Problem; info: ProblemInfo } {
    if (!this.problem || !this.info) throw new Error("no problem is loaded");
    return { problem: this.problem, info: this.info };
  }

  private seat(id: string): Seat {
    const { problem, info } = this.loaded();
    const known = this.seats.get(id);
    if (known) return known;
    const last = problem.nJoints > 0 ? info.start.q.slice() : problem.points();
    const seat: Seat = { solver: problem.solver(), begun: "", order: null, last, start: { ...info.start, error: 0, turn: 0 }, done: false };
    this.seats.set(id, seat);
    return seat;
  }

  private begin(seat: Seat, run: RunOrder, targets: TargetOrder[], trace: "off" | "iterations" | "half-steps"): void {
    for (const { task, numbers } of targets) seat.solver.setTarget(task, Float64Array.from(numbers));
    const start = run.start === "last" ? seat.last.slice() : run.start;
    seat.done = false;
    seat.solver.begin(run.method, settingsText(run, trace), start === "problem" ? null : start);
    seat.start = this.end(seat);
    seat.order = { run: { ...run, start }, targets };
  }

  private end(seat: Seat): End {
    const { error, orientationError, iterations } = seat.solver;
    return { ...this.state(seat), error, turn: orientationError, iterations };
  }

  private state({ solver }: Seat): PoseData {
    const { problem, info } = this.loaded();
    const q = new Float64Array(problem.nJoints > 0 ? problem.nValues : 0);
    const poses = new Float64Array(7 * problem.nJoints);
    if (problem.nJoints > 0) {
      solver.configuration(q);
      solver.poses(poses);
    }
    const raw = new Float64Array((info.start.points.length / 3) * problem.dimension);
    solver.points(raw);
    return { q, poses, points: inSpace(raw, problem.dimension) };
  }

  private raw({ solver }: Seat): Float64Array {
    const { problem, info } = this.loaded();
    const out = new Float64Array(problem.nJoints > 0 ? problem.nValues : (info.start.points.length / 3) * problem.dimension);
    if (problem.nJoints > 0) solver.configuration(out);
    else solver.points(out);
    return out;
  }

  solve(run: RunOrder, targets: TargetOrder[]): RunResult {
    const seat = this.seat(run.id);
    try {
      this.begin(seat, run, targets, "iterations");
      seat.solver.run();
    } catch (error) {
      // A start from before a change, outside what the problem now allows: from its own start then.
      return run.start === "problem" ? this.failed(seat, run, error) : this.solve({ ...run, start: "problem" }, targets);
    }
    seat.begun = "";
    seat.done = true;
    seat.last = this.raw(seat);
    return this.result(seat, run.id, lightTrace(seat.solver, seat.start));
  }

  /** Goes on from where it stands; begins anew from there where something has changed. */
  advance(run: RunOrder, targets: TargetOrder[], iterations: number, restart: boolean): RunResult {
    const seat = this.seat(run.id);
    const order = JSON.stringify([run.method, run.settings, targets]);
    try {
      if (restart || seat.begun !== order) {
        this.begin(seat, restart ? run : { ...run, start: "last" }, targets, "iterations");
        seat.begun = order;
      }
      if (!seat.done) seat.done = seat.solver.step(iterations);
    } catch (error) {
      return this.failed(seat, run, error);
    }
    seat.last = this.raw(seat);
    return this.result(seat, run.id, lightTrace(seat.solver, seat.start));
  }

  private result(seat: Seat, id: string, trace: TraceData): RunResult {
    const { solver, done } = seat;
    const method = solver.method;
    const holds = solver.holds();
    return {
      ...this.state(seat),
      id,
      method: isMethod(method) ? method : "auto",
      reason: solver.reason,
      status: solver.status as StatusWord,
      shortfall: solver.shortfall,
      blocked: Array.from(solver.blocked()),
      iterations: solver.iterations,
      error: solver.error,
      orientationError: solver.orientationError,
      tolerance: solver.tolerance,
      orientationTolerance: solver.orientationTolerance,
      escapedAt: solver.escapedAt,
      acceleratedAt: solver.acceleratedAt,
      escapedBy: isMethod(solver.escapedBy) ? solver.escapedBy : null,
      micros: null,
      misses: solver.misses(),
      holds: Array.from({ length: holds.length / 2 }, (_, index) => ({ joint: holds[2 * index] ?? 0, relief: holds[2 * index + 1] ?? 0 })),
      done,
      fault: null,
      trace: endingIn(trace, this.end(seat)),
    };
  }

  /** A run that the library refused: it stays where it was. */
  private failed(seat: Seat, run: RunOrder, error: unknown): RunResult {
    const { info } = this.loaded();
    seat.begun = "";
    seat.order = null;
    return {
      q: info.start.q.slice(),
      poses: info.start.poses.slice(),
      points: info.start.points.slice(),
      id: run.id,
      method: run.method,
      reason: "",
      status: "cancelled",
      shortfall: 0,
      blocked: [],
      iterations: 0,
      error: 0,
      orientationError: 0,
      tolerance: 0,
      orientationTolerance: 0,
      escapedAt: 0,
      acceleratedAt: 0,
      escapedBy: null,
      micros: null,
      misses: new Float64Array(),
      holds: [],
      done: true,
      fault: error instanceof Error ? error.message : String(error),
      trace: null,
    };
  }

  /** With a solver of its own, so that a run goes on undisturbed. */
  private apart<T>(run: RunOrder, work: (seat: Seat) => T): T {
    const { problem, info } = this.loaded();
    const last = this.seats.get(run.id)?.last ?? (problem.nJoints > 0 ? info.start.q : problem.points());
    const seat: Seat = { solver: problem.solver(), begun: "", order: null, last, start: { ...info.start, error: 0, turn: 0 }, done: false };
    try {
      return work(seat);
    } finally {
      seat.solver.free();
    }
  }

  trace(id: string): TraceData | null {
    const order = this.seats.get(id)?.order;
    if (!order) return null;
    const { problem } = this.loaded();
    const { run, targets } = order;
    return this.apart(run, (seat) => {
      this.begin(seat, run, targets, "iterations");
      seat.solver.run();
      const end = this.end(seat);
      const size = problem.nValues + 7 * problem.nJoints + seat.start.points.length;
      const iterations = fullTrace(problem, seat.solver, seat.start, MOST_NUMBERS);
      if (seat.solver.iterations * (1 + halves(run, problem)) * size > MOST_NUMBERS) return endingIn({ ...iterations, thinned: true }, end);
      this.begin(seat, run, targets, "half-steps");
      seat.solver.run();
      return endingIn(withIterations(fullTrace(problem, seat.solver, seat.start, MOST_NUMBERS), iterations), end);
    });
  }

  /** Time of a solve [µs]. */
  measure(id: string): number | null {
    const order = this.seats.get(id)?.order;
    if (!order) return null;
    const { run, targets } = order;
    return this.apart(run, (seat) => {
      this.begin(seat, run, targets, "off");
      seat.solver.run();
      const start = run.start instanceof Float64Array ? run.start : null;
      const { method } = seat.solver;
      // What is run for the first time is still being compiled: that is not counted.
      const began = performance.now() + (this.warm.has(method) ? MEASURE_WARM : MEASURE_COLD);
      this.warm.add(method);
      let [batch, best, repeats, batches] = [1, Infinity, 0, 0];
      while (repeats < MEASURE_MOST) {
        const from = performance.now();
        for (let index = 0; index < batch; index += 1) {
          seat.solver.restart(start);
          seat.solver.run();
        }
        const now = performance.now();
        const isLong = now - from >= MEASURE_BATCH;
        // Short batches grow, because the clock is coarse.
        const repeated = batch;
        if (!isLong) batch *= 2;
        if (now < began) continue;
        repeats += repeated;
        // The best of several: what is more is the machine's, not the solver's.
        if (isLong) best = Math.min(best, (now - from) / repeated);
        batches += isLong ? 1 : 0;
        const spent = now - began;
        const enough = spent >= MEASURE_LONGEST ? 1 : spent >= MEASURE_LONG ? MEASURE_FEWEST : MEASURE_BATCHES;
        if (spent >= MEASURE_FOR && batches >= enough) break;
      }
      return 1000 * best;
    });
  }

  /** The pose that brings a joint to a place, nearest to the one given. Roots that float stay. */
  bend(joint: number, position: number[], from: Float64Array): Float64Array {
    const { solver } = this.bender(joint);
    solver.setTarget(0, Float64Array.from(position));
    solver.begin("least-squares", JSON.stringify({ iterations: BEND_ITERATIONS, least_squares: { restarts: 0 } }), from);
    solver.run();
    const q = new Float64Array(from.length);
    solver.configuration(q);
    return q;
  }

  private bender(joint: number): { solver: Solver } {
    if (this.bending?.joint === joint) return this.bending;
    this.forgetBending();
    const { problem, info } = this.loaded();
    const name = info.names[joint];
    if (name === undefined) throw new Error(`there is no joint ${joint}`);
    const { bodies: _bodies, ...figure } = JSON.parse(problem.toFigureJson()) as FigureProblem;
    const floats = info.kinds.some((kind, index) => kind === "free" && (info.parents[index] ?? -1) < 0);
    const one: FigureProblem = {
      ...figure,
      tasks: [{ task: "position", frame: { joint: name }, target: [0, 0, 0] }],
      settings: { ...figure.settings, ...(floats ? { root: "pinned" as const } : {}) },
    };
    const bent = this.library.Problem.fromJson(JSON.stringify(one), this.urdf);
    this.bending = { joint, problem: bent, solver: bent.solver() };
    return this.bending;
  }

  private poses(q: Float64Array): Float64Array {
    const { problem } = this.loaded();
    const out = new Float64Array(7 * problem.nJoints);
    problem.poses(q, out);
    return out;
  }

  private armFacts(run: string, target: number[], isStill: boolean): Answers["arm"] {
    const { solver, last, done } = this.seat(run);
    return this.arm?.facts(target, last, done && solver.isReached, isStill) ?? null;
  }

  solution(run: RunOrder, targets: TargetOrder[], trace: boolean): string {
    return this.apart(run, (seat) => {
      this.begin(seat, run, targets, trace ? "iterations" : "off");
      seat.solver.run();
      return seat.solver.solutionJson(trace);
    });
  }
}

function settingsText({ method, settings }: RunOrder, trace: NonNullable<Settings["trace"]>): string {
  return JSON.stringify({ ...settingsFor(method, settings), trace });
}

/** Half-steps in an iteration. */
function halves({ method, settings }: RunOrder, problem: Problem): number {
  if (method === "ccd" || method === "auto") return problem.nJoints;
  return method === "relaxation" ? (settings.relaxation?.passes ?? 1) * (1 + problem.points().length / problem.dimension) : 2;
}

/** A problem, by the library with robots if it may be of one. */
async function read(source: Source): Promise<{ library: Library; problem: Problem; info: ProblemInfo }> {
  if (!isOfRobot(source)) {
    const problem = readBy(solving, source);
    const info = describe(problem);
    if (!mayBeOfArm(info.tasks)) return { library: solving, problem, info };
    problem.free();
  }
  const library = await robots();
  const problem = source.kind === "urdf" ? library.Problem.fromUrdf(source.text, undefined, source.free ?? false) : readBy(library, source);
  return { library, problem, info: describe(problem) };
}

type OfNoRobot = Exclude<Source, { kind: "urdf" }>;

function isOfRobot(source: Source): source is Extract<Source, { kind: "urdf" }> {
  return source.kind === "urdf" || (source.kind === "json" && source.urdf !== undefined);
}

function readBy(library: Library, source: OfNoRobot): Problem {
  if (source.kind === "gltf") return library.Problem.fromGltf(source.bytes, undefined, source.free ?? false);
  return source.file ? library.Problem.fromJsonAndFile(source.text, source.file) : library.Problem.fromJson(source.text, source.urdf);
}

async function inspect(source: Source): Promise<Answers["inspect"]> {
  const { problem } = await read(source);
  try {
    return { figure: problem.nJoints > 0 ? problem.toFigureJson() : "", name: "", warnings: problem.warnings() };
  } finally {
    problem.free();
  }
}

/** Another problem solved with an engine of its own, which is given back at once. */
async function preview(source: Source, method: RunOrder["method"]): Promise<Answers["preview"]> {
  const engine = new Engine();
  const info = await engine.load(source);
  try {
    const { q, poses, points, method: ran } = engine.solve({ id: "preview", method, settings: {}, start: "problem" }, []);
    return { info, pose: { q, poses, points }, method: ran };
  } finally {
    engine.forget();
  }
}

/** A chain with an engine of its own, solved for one target after the other. */
async function sketch({ problem, method, settings, isWarm = false, targets }: SketchOrder): Promise<Sketch> {
  const engine = new Engine();
  await engine.load({ kind: "json", text: JSON.stringify(problem) });
  try {
    const results = targets.map((numbers) => engine.solve({ id: "sketch", method, settings, start: isWarm ? "last" : "problem" }, [{ task: 0, numbers }]));
    return { results, trace: engine.trace("sketch") };
  } finally {
    engine.forget();
  }
}

/** The case table through every solver, as `posekit digest` does it. */
async function digest(): Promise<Answers["digest"]> {
  await robots();
  const [{ cases, committed }, { caseNames, Digest }] = await Promise.all([import("./cases.ts"), import("posekit/cases")]);
  const table = new Digest();
  try {
    for (const name of caseNames(cases["index"] ?? "")) table.add(name, cases[name] ?? "");
    return { computed: table.value(), committed };
  } finally {
    table.free();
  }
}
