import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { request } from "undici";
import { parse } from "yaml";
import type { QuickstartPlatform } from "./target";

/** A link that lives longer than this is not waited for; milliseconds. */
const longestWait = 120_000;

/** The duration and the requests of one command of an engine. */
export interface CountedRun {
  seconds: number;
  /** The requests as `METHOD /path`, in order. */
  requests: string[];
}

/** A command that failed; the message is the engine's last error. */
export class RunFailed extends Error {}

/** The stack of the quickstart, on either engine. */
export interface QuickstartStack {
  /** The commands, as a person types them. */
  readonly commands: { readonly up: string; readonly destroy: string };
  /** The values of a deployment, once a run has ended. */
  readonly valuesFile: string;
  create(): Promise<void>;
  setRenewBefore(duration: string): Promise<void>;
  up(): Promise<CountedRun>;
  destroy(): Promise<CountedRun>;
  outputs(): Promise<Record<string, string>>;
  /** The job in the state, also after a failed run. */
  jobId(): Promise<string | undefined>;
}

/** A step of the quickstart, and its cost. */
interface Step extends CountedRun {
  title: string;
}

/** The outputs of the program. */
interface Outputs {
  jobId: string;
  version: string;
  bundleUrl: string;
  expiresAt: string;
}

/** Runs the quickstart through its whole life, and checks each step against the README. */
export async function runQuickstart(
  stack: QuickstartStack,
  target: QuickstartPlatform,
  signal: AbortSignal,
): Promise<void> {
  const { up, destroy } = stack.commands;
  const steps: Step[] = [];
  const step = async (title: string, run: () => Promise<CountedRun>): Promise<CountedRun> => {
    signal.throwIfAborted();
    console.log(`\n━━ ${title}`);
    const result = await run();
    steps.push({ title, ...result });
    return result;
  };

  console.log(`platform: ${target.baseUrl}${target.embedded ? " (embedded: nothing leaves this machine)" : ""}`);
  await stack.create();
  if (target.embedded) {
    await stack.setRenewBefore("2s");
  }
  let jobId: string | undefined;
  try {
    await step(`${up}: starts an export, waits for it, mints a link`, () => stack.up());
    const first = await outputsOf(stack);
    jobId = first.jobId;
    showLink(first);

    const unchanged = await step(`${up} again: nothing changed`, () => stack.up());
    if (Date.parse(first.expiresAt) - Date.now() > longestWait) {
      expectCount("a run that changes nothing", unchanged, 0);
    }
    await renewal(stack, first, step, signal);
    await deliver(stack, signal);
    expectCount(
      "destroy",
      await step(`${destroy}: forgets the job, which the API cannot delete`, () => stack.destroy()),
      0,
    );
    printSummary(steps);
  } finally {
    tellJob(jobId ?? (await stack.jobId().catch(() => undefined)), target);
  }
}

async function renewal(
  stack: QuickstartStack,
  first: Outputs,
  step: (title: string, run: () => Promise<CountedRun>) => Promise<CountedRun>,
  signal: AbortSignal,
): Promise<void> {
  const left = Date.parse(first.expiresAt) - Date.now();
  if (left > longestWait) {
    console.log(
      `\n━━ renewal skipped: the link is good until ${first.expiresAt}, and is renewed by the first run after that`,
    );
    return;
  }
  console.log(`\nwaiting ${Math.max(0, Math.ceil(left / 1_000))}s, until the link has expired`);
  await sleep(Math.max(0, left) + 100, undefined, { signal });
  const run = await step(`${stack.commands.up} after the link expired: a fresh one, for the same job`, () =>
    stack.up(),
  );
  const second = await outputsOf(stack);
  expectCount("a renewal", run, 1);
  if (second.jobId !== first.jobId || second.version !== first.version || second.bundleUrl === first.bundleUrl) {
    throw new Error("a renewal must change the link and nothing else");
  }
  showLink(second);
}

/** Does as a deployment does: reads the link from the values file, and fetches the bundle. */
async function deliver(stack: QuickstartStack, signal: AbortSignal): Promise<void> {
  const { staticExport } = parse(readFileSync(stack.valuesFile, "utf8"));
  const mode = (statSync(stack.valuesFile).mode & 0o777).toString(8);
  console.log(
    `\nHelm values (mode ${mode}): enabled ${staticExport.enabled}, version ${staticExport.version}, bundleUrl ${masked(staticExport.bundleUrl)}`,
  );
  const { sizeBytes, sha256 } = await download(staticExport.bundleUrl, signal);
  console.log(`bundle: ${sizeBytes} bytes, sha256 ${sha256}`);
}

async function outputsOf(stack: QuickstartStack): Promise<Outputs> {
  const { jobId = "", version = "", bundleUrl = "", expiresAt = "" } = await stack.outputs();
  return { jobId, version, bundleUrl, expiresAt };
}

function showLink({ bundleUrl, expiresAt }: Outputs): void {
  const left = Math.round((Date.parse(expiresAt) - Date.now()) / 1_000);
  console.log(`\nlink: ${masked(bundleUrl)}, good for ${left}s, until ${expiresAt}`);
}

function expectCount(what: string, { requests }: CountedRun, expected: number): void {
  if (requests.length !== expected) {
    throw new Error(`${what} must cost ${expected} requests, and cost ${requests.length}: ${requests.join(", ")}`);
  }
}

function tellJob(jobId: string | undefined, target: QuickstartPlatform): void {
  if (jobId !== undefined && !target.embedded) {
    console.log(`\nexport job ${jobId} stays on ${target.baseUrl}; \`jobId: "${jobId}"\` adopts it`);
  }
}

/** Reads the whole archive and keeps nothing of it. It sends no key, because the link is its own authorization. */
async function download(link: string, signal: AbortSignal): Promise<{ sizeBytes: number; sha256: string }> {
  const response = await request(link, { signal });
  if (response.statusCode !== 200) {
    await response.body.dump();
    throw new Error(`the bundle's link was answered HTTP ${response.statusCode}`);
  }
  const hash = createHash("sha256");
  let sizeBytes = 0;
  for await (const chunk of response.body) {
    hash.update(chunk);
    sizeBytes += chunk.length;
  }
  return { sizeBytes, sha256: hash.digest("hex") };
}

/** A link without its signature. */
function masked(link: string): string {
  const url = new URL(link);
  return `${url.host}${url.pathname}${url.search ? "?[signature masked]" : ""}`;
}

/** Prints the requests and the seconds of each step. */
function printSummary(steps: readonly Step[]): void {
  console.log("\nrequests  seconds  step");
  for (const { title, seconds, requests } of steps) {
    console.log(
      `${String(requests.length).padStart(8)}  ${seconds.toFixed(1).padStart(7)}  ${title}${detail(requests)}`,
    );
  }
}

function detail(requests: readonly string[]): string {
  const count = (pattern: RegExp) => requests.filter((request) => pattern.test(request)).length;
  const parts = [
    [count(/^POST .*\/jobs$/), "start"],
    [count(/^GET /), "polls"],
    [count(/^POST .*\/bundle$/), "bundle"],
  ].filter(([number]) => number !== 0);
  return parts.length === 0 ? "" : ` (${parts.map(([number, what]) => `${number} ${what}`).join(", ")})`;
}
