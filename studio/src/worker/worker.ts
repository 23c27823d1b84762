//! The worker's door: takes requests in their order, those apart excepted, and answers each.

import initSolving from "posekit";
import initMotion from "posekit/motion";
import solvingModule from "posekit/posekit_bg.wasm?url";
import motionModule from "posekit/posekit_motion_bg.wasm?url";
import { Engine } from "./engine.ts";
import { APART, transferables, type Envelope, type FaultData, type Reply } from "./protocol.ts";

const scope = self as unknown as {
  name: string;
  onmessage: ((event: MessageEvent<Envelope>) => void) | null;
  postMessage(message: Reply, transfer: ArrayBuffer[]): void;
};

const engine = new Engine();
// Motions have a worker of their own, and a module.
const ready: Promise<unknown> = scope.name === "motion" ? initMotion({ module_or_path: motionModule }) : initSolving({ module_or_path: solvingModule });
let queue: Promise<void> = ready.then(() => undefined);

scope.onmessage = ({ data }) => {
  const isApart = APART.includes(data.request.kind);
  const answered = (isApart ? ready : queue).then(() => reply(data), (error: unknown) => { send({ id: data.id, fault: faultOf(error) }); });
  if (!isApart) queue = answered;
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
