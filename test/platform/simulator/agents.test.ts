import { describe, expect, test } from "vitest";
import type { AgentOutcome, Platform } from "../../../simulator";
import { SlidingWindow } from "../../../simulator/slidingWindow";
import { until } from "../../support/until";
import { type Answer, callApi, platformFor } from "./support";

const hour = 3_600_000;
const forever = Number.POSITIVE_INFINITY;

/** A platform with the job `j1` of the project `docs`. */
async function platformWithJob(options: Parameters<typeof platformFor>[0] = {}): Promise<Platform> {
  return platformFor({ agentJobs: [{ projectId: "docs", id: "j1" }], ...options });
}

function send(platform: Platform, prompt: unknown = "Go on.", path = "docs/job/j1"): Promise<Answer> {
  return callApi(platform, `/v2/agent/${path}/message`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ prompt }),
  });
}

function read(platform: Platform, path = "docs/job/j1"): Promise<Answer> {
  return callApi(platform, `/v2/agent/${path}`);
}

async function ended(platform: Platform): Promise<Record<string, unknown>> {
  await until(() => platform.agents.get("j1")?.status !== "active");
  return (await read(platform)).json;
}

describe("an agent job", () => {
  test("has every field of the API text, and no other without extra fields", async () => {
    const platform = await platformFor({ dialect: { extraFields: false } });
    platform.agents.add({ projectId: "docs", id: "j1", repository: "https://git.example.com/a/b.git", ref: "main" });
    const { status, json } = await read(platform);
    expect([status, json]).toEqual([
      200,
      {
        id: "j1",
        status: "completed",
        source: { repository: "https://git.example.com/a/b.git", ref: "main" },
        model: expect.any(String),
        prLink: "https://git.example.com/a/b/pull/1",
        createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        archivedAt: null,
      },
    ]);
    platform.agents.add({ projectId: "docs", id: "j2" });
    expect((await read(platform, "docs/job/j2")).json.source).toMatchObject({ ref: null });
  });

  test("is active after a message, with no prLink, and completed with one after agentTime", async () => {
    const platform = await platformWithJob({ agentTime: 150 });
    const before = (await read(platform)).json.prLink;
    const begun = performance.now();
    const sent = await send(platform);
    expect([sent.status, sent.json]).toEqual([200, expect.objectContaining({ status: "active", prLink: null })]);
    expect((await read(platform)).json).toMatchObject({ status: "active", prLink: null });
    expect(await ended(platform)).toMatchObject({ status: "completed", prLink: before, archivedAt: null });
    expect(performance.now() - begun).toBeGreaterThan(145);
  });

  test.each<[AgentOutcome, object]>([
    [{ prLink: null }, { status: "completed", prLink: null, archivedAt: null }],
    [{ prLink: "https://x.test/7" }, { status: "completed", prLink: "https://x.test/7", archivedAt: null }],
    [{ status: "failed" }, { status: "failed", prLink: null, archivedAt: null }],
    [{ status: "archived" }, { status: "archived", prLink: null, archivedAt: expect.any(String) }],
  ])("ends by the outcome %j, of the platform or its own", async (outcome, expected) => {
    const byPlatform = await platformWithJob({ agentTime: 0, agentOutcome: outcome });
    await send(byPlatform);
    expect(await ended(byPlatform)).toMatchObject(expected);
    const own = await platformFor({ agentTime: 0, agentOutcome: { prLink: "https://x.test/other" } });
    own.agents.add({ projectId: "docs", id: "j1", outcome });
    await send(own);
    expect(await ended(own)).toMatchObject(expected);
  });

  test("takes the time and the outcome that hold when its message comes, and a later message counts anew", async () => {
    const platform = await platformWithJob({ agentTime: 100, agentOutcome: { status: "failed" } });
    await send(platform, "first");
    platform.agentTime = forever;
    platform.agentOutcome = { prLink: null };
    await send(platform, "second");
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(platform.agents.get("j1")).toMatchObject({ status: "active", messages: ["first", "second"] });
    platform.agentTime = 0;
    await send(platform, "third");
    expect(await ended(platform)).toMatchObject({ status: "completed", prLink: null });
  });

  test("can be completed, failed, archived and forgotten by a test", async () => {
    const platform = await platformWithJob({ agentTime: forever });
    const { agents } = platform;
    await send(platform);
    agents.complete("j1", { prLink: "https://x.test/1" });
    expect((await read(platform)).json).toMatchObject({ status: "completed", prLink: "https://x.test/1" });
    agents.archive("j1");
    const archived = (await read(platform)).json;
    expect(archived).toMatchObject({ status: "archived", prLink: "https://x.test/1" });
    expect(Date.now() - Date.parse(String(archived.archivedAt))).toBeLessThan(5_000);
    expect((await send(platform)).json).toMatchObject({ status: "active", prLink: null, archivedAt: null });
    agents.fail("j1");
    expect((await read(platform)).json).toMatchObject({ status: "failed", prLink: null });
    agents.complete("j1");
    expect(agents.get("j1")?.prLink).toMatch(/\/pull\/1$/);
    agents.forget("j1");
    expect([(await read(platform)).status, agents.get("j1"), agents.list()]).toEqual([404, undefined, []]);
    for (const steer of [agents.complete, agents.fail, agents.archive, agents.forget]) {
      expect(() => steer.call(agents, "j1")).toThrow("There is no agent job j1");
    }
  });

  test("is added in any state; an active one goes on", async () => {
    const platform = await platformFor({ agentTime: 1_000 });
    for (const status of ["completed", "failed", "archived"] as const) {
      const { id } = platform.agents.add({ projectId: "docs", status });
      expect((await read(platform, `docs/job/${id}`)).json).toMatchObject({ id, status });
    }
    platform.agents.add({ projectId: "docs", id: "j1", status: "active" });
    expect((await read(platform)).json).toMatchObject({ status: "active", prLink: null });
    expect(await ended(platform)).toMatchObject({ status: "completed" });
  });

  test("is refused when its id is taken, its project unknown, or its repository no URL", async () => {
    const { agents } = await platformWithJob({ projectIds: ["docs"] });
    expect(() => agents.add({ projectId: "docs", id: "j1" })).toThrow("already");
    expect(() => agents.add({ projectId: "other" })).toThrow(RangeError);
    expect(() => agents.add({ projectId: "docs", repository: "a/b" })).toThrow(RangeError);
    expect(agents.list().map(({ id }) => id)).toEqual(["j1"]);
  });
});

