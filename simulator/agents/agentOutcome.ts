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
