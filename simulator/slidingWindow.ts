/** Limits the number of uses in any period of a given length. */
export class SlidingWindow {
  #uses: number[] = [];

  /** @param length milliseconds */
  constructor(
    private readonly limit: number,
    private readonly length: number,
    private readonly now: () => number,
  ) {}

  /** Returns the milliseconds until the next use is accepted; 0 if it is accepted now. */
  wait(): number {
    const now = this.now();
    this.#uses = this.#uses.filter((use) => use > now - this.length);
    return this.#uses.length < this.limit ? 0 : (this.#uses[0] ?? now) + this.length - now;
  }

  count(): void {
    this.#uses.push(this.now());
  }
}
