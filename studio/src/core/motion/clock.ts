//! Time goes on: which frame is on show, and playing.

import { signal } from "@preact/signals";
import type { MotionInfo } from "./types.ts";

/** What a clock needs from the page. */
export interface Ticks {
  nextFrame(then: () => void): void;
  /** Milliseconds from any beginning. */
  now(): number;
}

export class Clock {
  readonly frame = signal(0);
  readonly playing = signal(false);
  readonly isLooping = signal(true);
  readonly speed = signal(1);
  /** Where it is between frames, in frames. */
  #place = 0;
  #last = 0;

  constructor(private readonly ticks: Ticks, private readonly info: () => MotionInfo | null) {}

  play(): void {
    const info = this.info();
    if (!info || this.playing.peek()) return;
    if (this.frame.peek() >= info.nFrames - 1) this.frame.value = 0;
    this.#place = this.frame.peek();
    this.#last = this.ticks.now();
    this.playing.value = true;
    this.ticks.nextFrame(() => { this.#tick(); });
  }

  pause(): void {
    this.playing.value = false;
  }

  /** Plays all of it once, in its own time, unless somebody pauses; then it stands again where it was. */
  async playOnce(): Promise<void> {
    const [frame, isLooping, speed] = [this.frame.peek(), this.isLooping.peek(), this.speed.peek()];
    this.pause();
    this.rewind();
    [this.isLooping.value, this.speed.value] = [false, 1];
    this.play();
    let stop = () => { /* not watched yet */ };
    await new Promise<void>((resolve) => { stop = this.playing.subscribe((isPlaying) => { if (!isPlaying) resolve(); }); });
    stop();
    // Its last frame is drawn with the next picture.
    await new Promise<void>((resolve) => { this.ticks.nextFrame(() => { this.ticks.nextFrame(resolve); }); });
    [this.isLooping.value, this.speed.value] = [isLooping, speed];
    this.goTo(frame);
  }

  #tick(): void {
    const info = this.info();
    if (!this.playing.peek() || !info) return;
    const now = this.ticks.now();
    // A page that was in the background does not jump.
    const passed = Math.min(now - this.#last, 250) / 1000;
    this.#last = now;
    this.#place += (passed * this.speed.peek()) / info.frameTime;
    const end = info.nFrames - 1;
    if (this.#place > end) {
      if (!this.isLooping.peek() || end === 0) {
        this.frame.value = end;
        this.pause();
        return;
      }
      this.#place %= end;
    }
    this.frame.value = Math.floor(this.#place);
    this.ticks.nextFrame(() => { this.#tick(); });
  }

  goTo(frame: number): void {
    const info = this.info();
    if (!info || !Number.isFinite(frame)) return;
    this.frame.value = Math.min(info.nFrames - 1, Math.max(0, Math.round(frame)));
    this.#place = this.frame.peek();
  }

  step(by: number): void {
    this.pause();
    this.goTo(this.frame.peek() + by);
  }

  /** Back to the beginning. */
  rewind(): void {
    this.frame.value = 0;
    this.#place = 0;
  }
}
