import { randomBytes } from "node:crypto";
import type { ResolvedPlatformOptions } from "../options";
import type { PlatformClock } from "../platformClock";
import type { RenderedSiteCache } from "../site/renderedSiteCache";
import { SlidingWindow } from "../slidingWindow";
import { SimulatedExportJob } from "./job";
import type { AddedJob, JobSnapshot, Jobs } from "./jobs";

/** The platform's routes use this class. Tests use the interface {@link Jobs}. */
export class JobStore implements Jobs {
  starts = 0;

  readonly #jobs = new Map<string, SimulatedExportJob>();
  readonly #starts: SlidingWindow;

  constructor(
    private readonly settings: ResolvedPlatformOptions,
    private readonly clock: PlatformClock,
    private readonly sites: RenderedSiteCache,
  ) {
    this.#starts = new SlidingWindow(settings.startsPerHour, 3_600_000, () => clock.now());
  }

  get isLimitReached(): boolean {
    return this.#starts.wait() > 0;
  }

  /** Reads the content now, so that later changes have no effect on this job. */
  start(domain: string): SimulatedExportJob {
    const job = this.#create(domain);
    this.starts += 1;
    this.#starts.count();
    void job.run();
    return job;
  }

  find(jobId: string): SimulatedExportJob | undefined {
    return this.#jobs.get(jobId);
  }

  unfinishedOf(domain: string): SimulatedExportJob | undefined {
    return [...this.#jobs.values()].find((job) => job.unfinished && job.domain === domain);
  }

  list(): JobSnapshot[] {
    return [...this.#jobs.values()].map(snapshot);
  }

  get(jobId: string): JobSnapshot | undefined {
    const job = this.find(jobId);
    return job && snapshot(job);
  }

  complete(jobId: string): void {
    this.#known(jobId).complete();
  }

  fail(jobId: string, message: string): void {
    this.#known(jobId).fail(message);
  }

  forget(jobId: string): void {
    this.#known(jobId).stop();
    this.#jobs.delete(jobId);
  }

  add({ domain, jobId, status = "queued", error = "The export failed" }: AddedJob): JobSnapshot {
    const job = this.#create(domain.toLowerCase(), jobId);
    if (status === "completed") {
      job.complete();
    } else if (status === "failed") {
      job.fail(error);
    } else {
      if (status === "running") {
        job.begin();
      }
      void job.run();
    }
    return snapshot(job);
  }

  close(): void {
    for (const job of this.#jobs.values()) {
      job.stop();
    }
  }

  #create(domain: string, jobId = this.#newId()): SimulatedExportJob {
    if (this.#jobs.has(jobId)) {
      throw new Error(`There is a job ${jobId} already`);
    }
    const { queueTime, jobTime, failJobs: failWith, content } = this.settings;
    const job = new SimulatedExportJob(
      jobId,
      domain,
      this.sites.load(content),
      { queueTime, jobTime, failWith },
      this.clock,
    );
    this.#jobs.set(jobId, job);
    return job;
  }

  #newId(): string {
    return this.settings.form === "record" ? randomBytes(12).toString("hex") : `sej_${randomBytes(10).toString("hex")}`;
  }

  #known(jobId: string): SimulatedExportJob {
    const job = this.find(jobId);
    if (job === undefined) {
      throw new Error(`There is no job ${jobId}`);
    }
    return job;
  }
}

function snapshot(job: SimulatedExportJob): JobSnapshot {
  const { jobId, domain, status, progress, pagesRendered, createdAt, startedAt, completedAt, error } = job;
  const pagesTotal = job.site.pageCount;
  return { jobId, domain, status, progress, pagesRendered, pagesTotal, createdAt, startedAt, completedAt, error };
}
