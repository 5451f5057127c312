import type { AddedAgentJob, AgentOutcome } from "../agents/agentJobs";
import { UsageError } from "./help";

/**
 * Reads the value of `--agent-job`: `<project>/<id>`.
 *
 * @throws UsageError
 */
export function parseAgentJob(text: string): AddedAgentJob {
  const [projectId = "", id = "", ...rest] = text.split("/");
  if (projectId === "" || id === "" || rest.length > 0) {
    throw new UsageError(`--agent-job ${text}: it takes a project and a job id, such as docs/job-1`);
  }
  return { projectId, id };
}

/** The words of `--agent-outcome`. */
export const outcomeWords = ["completed", "unchanged", "failed", "archived"] as const;

/** The outcome that a word stands for: `unchanged` is `completed` without a pull request. */
export function outcomeOf(word: (typeof outcomeWords)[number]): AgentOutcome {
  return word === "unchanged" ? { status: "completed", prLink: null } : { status: word };
}
