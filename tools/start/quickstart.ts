import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { parse } from "yaml";
import { homepage } from "../../package.json";
import { printLine } from "./printLine";
import type { PulumiQuickstart } from "./pulumiQuickstart";
import type { QuickstartPlatform } from "./target";

/** If a link lives longer than this, in milliseconds, the quickstart does not wait until the link expires. */
const longestWait = 120_000;

/** The page's address on the website of the repository. A terminal could not open the page's file in the clone. */
const nextPage = `${homepage.replace(/#.*/, "")}/blob/main/docs/getting-started.md`;

interface Step {
  title: string;
  seconds: number;
  /** The requests of the step, or undefined if the platform does not report its requests. */
  requests: string[] | undefined;
}

interface Outputs {
  jobId: string;
  version: string;
  bundleUrl: string;
  expiresAt: string;
}

/** Runs all steps of the quickstart, and checks the number of requests of each step. */
export async function runQuickstart(
  stack: PulumiQuickstart,
  target: QuickstartPlatform,
  signal: AbortSignal,
): Promise<void> {
  const isEmbedded = target.requests !== undefined;
  const steps: Step[] = [];
  /** @param expected the number of requests that the step must send. */
  const step = async (title: string, run: () => Promise<number>, expected?: number): Promise<void> => {
    signal.throwIfAborted();
    printLine(`\n━━ ${title}`);
    const before = target.requests?.().length;
    const seconds = await run();
    const requests = target.requests?.().slice(before);
    steps.push({ title, seconds, requests });
    if (requests !== undefined && expected !== undefined && requests.length !== expected) {
      throw new Error(`this must cost ${expected} requests, and cost ${requests.length}: ${requests.join(", ")}`);
    }
  };

  printLine(`platform: ${target.baseUrl}${isEmbedded ? " (embedded: nothing leaves this machine)" : ""}`);
  await stack.create();
  if (isEmbedded) {
    await stack.setRenewBefore("2s");
  }
  let jobId: string | undefined;
  try {
    await step("pulumi up: starts an export, waits, makes a link", () => stack.up());
    const first = await outputsOf(stack);
    jobId = first.jobId;
    showLink(first);
    await step("pulumi up again: nothing changed", () => stack.up(), 0);
    const left = Date.parse(first.expiresAt) - Date.now();
    if (left > longestWait) {
      const end = `good until ${first.expiresAt}, and is renewed by the first run after that`;
      printLine(`\n━━ renewal skipped: the link is ${end}`);
    } else {
      printLine(`\nwaiting ${Math.max(0, Math.ceil(left / 1_000))}s, until the link has expired`);
      await sleep(Math.max(0, left) + 100, undefined, { signal });
      await step("pulumi up after the link expired: a fresh one, for the same job", () => stack.up(), 1);
      const second = await outputsOf(stack);
      if (second.jobId !== first.jobId || second.version !== first.version || second.bundleUrl === first.bundleUrl) {
        throw new Error("a renewal must change the link and nothing else");
      }
      showLink(second);
    }
    await deliver(stack, signal);
    printSummary(steps);
    printLine("\nNext: your own stack:");
    printLine(nextPage);
  } finally {
    jobId ??= await stack.jobId().catch(() => undefined);
    if (jobId !== undefined && !isEmbedded) {
      printLine(`\nexport job ${jobId} stays on ${target.baseUrl}; \`jobId: "${jobId}"\` adopts it`);
    }
  }
}

/** Does what a deployment does: reads the link from the values file, and downloads the bundle. */
async function deliver(stack: PulumiQuickstart, signal: AbortSignal): Promise<void> {
  const { staticExport } = parse(readFileSync(stack.valuesFile, "utf8"));
  const { enabled, version, bundleUrl } = staticExport;
  const mode = (statSync(stack.valuesFile).mode & 0o777).toString(8);
  printLine(`\nHelm values (mode ${mode}): enabled ${enabled}, version ${version}, bundleUrl ${masked(bundleUrl)}`);
  // The request contains no key, because the link is signed.
  const response = await fetch(bundleUrl, { signal });
  if (!response.ok) {
    throw new Error(`the bundle's link was answered HTTP ${response.status}`);
  }
  const hash = createHash("sha256");
  let sizeBytes = 0;
  for await (const chunk of response.body ?? []) {
    hash.update(chunk);
    sizeBytes += chunk.length;
  }
  printLine(`bundle: ${sizeBytes} bytes, sha256 ${hash.digest("hex")}`);
}

async function outputsOf(stack: PulumiQuickstart): Promise<Outputs> {
  const { jobId = "", version = "", bundleUrl = "", expiresAt = "" } = await stack.outputs();
  return { jobId, version, bundleUrl, expiresAt };
}

function showLink({ bundleUrl, expiresAt }: Outputs): void {
  const left = Math.round((Date.parse(expiresAt) - Date.now()) / 1_000);
  printLine(`\nlink: ${masked(bundleUrl)}, good for ${left}s, until ${expiresAt}`);
}

function masked(link: string): string {
  const url = new URL(link);
  return `${url.host}${url.pathname}${url.search ? "?[signature masked]" : ""}`;
}

function printSummary(steps: readonly Step[]): void {
  printLine("\nrequests  seconds  step");
  for (const { title, seconds, requests } of steps) {
    const count = requests === undefined ? "-" : String(requests.length);
    printLine(`${count.padStart(8)}  ${seconds.toFixed(1).padStart(7)}  ${title}${detail(requests ?? [])}`);
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
