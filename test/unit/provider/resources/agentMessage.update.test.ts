import { describe, expect, it } from "vitest";
import type { AgentMessageInputs, AgentMessageState } from "../../../../provider/definitions/agentMessage";
import * as errors from "../../../../provider/support/errors";
import { rejection } from "../../../support/clientUnderTest";
import { planned } from "../../../support/decisions";
import { begin, origin, world } from "../../../support/fakePlatform";
import { throwingLifecycles } from "../../../support/throwingLifecycles";

const { agentMessage } = throwingLifecycles;

const facts = { happened: "no", remedy: "mend it." };
const inputs: AgentMessageInputs = { jobId: "agent-1", prompt: "Go on.", projectId: "docs" };
const waiting: AgentMessageInputs = { ...inputs, waitForCompletion: true };
const look = "agent docs agent-1";
const id = "agent-1/0123456789ab";
const prLink = "https://git.example.com/docs/site/pull/1";
const iso = (time: number) => new Date(time).toISOString();

const active: AgentMessageState = {
  ...inputs,
  status: "active",
  source: { repository: "https://git.example.com/docs/site" },
  model: "agent-model",
  createdAt: iso(begin - 1_000),
  __origin: origin,
};
const completed: AgentMessageState = { ...active, status: "completed", prLink };
/** The state of a message whose last wait has failed. */
const unsettled: AgentMessageState = { ...active, waitForCompletion: true, __unsettledSince: iso(begin - 60_000) };

describe("update", () => {
  it("that turns the wait on while the job is active waits, and sends nothing", async () => {
    const { platform, context } = world();
    platform.agentLooks = [{ status: "active" }, { status: "completed", prLink }];
    const state = await agentMessage.update(id, active, waiting, context);
    expect(platform.calls).toEqual([look, look]);
    expect(state).toMatchObject({ status: "completed", prLink, waitForCompletion: true });
    expect(planned("AgentMessage", state, waiting, 0)).toMatchObject({ action: "none" });
  });

  it("that turns the wait off sends nothing and settles the work, active or failed", async () => {
    const { platform, context } = world();
    for (const status of ["active", "failed"]) {
      const state = await agentMessage.update(id, { ...unsettled, status }, inputs, context);
      expect(state).toStrictEqual({ ...active, status });
      expect(planned("AgentMessage", state, inputs, 0)).toMatchObject({ action: "none" });
    }
    expect(platform.calls).toEqual([]);
  });

  it("continues with a wait that was cut short, with a whole waitTimeout of its own", async () => {
    const { platform, context } = world();
    platform.agentLooks = [{ status: "active" }, { status: "completed" }];
    const state = await agentMessage.update(id, unsettled, waiting, context);
    expect(platform.calls).toEqual([look, look]);
    expect(platform.options[0]?.deadline?.at).toBe(30 * 60_000);
    expect(state).toStrictEqual({ ...active, status: "completed", waitForCompletion: true });
  });

  it("is refused under another origin, and asks nothing", async () => {
    const { platform, context } = world({ origin: "https://other.example.com" });
    for (const held of [active, completed, unsettled]) {
      expect(await rejection(agentMessage.update(id, held, waiting, context))).toBeInstanceOf(
        errors.PlatformOriginMismatchError,
      );
    }
    expect(platform.calls).toEqual([]);
  });
});

describe("read", () => {
  it("looks once, and adopts what the job shows; what it does not show stays", async () => {
    const { platform, context, warnings } = world();
    platform.agentLooks = [{ status: "archived", prLink, archivedAt: begin }];
    const state = await agentMessage.read(id, active, context);
    expect(state).toStrictEqual({ ...active, status: "archived", prLink, archivedAt: iso(begin) });
    expect(platform.calls).toEqual([look]);
    expect(warnings).toEqual([]);
  });

  it.each([
    new errors.NotFoundError(facts),
    new errors.AuthenticationError(facts),
    new errors.ServerError(facts),
    new errors.ResponseShapeError(facts, false),
    new TypeError("fault"),
  ])("changes nothing and warns once where the job cannot be read: $name", async (thrown) => {
    for (const held of [active, completed, unsettled]) {
      const { platform, context, warnings } = world();
      platform.agentLooks = [thrown];
      expect(await agentMessage.read(id, held, context)).toStrictEqual(held);
      expect(platform.calls).toEqual([look]);
      expect(warnings).toHaveLength(1);
      expect(warnings[0]).toContain("agent job agent-1 could not be read; the state stays unchanged. DOCS_");
    }
  });

  it("is refused under another origin, and asks nothing", async () => {
    const { platform, context } = world({ origin: "https://other.example.com", projectId: "docs" });
    expect(await rejection(agentMessage.read(id, active, context))).toBeInstanceOf(errors.PlatformOriginMismatchError);
    expect(platform.calls).toEqual([]);
  });
});

describe("read of an id alone, as .get asks for it", () => {
  it.each([
    ["the message's id", "agent-1/0123456789ab", "agent-1"],
    ["the job's id", "agent-1", "agent-1"],
    ["a job's id with slashes", "a/b/c", "a/b/c"],
    ["a job's id with such digits within", "a/0123456789ab/c", "a/0123456789ab/c"],
    ["the id of a message to a job with slashes", "a/b/0123456789ab", "a/b"],
  ])("knows what the API shows, by %s and the setting projectId", async (_, given, jobId) => {
    const { platform, context } = world({ projectId: "docs" });
    platform.agentLooks = [{ status: "completed", prLink, model: "m" }];
    expect(await agentMessage.read(given, {}, context)).toStrictEqual({
      jobId,
      projectId: "docs",
      status: "completed",
      prLink,
      model: "m",
      __origin: origin,
    });
    expect(platform.calls).toEqual([`agent docs ${jobId}`]);
  });

  it("without a project is an error that names both ways to give it, and asks nothing", async () => {
    const { platform, context } = world();
    const error = await rejection(agentMessage.read(id, {}, context));
    expect(error).toBeInstanceOf(errors.ConfigurationError);
    expect(error.message).toContain("set DOCS_PLATFORM_PROJECT_ID in the environment");
    expect(error.message).toContain("pulumi config set docs-platform:projectId");
    expect(platform.calls).toEqual([]);
  });
});
