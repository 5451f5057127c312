// This import must come before the packages that it looks for.
import "./optionalPackages";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import type { AgentJobs } from "./agents/agentJobs";
import { AgentStore } from "./agents/agentStore";
import { PlatformClock } from "./clock";
import type { Fault } from "./faults/fault";
import { FaultQueue } from "./faults/faultQueue";
import { JobStore } from "./jobs/jobStore";
import type { Jobs } from "./jobs/jobs";
import { LinkSigner } from "./links/linkSigner";
import { type PlatformOptions, resolveOptions } from "./options";
import type { PlatformOperation } from "./requests/operation";
import { RequestLog, type RequestRecord } from "./requests/requestLog";
import { createApp } from "./server";
import { SiteCache } from "./site/siteCache";

/** The options that may be changed while the platform runs. */
const settable = [
  "apiKey",
  "queueTime",
  "jobTime",
  "linkLife",
  "failJobs",
  "agentTime",
  "agentOutcome",
  "clockOffset",
] as const satisfies readonly (keyof PlatformOptions)[];

/**
 * A running platform. It has the {@link PlatformOptions} that may be changed. A change applies from the next request
 * on: set `apiKey` to rotate the key, and raise `clockOffset` to let links expire and limits pass (this does not make
 * jobs faster).
 */
export interface Platform extends Required<Pick<PlatformOptions, (typeof settable)[number]>> {
  /** `http://127.0.0.1:<port>`, without a slash at its end. */
  readonly baseUrl: string;
  /** The number of received requests, by operation, including those that got a fault. */
  readonly counts: Readonly<Record<PlatformOperation, number>>;
  /** The number of accepted starts: jobs that the API has created, even if the answer was lost. */
  readonly starts: number;
  /** The requests in the order of their arrival; the latest 100,000 if there are more. */
  readonly requests: readonly RequestRecord[];
  /** The jobs. A test can read and change them. */
  readonly jobs: Jobs;
  /** The agent jobs. A test can add, read and change them. */
  readonly agents: AgentJobs;
  /**
   * Injects a fault for the next requests of an operation. Throws RangeError if a value of the fault is out of its
   * bounds.
   */
  inject(fault: Fault): void;
  /** Removes the faults that no request has met. */
  clearFaults(): void;
  /** Sets `counts`, `starts` and `requests` back to zero. Jobs and limits stay. */
  resetCounts(): void;
  /** Calls the listener for each request that is over: it was answered completely, or its connection broke. */
  on(event: "request", listener: (request: RequestRecord) => void): void;
  /** Ends the platform at once, with all jobs and open requests. May be called again. */
  close(): Promise<void>;
}

/**
 * Starts a platform on 127.0.0.1.
 *
 * @throws RangeError if an option is out of its bounds; Error if the content folder cannot be read or two agent jobs
 * have one id; the error of `listen` if the port is in use
 */
export async function startPlatform(options: PlatformOptions = {}): Promise<Platform> {
  const settings = resolveOptions(options);
  const clock = new PlatformClock(settings);
  const sites = new SiteCache();
  // Reads the content once now: an error in the folder's path then appears at once, and not in the first job.
  sites.load(settings.content);
  const [jobs, agents] = [new JobStore(settings, clock, sites), new AgentStore(settings, clock)];
  const [faults, requests] = [new FaultQueue(), new RequestLog()];
  for (const fault of options.faults ?? []) {
    faults.inject(fault);
  }
  for (const job of options.agentJobs ?? []) {
    agents.add(job);
  }
  let baseUrl = "";
  const app = createApp({ settings, clock, jobs, agents, links: new LinkSigner(), faults, requests }, () => baseUrl);
  // Leaves the global objects unchanged, because this runs inside the tests of others.
  const server = createServer(getRequestListener(app.fetch, { overrideGlobalObjects: false }));
  server.listen(settings.port, "127.0.0.1");
  await once(server, "listening");
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let closed: Promise<void> | undefined;
  const platform: Omit<Platform, (typeof settable)[number]> = {
    baseUrl,
    jobs,
    agents,
    get counts() {
      return requests.counts;
    },
    get starts() {
      return jobs.starts;
    },
    get requests() {
      return requests.records;
    },
    inject: (fault: Fault) => faults.inject(fault),
    clearFaults: () => faults.clear(),
    resetCounts() {
      requests.reset();
      jobs.starts = 0;
    },
    on: (event: "request", listener: (request: RequestRecord) => void) => void requests.events.on(event, listener),
    close() {
      closed ??= new Promise((resolve) => {
        jobs.close();
        agents.close();
        server.close(() => resolve());
        server.closeAllConnections();
      });
      return closed;
    },
  };
  for (const name of settable) {
    Object.defineProperty(platform, name, {
      enumerable: true,
      get: () => settings[name],
      set: (value) => Object.assign(settings, { [name]: value }),
    });
  }
  return platform as Platform;
}
