import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Attempt } from "./attempt";
import { isExecutable } from "./executables";
import { runTool } from "./runTool";

/** The oldest command line that the SDK's peer range asks for. */
export const oldestPulumi = "3.139.0";

/** The language host of Node.js programs: without it no program of this project runs. */
export const languageHost = "pulumi-language-nodejs";

/** The host of dynamic providers. Only on PATH, and not beside `pulumi`, the engine warns at every run. */
export const dynamicHost = "pulumi-resource-pulumi-nodejs";

const timeLimit = 20_000;

/** Runs `pulumi version` and answers with what is wrong with it, or with nothing. It never touches the network. */
export async function problemOfPulumi(pulumi: string): Promise<string | undefined> {
  const outcome = await runTool(pulumi, ["version"], {
    // A project's folder could change what the command does.
    cwd: tmpdir(),
    env: { PULUMI_SKIP_UPDATE_CHECK: "true" },
    timeLimit,
  });
  if (!outcome.ok) return `\`pulumi version\` failed: ${outcome.problem}`;
  const version = outcome.stdout.trim();
  if (!/^v?\d+\.\d+\.\d+/.test(version)) return `\`pulumi version\` printed no version: "${version.slice(0, 80)}"`;
  if (isOlder(version, oldestPulumi)) return `it is ${version}, older than v${oldestPulumi}`;
  return undefined;
}

/** Proves a folder that we filled: everything is in it, and its `pulumi` works. */
export async function proveOwn(folder: string): Promise<Attempt> {
  for (const name of ["pulumi", languageHost, dynamicHost]) {
    if (!isExecutable(join(folder, name))) return { problem: `${folder} holds no executable ${name}` };
  }
  const problem = await problemOfPulumi(join(folder, "pulumi"));
  return problem === undefined ? { folder } : { problem: `${folder}: ${problem}` };
}

function isOlder(version: string, than: string): boolean {
  const [a, b] = [numbers(version), numbers(than)];
  const place = a.findIndex((number, index) => number !== b[index]);
  return place >= 0 && (a[place] ?? 0) < (b[place] ?? 0);
}

function numbers(version: string): number[] {
  const core = /\d+\.\d+\.\d+/.exec(version)?.[0] ?? "0.0.0";
  return core.split(".").map(Number);
}
