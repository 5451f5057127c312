import { describe, expect, it } from "vitest";
import type { ExportBundleState } from "../../../../provider/definitions/exportBundle";
import * as errors from "../../../../provider/support/errors";
import { clientFor, rejection, testKey } from "../../../support/clientUnderTest";
import { begin, origin, world } from "../../../support/fakePlatform";
import { answer, closed, serve, silence } from "../../../support/loopback";
import { throwingLifecycles } from "../../../support/throwingLifecycles";

const { exportBundle } = throwingLifecycles;

const inputs = { jobId: "job-1", version: "job-1", verifyLink: true };
const check = "check /job-1.tar.gz";
const mint = "bundle job-1";
/** The largest number of checks of a new link: the provider checks every 1.5 seconds for half a minute. */
const mostChecks = 20;
const checks = (count: number) => Array.from({ length: count }, () => check);

const state: ExportBundleState = {
  ...inputs,
  bundleUrl: "https://files.example.com/job-1.tar.gz?sig=0",
  expiresAt: new Date(begin + 3_600_000).toISOString(),
  issuedAt: new Date(begin).toISOString(),
  __origin: origin,
};

describe("verifyLink at a mint", () => {
  it.each([403, 404])("asks again where the storage may not know the new link yet: %i", async (status) => {
    const { platform, context, warnings } = world();
    platform.probes = [...Array(mostChecks - 1).fill(status), 206];
    await exportBundle.create(inputs, context);
    expect(platform.calls).toEqual([mint, ...checks(mostChecks)]);
    expect(warnings).toEqual([]);
  });

  it("mints once more where the storage continues refusing the link, and hands out the second one", async () => {
    const { platform, context, warnings } = world();
    platform.probes = [...Array(mostChecks).fill(403), 206];
    const created = await exportBundle.create(inputs, context);
    expect(platform.calls).toEqual([mint, ...checks(mostChecks), mint, check]);
    expect(created.state.bundleUrl).not.toMatch(/sig=1$/);
    expect(warnings).toEqual([]);
  });

  it("is an error where the storage refuses two in a row; a third is not asked for", async () => {
    const { platform, context } = world();
    platform.probes = [403];
    const error = await rejection(exportBundle.create(inputs, context));
    expect(error).toBeInstanceOf(errors.StorageRefusedLinkError);
    expect(error.message).toMatch(/^DOCS_LINK_REFUSED: .*job-1/);
    expect(error.message).not.toContain("sig=");
    expect(platform.calls).toEqual([mint, ...checks(mostChecks), mint, ...checks(mostChecks)]);
  });

  it.each([
    [404, "HTTP 404", mostChecks],
    [500, "HTTP 500", 1],
    [undefined, "no answer", 1],
  ])("warns where the answer is %s, and keeps the link", async (status, told, count) => {
    const { platform, context, warnings } = world();
    platform.probes = [status];
    await exportBundle.create(inputs, context);
    expect(warnings).toEqual([expect.stringContaining(told)]);
    expect(platform.calls).toEqual([mint, ...checks(count)]);
  });
});

describe("verifyLink in a refresh", () => {
  it("asks the storage about a link that is good, and changes nothing", async () => {
    const { platform, context } = world();
    expect(await exportBundle.read("job-1", state, context)).toBe(state);
    expect(platform.calls).toEqual([check]);
  });

  it("keeps the link where the fresh ones are refused too, and says so", async () => {
    const { platform, context } = world();
    platform.probes = [403];
    const error = await rejection(exportBundle.read("job-1", state, context));
    expect(error.message).toContain("DOCS_LINK_REFUSED");
    expect(error.message).toContain(`its link of ${state.issuedAt}`);
    expect(platform.calls).toEqual([check, mint, ...checks(mostChecks), mint, ...checks(mostChecks)]);
  });
});

describe("the check of a link", () => {
  const probeOf = (link: string, requestTimeout = 500) =>
    clientFor("http://127.0.0.1:1", { requestTimeout }).checkLink(link, { signal: new AbortController().signal });

  it("asks for one byte by GET, without the key or anything else of ours", async () => {
    const storage = await serve(answer(206, "x", { "content-range": "bytes 0-0/9" }));
    expect(await probeOf(`${storage.url}/a%20b.tar.gz?sig=a%2Fb&x=1`)).toBe(206);
    const [request] = storage.requests;
    expect(request).toMatchObject({ method: "GET", url: "/a%20b.tar.gz?sig=a%2Fb&x=1", body: "" });
    expect(request?.headers.range).toBe("bytes=0-0");
    expect(JSON.stringify(request)).not.toContain(testKey);
    expect(request?.headers).not.toHaveProperty("authorization");
  });

  it("does not read what a storage without ranges sends", async () => {
    const storage = await serve((response) => {
      response.writeHead(200, { "content-length": String(1e12) });
      response.write("x");
    });
    expect(await probeOf(`${storage.url}/b`)).toBe(200);
  });

  it("follows no redirect, is asked once, and says nothing where there is no answer in time", async () => {
    const elsewhere = await serve(answer(206, ""));
    const storage = await serve(answer(302, "", { location: `${elsewhere.url}/x` }));
    expect(await probeOf(`${storage.url}/b`)).toBe(302);
    expect(elsewhere.requests).toEqual([]);
    for (const reply of [closed, silence]) {
      const silent = await serve(reply);
      expect(await probeOf(`${silent.url}/b`)).toBeUndefined();
      expect(silent.requests).toHaveLength(1);
    }
  });
});

describe("a clock of this machine that differs from the platform's", () => {
  const minted = (clockOffset: number) => ({
    platformTime: begin + clockOffset,
    clockOffset,
    expiresAt: begin + clockOffset + 3_600_000,
  });

  it.each([600_000, -600_000, 120_000, -120_000, 0])(
    "by %i ms gives one warning with both times, if it is more than two minutes",
    async (offset) => {
      const { platform, context, warnings } = world();
      platform.links = [minted(offset)];
      await exportBundle.create({ ...inputs, verifyLink: false }, context);
      const [here, there] = [begin, begin + offset].map((time) => new Date(time).toISOString());
      const warning = expect.stringMatching(new RegExp(`(${here}.*${there}|${there}.*${here})`, "s"));
      expect(warnings).toEqual(Math.abs(offset) > 120_000 ? [warning] : []);
    },
  );
});
