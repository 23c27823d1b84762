//! The bones of a character of three.js: what they are, what they are called, and the chains from them to effectors.

import { Matrix4, PropertyBinding, Quaternion, Vector3 } from "three";
import type { Bone, Object3D, Skeleton as ThreeSkeleton, SkinnedMesh } from "three";
import { PosekitError } from "posekit";

/** A bone, or its name: that of the object, the one in the file before three.js removes `:` and the like, or in a VRM file the humanoid bone's, such as `leftHand`. */
export type BoneOf = Object3D | string;

/** A loaded file: the result of `GLTFLoader`, whose `parser` knows the humanoid bones of a VRM, or the `VRM` of three-vrm. */
export interface LoadedFile {
  scene: Object3D;
  parser?: { json: unknown; associations: ReadonlyMap<unknown, { nodes?: number } | undefined> };
  humanoid?: { getRawBoneNode(name: never): Object3D | null };
}

/** The bones of an object: those of its skins, else its objects of the type Bone, else all of its objects. */
export class Bones {
  readonly all: ReadonlySet<Object3D>;
  private readonly of: Object3D | ThreeSkeleton;
  private readonly humanoid: (name: string) => Object3D | null;

  constructor(given: Object3D | ThreeSkeleton | LoadedFile) {
    this.of = "scene" in given ? given.scene : given;
    this.humanoid = "scene" in given ? humanoidOf(given) : () => null;
    this.all = new Set("isObject3D" in this.of ? bonesBelow(this.of) : this.of.bones);
  }

  /** The bone of this name. */
  find(of: BoneOf): Object3D {
    if (typeof of !== "string") return of;
    const bones = [...this.all];
    const named = (name: string): Object3D[] => bones.filter((bone) => bone.name === name);
    const [first, second] = named(of);
    if (second) throw new PosekitError(`there are several bones ${JSON.stringify(of)}; give the object itself`);
    const found = first ?? this.humanoid(of) ?? named(PropertyBinding.sanitizeNodeName(of))[0];
    if (found) return found;
    const names = bones.slice(0, 12).map((bone) => bone.name).join(", ");
    throw new PosekitError(`there is no bone ${JSON.stringify(of)}; there are ${names}${bones.length > 12 ? ", ..." : ""}`);
  }

  /** Rotations of the bones in the bind pose of their skin. */
  bindPose(): Map<Object3D, Quaternion> {
    const pose = new Map<Object3D, Quaternion>();
    const world = new Map<Object3D, Matrix4>();
    const add = (skeleton: ThreeSkeleton): void => {
      skeleton.bones.forEach((bone, index) => {
        const boneInverse = skeleton.boneInverses[index];
        if (boneInverse) world.set(bone, boneInverse.clone().invert());
      });
    };
    if ("isObject3D" in this.of) {
      this.of.traverse((each) => {
        if ((each as SkinnedMesh).isSkinnedMesh) add((each as SkinnedMesh).skeleton);
      });
    } else add(this.of);
    for (const [bone, matrix] of world) {
      const above = bone.parent ? world.get(bone.parent) : undefined;
      if (!above) continue;
      const local = new Quaternion();
      above.clone().invert().multiply(matrix).decompose(new Vector3(), local, new Vector3());
      pose.set(bone, local);
    }
    return pose;
  }
}

/** The humanoid bones of a VRM by name: those of three-vrm, or of the file's extension, of either version. */
function humanoidOf({ parser, humanoid }: LoadedFile): (name: string) => Object3D | null {
  if (humanoid) return (name) => humanoid.getRawBoneNode(name as never);
  const nodes = new Map<string, number>();
  const { extensions } = (parser?.json ?? {}) as { extensions?: Record<string, { humanoid?: { humanBones?: unknown } } | undefined> };
  for (const { humanoid } of [extensions?.VRMC_vrm, extensions?.VRM].filter((extension) => extension !== undefined)) {
    const bones = (humanoid?.humanBones ?? {}) as Record<string, { node: number; bone?: string } | undefined>;
    for (const [name, bone] of Object.entries(bones)) if (bone) nodes.set(bone.bone ?? name, bone.node);
  }
  return (name) => {
    const wanted = nodes.get(name);
    if (wanted === undefined) return null;
    for (const [object, made] of parser?.associations ?? []) if (made?.nodes === wanted && (object as Object3D).isObject3D) return object as Object3D;
    return null;
  };
}

function bonesBelow(object: Object3D): Object3D[] {
  const [skinned, typed, all] = [new Set<Object3D>(), [] as Object3D[], [] as Object3D[]];
  object.traverse((each) => {
    all.push(each);
    if ((each as Bone).isBone) typed.push(each);
    for (const bone of (each as SkinnedMesh).isSkinnedMesh ? ((each as SkinnedMesh).skeleton?.bones ?? []) : []) skinned.add(bone);
  });
  if (skinned.size > 0) return [...skinned, ...typed.filter((bone) => !skinned.has(bone))];
  return typed.length > 0 ? typed : all.slice(1);
}

/** The chains from the first bone of each effector to the effector, and their common fixed ancestor. */
export function chainsOf(effectors: { name: string; bone: Object3D; from: Object3D | null }[], bones: ReadonlySet<Object3D>): { chains: Map<Object3D, Object3D[]>; base: Object3D | null } {
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

export function isAncestor(above: Object3D, of: Object3D): boolean {
  for (let at = of.parent; at; at = at.parent) if (at === above) return true;
  return false;
}

/** The nearest object that is above all of them. */
function commonParent(objects: Object3D[]): Object3D | null {
  let common = objects[0]?.parent ?? null;
  while (common && !objects.every((object) => isAncestor(common!, object))) common = common.parent;
  return common;
}

export function describe(object: Object3D): string {
  return object.name ? `the bone ${JSON.stringify(object.name)}` : "a bone without a name";
}
