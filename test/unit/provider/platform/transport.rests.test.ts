import net from "node:net";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PlatformClient } from "../../../../provider/platform/client";
import type { PlatformCallOptions } from "../../../../provider/platform/transport";
import { AmbiguousStartError, asDocsPlatformError, RunCancelledError } from "../../../../provider/support/errors";
import { Deadline } from "../../../../provider/support/time/deadline";
import { agentKey, clientFor, clientOperations, goodBody, never, rejection } from "../../../support/clientUnderTest";
import { FakeClock } from "../../../support/fakeClock";
import { answer, listen, serve, silence } from "../../../support/loopback";
import { requestLimit } from "../../../support/requestLimit";

const busy = (retryAfter: string) => answer(429, { error: "busy" }, { "retry-after": retryAfter });

it("the caller hears of each pause before it, while a limit is waited out", async () => {
  const server = await serve(busy("7"), busy("9"), answer(200, goodBody));
  const client = clientFor(server.url, { waitsOutLimits: true });
  const told: number[] = [];
  await client.sendMessage(agentKey, "Go on.", {
    signal: new AbortController().signal,
    deadline: Deadline.in(3_600_000, client.clock),
    onLimit: (pause) => told.push(pause),
  });
  expect(told).toEqual([7_000, 9_000]);
});

describe("the caller's deadline", () => {
  it.each(["startExport", "getExport"] as const)("is never slept past: %s fails at once instead", async (operation) => {
    const server = await serve(busy("60"));
    const client = clientFor(server.url);
    const options = { deadline: Deadline.in(60_000, client.clock), signal: new AbortController().signal };
    const error = await rejection(client[operation]("docs.example.com", options));
    expect(error).toMatchObject({ code: "DOCS_RATE_LIMIT" });
    expect(error.message).toContain("try again in 1m,");
    expect(client.clock.sleeps).toEqual([]);
    expect(server.requests).toHaveLength(1);
  });

  it("that passes before a repetition is sent leaves the error of the last answer", async () => {
    const server = await serve(answer(429, { error: "limit" }));
    const client = clientFor(server.url, { waitsOutLimits: true, random: () => 0 });
    // The pause after the 429 would be longer than the 300 ms until the deadline.
    const options = { deadline: Deadline.in(300, client.clock), signal: new AbortController().signal };
    expect(await rejection(client.startExport("docs.example.com", options))).toMatchObject({ code: "DOCS_RATE_LIMIT" });
    expect(server.requests).toHaveLength(1);
    expect(client.clock.sleeps).toEqual([250, 50]);
  });

  it("cuts a look short that is under way", async () => {
    const server = await serve(silence);
    const client = clientFor(server.url);
    const options = { deadline: Deadline.in(400, client.clock), maxRetries: 0, signal: new AbortController().signal };
    expect(await rejection(client.getExport("job-1", options))).toMatchObject({ code: "DOCS_TIMEOUT" });
    expect(server.requests).toHaveLength(1);
  });

  it("does not cut a start short that is under way: its answer contains the job's id", async () => {
    const server = await serve((response) => setTimeout(() => response.end(JSON.stringify(goodBody)), 60));
    const client = clientFor(server.url);
    const options = { deadline: Deadline.in(10, client.clock), signal: new AbortController().signal };
    await expect(client.startExport("docs.example.com", options)).resolves.toMatchObject({ jobId: "job-1" });
  });

  it.each(["getExport", "getAgentJob"] as const)("once passed, lets %s send nothing", async (operation) => {
    const server = await serve(answer(200, goodBody));
    const client = clientFor(server.url);
    const options = { deadline: Deadline.in(0, client.clock), signal: never };
    const look = operation === "getExport" ? client.getExport("job-1", options) : client.getAgentJob(agentKey, options);
    const error = await rejection(look);
    expect(error).toMatchObject({ code: "DOCS_TIMEOUT", doubtful: false });
    expect(error.message).toContain("was not sent");
    expect(server.requests).toHaveLength(0);
  });

  it("lets each start and message be sent once, however late, and each look that is in time: many calls at any rate", async () => {
    const operations = {
      startExport: (client, options) => client.startExport("docs.example.com", options),
      sendMessage: (client, options) => client.sendMessage(agentKey, "Go on.", options),
      getExport: (client, options) => client.getExport("job-1", options),
      getAgentJob: (client, options) => client.getAgentJob(agentKey, options),
    } satisfies Record<string, (client: PlatformClient, options: PlatformCallOptions) => Promise<unknown>>;
    const operation = fc.constantFrom(...Object.values(operations));
    const calls = fc.array(fc.record({ operation, limit: fc.nat({ max: 20_000 }) }), { minLength: 1, maxLength: 8 });
    const server = await serve(answer(200, goodBody));
    await fc.assert(
      fc.asyncProperty(calls, fc.double({ min: 0.1, max: 10, noNaN: true }), async (drawn, maxRequestsPerSecond) => {
        const first = server.requests.length;
        const client = clientFor(server.url, { maxRequestsPerSecond });
        const ends = drawn.map(async ({ operation: call, limit }) => {
          const deadline = Deadline.in(limit, client.clock);
          const error = await call(client, { deadline, signal: never }).then(() => undefined, asDocsPlatformError);
          const isLook = call === operations.getExport || call === operations.getAgentJob;
          return { isSent: error?.code !== "DOCS_TIMEOUT", isOwed: !isLook || !deadline.hasPassed };
        });
        const all = await Promise.all(ends);
        expect(all.filter(({ isSent, isOwed }) => isOwed && !isSent)).toEqual([]);
        expect(server.requests.length - first).toBe(all.filter(({ isSent }) => isSent).length);
      }),
      { numRuns: 60 },
    );
  });

  it("by default lets every retry have its whole time, and counts from the first turn at the limit", async () => {
    const server = await serve(answer(200, goodBody));
    const client = clientFor(server.url, { requestTimeout: 1_000, maxRetries: 0, maxRequestsPerSecond: 0.1 });
    for (let look = 0; look < 3; look++) {
      await clientOperations.getExport(client);
    }
    const both = [clientOperations.getExport(client), clientOperations.getExport(client)];
    await expect(Promise.all(both)).resolves.toHaveLength(2);
    expect(server.requests).toHaveLength(5);
  });
});

