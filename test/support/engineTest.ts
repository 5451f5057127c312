import { expect, onTestFinished } from "vitest";
import type { Platform, PlatformOptions } from "../../simulator/index";
import { startPlatform } from "./compiledPlatform";
import { type DeclaredProgram, EngineStack, type Reached, requestNameOf } from "./engineStack";
import { endProcessesOf } from "./fixtures/kills";
import { leaks, signatureMark } from "./leaks";

export const siteAndBundle: DeclaredProgram = { site: { domain: "docs.example.com" }, bundle: {} };

export async function testPlatform(options: PlatformOptions = {}): Promise<Platform> {
  const platform = await startPlatform({ queueTime: 0, jobTime: 50, ...options });
  onTestFinished(() => platform.close());
  return platform;
}

interface StackOptions {
  keyInClear?: boolean;
  onFinished?: (work: () => void) => void;
}

/**
 * Makes a stack, and removes it after the test. Then asserts that no process of the stack runs. Also asserts that no
 * file and no output contains a signed link or the platform's key.
 * @param options.keyInClear true if the test itself writes the key in clear into the stack's configuration.
 * @param options.onFinished registers the removal. A concurrent test passes the `onTestFinished` of its own context.
 */
export async function testStack(
  platform: Reached,
  declared: DeclaredProgram = siteAndBundle,
  { keyInClear = false, onFinished = onTestFinished }: StackOptions = {},
): Promise<EngineStack> {
  const stack = await EngineStack.create(platform, declared);
  const secrets = keyInClear ? [signatureMark] : [signatureMark, platform.apiKey];
  onFinished(async () => {
    const left = await endProcessesOf(stack);
    const found = leaks(stack.folder, stack.printed, secrets);
    stack.remove();
    expect(left, "processes that a run has left").toEqual([]);
    expect(found, "files and outputs that hold a secret").toEqual([]);
    expect(stack.printed.join("\n"), "words of another host").not.toMatch(/\b(terraform|tofu)\b/i);
  });
  return stack;
}

export async function stackAfterUp(platform: Reached, declared: DeclaredProgram = siteAndBundle): Promise<EngineStack> {
  const stack = await testStack(platform, declared);
  const { code, output } = await stack.up();
  if (code !== 0) {
    throw new Error(output);
  }
  return stack;
}

/** The exit code of a failed command differs between versions of the engine. */
export const anError = expect.toSatisfy((code: unknown) => code !== 0, "an exit code that is not 0");

export const start = "POST /static-export/jobs";
export const look = (jobId: unknown) => `GET /static-export/jobs/${jobId}`;
export const mint = (jobId: unknown) => `POST /static-export/jobs/${jobId}/bundle`;

export function requestsTo(platform: Platform): string[] {
  return platform.requests.map(requestNameOf);
}

export function tally(requests: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const request of requests) {
    counts[request] = (counts[request] ?? 0) + 1;
  }
  return counts;
}

/**
 * Runs the first `up` with {@link siteAndBundle}. Asserts one start, its polls, one request for a bundle, and every
 * output.
 */
export async function expectFirstRun(stack: EngineStack): Promise<Record<string, unknown>> {
  const { code, output, requests } = await stack.up();
  expect(code, output).toBe(0);
  const { values, ...outputs } = await stack.outputs();
  const { jobId } = outputs;
  const { [look(jobId)]: polls, ...others } = tally(requests);
  expect(others).toEqual({ [start]: 1, [mint(jobId)]: 1 });
  expect(polls).toBeGreaterThanOrEqual(1);
  expect(outputs).toEqual({
    jobId: expect.any(String),
    status: "completed",
    pageCount: expect.any(Number),
    startedAt: expect.stringMatching(/^\d{4}-.*Z$/),
    completedAt: expect.stringMatching(/^\d{4}-.*Z$/),
    version: jobId,
    bundleUrl: expect.stringMatching(/^http:/),
    issuedAt: expect.stringMatching(/Z$/),
    expiresAt: expect.stringMatching(/Z$/),
  });
  expect(await stack.state("site")).toMatchObject({ id: jobId });
  expect(await stack.state("bundle")).toMatchObject({ id: jobId });
  return { values, ...outputs };
}

/** A line of a stack trace. Other lines may also begin with "at", but do not end with a position in a file. */
export const stackLine = /^\s+at .+:\d+:\d+\)?$/m;
