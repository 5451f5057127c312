/** Times are milliseconds since the epoch on the platform's clock. */
export interface AgentJobSnapshot {
  readonly id: string;
  readonly projectId: string;
  readonly status: AgentStatus;
  readonly repository: string;
  /** The branch that the agent works on, if there is one. */
  readonly ref: string | null;
  /** Null while the job is `active`, and if no pull request was made. */
  readonly prLink: string | null;
  readonly createdAt: number;
  readonly archivedAt: number | undefined;
  /** The prompts that the API has accepted for the job. */
  readonly messages: readonly string[];
}

/** An agent job to add. The API text shows no operation that creates one. */
export interface AddedAgentJob {
  readonly projectId: string;
  /** Default: a random identifier. A given identifier must be new on the whole platform. */
  readonly id?: string;
  /** An `active` job stays active for the platform's `agentTime`. Default: `completed`. */
  readonly status?: AgentStatus;
  /** The branch that the agent works on. Default: null. */
  readonly ref?: string | null;
}

/** The agent jobs of a platform: a test can read and change them. */
export interface AgentJobs {
  /** Returns the jobs in the order in which they were added. */
  list(): AgentJobSnapshot[];
  get(id: string): AgentJobSnapshot | undefined;
  /**
   * Makes a job `completed`. Without `prLink`, the pull request comes from the option `agentOutcome`. Throws if no job
   * has this id.
   */
  complete(id: string, result?: { readonly prLink?: string | null }): void;
  /** Makes a job `archived`. Its pull request does not change. Throws if no job has this id. */
  archive(id: string): void;
  /** Makes the API answer 404 for a job. Throws if no job has this id. */
  forget(id: string): void;
  /** The job does not count for any limit. @throws Error if a job already has this id */
  add(job: AddedAgentJob): AgentJobSnapshot;
}

export type AgentStatus = "active" | "completed" | "archived" | "failed";

export interface AgentOutcome {
  /** The job's status after the work. Default: `completed`. */
  readonly status?: Exclude<AgentStatus, "active">;
  /**
   * Null if no file was changed. Default: for a `completed` job, a URL in the job's repository, the same after every
   * message; otherwise null.
   */
  readonly prLink?: string | null;
}
