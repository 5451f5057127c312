import { describe, expect, it } from "vitest";
import type { PlatformOptions } from "../../simulator/index";
import { requestsTo, testPlatform } from "../support/engineTest";
import { ProviderProcess } from "../support/providerProcess";

const jobId = "agent-1";
const given = { jobId, prompt: "Also update the changelog.", projectId: "docs" };
const send = (job = jobId) => `POST /agent/docs/job/${job}/message`;
const look = `GET /agent/docs/job/${jobId}`;

async function agent(options: PlatformOptions = {}) {
  const platform = await testPlatform({ agentTime: 50, agentJobs: [{ projectId: "docs", id: jobId }], ...options });
  const message = (await ProviderProcess.start(platform)).resource("AgentMessage", "message");
  return { platform, message, messages: () => platform.agents.get(jobId)?.messages };
}

describe("a message that is refused", () => {
  it("because its prompt is empty and it has no project is refused by check, which names both and asks nothing", async () => {
    const { platform, message } = await agent();
    const { failures } = await message.check({ jobId, prompt: "" });
    expect(failures).toEqual([
      { property: "prompt", reason: expect.stringContaining("must be a text of at least one character") },
      {
        property: "projectId",
        reason: expect.stringMatching(/is required: give it here, or set DOCS_PLATFORM_PROJECT_ID in the env/),
      },
    ]);
    expect(failures[1]?.reason).toContain("pulumi config set docs-platform:projectId");
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
    expect(refused.message).toContain("agent job gone of project docs was not touched");
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
    expect(refused.message).toContain("Exists now: perhaps the message, at agent job agent-1 of project docs.");
    expect(await message.diff(refused.saved, inputs)).toEqual({ changes: true, replaces: [] });
    const found = await message.update(refused.saved, inputs);
    expect(found.properties).toMatchObject({ status: "active" });
    expect(await message.diff(found, inputs)).toEqual({ changes: false, replaces: [] });
    expect(requestsTo(platform)).toEqual([send(), look]);
    expect(messages()).toHaveLength(1);
  });
});
