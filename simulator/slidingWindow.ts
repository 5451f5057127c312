/** How many uses any stretch of time of one length may have: a limit whose window slides. */
export class SlidingWindow {
  #uses: number[] = [];

  readonly #limit: number;
  readonly #length: number;
  readonly #now: () => number;
  /**
   * @param limit uses in any window; `Infinity` for no limit
   * @param length of the window, in milliseconds
   * @param now the time in milliseconds, asked at each call
   */
  constructor(limit: number, length: number, now: () => number) {
    this.#limit = limit;
    this.#length = length;
    this.#now = now;
  }

  /** Milliseconds until a use is accepted, which is when enough of the oldest have left the window; 0 when it is now. */
  wait(): number {
    const now = this.#now();
    this.#uses = this.#uses.filter((use) => use > now - this.#length);
    if (this.#uses.length < this.#limit) {
      return 0;
    }
    return (this.#uses[0] ?? now) + this.#length - now;
  }

  /** Counts an accepted use. */
  count(): void {
    this.#uses.push(this.#now());
  }
}
