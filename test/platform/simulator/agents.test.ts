import { describe, expect, test } from "vitest";
import type { AgentOutcome, Platform } from "../../../simulator";
import { until } from "../../support/until";
import { type Answer, callApi, platformFor } from "./support";

const hour = 3_600_000;
const forever = Number.POSITIVE_INFINITY;

async function platformWithJob(options: Parameters<typeof platformFor>[0] = {}): Promise<Platform> {
  return platformFor({ agentJobs: [{ projectId: "docs", id: "j1" }], ...options });
}

function send(platform: Platform, prompt: unknown = "Go on.", path = "docs/job/j1"): Promise<Answer> {
  return callApi(platform, `/v2/agent/${path}/message`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ prompt, priority: 1 }),
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
    const platform = await platformFor({ extraFields: false });
    platform.agents.add({ projectId: "docs", id: "j1", ref: "main" });
    const { status, json } = await read(platform);
    expect([status, json]).toEqual([
      200,
      {
        id: "j1",
        status: "completed",
        source: { repository: "https://git.example.com/docs/site", ref: "main" },
        model: expect.any(String),
        prLink: "https://git.example.com/docs/site/pull/1",
        createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        archivedAt: null,
      },
    ]);
  });

  test.each<[AgentOutcome, object]>([
    [{}, { status: "completed", prLink: "https://git.example.com/docs/site/pull/1", archivedAt: null }],
    [{ prLink: null }, { status: "completed", prLink: null, archivedAt: null }],
    [{ status: "failed" }, { status: "failed", prLink: null, archivedAt: null }],
    [{ status: "archived" }, { status: "archived", prLink: null, archivedAt: expect.any(String) }],
  ])(
    "is active after a message, without prLink, and ends after agentTime by the outcome %j",
    async (agentOutcome, end) => {
      const platform = await platformWithJob({ agentTime: 250, agentOutcome });
      const begun = performance.now();
      const active = { status: 200, json: { status: "active", prLink: null } };
      expect([await send(platform), await read(platform)]).toMatchObject([active, active]);
      expect(await ended(platform)).toMatchObject(end);
      expect(performance.now() - begun).toBeGreaterThan(245);
    },
  );

  test("uses the time and the outcome that apply when its message comes, and a later message counts anew", async () => {
    const platform = await platformWithJob({ agentTime: 60, agentOutcome: { status: "failed" } });
    await send(platform, "first");
    platform.agentTime = forever;
    platform.agentOutcome = { prLink: null };
    await send(platform, "second");
    await new Promise((resolve) => setTimeout(resolve, 120));
    expect(platform.agents.get("j1")).toMatchObject({ status: "active", messages: ["first", "second"] });
    platform.agentTime = 0;
    await send(platform, "third");
    expect(await ended(platform)).toMatchObject({ status: "completed", prLink: null });
  });

  test("can be added in any state, completed, archived and forgotten by a test", async () => {
    const platform = await platformFor({ agentTime: forever });
    const { agents } = platform;
    for (const status of ["completed", "failed", "archived", "active"] as const) {
      agents.add({ projectId: "docs", id: status, status });
      expect((await read(platform, `docs/job/${status}`)).json).toMatchObject({ id: status, status });
    }
    expect(() => agents.add({ projectId: "docs", id: "active" })).toThrow("already");
    const prLink = "https://x.test/1";
    agents.complete("active", { prLink });
    expect(agents.get("active")).toMatchObject({ status: "completed", prLink });
    agents.archive("active");
    expect(agents.get("active")).toMatchObject({ status: "archived", prLink });
    agents.complete("failed");
    expect(agents.get("failed")).toMatchObject({ status: "completed", prLink: expect.stringMatching(/\/pull\/2$/) });
    agents.forget("active");
    expect([(await read(platform, "docs/job/active")).status, agents.list().length]).toEqual([404, 3]);
    for (const steer of [agents.complete, agents.archive, agents.forget]) {
      expect(() => steer.call(agents, "active")).toThrow("There is no agent job active");
    }
  });
});

describe("a message", () => {
  test("is judged 400 before 404, and 404 before 429, and changes nothing then", async () => {
    const platform = await platformWithJob({ messagesPerHour: 0 });
    for (const prompt of ["", 7, null, ["x"], { text: "x" }]) {
      expect((await send(platform, prompt, "docs/job/nope")).status).toBe(400);
    }
    for (const path of ["docs/job/nope", "other/job/j1", "docs/job/%00", "docs/job/%2F"]) {
      for (const answer of [await send(platform, "x", path), await read(platform, path)]) {
        expect([answer.status, answer.json]).toEqual([404, { error: "Job not found" }]);
      }
    }
    expect((await send(platform)).status).toBe(429);
    expect(platform.agents.get("j1")).toMatchObject({ status: "completed", messages: [] });
  });

  test("meets faults and is counted; with a lost answer it was still received", async () => {
    const platform = await platformWithJob({ agentTime: forever });
    platform.inject({ operation: "sendMessage", kind: "lostAnswer" });
    platform.inject({ operation: "getAgentJob", kind: "status", status: 503 });
    await expect(send(platform)).rejects.toMatchObject({ code: "ECONNRESET" });
    expect(platform.agents.get("j1")).toMatchObject({ status: "active", messages: ["Go on."] });
    expect([(await read(platform)).status, (await read(platform)).status]).toEqual([503, 200]);
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
    expect((await send(platform, "x", "other/job/j3")).status).toBe(200);
    expect((await read(platform)).status).toBe(200);
  });

  test("slides: as many as leave the window pass, and Retry-After says when the oldest leaves", async () => {
    const platform = await platformWithJob({ messagesPerHour: 2 });
    expect([(await send(platform, "")).status, (await send(platform)).status]).toEqual([400, 200]);
    platform.clockOffset += hour / 2;
    expect((await send(platform)).status).toBe(200);
    const refused = await send(platform);
    expect(refused.status).toBe(429);
    expect(Math.abs(Number(refused.headers["retry-after"]) - 1_800)).toBeLessThan(5);
    for (let half = 0; half < 2; half++) {
      platform.clockOffset += hour / 2;
      expect([(await send(platform)).status, (await send(platform)).status]).toEqual([200, 429]);
    }
  });
});