describe("the hourly limit of messages", () => {
  const minute = 60_000;
  const send = (client: ReturnType<typeof clientFor>, wait = 30 * minute) =>
    client.sendMessage(agentKey, "Go on.", {
      deadline: Deadline.in(wait, client.clock),
      signal: new AbortController().signal,
    });

  it.each([{}, { "retry-after": "0" }, { "retry-after": "soon" }])(
    "is waited for beyond the retries, by rests that grow to minutes, where Retry-After says nothing of it (%j)",
    async (headers) => {
      const clock = new FakeClock();
      const free = clock.now() + 20 * minute;
      const server = await serve((response, exchange) =>
        (clock.now() < free ? answer(429, { error: "limit" }, headers) : answer(200, goodBody))(response, exchange),
      );
      await expect(send(clientFor(server.url, { clock, maxRetries: 2 }))).resolves.toMatchObject({
        model: "agent-model",
      });
      // The first two sleeps are the two parts of the pause after the first 429.
      const [first, gap, ...later] = clock.sleeps;
      expect([first, gap]).toEqual([375, 125]);
      expect(later.slice(0, 8)).toEqual([750, 1_500, 3_000, 6_000, 12_000, 24_000, 48_000, 90_000]);
      expect(later.slice(7).every((rest) => rest === 90_000)).toBe(true);
      expect(server.requests).toHaveLength(later.length + 2);
    },
  );

  it.each(["message", "start"])("ends its wait at once when the run is cancelled: %s", async (kind) => {
    const server = await serve(answer(429, { error: "limit" }));
    const controller = new AbortController();
    const client = clientFor(server.url, { maxRetries: 0, waitsOutLimits: true });
    client.clock.onSleep = () => controller.abort();
    const options = { deadline: Deadline.in(30 * minute, client.clock), signal: controller.signal };
    const call =
      kind === "start"
        ? client.startExport("docs.example.com", options)
        : client.sendMessage(agentKey, "Go on.", options);
    expect(await rejection(call)).toBeInstanceOf(RunCancelledError);
    expect(server.requests).toHaveLength(1);
  });
});

