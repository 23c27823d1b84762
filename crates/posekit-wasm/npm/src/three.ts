//! Characters of three.js: any hierarchy of objects as a skeleton that is solved every frame.
//!
//! Bones keep the axes of their file: limits, offsets and rotations are in a bone's own axes. Scales are supported, also mirrored
//! and unequally scaled ancestors. If bones themselves are scaled unequally, so that their descendants shear when they rotate, the solve is
//! repeated until the effectors are accurate.

import { Matrix3, Matrix4, Quaternion, Vector3 } from "three";
import type { Object3D, Skeleton as ThreeSkeleton } from "three";
import { PosekitError, Problem, softDistance } from "posekit";
import type { FigureJoint, FigureTask, MethodName, Settings, Solver, Status } from "posekit";
import { Bones, chainsOf, describe } from "./bones.js";
import type { BoneOf, LoadedFile } from "./bones.js";
import { isConformal, rotationOf, worldRotationOf } from "./linear.js";

export type { BoneOf, LoadedFile } from "./bones.js";

/** Three numbers, or a vector. */
export type Point = Vector3 | readonly [number, number, number];

/** How a bone may rotate, in its own axes, relative to its rest pose. */
export type BoneLimit =
  | { hinge: Point; min?: number; max?: number }
  | { cone: Point; swing: number; twist?: readonly [number, number] }
  | "fixed";

/** What is asked of an effector, and which parts of its {@link Target} say where. */
export type EffectorTask =
  /** Its point at `position`. */
  | "position"
  /** Its bone's axes as `quaternion`. */
  | "orientation"
  /** Both. */
  | "pose"
  /** Its axis points at `position`. */
  | "look-at"
  /** Its axis points along `direction`: a sole stays level, a glass upright. */
  | "axis-alignment"
  /** Its point in the plane through `position` whose normal is `direction`. */
  | "plane"
  /** Its point in that plane or on the side that the normal points to: above a floor. */
  | "half-space"
  /** Its point as far from that of `to` as `distance`: two hands on one rope. */
  | "distance"
  /** As seen from `to`, its point at `position` and its axes as `quaternion`: two hands on one box. */
  | "relative-pose";

/** A goal of an effector. */
export interface EffectorOptions {
  /** The bone of the effector. */
  bone: BoneOf;
  /** The first bone of its chain, an ancestor; by default the topmost bone. */
  from?: BoneOf;
  /** Default `position`. */
  task?: EffectorTask;
  /** The effector's point in the bone's own space; the bone's origin by default. */
  offset?: Point;
  /** What a `distance` or a `relative-pose` is seen from: a bone, with a chain of its own, and a point in its space. */
  to?: BoneOf | { bone: BoneOf; from?: BoneOf; offset?: Point };
  /** The axis that points, in the bone's own axes; for `look-at` and `axis-alignment`. Default z. */
  axis?: Point;
  /** Its weight relative to others of its level. Default 1. */
  weight?: number;
  /** Its priority level; 1 is the highest. Default 1. */
  level?: number;
  /** The middle joint of its limb, a knee or an elbow, points at `pole` of its target, as far as the effector allows: of the next level. */
  pole?: Point;
  /** The middle joint; by default the second bone of a limb of two bones. */
  mid?: BoneOf;
  /**
   * The last part of its reach, 0 to 1, over which it falls behind its target so that the limb straightens gently; for `position` and `pose`. The result's
   * error is that from where it may go.
   */
  softness?: number;
}

/** Options of a character. */
export interface CharacterOptions {
  /** The effectors by name; names are free. */
  effectors: Record<string, EffectorOptions | BoneOf>;
  /** Limits, by names of bones. */
  limits?: Record<string, BoneLimit>;
  /** Stiffness of bones by name, above 0; 1 for others. */
  stiffness?: Record<string, number>;
  /** The topmost bones rotate (`turn`, the default), are fixed (`pinned`), or rotate and move (`free`). */
  root?: "turn" | "pinned" | "free";
  /**
   * An animation moves the bones before every solve. `AnimationMixer` writes only values that have changed since it wrote them last, so that a bone without new
   * keys would keep what the last solve made of it: with this it starts where the animation left it, and where that does not reach, a third of the last
   * correction further. Default false: every solve starts from the bones.
   */
  animated?: boolean;
  /** The reference pose of limits: the current pose (the default), or the bind pose of the skin. */
  rest?: "current" | "bind";
  /** The method. Default `least-squares`. */
  method?: MethodName;
  /** Settings of the library. */
  settings?: Settings;
}

/** How a solve ended. The same object every time, so that frames allocate nothing. */
export interface CharacterResult {
  /** `reached`, `unreachable`, `blocked`, `stalled` or `iteration-limit`. */
  status: Status;
  isReached: boolean;
  /** Largest position error of the tasks of level 1, in units of the parent space of the topmost bone. */
  error: number;
  /** Largest orientation error, in radians. */
  orientationError: number;
  iterations: number;
}

