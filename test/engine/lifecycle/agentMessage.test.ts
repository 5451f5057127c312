import { expect, it } from "vitest";
import { tally, testPlatform, testStack } from "../../support/engineTest";

const jobId = "agent-1";
const message = { jobId, prompt: "Also update the changelog.", projectId: "docs" };
const nothing = { code: 0, requests: [] };
const send = `POST /agent/docs/job/${jobId}/message`;
const look = `GET /agent/docs/job/${jobId}`;
const agentJobs = [{ projectId: "docs", id: jobId, ref: "main" }];

it("a message is previewed without a request, sent once, and once more by a change; a refresh costs one GET, and nothing else costs anything", async () => {
  const platform = await testPlatform({ agentTime: 60_000, agentJobs });
  const stack = await testStack(platform, { message });
  expect(await stack.preview()).toMatchObject(nothing);
  expect(await stack.up()).toMatchObject({ code: 0, requests: [send] });
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
  stack.declare({ message: { ...message, waitTimeout: "5m" } });
  expect(await stack.up()).toMatchObject(nothing);
  platform.agents.complete(jobId, { prLink: "https://git.example.com/docs/site/pull/7" });
  expect(await stack.refresh()).toMatchObject({ code: 0, requests: [look] });
  expect((await stack.state("message"))?.outputs).toMatchObject({ status: "completed", waitTimeout: "5m" });

  platform.agentTime = 1_000;
  stack.declare({ message: { ...message, prompt: "And the index.", waitForCompletion: true } });
  const { code, requests } = await stack.up();
  const { [look]: polls, ...others } = tally(requests);
  expect({ code, others }).toEqual({ code: 0, others: { [send]: 1 } });
  expect(polls).toBeGreaterThanOrEqual(2);
  expect(await stack.outputs()).toMatchObject({
    status: "completed",
    prLink: expect.stringMatching(/^https:\/\/git\.example\.com\/docs\/site\/pull\/\d+$/),
  });
  expect(await stack.up("--expect-no-changes")).toMatchObject(nothing);
  expect(await stack.destroy()).toMatchObject(nothing);
  expect(platform.agents.get(jobId)?.messages).toEqual([message.prompt, "And the index."]);
});
