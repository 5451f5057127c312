import { describe, expect, it } from "vitest";
import type { AgentMessageInputs, AgentMessageState } from "../../../../provider/definitions/agentMessage";
import * as errors from "../../../../provider/support/errors";
import { rejection } from "../../../support/clientUnderTest";
import { planned } from "../../../support/decisions";
import { begin, origin, world } from "../../../support/fakePlatform";
import { SavedFailure, throwingLifecycles } from "../../../support/throwingLifecycles";

const { agentMessage } = throwingLifecycles;

const facts = { happened: "no", remedy: "mend it." };
const inputs: AgentMessageInputs = { jobId: "agent-1", prompt: "Go on.", projectId: "docs" };
const waiting: AgentMessageInputs = { ...inputs, waitForCompletion: true };
const message = "message docs agent-1 Go on.";
const look = "agent docs agent-1";
const earlierId = "agent-1/0123456789ab";
const prLink = "https://git.example.com/docs/site/pull/1";
const iso = (time: number) => new Date(time).toISOString();

const sent: AgentMessageState = {
  ...inputs,
  status: "active",
  source: { repository: "https://git.example.com/docs/site", ref: "main" },
  model: "agent-model",
  createdAt: iso(begin - 86_400_000),
  __origin: origin,
};

async function partial(promise: Promise<unknown>) {
  const error = await rejection(promise);
  expect(error).toBeInstanceOf(SavedFailure);
  return error as SavedFailure<Partial<AgentMessageState>>;
}

describe("a message that nobody waits for", () => {
  it("shows on its row how long it rests where the limit of messages is reached", async () => {
    const { platform, context, statuses } = world();
    await agentMessage.create(inputs, context);
    platform.options[0]?.onLimit?.(720_000);
    expect(statuses).toEqual(["next try in 12m: limit of messages reached, agent job agent-1"]);
  });

  it("is sent once, and its answer is the state; what is null there is absent", async () => {
    const { platform, context } = world();
    const { state } = await agentMessage.create({ ...inputs, triggers: [1], waitTimeout: "5m" }, context);
    expect(platform.calls).toEqual([message]);
    expect(platform.options[0]?.deadline?.left).toBe(300_000);
    expect(state).toStrictEqual({ ...sent, triggers: [1], waitTimeout: "5m" });
    expect(planned("AgentMessage", state, { ...inputs, triggers: [1], waitTimeout: "5m" }, 0).action).toBe("none");
  });

  it("has an id of the job's own and 12 random digits, never made from the prompt", async () => {
    const { context } = world();
    const ids = new Set<string>();
    for (let run = 0; run < 20; run++) {
      const { id } = await agentMessage.create({ ...inputs, jobId: "a/b" }, context);
      expect(id).toMatch(/^a\/b\/[0-9a-f]{12}$/);
      ids.add(id);
    }
    expect(ids.size).toBe(20);
  });
});

describe("a message that is waited for", () => {
  it.each(["completed", "archived", "Completed"])("is settled once the job is %s", async (status) => {
    const { platform, context, statuses } = world();
    platform.agentLooks = [{ status: "active" }, { status: "active" }, { status, prLink }];
    const { state } = await agentMessage.create(waiting, context);
    expect(platform.calls).toEqual([message, look, look, look]);
    expect(state).toStrictEqual({ ...sent, status, prLink, waitForCompletion: true });
    expect(statuses[0]).toBe("active, 1s elapsed, agent job agent-1");
    expect(statuses.at(-1)).toMatch(new RegExp(`^${status} in \\d+s, agent job agent-1$`));
  });

  it("names the setting of the path that the API text does not show, where the job is not found", async () => {
    const { platform, context } = world();
    platform.agentLooks = Array(50).fill(new errors.NotFoundError(facts));
    const { message: told } = await partial(agentMessage.create(waiting, context));
    expect(told).toMatch(/the get-job operation has another path: set that path as getAgentJob in \S/);
  });

  it.each(["completed", "archived", "failed"])(
    "is not settled by a job that is still shown as %s, as it was before, until it was seen active",
    async (status) => {
      const { platform, context, clock } = world();
      platform.messages = [{ status, prLink: "https://old.test/pull/0" }];
      platform.agentLooks = [
        { status, prLink: "https://old.test/pull/0" },
        { status: "active" },
        { status: "completed" },
      ];
      const { state } = await agentMessage.create(waiting, context);
      expect(platform.calls).toEqual([message, look, look, look]);
      expect(state).not.toHaveProperty("prLink");
      expect(clock.now() - begin).toBeLessThan(30_000);
    },
  );
});

