import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { filesIn } from "../../../tools/filesIn";
import type { DeclaredProgram, EngineStack } from "../../support/engineStack";
import { anError, look, stackLine, testPlatform, testStack } from "../../support/engineTest";

const agentJob = { projectId: "docs", id: "agent-1", ref: "main" };
const lookAtAgent = "GET /agent/docs/job/agent-1";

async function platformWithJobs() {
  const platform = await testPlatform({ agentJobs: [agentJob] });
  const { jobId } = platform.jobs.add({ domain: "docs.example.com", status: "completed" });
  return { platform, jobId };
}

/** Every file that the engine has written for this stack. The state comes first. */
function backendOf(stack: EngineStack): string {
  const folder = join(stack.folder, "backend");
  return filesIn(folder)
    .map((name) => readFileSync(join(folder, name), "utf8"))
    .join("\n");
}

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/);

describe("a look-up", () => {
  it("costs one GET in each pass, also in a preview, and gives typed values", async () => {
    const { platform, jobId } = await platformWithJobs();
    const stack = await testStack(platform, {
      getExport: { jobId },
      getAgent: { jobId: "agent-1", projectId: "docs" },
      libraries: true,
    });
    const both = [lookAtAgent, look(jobId)];
    const previewed = await stack.preview();
    expect({ code: previewed.code, requests: previewed.requests.toSorted() }).toEqual({ code: 0, requests: both });
    const run = await stack.up();
    expect({ code: run.code, requests: run.requests.toSorted() }).toEqual({ code: 0, requests: both });
    expect(await stack.outputs()).toMatchObject({
      export: {
        jobId,
        status: "completed",
        pageCount: expect.any(Number),
        domain: "docs.example.com",
        startedAt: time,
      },
      agent: {
        jobId: "agent-1",
        status: "completed",
        source: { repository: "https://git.example.com/docs/site", ref: "main" },
        model: "embedded-agent",
        prLink: expect.stringMatching(/\/pull\/\d+$/),
        createdAt: time,
      },
      // A test without a look-up proves something only if this look-up is found.
      libraries: ["undici", "zod"],
    });
    for (const text of [previewed.output, run.output, backendOf(stack)]) {
      expect(text).not.toContain(platform.apiKey);
    }
  });

  it("of ids that are outputs costs one GET each as well, and none while an id is not known yet", async () => {
    const { platform } = await platformWithJobs();
    platform.jobTime = 0;
    const stack = await testStack(platform, {
      site: { domain: "docs.example.com" },
      getExportOutput: {},
      getAgentOutput: { jobId: "agent-1" },
    });
    stack.environment.DOCS_PLATFORM_PROJECT_ID = "docs";
    expect(await stack.preview()).toMatchObject({ code: 0, requests: [lookAtAgent] });
    expect(await stack.up()).toMatchObject({ code: 0 });
    const { jobId, export: found, agent } = await stack.outputs();
    expect(found).toMatchObject({ jobId, status: "completed", domain: "docs.example.com" });
    expect(agent).toMatchObject({ jobId: "agent-1", status: "completed" });
    const again = await stack.up("--expect-no-changes");
    expect({ code: again.code, requests: again.requests.toSorted() }).toEqual({
      code: 0,
      requests: [lookAtAgent, look(jobId)],
    });
  });

  // provider/lookUps.test.ts holds the errors of the other functions and of the settings.
  const unknownJobs: [DeclaredProgram, RegExp][] = [
    [{ getExport: { jobId: "gone" } }, /DOCS_NOT_FOUND: .*jobId gone/],
    [{ getAgentOutput: { jobId: "gone", projectId: "docs" } }, /DOCS_NOT_FOUND: .*projectId docs, id gone/],
  ];

  it.each(unknownJobs)(
    "of a job that the platform does not know is an error with its code: %j",
    async (declared, said) => {
      const { platform } = await platformWithJobs();
      const { code, output, requests } = await (await testStack(platform, declared)).preview();
      expect({ code, requests: requests.length }).toEqual({ code: anError, requests: 1 });
      expect(output).toMatch(said);
      expect(output).toContain("What to do: ");
      expect(output).not.toMatch(/^ +at .*(pulumi-docs-platform|dist\/)/m);
      expect(output).not.toMatch(stackLine);
    },
  );

  it("without the project is an error that names it, and asks nothing", async () => {
    const { platform } = await platformWithJobs();
    const { code, output, requests } = await (await testStack(platform, { getAgent: { jobId: "agent-1" } })).preview();
    expect({ code, requests }).toEqual({ code: anError, requests: [] });
    expect(output).toMatch(/DOCS_CONFIGURATION: projectId is missing: give it in the call/);
    expect(output).not.toMatch(stackLine);
  });
});

describe("a program without a look-up", () => {
  it("loads no library for requests and answers", async () => {
    const { platform, jobId } = await platformWithJobs();
    const stack = await testStack(platform, {
      site: { domain: "docs.example.com", jobId },
      bundle: {},
      message: { jobId: "agent-1", projectId: "docs", prompt: "Go on." },
      libraries: true,
    });
    expect(await stack.up()).toMatchObject({ code: 0 });
    expect((await stack.outputs()).libraries).toEqual([]);
  });
});
