/** A snapshot of an agent job; times are milliseconds since the epoch on the platform's clock. */
export interface AgentJobSnapshot {
  readonly id: string;
  readonly projectId: string;
  readonly status: AgentStatus;
  /** URL of the source code repository. */
  readonly repository: string;
  /** Branch the agent works on; null when none is named. */
  readonly ref: string | null;
  /** URL of the pull request. Null while the job is `active`, and if no pull request was made. */
  readonly prLink: string | null;
  readonly createdAt: number;
  readonly archivedAt: number | undefined;
  /** The prompts that the API has accepted for it, in their order. */
  readonly messages: readonly string[];
}

/** An agent job to add: the API text shows no operation that creates one. */
export interface AddedAgentJob {
  /** The project it belongs to. */
  readonly projectId: string;
  /** Its identifier; must be new on the whole platform. Default: a random one. */
  readonly id?: string;
  /** Its state; an `active` one continues for the platform's `agentTime`. Default `completed`. */
  readonly status?: AgentStatus;
  /** Branch the agent works on. Default null. */
  readonly ref?: string | null;
}

/** The agent jobs of a platform, for tests to look at and to steer. */
export interface AgentJobs {
  /** Every job, in the order in which they were added. */
  list(): AgentJobSnapshot[];
  /** One job; undefined if no job has this id. */
  get(id: string): AgentJobSnapshot | undefined;
  /** Makes a job `completed` at once; without a `prLink` by the platform's `agentOutcome`. Throws if no job has this id. */
  complete(id: string, result?: { readonly prLink?: string | null }): void;
  /** Makes a job `archived` at once; its pull request stays. Throws if no job has this id. */
  archive(id: string): void;
  /** Lets the platform forget a job: the API answers 404 from then on. Throws if no job has this id. */
  forget(id: string): void;
  /**
   * Adds a job. It counts against no limit.
   *
   * @throws Error when there is a job of this id already
   */
  add(job: AddedAgentJob): AgentJobSnapshot;
}

/** States of an agent job, in the words of the API text. */
export type AgentStatus = "active" | "completed" | "archived" | "failed";

/** How the work of an agent ends. */
export interface AgentOutcome {
  /** Default `completed`. */
  readonly status?: Exclude<AgentStatus, "active">;
  /**
   * URL of the pull request; null when no file was changed. Default: a pull request of the job's repository, the same
   * one for every message of a job, when it ends `completed`; else null.
   */
  readonly prLink?: string | null;
}