/** The target of an effector in world space; change it in place. Which parts count depends on the {@link EffectorTask}. */
export interface Target {
  position: Vector3;
  quaternion: Quaternion;
  /** Of any length but zero. */
  direction: Vector3;
  /** From the point of `to`, in the world's unit. */
  distance: number;
  /** Where the middle joint of the limb points, if the effector has a pole. */
  pole: Vector3;
}

/** Repeated solves if rotating a bone changes the shape itself. */
const ROUNDS = 24;

/** With how much of the last correction a solve begins on top of an animation. */
const LEAD = 0.3;

/** Numbers of a pose. */
const POSE = 7;

interface Node {
  object: Object3D;
  /** Index of the parent node; -1 for the base. */
  parent: number;
  /** `root`: a topmost bone; `moving`: rotates; `still`: follows its parent. */
  role: "root" | "moving" | "still";
  limit: BoneLimit | undefined;
  /** The reference of the bone's rotation. */
  rest: Quaternion;
  /** Its matrix in the base's space, and the frame of its joint there. */
  matrix: Matrix4;
  frame: Quaternion;
  at: Vector3;
  /** The values with which the skeleton was placed. */
  position: Vector3;
  scale: Vector3;
  still: Quaternion;
  angle: number;
  /** The pose before the last solve, and after it. */
  animated: { position: Vector3; quaternion: Quaternion };
  /** From there to the last solve's, in the bone's own axes. */
  correction: Quaternion;
  solved: { position: Vector3; quaternion: Quaternion };
  /** Its joint, and where its values are in a configuration; for a root, also where those of its carrier are. */
  joint: number;
  values: number;
  carrier: number;
  name: string;
}

/** A point on a node. */
interface Tip {
  node: number;
  offset: Vector3;
}

interface Effector extends Tip {
  /** What it is seen from, if it is. */
  to: Tip | null;
  /** The nodes that turn, from the first of its chain to its own. */
  chain: number[];
  task: EffectorTask;
  axis: Vector3;
  weight: number;
  level: number;
  softness: number;
  /** The middle joint of its limb, if that has a pole. */
  mid: number | null;
  target: Target;
  numbers: Float64Array;
}

/**
 * A character whose effectors follow targets.
 *
 * Every {@link solve} starts from the current pose of the bones (an animation's, or the last one) and changes it least. Bones that no effector needs are
 * unchanged.
 *
 * @example
 * const character = new Character(gltf.scene, { effectors: { hand: { bone: "RightHand", from: "RightArm" } } });
 * character.target("hand").position.set(0.3, 1.2, 0.4);
 * character.solve();
 */
export class Character {
  private readonly nodes: Node[] = [];
  private readonly effectors = new Map<string, Effector>();
  private readonly base: Object3D | null;
  private problem: Problem | null = null;
  private solver: Solver | null = null;
  private start = new Float64Array(0);
  private found = new Float64Array(0);
  private isRigid = true;
  private readonly options: CharacterOptions;
  private readonly result: CharacterResult = { status: "stalled", isReached: false, error: 0, orientationError: 0, iterations: 0 };
  private readonly stiffness = new Map<Object3D, number>();
  private placements = new Float64Array(0);

  /**
   * @param object - a character: the result of `GLTFLoader`, its scene, the `VRM` of three-vrm, a skinned mesh, its skeleton, or any hierarchy of objects
   */
  constructor(object: Object3D | ThreeSkeleton | LoadedFile, options: CharacterOptions) {
    this.options = options;
    const bones = new Bones(object);
    const effectors = Object.entries(options.effectors).map(([name, given]) => {
      const full: EffectorOptions = isEffector(given) ? given : { bone: given };
      return { name, given: full, ...ending(full, bones), to: otherEnd(name, full, bones) };
    });
    if (effectors.length === 0) throw new PosekitError("a character needs an effector");
    const ends = effectors.flatMap(({ name, to, ...own }) => [{ name, ...own }, ...(to ? [{ name, ...to }] : [])]);
    const { chains, base } = chainsOf(ends, bones.all);
    this.base = base;
    this.collect(bones, chains, ends.filter(({ needsTurn }) => needsTurn).map(({ bone }) => bone));
    for (const each of effectors) this.effectors.set(each.name, this.effector(each, chains, bones));
    for (const [name, stiffness] of Object.entries(options.stiffness ?? {})) this.stiffness.set(bones.find(name), stiffness);
    this.build();
    this.aimWhereTheyAre();
  }

  /** The target of an effector in world space, to be changed in place; initially the effector's own pose. */
  target(name: string): Target {
    const effector = this.effectors.get(name);
    if (!effector) throw new PosekitError(`there is no effector ${JSON.stringify(name)}; there are ${[...this.effectors.keys()].join(", ")}`);
    return effector.target;
  }

  /** The bones that rotate, topmost first. */
  get bones(): Object3D[] {
    return this.nodes.filter((node) => node.role !== "still").map((node) => node.object);
  }

  /** The bones whose limits hold the last solve back. */
  blocked(): Object3D[] {
    const joints = this.solver ? [...this.solver.blocked()] : [];
    const names = this.problem?.names() ?? [];
    return joints.flatMap((joint) => this.nodes.filter((node) => node.name === names[joint]).map((node) => node.object));
  }

