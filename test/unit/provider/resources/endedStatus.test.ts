import { expect, it } from "vitest";
import type { AgentMessageState } from "../../../../provider/definitions/agentMessage";
import type { StaticExportState } from "../../../../provider/definitions/staticExport";
import { agentMessageLifecycle } from "../../../../provider/resources/agentMessage";
import { exportBundleLifecycle } from "../../../../provider/resources/exportBundle";
import type { WriteOutcome } from "../../../../provider/resources/lifecycle";
import { staticExportLifecycle } from "../../../../provider/resources/staticExport";
import { JobFailedError, NotFoundError, WaitTimeoutError } from "../../../../provider/support/errors";
import { planned } from "../../../support/decisions";
import { begin, origin, type ResourceWorld, world } from "../../../support/fakePlatform";

const inputs = { domain: "a.test" };
const pinned = { ...inputs, jobId: "job-1" };
const running: StaticExportState = { ...pinned, status: "running", version: "job-1", __origin: origin };
const message = { jobId: "agent-1", projectId: "docs", prompt: "Go on." };
const waiting = { ...message, waitForCompletion: true };
const sent: AgentMessageState = {
  ...waiting,
  status: "active",
  __origin: origin,
  __unsettledSince: new Date(begin - 60_000).toISOString(),
};

const told = ({ state, problem, goesOn = false }: WriteOutcome<object>) => ({ state, problem, goesOn });

/** The ways in which a resource can see a job with the status `word`. Each function checks the result. */
const ways: Record<string, (here: ResourceWorld, word: string) => Promise<void>> = {
  async "create: the error shows the word, and the next run replaces the job"({ platform, context }, word) {
    const { state, problem, goesOn } = told(await staticExportLifecycle.create(inputs, context));
    requireFailure(problem, word);
    expect({ goesOn, calls: platform.calls.length }).toEqual({ goesOn: false, calls: 3 });
    expect(planned("StaticExport", state as StaticExportState, inputs, 0)).toMatchObject({ replaces: ["jobId"] });
  },
  async "update: the job stays ours, and the next run replaces it"({ context }, word) {
    const { state, problem, goesOn } = told(await staticExportLifecycle.update("job-1", running, inputs, context));
    requireFailure(problem, word);
    expect(goesOn).toBe(false);
    expect(planned("StaticExport", state as StaticExportState, inputs, 0)).toMatchObject({ replaces: ["jobId"] });
  },
  async "adopted: an error in each run, and never a start"({ platform, context }, word) {
    const first = await staticExportLifecycle
      .create(pinned, context)
      .then(told, (problem) => ({ problem, state: running }));
    requireFailure(first.problem, word);
    const adopted = { ...running, ...first.state, __adopted: true as const };
    requireFailure((await staticExportLifecycle.update("job-1", adopted, pinned, context)).problem, word);
    expect(platform.calls.filter((call) => call.startsWith("start"))).toEqual([]);
  },
  async "remembered from a killed run: forgotten, and a new one is started"({ platform, context, journal }) {
    journal.earlier = { id: "job-0", acceptedAt: 0 };
    const [, ended = {}] = platform.looks;
    platform.looks = [ended, { status: "completed" }];
    expect(await staticExportLifecycle.create(inputs, context)).toMatchObject({
      id: "job-1",
      state: { status: "completed" },
    });
    expect(journal.changes[0]).toBe("discarded");
  },
  async "read: a job that was completed has failed after all"({ platform, context }) {
    platform.looks.shift();
    const state = await staticExportLifecycle.read("job-1", { ...running, status: "completed" }, context);
    expect(planned("StaticExport", state as StaticExportState, inputs, 0)).toMatchObject({ replaces: ["jobId"] });
  },
  async "a link to its bundle: a refusal is final, since no bundle comes any more"({ platform, context }) {
    await staticExportLifecycle.create(inputs, context);
    platform.links = [new NotFoundError({ happened: "no bundle", remedy: "none.", status: 404 })];
    await expect(exportBundleLifecycle.create({ jobId: "job-1", version: "1" }, context)).rejects.toBe(
      platform.links[0],
    );
    expect(platform.calls.filter((call) => call.startsWith("bundle"))).toHaveLength(1);
  },
  async "an agent job of a new message"({ context }, word) {
    const { problem, goesOn } = told(await agentMessageLifecycle.create(waiting, context));
    requireFailure(problem, word);
    // A failed job can never complete, so every host must report an error, and not a warning.
    expect(goesOn).toBe(false);
  },
  async "an agent job of a message that is waited for again"({ context }, word) {
    requireFailure((await agentMessageLifecycle.update("agent-1/0", sent, waiting, context)).problem, word);
  },
  async "an agent job that had ended before anybody waited: nothing is asked"({ platform, context }, word) {
    const { __unsettledSince: _, ...settled } = sent;
    const ended = { ...settled, status: word, waitForCompletion: false };
    expect((await agentMessageLifecycle.update("agent-1/0", ended, waiting, context)).problem).toBeUndefined();
    expect(platform.calls).toEqual([]);
  },
};

function requireFailure(problem: unknown, word: string): void {
  expect(problem).toBeInstanceOf(JobFailedError);
  expect(String(problem)).toContain(word.toLowerCase() === "failed" ? "failed" : `"${word}"`);
}

it.each(Object.entries(ways))("a status that plainly means an end ends a wait as a failure: %s", async (_, see) => {
  for (const word of ["failed", "Timed_Out"]) {
    for (const progress of [0.4, undefined]) {
      const here = world();
      here.platform.looks = [
        { status: "running", progress },
        { status: word, progress },
      ];
      here.platform.agentLooks = [{ status: "active" }, { status: word }];
      await see(here, word);
    }
  }
});

it("a status that is not known to be an end: the wait continues, and shows it", async () => {
  const { platform, context, statuses } = world();
  platform.looks = [{ status: "cancelling" }];
  platform.agentLooks = platform.looks;
  const exported = await staticExportLifecycle.create(inputs, context);
  expect(exported.problem).toBeInstanceOf(WaitTimeoutError);
  expect(exported).toMatchObject({ state: { status: "cancelling" }, goesOn: true });
  expect(statuses[0]).toContain("cancelling, ");
  expect((await agentMessageLifecycle.create(waiting, context)).problem).toBeInstanceOf(WaitTimeoutError);
});
