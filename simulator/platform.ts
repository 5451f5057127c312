// This import comes first, because it checks that the packages of the other imports are installed.
import "./optionalPackages";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { AgentJobStore } from "./agents/agentJobStore";
import type { AgentJobs } from "./agents/agentJobs";
import { createApp } from "./createApp";
import type { Fault } from "./faults/fault";
import { FaultQueue } from "./faults/faultQueue";
import { JobStore } from "./jobs/jobStore";
import type { Jobs } from "./jobs/jobs";
import { LinkSigner } from "./links/linkSigner";
import { type PlatformOptions, resolvePlatformOptions } from "./options";
import { PlatformClock } from "./platformClock";
import type { PlatformOperation } from "./requests/operation";
import { RequestLog, type RequestRecord } from "./requests/requestLog";
import { RenderedSiteCache } from "./site/renderedSiteCache";

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
 * A running platform. Some of the {@link PlatformOptions} are its properties, and may be changed. A change takes effect
 * at the next request. Set `apiKey` to rotate the key. Raise `clockOffset` so that links expire and hourly limits end;
 * jobs do not become faster.
 */
export interface Platform extends Required<Pick<PlatformOptions, (typeof settable)[number]>> {
  /** The address `http://127.0.0.1:<port>`, without a slash at the end. */
  readonly baseUrl: string;
  /** The number of received requests, by operation, including those that got a fault. */
  readonly counts: Readonly<Record<PlatformOperation, number>>;
  /** The number of accepted starts, including starts whose answer was lost. */
  readonly starts: number;
  /** The requests in the order of their arrival. After 100,000 requests, the next one removes the oldest 10,000. */
  readonly requests: readonly RequestRecord[];
  readonly jobs: Jobs;
  readonly agents: AgentJobs;
  /** Throws RangeError if a value in the fault is out of its bounds. */
  inject(fault: Fault): void;
  clearFaults(): void;
  /** Sets `counts` and `starts` to zero, and empties `requests`. Jobs and limits do not change. */
  resetCounts(): void;
  /** Calls the listener for each request that was answered completely, or whose connection broke. */
  on(event: "request", listener: (request: RequestRecord) => void): void;
  /** Ends the platform, its jobs and all open requests. A second call has no effect. */
  close(): Promise<void>;
}

/**
 * Starts a platform on 127.0.0.1.
 *
 * @throws RangeError if an option is out of its bounds; Error if the content folder cannot be read or two agent jobs
 * have the same id; the error of `listen` if the port is in use
 */
export async function startPlatform(options: PlatformOptions = {}): Promise<Platform> {
  const settings = resolvePlatformOptions(options);
  const clock = new PlatformClock(settings);
  const sites = new RenderedSiteCache();
  // Reads the content now, so that an error in the folder's path appears at once, and not in the first job.
  sites.load(settings.content);
  const [jobs, agents] = [new JobStore(settings, clock, sites), new AgentJobStore(settings, clock)];
  const [faults, requests] = [new FaultQueue(), new RequestLog()];
  for (const fault of options.faults ?? []) {
    faults.inject(fault);
  }
  for (const job of options.agentJobs ?? []) {
    agents.add(job);
  }
  let baseUrl = "";
  const app = createApp({ settings, clock, jobs, agents, links: new LinkSigner(), faults, requests }, () => baseUrl);
  // The platform runs inside the tests of other projects, whose global objects must not change.
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
