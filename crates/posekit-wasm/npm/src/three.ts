//! Characters of three.js: any hierarchy of objects as a skeleton that is solved every frame.
//!
//! Bones keep the axes of their file: limits, offsets and rotations are in a bone's own axes. Scales are supported, also mirrored
//! and unequally scaled ancestors. If bones themselves are scaled unequally, so that their descendants shear when they rotate, the solve is
//! repeated until the effectors are accurate.

import { Matrix4, Quaternion, Vector3 } from "three";
import type { Bone, Object3D, Skeleton as ThreeSkeleton, SkinnedMesh } from "three";
import { PosekitError, Problem } from "posekit";
import type { MethodName, Solver, Status } from "posekit";
import { isConformal, rotationOf, worldRotationOf } from "./linear.js";

/** Three numbers, or a vector. */
export type Point = Vector3 | readonly [number, number, number];
/** A bone, or its name. */
export type BoneOf = Object3D | string;

/** How a bone may rotate, in its own axes, relative to its rest pose. */
export type BoneLimit =
  | { hinge: Point; min?: number; max?: number }
  | { cone: Point; swing: number; twist?: readonly [number, number] }
  | "fixed";

/** A goal of an effector. */
export interface EffectorOptions {
  /** The bone of the effector. */
  bone: BoneOf;
  /** The first bone of its chain, an ancestor; by default the topmost bone. */
  from?: BoneOf;
  /** The kind of goal: a position (the default), an orientation, both, or an axis that points at a position. */
  task?: "position" | "orientation" | "pose" | "look-at";
  /** The effector's point in the bone's own space; the bone's origin by default. */
  offset?: Point;
  /** The axis that points, in the bone's own axes; for `look-at`. */
  axis?: Point;
  /** Its weight relative to others of its level. Default 1. */
  weight?: number;
  /** Its priority level; 1 is the highest. Default 1. */
  level?: number;
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
  /** The reference pose of limits: the current pose (the default), or the bind pose of the skin. */
  rest?: "current" | "bind";
  /** The method. Default `least-squares`. */
  method?: MethodName;
  /** Settings of the library. */
  settings?: Record<string, unknown>;
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

/** The target of an effector in world space; change it in place. */
export interface Target {
  position: Vector3;
  quaternion: Quaternion;
}

/** Repeated solves if rotating a bone changes the shape itself. */
const ROUNDS = 24;

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
  /** The values that the skeleton was built with. */
  position: Vector3;
  scale: Vector3;
  still: Quaternion;
  angle: number;
  /** Where its values are in a configuration; for a root, also where those of its carrier are. */
  values: number;
  carrier: number;
  name: string;
}

interface Effector {
  node: number;
  task: "position" | "orientation" | "pose" | "look-at";
  offset: Vector3;
  axis: Vector3;
  weight: number;
  level: number;
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
  private readonly settings: string;

