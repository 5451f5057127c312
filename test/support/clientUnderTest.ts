import { onTestFinished } from "vitest";
import { createClient, type PlatformClient } from "../../provider/platform/client";
import { openConnection } from "../../provider/platform/connection";
import { createTransport } from "../../provider/platform/transport";
import type { Settings } from "../../provider/support/settings";
import { FakeClock } from "./fakeClock";

export const apiKey = "svc_test-key-0123456789";

export interface ClientUnderTest extends PlatformClient {
  clock: FakeClock;
}

export interface ClientOptions extends Partial<Settings> {
  clock?: FakeClock;
  random?: () => number;
  connectTimeout?: number;
}

/** The real client on real sockets, with a clock of its own, so that no rest takes time. */
export function clientFor(baseUrl: string, options: ClientOptions = {}): ClientUnderTest {
  const { clock = new FakeClock(), random = () => 0.5, connectTimeout = 5_000, ...settings } = options;
  const connection = openConnection(connectTimeout);
  onTestFinished(() => connection.close());
  const transport = createTransport(
    {
      apiKey,
      baseUrl,
      origin: new URL(baseUrl).origin,
      requestTimeout: 5_000,
      maxRetries: 2,
      maxRequestsPerSecond: undefined,
      ...settings,
    },
    { connection, clock, random },
  );
  return { ...createClient(transport), clock };
}

/** Each operation, as a table of tests needs it. */
export const operations = {
  startExport: (client: PlatformClient, signal = never) => client.startExport("docs.example.com", { signal }),
  getExport: (client: PlatformClient, signal = never) => client.getExport("job-1", { signal }),
  createBundle: (client: PlatformClient, signal = never) => client.createBundle("job-1", { signal }),
} as const;

export type Operation = keyof typeof operations;

/** A body that satisfies every operation. */
export const goodBody = {
  jobId: "job-1",
  status: "running",
  bundleUrl: "https://files.example.com/bundle.tar.gz?sig=abc",
  expiresAt: "2126-01-31T10:00:00Z",
};

/** A signal that never aborts. */
export const never = new AbortController().signal;

/** What a promise is rejected with; a promise that is kept fails the test. */
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
