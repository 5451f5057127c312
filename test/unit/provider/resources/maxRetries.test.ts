import { describe, expect, it } from "vitest";
import type { OperationContext } from "../../../../provider/resources/lifecycle";
import { Deadline } from "../../../../provider/support/time/deadline";
import { clientFor, rejection } from "../../../support/clientUnderTest";
import { origin, world } from "../../../support/fakePlatform";
import { answer, type Reply, serve } from "../../../support/loopback";
import { throwingLifecycles } from "../../../support/throwingLifecycles";

const { followAgentJob, followExport } = throwingLifecycles;

const limit = ({ clock }: OperationContext) => ({
  name: "waitTimeout",
  time: "30m",
  deadline: Deadline.in(30 * 60_000, clock),
});
const running = answer(200, { status: "running" });

async function worldOn([first, ...replies]: readonly Reply[], maxRetries: number) {
  const server = await serve(first ?? running, ...replies);
  const here = world({ maxRetries });
  // The random number 1 makes every pause as long as possible.
  const client = clientFor(server.url, { clock: here.clock, maxRetries, random: () => 1 });
  return { ...here, server, context: { ...here.context, connect: async () => client } };
}

type World = Awaited<ReturnType<typeof worldOn>>;

const exportJob = { jobId: "job-1", domain: "a.test", status: "queued", version: "job-1", __origin: origin };
const message = { jobId: "agent-1", projectId: "docs", __origin: origin };

/** The operations that may wait. Each has the replies that come before the first fault. */
const waits: [string, Reply[], (here: World) => Promise<unknown>][] = [
  ["an export", [running], ({ context }) => followExport(exportJob, { ...limit(context), origin: "started" }, context)],
  [
    "an export that nobody has seen",
    [],
    ({ context }) => followExport(exportJob, { ...limit(context), origin: "adopted" }, context),
  ],
  ["an agent", [running], ({ context }) => followAgentJob("id", message, limit(context), context)],
  ["an agent that nobody has seen", [], ({ context }) => followAgentJob("id", message, limit(context), context)],
];

describe.each(waits)("a wait for %s, at a platform that is down", (_, before, wait) => {
  it.each([0, 1, 4])("sends one request and %i retries, and no more", async (maxRetries) => {
    const here = await worldOn([...before, answer(503, { error: "down" })], maxRetries);
    expect(await rejection(wait(here))).toMatchObject({ message: expect.stringContaining("DOCS_SERVER") });
    expect(here.server.requests).toHaveLength(before.length + 1 + maxRetries);
  });

  it("sends them no sooner than the platform asks", async () => {
    const here = await worldOn([...before, answer(429, { error: "busy" }, { "retry-after": "50" })], 2);
    expect(await rejection(wait(here))).toMatchObject({ message: expect.stringContaining("DOCS_RATE_LIMIT") });
    expect(here.server.requests).toHaveLength(before.length + 1 + 2);
    expect(here.clock.sleeps.filter((ms) => ms === 50_000)).toHaveLength(2);
  });
});

it.each([
  [4, 30],
  [10, 600],
])("with %i retries a wait outlasts %i seconds without an answer", async (maxRetries, seconds) => {
  const down = Array.from({ length: maxRetries }, () => answer(503, { error: "down" }));
  const here = await worldOn([running, ...down, answer(200, { status: "completed" })], maxRetries);
  const state = await followExport(exportJob, { ...limit(here.context), origin: "started" }, here.context);
  expect(state.status).toBe("completed");
  const rests = here.clock.sleeps.slice(1);
  expect(rests.slice(0, 4)).toEqual([2_000, 4_000, 8_000, 16_000]);
  expect(rests.reduce((sum, rest) => sum + rest)).toBeGreaterThanOrEqual(seconds * 1_000);
});
