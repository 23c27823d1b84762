//! The worker's door: takes requests in their order and answers each.

import init from "posekit";
import whole from "posekit/posekit_bg.wasm?url";
import solver from "posekit/solver.wasm?url";
import { Engine } from "./engine.ts";
import { transferables, type Envelope, type FaultData, type Reply } from "./protocol.ts";

const scope = self as unknown as {
  name: string;
  onmessage: ((event: MessageEvent<Envelope>) => void) | null;
  postMessage(message: Reply, transfer: ArrayBuffer[]): void;
};

const engine = new Engine();
// Motions have a worker of their own; without them the module is a third smaller.
const ready = init({ module_or_path: scope.name === "motion" ? whole : solver });
let queue: Promise<void> = ready.then(() => undefined);

scope.onmessage = ({ data }) => {
  queue = queue.then(() => reply(data), (error: unknown) => { send({ id: data.id, fault: faultOf(error) }); });
};

async function reply({ id, request }: Envelope): Promise<void> {
  try {
    send({ id, answer: await engine.answer(request) });
  } catch (error) {
    send({ id, fault: faultOf(error) });
  }
}

function send(message: Reply): void {
  scope.postMessage(message, transferables(message));
}

function faultOf(error: unknown): FaultData {
  if (!(error instanceof Error)) return { message: String(error) };
  const { line, column } = error as { line?: unknown; column?: unknown };
  return { message: error.message, ...(typeof line === "number" ? { line } : {}), ...(typeof column === "number" ? { column } : {}) };
}