  /** Solves for the targets from the current pose, and rotates the bones. */
  solve(): CharacterResult {
    if (this.options.animated) this.restoreAnimation();
    if (this.isStale()) this.placeJoints();
    this.solveOnce();
    if (!this.isRigid) {
      // The solve used the shape of the previous pose; repeat until the predicted and actual effectors agree.
      for (let round = 1; round < ROUNDS && !this.isSettled(); round++) {
        this.placeJoints();
        this.solveOnce();
      }
    }
    if (this.options.animated) for (const node of this.nodes) keep(node.solved, node.object);
    return this.result;
  }

  /** Frees the memory of the solver. */
  dispose(): void {
    this.solver?.free();
    this.problem?.free();
    this.solver = null;
    this.problem = null;
  }

  // ------------------------------------------------------------------------------------------------ from objects to joints

  /** - `turning`: bones that turn themselves, not only their ancestors */
  private collect(bones: Bones, chains: Map<Object3D, Object3D[]>, turning: readonly Object3D[]): void {
    const bind = this.options.rest === "bind" ? bones.bindPose() : null;
    const limits = new Map(Object.entries(this.options.limits ?? {}).map(([name, limit]) => [bones.find(name), limit]));
    const needsTurn = new Set(turning);
    const inner = new Set<Object3D>();
    // Objects between bones that are not bones, such as groups, follow their parent.
    for (const chain of chains.values()) {
      chain.slice(0, -1).forEach((bone, index) => {
        if (index === 0 || bones.all.has(bone)) inner.add(bone);
      });
    }
    const tops = new Set([...chains.values()].map((chain) => chain[0]!));
    const order = new Map<Object3D, number>();
    const include = (object: Object3D): number => {
      if (object === this.base) return -1;
      const known = order.get(object);
      if (known !== undefined) return known;
      const parent = object.parent ? include(object.parent) : -1;
      const turns = inner.has(object) || needsTurn.has(object);
      const role = tops.has(object) ? "root" : turns ? "moving" : "still";
      const index = this.nodes.length;
      order.set(object, index);
      this.nodes.push({
        object,
        parent,
        role,
        limit: limits.get(object),
        rest: (bind?.get(object) ?? object.quaternion).clone().normalize(),
        matrix: new Matrix4(),
        frame: new Quaternion(),
        at: new Vector3(),
        position: new Vector3(),
        scale: new Vector3(),
        still: new Quaternion(),
        angle: 0,
        animated: { position: new Vector3(), quaternion: new Quaternion() },
        correction: new Quaternion(),
        // Nothing that a bone can be: so that the first pose is an animation's.
        solved: { position: new Vector3(NaN), quaternion: new Quaternion(NaN) },
        joint: 0,
        values: 0,
        carrier: 0,
        name: `${index} ${object.name}`,
      });
      return index;
    };
    for (const chain of chains.values()) chain.forEach(include);
    // No bone between a top bone and the base may rotate for another effector.
    for (const node of this.nodes) {
      if (node.role === "root" && this.hasMovingAncestor(node)) node.role = "moving";
    }
  }

  private effector({ name, given, bone, offset, to }: End & { name: string; given: EffectorOptions; to: End | null }, chains: Map<Object3D, Object3D[]>, bones: Bones): Effector {
    const indexOf = (object: Object3D): number => this.nodes.findIndex((node) => node.object === object);
    const task = given.task ?? "position";
    const numbers = NUMBERS[task];
    if (numbers === undefined) throw new PosekitError(`effector ${JSON.stringify(name)}: there is no task ${JSON.stringify(task)}; there are ${Object.keys(NUMBERS).join(", ")}`);
    const softness = given.softness ?? 0;
    if (!(softness >= 0 && softness <= 1)) throw new PosekitError(`effector ${JSON.stringify(name)}: its softness is ${softness}, which is not between 0 and 1`);
    const chain = (chains.get(bone) ?? []).map(indexOf).filter((node) => this.nodes[node]?.role !== "still");
    let mid: number | null = null;
    if (given.pole !== undefined) {
      const limb = chain.filter((node) => this.nodes[node]!.object !== bone);
      if (given.mid === undefined && limb.length !== 2) throw new PosekitError(`effector ${JSON.stringify(name)}: its chain has ${limb.length} bones that turn, not two: give \`mid\` for the pole`);
      mid = given.mid === undefined ? limb[1]! : indexOf(bones.find(given.mid));
      if (!limb.slice(1).includes(mid)) throw new PosekitError(`effector ${JSON.stringify(name)}: \`mid\` is not a bone between the first of its chain and its end`);
    }
    return {
      node: indexOf(bone),
      offset,
      to: to && { node: indexOf(to.bone), offset: to.offset },
      chain,
      task,
      axis: vector(given.axis ?? [0, 0, 1]).normalize(),
      weight: given.weight ?? 1,
      level: given.level ?? 1,
      softness,
      mid,
      target: { position: new Vector3(), quaternion: new Quaternion(), direction: new Vector3(0, 1, 0), distance: 0, pole: vector(given.pole ?? [0, 0, 0]) },
      numbers: new Float64Array(numbers),
    };
  }

