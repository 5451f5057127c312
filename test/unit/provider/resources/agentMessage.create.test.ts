import { describe, expect, it } from "vitest";
import type { AgentMessageInputs, AgentMessageState } from "../../../../provider/definitions/agentMessage";
import type { AgentJob } from "../../../../provider/platform/client";
import { agentMessage } from "../../../../provider/resources/agentMessage";
import { PartialFailure } from "../../../../provider/resources/lifecycle";
import * as errors from "../../../../provider/support/errors";
import { rejection } from "../../../support/clientUnderTest";
import { planned } from "../../../support/decisions";
import { agentToldInFull, begin, origin, world } from "../../../support/fakePlatform";

const facts = { happened: "no", remedy: "mend it." };
const inputs: AgentMessageInputs = { jobId: "agent-1", prompt: "Go on.", projectId: "docs" };
const waiting: AgentMessageInputs = { ...inputs, waitForCompletion: true };
const message = "message docs agent-1 Go on.";
const look = "agent docs agent-1";
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
  expect(error).toBeInstanceOf(PartialFailure);
  return error as PartialFailure<Partial<AgentMessageState>>;
}

describe("a message that nobody waits for", () => {
  it("tells on its row how long it rests where the limit of messages is reached", async () => {
    const { platform, context, statuses } = world();
    await agentMessage.create(inputs, context);
    platform.options[0]?.onLimit?.(720_000);
    expect(statuses).toEqual(["next try in 12m: limit of messages reached, agent job agent-1"]);
  });

  it("is sent once, and its answer is the state; what is null there is absent", async () => {
    const { platform, context } = world();
    const { state } = await agentMessage.create({ ...inputs, triggers: [1], waitTimeout: "5m" }, context);
    expect(platform.calls).toEqual([message]);
    expect(platform.options[0]?.deadline?.at).toBe(begin + 300_000);
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

  it("tells pull request and archiving time where the answer has them", async () => {
    const { platform, context } = world();
    platform.messages = [{ status: "archived", prLink, archivedAt: begin - 1 }];
    const { state } = await agentMessage.create(inputs, context);
    expect(state).toMatchObject({ status: "archived", prLink, archivedAt: iso(begin - 1) });
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

  it("follows the job as long as it has any other status", async () => {
    const { platform, context } = world();
    platform.agentLooks = [{ status: "paused" }, { status: "queued" }, { status: "completed" }];
    expect((await agentMessage.create(waiting, context)).state.status).toBe("completed");
    expect(platform.calls).toHaveLength(4);
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

  it("is settled by a job that is shown as ended for 30 seconds, since it may have been active between two looks", async () => {
    const { platform, context, clock } = world();
    platform.messages = [{ status: "completed" }];
    platform.agentLooks = [{ status: "completed", prLink }];
    const { state } = await agentMessage.create(waiting, context);
    expect(state).toMatchObject({ status: "completed", prLink });
    expect(clock.now() - begin).toBeGreaterThanOrEqual(30_000);
    expect(clock.now() - begin).toBeLessThan(35_000);
  });
});

describe("every end of a wait keeps the message", () => {
  const ends: [Error, string][] = [
    [new errors.AuthenticationError(facts), "DOCS_AUTHENTICATION"],
    [new errors.NotFoundError(facts), "DOCS_NOT_FOUND"],
    [new errors.ConnectionError(facts), "DOCS_CONNECTION"],
    [new errors.ResponseShapeError(facts, false), "DOCS_RESPONSE_SHAPE"],
    [new errors.InterruptedError(), "DOCS_INTERRUPTED"],
    [new TypeError("fault"), "DOCS_INTERNAL"],
  ];

  it.each(ends)("$name", async (thrown, code) => {
    const { platform, context } = world();
    platform.agentLooks = [{ status: "active", model: "another" }, thrown];
    const failure = await partial(agentMessage.create({ ...waiting, triggers: 1 }, context));
    expect(failure.id).toMatch(/^agent-1\/[0-9a-f]{12}$/);
    expect(failure.reason.code).toBe(code);
    expect(failure.state).toStrictEqual({
      ...sent,
      model: "another",
      triggers: 1,
      waitForCompletion: true,
      __unsettledSince: iso(begin),
      __begun: true,
    });
    expect(failure.message).toContain('the message, which was sent, and agent job agent-1, last seen "active"');
    expect(failure.message).toContain("checks the job again, and sends nothing");
    const failedLooks = errors.isTransient(thrown) ? 1 + context.settings().maxRetries : 1;
    expect(platform.calls).toEqual([message, look, ...Array(failedLooks).fill(look)]);
  });

  it("the deadline", async () => {
    const { platform, context, clock } = world();
    platform.agentLooks = [{ status: "active" }];
    const failure = await partial(agentMessage.create({ ...waiting, waitTimeout: "90s" }, context));
    expect(failure.reason.code).toBe("DOCS_WAIT_TIMEOUT");
    expect(failure.message).toContain('agent-1 of project docs was still "active" when waitTimeout (90s) ended');
    expect(failure.state).toMatchObject({ status: "active", waitTimeout: "90s", __unsettledSince: iso(begin) });
    expect(clock.now()).toBeLessThanOrEqual(begin + 90_000);
    expect(platform.options.every(({ deadline }) => deadline?.at === begin + 90_000)).toBe(true);
  });

  it("the deadline, where it cuts the last look short, or the message alone took longer", async () => {
    for (const answeredAfter of [0, 61_000]) {
      const { platform, context, clock } = world();
      platform.messages = [
        () => {
          clock.pass(answeredAfter);
          return {};
        },
      ];
      platform.agentLooks = [
        () => {
          clock.pass(Math.max(0, begin + 60_000 - clock.now()));
          return new errors.TimeoutError(facts);
        },
      ];
      const failure = await partial(agentMessage.create({ ...waiting, waitTimeout: "60s" }, context));
      expect(failure.reason.code).toBe("DOCS_WAIT_TIMEOUT");
      expect(failure.state).toMatchObject({ status: "active", __unsettledSince: iso(begin) });
    }
  });

  it("an interrupt during a rest", async () => {
    const { platform, context, clock, cancel } = world();
    platform.agentLooks = [{ status: "active" }];
    clock.onSleep = cancel;
    const failure = await partial(agentMessage.create(waiting, context));
    expect(failure.reason).toBeInstanceOf(errors.InterruptedError);
    expect(platform.calls).toEqual([message, look]);
  });

  it("a failed job, which the error names", async () => {
    const { platform, context } = world();
    platform.agentLooks = [{ status: "Failed" }];
    const failure = await partial(agentMessage.create(waiting, context));
    expect(failure.reason.code).toBe("DOCS_JOB_FAILED");
    expect(failure.message).toContain("agent job agent-1 of project docs failed");
    expect(failure.message).toContain("change prompt or triggers to send another message");
    expect(failure.state).toMatchObject({ status: "Failed", __unsettledSince: iso(begin) });
  });
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

  it.each([
    ["nobody waits for", inputs, { status: "active" }],
    ["is waited for", waiting, { status: "completed", prLink }],
  ])(
    "and which %s, is looked after once in the next run, and never sent again",
    async (_, given, told: Partial<AgentJob>) => {
      const { platform, context, clock } = world();
      platform.messages = [new errors.AmbiguousStartError(facts)];
      platform.agentLooks = [{ ...agentToldInFull, ...told }];
      const { id, state } = await partial(agentMessage.create(given, context));
      clock.pass(60_000);
      const doubtful = state as AgentMessageState;
      expect(planned("AgentMessage", doubtful, given, 0)).toMatchObject({ action: "update" });
      expect(await agentMessage.update(id, doubtful, given, context)).toStrictEqual({ ...sent, ...given, ...told });
      expect(platform.calls).toEqual([message, look]);
    },
  );

  it.each([inputs, waiting])("stays doubtful where the look fails too, and the error says so", async (given) => {
    const { platform, context } = world();
    platform.messages = [new errors.AmbiguousStartError(facts)];
    platform.agentLooks = [new errors.ServerError(facts)];
    const { id, state } = await partial(agentMessage.create(given, context));
    const failure = await partial(agentMessage.update(id, state as AgentMessageState, given, context));
    expect(failure.id).toBe(id);
    expect(failure.state).toStrictEqual(state);
    expect(failure.message).toContain("perhaps the message: it may have reached agent job agent-1 of project docs");
    expect(failure.message).not.toContain("undefined");
    expect(platform.calls).toEqual([message, look]);
  });
});

describe("a message that was surely not sent leaves nothing behind", () => {
  it.each([
    new errors.NotFoundError(facts),
    new errors.RefusedError(facts),
    new errors.AuthenticationError(facts),
    new errors.RateLimitError(facts),
    new errors.ConnectionError(facts),
    new errors.InterruptedError(),
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
  ])("a limit that is reached tells which, and when to come again (Retry-After %s ms)", async (retryAfter, when) => {
    const { platform, context } = world();
    platform.messages = [new errors.RateLimitError({ ...facts, retryAfter })];
    const { message: text } = await rejection(agentMessage.create(inputs, context));
    expect(text).toContain(`run \`pulumi up\` again ${when}: a project may send 100 messages an hour.`);
  });
});
