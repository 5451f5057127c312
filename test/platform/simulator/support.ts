import { Agent, request } from "undici";
import { onTestFinished } from "vitest";
import { type Platform, type PlatformOptions, startPlatform } from "../../../simulator";
import { completedJob } from "../../support/completedJob";

export interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  bytes: Buffer;
  json: Record<string, unknown>;
}

export interface Call {
  method?: string;
  /** Default: the platform's key. With null, no key is sent. */
  key?: string | null;
  headers?: Record<string, string>;
  body?: string;
}

export const jobsPath = "/v1/static-export/jobs";

export async function platformFor(options: PlatformOptions = {}): Promise<Platform> {
  const platform = await startPlatform({ queueTime: 0, jobTime: 0, ...options });
  onTestFinished(() => platform.close());
  return platform;
}

/** Sends a request on a new connection. */
export async function fetchUrl(url: string, call: Call = {}): Promise<Answer> {
  const dispatcher = new Agent();
  try {
    const answer = await request(url, {
      dispatcher,
      method: (call.method ?? "GET") as "GET",
      headers: call.headers ?? {},
      body: call.body ?? null,
    });
    const bytes = Buffer.from(await answer.body.arrayBuffer());
    const text = bytes.toString("utf8");
    const json = text.startsWith("{") && text.endsWith("}") ? JSON.parse(text) : {};
    return { status: answer.statusCode, headers: answer.headers, bytes, text, json };
  } finally {
    await dispatcher.destroy();
  }
}

export function callApi(platform: Platform, path: string, call: Call = {}): Promise<Answer> {
  const key = call.key === undefined ? platform.apiKey : call.key;
  const headers = { ...(key !== null && { authorization: `Bearer ${key}` }), ...call.headers };
  return fetchUrl(platform.baseUrl + path, { ...call, headers });
}

export function startJob(platform: Platform, domain = "docs.example.com"): Promise<Answer> {
  return callApi(platform, jobsPath, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ domain }),
  });
}

export function getJob(platform: Platform, jobId: unknown): Promise<Answer> {
  return callApi(platform, `${jobsPath}/${jobId}`);
}

export function makeBundle(platform: Platform, jobId: unknown): Promise<Answer> {
  return callApi(platform, `${jobsPath}/${jobId}/bundle`, { method: "POST" });
}

/** Starts and completes a job, and returns a link to its bundle. */
export async function linkOf(platform: Platform): Promise<string> {
  return (await completedJob(platform)).bundleUrl;
}
