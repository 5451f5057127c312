import { describe, expect, test } from "vitest";
import type { Fault, FaultKind } from "../../../simulator";
import { until } from "../../support/until";
import { fetchUrl, getJob, linkOf, platformFor, startJob } from "./support";

describe("a fault", () => {
  test("is met by as many requests of its operation as it counts, and by no other operation", async () => {
    const platform = await platformFor();
    platform.inject({ operation: "startExport", kind: "status", status: 503, count: 2 });
    expect((await getJob(platform, "any")).status).toBe(404);
    const statuses = [await startJob(platform), await startJob(platform), await startJob(platform)];
    expect(statuses.map(({ status }) => status)).toEqual([503, 503, 201]);
    expect([platform.counts.startExport, platform.starts]).toEqual([3, 1]);
  });

  test("lets requests pass before it; after counts from the injection, and the first injected wins", async () => {
    const platform = await platformFor();
    platform.inject({ operation: "getExport", kind: "status", status: 500, after: 1, count: 2 });
    platform.inject({ operation: "getExport", kind: "status", status: 502, after: 2 });
    const statuses: number[] = [];
    for (let i = 0; i < 5; i += 1) {
      statuses.push((await getJob(platform, "any")).status);
    }
    expect(statuses).toEqual([404, 500, 500, 502, 404]);
  });

  test("is gone after clearFaults", async () => {
    const platform = await platformFor({
      faults: [{ operation: "startExport", kind: "reset", count: Number.POSITIVE_INFINITY }],
    });
    await expect(startJob(platform)).rejects.toThrow();
    platform.clearFaults();
    expect((await startJob(platform)).status).toBe(201);
  });

  test("out of bounds is refused", async () => {
    const platform = await platformFor();
    const wrong: FaultKind[] = [
      { kind: "status", status: 100 },
      { kind: "delay", ms: Number.NaN },
      { kind: "lateAnswer", ms: -1 },
    ];
    const scopes = [{ count: 0 }, { after: -1 }];
    const faults: Fault[] = [
      ...wrong.map((kind) => ({ operation: "download" as const, ...kind })),
      ...scopes.map((scope) => ({ operation: "download" as const, kind: "reset" as const, ...scope })),
    ];
    for (const fault of faults) {
      expect(() => platform.inject(fault), JSON.stringify(fault)).toThrow(RangeError);
    }
  });
});

describe("kinds", () => {
  test("status: sends headers and a body unchanged, otherwise an Error body", async () => {
    const platform = await platformFor();
    const page = "<html><h1>502 Bad Gateway</h1></html>";
    platform.inject({ operation: "startExport", kind: "status", status: 502, body: page });
    platform.inject({ operation: "startExport", kind: "status", status: 429, headers: { "Retry-After": "7" } });
    platform.inject({ operation: "startExport", kind: "status", status: 204 });
    const html = await startJob(platform);
    expect([html.status, html.text, html.headers["content-type"]]).toEqual([
      502,
      page,
      expect.stringContaining("html"),
    ]);
    const limited = await startJob(platform);
    expect([limited.json, limited.headers["retry-after"]]).toEqual([{ error: "Too Many Requests" }, "7"]);
    expect(await startJob(platform)).toMatchObject({ status: 204, text: "" });
    expect(platform.starts).toBe(0);
  });

  test("body: sends the JSON of the caller's choice, with 200 unless told", async () => {
    const platform = await platformFor();
    platform.inject({ operation: "getExport", kind: "body", body: { status: "completed" } });
    platform.inject({ operation: "getExport", kind: "body", status: 202, body: [] });
    expect(await getJob(platform, "any")).toMatchObject({ status: 200, json: { status: "completed" } });
    expect(await getJob(platform, "any")).toMatchObject({ status: 202, text: "[]" });
  });

  test.each([
    ["reset", 0],
    ["lostAnswer", 1],
  ] as const)("%s: the connection is reset after %i starts", async (kind, starts) => {
    const platform = await platformFor();
    platform.inject({ operation: "startExport", kind });
    await expect(startJob(platform)).rejects.toMatchObject({ code: "ECONNRESET" });
    expect([platform.counts.startExport, platform.starts]).toEqual([1, starts]);
    expect(platform.requests[0]?.status).toBe(0);
  });

  test("hang: nothing comes for as long as the client waits, and nothing is processed", async () => {
    const platform = await platformFor();
    platform.inject({ operation: "startExport", kind: "hang" });
    const first = await Promise.race([
      startJob(platform).catch(() => "ended"),
      new Promise((resolve) => setTimeout(resolve, 100, "waiting")),
    ]);
    expect([first, platform.counts.startExport, platform.starts]).toEqual(["waiting", 1, 0]);
  });

  test.each([
    ["delay", 0],
    ["lateAnswer", 1],
  ] as const)("%s: the answer comes after the pause, in which there are %i starts", async (kind, starts) => {
    const platform = await platformFor();
    platform.inject({ operation: "startExport", kind, ms: 300 });
    const begun = performance.now();
    const started = startJob(platform);
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(platform.starts).toBe(starts);
    expect((await started).status).toBe(201);
    expect(performance.now() - begun).toBeGreaterThanOrEqual(295);
    expect(platform.starts).toBe(1);
  });

  test("brokenBody: the request is processed, and 200 comes with JSON that is cut off", async () => {
    const platform = await platformFor();
    platform.inject({ operation: "startExport", kind: "brokenBody" });
    const answer = await startJob(platform);
    expect(answer.status).toBe(200);
    expect(() => JSON.parse(answer.text)).toThrow(SyntaxError);
    expect(platform.starts).toBe(1);
  });

  test("truncate: the length is announced in full, half of it comes, then the connection is reset", async () => {
    const platform = await platformFor();
    const link = await linkOf(platform);
    const whole = (await fetchUrl(link)).bytes;
    platform.inject({ operation: "download", kind: "truncate" });
    const answer = await fetch(link);
    expect(answer.headers.get("content-length")).toBe(String(whole.length));
    expect(answer.headers.get("date")).not.toBeNull();
    const received: Uint8Array[] = [];
    const reading = (async () => {
      for await (const chunk of answer.body ?? []) {
        received.push(chunk);
      }
    })();
    await expect(reading).rejects.toThrow();
    expect(Buffer.concat(received).equals(whole.subarray(0, Math.floor(whole.length / 2)))).toBe(true);
    await until(() => platform.requests.at(-1)?.status === 0);
  });
});
