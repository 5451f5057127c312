export class TaskPool {
  readonly #running = new Set<Promise<void>>();
  #failure: { cause: unknown } | undefined;

  constructor(private readonly size: number) {}

  /** Starts the task when the pool has space. @throws the error of an earlier task. */
  async add(task: () => Promise<void>): Promise<void> {
    while (this.#running.size >= this.size) {
      await Promise.race(this.#running);
    }
    this.#throwFailure();
    const running = task()
      .catch((cause: unknown) => {
        this.#failure ??= { cause };
      })
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async drain(): Promise<void> {
    await Promise.all(this.#running);
    this.#throwFailure();
  }

  #throwFailure(): void {
    if (this.#failure) {
      throw this.#failure.cause;
    }
  }
}
