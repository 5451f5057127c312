import { describe, expect, it } from "vitest";
import type { PlatformOptions } from "../../../simulator/index";
import { variant } from "../../support/campaign";
import { anError, stackAfterUp, testPlatform, testStack } from "../../support/engineTest";

const jobId = "agent-1";
const message = { jobId, prompt: "Also update the changelog.", projectId: "docs" };
const nothing = { code: 0, requests: [] };

const send = (job = jobId, project = "docs") => `POST /agent/${project}/job/${job}/message`;
const look = (job = jobId, project = "docs") => `GET /agent/${project}/job/${job}`;

/** A platform with two finished agent jobs. */
function agentPlatform(options: PlatformOptions = {}) {
  const agentJobs = [
    { projectId: "docs", id: jobId, ref: "main" },
    { projectId: "docs", id: "agent-2" },
  ];
  return testPlatform({ agentTime: 50, agentJobs, ...options });
}

// test/protocol/agentMessage.test.ts holds refused messages and lost answers.
describe("a message", () => {
  it("is previewed without a request, sent once, given every output, and then costs nothing: in up, preview and destroy", async () => {
    const platform = await agentPlatform({ agentTime: 60_000 });
    const stack = await testStack(platform, { message });
    expect(await stack.preview()).toMatchObject(nothing);
    expect(await stack.up()).toMatchObject({ code: 0, requests: [send()] });
    expect(platform.agents.get(jobId)?.messages).toEqual([message.prompt]);
    expect(await stack.outputs()).toEqual({
      status: "active",
      source: { repository: "https://git.example.com/docs/site", ref: "main" },
      model: "embedded-agent",
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    expect(await stack.state("message")).toMatchObject({
      id: expect.stringMatching(/^agent-1\/[0-9a-f]{12}$/),
      outputs: { __provider: 'exports.handler = () => require("pulumi-docs-platform/provider").AgentMessage;' },
    });
    expect(await stack.up("--expect-no-changes")).toMatchObject(nothing);
    expect(await stack.preview("--expect-no-changes")).toMatchObject(nothing);
    stack.declare({ message: { ...message, waitTimeout: "5m" } });
    expect(await stack.up()).toMatchObject(nothing);
    expect((await stack.state("message"))?.outputs).toMatchObject({ waitTimeout: "5m" });
    expect(await stack.destroy()).toMatchObject(nothing);
    expect(await stack.resources()).toEqual([]);
    expect(platform.agents.get(jobId)?.messages).toHaveLength(1);
  });

  it("is sent exactly once more by a change of prompt, of triggers, and of jobId", async () => {
    const platform = await agentPlatform();
    const stack = await stackAfterUp(platform, { message });
    const triggers = { revision: 2, pages: ["a"] };
    stack.declare({ message: { ...message, prompt: "And the index." } });
    expect(await stack.preview()).toMatchObject(nothing);
    for (const [changed, request] of [
      [{ ...message, prompt: "And the index." }, send()],
      [{ ...message, prompt: "And the index.", triggers }, send()],
      [{ ...message, prompt: "And the index.", triggers, jobId: "agent-2" }, send("agent-2")],
    ] as const) {
      stack.declare({ message: changed });
      expect(await stack.up()).toMatchObject({ code: 0, requests: [request] });
    }
    stack.declare({
      message: { ...message, prompt: "And the index.", triggers: { pages: ["a"], revision: 2 }, jobId: "agent-2" },
    });
    expect(await stack.up("--expect-no-changes")).toMatchObject(nothing);
    expect(platform.agents.get(jobId)?.messages).toHaveLength(3);
    expect(platform.agents.get("agent-2")?.messages).toEqual(["And the index."]);
  });

  variant("takes its project from the setting, and a change of it sends one message", async () => {
    const platform = await agentPlatform();
    const { projectId, ...withoutProject } = message;
    const stack = await testStack(platform, { message: withoutProject });
    stack.environment.DOCS_PLATFORM_PROJECT_ID = projectId;
    expect(await stack.up()).toMatchObject({ code: 0, requests: [send()] });
    // The program now names the same project as the setting: no change.
    stack.declare({ message });
    expect(await stack.up("--expect-no-changes")).toMatchObject(nothing);
    platform.agents.forget(jobId);
    platform.agents.add({ projectId: "other", id: jobId });
    stack.declare({ message: { ...message, projectId: "other" } });
    expect(await stack.up()).toMatchObject({ code: 0, requests: [send(jobId, "other")] });
  });
});

describe("a refresh", () => {
  it("costs one GET, takes over how the job stands, and never sends", async () => {
    const platform = await agentPlatform({ agentTime: 60_000 });
    const stack = await stackAfterUp(platform, { message });
    platform.agents.complete(jobId, { prLink: "https://git.example.com/docs/site/pull/7" });
    expect(await stack.refresh()).toMatchObject({ code: 0, requests: [look()] });
    expect((await stack.state("message"))?.outputs).toMatchObject({
      status: "completed",
      prLink: "https://git.example.com/docs/site/pull/7",
    });
    expect(await stack.up()).toMatchObject(nothing);
  });

  variant("in which get-job finds nothing keeps the state, warns, and the next run sends nothing", async () => {
    const platform = await agentPlatform({ agentTime: 60_000 });
    const stack = await stackAfterUp(platform, { message });
    const before = await stack.state("message");
    platform.agents.forget(jobId);
    const { output, ...run } = await stack.refresh();
    expect(run).toEqual({ code: 0, requests: [look()] });
    expect(output).toMatch(
      /warning: .*agent job agent-1 could not be read; the state stays as it is\. DOCS_NOT_FOUND: /,
    );
    const after = await stack.state("message");
    expect({ id: after?.id, outputs: after?.outputs }).toEqual({ id: before?.id, outputs: before?.outputs });
    expect(await stack.up("--expect-no-changes")).toMatchObject(nothing);
  });
});

describe("a message that is refused", () => {
  variant(
    "for longer than waitTimeout is an error that tells the limit and when to come again; then it is sent",
    async () => {
      const platform = await agentPlatform({ messagesPerHour: 1 });
      const stack = await stackAfterUp(platform, { message });
      stack.declare({ message: { ...message, prompt: "One more." } });
      const { code, output, requests } = await stack.up();
      expect({ code, requests }).toEqual({ code: anError, requests: [send()] });
      expect(output).toContain("DOCS_RATE_LIMIT");
      expect(output).toMatch(/again in (59m\d+s|1h): a project may send 100 messages an hour\./);
      expect(output).toContain("Exists now: no message was sent to agent job agent-1 of project docs.");
      platform.clockOffset += 3_600_000;
      expect(await stack.up()).toMatchObject({ code: 0, requests: [send()] });
      expect(platform.agents.get(jobId)?.messages).toEqual([message.prompt, "One more."]);
    },
  );
});

describe("AgentMessage.get", () => {
  it("costs one GET in each pass, and never sends", async () => {
    const platform = await agentPlatform();
    const stack = await testStack(platform, { messageLookUp: `${jobId}/0123456789ab` });
    stack.environment.DOCS_PLATFORM_PROJECT_ID = "docs";
    expect(await stack.preview()).toMatchObject({ code: 0, requests: [look()] });
    expect(await stack.up()).toMatchObject({ code: 0, requests: [look()] });
    expect((await stack.outputs()).found).toMatchObject({ status: "completed", model: "embedded-agent" });
  });
});
