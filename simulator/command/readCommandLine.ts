import { parseArgs } from "node:util";
import type { AddedAgentJob } from "../agents/agentJobs";
import { type PlatformForm, type PlatformOptions, withoutUndefined } from "../options";
import { parseFault } from "./faultFlag";
import { parseMilliseconds, UsageError } from "./help";

const text = { type: "string" } as const;
const several = { type: "string", multiple: true } as const;

const flags = {
  port: text,
  key: text,
  form: text,
  "job-time": text,
  "link-life": text,
  "agent-job": several,
  fault: several,
  openapi: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

/** Returns `help` or `openapi` if that flag is given. */
export function readCommandLine(args: readonly string[]): PlatformOptions | "help" | "openapi" {
  const values = parseFlags(args);
  if (values.help) {
    return "help";
  }
  if (values.openapi) {
    return "openapi";
  }
  return withoutUndefined({
    port: portOf(values.port),
    apiKey: values.key,
    form: formOf(values.form),
    jobTime: duration("job-time", values["job-time"]),
    linkLife: duration("link-life", values["link-life"]),
    agentJobs: values["agent-job"]?.map(agentJob),
    faults: values.fault?.map(parseFault),
  });
}

function parseFlags(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: flags }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function agentJob(value: string): AddedAgentJob {
  const [, projectId, id] = /^([^/]+)\/([^/]+)$/.exec(value) ?? [];
  if (projectId === undefined || id === undefined) {
    throw new UsageError(`--agent-job ${value}: it takes a project and a job id, such as docs/job-1`);
  }
  return { projectId, id };
}

function formOf(value: string | undefined): PlatformForm | undefined {
  if (value === undefined || value === "bundle" || value === "record") {
    return value;
  }
  throw new UsageError(`--form ${value}: it takes bundle or record`);
}

function duration(flag: string, value: string | undefined): number | undefined {
  const time = value === undefined ? undefined : parseMilliseconds(value);
  if (value !== undefined && time === undefined) {
    throw new UsageError(`--${flag} ${value}: it takes a duration such as 90s or 1m30s`);
  }
  return time;
}

function portOf(value: string | undefined): number | undefined {
  if (value !== undefined && !/^\d{1,5}$/.test(value)) {
    throw new UsageError(`--port ${value}: it takes a whole number from 0 to 65535`);
  }
  return value === undefined ? undefined : Number(value);
}
