import { randomBytes } from "node:crypto";
import type { PlatformClock } from "../clock";
import type { ResolvedOptions } from "../options";
import { SlidingWindow } from "../slidingWindow";
import { SimulatedAgentJob } from "./agentJob";
import type { AddedAgentJob, AgentJobSnapshot, AgentJobs, AgentOutcome } from "./agentJobs";

/** The agent jobs of a platform, for its routes; and, as {@link AgentJobs}, for tests. */
export class AgentStore implements AgentJobs {
  readonly #jobs = new Map<string, { readonly job: SimulatedAgentJob; readonly outcome: AgentOutcome | undefined }>();
  readonly #limits = new Map<string, SlidingWindow>();
  #lastPullRequest = 0;

  readonly #settings: ResolvedOptions;
  readonly #clock: PlatformClock;

  constructor(settings: ResolvedOptions, clock: PlatformClock) {
    this.#settings = settings;
    this.#clock = clock;
  }

  /** Whether there is a project of this id. */
  hasProject(projectId: string): boolean {
    return this.#settings.projectIds?.has(projectId) ?? true;
  }

  /** A job of a project; a job of another project is not found. */
  find(projectId: string, id: string): SimulatedAgentJob | undefined {
    const job = this.#jobs.get(id)?.job;
    return job?.origin.projectId === projectId ? job : undefined;
  }

  /** Milliseconds until the project may send a message; 0 when it may now. */
  wait(projectId: string): number {
    return this.#limitOf(projectId).wait();
  }

  /** Gives a job a message, and counts it against the limit of its project. */
  receive(job: SimulatedAgentJob, prompt: string): void {
    this.#limitOf(job.origin.projectId).count();
    job.messages.push(prompt);
    job.work(this.#settings.agentTime, this.#outcomeOf(job.origin.id));
  }

  list(): AgentJobSnapshot[] {
    return [...this.#jobs.values()].map(({ job }) => snapshot(job));
  }

  get(id: string): AgentJobSnapshot | undefined {
    const known = this.#jobs.get(id);
    return known && snapshot(known.job);
  }

  complete(id: string, result: { readonly prLink?: string | null } = {}): void {
    const job = this.#known(id);
    job.end({ ...prLinkOf(this.#outcomeOf(id)), ...prLinkOf(result), status: "completed" });
  }

  fail(id: string): void {
    this.#known(id).end({ status: "failed" });
  }

  archive(id: string): void {
    const job = this.#known(id);
    job.end({ status: "archived", prLink: job.prLink });
  }

  forget(id: string): void {
    this.#known(id).stop();
    this.#jobs.delete(id);
  }

  add({ status = "completed", outcome, ...added }: AddedAgentJob): AgentJobSnapshot {
    const job = this.#create(added);
    this.#jobs.set(job.origin.id, { job, outcome });
    const ends = this.#outcomeOf(job.origin.id);
    if (status === "active") {
      job.work(this.#settings.agentTime, ends);
    } else {
      job.end({ ...(status === "completed" && prLinkOf(ends)), status });
    }
    return snapshot(job);
  }

  /** Ends the work of all jobs. */
  close(): void {
    for (const { job } of this.#jobs.values()) {
      job.stop();
    }
  }

  #create({
    projectId,
    id = `agj_${randomBytes(10).toString("hex")}`,
    repository,
    ref = null,
  }: AddedAgentJob): SimulatedAgentJob {
    if (this.#jobs.has(id)) {
      throw new Error(`There is an agent job ${id} already`);
    }
    if (!this.hasProject(projectId)) {
      throw new RangeError(`There is no project ${projectId}`);
    }
    const url = repository ?? "https://git.example.com/docs/site";
    if (!URL.canParse(url)) {
      throw new RangeError(`The repository of an agent job is a full URL: ${url}`);
    }
    this.#lastPullRequest += 1;
    return new SimulatedAgentJob(
      { id, projectId, repository: url, ref, pullRequest: this.#lastPullRequest },
      this.#clock,
    );
  }

  #limitOf(projectId: string): SlidingWindow {
    const { messagesPerHour, messageWindow } = this.#settings;
    const limit =
      this.#limits.get(projectId) ?? new SlidingWindow(messagesPerHour, messageWindow, () => this.#clock.now());
    this.#limits.set(projectId, limit);
    return limit;
  }

  #outcomeOf(id: string): AgentOutcome {
    return this.#jobs.get(id)?.outcome ?? this.#settings.agentOutcome;
  }

  #known(id: string): SimulatedAgentJob {
    const known = this.#jobs.get(id);
    if (known === undefined) {
      throw new Error(`There is no agent job ${id}`);
    }
    return known.job;
  }
}

/** Without the key when it is not told: `undefined` would hide what is told elsewhere. */
function prLinkOf({ prLink }: { readonly prLink?: string | null }): { prLink?: string | null } {
  return prLink === undefined ? {} : { prLink };
}

function snapshot({ origin, status, prLink, createdAt, archivedAt, messages }: SimulatedAgentJob): AgentJobSnapshot {
  const { id, projectId, repository, ref } = origin;
  return { id, projectId, status, repository, ref, prLink, createdAt, archivedAt, messages: [...messages] };
}
