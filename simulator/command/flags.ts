import { parseArgs } from "node:util";
import type { Dialect } from "../dialect";
import type { PlatformOptions } from "../options";
import { outcomeOf, outcomeWords, parseAgentJob } from "./agentFlags";
import { parseFault } from "./faultFlag";
import { parseGoDuration } from "./goDuration";
import { UsageError } from "./help";

const text = { type: "string" } as const;
const several = { type: "string", multiple: true } as const;
const yes = { type: "boolean" } as const;

const flags = {
  port: text,
  key: text,
  content: text,
  domains: text,
  "queue-time": text,
  "job-time": text,
  "link-life": text,
  "clock-offset": text,
  "fail-jobs": text,
  "one-job-per-domain": yes,
  "starts-per-hour": text,
  "requests-per-second": text,
  "start-status": text,
  "running-status": text,
  progress: text,
  "expires-at": text,
  "no-page-count": yes,
  times: yes,
  "no-extra-fields": yes,
  "agent-job": several,
  projects: text,
  "agent-time": text,
  "agent-outcome": text,
  "messages-per-hour": text,
  "message-window": text,
  fault: several,
  openapi: yes,
  help: { type: "boolean", short: "h" },
} as const;

type Values = ReturnType<typeof parseFlags>;

/**
 * Reads the command line.
 *
 * @param args the arguments behind the script's name
 * @returns the options of the platform; or `help` or `openapi` when that text is asked for
 * @throws UsageError
 */
export function readCommandLine(args: readonly string[]): PlatformOptions | "help" | "openapi" {
  const values = parseFlags(args);
  if (values.help) {
    return "help";
  }
  if (values.openapi) {
    return "openapi";
  }
  return withoutUndefined({
    port: whole("port", values.port, 65_535),
    apiKey: values.key,
    content: values.content,
    domains: list(values.domains),
    queueTime: duration("queue-time", values["queue-time"]),
    jobTime: duration("job-time", values["job-time"]),
    linkLife: duration("link-life", values["link-life"]),
    clockOffset: duration("clock-offset", values["clock-offset"], true),
    failJobs: values["fail-jobs"],
    oneJobPerDomain: values["one-job-per-domain"],
    startsPerHour: whole("starts-per-hour", values["starts-per-hour"]),
    requestsPerSecond: whole("requests-per-second", values["requests-per-second"]),
    ...readAgents(values),
    dialect: readDialect(values),
    faults: values.fault?.map(parseFault),
  });
}

function parseFlags(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: flags }).values;
  } catch (error) {
    // parseArgs says which flag it is.
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function readAgents(values: Values): PlatformOptions {
  const outcome = oneOf("agent-outcome", values["agent-outcome"], outcomeWords);
  return withoutUndefined({
    agentJobs: values["agent-job"]?.map(parseAgentJob),
    projectIds: list(values.projects),
    agentTime: duration("agent-time", values["agent-time"]),
    agentOutcome: outcome && outcomeOf(outcome),
    messagesPerHour: whole("messages-per-hour", values["messages-per-hour"]),
    messageWindow: duration("message-window", values["message-window"]),
  });
}

function readDialect(values: Values): Partial<Dialect> {
  const startStatus = oneOf("start-status", values["start-status"], ["200", "201", "202"]);
  return withoutUndefined({
    startStatus: startStatus && ({ "200": 200, "201": 201, "202": 202 } as const)[startStatus],
    runningStatus: values["running-status"],
    progress: oneOf("progress", values.progress, ["percent", "fraction", "text", "object", "none"]),
    expiresAt: oneOf("expires-at", values["expires-at"], [
      "iso",
      "isoNoOffset",
      "isoOffset",
      "epochSeconds",
      "epochMilliseconds",
    ]),
    pageCount: values["no-page-count"] && false,
    times: values.times,
    extraFields: values["no-extra-fields"] && false,
  });
}

function list(value: string | undefined): string[] | undefined {
  return value?.split(",").map((item) => item.trim());
}

function duration(flag: string, value: string | undefined, signed = false): number | undefined {
  if (value === undefined) {
    return undefined;
  }
  const time = parseGoDuration(value);
  if (time !== undefined && (time >= 0 || signed)) {
    return time;
  }
  throw new UsageError(`--${flag} ${value}: it takes a duration such as 90s or 1m30s`);
}

function whole(flag: string, value: string | undefined, max = Number.MAX_SAFE_INTEGER): number | undefined {
  if (value === undefined) {
    return undefined;
  }
  if (/^\d+$/.test(value) && Number(value) <= max) {
    return Number(value);
  }
  throw new UsageError(`--${flag} ${value}: it takes a whole number from 0${max === 65_535 ? " to 65535" : ""}`);
}

function oneOf<Word extends string>(flag: string, value: string | undefined, words: readonly Word[]): Word | undefined {
  if (value === undefined) {
    return undefined;
  }
  const word = words.find((known) => known === value);
  if (word !== undefined) {
    return word;
  }
  throw new UsageError(`--${flag} ${value}: it takes one of ${words.join(", ")}`);
}

function withoutUndefined<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
