import type { JobStatus } from "./job";

/** A snapshot of a job; times are milliseconds since the epoch on the platform's clock. */
export interface JobSnapshot {
  readonly jobId: string;
  readonly domain: string;
  readonly status: JobStatus;
  /** From 0 to 0.99 while it runs, otherwise 0. */
  readonly progress: number;
  readonly pagesRendered: number;
  readonly pagesTotal: number;
  readonly createdAt: number;
  readonly startedAt: number | undefined;
  readonly completedAt: number | undefined;
  /** Why it failed. */
  readonly error: string | undefined;
}

/** A job that exists without a start through the API. */
export interface AddedJob {
  /** Host name of its deployment. */
  readonly domain: string;
  /** Its identifier, which must be new. Default: a random one. */
  readonly jobId?: string;
  /** Its state. A queued or running job continues in the platform's time. Default `queued`. */
  readonly status?: JobStatus;
  /** Text of its failure, for `failed`. Default "The export failed". */
  readonly error?: string;
}

/** The jobs of a platform: a test can read and change them. */
export interface Jobs {
  /** Every job, in the order of their creation. */
  list(): JobSnapshot[];
  /** One job; undefined if no job has this id. */
  get(jobId: string): JobSnapshot | undefined;
  /** Makes a job `completed` at once. Throws if no job has this id. */
  complete(jobId: string): void;
  /** Makes a job `failed` at once, with this text as its `error`. Throws if no job has this id. */
  fail(jobId: string, message: string): void;
  /** Lets the platform forget a job: the API answers 404 from then on. Throws if no job has this id. */
  forget(jobId: string): void;
  /** Adds a job without a start through the API. No limit counts it. */
  add(job: AddedJob): JobSnapshot;
}
