import https from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, type TestContext } from "vitest";
import type { Settings } from "../../provider/settings/settings";
import { type FaultKind, type Platform, startPlatform } from "../../simulator/index";
import { campaign } from "../support/campaign";
import { noteResult } from "../support/campaignResults";
import { untrusted } from "../support/certificate";
import { listen } from "../support/loopback";
import { User } from "./user";

const always = { count: Number.POSITIVE_INFINITY };
const htmlPage = { body: "<html><body>502 Bad Gateway, svc_not-to-be-shown</body></html>" };

interface Expected {
  /** The first run's error code if the fault hits one request. It is undefined if a retry succeeds. */
  once: string | undefined;
  /** The first run's error code if the fault hits every request. */
  always: string;
}

const ambiguous = "DOCS_AMBIGUOUS_START";
const strange = "DOCS_RESPONSE_SHAPE";
const faults: [name: string, fault: FaultKind, start: Expected, others: Expected][] = [
  row("429 with Retry-After in seconds", status(429, { "Retry-After": "1" }), mended("DOCS_RATE_LIMIT")),
  row("429 with Retry-After as a date", status(429, { "Retry-After": "in 2 s" }), mended("DOCS_RATE_LIMIT")),
  row("429 without Retry-After", status(429), mended("DOCS_RATE_LIMIT")),
  row("503 with Retry-After", status(503, { "Retry-After": "1" }), mended("DOCS_SERVER")),
  row("500", status(500), final(ambiguous), mended("DOCS_SERVER")),
  row("502 with a page of HTML", { ...status(502), ...htmlPage }, final(ambiguous), mended("DOCS_SERVER")),
  row("200 with a page of HTML", { ...status(200), ...htmlPage }, final("DOCS_REFUSED"), mended(strange)),
  row("JSON that is cut off", { kind: "brokenBody" }, final(strange), mended(strange)),
  row("an answer of the wrong shape", { kind: "body", body: { jobId: null } }, final(strange), mended(strange)),
  row("an answer that ends too early", { kind: "truncate" }, final(ambiguous), mended("DOCS_CONNECTION")),
  row("no answer", { kind: "hang" }, final(ambiguous), mended("DOCS_TIMEOUT")),
  row("a reset", { kind: "reset" }, final(ambiguous), mended("DOCS_CONNECTION")),
  row("a reset in place of the answer", { kind: "lostAnswer" }, final(ambiguous), mended("DOCS_CONNECTION")),
  row("403", status(403), final("DOCS_PERMISSION")),
];

function row(name: string, fault: FaultKind, start: Expected, others = start): (typeof faults)[number] {
  return [name, fault, start, others];
}
function mended(code: string): Expected {
  return { once: undefined, always: code };
}
function final(code: string): Expected {
  return { once: code, always: code };
}
function status(code: number, headers: Record<string, string> = {}): FaultKind {
  return { kind: "status", status: code, headers };
}

/**
 * Sets `Retry-After` to a date two seconds ahead. An HTTP date is rounded down to whole seconds. So a date one second
 * ahead could become almost the present time.
 */
function dated(fault: FaultKind): FaultKind {
  if (fault.kind !== "status" || fault.headers?.["Retry-After"] !== "in 2 s") {
    return fault;
  }
  return { ...fault, headers: { "Retry-After": new Date(Date.now() + 2_000).toUTCString() } };
}

/** The time limit of requests, in milliseconds. It is short only for the fault "hang", which must reach it. */
function limitFor({ kind }: FaultKind): { requestTimeout: number } {
  return { requestTimeout: kind === "hang" ? 1_500 : 10_000 };
}

/** Takes `onTestFinished` from the test's context, because the global function does not work in concurrent tests. */
async function platformAndUser(
  { onTestFinished }: TestContext,
  settings: Partial<Settings> = {},
): Promise<{ platform: Platform; user: User }> {
  const platform = await startPlatform({ queueTime: 0, jobTime: 0, content: __dirname });
  const user = new User({ platform, baseUrl: platform.baseUrl, rest: () => sleep(20), settings, random: () => 0.1 });
  onTestFinished(async () => {
    await user.close();
    await platform.close();
  });
  return { platform, user };
}

/** Asserts that there is one completed job with a link. */
function expectGood({ user, platform }: { user: User; platform: Platform }): void {
  const [first, ...others] = platform.jobs.list();
  expect(others).toEqual([]);
  expect(platform.starts).toBe(1);
  expect(user.state).toMatchObject({ jobId: first?.jobId, status: "completed" });
  expect(user.link).toContain(first?.jobId);
}

