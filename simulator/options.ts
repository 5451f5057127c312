import { randomBytes } from "node:crypto";
import type { AddedAgentJob, AgentOutcome } from "./agents/agentJobs";
import { type Dialect, defaultDialect } from "./dialect";
import type { Fault } from "./faults/fault";

/** How a platform behaves. All fields are optional; all times are in milliseconds. */
export interface PlatformOptions {
  /** Port on 127.0.0.1, 0 to 65535. Default 0: any free port. */
  port?: number;
  /** The one admin API key that is accepted. Default: `svc_` and 32 random hexadecimal digits. */
  apiKey?: string;
  /** Domains of the deployments that exist; a start for another is answered 400. Default: every domain exists. */
  domains?: readonly string[];
  /** Folder of Markdown that is pre-rendered. Default: this package's own README.md and docs/. */
  content?: string;
  /** Time that a job stays `queued`; 0 or more, `Infinity` for ever. Default 500. Holds for jobs started after it. */
  queueTime?: number;
  /** Time that a job then runs; 0 or more, `Infinity` for ever; with 0 it is completed at once. Default 5000. Holds for jobs started after it. */
  jobTime?: number;
  /** Life of a signed link; 0 or more. Default 900000 (15 minutes). Holds for links made after it. */
  linkLife?: number;
  /** When set, every job ends `failed` with this text as its `error`. Holds for jobs started after it. */
  failJobs?: string;
  /** Whether a start is answered 409 while a job of its domain is queued or runs. Default false. */
  oneJobPerDomain?: boolean;
  /** Accepted starts in any 60 minutes; beyond it 429 with `Retry-After`. Whole, 0 or more. Default: unlimited. */
  startsPerHour?: number;
  /**
   * Requests of the API in any second, of all clients together; beyond it 429 with `Retry-After`. Whole, 0 or more. Default:
   * unlimited. Assumed: requests that are answered 401 or 429 do not count.
   */
  requestsPerSecond?: number;
  /** Projects that exist; agent jobs of another are answered 404. Default: every project exists. */
  projectIds?: readonly string[];
  /**
   * Time that an agent job is `active` after a message; 0 or more, `Infinity` for ever. Default 3000. Holds for
   * messages after it.
   */
  agentTime?: number;
  /** How agents' work ends, for jobs that have no outcome of their own. Holds for messages after it. */
  agentOutcome?: AgentOutcome;
  /**
   * Follow-up messages that a project may send in any `messageWindow`; beyond it 429 with `Retry-After`. Whole, 0 or
   * more, `Infinity` for no limit. Default 100, the limit of the API text.
   *
   * Assumed: accepted messages count, and requests that are refused (400, 401, 404, 429) do not.
   */
  messagesPerHour?: number;
  /** Length of that window, which slides; more than 0. Default 3600000 (an hour); another one is for tests. */
  messageWindow?: number;
  /** Agent jobs that are there from the start: the API text shows no operation that creates one. Default none. */
  agentJobs?: readonly AddedAgentJob[];
  /** The platform's clock minus this machine's: shifts `Date`, timestamps, expiry, signatures and limits. Default 0. */
  clockOffset?: number;
  /** The things that the API text leaves open. Default: see {@link Dialect}. */
  dialect?: Partial<Dialect>;
  /** Faults that stand ready from the start. Default none. */
  faults?: readonly Fault[];
  /** Gets one line a request, never with the key or a signature. Default: none. */
  log?: (line: string) => void;
}

/** The options as the running platform holds them; some may be changed while it runs. */
export interface ResolvedOptions {
  apiKey: string;
  queueTime: number;
  jobTime: number;
  linkLife: number;
  failJobs: string | undefined;
  agentTime: number;
  agentOutcome: AgentOutcome;
  dialect: Dialect;
  readonly port: number;
  readonly domains: ReadonlySet<string> | undefined;
  readonly content: string | undefined;
  readonly oneJobPerDomain: boolean;
  readonly startsPerHour: number;
  readonly requestsPerSecond: number;
  readonly projectIds: ReadonlySet<string> | undefined;
  readonly messagesPerHour: number;
  readonly messageWindow: number;
  readonly clockOffset: number;
  readonly log: (line: string) => void;
}

/**
 * Fills in the defaults.
 *
 * @throws RangeError naming the option, when a value is out of its bounds
 */
export function resolveOptions(options: PlatformOptions): ResolvedOptions {
  return {
    port: bounded("port", options.port ?? 0, Number.isInteger(options.port ?? 0) && (options.port ?? 0) <= 65_535),
    apiKey: apiKey(options.apiKey),
    domains: options.domains && new Set(options.domains.map((domain) => domain.toLowerCase())),
    content: options.content,
    queueTime: bounded("queueTime", options.queueTime ?? 500),
    jobTime: bounded("jobTime", options.jobTime ?? 5_000),
    linkLife: bounded("linkLife", options.linkLife ?? 900_000, Number.isFinite(options.linkLife ?? 0)),
    failJobs: options.failJobs,
    oneJobPerDomain: options.oneJobPerDomain ?? false,
    startsPerHour: bounded("startsPerHour", options.startsPerHour ?? Number.POSITIVE_INFINITY),
    requestsPerSecond: bounded("requestsPerSecond", options.requestsPerSecond ?? Number.POSITIVE_INFINITY),
    projectIds: options.projectIds && new Set(options.projectIds),
    agentTime: bounded("agentTime", options.agentTime ?? 3_000),
    agentOutcome: options.agentOutcome ?? {},
    messagesPerHour: bounded("messagesPerHour", options.messagesPerHour ?? 100),
    messageWindow: bounded("messageWindow", options.messageWindow ?? 3_600_000, options.messageWindow !== 0),
    clockOffset: finite("clockOffset", options.clockOffset ?? 0),
    dialect: { ...defaultDialect, ...options.dialect },
    log: options.log ?? (() => {}),
  };
}

function apiKey(given: string | undefined): string {
  const key = given ?? `svc_${randomBytes(16).toString("hex")}`;
  // The message does not repeat the value, since it is a secret.
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw new RangeError("apiKey must be printable ASCII without blanks");
  }
  return key;
}

function bounded(name: string, value: number, holds = true): number {
  if (!(value >= 0) || !holds) {
    throw new RangeError(`${name} is out of bounds: ${value}`);
  }
  return value;
}

function finite(name: string, value: number): number {
  if (!Number.isFinite(value)) {
    throw new RangeError(`${name} must be a finite number of milliseconds: ${value}`);
  }
  return value;
}
