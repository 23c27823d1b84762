//! URDF robots: reads the text, returns joint values by name, for urdf-loader or any other program.

import { PosekitError, Problem } from "posekit/robots";
import type { FigureProblem, FigureTask, MethodName, Settings, Solver, Status } from "posekit/robots";

/** Options of a robot. */
export interface RobotOptions {
  /** The link that reaches the target, or several links; by default the end of the robot that the most joints move, or what it is on if it is a finger of a gripper. */
  tip?: string | readonly string[];
  /** The goal of the tips: a `pose` (the default), or only a `position`. */
  task?: "pose" | "position";
  /** The root link floats instead of being fixed in the world. */
  freeRoot?: boolean;
  /** Joint values to start from, by name; zeros, brought inside the limits, for others. */
  start?: Record<string, number | readonly number[]>;
  /** Joints that keep their start values. */
  locked?: readonly string[];
  /** The method. Default `auto`. */
  method?: MethodName;
  /** Settings of the library. */
  settings?: Settings;
}

/** How a solve ended. The same object every time, so that frames allocate nothing. */
export interface RobotResult {
  /** `reached`, `unreachable`, `blocked`, `stalled` or `iteration-limit`. */
  status: Status;
  isReached: boolean;
  /** Largest position error of a tip, in metres. */
  error: number;
  /** Largest orientation error, in radians. */
  orientationError: number;
  iterations: number;
  /** Whether velocity limits stopped the robot before the configuration that the rest is about. */
  isOnItsWay: boolean;
}

/** The joints of a robot of urdf-loader, as far as they are used. */
export interface RobotOfJoints {
  setJointValue(name: string, ...values: number[]): boolean;
  readonly joints?: Readonly<Record<string, { readonly jointValue: readonly number[] }>>;
}

interface Joint {
  name: string;
  kind: number;
  at: number;
  size: number;
  follows: boolean;
  /** Radians or metres; null without limits, which joints of several values do not have. */
  limit: readonly [number, number] | null;
  /** The largest speed, in radians or metres a second; Infinity without one. */
  velocity: number;
}

const SIZES = [0, 1, 1, 4, 7];
const FREE = 4;
/** The kind of a limit that is a range. */
const RANGE = 1;

/**
 * A robot whose tips follow targets in the frame of its root link.
 *
 * Every {@link solve} starts from the values of the last one and changes them least.
 *
 * @example
 * const robot = new Robot(urdfText, { tip: "tool0" });
 * robot.setTarget([0.4, 0.1, 0.5], [1, 0, 0, 0]);
 * console.log(robot.solve().status, robot.values());
 */
export class Robot {
  private readonly problem: Problem;
  private readonly solver: Solver;
  private readonly joints: Joint[];
  private readonly q: Float64Array;
  private readonly found: Float64Array;
  private readonly numbers: Float64Array;
  private readonly tips: string[];
  private readonly result: RobotResult = { status: "stalled", isReached: false, error: 0, orientationError: 0, iterations: 0, isOnItsWay: false };

  /** @param urdf - the text of the robot's file */
  constructor(urdf: string, options: RobotOptions = {}) {
    const { tip, task = "pose", freeRoot = false } = options;
    const wanted = tip === undefined ? [undefined] : typeof tip === "string" ? [tip] : [...tip];
    if (wanted.length === 0) throw new PosekitError("a robot needs a tip");
    const figures = wanted.map((each) => figureOf(urdf, each, freeRoot));
    const tasks = figures.flatMap((figure) => figure.tasks).map((each) => (task === "pose" ? each : positionOf(each)));
    this.tips = tasks.map((each) => each.name!);
    this.problem = Problem.fromJson({ ...figures[0]!, tasks, start: { ...options.start } }, urdf);
    this.solver = this.problem.solver();
    this.q = this.problem.start();
    this.found = new Float64Array(this.q.length);
    this.numbers = new Float64Array(task === "pose" ? 7 : 3);
    const [names, kinds, mimics, offsets] = [this.problem.names(), this.problem.kinds(), this.problem.mimics(), this.problem.valueOffsets()];
    const [limits, velocities] = [this.problem.limits(), this.problem.velocityLimits()];
    this.joints = names.map((name, joint) => ({
      name,
      kind: kinds[joint]!,
      at: offsets[joint]!,
      size: SIZES[kinds[joint]!] ?? 0,
      follows: mimics[joint]! >= 0,
      limit: limits[6 * joint] === RANGE ? [limits[6 * joint + 1]!, limits[6 * joint + 2]!] : null,
      velocity: velocities[joint]!,
    }));
    const settings = { locked: options.locked ?? [], ...options.settings };
    this.solver.begin(options.method ?? "auto", settings);
  }

