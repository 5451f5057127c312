import { describe, expect, it } from "vitest";
import type { AgentMessageInputs, AgentMessageState } from "../../../../provider/definitions/agentMessage";
import { unknown } from "../../../../provider/definitions/values";
import { checked, planned, unchanged } from "../../../support/decisions";
import { origin } from "../../../support/fakePlatform";

const inputs: AgentMessageInputs = { jobId: "agent-1", prompt: "Go on.", projectId: "docs" };

describe("check", () => {
  it("accepts every argument, and requires jobId and prompt, and a project", () => {
    const all = { ...inputs, triggers: { a: [1] }, waitForCompletion: true, waitTimeout: "5m" };
    expect(checked("AgentMessage", all, undefined)).toEqual({ inputs: all, failures: [] });
    expect(checked("AgentMessage", {}, "docs").failures).toEqual([
      { property: "jobId", reason: "is required" },
      { property: "prompt", reason: "is required" },
    ]);
  });

  it.each([
    ["", false],
    [3, false],
    [["Go on."], false],
    [null, false],
    ["x", true],
    [" ", true],
    ["line\nbreak", true],
  ])("with the prompt %j is good: %j (at least one character)", (prompt, good) => {
    const { failures } = checked("AgentMessage", { ...inputs, prompt }, undefined);
    expect(failures.map(({ property }) => property)).toEqual(good ? [] : ["prompt"]);
  });

  it("accepts the project from the argument before the setting", () => {
    const { projectId: _, ...without } = inputs;
    expect(checked("AgentMessage", without, "of-the-setting").inputs).toEqual({
      ...without,
      projectId: "of-the-setting",
    });
    expect(checked("AgentMessage", { ...without, projectId: null }, "of-the-setting").inputs).toEqual({
      ...without,
      projectId: "of-the-setting",
    });
    expect(checked("AgentMessage", { ...inputs }, "of-the-setting").inputs).toEqual(inputs);
  });

  it("without a project anywhere names the argument and both ways to give the setting", () => {
    const { projectId: _, ...without } = inputs;
    const { failures } = checked("AgentMessage", without, undefined);
    expect(failures).toEqual([
      {
        property: "projectId",
        reason:
          "is required: give it here, or set DOCS_PLATFORM_PROJECT_ID in the environment, or run `pulumi config set docs-platform:projectId <value>` (the API keys page of the dashboard shows the project id)",
      },
    ]);
  });
});

describe("diff", () => {
  const state: AgentMessageState = {
    ...inputs,
    status: "active",
    triggers: { a: [1], b: null },
    waitForCompletion: false,
    waitTimeout: "5m",
    __origin: origin,
  };
  const same = { ...inputs, triggers: { b: null, a: [1] }, waitForCompletion: false, waitTimeout: "5m" };
  const decide = (held: Partial<AgentMessageState>, given: Partial<AgentMessageInputs>) =>
    planned("AgentMessage", { ...state, ...held }, { ...same, ...given } as AgentMessageInputs, 0);

  const outputs = ["status", "source", "model", "prLink", "createdAt", "archivedAt"];
  const nothing = unchanged;
  const noted = { ...nothing, action: "update" };
  const looked = { ...noted, changingOutputs: outputs };
  const replaced = (name: string) => ({ ...nothing, action: "replace", replaces: [name], changingOutputs: outputs });

  it.each<[string, Partial<AgentMessageInputs>]>([
    ["jobId", { jobId: "agent-2" }],
    ["projectId", { projectId: "other" }],
    ["prompt", { prompt: "Go on!" }],
    ["triggers", { triggers: { a: [2], b: null } }],
    ["triggers", { triggers: undefined }],
  ])("a change of %s replaces it, which sends one message", (name, given) => {
    expect(decide({}, given)).toEqual(replaced(name));
  });

  it.each<[string, Partial<AgentMessageInputs>, object]>([
    ["waitForCompletion", { waitForCompletion: true }, looked],
    ["waitTimeout", { waitTimeout: "6m" }, noted],
  ])("a change of only %s is an update in place", (_, given, decision) => {
    expect(decide({}, given)).toEqual(decision);
  });

  it("to wait for a job that has ended looks at nothing", () => {
    expect(decide({ status: "completed" }, { waitForCompletion: true })).toEqual(noted);
  });

  it("work that is not settled asks for an update, whatever its status, and a look where it is waited for", () => {
    const unsettled = { waitForCompletion: true, __unsettledSince: "2026-03-01T00:00:00.000Z" };
    for (const status of ["active", "failed", "completed"]) {
      const reason = `agent job was last seen "${status}": will be checked again`;
      expect(decide({ status, ...unsettled }, { waitForCompletion: true })).toEqual({
        ...looked,
        continues: true,
        reason,
      });
      expect(decide({ status, ...unsettled }, { waitForCompletion: false })).toEqual(noted);
    }
  });

  it("a message whose answer was lost is looked after, also where nobody waits", () => {
    const { status: _, ...doubtful } = state;
    const before: AgentMessageState = { ...doubtful, __unsettledSince: "2026-03-01T00:00:00.000Z" };
    const reason = "it is not known if the message arrived: the job will be checked";
    expect(planned("AgentMessage", before, same, 0)).toEqual({ ...looked, continues: true, reason });
  });

  it.each(["jobId", "projectId", "prompt", "triggers"])("%s counts as changed while it is not known yet", (name) => {
    expect(decide({}, { [name]: unknown })).toEqual(replaced(name));
  });
});
