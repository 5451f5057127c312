import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { agentMessageLifecycle } from "../../../../provider/resources/agentMessage";
import { staticExportLifecycle } from "../../../../provider/resources/staticExport";
import * as errors from "../../../../provider/support/errors";
import { world } from "../../../support/fakePlatform";

const facts = { happened: "no", remedy: "fix it." };
const looks = {
  running: () => ({ status: "running" }),
  queued: () => ({ status: "queued" }),
  completed: () => ({ status: "completed" }),
  failed: () => ({ status: "failed" }),
  "no connection": () => new errors.ConnectionError(facts),
  "no answer that can be read": () => new errors.ResponseShapeError(facts, false),
  "no permission": () => new errors.PermissionError(facts),
  "no server": () => new errors.ServerError(facts),
  "Ctrl-C": () => new errors.RunCancelledError(),
};
type Name = keyof typeof looks;

describe("the outcome of a start that was accepted", () => {
  it("is always reported with its state, and goes on unless the job has ended", async () => {
    const names = fc.array(fc.constantFrom(...(Object.keys(looks) as Name[])), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(names, fc.integer({ min: 0, max: 3 }), async (story, maxRetries) => {
        const { platform, context } = world({ maxRetries });
        platform.looks = story.map((name) => looks[name]());
        const { id, state, problem, goesOn } = await staticExportLifecycle.create({ domain: "a.test" }, context);
        expect({ id, jobId: state.jobId }).toEqual({ id: "job-1", jobId: "job-1" });
        const isOver = ["completed", "failed"].includes(state.status);
        expect({ isGood: problem === undefined, goesOn: goesOn ?? false }, `${story}: ${problem?.code}`).toEqual({
          isGood: state.status === "completed",
          goesOn: !isOver,
        });
      }),
      { numRuns: 300 },
    );
  });

  it("is always reported with its message, which goes on unless its job has failed", async () => {
    const names = fc.array(fc.constantFrom(...(Object.keys(looks) as Name[])), { minLength: 1, maxLength: 6 });
    const inputs = { jobId: "agent-1", projectId: "docs", prompt: "Go on.", triggers: 1, waitForCompletion: true };
    await fc.assert(
      fc.asyncProperty(names, fc.integer({ min: 0, max: 3 }), async (story, maxRetries) => {
        const { platform, context } = world({ maxRetries });
        platform.agentLooks = story.map((name) => looks[name]());
        const { id, state, problem, goesOn } = await agentMessageLifecycle.create(inputs, context);
        expect(id).toMatch(/^agent-1\/[0-9a-f]{12}$/);
        expect(state).toMatchObject(inputs);
        expect({ goesOn, isOpen: "__unsettledSince" in state }).toEqual(
          problem === undefined
            ? { goesOn: undefined, isOpen: false }
            : { goesOn: state.status !== "failed", isOpen: true },
        );
        expect(problem?.message ?? "checks the job again, and sends nothing").toContain("and sends nothing");
        expect(platform.calls.filter((call) => call.startsWith("message"))).toHaveLength(1);
      }),
      { numRuns: 200, seed: 61 },
    );
  });
});
