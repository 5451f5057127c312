import { createPlatformClient, type PlatformClient } from "../../provider/platform/client";
import type { HttpRequest, PlatformConnection, RequestResult } from "../../provider/platform/connection";
import { createTransport } from "../../provider/platform/transport";
import type { Settings } from "../../provider/settings/settings";
import { ConnectionError } from "../../provider/support/errors";
import type { Machine, Process } from "./machine";

export const modelEnvironment = {
  DOCS_PLATFORM_API_KEY: "svc_explorer-key-0123456789",
  DOCS_PLATFORM_BASE_URL: "https://api.test",
  DOCS_PLATFORM_MAX_RETRIES: "1",
  DOCS_PLATFORM_PROJECT_ID: "docs",
  DOCS_PLATFORM_JOURNAL: "/the/journal",
  DOCS_PLATFORM_JOURNAL_REQUIRED: "true",
};

/** A start or a message that the platform has accepted. It must not be sent twice. */
interface Accepted {
  id: string;
  acceptedAt: number;
  key: string;
  isAnswered: boolean;
  by?: Process;
}

interface Job extends Accepted {
  looks: number;
  isGone: boolean;
}

/** The differences from the usual platform, which accepts a start at once, and completes a job at its second poll. */
export interface PlatformHabits {
  /** Each fault of a start or a poll reduces the schedule's budget of faults. */
  startFaults?: readonly StartFault[];
  lookFaults?: readonly PollFault[];
  /** The numbers of the jobs that fail, from 1. */
  failing?: readonly number[];
  runningPolls?: number;
}

export type StartFault =
  | "its answer is lost"
  | "never arrives"
  | "arrives after the run"
  | "503"
  | "429"
  | "409"
  | "409 that names another's job";
/**
 * The faults of a poll. "not found yet": this poll does not find a new job. "vanishes": no later poll finds the job.
 */
export type PollFault = "403" | "not found yet" | "vanishes";

/** The id of a job that another user has started. */
export const foreignJobId = "theirs-1";
/**
 * In milliseconds: for this time after a start, the platform may answer a poll with "not found". The provider accepts
 * this answer for a longer time.
 */
const early = 9_000;
const linkLife = 3_600_000;

const broken = (sent: boolean): RequestResult => ({
  kind: "broken",
  error: (title) => new ConnectionError({ happened: `"${title}": connection reset`, remedy: "again." }),
  sent,
});

export class ModelPlatform {
  readonly jobs: Job[] = [];
  readonly messages: Accepted[] = [];
  requests = 0;
  lostAnswers = 0;
  /** Sent, but not arrived yet. */
  late: { isMessage: boolean; key: string }[] = [];
  othersLooks = 0;

  constructor(
    private readonly machine: Machine,
    private readonly habits: PlatformHabits = {},
  ) {}

  clientOf(process: Process, settings: Settings): PlatformClient {
    const connection: PlatformConnection = {
      send: (request, { signal }) => this.#send(process, request, signal),
      checkLink: async () => 200,
      close: async () => {},
    };
    const clock = this.machine.clockOf(process);
    return createPlatformClient(
      createTransport(settings, { connection, clock, random: () => 0.5, trace: () => {} }),
      settings,
    );
  }

  arrive(): void {
    for (const { isMessage, key } of this.late.splice(0)) {
      this.#take(isMessage, key);
    }
  }

  /** Counts the jobs that are gone, or whose failure a poll has shown. The next `up` may replace them. */
  lost(): number {
    return this.jobs.filter((job) => this.isLost(job)).length;
  }

  /** True while the process that received the answer to this job's start is alive. */
  isOfLivingRun(id: string): boolean {
    return this.jobs.some((job) => job.id === id && job.by?.isAlive);
  }

  isLost({ id, looks, isGone }: Job): boolean {
    const { failing = [], runningPolls = 1 } = this.habits;
    return isGone || (failing.includes(numberOf(id)) && looks > runningPolls);
  }

