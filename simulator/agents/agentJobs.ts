/** A snapshot of an agent job; times are milliseconds since the epoch on the platform's clock. */
export interface AgentJobSnapshot {
  readonly id: string;
  readonly projectId: string;
  readonly status: AgentStatus;
  /** URL of the source code repository. */
  readonly repository: string;
  /** The branch that the agent works on; null if there is none. */
  readonly ref: string | null;
  /** URL of the pull request. Null while the job is `active`, and if no pull request was made. */
  readonly prLink: string | null;
  readonly createdAt: number;
  readonly archivedAt: number | undefined;
  /** The prompts that the API has accepted for the job, in their order. */
  readonly messages: readonly string[];
}

/** An agent job to add. The API text shows no operation that creates one. */
export interface AddedAgentJob {
  /** The project to which the job belongs. */
  readonly projectId: string;
  /** The job's identifier, which must be new on the whole platform. Default: a random identifier. */
  readonly id?: string;
  /** The job's state. An `active` job stays active for the platform's `agentTime`. Default: `completed`. */
  readonly status?: AgentStatus;
  /** The branch that the agent works on. Default: null. */
  readonly ref?: string | null;
}

/** The agent jobs of a platform: a test can read and change them. */
export interface AgentJobs {
  /** Returns every job, in the order in which they were added. */
  list(): AgentJobSnapshot[];
  /** Returns the job with this id; undefined if there is none. */
  get(id: string): AgentJobSnapshot | undefined;
  /**
   * Makes a job `completed` immediately. If `prLink` is not given, the platform's option `agentOutcome` gives the pull
   * request. Throws if no job has this id.
   */
  complete(id: string, result?: { readonly prLink?: string | null }): void;
  /** Makes a job `archived` immediately. Its pull request does not change. Throws if no job has this id. */
  archive(id: string): void;
  /** Removes a job. The API then answers 404 for it. Throws if no job has this id. */
  forget(id: string): void;
  /**
   * Adds a job. It does not count for any limit.
   * @throws Error if a job already has this id
   */
  add(job: AddedAgentJob): AgentJobSnapshot;
}

/** The states of an agent job, in the words of the API text. */
export type AgentStatus = "active" | "completed" | "archived" | "failed";

/** The result of an agent's work. */
export interface AgentOutcome {
  /** The state after the work. Default: `completed`. */
  readonly status?: Exclude<AgentStatus, "active">;
  /**
   * The URL of the pull request; null if no file was changed. Default: for a `completed` job, a URL in the job's
   * repository, the same after every message; for any other job, null.
   */
  readonly prLink?: string | null;
}
