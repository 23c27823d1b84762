//! Keeps up with the hand: while frames follow each other too slowly, fewer pixels are drawn; at rest, all of them.

/** Device pixels for a CSS pixel, as shares of the usual, from fine to coarse. */
const SHARES = [1, 0.75, 0.5] as const;
/** Frames that took longer than this on the average are too slow: those of a screen of 50 a second are not, nor is one of six that comes late on a
 *  screen of 60. Shorter ones than the other leave room [ms]. */
const SLOW = 21;
const FAST = 18;
/** So many frames decide. */
const WINDOW = 6;
/** So many windows without a slow one before more pixels are tried; twice as many after each trial that was too much. */
const [TRIAL, LONGEST_TRIAL] = [4, 64] as const;
/** Frames farther apart than this do not belong together [ms]. */
const PAUSE = 260;

export class Pace {
  #last = -Infinity;
  #sum = 0;
  #count = 0;
  #level = 0;
  #isMoving = false;
  #quick = 0;
  #trial: number = TRIAL;
  #isTrial = false;
  #isHeld = false;

  /** Share of the usual pixels to draw with now. */
  get share(): number {
    return this.#isMoving ? (SHARES[this.#level] ?? 1) : 1;
  }

  /** Whether frames follow each other. */
  get isMoving(): boolean {
    return this.#isMoving;
  }

  /** How long after a frame that is not followed by another everything is drawn [ms]. */
  readonly rest = 140;

  /** While somebody has hold of something, or something plays, the next frame may come at any time: it moves, however far apart frames are. */
  hold(isHeld: boolean): void {
    this.#isHeld = isHeld;
    this.#isMoving ||= isHeld;
  }

  /** A frame is about to be drawn at this time [ms]. */
  tick(now: number): void {
    const apart = now - this.#last;
    this.#last = now;
    if (apart > PAUSE) {
      this.#sum = this.#count = 0;
      return;
    }
    this.#isMoving = true;
    this.#sum += apart;
    this.#count += 1;
    if (this.#count >= WINDOW) this.#judge(this.#sum / this.#count);
  }

  #judge(mean: number): void {
    this.#sum = this.#count = 0;
    this.#quick = mean < FAST ? this.#quick + 1 : 0;
    if (mean > SLOW && this.#level < SHARES.length - 1) {
      this.#level += 1;
      if (this.#isTrial) this.#trial = Math.min(2 * this.#trial, LONGEST_TRIAL);
      this.#isTrial = false;
    } else if (this.#quick >= this.#trial && this.#level > 0) {
      this.#level -= 1;
      this.#quick = 0;
      this.#isTrial = true;
    }
  }

  /** Nothing has moved for a while. */
  settle(): void {
    this.#isMoving = this.#isHeld;
  }
}
