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
  /** The prompts that the API has accepted for it, in their order. */
  readonly messages: readonly string[];
}

/** An agent job to add. The API text shows no operation that creates one. */
export interface AddedAgentJob {
  /** The project of the job. */
  readonly projectId: string;
  /** Its identifier, which must be new on the whole platform. Default: a random one. */
  readonly id?: string;
  /** Its state. An `active` one stays active for the platform's `agentTime`. Default `completed`. */
  readonly status?: AgentStatus;
  /** The branch that the agent works on. Default null. */
  readonly ref?: string | null;
}

/** The agent jobs of a platform: a test can read and change them. */
export interface AgentJobs {
  /** Every job, in the order in which they were added. */
  list(): AgentJobSnapshot[];
  /** One job; undefined if no job has this id. */
  get(id: string): AgentJobSnapshot | undefined;
  /**
   * Makes a job `completed` at once. Without a `prLink`, the platform's `agentOutcome` decides. Throws if no job has
   * this id.
   */
  complete(id: string, result?: { readonly prLink?: string | null }): void;
  /** Makes a job `archived` at once; its pull request stays. Throws if no job has this id. */
  archive(id: string): void;
  /** Lets the platform forget a job: the API answers 404 from then on. Throws if no job has this id. */
  forget(id: string): void;
  /**
   * Adds a job. No limit counts it.
   *
   * @throws Error if a job already has this id
   */
  add(job: AddedAgentJob): AgentJobSnapshot;
}

/** States of an agent job, in the words of the API text. */
export type AgentStatus = "active" | "completed" | "archived" | "failed";

/** The result of an agent's work. */
export interface AgentOutcome {
  /** Default `completed`. */
  readonly status?: Exclude<AgentStatus, "active">;
  /**
   * URL of the pull request; null if no file was changed. Default: null, or for a `completed` job a pull request of its
   * repository, the same one for every message.
   */
  readonly prLink?: string | null;
}