  private hasMovingAncestor(node: Node): boolean {
    for (let at = node.parent; at >= 0; at = this.nodes[at]!.parent) {
      if (this.nodes[at]!.role !== "still") return true;
    }
    return false;
  }

  /** Whether a node is part of the skeleton: whatever is below a root. */
  private isInside(node: Node): boolean {
    return node.role === "root" || this.hasMovingAncestor(node);
  }

  /** Forward kinematics in the base's space, with scales. */
  private place(): void {
    for (const node of this.nodes) {
      const { object } = node;
      node.matrix.compose(object.position, object.quaternion, object.scale);
      if (node.parent >= 0) node.matrix.premultiply(this.nodes[node.parent]!.matrix);
      node.at.setFromMatrixPosition(node.matrix);
      // The joint's frame: the bone's rotation and its ancestors, without scale.
      unscaled.compose(object.position, object.quaternion, ONE);
      if (node.parent >= 0) unscaled.premultiply(this.nodes[node.parent]!.matrix);
      if (!rotationOf(unscaled, node.frame)) throw new PosekitError(`${describe(object)}: something above it is scaled to nothing`);
    }
  }

  /** Builds the skeleton, and places its joints as the bones are. */
  private build(): void {
    const joints: FigureJoint[] = [];
    for (const node of this.nodes) {
      if (!this.isInside(node)) continue;
      const isRoot = node.role === "root";
      if (isRoot) joints.push({ name: `${node.name} carrier`, parent: null, kind: "free" });
      joints.push(this.joint(node, isRoot ? `${node.name} carrier` : this.nodes[node.parent]!.name));
    }
    this.problem = Problem.fromJson({ schema: "posekit.figure/1", joints, tasks: this.tasks() });
    this.solver = this.problem.solver();
    const names = this.problem.names();
    const offsets = this.problem.valueOffsets();
    for (const node of this.nodes) {
      node.joint = names.indexOf(node.name);
      node.values = offsets[node.joint] ?? 0;
      node.carrier = offsets[names.indexOf(`${node.name} carrier`)] ?? 0;
    }
    this.start = new Float64Array(this.problem.nValues);
    this.found = new Float64Array(this.problem.nValues);
    this.placements = new Float64Array(POSE * this.problem.nJoints);
    // Unit quaternions; carriers stay at that.
    for (let joint = 0; joint < this.problem.nJoints; joint++) this.placements[POSE * joint + 6] = 1;
    this.placeJoints();
    this.readPose();
    this.solver.begin(this.options.method ?? "least-squares", this.settings(), this.start);
  }

  /** Places the joints, and the frames of the tasks on them, as the bones are, whose positions and scales an animation may change. */
  private placeJoints(): void {
    this.place();
    this.placeBase();
    this.isRigid = true;
    for (const node of this.nodes) {
      const { object } = node;
      node.position.copy(object.position);
      node.scale.copy(object.scale);
      node.still.copy(object.quaternion);
      const axis = this.turns(node) ? hingeOf(node) : null;
      if (axis) node.angle = angleAbout(this.ownTurn(node, turn), axis);
      if (!this.isInside(node)) continue;
      const parent = node.parent >= 0 ? this.nodes[node.parent]! : null;
      // Below unequal scales, rotations shear.
      if (this.turns(node) && parent && !isConformal(parent.matrix)) this.isRigid = false;
      this.placeJoint(node, parent);
    }
    const isRelative = [...this.effectors.values()].some(({ task }) => task === "relative-pose");
    if (isRelative && !(isConformal(baseFromWorld) && baseFromWorld.determinant() > 0)) this.isRigid = false;
    this.solver?.setPlacements(this.placements);
    this.placeFrames();
  }

  /** The placement of a joint: its pose on its parent, without the bone's own rotation. */
  private placeJoint(node: Node, parent: Node | null): void {
    const at = POSE * node.joint;
    turn.copy(node.role === "root" ? this.frameAbove(parent, other) : parent!.frame).invert();
    if (node.role !== "root") point.subVectors(node.at, parent!.at).applyQuaternion(turn).toArray(this.placements, at);
    turn.multiply(node.frame);
    if (this.turns(node)) turn.multiply(this.ownTurn(node, other).invert());
    turn.normalize().toArray(this.placements, at + 3);
  }

  /** Whether the values have a rotation of the node; others are fixed. */
  private turns(node: Node): boolean {
    if (node.limit === "fixed") return false;
    return node.role === "moving" || (node.role === "root" && (this.options.root ?? "turn") === "turn");
  }

  private joint(node: Node, parent: string): FigureJoint {
    const { name, limit } = node;
    if (!this.turns(node)) return { name, parent, kind: "fixed" };
    if (limit === undefined || limit === "fixed") return { name, parent, kind: "ball" };
    if ("hinge" in limit) {
      const isLimited = limit.min !== undefined || limit.max !== undefined;
      const axis = vector(limit.hinge).toArray();
      return { name, parent, kind: "revolute", axis, ...(isLimited ? { limit: [limit.min ?? -Math.PI, limit.max ?? Math.PI] } : {}) };
    }
    const [least, most] = limit.twist ?? [-Math.PI, Math.PI];
    return { name, parent, kind: "ball", cone: { axis: vector(limit.cone).toArray(), swing: limit.swing, twist: [least, most] } };
  }

