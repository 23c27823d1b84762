//! The package: the library's classes, whose arguments are checked before they reach the module. Whatever goes wrong is a [`PosekitError`], and the module works on.

import * as glue from "./posekit.js";

export * from "./posekit.js";
export { default } from "./posekit.js";

/** What is wrong with an argument, a file or a problem. */
export class PosekitError extends Error {
  override readonly name = "PosekitError";
  /** The argument, or what of a file the message is about. */
  readonly subject: string | undefined;
  /** Where in a text, from 1. */
  readonly line: number | undefined;
  readonly column: number | undefined;

  constructor(message: string, { subject, line, column, cause }: { subject?: string | undefined; line?: number | undefined; column?: number | undefined; cause?: unknown } = {}) {
    super(message, { cause });
    this.subject = subject;
    this.line = line;
    this.column = column;
  }
}

/** What an argument may be. `json` is text, or an object that is written as one; `text` may be bytes in UTF-8. */
type Kind = "text" | "json" | "number" | "yes or no" | "bytes" | "counts" | "Float64Array" | "Float32Array" | "numbers" | "texts" | "Problem";
/** A name and a kind; with `?` it may be left out. */
type Parameter = `${string}: ${Kind}` | `${string}?: ${Kind}`;

const CLASSES = {
  Arm: {
    dexterity: ["q: Float64Array", "out: Float64Array"],
    nearest: ["q: Float64Array", "configurations: Float64Array"],
    pose: ["q: Float64Array", "out: Float64Array"],
    selfMotion: ["target: Float64Array", "q: Float64Array", "samples: number"],
    solutions: ["target: Float64Array", "q: Float64Array"],
    solve: ["target: Float64Array", "q: Float64Array"],
    track: ["times: Float64Array", "targets: Float64Array", "start: Float64Array"],
  },
  Crowd: { solve: ["targets: Float32Array", "out: Float32Array"] },
  Digest: { add: ["name: text", "text: text"] },
  Limbs: { solve: ["starts: Float32Array", "mids: Float32Array", "ends: Float32Array", "targets: Float32Array", "poles: Float32Array", "out: Float32Array"] },
  Motion: {
    configuration: ["frame: number", "out: Float64Array"],
    curves: ["which: text", "joint: number", "out: Float32Array"],
    keyCurves: ["joint: number"],
    poses: ["which: text", "out: Float32Array"],
    pull: ["frame: number", "joints: counts", "targets: Float64Array", "start?: Float64Array", "q: Float64Array", "poses: Float32Array"],
    restPoses: ["out: Float32Array"],
    set: ["settings: json", "contacts?: json", "times: Float64Array", "values: Float64Array", "interpolations?: texts"],
    withCurve: ["q: Float64Array", "joint: number", "numbers: Float64Array", "out: Float64Array"],
    write: ["format: text"],
  },
  Problem: { poses: ["q: Float64Array", "out: Float64Array"] },
  SelfMotion: { parameters: ["curve: number"], values: ["curve: number"] },
  Solver: {
    begin: ["method: text", "settings?: json", "start?: Float64Array"],
    configuration: ["out: Float64Array"],
    points: ["out: Float64Array"],
    poses: ["out: Float64Array"],
    restart: ["start?: Float64Array"],
    setFrame: ["task: number", "index: number", "frame: Float64Array"],
    setPlacements: ["placements: Float64Array"],
    setTarget: ["task: number", "target: Float64Array"],
    solutionJson: ["trace?: yes or no"],
    step: ["n: number"],
    traceConfiguration: ["step: number", "out: Float64Array"],
    traceHeader: ["step: number", "out: Float64Array"],
    tracePoints: ["step: number", "out: Float64Array"],
    traceTurn: ["step: number"],
  },
  Track: { configurationAt: ["time: number", "out: Float64Array"] },
} as const satisfies Record<string, Record<string, readonly Parameter[]>>;

const STATIC = {
  Motion: { open: ["bytes: bytes", "name: text", "clip: number", "seconds?: number"] },
  Problem: {
    fromGltf: ["file: bytes", "tip?: text", "free_root?: yes or no"],
    fromJson: ["text: json", "urdf?: text"],
    fromJsonAndFile: ["text: json", "file: bytes"],
    fromUrdf: ["text: text", "tip?: text", "free_root?: yes or no"],
  },
} as const satisfies Record<string, Record<string, readonly Parameter[]>>;

type Call = (...given: unknown[]) => unknown;
type Members = Record<string | symbol, unknown>;

// A class whose constructor has arguments is exported with a check around it; `instanceof` and its statics are as before.
export const Arm = constructed("Arm", glue.Arm, ["problem: Problem", "task: number", "settings?: json"]);
export type Arm = glue.Arm;
export const Crowd = constructed("Crowd", glue.Crowd, ["problem: Problem", "n: number", "method: text", "settings?: json"]);
export type Crowd = glue.Crowd;
export const Limbs = constructed("Limbs", glue.Limbs, ["n: number"]);
export type Limbs = glue.Limbs;

export const caseNames = checked("caseNames", ["index: json"], glue.caseNames);
export const describeRobot = checked("describeRobot", ["text: text", "srdf?: text"], glue.describeRobot);
export const poseGltf = checked("poseGltf", ["file: bytes", "nodes: counts", "turns: numbers"], glue.poseGltf);
export const softDistance = checked("softDistance", ["softness: number", "distance: number", "reach: number"], glue.softDistance);

