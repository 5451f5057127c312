import { describe, expect, it } from "vitest";
import { agentKey, clientFor, clientOperations, goodBody, never } from "../../../support/clientUnderTest";
import { answer, serve } from "../../../support/loopback";

const created = Date.parse(goodBody.createdAt);
const plain = {
  status: "running",
  source: { repository: "https://git.example.com/docs/site" },
  model: "agent-model",
  prLink: undefined,
  createdAt: created,
  archivedAt: undefined,
  error: undefined,
  otherFields: undefined,
};

async function ask(operation: "sendMessage" | "getAgentJob", fields: object) {
  const server = await serve(answer(200, { ...goodBody, ...fields }));
  return clientOperations[operation](clientFor(server.url));
}

describe.each(["sendMessage", "getAgentJob"] as const)("an agent job, as %s shows it,", (operation) => {
  it("has what the API text shows, and nothing else; what is null is undefined", async () => {
    expect(await ask(operation, { sizeBytes: 3, nested: { a: 1 } })).toStrictEqual(plain);
  });

  it("shows branch, pull request and times where it has them", async () => {
    const told = {
      source: { repository: "https://git.example.com/a", ref: "main", other: 1 },
      prLink: "https://git.example.com/a/pull/1",
      createdAt: created / 1_000,
      archivedAt: "2026-02-01T12:00:00+02:00",
    };
    expect(await ask(operation, told)).toStrictEqual({
      ...plain,
      source: { repository: "https://git.example.com/a", ref: "main" },
      prLink: told.prLink,
      archivedAt: Date.parse("2026-02-01T10:00:00Z"),
    });
  });

  it.each([
    ["prLink", [null, undefined, "", 3, {}]],
    ["archivedAt", [null, undefined, "", "never", -1, {}, 1e300]],
  ])("has no %s where it cannot be understood, and it is no reason to fail", async (name, values) => {
    for (const value of values) {
      expect(await ask(operation, { [name]: value })).toStrictEqual(plain);
    }
  });
});

describe("an answer about an agent job, of which only the status is needed,", () => {
  it("may say nothing but the status", async () => {
    const server = await serve(answer(200, { status: "completed" }));
    expect(await clientOperations.getAgentJob(clientFor(server.url))).toStrictEqual({
      ...plain,
      status: "completed",
      source: undefined,
      model: undefined,
      createdAt: undefined,
    });
  });

  it.each([
    ["source", [null, undefined, "https://git.example.com", {}, { repository: null }, []]],
    ["model", [null, undefined, "", " ", 4]],
    ["createdAt", [null, undefined, "yesterday", "", {}]],
  ])("may show no %s, or a bad one", async (name, values) => {
    for (const value of values) {
      for (const operation of ["sendMessage", "getAgentJob"] as const) {
        expect(await ask(operation, { [name]: value })).toStrictEqual({ ...plain, [name]: undefined });
      }
    }
  });
});

it.each(["x", " ", "über\n日本 \u{1f600}", '{"prompt":"quoted"}', "y".repeat(100_000)])(
  "a message goes out word for word, as the one field of the body",
  async (prompt) => {
    const server = await serve(answer(200, goodBody));
    await clientFor(server.url).sendMessage(agentKey, prompt, { signal: never });
    expect(server.requests.map(({ body }) => JSON.parse(body))).toEqual([{ prompt }]);
  },
);