  /** The rotation of a bone relative to its rest pose, in its own axes. */
  private ownTurn(node: Node, out: Quaternion): Quaternion {
    out.copy(node.rest).invert().multiply(node.object.quaternion).normalize();
    const axis = hingeOf(node);
    if (!axis) return out;
    // The component of the rotation about the hinge; the remainder stays in the joint's placement.
    return out.setFromAxisAngle(axis, angleAbout(out, axis));
  }

  /** The rotation of the parent space of a root. */
  private frameAbove(parent: Node | null, out: Quaternion): Quaternion {
    if (!parent) return out.identity();
    if (!rotationOf(parent.matrix, out)) throw new PosekitError(`${describe(parent.object)} is scaled to nothing`);
    return out;
  }

  /** The tasks, whose frames are placed later: of each effector its own, then its pole. */
  private tasks(): FigureTask[] {
    return [...this.effectors.values()].flatMap((effector) => {
      const { weight, level, chain, mid } = effector;
      const frame = this.nodes[effector.node]!.name;
      const frames: [string, string] = [this.nodes[effector.to?.node ?? effector.node]!.name, frame];
      const [target, orientation, axis]: [[number, number, number], [number, number, number, number], [number, number, number]] = [[0, 0, 0], [0, 0, 0, 1], [0, 0, 1]];
      const own = { weight, level };
      const tasks: Record<EffectorTask, FigureTask> = {
        position: { task: "position", frame, target, ...own },
        orientation: { task: "orientation", frame, orientation, ...own },
        pose: { task: "pose", frame, target, orientation, ...own },
        "look-at": { task: "look-at", frame, axis, target, ...own },
        "axis-alignment": { task: "axis-alignment", frame, axis, direction: axis, ...own },
        plane: { task: "plane", frame, point: target, normal: axis, ...own },
        "half-space": { task: "plane", frame, point: target, normal: axis, one_sided: true, ...own },
        distance: { task: "distance", frames, distance: 1, ...own },
        "relative-pose": { task: "relative-pose", frames, target, orientation, ...own },
      };
      const task = tasks[effector.task];
      if (mid === null) return [task];
      return [task, { task: "pole", frames: [this.nodes[chain[0]!]!.name, frame], mid: axis, target: axis, level: level + 1 }];
    });
  }

  private placeFrames(): void {
    let task = 0;
    for (const effector of this.effectors.values()) {
      const pointer = effector.task === "look-at" || effector.task === "axis-alignment" ? this.pointer(effector, end) : null;
      if (effector.to) this.solver?.setFrame(task, 0, this.frameOn(effector.to, null));
      this.solver?.setFrame(task++, effector.to ? 1 : 0, this.frameOn(effector, pointer));
      if (effector.mid === null) continue;
      const upper = this.nodes[effector.chain[0]!]!;
      this.solver?.setFrame(task, 1, pose.subarray(0, 3));
      turn.copy(upper.frame).invert();
      point.subVectors(this.nodes[effector.mid]!.at, upper.at).applyQuaternion(turn).toArray(pose, 0);
      this.solver?.setFrame(task++, 2, pose.subarray(0, 3));
    }
  }

  /** The frame of a tip on its joint. The same numbers every time.
   *
   * - `pointer`: in the base's space, where its z points; otherwise its axes are those that three.js gives the object in the world */
  private frameOn(tip: Tip, pointer: Vector3 | null): Float64Array {
    const node = this.nodes[tip.node]!;
    const back = turn.copy(node.frame).invert();
    this.tip(tip, point).sub(node.at).applyQuaternion(back).toArray(pose, 0);
    if (pointer) other.setFromUnitVectors(Z, pointer.applyQuaternion(back));
    else other.copy(back.multiply(this.ownRotation(node, other)));
    other.normalize().toArray(pose, 3);
    return pose;
  }

  /** A point of a bone, in the base's space. */
  private tip({ node, offset }: Tip, out: Vector3): Vector3 {
    return out.copy(offset).applyMatrix4(this.nodes[node]!.matrix);
  }

  /** The world orientation of an object, as three.js defines it, in the base's space. */
  private ownRotation(node: Node, out: Quaternion): Quaternion {
    inverse.multiplyMatrices(this.base ? this.base.matrixWorld : IDENTITY, node.matrix);
    if (!worldRotationOf(inverse, out)) throw new PosekitError(`${describe(node.object)} is scaled to nothing`);
    return out.premultiply(baseTurn);
  }

  /** Where the axis of an effector points, in the base's space. */
  private pointer(effector: Effector, out: Vector3): Vector3 {
    const { matrix, at } = this.nodes[effector.node]!;
    return out.copy(effector.axis).applyMatrix4(matrix).sub(at).normalize();
  }