describe("a message", () => {
  test("is kept in the order of the messages, whatever its text", async () => {
    const platform = await platformWithJob({ agentTime: forever });
    const prompts = ["a", " ", "zwei\nZeilen", "\u0000", "x".repeat(100_000)];
    for (const prompt of prompts) {
      expect((await send(platform, prompt)).status).toBe(200);
    }
    expect(platform.agents.get("j1")?.messages).toEqual(prompts);
  });

  test.each(["", 7, null, ["x"], { text: "x" }])("with the prompt %j is 400 and changes nothing", async (prompt) => {
    const platform = await platformWithJob();
    const answer = await send(platform, prompt);
    expect([answer.status, answer.json]).toEqual([400, { error: expect.any(String) }]);
    expect(platform.agents.get("j1")).toMatchObject({ status: "completed", messages: [] });
  });

  test("may carry fields that are not known", async () => {
    const platform = await platformWithJob();
    const body = JSON.stringify({ prompt: "x", priority: 1 });
    const headers = { "content-type": "application/json; charset=utf-8" };
    const answer = await callApi(platform, "/v2/agent/docs/job/j1/message", { method: "POST", headers, body });
    expect([answer.status, platform.agents.get("j1")?.messages]).toEqual([200, ["x"]]);
  });

  test("that is wrong in two ways is judged 400 before 404, and 404 before 429", async () => {
    const platform = await platformWithJob({ messagesPerHour: 0 });
    const statuses = [
      await send(platform, "", "docs/job/nope"),
      await send(platform, "x", "docs/job/nope"),
      await send(platform),
    ];
    expect(statuses.map(({ status }) => status)).toEqual([400, 404, 429]);
  });

  test("of another content type is 415", async () => {
    const platform = await platformWithJob();
    const answer = await callApi(platform, "/v2/agent/docs/job/j1/message", { method: "POST", body: "prompt=x" });
    expect([answer.status, answer.json]).toEqual([415, { error: expect.any(String) }]);
  });

  test("and a read are 404 for an unknown job, a job of another project, and an unknown project", async () => {
    const platform = await platformWithJob({ projectIds: ["docs", "other"] });
    for (const path of ["docs/job/nope", "other/job/j1", "nope/job/j1", "docs/job/%00", "docs/job/%2F"]) {
      for (const answer of [await send(platform, "x", path), await read(platform, path)]) {
        expect([answer.status, answer.json]).toEqual([404, { error: expect.stringContaining("not found") }]);
      }
    }
    expect(platform.agents.get("j1")?.messages).toEqual([]);
  });

  test("and a read are 401 without the key, before anything else", async () => {
    const platform = await platformWithJob();
    for (const path of ["docs/job/j1", "nope/job/nope"]) {
      for (const [method, tail] of [
        ["POST", "/message"],
        ["GET", ""],
      ] as const) {
        const answer = await callApi(platform, `/v2/agent/${path}${tail}`, { method, key: null });
        expect([answer.status, answer.json]).toEqual([401, { error: expect.any(String) }]);
      }
    }
  });

  test("and a read are 405 with Allow for other methods", async () => {
    const platform = await platformWithJob();
    const get = await callApi(platform, "/v2/agent/docs/job/j1/message");
    const put = await callApi(platform, "/v2/agent/docs/job/j1", { method: "PUT" });
    expect([get.status, get.headers.allow, put.status, put.headers.allow]).toEqual([405, "POST", 405, "GET"]);
  });

  test("and a read meet faults and are counted; a lost answer was still received", async () => {
    const platform = await platformWithJob({ agentTime: forever });
    platform.inject({ operation: "sendMessage", kind: "lostAnswer" });
    platform.inject({ operation: "getAgentJob", kind: "status", status: 503 });
    await expect(send(platform)).rejects.toMatchObject({ code: "ECONNRESET" });
    expect(platform.agents.get("j1")).toMatchObject({ status: "active", messages: ["Go on."] });
    expect((await read(platform)).status).toBe(503);
    expect((await read(platform)).status).toBe(200);
    expect(platform.counts).toMatchObject({ sendMessage: 1, getAgentJob: 2, other: 0 });
  });
});

