// This import stands before the packages that it looks for.
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
 * A running platform. It has those {@link PlatformOptions} that may be changed; a change applies from the next request on:
 * set `apiKey` to rotate the key, and raise `clockOffset` to let links expire and limits pass (jobs keep their pace).
 */
export interface Platform extends Required<Pick<PlatformOptions, (typeof settable)[number]>> {
  /** `http://127.0.0.1:<port>`, without a slash at its end. */
  readonly baseUrl: string;
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
  /** Gives a fault to the next requests of an operation. Throws RangeError for a fault out of bounds. */
  inject(fault: Fault): void;
  /** Drops the faults that have not been met. */
  clearFaults(): void;
  /** Takes `counts`, `starts` and `requests` back to nothing; jobs and limits stay. */
  resetCounts(): void;
  /** Calls the listener for each request once it is over: answered in full, or its connection broken. */
  on(event: "request", listener: (request: RequestRecord) => void): void;
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
  const clock = new PlatformClock(settings);
  const sites = new SiteCache();
  // Reads the content once now, so that a wrong folder is reported at once and not by the first job.
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
  // Leaves the globals as they are, because this runs inside the tests of others.
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
