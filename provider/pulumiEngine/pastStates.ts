import { existsSync, readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { gunzipSync } from "node:zlib";
import type { HeldState, PastState, StateOptions } from "../status/heldState";
import { runProgram } from "../support/runProgram";
import { isoTime } from "../support/time/duration";
import { timeLimits } from "../support/time/timeLimits";
import { heldIn } from "./heldState";
import { type Exported, largestState } from "./stackState";

const mostRuns = 200;

interface PastRun {
  result: string;
  endTime?: string;
  startTime: string;
  config?: Record<string, { value?: string; secret: boolean }>;
}

/**
 * Reads the states that a file backend has kept of each run. Other backends keep them where the engine's commands do not
 * show them: there, the configuration of each run tells the job that it was pinned to.
 */
export async function pastStates(options: StateOptions, current: HeldState): Promise<PastState[]> {
  const { url = "" }: { url?: string } = JSON.parse((await ask(["whoami", "--verbose", "--json"], options)) || "{}");
  const [, project = ""] = /^urn:pulumi:[^:]+::([^:]+)::/.exec(current.resources[0]?.address ?? "") ?? [];
  if (!url.startsWith("file://")) {
    return pinnedRuns(options, current);
  }
  const root = url.replace(/^file:\/\/|\?.*$/g, "").replace(/^~(?=\/|$)/, homedir());
  return keptStates(join(resolve(options.folder, root), ".pulumi", "history", project, current.stack));
}

function keptStates(folder: string): PastState[] {
  const files = existsSync(folder) ? readdirSync(folder) : [];
  return files
    .filter((name) => /\.checkpoint\.json(\.gz)?$/.test(name))
    .toSorted()
    .slice(-mostRuns)
    .reverse()
    .map((name) => {
      const bytes = readFileSync(join(folder, name));
      const text = (name.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8");
      const { checkpoint }: { checkpoint: { latest?: Exported["deployment"] } } = JSON.parse(text);
      const resources = checkpoint.latest?.resources ?? [];
      // The name ends with the time in nanoseconds.
      const nanoseconds = /-(\d+)\.checkpoint/.exec(name)?.[1] ?? "0";
      return {
        at: isoTime(Number(nanoseconds) / 1e6),
        resources: heldIn(resources.filter((one) => one.delete !== true)),
      };
    });
}

/** Which export a pin is of is known only where the stack has one. */
async function pinnedRuns(options: StateOptions, current: HeldState): Promise<PastState[]> {
  const [site, ...others] = current.resources.filter(({ type }) => type === "StaticExport");
  if (site === undefined || others.length > 0) {
    return [];
  }
  const stack = options.stack === undefined ? [] : ["--stack", options.stack];
  const text = await ask(["stack", "history", "--json", "--page-size", String(mostRuns), ...stack], options);
  const runs: PastRun[] = JSON.parse(text || "[]");
  return runs.flatMap(({ result, endTime, startTime, config = {} }) => {
    const given = (key: string) => Object.entries(config).find(([name]) => name.endsWith(`:${key}`))?.[1].value;
    const [jobId, revision] = [given("jobId"), given("revision")];
    const values = { jobId, status: "completed", triggers: { revision } };
    return result === "succeeded" && jobId ? [{ at: endTime ?? startTime, resources: [{ ...site, values }] }] : [];
  });
}

/** @returns an empty text if the command fails. */
async function ask(command: readonly string[], { folder }: StateOptions): Promise<string> {
  const options = { limit: timeLimits.stackExport, maxOutput: largestState, cwd: folder };
  const { stdout, problem } = await runProgram(["pulumi", ...command, "--non-interactive"], options);
  return problem === undefined ? stdout : "";
}
