import { describe, expect, it } from "vitest";
import type { AgentMessageState } from "../../../../provider/definitions/agentMessage";
import type { StaticExportState } from "../../../../provider/definitions/staticExport";
import type { AgentJob, ExportJob } from "../../../../provider/platform/client";
import { judgeAgentJob } from "../../../../provider/resources/agentWait";
import { judgeExportJob } from "../../../../provider/resources/exportWait";
import {
  DocsPlatformError,
  NotFoundError,
  RequestRejectedError,
  ServerError,
} from "../../../../provider/support/errors";

const facts = { happened: "no", remedy: "mend it." };
const unknown = new NotFoundError(facts);
const wrongPath = new RequestRejectedError({ ...facts, status: 404 });
const down = new ServerError(facts);

const __origin = "https://platform.test";
const state: StaticExportState = {
  jobId: "job-1",
  domain: "a.test",
  status: "queued",
  version: "job-1",
  __origin,
};
const message: AgentMessageState = { jobId: "agent-1", projectId: "docs", __origin };

type Told = Partial<ExportJob> | DocsPlatformError;
type Case = [told: Told, is: string, status: string, within?: number];

const young: Case[] = [
  [unknown, "goingOn", "queued", 1_500],
  [wrongPath, "goingOn", "queued", 1_500],
];
const old: Case[] = [
  [unknown, "failed", "vanished"],
  [wrongPath, "failed", "queued"],
];
const always: Case[] = [
  [down, "failed", "queued"],
  [{ status: "running" }, "goingOn", "running"],
  [{ status: "Done by 90 %" }, "goingOn", "Done by 90 %"],
  [{ status: "COMPLETED" }, "done", "completed"],
  [{ status: "timed_out" }, "failed", "failed"],
  [{ status: "archived" }, "goingOn", "archived"],
  [{ status: "completed", domain: "b.test" }, "failed", "queued"],
];

describe("the verdict on an answer about an export", () => {
  const cases = (age: number | undefined, all: Case[]) =>
    all.map(([told, is, status, within]) => ({ age, told, is, status, within }));
  it.each([
    ...cases(9_999, [...young, ...always]),
    ...cases(10_000, [...old, ...always]),
    ...cases(undefined, [...old, ...always]),
  ])("after $age ms: $told is $is, $status, within $within ms", ({ age, told, is, status, within }) => {
    const verdict = judgeExportJob({ origin: "saved" }, state, exportAnswer(told), age);
    expect(verdict).toMatchObject({ is, state: { status } });
    expect("within" in verdict ? verdict.within : undefined).toBe(within);
  });

  it("is a failure for a job that is older than the start it is remembered for, with a minute's tolerance", () => {
    const verdict = (startedAt: number) =>
      judgeExportJob(
        { origin: "remembered", earliestBegin: 1e9 },
        state,
        exportAnswer({ status: "completed", startedAt }),
      );
    expect([1e9 - 60_001, 1e9 - 60_000].map((begin) => verdict(begin).is)).toEqual(["failed", "done"]);
  });
});

describe("the verdict on an answer about an agent job", () => {
  it.each([
    [29_999, "completed", "goingOn", 4_000],
    [30_000, "completed", "done", undefined],
    [30_000, "archived", "done", undefined],
    [30_000, "failed", "failed", undefined],
    [29_999, "failed", "goingOn", 4_000],
    [29_999, "ACTIVE", "goingOn", undefined],
    [30_000, "thinking", "goingOn", undefined],
  ])("after %i ms: %s is %s, within %j ms", (age, status, is, within) => {
    const verdict = judgeAgentJob(message, agentAnswer(status), age);
    expect(verdict).toMatchObject({ is, state: { status } });
    expect("within" in verdict ? verdict.within : undefined).toBe(within);
  });

  it("is an end at once, as soon as the job was seen to begin after the message", () => {
    const { state: begun } = judgeAgentJob(message, agentAnswer("active"), 1);
    expect(judgeAgentJob(begun, agentAnswer("completed"), 2).is).toBe("done");
    expect(judgeAgentJob(message, down, 2)).toEqual({ is: "failed", state: message, problem: down });
  });
});

function exportAnswer(told: Told): ExportJob | DocsPlatformError {
  const silent = { progress: undefined, pageCount: undefined, error: undefined, domain: undefined };
  const times = { startedAt: undefined, completedAt: undefined, platformTime: 1e9 };
  return told instanceof DocsPlatformError ? told : { status: "running", ...silent, ...times, ...told };
}

function agentAnswer(status: string): AgentJob {
  return {
    status,
    source: undefined,
    model: undefined,
    prLink: undefined,
    createdAt: undefined,
    archivedAt: undefined,
  };
}