const operations = [
  ["the start", "startExport"],
  ["a look at the job", "getExport"],
  ["the link", "createBundle"],
] as const;

const table = faults.flatMap(([name, fault, start, others]) =>
  operations.map(([title, operation]) => {
    return { name, fault, title, operation, expected: operation === "startExport" ? start : others };
  }),
);

/** In the campaign, returns all rows. Otherwise, returns only every fourth row: `turn` is the first one's index. */
const rowsOf = (turn: number) => table.filter((_, index) => campaign || index % 4 === turn);

describe.concurrent("a fault of the platform that the client meets", () => {
  it.for(rowsOf(0))(
    "once, $name at $title: succeeds after a retry, or is reported; then all is well",
    async (row, test) => {
      const { platform, user } = await platformAndUser(test, limitFor(row.fault));
      const begun = performance.now();
      platform.inject({ operation: row.operation, ...dated(row.fault) });
      const first = await user.run();
      test.expect(first.error).toBe(row.expected.once);
      await user.runUntilGood(0, 1_000);
      note(row.name, { platform, user }, begun);
      expectGood({ platform, user });
    },
  );

  it.for(rowsOf(2))("always, $name at $title: ends the run with its code; the next run is good", async (row, test) => {
    const { platform, user } = await platformAndUser(test, { maxRetries: 1, ...limitFor(row.fault) });
    const begun = performance.now();
    platform.inject({ operation: row.operation, ...always, ...dated(row.fault) });
    const first = await user.run();
    test.expect(first.error).toBe(row.expected.always);
    test.expect(first.message).not.toContain("not-to-be-shown");
    platform.clearFaults();
    await user.runUntilGood(0, 1_000);
    note(row.name, { platform, user }, begun);
    test.expect(user.runs.length).toBe(2);
    expectGood({ platform, user });
  });
});

function note(fault: string, { platform, user }: { platform: Platform; user: User }, begun: number): void {
  const lost = platform.starts - (user.state?.status === "completed" ? 1 : 0);
  const time = Math.round(performance.now() - begun);
  const asked = user.runs.filter(({ error }) => error === "DOCS_AMBIGUOUS_START").length;
  noteResult({ fault: `platform: ${fault}`, started: platform.starts, lost, asked, time });
}

describe("a key that is rotated in the middle of a wait", () => {
  it("ends it with DOCS_AUTHENTICATION, which keeps the job; with the new key the next run continues with it", async (test) => {
    const { platform, user } = await platformAndUser(test);
    platform.jobTime = 60_000;
    platform.on("request", ({ operation }) => {
      if (operation === "getExport" && platform.counts.getExport === 2) {
        platform.apiKey = "svc_rotated-key";
      }
    });
    const first = await user.run();
    const [job] = platform.jobs.list();
    expect(first).toMatchObject({ error: "DOCS_AUTHENTICATION", saved: true, accepted: 1 });
    expect(first.message).toContain(`export job ${job?.jobId}`);
    expect(first.message).not.toContain("rotated-key");
    expect(platform.counts.getExport).toBe(3);
    user.apiKey = "svc_rotated-key";
    platform.jobs.complete(String(job?.jobId));
    expect((await user.run()).error).toBeUndefined();
    expectGood({ platform, user });
  });
});

describe("a server with a certificate that nobody knows", () => {
  it("is reported as DOCS_CONNECTION, and gets neither the key nor a request", async (test) => {
    const { platform } = await platformAndUser(test);
    let requests = 0;
    const server = https.createServer(untrusted, (_, response) => {
      requests++;
      response.end();
    });
    const { url } = await listen(server, "https");
    const user = new User({ platform, baseUrl: url, rest: () => sleep(20), settings: { maxRetries: 1 } });
    test.onTestFinished(() => user.close());
    const { error, message, saved, doubtful } = await user.run();
    expect({ error, saved, doubtful, requests }).toEqual({
      error: "DOCS_CONNECTION",
      saved: false,
      doubtful: false,
      requests: 0,
    });
    expect(message).toContain("the certificate is self-signed (DEPTH_ZERO_SELF_SIGNED_CERT)");
    expect(message).toMatch(/What to do: .*caFile.*DOCS_PLATFORM_CA_FILE/);
    expect(message).toContain("no export job of docs.example.com was started");
  });
});