  private settings(): Settings {
    const { options } = this;
    const given = { ...options.settings };
    const locked = (options.root ?? "turn") === "free" ? [] : this.nodes.filter((node) => node.role === "root").map((node) => `${node.name} carrier`);
    const stiffness: Record<string, number> = {};
    for (const node of this.nodes) {
      const own = this.stiffness.get(node.object);
      if (own !== undefined && this.isInside(node)) stiffness[node.name] = own;
    }
    const least = given.least_squares;
    return { ...given, locked, least_squares: { stiffness, ...least } };
  }

  // ------------------------------------------------------------------------------------------------ every frame

  /** Whether an input of the skeleton has changed: positions and scales of bones, rotations of nodes that are not solved. */
  private isStale(): boolean {
    for (const node of this.nodes) {
      const { object, role } = node;
      const axis = this.turns(node) ? hingeOf(node) : null;
      if (axis) {
        // Rotated about another axis than its hinge.
        const angle = angleAbout(this.ownTurn(node, turn), axis);
        turn.setFromAxisAngle(axis, angle - node.angle).premultiply(node.still);
        if (Math.abs(turn.dot(object.quaternion)) < 1 - 1e-12) return true;
      }
      const isMoved = role !== "root" && this.isInside(node) && !object.position.equals(node.position);
      const isTurned = !this.turns(node) && role !== "root" && this.isInside(node) && !object.quaternion.equals(node.still);
      if (isMoved || isTurned || !object.scale.equals(node.scale)) return true;
    }
    return false;
  }

  /** Reads the start of a solve from the bones. */
  private readPose(): void {
    for (const node of this.nodes) {
      if (!this.isInside(node)) continue;
      if (node.role === "root") this.readCarrier(node);
      if (!this.turns(node)) continue;
      const own = this.ownTurn(node, turn);
      const axis = hingeOf(node);
      if (axis) this.start[node.values] = angleAbout(own, axis);
      else own.toArray(this.start, node.values);
    }
  }

  private readCarrier(node: Node): void {
    const parent = node.parent >= 0 ? this.nodes[node.parent]! : null;
    const { object } = node;
    point.copy(object.position);
    if (parent) point.applyMatrix4(parent.matrix);
    point.toArray(this.start, node.carrier);
    const above = this.frameAbove(parent, other);
    // The carrier rotates a root without values of its own, relative to the pose in which the skeleton was built.
    if (!this.turns(node)) above.multiply(object.quaternion).multiply(turn.copy(node.still).invert()).normalize();
    above.toArray(this.start, node.carrier + 3);
  }

  private solveOnce(): void {
    const { problem, solver } = this;
    if (!problem || !solver) throw new PosekitError("the character has been disposed of");
    this.placeStills();
    this.placeBase();
    let task = 0;
    for (const effector of this.effectors.values()) {
      this.aim(effector);
      solver.setTarget(task++, effector.numbers);
      if (effector.mid === null) continue;
      point.copy(effector.target.pole).applyMatrix4(baseFromWorld).toArray(pose, 0);
      solver.setTarget(task++, pose.subarray(0, 3));
    }
    this.readPose();
    solver.restart(this.start);
    if (this.options.animated && !solver.isReached) {
      this.lead();
      this.readPose();
      solver.restart(this.start);
    }
    solver.run();
    solver.configuration(this.found);
    this.writePose();
    const { result } = this;
    result.status = solver.status;
    result.isReached = solver.isReached;
    result.error = solver.error;
    result.orientationError = solver.orientationError;
    result.iterations = solver.iterations;
  }

  /** The pose of the base in the world. */
  private placeBase(): void {
    const { base } = this;
    if (base) base.updateWorldMatrix(true, false);
    baseFromWorld.copy(base ? base.matrixWorld : IDENTITY).invert();
    if (!rotationOf(baseFromWorld, baseTurn)) throw new PosekitError(`${base ? describe(base) : "the base"} is scaled to nothing`);
  }

  /** An animation may have moved ancestors of the roots. */
  private placeStills(): void {
    for (const node of this.nodes) {
      if (this.isInside(node)) continue;
      node.matrix.compose(node.object.position, node.object.quaternion, node.object.scale);
      if (node.parent >= 0) node.matrix.premultiply(this.nodes[node.parent]!.matrix);
    }
  }

  /** Converts a target to the base's space. */
  private aim(effector: Effector): void {
    const { numbers, target, task } = effector;
    switch (task) {
      case "position":
      case "pose":
      case "look-at":
        point.copy(target.position).applyMatrix4(baseFromWorld);
        if (effector.softness > 0 && task !== "look-at") this.soften(effector, point);
        point.toArray(numbers, 0);
        if (task === "pose") turn.copy(baseTurn).multiply(target.quaternion).normalize().toArray(numbers, 3);
        break;
      case "orientation":
        turn.copy(baseTurn).multiply(target.quaternion).normalize().toArray(numbers, 0);
        break;
      case "axis-alignment":
        point.copy(target.direction).transformDirection(baseFromWorld).toArray(numbers, 0);
        break;
      case "plane":
      case "half-space":
        point.copy(target.position).applyMatrix4(baseFromWorld).toArray(numbers, 0);
        // A normal goes the other way: by the transpose of the map from the base to the world.
        inverse.copy(baseFromWorld).invert().transpose();
        point.copy(target.direction).transformDirection(inverse).toArray(numbers, 3);
        break;
      case "distance":
        numbers[0] = Math.abs(target.distance) * this.unit();
        break;
      case "relative-pose":
        // On a mirrored or unequally scaled base the place depends on how the bone is turned.
        this.ownRotation(this.nodes[effector.to!.node]!, seen);
        turn.copy(baseTurn).invert().multiply(seen);
        point.copy(target.position).applyQuaternion(turn).applyMatrix3(linear.setFromMatrix4(baseFromWorld));
        point.applyQuaternion(seen.invert()).toArray(numbers, 0);
        turn.copy(target.quaternion).normalize().toArray(numbers, 3);
        break;
    }
  }

