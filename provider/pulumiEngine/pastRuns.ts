import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { gunzipSync } from "node:zlib";
import { largestState } from "../status/printedState";
import type { FailedRun, PastRun, StackSnapshot, StateOptions } from "../status/stackSnapshot";
import { inHome } from "../support/homeFolder";
import { jsonObject } from "../support/jsonObject";
import { runProgram } from "../support/runProgram";
import { isoTime } from "../support/time/duration";
import { timeLimits } from "../support/time/timeLimits";
import { snapshotsIn } from "./stackSnapshot";
import type { Exported, ExportedResource } from "./stackState";

const mostRuns = 200;

/**
 * A run as `stack history` prints it. A file backend keeps a file of this form for each run, with the time in seconds,
 * and the state in a file beside it.
 */
interface KeptRun {
  kind: string;
  result: string;
  message?: string;
  startTime: string | number;
  endTime?: string | number;
  config?: Record<string, { value?: string; secret: boolean }>;
}

/**
 * Reads the earlier runs that the backend has kept. A file backend keeps the state after each run. For other backends,
 * the engine's commands do not show old states, so the job of a run is known only if the run's configuration names it.
 */
export async function pastRuns(options: StateOptions, current: StackSnapshot): Promise<PastRun[]> {
  const { url = "" }: { url?: string } = JSON.parse((await ask(["whoami", "--verbose", "--json"], options)) || "{}");
  const [, project = ""] = /^urn:pulumi:[^:]+::([^:]+)::/.exec(current.resources[0]?.address ?? "") ?? [];
  if (!url.startsWith("file://")) {
    return printedRuns(options, current);
  }
  const root = url.replace(/^file:\/\/|\?.*$/g, "").replace(/^~(?=\/|$)/, inHome() ?? "~");
  return keptRuns(join(resolve(options.folder, root), ".pulumi", "history", project, current.stack));
}

function keptRuns(folder: string): PastRun[] {
  const files = existsSync(folder) ? readdirSync(folder) : [];
  return files
    .filter((name) => /\.checkpoint\.json(\.gz)?$/.test(name))
    .toSorted()
    .slice(-mostRuns)
    .reverse()
    .map((name) => {
      const { checkpoint }: { checkpoint?: { latest?: Exported["deployment"] } } = readKept(folder, name);
      const run: Partial<KeptRun> = readKept(folder, name.replace(".checkpoint.", ".history."));
      const resources = (checkpoint?.latest?.resources ?? []).filter((one) => one.delete !== true);
      // The file's name contains the time of the run in nanoseconds.
      const nanoseconds = /-(\d+)\.checkpoint/.exec(name)?.[1] ?? "0";
      return {
        at: isoTime(Number(nanoseconds) / 1e6),
        resources: snapshotsIn(resources),
        ...failureOf(run, resources),
      };
    });
}

function readKept(folder: string, name: string): Record<string, unknown> {
  const file = join(folder, name);
  if (!existsSync(file)) {
    return {};
  }
  const bytes = readFileSync(file);
  return jsonObject((name.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8")) ?? {};
}

function failureOf(
  { kind = "", result, message = "" }: Partial<KeptRun>,
  resources: readonly ExportedResource[],
): { failed?: FailedRun } {
  const errors = snapshotsIn(resources).flatMap(({ name, address }) => {
    const { initErrors = [] } = resources.find(({ urn }) => urn === address) ?? {};
    return initErrors.map((text) => `${name}: ${text.split("\n")[0]}`);
  });
  return result === undefined || result === "succeeded" ? {} : { failed: { kind, message, errors } };
}

/**
 * Reads the runs that `stack history` prints, with the job that a run's configuration names. If the stack has one
 * export, the job belongs to that export. Otherwise it is unknown which export the job belongs to, so the job is left
 * out.
 */
async function printedRuns(options: StateOptions, current: StackSnapshot): Promise<PastRun[]> {
  const [site, ...others] = current.resources.filter(({ type }) => type === "StaticExport");
  const stack = options.stack === undefined ? [] : ["--stack", options.stack];
  const text = await ask(["stack", "history", "--json", "--page-size", String(mostRuns), ...stack], options);
  const runs: KeptRun[] = JSON.parse(text || "[]");
  return runs.map((run) => {
    const { result, endTime, startTime, config = {} } = run;
    const given = (key: string) => Object.entries(config).find(([name]) => name.endsWith(`:${key}`))?.[1].value;
    const [jobId, revision] = [given("jobId"), given("revision")];
    const isServed = site !== undefined && others.length === 0 && result === "succeeded" && jobId;
    const values = { jobId, status: "completed", triggers: { revision } };
    return {
      at: String(endTime ?? startTime),
      resources: isServed ? [{ ...site, values }] : [],
      ...failureOf(run, []),
    };
  });
}

/**
 * Runs a `pulumi` command.
 * @returns the command's output; an empty text if the command fails.
 */
async function ask(command: readonly string[], { folder }: StateOptions): Promise<string> {
  const options = { limit: timeLimits.stackExport, maxOutput: largestState, cwd: folder };
  const { stdout, problem } = await runProgram(["pulumi", ...command, "--non-interactive"], options);
  return problem === undefined ? stdout : "";
}
