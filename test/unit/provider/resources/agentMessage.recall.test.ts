import { describe, expect, it } from "vitest";
import type { AgentMessageInputs } from "../../../../provider/definitions/agentMessage";
import { agentMessage } from "../../../../provider/resources/agentMessage";
import { PartialFailure } from "../../../../provider/resources/lifecycle";
import * as errors from "../../../../provider/support/errors";
import { rejection } from "../../../support/clientUnderTest";
import { world } from "../../../support/fakePlatform";

const facts = { happened: "no", remedy: "mend it." };
const inputs: AgentMessageInputs = { jobId: "agent-1", prompt: "Go on.", projectId: "docs" };
const waiting: AgentMessageInputs = { ...inputs, waitForCompletion: true };
const look = "agent docs agent-1";
const id = "agent-1/0123456789ab";

describe("a message that was accepted", () => {
  it("is recorded before it is sent, and with its id before anything else, so that a killed run does not lose it", async () => {
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

  it("and whose answer is lost stays recorded; one that surely was not accepted is recorded no longer", async () => {
    for (const [thrown, changes] of [
      [new errors.NotFoundError(facts), ["intended", "refused"]],
      // Recorded like a sent message: the entry is removed when a later process shows that the state has it.
      [new errors.AmbiguousStartError(facts), ["intended", expect.stringMatching(/^accepted agent-1/)]],
    ] as const) {
      const { platform, context, journal } = world();
      platform.messages = [thrown];
      await rejection(agentMessage.create(inputs, context));
      expect(journal.changes).toEqual(changes);
    }
  });
});

describe("a message that a killed run had sent", () => {
  it("is looked after once and not sent again, where nobody waits for it", async () => {
    const { platform, context, journal, infos } = world();
    journal.earlier = { id, acceptedAt: 0 };
    platform.agentLooks = [{ status: "active" }];
    const created = await agentMessage.create(inputs, context);
    expect(infos).toEqual([
      "continues with the message that an earlier run sent to agent job agent-1 at 1970-01-01T00:00:00.000Z, and sends no new one",
    ]);
    expect(created).toMatchObject({ id, state: { ...inputs, status: "active" } });
    expect(created.state).not.toHaveProperty("__unsettledSince");
    expect(platform.calls).toEqual([look]);
  });

  it("is followed to its end and not sent again, where it is waited for", async () => {
    const { platform, context, journal } = world();
    journal.earlier = { id, acceptedAt: 0 };
    platform.agentLooks = [{ status: "active" }, { status: "completed" }];
    const created = await agentMessage.create(waiting, context);
    expect(created).toMatchObject({ id, state: { status: "completed" } });
    expect(platform.calls).toEqual([look, look]);
  });

  it.each([inputs, waiting])("is kept, and not sent again, where the look fails", async (given) => {
    const { platform, context, journal } = world();
    journal.earlier = { id, acceptedAt: 0 };
    platform.agentLooks = [new errors.NotFoundError(facts)];
    const failure = await rejection(agentMessage.create(given, context));
    expect(failure).toBeInstanceOf(PartialFailure);
    expect(failure).toMatchObject({ id, state: given });
    expect(failure.message).not.toContain("undefined");
    expect(platform.calls).toEqual([look]);
  });
});
