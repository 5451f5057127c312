import { randomBytes } from "node:crypto";
import type { ResolvedPlatformOptions } from "../options";
import type { PlatformClock } from "../platformClock";
import { SlidingWindow } from "../slidingWindow";
import { SimulatedAgentJob, sampleRepositoryUrl } from "./agentJob";
import type { AddedAgentJob, AgentJobSnapshot, AgentJobs } from "./agentJobs";

const hour = 3_600_000;

/** The platform's routes use this class. Tests use the interface {@link AgentJobs}. */
export class AgentJobStore implements AgentJobs {
  readonly #jobs = new Map<string, SimulatedAgentJob>();
  readonly #limits = new Map<string, SlidingWindow>();
  #lastPullRequest = 0;

  constructor(
    private readonly settings: ResolvedPlatformOptions,
    private readonly clock: PlatformClock,
  ) {}

  /** Returns undefined for a job of another project. */
  find(projectId: string, id: string): SimulatedAgentJob | undefined {
    const job = this.#jobs.get(id);
    return job?.origin.projectId === projectId ? job : undefined;
  }

  /** Returns the milliseconds until the project may send a message; 0 if it may now. */
  wait(projectId: string): number {
    return this.#limitOf(projectId).wait();
  }

  receive(job: SimulatedAgentJob, prompt: string): void {
    this.#limitOf(job.origin.projectId).count();
    job.messages.push(prompt);
    job.work(this.settings.agentTime, this.settings.agentOutcome);
  }

  list(): AgentJobSnapshot[] {
    return [...this.#jobs.values()].map(snapshot);
  }

  get(id: string): AgentJobSnapshot | undefined {
    const known = this.#jobs.get(id);
    return known && snapshot(known);
  }

  complete(id: string, result: { readonly prLink?: string | null } = {}): void {
    const { prLink } = { ...this.settings.agentOutcome, ...result };
    this.#known(id).end(prLink === undefined ? {} : { prLink });
  }

  archive(id: string): void {
    const job = this.#known(id);
    job.end({ status: "archived", prLink: job.prLink });
  }

  forget(id: string): void {
    this.#known(id).stop();
    this.#jobs.delete(id);
  }

  add({
    projectId,
    id = `agj_${randomBytes(10).toString("hex")}`,
    ref = null,
    status = "completed",
  }: AddedAgentJob): AgentJobSnapshot {
    if (this.#jobs.has(id)) {
      throw new Error(`There is an agent job ${id} already`);
    }
    this.#lastPullRequest += 1;
    const job = new SimulatedAgentJob({ id, projectId, ref, pullRequest: this.#lastPullRequest }, this.clock);
    this.#jobs.set(id, job);
    if (status === "active") {
      job.work(this.settings.agentTime, this.settings.agentOutcome);
    } else {
      job.end({ status });
    }
    return snapshot(job);
  }

  close(): void {
    for (const job of this.#jobs.values()) {
      job.stop();
    }
  }

  #limitOf(projectId: string): SlidingWindow {
    const limit =
      this.#limits.get(projectId) ?? new SlidingWindow(this.settings.messagesPerHour, hour, () => this.clock.now());
    this.#limits.set(projectId, limit);
    return limit;
  }

  #known(id: string): SimulatedAgentJob {
    const known = this.#jobs.get(id);
    if (known === undefined) {
      throw new Error(`There is no agent job ${id}`);
    }
    return known;
  }
}

function snapshot({ origin, status, prLink, createdAt, archivedAt, messages }: SimulatedAgentJob): AgentJobSnapshot {
  const { id, projectId, ref } = origin;
  return {
    id,
    projectId,
    status,
    repository: sampleRepositoryUrl,
    ref,
    prLink,
    createdAt,
    archivedAt,
    messages: [...messages],
  };
}
