import { expect, it } from "vitest";
import { createPlatformClient, type PlatformClient } from "../../../../provider/platform/client";
import type { HttpRequest, PlatformConnection, RequestResult } from "../../../../provider/platform/connection";
import { createTransport } from "../../../../provider/platform/transport";
import { exportBundleLifecycle } from "../../../../provider/resources/exportBundle";
import { staticExportLifecycle } from "../../../../provider/resources/staticExport";
import type { Clock } from "../../../../provider/support/time/clock";
import { testSettings } from "../../../support/clientUnderTest";
import { world } from "../../../support/fakePlatform";
import { type Random, seededRandom } from "../../../support/random";

/** A clock for all processes of a test. The time moves forward when all processes sleep. */
class SharedTime implements Clock {
  readonly machine = "shared";
  #time = Date.parse("2026-11-22T10:00:00Z");
  #sleepers: { until: number; wake: () => void }[] = [];

  now(): number {
    return this.#time;
  }

  monotonic(): number {
    return this.#time;
  }

  sleep(ms: number): Promise<void> {
    return new Promise((wake) => this.#sleepers.push({ until: this.#time + ms, wake }));
  }

  /** Moves the time forward until `ended` settles, or until `signal` aborts at the end of the test. */
  async runUntil(ended: Promise<unknown>, signal: AbortSignal): Promise<void> {
    let running = true;
    void ended.finally(() => {
      running = false;
    });
    for (;;) {
      await new Promise(setImmediate);
      signal.throwIfAborted();
      if (!running) {
        return;
      }
      this.#sleepers.sort((one, other) => one.until - other.until);
      const next = this.#sleepers.shift();
      this.#time = next?.until ?? this.#time;
      next?.wake();
    }
  }
}

/** A platform that accepts a limited number of requests in a second. All clients use one key and share the limit. */
class LimitedPlatform {
  starts = 0;
  #accepted: number[] = [];

  readonly #namesTime: boolean;

  constructor(
    private readonly time: SharedTime,
    private readonly limit: number,
    private readonly jobTime: number,
    namesTime = true,
  ) {
    this.#namesTime = namesTime;
  }

  connect(random: Random): PlatformConnection {
    return {
      send: async (request) => {
        await this.time.sleep(random.whole(20, 60));
        return this.#answer(request);
      },
      checkLink: async () => 200,
      close: async () => {},
    };
  }

  #answer({ method, path }: HttpRequest): RequestResult {
    const now = this.time.now();
    const answer = (status: number, body: object, headers = {}): RequestResult => ({
      kind: "answer",
      status,
      headers: { date: new Date(now).toUTCString(), ...headers },
      text: JSON.stringify(body),
    });
    this.#accepted = this.#accepted.filter((time) => time > now - 1_000);
    if (this.#accepted.length >= this.limit) {
      return answer(429, { error: "Rate limit exceeded" }, this.#namesTime ? { "retry-after": "1" } : {});
    }
    this.#accepted.push(now);
    if (path.endsWith("/bundle")) {
      const expiresAt = new Date(now + 900_000).toISOString();
      return answer(200, { bundleUrl: "https://storage.example.com/bundle.tar.gz", expiresAt });
    }
    if (method === "POST") {
      return answer(201, { jobId: `${++this.starts}-${now + this.jobTime}` });
    }
    const end = Number(path.split("-").at(-1));
    const progress = Math.min(100, Math.round(100 * (1 - (end - now) / this.jobTime)));
    return answer(200, { status: now >= end ? "completed" : "running", progress });
  }
}

async function exportOnce(client: PlatformClient, clock: Clock): Promise<void> {
  const context = { ...world().context, settings: () => settings, clock, connect: async () => client };
  const { state, problem } = await staticExportLifecycle.create({ domain: "docs.example.com" }, context);
  if (problem !== undefined) {
    throw problem;
  }
  await exportBundleLifecycle.create({ jobId: state.jobId, version: state.jobId }, context);
}

const settings = testSettings("https://platform.example.com", {
  requestTimeout: 30_000,
  maxRetries: 4,
  waitsOutLimits: true,
});

it.for<[string, number, boolean]>([
  ["processes of one key, which know nothing of each other", 40, true],
  ["exports of one process", 16, false],
  ["exports of one process", 200, true],
  ["exports of one process", 200, false],
])(
  "%s: %i at once all come to their end at 5 requests a second (a 429 names the time: %s)",
  async ([kind, count, names], { signal }) => {
    const time = new SharedTime();
    const platform = new LimitedPlatform(time, 5, 60_000, names);
    const clientOf = (random: Random) => {
      const parts = { connection: platform.connect(random), clock: time, random: random.next, trace: () => {} };
      return createPlatformClient(createTransport(settings, parts), settings);
    };
    const shared = kind.startsWith("exports") ? clientOf(seededRandom(1)) : undefined;
    const runs = Array.from({ length: count }, (_, index) => {
      return exportOnce(shared ?? clientOf(seededRandom(index)), time);
    });
    const ended = Promise.allSettled(runs);
    await time.runUntil(ended, signal);
    expect((await ended).flatMap((end) => (end.status === "rejected" ? [String(end.reason)] : []))).toEqual([]);
    expect(platform.starts).toBe(count);
  },
);
