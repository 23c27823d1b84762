//! Keeps up with the hand: while frames follow each other too slowly, fewer pixels are drawn; at rest, all of them.

/** Device pixels for a CSS pixel, as shares of the usual, from fine to coarse. */
const SHARES = [1, 0.75, 0.5] as const;
/** Frames that took longer than this on the average are too slow, and shorter than that leave room [ms]. */
const SLOW = 27;
const FAST = 12;
/** So many frames decide. */
const WINDOW = 6;
/** Frames farther apart than this do not belong together [ms]. */
const PAUSE = 260;

export class Pace {
  #last = -Infinity;
  #sum = 0;
  #count = 0;
  #level = 0;
  #isCoarse = false;

  /** Share of the usual pixels to draw with now. */
  get share(): number {
    return this.#isCoarse ? (SHARES[this.#level] ?? 1) : 1;
  }

  /** How long after a frame that is not followed by another everything is drawn [ms]. */
  readonly rest = 140;

  /** A frame is about to be drawn at this time [ms]; true when the share has changed. */
  tick(now: number): boolean {
    const apart = now - this.#last;
    this.#last = now;
    const before = this.share;
    if (apart > PAUSE) {
      this.#sum = this.#count = 0;
    } else {
      this.#isCoarse = true;
      this.#sum += apart;
      this.#count += 1;
      if (this.#count >= WINDOW) this.#judge(this.#sum / this.#count);
    }
    return this.share !== before;
  }

  #judge(mean: number): void {
    this.#sum = this.#count = 0;
    if (mean > SLOW && this.#level < SHARES.length - 1) this.#level += 1;
    else if (mean < FAST && this.#level > 0) this.#level -= 1;
  }

  /** Nothing has moved for a while; true when a last frame in full is due. */
  settle(): boolean {
    const was = this.share;
    this.#isCoarse = false;
    return was !== 1;
  }
}
