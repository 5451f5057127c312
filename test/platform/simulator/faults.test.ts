import { setTimeout as sleep } from "node:timers/promises";
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

  test("lets requests pass before it; after counts from the injection, the first injected wins, and clearFaults ends all", async () => {
    const platform = await platformFor();
    platform.inject({ operation: "getExport", kind: "status", status: 500, after: 1, count: 2 });
    platform.inject({ operation: "getExport", kind: "status", status: 502, after: 2, count: Number.POSITIVE_INFINITY });
    const statuses: number[] = [];
    for (let look = 0; look < 5; look += 1) {
      statuses.push((await getJob(platform, "any")).status);
    }
    expect(statuses).toEqual([404, 500, 500, 502, 502]);
    platform.clearFaults();
    expect((await getJob(platform, "any")).status).toBe(404);
  });

  test.each<Omit<Fault, "operation">>([
    { kind: "status", status: 100 } as FaultKind,
    { kind: "delay", ms: Number.NaN } as FaultKind,
    { kind: "lateAnswer", ms: -1 } as FaultKind,
    { kind: "reset", count: 0 },
    { kind: "reset", after: -1 },
  ])("out of bounds is refused: %o", async (fault) => {
    const platform = await platformFor();
    expect(() => platform.inject({ operation: "download", ...fault } as Fault)).toThrow(RangeError);
  });
});

describe("kinds", () => {
  test.each<[fault: FaultKind, outcome: string | number, atOnce: number, inAll: number]>([
    [{ kind: "reset" }, "ECONNRESET", 0, 0],
    [{ kind: "lostAnswer" }, "ECONNRESET", 1, 1],
    [{ kind: "hang" }, "nothing", 0, 0],
    [{ kind: "delay", ms: 300 }, 201, 0, 1],
    [{ kind: "lateAnswer", ms: 300 }, 201, 1, 1],
    [{ kind: "brokenBody" }, "half of a body", 1, 1],
  ])("%o: the client gets %s; there are %i starts at once, and %i in all", async (fault, outcome, atOnce, inAll) => {
    const platform = await platformFor();
    platform.inject({ operation: "startExport", ...fault });
    const answered = startJob(platform).then(
      ({ status, text }) => (text.endsWith("}") ? status : "half of a body"),
      ({ code }) => code,
    );
    await until(() => platform.counts.startExport === 1 && platform.starts >= atOnce);
    await sleep(150);
    expect(platform.starts).toBe(atOnce);
    expect(await (outcome === "nothing" ? Promise.race([answered, sleep(50, "nothing")]) : answered)).toBe(outcome);
    expect([platform.counts.startExport, platform.starts]).toEqual([1, inAll]);
  });

  test("status and body: send headers and a body unchanged, otherwise an Error body", async () => {
    const platform = await platformFor();
    const page = "<html><h1>502 Bad Gateway</h1></html>";
    for (const fault of [
      { kind: "status", status: 502, body: page },
      { kind: "status", status: 429, headers: { "Retry-After": "7" } },
      { kind: "status", status: 204 },
      { kind: "body", body: { status: "completed" } },
      { kind: "body", status: 202, body: [] },
    ] as FaultKind[]) {
      platform.inject({ operation: "startExport", ...fault });
    }
    const html = { "content-type": expect.stringContaining("html") };
    expect(await startJob(platform)).toMatchObject({ status: 502, text: page, headers: html });
    const limited = { status: 429, json: { error: "Too Many Requests" }, headers: { "retry-after": "7" } };
    expect(await startJob(platform)).toMatchObject(limited);
    expect(await startJob(platform)).toMatchObject({ status: 204, text: "" });
    expect(await startJob(platform)).toMatchObject({ status: 200, json: { status: "completed" } });
    expect(await startJob(platform)).toMatchObject({ status: 202, text: "[]" });
    expect(platform.starts).toBe(0);
  });

  test("truncate: the length is announced in full, half of it comes, then the connection is reset", async () => {
    const platform = await platformFor();
    const link = await linkOf(platform);
    const whole = (await fetchUrl(link)).bytes;
    platform.inject({ operation: "download", kind: "truncate" });
    const answer = await fetch(link);
    expect(answer.headers.get("content-length")).toBe(String(whole.length));
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
