//! The worker as the page sees it: requests that promise an answer, and a worker that is started again when it dies or hangs.

import type { WorkerState } from "../core/types.ts";
import { APART, type Answers, type Envelope, type FaultData, type Reply, type Request, type RequestKind } from "./protocol.ts";

/** A worker that has not answered for so long hangs [ms]. Starting it, the module's download included, may take longer. */
const [PATIENCE, FIRST_PATIENCE] = [3000, 20_000] as const;
/** Requests that may fetch a module first; the digest, besides, runs all cases through all solvers. */
const SLOW: readonly RequestKind[] = ["load", ...APART];
/** A problem that is not loaded within so long is said to be loading [ms]. */
const SOON = 400;
/** Deaths in a row, without an answer between them, after which no other worker is started. */
const MOST_DEATHS = 3;

/** What a browser's worker and a test's have in common. */
export interface WorkerLike {
  onmessage: ((event: { data: Reply }) => void) | null;
  onerror: ((event: { message?: string }) => void) | null;
  onmessageerror?: (() => void) | null;
  postMessage(message: Envelope): void;
  terminate(): void;
}

/** A request that the worker refused, with the place in the text as far as there is one. */
export class RequestError extends Error {
  readonly line: number | undefined;
  readonly column: number | undefined;

  constructor({ message, line, column }: FaultData) {
    super(message);
    this.name = "RequestError";
    this.line = line;
    this.column = column;
  }
}

/** The worker died before it answered; what it knew is gone. */
export class WorkerLost extends Error {
  constructor(readonly why: string) {
    super(`the solver's worker was lost: ${why}`);
    this.name = "WorkerLost";
  }
}

interface Waiting {
  request: Request;
  resolve(answer: Answers[RequestKind]): void;
  reject(error: Error): void;
}

export interface ClientHooks {
  onState(state: WorkerState): void;
  /** A new worker stands there, which knows nothing. */
  onRestart(why: string): void;
}

export class Client {
  private worker: WorkerLike | null = null;
  private readonly waiting = new Map<number, Waiting>();
  private nextId = 1;
  private alarm: ReturnType<typeof setTimeout> | null = null;
  private hasAnswered = false;
  private deaths = 0;
  private isOver = false;

  constructor(private readonly start: () => WorkerLike, private readonly hooks: ClientHooks, private readonly patience: readonly [number, number] = [PATIENCE, FIRST_PATIENCE]) {
    this.startWorker("starting");
  }

  ask<K extends RequestKind>(request: Extract<Request, { kind: K }>): Promise<Answers[K]> {
    return new Promise<Answers[K]>((resolve, reject) => {
      if (!this.worker) {
        reject(new WorkerLost("it could not be started again"));
        return;
      }
      const id = this.nextId;
      this.nextId += 1;
      this.waiting.set(id, { request, resolve: resolve as Waiting["resolve"], reject });
      this.worker.postMessage({ id, request });
      if (this.alarm === null) this.watch();
      if (this.hasAnswered) this.hooks.onState("busy");
      if (request.kind === "load") setTimeout(() => { if (this.waiting.has(id) && this.hasAnswered) this.hooks.onState("loading"); }, SOON);
    });
  }

  /** Ends the worker as a crash would; for tests. */
  kill(): void {
    this.die("it was ended");
  }

  dispose(): void {
    this.isOver = true;
    this.worker?.terminate();
    this.worker = null;
    if (this.alarm) clearTimeout(this.alarm);
    this.rejectAll(new WorkerLost("the page was closed"));
  }

  /** True when a worker stands there. */
  private startWorker(state: WorkerState): boolean {
    this.hooks.onState(state);
    this.hasAnswered = false;
    try {
      this.worker = this.start();
    } catch (error) {
      this.worker = null;
      this.hooks.onState("failed");
      this.rejectAll(new WorkerLost(String(error)));
      return false;
    }
    this.worker.onmessage = ({ data }) => { this.receive(data); };
    this.worker.onerror = ({ message }) => { this.die(message ?? "it could not be loaded"); };
    this.worker.onmessageerror = () => { this.die("its answer could not be read"); };
    return true;
  }

  private receive(reply: Reply): void {
    const waiting = this.waiting.get(reply.id);
    this.waiting.delete(reply.id);
    this.hasAnswered = true;
    this.deaths = 0;
    this.watch();
    if (this.waiting.size === 0) this.hooks.onState("ready");
    else if (waiting?.request.kind === "load") this.hooks.onState("busy");
    if (!waiting) return;
    if ("fault" in reply) waiting.reject(new RequestError(reply.fault));
    else waiting.resolve(reply.answer);
  }

  /** Sets the alarm anew: requests are answered one after the other, so one for the oldest is enough. */
  private watch(): void {
    if (this.alarm) clearTimeout(this.alarm);
    this.alarm = null;
    if (this.waiting.size === 0) return;
    const isSlow = [...this.waiting.values()].some(({ request }) => SLOW.includes(request.kind));
    const patience = this.hasAnswered && !isSlow ? this.patience[0] : this.patience[1];
    this.alarm = setTimeout(() => { this.die(`no answer for ${patience / 1000} s`); }, patience);
  }

  private die(why: string): void {
    if (this.isOver) return;
    this.worker?.terminate();
    this.worker = null;
    if (this.alarm) clearTimeout(this.alarm);
    this.alarm = null;
    this.deaths += 1;
    const lost = new WorkerLost(why);
    if (this.deaths > MOST_DEATHS) {
      this.hooks.onState("failed");
      this.rejectAll(lost);
      return;
    }
    const stands = this.startWorker("restarting");
    this.rejectAll(lost);
    if (stands) this.hooks.onRestart(why);
  }

  private rejectAll(error: Error): void {
    const all = [...this.waiting.values()];
    this.waiting.clear();
    for (const { reject } of all) reject(error);
  }
}