describe("the run is cancelled", () => {
  it.each(["startExport", "getExport", "createBundle"] as const)("before %s: nothing is sent", async (operation) => {
    const server = await serve(answer(200, goodBody));
    const error = await rejection(clientOperations[operation](clientFor(server.url), AbortSignal.abort()));
    expect(error).toBeInstanceOf(RunCancelledError);
    expect(server.requests).toHaveLength(0);
  });

  it.each(["getExport", "createBundle"] as const)("while %s is under way: interrupted", async (operation) => {
    const controller = new AbortController();
    const server = await serve(() => controller.abort());
    const error = await rejection(clientOperations[operation](clientFor(server.url), controller.signal));
    expect(error).toBeInstanceOf(RunCancelledError);
    expect(server.requests).toHaveLength(1);
  });

  it("while a start is on its way: its answer is awaited, since it is the only trace of what was made", async () => {
    const controller = new AbortController();
    const server = await serve((response, seen) => {
      controller.abort();
      setTimeout(() => answer(200, { jobId: "job-1" })(response, seen), 100);
    });
    const client = clientFor(server.url);
    expect(await client.startExport("a.test", { signal: controller.signal })).toMatchObject({ jobId: "job-1" });
    expect(server.requests).toHaveLength(1);
  });

  it("while a start is on its way that is never answered: a job may be running, after the limit of one request", async () => {
    const controller = new AbortController();
    const { requestTimeout, pass } = requestLimit();
    const server = await serve(() => {
      controller.abort();
      pass();
    });
    const client = clientFor(server.url, { requestTimeout });
    const error = await rejection(clientOperations.startExport(client, controller.signal));
    expect(error).toBeInstanceOf(AmbiguousStartError);
    expect(error.message).toContain("no answer within the limit");
    expect(server.requests).toHaveLength(1);
  });

  it.each(["startExport", "getExport"] as const)(
    "while %s is being connected: interrupted at once",
    async (operation) => {
      const controller = new AbortController();
      const silent = net.createServer(() => controller.abort());
      const { url } = await listen(silent, "https");
      const error = await rejection(clientOperations[operation](clientFor(url), controller.signal));
      expect(error).toBeInstanceOf(RunCancelledError);
    },
  );

  it("while a request waits for its turn at the limit: interrupted, and nothing is sent", async () => {
    const server = await serve(answer(200, goodBody));
    const controller = new AbortController();
    const client = clientFor(server.url, { maxRequestsPerSecond: 1 });
    await clientOperations.startExport(client);
    client.clock.onSleep = () => controller.abort();
    expect(await rejection(clientOperations.startExport(client, controller.signal))).toBeInstanceOf(RunCancelledError);
    expect(server.requests).toHaveLength(1);
  });
});

describe("the platform's clock", () => {
  const at = (headers: Record<string, string>, now: number) =>
    serve(answer(200, goodBody, headers)).then((server) =>
      clientOperations.createBundle(clientFor(server.url, { clock: new FakeClock(now) })),
    );

  it("is accepted from the Date header, where this machine's clock is off", async () => {
    const now = Date.parse("2026-01-31T10:00:00.500Z");
    const link = await at({ date: "Sat, 31 Jan 2026 13:00:00 GMT" }, now);
    expect(link.clockOffset).toBe(3 * 3_600_000);
    expect(link.platformTime).toBe(now + 3 * 3_600_000);
  });

  it("is this machine's, where they differ by less than a header of whole seconds can show", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: -900, max: 900 }), async (off) => {
        const now = Date.parse("2026-01-31T10:00:00.500Z");
        const link = await at({ date: new Date(now + off).toUTCString() }, now);
        expect(link).toMatchObject({ clockOffset: 0, platformTime: now });
      }),
      { numRuns: 15, seed: 7 },
    );
  });

  it("is this machine's, where the Date header is nonsense", async () => {
    const now = Date.parse("2026-01-31T10:00:00Z");
    expect(await at({ date: "today" }, now)).toMatchObject({ clockOffset: 0, platformTime: now });
  });
});