for (const [name, methods] of Object.entries(CLASSES)) check(name, methodsOf(name), methods);
for (const [name, methods] of Object.entries(STATIC)) check(name, (glue as unknown as Members)[name] as Members, methods);

function methodsOf(name: string): Members {
  return ((glue as unknown as Members)[name] as { prototype: Members }).prototype;
}

/** Puts checks around all methods and getters of a class, those without arguments too: their faults are of the same kind. */
function check(name: string, members: Members, methods: Record<string, readonly Parameter[]>): void {
  for (const key of Object.getOwnPropertyNames(members)) {
    const property = Object.getOwnPropertyDescriptor(members, key);
    if (property === undefined || ["constructor", "prototype", "__wrap", "__destroy_into_raw", "free"].includes(key)) continue;
    if (property.get) Object.defineProperty(members, key, { ...property, get: checked(`${name}.${key}`, [], property.get) });
    else if (typeof property.value === "function" && (property.writable ?? false)) members[key] = checked(`${name}.${key}`, methods[key] ?? [], property.value as Call);
  }
}

function checked<F>(name: string, parameters: readonly Parameter[], own: F): F {
  const kinds = parameters.map(parsed);
  const call = own as Call;
  return function (this: unknown, ...given: unknown[]): unknown {
    try {
      for (let k = 0; k < kinds.length; k += 1) given[k] = taken(name, kinds[k] as Parsed, given[k]);
      return call.apply(this, given);
    } catch (error) {
      throw posekitError(name, error);
    }
  } as F;
}

function constructed<C extends new (...given: never[]) => unknown>(name: string, own: C, parameters: readonly Parameter[]): C {
  const kinds = parameters.map(parsed);
  return new Proxy(own, {
    construct(target, given: unknown[], asked) {
      try {
        return Reflect.construct(target, kinds.map((kind, k) => taken(name, kind, given[k])), asked) as object;
      } catch (error) {
        throw posekitError(name, error);
      }
    },
  });
}

interface Parsed {
  name: string;
  kind: Kind;
  isOptional: boolean;
}

function parsed(parameter: Parameter): Parsed {
  const [name = "", kind] = parameter.split(": ");
  return { name: name.replace("?", ""), kind: kind as Kind, isOptional: name.endsWith("?") };
}

/** The argument as the module takes it. */
function taken(called: string, { name, kind, isOptional }: Parsed, given: unknown): unknown {
  if (given === undefined || given === null) {
    if (isOptional) return undefined;
  } else {
    switch (kind) {
      case "text":
      case "json":
        if (typeof given === "string") return given;
        if (given instanceof Uint8Array) return new TextDecoder().decode(given);
        if (kind === "json" && isPlain(given)) return JSON.stringify(given);
        break;
      case "number": if (typeof given === "number") return given; break;
      case "yes or no": if (typeof given === "boolean") return given; break;
      case "bytes":
        if (given instanceof Uint8Array) return given;
        if (given instanceof ArrayBuffer) return new Uint8Array(given);
        break;
      case "counts": if (given instanceof Uint32Array) return given; if (areNumbers(given)) return Uint32Array.from(given); break;
      case "numbers":
      case "Float64Array": if (given instanceof Float64Array) return given; if (kind === "numbers" && areNumbers(given)) return Float64Array.from(given); break;
      case "texts": if (Array.isArray(given) && given.every((one) => typeof one === "string")) return given; break;
      case "Float32Array": if (given instanceof Float32Array) return given; break;
      case "Problem": if (given instanceof glue.Problem) return given; break;
    }
  }
  throw new PosekitError(`${called}: ${name}: expected ${EXPECTED[kind]}, found ${shown(given)}`, { subject: name });
}

const EXPECTED: Record<Kind, string> = {
  text: "a text", json: "JSON, as a text or an object", number: "a number", "yes or no": "true or false", bytes: "a Uint8Array", counts: "a Uint32Array",
  Float64Array: "a Float64Array", Float32Array: "a Float32Array", numbers: "a Float64Array", texts: "an array of texts", Problem: "a Problem",
};

function isPlain(given: unknown): boolean {
  if (typeof given !== "object" || given === null) return false;
  const prototype = Object.getPrototypeOf(given) as unknown;
  return Array.isArray(given) || prototype === null || prototype === Object.prototype;
}

function areNumbers(given: unknown): given is number[] {
  return Array.isArray(given) && given.every((value) => typeof value === "number");
}

function shown(given: unknown): string {
  if (given === null || given === undefined || typeof given === "boolean" || typeof given === "number") return String(given);
  if (typeof given === "string") return `the text ${JSON.stringify(given.slice(0, 40))}`;
  return typeof given === "object" ? `an object of the class ${given.constructor?.name ?? "null"}` : `a ${typeof given}`;
}

/** A fault of the module, or of its bindings, as one of the package. */
function posekitError(called: string, error: unknown): PosekitError {
  if (error instanceof PosekitError) return error;
  if (!(error instanceof Error)) return new PosekitError(String(error), { cause: error });
  const { subject, line, column } = error as { subject?: string; line?: number; column?: number };
  if (error.name === "PosekitError") return new PosekitError(error.message, { subject, line, column });
  const what = /null pointer/.test(error.message) ? "the object has been freed" : error.message;
  return new PosekitError(`${called}: ${what}`, { cause: error });
}
