// This import stands before the packages that it looks for.
import "./optionalPackages";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { getRequestListener } from "@hono/node-server";
import type { AgentJobs, AgentOutcome } from "./agents/agentJobs";
import { AgentStore } from "./agents/agentStore";
import { PlatformClock } from "./clock";
import type { Dialect } from "./dialect";
import type { Fault } from "./faults/fault";
import { FaultQueue } from "./faults/faultQueue";
import { JobStore } from "./jobs/jobStore";
import type { Jobs } from "./jobs/jobs";
import { LinkSigner } from "./links/linkSigner";
import { type PlatformOptions, type ResolvedOptions, resolveOptions } from "./options";
import type { PlatformOperation } from "./requests/operation";
import { RequestLog, type RequestRecord } from "./requests/requestLog";
import type { PlatformParts } from "./routes/environment";
import { createApp } from "./server";
import { SiteCache } from "./site/siteCache";

/** A running platform. What can be set holds from the next request on; times are in milliseconds. */
export interface Platform {
  /** `http://127.0.0.1:<port>`, without a slash at its end. */
  readonly baseUrl: string;
  /** The admin API key that is accepted; set it to rotate the key. */
  apiKey: string;
  /** See {@link PlatformOptions.queueTime}. */
  queueTime: number;
  /** See {@link PlatformOptions.jobTime}. */
  jobTime: number;
  /** See {@link PlatformOptions.linkLife}. */
  linkLife: number;
  /** See {@link PlatformOptions.failJobs}; undefined lets jobs succeed again. */
  failJobs: string | undefined;
  /** See {@link PlatformOptions.agentTime}. */
  agentTime: number;
  /** See {@link PlatformOptions.agentOutcome}. */
  agentOutcome: AgentOutcome;
  /** See {@link PlatformOptions.clockOffset}. Raise it to let links expire and limits pass; jobs keep their pace. */
  clockOffset: number;
  /** The points that the API text leaves open; its fields may be changed too. */
  dialect: Dialect;
  /** Requests received, by operation, also those that a fault met. */
  readonly counts: Readonly<Record<PlatformOperation, number>>;
  /** Accepted starts: jobs that the API has created, also where the answer was lost. */
  readonly starts: number;
  /** The requests in the order of their arrival: of more than 100,000 the latest. */
  readonly requests: readonly RequestRecord[];
  /** The jobs, to look at and to steer. */
  readonly jobs: Jobs;
  /** The agent jobs, to add, to look at and to steer. */
  readonly agents: AgentJobs;
  /** Lets the next requests of an operation meet a fault. Throws RangeError for one that is out of bounds. */
  inject(fault: Fault): void;
  /** Drops the faults that have not been met. */
  clearFaults(): void;
  /** Takes `counts`, `starts` and `requests` back to nothing; jobs and limits stay. */
  resetCounts(): void;
  /** Calls the listener for each request once it is over: answered in full, or its connection broken. */
  on(event: "request", listener: (request: RequestRecord) => void): void;
  /** Takes a listener away. */
  off(event: "request", listener: (request: RequestRecord) => void): void;
  /** Ends the platform at once, with all jobs and open requests. May be called again. */
  close(): Promise<void>;
}

/**
 * Starts a platform on 127.0.0.1.
 *
 * @throws RangeError when an option is out of its bounds; Error when the content folder cannot be read or two agent jobs
 * have one id; the error of `listen` when the port is taken
 */
export async function startPlatform(options: PlatformOptions = {}): Promise<Platform> {
  const settings = resolveOptions(options);
  const clock = new PlatformClock(settings.clockOffset);
  const sites = new SiteCache();
  // Reads the content once now, so that a wrong folder is reported at once and not by the first job.
  sites.load(settings.content);
  const parts = {
    settings,
    clock,
    jobs: new JobStore(settings, clock, sites),
    agents: new AgentStore(settings, clock),
    links: new LinkSigner(),
    faults: new FaultQueue(),
    requests: new RequestLog(),
  };
  for (const fault of options.faults ?? []) {
    parts.faults.inject(fault);
  }
  for (const job of options.agentJobs ?? []) {
    parts.agents.add(job);
  }
  let baseUrl = "";
  const app = createApp(parts, () => baseUrl);
  // Leaves the globals as they are, because this runs inside the tests of others.
  const server = createServer(getRequestListener(app.fetch, { overrideGlobalObjects: false }));
  server.listen(settings.port, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") {
    throw new Error("The server has no port");
  }
  baseUrl = `http://127.0.0.1:${address.port}`;
  return new RunningPlatform(baseUrl, server, parts);
}

class RunningPlatform implements Platform {
  #closed: Promise<void> | undefined;

  readonly #server: Server;
  readonly #parts: PlatformParts;

  constructor(
    readonly baseUrl: string,
    server: Server,
    parts: PlatformParts,
  ) {
    this.#server = server;
    this.#parts = parts;
  }

  get apiKey(): string {
    return this.#settings.apiKey;
  }
  set apiKey(key: string) {
    this.#settings.apiKey = key;
  }

  get queueTime(): number {
    return this.#settings.queueTime;
  }
  set queueTime(time: number) {
    this.#settings.queueTime = time;
  }

  get jobTime(): number {
    return this.#settings.jobTime;
  }
  set jobTime(time: number) {
    this.#settings.jobTime = time;
  }

  get linkLife(): number {
    return this.#settings.linkLife;
  }
  set linkLife(time: number) {
    this.#settings.linkLife = time;
  }

  get failJobs(): string | undefined {
    return this.#settings.failJobs;
  }
  set failJobs(error: string | undefined) {
    this.#settings.failJobs = error;
  }

  get agentTime(): number {
    return this.#settings.agentTime;
  }
  set agentTime(time: number) {
    this.#settings.agentTime = time;
  }

  get agentOutcome(): AgentOutcome {
    return this.#settings.agentOutcome;
  }
  set agentOutcome(outcome: AgentOutcome) {
    this.#settings.agentOutcome = outcome;
  }

  get clockOffset(): number {
    return this.#parts.clock.offset;
  }
  set clockOffset(offset: number) {
    this.#parts.clock.offset = offset;
  }

  get dialect(): Dialect {
    return this.#settings.dialect;
  }
  set dialect(dialect: Dialect) {
    this.#settings.dialect = dialect;
  }

  get counts(): Readonly<Record<PlatformOperation, number>> {
    return this.#parts.requests.counts;
  }

  get starts(): number {
    return this.#parts.jobs.starts;
  }

  get requests(): readonly RequestRecord[] {
    return this.#parts.requests.records;
  }

  get jobs(): Jobs {
    return this.#parts.jobs;
  }

  get agents(): AgentJobs {
    return this.#parts.agents;
  }

  inject(fault: Fault): void {
    this.#parts.faults.inject(fault);
  }

  clearFaults(): void {
    this.#parts.faults.clear();
  }

  resetCounts(): void {
    this.#parts.requests.reset();
    this.#parts.jobs.starts = 0;
  }

  on(event: "request", listener: (request: RequestRecord) => void): void {
    this.#parts.requests.events.on(event, listener);
  }

  off(event: "request", listener: (request: RequestRecord) => void): void {
    this.#parts.requests.events.off(event, listener);
  }

  close(): Promise<void> {
    this.#closed ??= new Promise((resolve) => {
      this.#parts.jobs.close();
      this.#parts.agents.close();
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
    return this.#closed;
  }

  get #settings(): ResolvedOptions {
    return this.#parts.settings;
  }
}
