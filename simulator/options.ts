import { randomBytes } from "node:crypto";
import type { AddedAgentJob, AgentOutcome } from "./agents/agentJobs";
import type { Fault } from "./faults/fault";

/**
 * The form of the API. `bundle` is the API text: an operation generates the link. `record` is the second form of such APIs:
 * the path contains the project, the record of the completed job has the link, and no progress is shown.
 */
export type PlatformForm = "bundle" | "record";

/** How a platform behaves. All fields are optional; all times are in milliseconds. */
export interface PlatformOptions {
  /** Port on 127.0.0.1, 0 to 65535. Default 0: any free port. */
  port?: number;
  /** The one admin API key that is accepted. Default: `svc_` and 32 random hexadecimal digits. */
  apiKey?: string;
  /** The form of the API. Default `bundle`, that of the API text. */
  form?: PlatformForm;
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
  failJobs?: string | undefined;
  /** Whether a start is answered 409 while a job of its domain is queued or runs. Default false; true in the form `record`. */
  oneJobPerDomain?: boolean;
  /**
   * Starts that are accepted in any 60 minutes, of all clients together; beyond it 429 without a time. 0 or more. Default:
   * unlimited, and 10 in the form `record`.
   */
  startsPerHour?: number;
  /**
   * Requests of the API in any second, of all clients together; beyond it 429 with `Retry-After`. 0 or more. Default:
   * unlimited. Assumed: requests that are answered 401 or 429 do not count.
   */
  requestsPerSecond?: number;
  /** Time that an agent job is `active` after a message; 0 or more, `Infinity` for ever. Default 3000. Holds for messages after it. */
  agentTime?: number;
  /** How agents' work ends. Holds for messages after it. */
  agentOutcome?: AgentOutcome;
  /**
   * Messages that a project may send in any 60 minutes; beyond it 429 with `Retry-After`. 0 or more, `Infinity` for no
   * limit. Default 100, the limit of the API text. Assumed: only accepted messages count.
   */
  messagesPerHour?: number;
  /** Agent jobs that are there from the start: the API text shows no operation that creates one. Default none. */
  agentJobs?: readonly AddedAgentJob[];
  /** The platform's clock minus this machine's: shifts `Date`, timestamps, expiry, signatures and limits. Default 0. */
  clockOffset?: number;
  /** True if a job's record has `startedAt` and `completedAt`, which the API text does not name. Default false. */
  times?: boolean;
  /** Whether bodies carry other fields that the API text does not name, such as `sizeBytes`. Default true. */
  extraFields?: boolean;
  /** Faults that stand ready from the start. Default none. */
  faults?: readonly Fault[];
  /** Gets one line a request, never with the key or a signature. Default: none. */
  log?: (line: string) => void;
}

/** The options of the running platform; some may be changed while it runs. */
export type ResolvedOptions = Required<Omit<PlatformOptions, "domains" | "content" | "agentJobs" | "faults">> &
  Pick<PlatformOptions, "content"> & { readonly domains: ReadonlySet<string> | undefined };

/**
 * Fills in the defaults.
 *
 * @throws RangeError naming the option, when a value is out of its bounds
 */
export function resolveOptions({ domains, agentJobs: _, faults: __, ...given }: PlatformOptions): ResolvedOptions {
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
  // The message does not repeat the value, since it is a secret.
  if (!/^[\x21-\x7e]+$/.test(options.apiKey)) {
    throw new RangeError("apiKey must be printable ASCII without blanks");
  }
  return options;
}

/** Returns a copy without undefined fields. */
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