  /** Warnings of the reader. */
  get warnings(): string[] {
    return this.problem.warnings();
  }

  /** Names of the joints that move, without those that follow others. */
  get jointNames(): string[] {
    return this.joints.filter((joint) => joint.size > 0 && !joint.follows).map((joint) => joint.name);
  }

  /**
   * Sets the target of a tip, in the frame of the root link.
   *
   * @param position - x, y, z in metres
   * @param quaternion - x, y, z, w; without it the target keeps its orientation
   * @param tip - which tip, by its link's name; the first by default
   */
  setTarget(position: ArrayLike<number>, quaternion?: ArrayLike<number>, tip?: string): void {
    const index = tip === undefined ? 0 : this.tips.indexOf(tip);
    if (index < 0) throw new PosekitError(`there is no tip ${JSON.stringify(tip)}; there are ${this.tips.join(", ")}`);
    if (position.length !== 3) throw new PosekitError(`a position is 3 numbers, found ${position.length}`);
    const { numbers } = this;
    numbers.set(position, 0);
    if (numbers.length === 3) {
      if (quaternion) throw new PosekitError("this robot was made for positions only");
      this.solver.setTarget(index, numbers);
    } else if (quaternion) {
      if (quaternion.length !== 4) throw new PosekitError(`a quaternion is 4 numbers, found ${quaternion.length}`);
      numbers.set(quaternion, 3);
      this.solver.setTarget(index, numbers);
    } else {
      this.solver.setTarget(index, numbers.subarray(0, 3));
    }
  }

  /** The range of a joint, in radians or metres; null if it has no limits. */
  limit(name: string): readonly [number, number] | null {
    return this.find(name).limit;
  }

  /** The largest speed of a joint, in radians or metres a second; Infinity where the file gives none. */
  velocityLimit(name: string): number {
    return this.find(name).velocity;
  }

  /**
   * Solves for the targets from the current values.
   *
   * @param seconds - the time of the move: the values go towards the solution, in proportion, as far as the velocity limits allow; without it all the way
   */
  solve(seconds = Infinity): RobotResult {
    if (!(seconds >= 0)) throw new PosekitError(`the time of a move is ${seconds}, which is not 0 or more`);
    const { solver, result } = this;
    solver.restart(this.q);
    solver.run();
    solver.configuration(this.found);
    result.isOnItsWay = !this.move(seconds);
    result.status = solver.status;
    result.isReached = solver.isReached;
    result.error = solver.error;
    result.orientationError = solver.orientationError;
    result.iterations = solver.iterations;
    return result;
  }

  /** Moves the values towards those found, all by the same part of the way; true where that is the whole way. */
  private move(seconds: number): boolean {
    const { q, found } = this;
    let part = 1;
    for (const { at, size, velocity } of this.joints) {
      const way = size === 1 ? Math.abs(found[at]! - q[at]!) : 0;
      if (way > 0 && seconds < Infinity) part = Math.min(part, (velocity * seconds) / way);
    }
    if (part >= 1) {
      q.set(found);
      return true;
    }
    for (const { at, size } of this.joints) {
      // The last four values of a joint with several are a quaternion.
      const rotation = size > 1 ? at + size - 4 : at + size;
      for (let k = at; k < rotation; k++) q[k] = q[k]! + part * (found[k]! - q[k]!);
      if (size > 1) mix(q.subarray(rotation, rotation + 4), found.subarray(rotation, rotation + 4), part);
    }
    return false;
  }

  /** The joints whose limits hold the last solve back, by name. */
  blocked(): string[] {
    return [...this.solver.blocked()].map((joint) => this.joints[joint]!.name);
  }

  /** The value of a joint: radians or metres; x, y, z and a quaternion of one that floats. */
  value(name: string): number | number[] {
    const joint = this.find(name);
    const values = [...this.q.subarray(joint.at, joint.at + joint.size)];
    return values.length === 1 ? values[0]! : values;
  }

  /** All values by name, those of joints that follow others too. */
  values(): Record<string, number | number[]> {
    const moving = this.joints.filter((joint) => joint.size > 0);
    return Object.fromEntries(moving.map((joint) => [joint.name, this.value(joint.name)]));
  }

