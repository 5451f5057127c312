import type { JobStatus } from "./job";

/** A snapshot of a job; times are milliseconds since the epoch on the platform's clock. */
export interface JobSnapshot {
  readonly jobId: string;
  readonly domain: string;
  readonly status: JobStatus;
  /** The progress: from 0 to 0.99 while the job runs, otherwise 0. */
  readonly progress: number;
  readonly pagesRendered: number;
  readonly pagesTotal: number;
  readonly createdAt: number;
  readonly startedAt: number | undefined;
  readonly completedAt: number | undefined;
  /** The reason why the job failed. */
  readonly error: string | undefined;
}

/** A job that exists without a start through the API. */
export interface AddedJob {
  /** The host name of the job's deployment. */
  readonly domain: string;
  /** The job's identifier, which must be new. Default: a random identifier. */
  readonly jobId?: string;
  /** The job's state. A queued or running job then continues like a job that was started. Default: `queued`. */
  readonly status?: JobStatus;
  /** The reason of the failure, if the status is `failed`. Default: "The export failed". */
  readonly error?: string;
}

/** The jobs of a platform: a test can read and change them. */
export interface Jobs {
  /** Returns every job, in the order of their creation. */
  list(): JobSnapshot[];
  /** Returns the job with this id; undefined if there is none. */
  get(jobId: string): JobSnapshot | undefined;
  /** Makes a job `completed` immediately. Throws if no job has this id. */
  complete(jobId: string): void;
  /** Makes a job `failed` immediately, with this text as its `error`. Throws if no job has this id. */
  fail(jobId: string, message: string): void;
  /** Removes a job. The API then answers 404 for it. Throws if no job has this id. */
  forget(jobId: string): void;
  /** Adds a job without a start through the API. It does not count for any limit. */
  add(job: AddedJob): JobSnapshot;
}
