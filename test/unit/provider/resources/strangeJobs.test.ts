import { describe, expect, it } from "vitest";
import { createOperationContext } from "../../../../provider/engine/operation";
import type { OperationContext } from "../../../../provider/resources/lifecycle";
import { CheckedSettings } from "../../../../provider/settings/settings";
import {
  ConflictError,
  NotFoundError,
  RequestRejectedError,
  ResponseShapeError,
  ServerError,
} from "../../../../provider/support/errors";
import { clientFor, never, rejection } from "../../../support/clientUnderTest";
import { world } from "../../../support/fakePlatform";
import { answer, serve } from "../../../support/loopback";
import { TestSession } from "../../../support/testSession";
import { throwingLifecycles } from "../../../support/throwingLifecycles";

const { agentMessage, exportBundle, staticExport } = throwingLifecycles;

const inputs = { domain: "a.test" };
const facts = { happened: "no bundle yet", remedy: "wait." };

/** Makes a client of a platform that answers with this body. */
const clientOf = async (body: object) => clientFor((await serve(answer(200, body))).url);

/** Returns the error of an export whose job ends with this answer of the platform. */
async function exportFailure(body: object): Promise<string> {
  const { platform, context } = world();
  platform.looks = [await (await clientOf(body)).getExport("job-1", { signal: never })];
  return (await rejection(staticExport.create(inputs, context))).message;
}

/** Returns the error of a message whose agent job ends with this answer of the platform. */
async function agentFailure(body: object): Promise<string> {
  const key = { projectId: "docs", id: "agent-1" };
  const job = await (await clientOf({ id: "agent-1", status: "failed", ...body })).getAgentJob(key, { signal: never });
  const { platform, context } = world();
  platform.agentLooks = [{ status: "active" }, job];
  const message = { jobId: "agent-1", projectId: "docs", prompt: "Go on.", waitForCompletion: true };
  return (await rejection(agentMessage.create(message, context))).message;
}

describe("a job that failed", () => {
  it("shows each field of its answer that may say why, on a line of its own, bounded and without secrets", async () => {
    const message = await exportFailure({
      status: "failed",
      jobId: "job-1",
      requestId: "r-1",
      failureReason: "page /a\nis broken\u001b[2J",
      errors: [{ page: "/b", message: "see https://h.test/x?sig=s3cr3t" }],
      detail: "",
      retries: 2,
      long: "y".repeat(5_000),
    });
    expect(message.split("\n").slice(0, 6)).toEqual([
      "DOCS_JOB_FAILED: export job job-1 of a.test failed: the platform gives details below.",
      "  The platform says failureReason: page /a is broken [2J",
      '  The platform says errors: [{"page":"/b","message":"see https://h.test/x?[redacted]"}]',
      "  The platform says retries: 2",
      expect.stringMatching(/^ {2}The platform says long: y{200,300}…$/),
      expect.stringMatching(/^ {2}Exists now: /),
    ]);
  });

  it("shows ten of them at most, and `error` first where there is one", async () => {
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`field${index}`, index]));
    const message = await exportFailure({ status: "FAILED", error: "out of memory", ...many });
    expect(message).toContain("failed: out of memory.\n");
    expect(message.match(/The platform says/g)).toHaveLength(10);
  });
});

describe("an agent job that failed", () => {
  it("shows each field of its answer that may say why, and none that says something else", async () => {
    const others = {
      ...{ model: "m", source: { repository: "https://git.test/a", ref: null }, prLink: null, archivedAt: null },
      ...{ createdAt: "2026-03-01T00:00:00Z", updatedAt: "2026-03-01T00:00:00Z", requestId: "r-1" },
    };
    const told = { failureReason: "no write access\nto main", errors: [{ file: "a.md" }] };
    expect((await agentFailure({ ...others, ...told })).split("\n").slice(0, 4)).toEqual([
      "DOCS_JOB_FAILED: agent job agent-1 of project docs failed: the platform gives details below.",
      "  The platform says failureReason: no write access to main",
      '  The platform says errors: [{"file":"a.md"}]',
      expect.stringMatching(/^ {2}Exists now: /),
    ]);
  });

  it.each([
    [{ error: { message: "out of memory" } }, "out of memory"],
    [{}, "the platform does not say why"],
  ])("shows `error` first where there is one, and says where the platform does not say why: %j", async (body, why) => {
    expect(await agentFailure(body)).toContain(`of project docs failed: ${why}.\n`);
  });
});

describe("a bundle that comes a moment later than its job", () => {
  const notYet = [
    () => new NotFoundError({ ...facts, status: 404 }),
    () => new ConflictError({ ...facts, status: 409 }),
    () => new RequestRejectedError({ ...facts, status: 425 }),
    () => new ServerError({ ...facts, status: 503 }),
    () => new ResponseShapeError({ ...facts, status: 202 }, false),
  ];

  it.each(notYet)("is waited for", async (error) => {
    const { platform, context } = world();
    await staticExport.create(inputs, context);
    platform.links = [error, error, {}];
    await expect(exportBundle.create({ jobId: "job-1", version: "job-1" }, context)).resolves.toMatchObject({
      id: "job-1",
    });
    expect(platform.calls.filter((call) => call.startsWith("bundle"))).toHaveLength(3);
  });

  it("is waited for by every operation of the run that saw the job completed, and of no other run", async () => {
    const { platform, context } = world();
    const inRun = (session: TestSession): OperationContext => {
      const { bundlesDue } = createOperationContext({ settings: new CheckedSettings({}) }, session).context;
      return { ...context, bundlesDue };
    };
    const run = new TestSession();
    await staticExport.create(inputs, inRun(run));
    platform.links = [notYet[0] as () => Error, notYet[0] as () => Error, {}];
    const bundle = { jobId: "job-1", version: "job-1" };
    await rejection(exportBundle.create(bundle, inRun(new TestSession())));
    await expect(exportBundle.create(bundle, inRun(run))).resolves.toMatchObject({ id: "job-1" });
  });

  it("is waited for half a minute, and no longer", async () => {
    const { platform, context, clock } = world();
    await staticExport.create(inputs, context);
    const begin = clock.now();
    platform.links = [notYet[1] as () => Error];
    await expect(exportBundle.create({ jobId: "job-1", version: "job-1" }, context)).rejects.toMatchObject({
      code: "DOCS_CONFLICT",
    });
    expect(clock.now() - begin).toBeLessThanOrEqual(30_000);
    expect(clock.now() - begin).toBeGreaterThan(25_000);
  });

  it("is not waited for where the job was not completed just now, nor after another refusal", async () => {
    const { platform, context, clock } = world();
    platform.links = [notYet[0] as () => Error];
    await rejection(exportBundle.create({ jobId: "job-1", version: "job-1" }, context));
    await staticExport.create(inputs, context);
    platform.links = [new RequestRejectedError({ ...facts, status: 400 })];
    await rejection(exportBundle.create({ jobId: "job-1", version: "job-1" }, context));
    clock.pass(31_000);
    platform.links = [notYet[0] as () => Error];
    await rejection(exportBundle.create({ jobId: "job-1", version: "job-1" }, context));
    expect(platform.calls.filter((call) => call.startsWith("bundle"))).toHaveLength(3);
  });
});
