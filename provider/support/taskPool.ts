/** Does pieces of work beside each other, up to so many at once. */
export class AtOnce {
  readonly #most: number;
  readonly #running = new Set<Promise<void>>();
  #fault: { cause: unknown } | undefined;

  constructor(most: number) {
    this.#most = most;
  }

  /** Begins a piece of work as soon as there is room. @throws what a piece before it has thrown. */
  async add(work: () => Promise<void>): Promise<void> {
    while (this.#running.size >= this.#most) {
      await Promise.race(this.#running);
    }
    this.#throwFault();
    const running = work()
      .catch((cause: unknown) => {
        this.#fault ??= { cause };
      })
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** Waits for all of them, also where one has failed. @throws what the first one to fail has thrown. */
  async end(): Promise<void> {
    await Promise.all(this.#running);
    this.#throwFault();
  }

  #throwFault(): void {
    if (this.#fault) {
      throw this.#fault.cause;
    }
  }
}
