import type { PlatformClock } from "../platformClock";
import { sleepUntil } from "../platformClock";
import type { AgentOutcome, AgentStatus } from "./agentJobs";

export const sampleRepositoryUrl = "https://git.example.com/docs/site";

export interface AgentJobCreationFields {
  readonly id: string;
  readonly projectId: string;
  readonly ref: string | null;
  /** The number of the pull request that the job's agent opens. */
  readonly pullRequest: number;
}

/** Each message makes the job active for some time. The platform runs no agent and changes no file. */
export class SimulatedAgentJob {
  readonly createdAt: number;
  status: AgentStatus = "completed";
  prLink: string | null = null;
  archivedAt: number | undefined;
  readonly messages: string[] = [];

  #work = new AbortController();

  constructor(
    readonly origin: AgentJobCreationFields,
    private readonly clock: PlatformClock,
  ) {
    this.createdAt = clock.now();
  }

  /** Makes the job `active` for `agentTime` milliseconds. The time begins again with each message. */
  work(agentTime: number, outcome: AgentOutcome): void {
    this.stop();
    this.#work = new AbortController();
    this.status = "active";
    this.prLink = null;
    this.archivedAt = undefined;
    sleepUntil(performance.now() + agentTime, this.#work.signal).then(
      () => this.end(outcome),
      () => undefined, // The wait was stopped.
    );
  }

  end({ status = "completed", prLink }: AgentOutcome): void {
    this.stop();
    this.status = status;
    this.prLink = prLink === undefined ? this.#ownPullRequest(status) : prLink;
    this.archivedAt = status === "archived" ? this.clock.now() : undefined;
  }

  /** The job's state does not change. */
  stop(): void {
    this.#work.abort();
  }

  #ownPullRequest(status: AgentStatus): string | null {
    return status === "completed" ? `${sampleRepositoryUrl}/pull/${this.origin.pullRequest}` : null;
  }
}
