import { randomBytes } from "node:crypto";
import type { AddedAgentJob, AgentOutcome } from "./agents/agentJobs";
import type { Fault } from "./faults/fault";

/**
 * The form of the API. `bundle` is the form of the API text: a separate operation generates the link. `record` is the
 * form of some similar APIs: the path contains the project, the record of a completed job contains the link, and there
 * is no progress.
 */
export type PlatformForm = "bundle" | "record";

/** All times are in milliseconds. */
export interface PlatformOptions {
  /** The port on 127.0.0.1, from 0 to 65535. Default: 0, any free port. */
  port?: number;
  /** The only admin API key that the platform accepts. Default: `svc_` and 32 random hexadecimal digits. */
  apiKey?: string;
  /** The form of the API. Default: `bundle`, the form of the API text. */
  form?: PlatformForm;
  /** The domains of the deployments that exist. A start for another domain gets 400. Default: every domain exists. */
  domains?: readonly string[];
  /** The folder with the Markdown to render. Default: this package's own README.md and docs/. */
  content?: string;
  /** How long a job stays `queued`: 0 or more, `Infinity` for ever. A change applies to later jobs. Default: 500. */
  queueTime?: number;
  /**
   * How long a job runs after the queue: 0 or more, `Infinity` for ever. A change applies to later jobs. Default: 5000.
   */
  jobTime?: number;
  /** The lifetime of a signed link: 0 or more. A change applies to later links. Default: 900000 (15 minutes). */
  linkLife?: number;
  /** If set, every job ends as `failed`, with this text as its `error`. A change applies to later jobs. */
  failJobs?: string | undefined;
  /**
   * If true, a start gets 409 while a job of the same domain is queued or running. Default: false; true in the form
   * `record`.
   */
  oneJobPerDomain?: boolean;
  /**
   * The number of starts that the platform accepts in any 60 minutes, from all clients together: 0 or more. Further
   * starts get 429 without `Retry-After`. Default: unlimited; 10 in the form `record`.
   */
  startsPerHour?: number;
  /**
   * The number of API requests that the platform accepts in any second, from all clients together: 0 or more. Further
   * requests get 429 with `Retry-After`. Default: unlimited. Requests that get 401 or 429 do not count; this is an
   * assumption.
   */
  requestsPerSecond?: number;
  /**
   * How long an agent job is `active` after a message: 0 or more, `Infinity` for ever. A change applies to later
   * messages. Default: 3000.
   */
  agentTime?: number;
  /** The result of an agent's work. A change applies to later messages. */
  agentOutcome?: AgentOutcome;
  /**
   * The number of messages that a project may send in any 60 minutes: 0 or more, `Infinity` for no limit. Further
   * messages get 429 with `Retry-After`. Default: 100, the limit in the API text. Only accepted messages count; this is
   * an assumption.
   */
  messagesPerHour?: number;
  /** The agent jobs that exist from the start. Default: none. */
  agentJobs?: readonly AddedAgentJob[];
  /**
   * How far the platform's clock is ahead of this machine's clock; a negative value is behind. It applies to `Date`,
   * timestamps, expiry, signatures and limits. Default: 0.
   */
  clockOffset?: number;
  /** If true, an answer about a job has `startedAt` and `completedAt`. The API text has neither. Default: false. */
  times?: boolean;
  /** If true, answers have more fields that are not in the API text, such as `sizeBytes`. Default: true. */
  extraFields?: boolean;
  /** The faults that are injected at the start. Default: none. */
  faults?: readonly Fault[];
  /** Called with one line for each request. The line never contains the key or a signature. Default: none. */
  log?: (line: string) => void;
}

/** The options of the running platform. Some of them may be changed while it runs. */
export type ResolvedPlatformOptions = Required<Omit<PlatformOptions, "domains" | "content" | "agentJobs" | "faults">> &
  Pick<PlatformOptions, "content"> & { readonly domains: ReadonlySet<string> | undefined };

/** @throws RangeError that names the option, if a value is out of its bounds */
export function resolvePlatformOptions({
  domains,
  agentJobs: _,
  faults: __,
  ...given
}: PlatformOptions): ResolvedPlatformOptions {
  const options = {
    port: 0,
    apiKey: `svc_${randomBytes(16).toString("hex")}`,
    queueTime: 500,
    jobTime: 5_000,
    linkLife: 900_000,
    failJobs: undefined,
    form: "bundle" as const,
    oneJobPerDomain: given.form === "record",
    startsPerHour: given.form === "record" ? 10 : Number.POSITIVE_INFINITY,
    requestsPerSecond: Number.POSITIVE_INFINITY,
    agentTime: 3_000,
    agentOutcome: {},
    messagesPerHour: 100,
    clockOffset: 0,
    times: false,
    extraFields: true,
    log: () => {},
    ...withoutUndefined(given),
    domains: domains && new Set(domains.map((domain) => domain.toLowerCase())),
  };
  for (const name of [
    "queueTime",
    "jobTime",
    "requestsPerSecond",
    "agentTime",
    "messagesPerHour",
    "startsPerHour",
  ] as const) {
    bounded(name, options[name]);
  }
  bounded("port", options.port, Number.isInteger(options.port) && options.port <= 65_535);
  bounded("linkLife", options.linkLife, Number.isFinite(options.linkLife));
  if (!Number.isFinite(options.clockOffset)) {
    throw new RangeError(`clockOffset must be a finite number of milliseconds: ${options.clockOffset}`);
  }
  // The message does not contain the value, which is a secret.
  if (!/^[\x21-\x7e]+$/.test(options.apiKey)) {
    throw new RangeError("apiKey must be printable ASCII without blanks");
  }
  return options;
}

export function withoutUndefined<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}

function bounded(name: string, value: number, holds = true): void {
  if (!(value >= 0) || !holds) {
    throw new RangeError(`${name} is out of bounds: ${value}`);
  }
}
