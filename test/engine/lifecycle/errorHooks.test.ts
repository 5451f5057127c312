import { join } from "node:path";
import { expect, it } from "vitest";
import { anError, testPlatform, testStack } from "../../support/engineTest";

const agentJob = { projectId: "docs", id: "agent-1" };

const hooked = (kind: string, name: string, args: object) => ({
  ...{ kind, name, args, retries: 3, dependsOn: [], children: [] },
});
const site = (name: string, more: object = {}) => hooked("export", name, { domain: `${name}.example.com`, ...more });

// The pinned language host does not support error hooks, so programServer.js must run the program.
const repeats =
  "an error hook that is true for every error sends nothing twice, but starts an export anew each time that its job has failed";
it.each(["a folder", "no place that can be written"])(`${repeats}, with a journal in %s`, async (place) => {
  const platform = await testPlatform({ jobTime: Number.POSITIVE_INFINITY, agentJobs: [agentJob] });
  const startsOf = (name: string) => platform.jobs.list().filter(({ domain }) => domain.startsWith(name)).length;
  platform.on("request", ({ operation }) => {
    for (const { jobId, status, domain } of operation === "getExport" ? platform.jobs.list() : []) {
      if (domain.startsWith("failing") && status !== "failed") {
        platform.jobs.fail(jobId, "out of pages");
      }
    }
  });
  platform.inject({ operation: "sendMessage", kind: "lostAnswer" });
  const prompt = { jobId: agentJob.id, projectId: agentJob.projectId, prompt: "Go on." };
  const late = { waitTimeout: "1s" };
  const stack = await testStack(platform, {
    trees: [hooked("message", "message", prompt), site("late", late), site("failing")],
  });
  if (place !== "a folder") {
    // A file already has this path, so the provider cannot create the journal's folder. Then only the provider's
    // process remembers the starts.
    stack.environment.DOCS_PLATFORM_JOURNAL = join(stack.folder, "resources.json");
  }
  const first = await stack.up();
  expect(first.code, first.output).toEqual(anError);
  // The message is not sent again: its only retry reads the agent job and succeeds. All three retries of each export
  // fail.
  const [, diagnostics = ""] = first.output.split("Diagnostics:");
  expect(diagnostics.match(/retrying create due to on-error hook request/g)).toHaveLength(1 + 3 + 3);
  expect([platform.counts.sendMessage, startsOf("late"), startsOf("failing")]).toEqual([1, 1, 4]);

  platform.inject({ operation: "startExport", kind: "lostAnswer" });
  stack.declare({ trees: [site("late", { ...late, triggers: 2 })] });
  const replaced = await stack.up();
  expect(replaced.code, replaced.output).toEqual(anError);
  expect(replaced.output).toContain("DOCS_AMBIGUOUS_START: this run sent the same request");
  expect(startsOf("late")).toBe(2);
});
