//! Arguments are checked before they reach a module of the package. Whatever goes wrong is a [`PosekitError`], and the module works on.

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

/** What an argument may be. `json` is text, or an object that is written as one; `text` may be bytes in UTF-8; a `Problem` is of the class that is given beside. */
export type Kind = "text" | "json" | "number" | "yes or no" | "bytes" | "counts" | "Float64Array" | "Float32Array" | "numbers" | "texts" | "Problem";
/** A name and a kind; with `?` it may be left out. */
export type Parameter = `${string}: ${Kind}` | `${string}?: ${Kind}`;

type Call = (...given: unknown[]) => unknown;
type Members = Record<string | symbol, unknown>;
type Class = abstract new (...given: never[]) => unknown;
/** Of each class, the arguments of its methods that have any. */
export type Methods = Record<string, Record<string, readonly Parameter[]>>;

/** Puts checks around the classes of a module. */
export function checkClasses(module: object, methods: Methods, statics: Methods): void {
  const named = (name: string) => (module as Members)[name] as Members & { prototype: Members };
  for (const [name, own] of Object.entries(methods)) check(name, named(name).prototype, own);
  for (const [name, own] of Object.entries(statics)) check(name, named(name), own);
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

/** A function with a check around it. */
export function checked<F>(name: string, parameters: readonly Parameter[], own: F): F {
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

/** A class whose constructor has arguments, with a check around it; `instanceof` and its statics are as before.
 *
 * - `problem`: the class of an argument that is a problem */
export function constructed<C extends Class>(name: string, own: C, parameters: readonly Parameter[], problem?: { prototype: object }): C {
  const kinds = parameters.map(parsed);
  return new Proxy(own, {
    construct(target, given: unknown[], asked) {
      try {
        return Reflect.construct(target, kinds.map((kind, k) => taken(name, kind, given[k], problem)), asked) as object;
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
function taken(called: string, { name, kind, isOptional }: Parsed, given: unknown, problem?: { prototype: object }): unknown {
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
      case "Problem": if (problem && Object.prototype.isPrototypeOf.call(problem.prototype, Object(given))) return given; break;
    }
  }
  throw new PosekitError(`${called}: ${name}: expected ${EXPECTED[kind]}, found ${shown(given)}`, { subject: name });
}

const EXPECTED: Record<Kind, string> = {
  text: "a text", json: "JSON, as a text or an object", number: "a number", "yes or no": "true or false", bytes: "a Uint8Array", counts: "a Uint32Array",
  Float64Array: "a Float64Array", Float32Array: "a Float32Array", numbers: "a Float64Array", texts: "an array of texts", Problem: "a Problem of the same module",
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