  /**
   * @param object - a character: the scene of a loaded file, a skinned mesh, its skeleton, or any hierarchy of objects
   */
  constructor(object: Object3D | ThreeSkeleton, options: CharacterOptions) {
    this.options = options;
    const bones = bonesOf(object);
    const find = (of: BoneOf): Object3D => findBone(bones, of);
    const effectors = Object.entries(options.effectors).map(([name, given]) => {
      const full: EffectorOptions = isEffector(given) ? given : { bone: given };
      return { name, given: full, bone: find(full.bone), from: full.from === undefined ? null : find(full.from) };
    });
    if (effectors.length === 0) throw new PosekitError("a character needs an effector");
    for (const name of [...Object.keys(options.limits ?? {}), ...Object.keys(options.stiffness ?? {})]) find(name);

    const { chains, base } = chainsOf(effectors, new Set(bones));
    this.base = base;
    this.collect(new Set(bones), chains, effectors, options.rest === "bind" ? bindPose(object) : null);
    for (const { name, given, bone } of effectors) {
      const [task, node] = [given.task ?? "position", this.nodes.findIndex((each) => each.object === bone)];
      this.effectors.set(name, {
        node,
        task,
        offset: vector(given.offset ?? [0, 0, 0]),
        axis: vector(given.axis ?? [0, 0, 1]).normalize(),
        weight: given.weight ?? 1,
        level: given.level ?? 1,
        target: { position: new Vector3(), quaternion: new Quaternion() },
        numbers: new Float64Array(NUMBERS[task]),
      });
    }
    this.settings = this.settingsText();
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
    if (this.isStale()) this.build();
    this.solveOnce();
    if (!this.isRigid) {
      // The solve used the shape of the previous pose; repeat until the predicted and actual effectors agree.
      for (let round = 1; round < ROUNDS && !this.isSettled(); round++) {
        this.build();
        this.solveOnce();
      }
    }
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

  private collect(bones: Set<Object3D>, chains: Map<Object3D, Object3D[]>, effectors: { bone: Object3D; given: EffectorOptions }[], bind: Map<Object3D, Quaternion> | null): void {
    const needsTurn = new Set(effectors.filter(({ given }) => turnsItself(given)).map(({ bone }) => bone));
    const inner = new Set<Object3D>();
    // Objects between bones that are not bones, such as groups, follow their parent.
    for (const chain of chains.values()) {
      chain.slice(0, -1).forEach((bone, index) => {
        if (index === 0 || bones.has(bone)) inner.add(bone);
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
        limit: this.options.limits?.[object.name],
        rest: (bind?.get(object) ?? object.quaternion).clone().normalize(),
        matrix: new Matrix4(),
        frame: new Quaternion(),
        at: new Vector3(),
        position: new Vector3(),
        scale: new Vector3(),
        still: new Quaternion(),
        angle: 0,
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

  /** Builds the skeleton of the current pose. */
  private build(): void {
    this.place();
    this.placeBase();
    this.isRigid = true;
    const joints: string[] = [];
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
      if (node.role === "root") {
        const carrier = { name: `${node.name} carrier`, parent: null, kind: "free" };
        joints.push(JSON.stringify(carrier));
      }
      joints.push(JSON.stringify(this.joint(node, parent)));
    }
    const text = `{ "schema": "posekit.figure/1", "joints": [${joints.join(",\n")}], "tasks": [${this.tasks().join(",\n")}] }`;
    this.dispose();
    this.problem = Problem.fromJson(text);
    this.solver = this.problem.solver();
    const names = this.problem.names();
    const offsets = this.problem.valueOffsets();
    for (const node of this.nodes) {
      node.values = offsets[names.indexOf(node.name)] ?? 0;
      node.carrier = offsets[names.indexOf(`${node.name} carrier`)] ?? 0;
    }
    if (this.start.length !== this.problem.nValues) {
      this.start = new Float64Array(this.problem.nValues);
      this.found = new Float64Array(this.problem.nValues);
    }
    this.readPose();
    this.solver.begin(this.options.method ?? "least-squares", this.settings, this.start);
  }

  private joint(node: Node, parent: Node | null): Record<string, unknown> {
    const above = node.role === "root" ? `${node.name} carrier` : parent!.name;
    const joint: Record<string, unknown> = { name: node.name, parent: above, ...this.motion(node) };
    // From the current pose, without the bone's own rotation.
    turn.copy(node.role === "root" ? this.frameAbove(parent, other) : parent!.frame).invert();
    if (node.role !== "root") {
      joint.position = point.subVectors(node.at, parent!.at).applyQuaternion(turn).toArray();
    }
    turn.multiply(node.frame);
    if (this.turns(node)) turn.multiply(this.ownTurn(node, other).invert());
    joint.rotation = turn.normalize().toArray();
    return joint;
  }

  /** Whether the values have a rotation of the node; others are fixed. */
  private turns(node: Node): boolean {
    if (node.limit === "fixed") return false;
    return node.role === "moving" || (node.role === "root" && (this.options.root ?? "turn") === "turn");
  }

  private motion(node: Node): Record<string, unknown> {
    if (!this.turns(node)) return { kind: "fixed" };
    const { limit } = node;
    if (limit === undefined || limit === "fixed") return { kind: "ball" };
    if ("hinge" in limit) {
      const range = [limit.min ?? -Math.PI, limit.max ?? Math.PI];
      const isLimited = limit.min !== undefined || limit.max !== undefined;
      return { kind: "revolute", axis: vector(limit.hinge).toArray(), ...(isLimited ? { limit: range } : {}) };
    }
    const twist = limit.twist ?? [-Math.PI, Math.PI];
    return { kind: "ball", cone: { axis: vector(limit.cone).toArray(), swing: limit.swing, twist } };
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

  private tasks(): string[] {
    const tasks: string[] = [];
    for (const effector of this.effectors.values()) {
      const node = this.nodes[effector.node]!;
      const { task, weight, level } = effector;
      const back = turn.copy(node.frame).invert();
      const position = point.copy(effector.offset).applyMatrix4(node.matrix).sub(node.at).applyQuaternion(back).toArray();
      const axis = this.pointer(effector, end).applyQuaternion(back).toArray();
      // Orientations are in the world axes that three.js gives the object.
      const rotation = back.multiply(this.ownRotation(node, other)).normalize().toArray();
      const aim = { target: node.at.toArray(), orientation: node.frame.toArray() };
      const { target, orientation } = aim;
      const frame = { joint: node.name, position };
      const turned = { ...frame, rotation };
      const fields = {
        position: { frame, target },
        orientation: { frame: turned, orientation },
        pose: { frame: turned, ...aim },
        "look-at": { frame, target, axis },
      }[task];
      tasks.push(JSON.stringify({ task, ...fields, weight, level }));
    }
    return tasks;
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

  private settingsText(): string {
    const { options } = this;
    const given = { ...options.settings };
    const locked = (options.root ?? "turn") === "free" ? [] : this.nodes.filter((node) => node.role === "root").map((node) => `${node.name} carrier`);
    const stiffness: Record<string, number> = {};
    for (const node of this.nodes) {
      const own = options.stiffness?.[node.object.name];
      if (own !== undefined && this.isInside(node)) stiffness[node.name] = own;
    }
    const least = given.least_squares as Record<string, unknown> | undefined;
    return JSON.stringify({ ...given, locked, least_squares: { stiffness, ...least } });
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
    }
    this.readPose();
    solver.restart(this.start);
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
    let at = 0;
    if (task !== "orientation") {
      point.copy(target.position).applyMatrix4(baseFromWorld).toArray(numbers, 0);
      at = 3;
    }
    if (task === "orientation" || task === "pose") {
      turn.copy(baseTurn).multiply(target.quaternion).normalize().toArray(numbers, at);
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
      end.copy(effector.offset).applyMatrix4(node.matrix);
      if (effector.task === "position" || effector.task === "pose") {
        worst = Math.max(worst, end.distanceTo(point.fromArray(effector.numbers)));
      }
      if (effector.task === "orientation" || effector.task === "pose") {
        turn.fromArray(effector.numbers, effector.task === "pose" ? 3 : 0);
        angle = Math.max(angle, 2 * Math.acos(Math.min(1, Math.abs(turn.dot(this.ownRotation(node, other))))));
      }
      if (effector.task === "look-at") {
        const sight = point.fromArray(effector.numbers).sub(end).normalize();
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
      const matrix = inverse.multiplyMatrices(world, node.matrix);
      effector.target.position.copy(effector.offset).applyMatrix4(matrix);
      worldRotationOf(matrix, effector.target.quaternion);
      if (effector.task === "look-at") effector.target.position.add(point.copy(effector.axis).transformDirection(matrix));
    }
  }
}

const NUMBERS = { position: 3, orientation: 4, pose: 7, "look-at": 3 } as const;
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

function isEffector(given: EffectorOptions | BoneOf): given is EffectorOptions {
  return typeof given === "object" && "bone" in given;
}

/** Whether an effector's own bone must rotate: for a position its parents suffice. */
function turnsItself({ task, offset }: EffectorOptions): boolean {
  const at = vector(offset ?? [0, 0, 0]);
  return (task ?? "position") !== "position" || at.lengthSq() > 0;
}

function vector(of: Point): Vector3 {
  return into(new Vector3(), of);
}

function into(out: Vector3, of: Point): Vector3 {
  return "x" in of ? out.copy(of) : out.set(of[0], of[1], of[2]);
}

function describe(object: Object3D): string {
  return object.name ? `the bone ${JSON.stringify(object.name)}` : "a bone without a name";
}

/** The bones of an object: those of its skins, else its objects of the type Bone, else all of its objects. */
function bonesOf(object: Object3D | ThreeSkeleton): Object3D[] {
  if (!("isObject3D" in object)) return [...object.bones];
  const [skinned, typed, all] = [new Set<Object3D>(), [] as Object3D[], [] as Object3D[]];
  object.traverse((each) => {
    all.push(each);
    if ((each as Bone).isBone) typed.push(each);
    for (const bone of (each as SkinnedMesh).isSkinnedMesh ? ((each as SkinnedMesh).skeleton?.bones ?? []) : []) skinned.add(bone);
  });
  if (skinned.size > 0) return [...skinned, ...typed.filter((bone) => !skinned.has(bone))];
  return typed.length > 0 ? typed : all.slice(1);
}

function findBone(bones: Object3D[], of: BoneOf): Object3D {
  if (typeof of !== "string") return of;
  const [first, second] = bones.filter((bone) => bone.name === of);
  if (!first) {
    const names = bones.slice(0, 12).map((bone) => bone.name).join(", ");
    throw new PosekitError(`there is no bone ${JSON.stringify(of)}; there are ${names}${bones.length > 12 ? ", ..." : ""}`);
  }
  if (second) throw new PosekitError(`there are several bones ${JSON.stringify(of)}; give the object itself`);
  return first;
}

/** The chains from the first bone of each effector to the effector, and their common fixed ancestor. */
function chainsOf(effectors: { name: string; bone: Object3D; from: Object3D | null }[], bones: Set<Object3D>): { chains: Map<Object3D, Object3D[]>; base: Object3D | null } {
  const chains = new Map<Object3D, Object3D[]>();
  for (const { name, bone, from } of effectors) {
    const way: Object3D[] = [bone];
    let top = 0;
    for (let at: Object3D | null = bone; at && at !== from; at = at.parent) {
      if (at !== bone) way.push(at);
      if (bones.has(at)) top = way.length - 1;
    }
    if (from) {
      if (from !== bone && !isAncestor(from, bone)) throw new PosekitError(`effector ${JSON.stringify(name)}: ${describe(from)} is not above ${describe(bone)}`);
      if (from !== bone) way.push(from);
      top = way.length - 1;
    }
    chains.set(bone, merge(chains.get(bone), way.slice(0, top + 1).reverse()));
  }
  const tops = [...chains.values()].map((chain) => chain[0]!);
  return { chains, base: commonParent(tops) };
}

/** The longer of two chains to the same bone. */
function merge(known: Object3D[] | undefined, way: Object3D[]): Object3D[] {
  return known && known.length >= way.length ? known : way;
}

function isAncestor(above: Object3D, of: Object3D): boolean {
  for (let at = of.parent; at; at = at.parent) if (at === above) return true;
  return false;
}

/** The nearest object that is above all of them. */
function commonParent(objects: Object3D[]): Object3D | null {
  let common = objects[0]?.parent ?? null;
  while (common && !objects.every((object) => isAncestor(common!, object))) common = common.parent;
  return common;
}

/** Rotations of the bones in the bind pose of their skin. */
function bindPose(object: Object3D | ThreeSkeleton): Map<Object3D, Quaternion> {
  const pose = new Map<Object3D, Quaternion>();
  const world = new Map<Object3D, Matrix4>();
  const add = (skeleton: ThreeSkeleton): void => {
    skeleton.bones.forEach((bone, index) => {
      const boneInverse = skeleton.boneInverses[index];
      if (boneInverse) world.set(bone, boneInverse.clone().invert());
    });
  };
  if ("isObject3D" in object) {
    object.traverse((each) => {
      if ((each as SkinnedMesh).isSkinnedMesh) add((each as SkinnedMesh).skeleton);
    });
  } else add(object);
  for (const [bone, matrix] of world) {
    const above = bone.parent ? world.get(bone.parent) : undefined;
    if (!above) continue;
    const local = new Quaternion();
    above.clone().invert().multiply(matrix).decompose(new Vector3(), local, new Vector3());
    pose.set(bone, local);
  }
  return pose;
}
