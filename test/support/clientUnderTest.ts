import { onTestFinished } from "vitest";
import { createPlatformClient, type PlatformClient } from "../../provider/platform/client";
import { openConnection } from "../../provider/platform/connection";
import { createTransport } from "../../provider/platform/transport";
import type { JournalSettings, Settings, TlsSettings } from "../../provider/settings/settings";
import { FakeClock } from "./fakeClock";

export const testKey = "svc_test-key-0123456789";

export const noJournal: JournalSettings = { place: undefined, required: false };

export const noTls: TlsSettings = { caFile: undefined, clientCertFile: undefined, clientKeyFile: undefined };

export interface ClientUnderTest extends PlatformClient {
  clock: FakeClock;
  /** Every attempt of every request, as the trace shows it. */
  traced: string[];
}

export interface ClientOptions extends Partial<Settings> {
  clock?: FakeClock;
  random?: () => number;
  connectTimeout?: number;
}

export function testSettings(baseUrl: string, settings: Partial<Settings> = {}): Settings {
  return {
    apiKey: testKey,
    baseUrl,
    origin: new URL(baseUrl).origin,
    requestTimeout: 30_000,
    maxRetries: 2,
    waitsOutLimits: false,
    maxRequestsPerSecond: undefined,
    projectId: undefined,
    routes: {},
    tls: noTls,
    headers: [],
    ...settings,
  };
}

/** Makes the real client on real sockets. On its fake clock, pauses take no time. */
export function clientFor(baseUrl: string, options: ClientOptions = {}): ClientUnderTest {
  const { clock = new FakeClock(), random = () => 0.5, connectTimeout = 30_000, ...settings } = options;
  const all = testSettings(baseUrl, settings);
  const traced: string[] = [];
  const connection = openConnection(all, connectTimeout);
  onTestFinished(() => connection.close());
  const transport = createTransport(all, { connection, clock, random, trace: (line) => traced.push(line) });
  return { ...createPlatformClient(transport, all), clock, traced };
}

export const agentKey = { projectId: "docs", id: "agent-1" };

/** Each operation of the API as a call of the client. */
export const clientOperations = {
  startExport: (client: PlatformClient, signal = never) => client.startExport("docs.example.com", { signal }),
  getExport: (client: PlatformClient, signal = never) => client.getExport("job-1", { signal }),
  createBundle: (client: PlatformClient, signal = never) => client.createBundle("job-1", { signal }),
  sendMessage: (client: PlatformClient, signal = never) => client.sendMessage(agentKey, "Go on.", { signal }),
  getAgentJob: (client: PlatformClient, signal = never) => client.getAgentJob(agentKey, { signal }),
} as const;

export type ClientOperation = keyof typeof clientOperations;

/** An answer body that is valid for every operation. */
export const goodBody = {
  jobId: "job-1",
  status: "running",
  bundleUrl: "https://files.example.com/bundle.tar.gz?sig=abc",
  expiresAt: "2126-01-31T10:00:00Z",
  id: "agent-1",
  source: { repository: "https://git.example.com/docs/site", ref: null },
  model: "agent-model",
  prLink: null,
  createdAt: "2026-01-31T10:00:00Z",
  archivedAt: null,
};

export const never = new AbortController().signal;

/** Waits for a promise that must reject, and returns its error. */
export async function rejection(promise: Promise<unknown>): Promise<Error> {
  const kept = Symbol("kept");
  const result = await promise.then(
    () => kept,
    (error: unknown) => error,
  );
  if (!(result instanceof Error)) {
    throw new Error("expected an error, and there was none");
  }
  return result;
}
