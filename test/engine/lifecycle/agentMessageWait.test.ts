import { describe, expect, it } from "vitest";
import type { PlatformOptions } from "../../../simulator/index";
import { variant } from "../../support/campaign";
import { stackAfterUp, tally, testPlatform, testStack } from "../../support/engineTest";

const jobId = "agent-1";
const message = { jobId, prompt: "Also update the changelog.", projectId: "docs", waitForCompletion: true };
const { waitForCompletion: _, ...withoutWait } = message;
const nothing = { code: 0, requests: [] };
const send = `POST /agent/docs/job/${jobId}/message`;
const look = `GET /agent/docs/job/${jobId}`;

function agentPlatform(options: PlatformOptions = {}) {
  return testPlatform({ agentTime: 1_000, agentJobs: [{ projectId: "docs", id: jobId }], ...options });
}

describe("a wait for the agent", () => {
  it("ends with the pull request, by one message and the polls; then nothing costs anything", async () => {
    const stack = await testStack(await agentPlatform(), { message });
    const { code, requests } = await stack.up();
    const { [look]: polls, ...others } = tally(requests);
    expect({ code, others }).toEqual({ code: 0, others: { [send]: 1 } });
    expect(polls).toBeGreaterThanOrEqual(2);
    expect(await stack.outputs()).toMatchObject({
      status: "completed",
      prLink: expect.stringMatching(/^https:\/\/git\.example\.com\/docs\/site\/pull\/\d+$/),
    });
    expect(await stack.up("--expect-no-changes")).toMatchObject(nothing);
  });

  variant("may be turned on later, while the agent is at work, and off again: no message", async () => {
    const platform = await agentPlatform({ agentTime: 60_000 });
    const stack = await stackAfterUp(platform, { message: withoutWait });
    stack.declare({ message });
    const running = stack.start("up", "--yes", "--skip-preview");
    platform.on("request", ({ operation }) => operation === "getAgentJob" && platform.agents.complete(jobId));
    const { code, requests } = await running.ended;
    expect({ code, requests: Object.keys(tally(requests)) }).toEqual({ code: 0, requests: [look] });
    expect(await stack.outputs()).toMatchObject({ status: "completed", prLink: expect.any(String) });
    stack.declare({ message: withoutWait });
    expect(await stack.up()).toMatchObject(nothing);
    expect(platform.agents.get(jobId)?.messages).toHaveLength(1);
  });

  it("cut short by Ctrl-C is resumed by the next run, with one message in all", async () => {
    const platform = await agentPlatform({ agentTime: 60_000 });
    const stack = await testStack(platform, { message });
    const running = stack.start("up", "--yes", "--skip-preview");
    await new Promise<void>((resolve) => {
      platform.on("request", ({ operation }) => operation === "getAgentJob" && resolve());
    });
    running.interrupt();
    const { code, output } = await running.ended;
    expect(code).not.toBe(0);
    expect(output).toContain("DOCS_INTERRUPTED");
    platform.agents.complete(jobId);
    expect(await stack.up()).toMatchObject({ code: 0, requests: [look] });
    expect(platform.agents.get(jobId)?.messages).toHaveLength(1);
    expect(await stack.outputs()).toMatchObject({ status: "completed", prLink: expect.any(String) });
  });
});