  /** A length of the world in the base's space. */
  private unit(): number {
    return Math.cbrt(Math.abs(baseFromWorld.determinant()));
  }

  /** Moves a target towards the chain's first joint, so that the chain straightens gently. */
  private soften(effector: Effector, target: Vector3): void {
    const { chain } = effector;
    const top = this.nodes[chain[0]!]!.at;
    let reach = 0;
    let last = top;
    for (const index of chain) {
      const { at } = this.nodes[index]!;
      reach += last.distanceTo(at);
      last = at;
    }
    reach += last.distanceTo(this.tip(effector, end));
    const distance = target.distanceTo(top);
    if (distance > 0) target.sub(top).multiplyScalar(softDistance(effector.softness, distance, reach) / distance).add(top);
  }

  /** Puts back bones that the animation left as the last solve made them. */
  private restoreAnimation(): void {
    for (const node of this.nodes) {
      const { object, animated, solved } = node;
      if (object.quaternion.equals(solved.quaternion)) object.quaternion.copy(animated.quaternion);
      if (object.position.equals(solved.position)) object.position.copy(animated.position);
      if (this.turns(node) && !Number.isNaN(solved.quaternion.x)) node.correction.copy(animated.quaternion).invert().multiply(solved.quaternion);
      keep(animated, object);
    }
  }

  /** Turns bones a part of the way that the last solve turned them: a limb that the animation holds straight does not know which way it bent. */
  private lead(): void {
    for (const { object, correction } of this.nodes) {
      object.quaternion.multiply(turn.identity().slerp(correction, LEAD)).normalize();
      correction.identity();
    }
  }

  private writePose(): void {
    const { found } = this;
    for (const node of this.nodes) {
      if (!this.isInside(node)) continue;
      const { object } = node;
      if (node.role === "root" && this.options.root === "free") this.writeCarrier(node);
      if (!this.turns(node)) continue;
      const axis = hingeOf(node);
      if (axis) {
        // A rotation of a hinge's bone about other axes is kept.
        turn.setFromAxisAngle(axis, (found[node.values] ?? 0) - (this.start[node.values] ?? 0));
        object.quaternion.multiply(turn).normalize();
      } else {
        turn.fromArray(found, node.values);
        object.quaternion.copy(other.copy(node.rest).multiply(turn)).normalize();
      }
    }
  }

  private writeCarrier(node: Node): void {
    const { object } = node;
    const parent = node.parent >= 0 ? this.nodes[node.parent]! : null;
    point.fromArray(this.found, node.carrier);
    if (parent) point.applyMatrix4(inverse.copy(parent.matrix).invert());
    object.position.copy(point);
    const above = this.frameAbove(parent, other).invert();
    turn.fromArray(this.found, node.carrier + 3);
    object.quaternion.copy(above.multiply(turn).multiply(node.still)).normalize();
  }

  /** Whether every effector of level 1 is where the solver predicts, or the last round made no significant progress. */
  private isSettled(): boolean {
    this.place();
    const { solver, result } = this;
    if (!solver) return true;
    let worst = 0;
    let angle = 0;
    for (const effector of this.effectors.values()) {
      if (effector.level !== 1 || effector.weight === 0) continue;
      const node = this.nodes[effector.node]!;
      const { task, numbers } = effector;
      this.tip(effector, end);
      if (task === "position" || task === "pose") worst = Math.max(worst, end.distanceTo(point.fromArray(numbers)));
      if (effector.to) {
        this.tip(effector.to, start);
        this.aim(effector);
        if (task === "distance") worst = Math.max(worst, Math.abs(end.distanceTo(start) - numbers[0]!));
        else {
          this.ownRotation(this.nodes[effector.to.node]!, seen).invert();
          worst = Math.max(worst, end.sub(start).applyQuaternion(seen).distanceTo(point.fromArray(numbers)));
          angle = Math.max(angle, angleBetween(turn.fromArray(numbers, 3), this.ownRotation(node, other).premultiply(seen)));
        }
      }
      if (task === "plane" || task === "half-space") {
        const above = end.sub(point.fromArray(numbers)).dot(point.fromArray(numbers, 3));
        worst = Math.max(worst, task === "plane" ? Math.abs(above) : -above);
      }
      if (task === "orientation" || task === "pose") {
        turn.fromArray(numbers, task === "pose" ? 3 : 0);
        angle = Math.max(angle, angleBetween(turn, this.ownRotation(node, other)));
      }
      if (task === "look-at" || task === "axis-alignment") {
        const sight = point.fromArray(numbers);
        if (task === "look-at") sight.sub(end).normalize();
        const looks = this.pointer(effector, end);
        const along = looks.dot(sight);
        angle = Math.max(angle, Math.atan2(looks.cross(sight).length(), along));
      }
    }
    const isDone = worst <= solver.tolerance && angle <= 1e-6;
    const isWorse = worst >= 0.999 * result.error && worst > solver.tolerance && !result.isReached;
    result.error = worst;
    result.orientationError = angle;
    if (result.isReached && !isDone) {
      result.isReached = false;
      result.status = "stalled";
    }
    return isDone || isWorse;
  }

