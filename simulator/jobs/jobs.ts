import type { JobStatus } from "./job";

/** Times are milliseconds since the epoch on the platform's clock. */
export interface JobSnapshot {
  readonly jobId: string;
  readonly domain: string;
  readonly status: JobStatus;
  /** From 0 to 0.99 while the job runs, otherwise 0. */
  readonly progress: number;
  readonly pagesRendered: number;
  readonly pagesTotal: number;
  readonly createdAt: number;
  readonly startedAt: number | undefined;
  readonly completedAt: number | undefined;
  readonly error: string | undefined;
}

/** A job that exists without a start through the API. */
export interface AddedJob {
  readonly domain: string;
  /** Default: a random identifier. A given identifier must be new. */
  readonly jobId?: string;
  /** A queued or running job continues, as after a start through the API. Default: `queued`. */
  readonly status?: JobStatus;
  /** Only for the status `failed`. Default: "The export failed". */
  readonly error?: string;
}

/** The jobs of a platform: a test can read and change them. */
export interface Jobs {
  /** Returns the jobs in the order of their creation. */
  list(): JobSnapshot[];
  get(jobId: string): JobSnapshot | undefined;
  /** Makes a job `completed` immediately. Throws if no job has this id. */
  complete(jobId: string): void;
  /** Makes a job `failed` with this text as its `error`. Throws if no job has this id. */
  fail(jobId: string, message: string): void;
  /** Makes the API answer 404 for a job. Throws if no job has this id. */
  forget(jobId: string): void;
  /** The job does not count for any limit. */
  add(job: AddedJob): JobSnapshot;
}