  #send(process: Process, request: HttpRequest, signal: AbortSignal): Promise<RequestResult> {
    this.requests++;
    const [, job] = /\/static-export\/jobs\/([^/]+)$/.exec(request.path) ?? [];
    if (job !== undefined) {
      return this.#look(process, job, signal);
    }
    const [, minted] = /\/static-export\/jobs\/([^/]+)\/bundle$/.exec(request.path) ?? [];
    if (minted !== undefined) {
      return this.#plain(process, `mints a link to ${minted}`, signal, () => this.#mint(minted));
    }
    if (request.method === "GET") {
      return this.#plain(process, "looks at agent-1", signal, () => answer(200, agentJob("completed")));
    }
    return this.#accept(process, request, signal);
  }

  #plain(process: Process, label: string, signal: AbortSignal, take: () => RequestResult): Promise<RequestResult> {
    return this.machine.step(process, label, () => (signal.aborted ? broken(true) : take()));
  }

  async #accept(process: Process, request: HttpRequest, signal: AbortSignal): Promise<RequestResult> {
    const habits = this.habits;
    const machine = this.machine;
    const isMessage = request.path.endsWith("/message");
    const mayGo = await machine.step(process, "connects", () => !signal.aborted);
    if (!mayGo) {
      return broken(false);
    }
    const key = request.headers["idempotency-key"] ?? "";
    const given = await machine.step(
      process,
      isMessage ? "sends the message" : "sends the start",
      (fault) => this.#answer(isMessage, key, fault as StartFault | undefined),
      habits.startFaults,
    );
    // A process may be killed between the effect of its request and the answer.
    return machine.step(process, "is answered", () => {
      const own = [...this.jobs, ...this.messages].find((one) => one.key === key && one.acceptedAt > 0);
      if (own !== undefined && given.kind === "answer" && given.status === 200) {
        Object.assign(own, { isAnswered: true, by: process });
      }
      return given;
    });
  }

  #answer(isMessage: boolean, key: string, fault: StartFault | undefined): RequestResult {
    switch (fault) {
      case undefined:
        return this.#take(isMessage, key);
      case "503":
      case "429":
        return answer(Number(fault), { message: "later" }, { "retry-after": "1" });
      case "409":
        return answer(409, { message: "another job runs" }, { "retry-after": "1" });
      case "409 that names another's job":
        return answer(409, { message: "another job runs", jobId: foreignJobId });
      case "its answer is lost":
        this.#take(isMessage, key);
        break;
      case "arrives after the run":
        this.late.push({ isMessage, key });
    }
    this.lostAnswers++;
    return broken(true);
  }

  #take(isMessage: boolean, key: string): RequestResult {
    return isMessage ? this.#message(key) : this.#start(key);
  }

  #start(key: string): RequestResult {
    const id = `job-${this.jobs.length + 1}`;
    this.jobs.push({ id, acceptedAt: this.machine.time, looks: 0, key, isAnswered: false, isGone: false });
    return answer(200, { jobId: id }, { date: new Date(this.machine.time).toUTCString() });
  }

  #message(key: string): RequestResult {
    const id = `message-${this.messages.length + 1}`;
    this.messages.push({ id, acceptedAt: this.machine.time, key, isAnswered: false });
    return answer(200, agentJob("active"));
  }

  #look(process: Process, id: string, signal: AbortSignal): Promise<RequestResult> {
    const job = this.jobs.find((one) => one.id === id);
    const hasEnded = (job?.looks ?? 0) > (this.habits.runningPolls ?? 1);
    const isEarly = () => !hasEnded && this.machine.time - (job?.acceptedAt ?? 0) < early;
    const faults = (this.habits.lookFaults ?? []).filter((fault) => fault !== "not found yet" || isEarly());
    const look = (fault: string | undefined) => {
      if (signal.aborted) {
        return broken(true);
      }
      if (fault === "403") {
        return answer(403, { message: "no" });
      }
      if (fault === "vanishes" && job !== undefined) {
        job.isGone = true;
      }
      // When the poll was announced, the job was new enough for "not found yet". The job may be too old now.
      const isFound = fault === undefined || (fault === "not found yet" && !isEarly());
      return isFound ? this.#status(id, job) : answer(404, { message: "not found" });
    };
    return this.machine.step(process, `looks at ${id}`, look, faults);
  }

  #status(id: string, job: Job | undefined): RequestResult {
    const { failing = [], runningPolls = 1 } = this.habits;
    if (id === foreignJobId) {
      this.othersLooks++;
      const startedAt = new Date(this.machine.time - 86_400_000).toISOString();
      return answer(200, { jobId: id, status: this.othersLooks > 1 ? "completed" : "running", startedAt });
    }
    if (job === undefined || job.isGone) {
      return answer(404, { message: "not found" });
    }
    job.looks++;
    const isOver = job.looks > runningPolls;
    const fails = failing.includes(numberOf(id));
    const status = isOver ? (fails ? "failed" : "completed") : "running";
    return answer(200, { jobId: id, status, ...(status === "failed" && { error: "no" }) });
  }

  #mint(id: string): RequestResult {
    const job = this.jobs.find((one) => one.id === id);
    const expiresAt = new Date(this.machine.time + linkLife).toISOString();
    return job === undefined || job.isGone
      ? answer(404, { message: "not found" })
      : answer(200, { bundleUrl: `https://storage.test/${id}?signature=${this.machine.time}`, expiresAt });
  }
}

function numberOf(job: string): number {
  return Number(job.split("-")[1]);
}

function agentJob(status: string) {
  return {
    id: "agent-1",
    status,
    source: { repository: "https://git.test/docs" },
    model: "one",
    createdAt: "2026-03-01T00:00:00.000Z",
  };
}

function answer(status: number, body: unknown, headers: Record<string, string> = {}): RequestResult {
  return { kind: "answer", status, headers, text: JSON.stringify(body) };
}