describe("the hourly limit", () => {
  test("refuses the 101st message of a project with Retry-After, and does not hold for another", async () => {
    const platform = await platformWithJob();
    platform.agents.add({ projectId: "docs", id: "j2" });
    platform.agents.add({ projectId: "other", id: "j3" });
    for (let i = 0; i < 100; i += 1) {
      expect((await send(platform, "x", `docs/job/j${1 + (i % 2)}`)).status).toBe(200);
    }
    const refused = await send(platform);
    expect([refused.status, refused.json]).toEqual([429, { error: expect.stringContaining("Rate limit") }]);
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(3_500);
    expect(Number(refused.headers["retry-after"])).toBeLessThanOrEqual(3_600);
    expect(platform.agents.get("j1")?.messages).toHaveLength(50);
    expect((await send(platform, "x", "other/job/j3")).status).toBe(200);
    expect((await read(platform)).status).toBe(200);
  });

  test("slides: as many as leave the window pass, and Retry-After tells when the oldest leaves", async () => {
    const platform = await platformWithJob({ messagesPerHour: 2 });
    expect((await send(platform)).status).toBe(200);
    platform.clockOffset += hour / 2;
    expect((await send(platform)).status).toBe(200);
    const refused = await send(platform);
    expect(refused.status).toBe(429);
    expect(Math.abs(Number(refused.headers["retry-after"]) - 1_800)).toBeLessThan(5);
    platform.clockOffset += hour / 2;
    expect([(await send(platform)).status, (await send(platform)).status]).toEqual([200, 429]);
    platform.clockOffset += hour / 2;
    expect([(await send(platform)).status, (await send(platform)).status]).toEqual([200, 429]);
  });

  test("counts accepted messages only", async () => {
    const platform = await platformWithJob({ messagesPerHour: 1 });
    expect((await send(platform, "")).status).toBe(400);
    expect((await send(platform, "x", "docs/job/nope")).status).toBe(404);
    expect((await send(platform)).status).toBe(200);
    expect([(await send(platform, "")).status, (await send(platform)).status]).toEqual([400, 429]);
  });

  test("has a window of any length, so that a test can wait for its end", async () => {
    const platform = await platformWithJob({ messagesPerHour: 1, messageWindow: 300 });
    expect([(await send(platform)).status, (await send(platform)).status]).toEqual([200, 429]);
    await new Promise((resolve) => setTimeout(resolve, 320));
    expect((await send(platform)).status).toBe(200);
  });

  test("waits until the use has left, to the millisecond", () => {
    let now = 1_000;
    const limit = new SlidingWindow(2, 100, () => now);
    limit.count();
    now += 30;
    limit.count();
    expect(limit.wait()).toBe(70);
    now += 69;
    expect(limit.wait()).toBe(1);
    now += 1;
    expect(limit.wait()).toBe(0);
    expect(new SlidingWindow(0, 100, () => now).wait()).toBe(100);
  });
});

test.each([{ agentTime: -1 }, { messagesPerHour: Number.NaN }, { messageWindow: 0 }])(
  "options out of bounds are refused at the start: %j",
  async (options) => {
    await expect(platformFor(options)).rejects.toThrow(RangeError);
  },
);