describe("a message whose answer is lost", () => {
  it.each([
    ["no answer", new errors.AmbiguousStartError(facts)],
    ["an answer that cannot be understood", new errors.ResponseShapeError(facts, true)],
  ])("is kept as doubtful after %s, whether it is waited for or not", async (_, lost) => {
    for (const given of [inputs, waiting]) {
      const { platform, context } = world();
      platform.messages = [lost];
      const failure = await partial(agentMessage.create(given, context));
      expect(failure.id).toMatch(/^agent-1\/[0-9a-f]{12}$/);
      expect(failure.state).toStrictEqual({ ...given, __origin: origin, __unsettledSince: iso(begin) });
      expect(failure.message).toContain("perhaps the message: it may have reached agent job agent-1 of project docs");
      expect(failure.message).toContain("checks the job, and sends nothing");
      expect(failure.message).toContain("change triggers to send it again");
      expect(platform.calls).toEqual([message]);
    }
  });
});

describe("a message that was surely not sent leaves nothing behind", () => {
  it.each([
    new errors.NotFoundError(facts),
    new errors.RequestRejectedError(facts),
    new errors.AuthenticationError(facts),
    new errors.RateLimitError(facts),
    new errors.ConnectionError(facts),
    new errors.RunCancelledError(),
    new TypeError("fault"),
  ])("$name, which names job and project", async (thrown) => {
    const { platform, context } = world();
    platform.messages = [thrown];
    const error = await rejection(agentMessage.create(waiting, context));
    expect(error).toBeInstanceOf(errors.DocsPlatformError);
    expect(error.message).toContain("no message was sent to agent job agent-1 of project docs");
    expect(error.message).toContain("tries to send the message again");
    expect(platform.calls).toEqual([message]);
  });

  it.each([
    [3_599_000, "in 59m59s"],
    [undefined, "later"],
  ])("a limit that is reached says which, and when to come again (Retry-After %s ms)", async (retryAfter, when) => {
    const { platform, context } = world();
    platform.messages = [new errors.RateLimitError({ ...facts, retryAfter })];
    const { message: text } = await rejection(agentMessage.create(inputs, context));
    expect(text).toContain(`run \`pulumi up\` again ${when}: a project may send 100 messages an hour.`);
  });
});

it("a message that was accepted is recorded before it is sent, and with its id before anything else, so that a killed run does not lose it", async () => {
  const { platform, context, journal } = world();
  journal.entry = "the entry";
  platform.agentLooks = [
    () => {
      expect(journal.changes).toEqual(["intended", expect.stringMatching(/^accepted agent-1\/[0-9a-f]{12}$/)]);
      return { status: "completed" };
    },
  ];
  const created = await agentMessage.create(waiting, context);
  expect(journal.changes).toEqual(["intended", `accepted ${created.id}`]);
  expect(created.state).toMatchObject({ __entry: "the entry" });
  expect(platform.calls).toHaveLength(2);
});

describe("a message that a killed run had sent", () => {
  it("is looked after once and not sent again, where nobody waits for it", async () => {
    const { platform, context, journal, infos } = world();
    journal.earlier = { id: earlierId, acceptedAt: 0 };
    platform.agentLooks = [{ status: "active" }];
    const created = await agentMessage.create(inputs, context);
    expect(infos).toEqual([
      "continues with the message that an earlier run sent to agent job agent-1 at 1970-01-01T00:00:00.000Z, and sends no new one",
    ]);
    expect(created).toMatchObject({ id: earlierId, state: { ...inputs, status: "active" } });
    expect(created.state).not.toHaveProperty("__unsettledSince");
    expect(platform.calls).toEqual([look]);
  });

  it.each(["agent-2/0123456789ab", "agent-1/0123456789abc", "agent-1/x0123456789ab", "agent-1/", "agent-1"])(
    "is not believed where the journal names what is no such message: %s",
    async (id) => {
      const { platform, context, journal } = world();
      journal.earlier = { id, acceptedAt: 0 };
      const error = await rejection(agentMessage.create(inputs, context));
      expect(error).toBeInstanceOf(errors.JobAdoptionError);
      expect(error.message).toContain(`sent ${id} as a message to agent job agent-1, but this is not the id`);
      expect(error.message).toContain("Exists now: no message from this run");
      expect(error.message).toContain("remove its entry from the journal: somebody changed it");
      expect({ calls: platform.calls, changes: journal.changes }).toEqual({ calls: [], changes: [] });
    },
  );
});
