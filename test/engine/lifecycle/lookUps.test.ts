import { describe, expect, it } from "vitest";
import { anError, look, stackLine, testPlatform, testStack } from "../../support/engineTest";

const domain = "docs.example.com";
const agentJob = { projectId: "docs", id: "agent-1", ref: "main" };
const lookAtAgent = "GET /agent/docs/job/agent-1";

async function platformWithJobs() {
  const platform = await testPlatform({ agentJobs: [agentJob], jobTime: 0 });
  const { jobId } = platform.jobs.add({ domain, status: "completed" });
  return { platform, jobId };
}

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/);

describe("a look-up", () => {
  it("costs one GET in each pass, also in a preview, and gives typed values", async () => {
    const { platform, jobId } = await platformWithJobs();
    const stack = await testStack(platform, {
      lookUp: jobId,
      messageLookUp: "agent-1/0123456789ab",
      getExport: { jobId },
      getAgent: { jobId: "agent-1", projectId: "docs" },
      libraries: true,
    });
    stack.environment.DOCS_PLATFORM_PROJECT_ID = "docs";
    for (const run of [await stack.preview(), await stack.up()]) {
      expect({ code: run.code, requests: run.requests.toSorted() }, run.output).toEqual({
        code: 0,
        requests: [lookAtAgent, lookAtAgent, look(jobId), look(jobId)],
      });
    }
    expect(await stack.outputs()).toMatchObject({
      export: { jobId, status: "completed", pageCount: expect.any(Number), domain, startedAt: time },
      agent: {
        jobId: "agent-1",
        status: "completed",
        source: { repository: "https://git.example.com/docs/site", ref: "main" },
        model: "embedded-agent",
        prLink: expect.stringMatching(/\/pull\/\d+$/),
        createdAt: time,
      },
      foundStatus: "completed",
      found: { status: "completed", model: "embedded-agent" },
      // life.test.ts shows that a program without a look-up loads none of these libraries.
      libraries: ["undici", "zod"],
    });
    expect(platform.starts).toBe(0);
  });

  it("of ids that are outputs costs one GET each as well, and none while an id is not known yet", async () => {
    const { platform } = await platformWithJobs();
    const stack = await testStack(platform, {
      site: { domain },
      getExportOutput: {},
      getAgentOutput: { jobId: "agent-1" },
    });
    stack.environment.DOCS_PLATFORM_PROJECT_ID = "docs";
    expect(await stack.preview()).toMatchObject({ code: 0, requests: [lookAtAgent] });
    expect(await stack.up()).toMatchObject({ code: 0 });
    const { jobId, export: found, agent } = await stack.outputs();
    expect(found).toMatchObject({ jobId, status: "completed", domain });
    expect(agent).toMatchObject({ jobId: "agent-1", status: "completed" });
  });

  it("of a job that the platform does not know is an error with its code, and without a stack trace", async () => {
    const { platform } = await platformWithJobs();
    const stack = await testStack(platform, { getAgentOutput: { jobId: "gone", projectId: "docs" } });
    const { code, output, requests } = await stack.preview();
    expect({ code, requests: requests.length }).toEqual({ code: anError, requests: 1 });
    expect(output).toMatch(/DOCS_NOT_FOUND: .*projectId docs, id gone/);
    expect(output).toContain("What to do: ");
    expect(output).not.toMatch(/^ +at .*(pulumi-docs-platform|dist\/)/m);
    expect(output).not.toMatch(stackLine);
  });
});

describe("a program without a look-up", () => {
  it("is refused helmValues of a mirror in a folder without publicUrl, in the preview, before anything is started", async () => {
    const copy = { destination: "file:///srv/docs" };
    const stack = await testStack(await testPlatform(), { site: { domain }, copy, copyValues: true });
    const { output, ...refused } = await stack.preview();
    expect(refused).toEqual({ code: anError, requests: [] });
    expect(output).toContain("helmValues: the mirror is a folder on one machine: set its publicUrl");
  });
});
