import type { PlatformClock } from "../platformClock";
import { sleepUntil } from "../platformClock";
import type { RenderedSite } from "../site/renderedSite";

/** The states of a job, in their order. */
export type JobStatus = "queued" | "running" | "completed" | "failed";

export interface JobPlan {
  readonly queueTime: number;
  readonly jobTime: number;
  readonly failWith: string | undefined;
}

export class SimulatedExportJob {
  readonly createdAt: number;
  status: JobStatus = "queued";
  startedAt: number | undefined;
  completedAt: number | undefined;
  error: string | undefined;
  pagesRendered = 0;

  readonly #stopped = new AbortController();
  #runningSince = 0;

  constructor(
    readonly jobId: string,
    readonly domain: string,
    readonly site: RenderedSite,
    private readonly plan: JobPlan,
    private readonly clock: PlatformClock,
  ) {
    this.createdAt = clock.now();
  }

  get updatedAt(): number {
    return this.completedAt ?? this.startedAt ?? this.createdAt;
  }

  get unfinished(): boolean {
    return this.status === "queued" || this.status === "running";
  }

  /**
   * The smaller of two numbers: the elapsed part of `jobTime`, and the finished part of the work. At most 0.99, and 0
   * unless the job runs.
   */
  get progress(): number {
    if (this.status !== "running") {
      return 0;
    }
    const { jobTime } = this.plan;
    const ofTime = jobTime > 0 ? (performance.now() - this.#runningSince) / jobTime : 1;
    return Math.min(ofTime, (this.pagesRendered + 1) / this.#steps, 0.99);
  }

  /** Resolves when the job has ended or was stopped. Never rejects. */
  async run(): Promise<void> {
    const { signal } = this.#stopped;
    try {
      if (this.status === "queued") {
        await sleepUntil(performance.now() + this.plan.queueTime, signal);
      }
      this.begin();
      await this.#render(signal);
      if (this.plan.failWith === undefined) {
        this.complete();
      } else {
        this.fail(this.plan.failWith);
      }
    } catch (error) {
      if (!signal.aborted) {
        this.fail(`The site cannot be rendered: ${error instanceof Error ? error.message : error}`);
      }
    }
  }

  begin(): void {
    this.status = "running";
    this.startedAt ??= this.clock.now();
    this.#runningSince = performance.now();
  }

  complete(): void {
    this.#end("completed");
    this.pagesRendered = this.site.pageCount;
    this.error = undefined;
  }

  fail(error: string): void {
    this.#end("failed");
    this.error = error;
  }

  /** The job's state does not change. */
  stop(): void {
    this.#stopped.abort();
  }

  async #render(signal: AbortSignal): Promise<void> {
    // A job without a render time is completed at once. Its archive is packed when a client requests it.
    if (this.plan.jobTime === 0) {
      return;
    }
    const begun = this.#runningSince;
    for (let page = 0; page < this.site.pageCount; page += 1) {
      await sleepUntil(begun + (this.plan.jobTime * (page + 1)) / this.#steps, signal);
      this.site.renderPage(page);
      this.pagesRendered = page + 1;
    }
    await this.site.archive();
    await sleepUntil(begun + this.plan.jobTime, signal);
  }

  get #steps(): number {
    return this.site.pageCount + 1;
  }

  #end(status: "completed" | "failed"): void {
    this.stop();
    this.status = status;
    this.startedAt ??= this.clock.now();
    this.completedAt = this.clock.now();
  }
}
