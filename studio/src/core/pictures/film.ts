//! A film of a canvas as WebM, which the browser writes while something plays on it.

const TYPES = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm"] as const;
/** Bits a second: lines stay crisp. */
const RATE = 12_000_000;

/** As what the browser writes films; null where it writes none. */
export function filmType(): string | null {
  return typeof MediaRecorder === "undefined" ? null : TYPES.find((type) => MediaRecorder.isTypeSupported(type)) ?? null;
}

/** Records a canvas from when something begins to play until it has ended. */
export async function filmOf(canvas: HTMLCanvasElement, play: () => Promise<void>): Promise<Blob> {
  const type = filmType();
  if (type === null) throw new Error("this browser writes no films");
  const recorder = new MediaRecorder(canvas.captureStream(), { mimeType: type, videoBitsPerSecond: RATE });
  const parts: Blob[] = [];
  recorder.addEventListener("dataavailable", ({ data }) => { parts.push(data); });
  const stopped = new Promise<void>((resolve, reject) => {
    recorder.addEventListener("stop", () => { resolve(); });
    recorder.addEventListener("error", () => { reject(new Error("the browser broke the recording off")); });
  });
  recorder.start();
  try {
    await play();
  } finally {
    if (recorder.state !== "inactive") recorder.stop();
  }
  await stopped;
  return new Blob(parts, { type });
}