  private aimWhereTheyAre(): void {
    if (this.base) this.base.updateWorldMatrix(true, false);
    const world = this.base ? this.base.matrixWorld : IDENTITY;
    for (const effector of this.effectors.values()) {
      const node = this.nodes[effector.node]!;
      const { target, task } = effector;
      const matrix = inverse.multiplyMatrices(world, node.matrix);
      target.position.copy(effector.offset).applyMatrix4(matrix);
      worldRotationOf(matrix, target.quaternion);
      point.copy(effector.axis).transformDirection(matrix);
      if (task === "look-at") target.position.add(point);
      if (task === "axis-alignment") target.direction.copy(point);
      if (!effector.to) continue;
      matrix.multiplyMatrices(world, this.nodes[effector.to.node]!.matrix);
      start.copy(effector.to.offset).applyMatrix4(matrix);
      target.distance = target.position.distanceTo(start);
      worldRotationOf(matrix, seen);
      target.position.sub(start).applyQuaternion(seen.invert());
      target.quaternion.premultiply(seen);
    }
  }
}

const NUMBERS = { position: 3, orientation: 4, pose: POSE, "look-at": 3, "axis-alignment": 3, plane: 6, "half-space": 6, distance: 1, "relative-pose": POSE } as const satisfies Record<EffectorTask, number>;
const Z = new Vector3(0, 0, 1);
const pose = new Float64Array(POSE);
const ONE = new Vector3(1, 1, 1);
const IDENTITY = new Matrix4();
const unscaled = new Matrix4();
const inverse = new Matrix4();
const baseFromWorld = new Matrix4();
const baseTurn = new Quaternion();
const turn = new Quaternion();
const other = new Quaternion();
const point = new Vector3();
const end = new Vector3();
const start = new Vector3();
const seen = new Quaternion();
const linear = new Matrix3();
const hinge = new Vector3();

/** The unit axis of a hinge. The same vector every time. */
function hingeOf(node: Node): Vector3 | null {
  const { limit } = node;
  if (limit === undefined || limit === "fixed" || !("hinge" in limit)) return null;
  return into(hinge, limit.hinge).normalize();
}

/** The angle of a rotation about an axis, in (-pi, pi]. */
function angleAbout(turn: Quaternion, axis: Vector3): number {
  const along = turn.x * axis.x + turn.y * axis.y + turn.z * axis.z;
  const angle = 2 * Math.atan2(along, turn.w);
  return angle > Math.PI ? angle - 2 * Math.PI : angle <= -Math.PI ? angle + 2 * Math.PI : angle;
}

/** The angle between two orientations. */
function angleBetween(a: Quaternion, b: Quaternion): number {
  return 2 * Math.acos(Math.min(1, Math.abs(a.dot(b))));
}

function keep(pose: { position: Vector3; quaternion: Quaternion }, { position, quaternion }: Object3D): void {
  pose.position.copy(position);
  pose.quaternion.copy(quaternion);
}

function isEffector(given: EffectorOptions | BoneOf): given is EffectorOptions {
  return typeof given === "object" && "bone" in given;
}

/** The end of a chain. */
interface End {
  bone: Object3D;
  from: Object3D | null;
  offset: Vector3;
  /** Its own bone must rotate: for a point at its origin its parents suffice. */
  needsTurn: boolean;
}

function ending({ bone, from, offset, task = "position" }: Pick<EffectorOptions, "bone" | "from" | "offset" | "task">, bones: Bones): End {
  const at = vector(offset ?? [0, 0, 0]);
  const needsTurn = (task !== "position" && task !== "distance") || at.lengthSq() > 0;
  return { bone: bones.find(bone), from: from === undefined ? null : bones.find(from), offset: at, needsTurn };
}

/** The end that an effector is seen from. */
function otherEnd(name: string, { to, task = "position" }: EffectorOptions, bones: Bones): End | null {
  if ((task === "distance" || task === "relative-pose") !== (to !== undefined)) {
    throw new PosekitError(`effector ${JSON.stringify(name)}: the tasks distance and relative-pose, and no others, have a \`to\``);
  }
  if (to === undefined) return null;
  return ending({ ...(typeof to === "object" && "bone" in to ? to : { bone: to }), task }, bones);
}

function vector(of: Point): Vector3 {
  return into(new Vector3(), of);
}

function into(out: Vector3, of: Point): Vector3 {
  return "x" in of ? out.copy(of) : out.set(of[0], of[1], of[2]);
}
