import { describe, expect, it } from "vitest";
import * as errors from "../../../../provider/support/errors";
import { rejection } from "../../../support/clientUnderTest";
import { begin, origin, world } from "../../../support/fakePlatform";
import { SavedFailure, throwingLifecycles } from "../../../support/throwingLifecycles";

const { staticExport } = throwingLifecycles;

const inputs = { domain: "a.test" };
const facts = { happened: "no", remedy: "mend it." };
const notFound = () => new errors.NotFoundError(facts);

async function partial(promise: Promise<unknown>) {
  const error = await rejection(promise);
  expect(error).toBeInstanceOf(SavedFailure);
  return error as SavedFailure<Record<string, unknown>>;
}

describe("a job of our own", () => {
  it("is started once, and followed until it is completed", async () => {
    const { platform, context, statuses, clock } = world();
    platform.looks = [
      { status: "queued" },
      { status: "running", progress: 0.5, pageCount: 7 },
      { status: "COMPLETED" },
    ];
    const { id, state } = await staticExport.create({ ...inputs, triggers: { r: 1 }, waitTimeout: "5m" }, context);
    expect(platform.calls).toEqual(["start a.test", "get job-1", "get job-1", "get job-1"]);
    expect(id).toBe("job-1");
    expect(state).toEqual({
      jobId: "job-1",
      domain: "a.test",
      status: "completed",
      version: "job-1",
      pageCount: 7,
      startedAt: new Date(begin).toISOString(),
      completedAt: new Date(clock.now()).toISOString(),
      triggers: { r: 1 },
      waitTimeout: "5m",
      __origin: origin,
    });
    expect(statuses).toEqual([
      "queued, 1s elapsed, a.test, job job-1",
      expect.stringMatching(/^50 % [12]s left, running, [23]s elapsed, 7 pages, a\.test, job job-1$/),
      expect.stringMatching(/^completed in \ds, 7 pages, a\.test, job job-1$/),
    ]);
  });

  it("that stays unknown for longer is vanished, and kept so in the state", async () => {
    const { platform, context, clock } = world();
    platform.looks = [notFound()];
    const failure = await partial(staticExport.create(inputs, context));
    expect(failure.state).toMatchObject({ jobId: "job-1", status: "vanished" });
    expect(failure.message).toContain("replaces it with a new job");
    expect(clock.now() - begin).toBeGreaterThanOrEqual(10_000);
    expect(clock.now() - begin).toBeLessThan(12_000);
  });

  it("that no answer reported is in no state, and the error says how to adopt it", async () => {
    const { platform, context } = world();
    for (const doubtful of [new errors.AmbiguousStartError(facts), new errors.ResponseShapeError(facts, true)]) {
      platform.starts = [doubtful];
      const error = await rejection(staticExport.create(inputs, context));
      expect(error).toBe(doubtful);
      expect(error.message).toContain("perhaps a job for a.test");
      expect(error.message).toContain('new StaticExport("…", { domain: "a.test", jobId: "<the id of that job>" })');
      expect(error.message).toContain("\n  What to do: ");
    }
  });
});

describe("a job to adopt", () => {
  const pinned = { domain: "a.test", jobId: "old-7" };

  it("that is running is waited for, and kept in the state at every other end", async () => {
    const { platform, context } = world();
    platform.looks = [{ status: "running" }, { status: "completed", completedAt: begin }];
    await expect(staticExport.create(pinned, context)).resolves.toMatchObject({
      state: { completedAt: new Date(begin).toISOString() },
    });
    const other = world();
    other.platform.looks = [{ status: "running" }, new errors.ServerError(facts)];
    expect((await partial(staticExport.create(pinned, other.context))).state).toMatchObject({
      jobId: "old-7",
      __adopted: true,
    });
  });

  it.each<[string, object | Error, string]>([
    ["failed", { status: "failed", error: "why" }, "DOCS_JOB_FAILED"],
    ["is unknown", notFound(), "DOCS_NOT_FOUND"],
    ["is one of another domain", { status: "completed", domain: "b.test" }, "DOCS_ADOPTION"],
    ["cannot be looked up", new errors.ServerError(facts), "DOCS_SERVER"],
  ])("that %s leaves nothing behind, at once", async (_, look, code) => {
    const { platform, context, clock } = world();
    platform.looks = [look];
    const error = await rejection(staticExport.create(pinned, context));
    expect(error).not.toBeInstanceOf(SavedFailure);
    expect(error).toMatchObject({ code });
    expect(error.message).toContain("what existed before; no export job was started");
    expect(platform.calls).toEqual(["get old-7"]);
    expect(clock.sleeps).toEqual([]);
  });
});

describe("the domain that the platform shows", () => {
  it.each(["A.test", "a.test."])("is that of the program where it is written as %s", async (domain) => {
    const { platform, context } = world();
    platform.looks = [{ status: "completed", domain }];
    expect(await staticExport.create(inputs, context)).toMatchObject({ state: { status: "completed" } });
  });

  it.each([
    [inputs, "write the domain as the platform does, or ask the platform's operator; `pulumi up --replace <urn>`"],
    [{ ...inputs, jobId: "old-7" }, 'set domain to "b.test", or jobId to a job of a.test.'],
  ])("and that is another one is an error, with what to do: %o", async (given, remedy) => {
    const { platform, context } = world();
    platform.looks = [{ status: "completed", domain: "b.test" }];
    const { message } = await rejection(staticExport.create(given, context));
    expect(message).toMatch(/export job \S+ is of b\.test, not of a\.test/);
    expect(message).toContain(remedy);
  });
});

describe("the last export of the same site", () => {
  const minutesAgo = (minutes: number) => new Date(begin - minutes * 60_000).toISOString();
  const earlier = {
    jobId: "job-0",
    domain: "a.test",
    status: "completed",
    version: "job-0",
    startedAt: minutesAgo(60),
    completedAt: minutesAgo(50),
    __origin: origin,
  };
  const firstRest = async (state?: typeof earlier) => {
    const { platform, context, clock } = world();
    platform.looks = [{ status: "running" }, { status: "completed" }];
    await staticExport.create(inputs, context, state);
    return clock.sleeps[0];
  };

  it("says how long a look is worth nothing", async () => {
    expect(await firstRest(earlier)).toBeGreaterThan(50_000);
    expect(await firstRest()).toBeLessThan(10_000);
  });
});
