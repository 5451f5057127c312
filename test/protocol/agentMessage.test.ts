import { describe, expect, it } from "vitest";
import type { PlatformOptions } from "../../simulator/index";
import { requestsTo, testPlatform } from "../support/engineTest";
import { DynamicProviderProcess } from "../support/protocol/dynamicProvider";

const jobId = "agent-1";
const given = { jobId, prompt: "Also update the changelog.", projectId: "docs" };
const send = (job = jobId) => `POST /agent/docs/job/${job}/message`;
const look = `GET /agent/docs/job/${jobId}`;

async function agent(options: PlatformOptions = {}) {
  const platform = await testPlatform({ agentTime: 50, agentJobs: [{ projectId: "docs", id: jobId }], ...options });
  const message = (await DynamicProviderProcess.start(platform)).resource("AgentMessage", "message");
  return { platform, message, messages: () => platform.agents.get(jobId)?.messages };
}

describe("a message that is refused", () => {
  it("because its prompt is empty and it has no project is refused by check, which names both and asks nothing", async () => {
    const { platform, message } = await agent();
    const { failures } = await message.check({ jobId, prompt: "" });
    expect(failures).toEqual([
      {
        property: "projectId",
        reason: expect.stringMatching(/is required: give it here, or set DOCS_PLATFORM_PROJECT_ID in the env/),
      },
      { property: "prompt", reason: expect.stringContaining("must be a string of at least one character") },
    ]);
    expect(failures[0]?.reason).toContain("pulumi config set docs-platform:projectId");
    expect(platform.requests).toEqual([]);
  });

  it("within the hourly limit's Retry-After is waited for, and sent once", async () => {
    const { platform, message, messages } = await agent();
    const fault = { operation: "sendMessage", kind: "status", status: 429, headers: { "Retry-After": "1" } } as const;
    platform.inject(fault);
    const { inputs } = await message.check(given);
    await message.create(inputs);
    expect(requestsTo(platform)).toEqual([send(), send()]);
    expect(messages()).toHaveLength(1);
  });

  it("because there is no such job names the job and the project, and nothing is saved", async () => {
    const { platform, message } = await agent();
    const { inputs } = await message.check({ ...given, jobId: "gone" });
    const refused = await message.create(inputs).catch((error) => error);
    expect(refused).toMatchObject({
      message: expect.stringMatching(/DOCS_NOT_FOUND: .*projectId docs, id gone/),
      saved: undefined,
    });
    expect(refused.message).toContain("no message was sent to agent job gone of project docs");
    expect(requestsTo(platform)).toEqual([send("gone")]);
  });

  it("without a project in AgentMessage.get is an error that names both ways to give it", async () => {
    const { platform, message } = await agent();
    await expect(message.read({ id: jobId, properties: {} })).rejects.toThrow(
      /DOCS_CONFIGURATION: .*DOCS_PLATFORM_PROJECT_ID.*docs-platform:projectId/,
    );
    expect(platform.requests).toEqual([]);
  });
});

describe("a message whose answer is lost", () => {
  it("is saved with the error, and never sent again: the next run looks once", async () => {
    const { platform, message, messages } = await agent({ agentTime: 60_000 });
    platform.inject({ operation: "sendMessage", kind: "lostAnswer" });
    const { inputs } = await message.check(given);
    const refused = await message.create(inputs).catch((error) => error);
    expect(refused.message).toContain("DOCS_AMBIGUOUS_START");
    expect(refused.message).toContain(
      "Exists now: perhaps the message: it may have reached agent job agent-1 of project docs.",
    );
    expect(await message.diff(refused.saved, inputs)).toEqual({ changes: true, replaces: [] });
    const found = await message.update(refused.saved, inputs);
    expect(found.properties).toMatchObject({ status: "active" });
    expect(await message.diff(found, inputs)).toEqual({ changes: false, replaces: [] });
    expect(requestsTo(platform)).toEqual([send(), look]);
    expect(messages()).toHaveLength(1);
  });
});

describe("a wait for the agent", () => {
  const waiting = { ...given, waitForCompletion: true };

  it("for a job that failed is an error; the next run looks once, and errs again; a change sends one message", async () => {
    const { platform, message, messages } = await agent({ agentOutcome: { status: "failed" } });
    const { inputs } = await message.check(waiting);
    const first = await message.create(inputs).catch((error) => error);
    expect(first.message).toContain(
      "DOCS_JOB_FAILED: agent job agent-1 of project docs failed: the platform does not say why.",
    );
    expect(requestsTo(platform).filter((request) => request === send())).toHaveLength(1);
    platform.resetCounts();
    expect(await message.diff(first.saved, inputs)).toEqual({ changes: true, replaces: [] });
    const next = await message.update(first.saved, inputs).catch((error) => error);
    expect(next.message).toContain("DOCS_JOB_FAILED");
    expect(requestsTo(platform)).toEqual([look]);
    platform.agentOutcome = {};
    const { inputs: changed } = await message.check({ ...waiting, triggers: "again" });
    expect(await message.diff(next.saved, changed)).toMatchObject({ replaces: ["triggers"] });
    const sent = await message.create(changed);
    expect(sent.properties).toMatchObject({ status: "completed" });
    expect(await message.diff(sent, changed)).toEqual({ changes: false, replaces: [] });
    expect(messages()).toHaveLength(2);
  });

  it("that reaches its limit is resumed by the next run, also with a refresh in between", async () => {
    const { platform, message, messages } = await agent({ agentTime: 60_000 });
    const { inputs } = await message.check({ ...waiting, waitTimeout: "3s" });
    const refused = await message.create(inputs).catch((error) => error);
    expect(refused.message).toMatch(
      /DOCS_WAIT_TIMEOUT: agent job agent-1 .*still "active" when waitTimeout \(3s\) ended/,
    );
    platform.resetCounts();
    const refreshed = await message.read(refused.saved);
    expect(requestsTo(platform)).toEqual([look]);
    platform.agents.archive(jobId);
    const resumed = await message.update(refreshed ?? refused.saved, inputs);
    expect(resumed.properties).toMatchObject({ status: "archived", archivedAt: expect.stringMatching(/Z$/) });
    expect(requestsTo(platform)).toEqual([look, look]);
    expect(messages()).toHaveLength(1);
  });
});