  /** Starts the next solve from this value of a joint. */
  setValue(name: string, value: number | ArrayLike<number>): void {
    const joint = this.find(name);
    const values = typeof value === "number" ? [value] : Array.from(value);
    if (values.length !== joint.size) throw new PosekitError(`the joint ${JSON.stringify(name)} has ${joint.size} values, found ${values.length}`);
    this.q.set(values, joint.at);
  }

  /**
   * Writes the values to a robot of urdf-loader, or anything else that has `setJointValue`.
   *
   * Mimic joints are not written, because urdf-loader updates them, nor are planar joints, which it treats as one joint.
   */
  applyTo(robot: RobotOfJoints): void {
    for (const joint of this.joints) {
      if (joint.size === 0 || joint.follows) continue;
      if (robot.joints && !(joint.name in robot.joints)) continue;
      const { q } = this;
      if (joint.kind === FREE) {
        const at = joint.at;
        robot.setJointValue(joint.name, q[at]!, q[at + 1]!, q[at + 2]!, ...eulerXyz(q.subarray(at + 3, at + 7)));
      } else {
        robot.setJointValue(joint.name, q[joint.at]!);
      }
    }
  }

  /** Starts the next solve from the values of a robot of urdf-loader; planar joints, which it treats as one joint, are unchanged. */
  readFrom(robot: RobotOfJoints): void {
    for (const joint of this.joints) {
      const values = robot.joints?.[joint.name]?.jointValue;
      if (!values || joint.follows) continue;
      if (joint.size === 1) this.q[joint.at] = values[0] ?? 0;
      else if (joint.kind === FREE && values.length === 6) this.q.set([...values.slice(0, 3), ...fromEulerXyz(values.slice(3))], joint.at);
    }
  }

  /** Frees the memory of the solver. */
  dispose(): void {
    this.solver.free();
    this.problem.free();
  }

  private find(name: string): Joint {
    const joint = this.joints.find((each) => each.name === name && each.size > 0);
    if (!joint) throw new PosekitError(`there is no joint ${JSON.stringify(name)} that moves`);
    return joint;
  }
}

/** Turns a quaternion this part of the way to another, as an interpolation that is normalised. */
function mix(from: Float64Array, to: Float64Array, part: number): void {
  const sign = from.reduce((sum, value, k) => sum + value * to[k]!, 0) < 0 ? -1 : 1;
  for (let k = 0; k < 4; k++) from[k] = (1 - part) * from[k]! + part * sign * to[k]!;
  const length = Math.hypot(...from);
  for (let k = 0; k < 4; k++) from[k] = from[k]! / length;
}

/** The figure of a robot with one task, on this link. */
function figureOf(urdf: string, tip: string | undefined, freeRoot: boolean): FigureProblem {
  const problem = Problem.fromUrdf(urdf, tip, freeRoot);
  const figure = JSON.parse(problem.toFigureJson()) as FigureProblem;
  problem.free();
  return figure;
}

/** The task on the position alone, of one on a pose. */
function positionOf(task: FigureTask): FigureTask {
  if (task.task !== "pose" || !task.target) return task;
  const { name, frame, target } = task;
  return { task: "position", frame, target, ...(name === undefined ? {} : { name }) };
}

/** The Euler angles in three.js's order XYZ, which urdf-loader uses for a floating joint. */
function eulerXyz(rotation: ArrayLike<number>): [number, number, number] {
  const [x, y, z, w] = [rotation[0]!, rotation[1]!, rotation[2]!, rotation[3]!];
  const m13 = Math.max(-1, Math.min(1, 2 * (x * z + y * w)));
  const middle = Math.asin(m13);
  // In gimbal lock the first and the last rotation share an axis; the first takes all of it.
  if (Math.abs(m13) > 1 - 1e-14) return [Math.atan2(2 * (y * z + x * w), 1 - 2 * (x * x + z * z)), middle, 0];
  return [Math.atan2(-2 * (y * z - x * w), 1 - 2 * (x * x + y * y)), middle, Math.atan2(-2 * (x * y - z * w), 1 - 2 * (y * y + z * z))];
}

/** The rotation of such angles, as x, y, z, w. */
function fromEulerXyz(angles: readonly number[]): [number, number, number, number] {
  const [a, b, c] = angles.map((angle) => angle / 2) as [number, number, number];
  const [sa, sb, sc] = [Math.sin(a), Math.sin(b), Math.sin(c)];
  const [ca, cb, cc] = [Math.cos(a), Math.cos(b), Math.cos(c)];
  return [sa * cb * cc + ca * sb * sc, ca * sb * cc - sa * cb * sc, ca * cb * sc + sa * sb * cc, ca * cb * cc - sa * sb * sc];
}
