import { describe, expect, it } from "vitest";
import { terraformWords } from "../../../../provider/hosts/terraform/words";
import { mintLink } from "../../../../provider/resources/mintLink";
import { parseRouteTemplates } from "../../../../provider/settings/routeTemplates";
import type { Settings } from "../../../../provider/settings/settings";
import { setWords, words } from "../../../../provider/support/words";
import { clientFor, rejection } from "../../../support/clientUnderTest";
import { world } from "../../../support/fakePlatform";
import { answer, type Reply, serve } from "../../../support/loopback";

const bundleUrl = "https://files.example.com/bundle.tar.gz?X-Amz-Signature=s3cr3t";
const record = { jobId: "job-1", status: "completed", bundleUrl, expiresAt: "2126-01-31T10:00:00Z" };

async function minted(replies: Record<string, Reply>, settings: Partial<Settings> = {}) {
  const other = answer(404, { error: "Not found" });
  const server = await serve((response, exchange) => {
    const { method, url } = exchange.request;
    (replies[`${method} ${url}`] ?? other)(response, exchange);
  });
  const here = world(settings);
  const client = clientFor(server.url, { clock: here.clock, maxRetries: 4, ...settings });
  const minting = mintLink("job-1", { ...here.context, connect: async () => client });
  const asked = () => server.requests.map(({ method, url }) => `${method} ${url}`);
  return { ...here, minting, asked };
}

const [look, mint] = ["GET /v1/static-export/jobs/job-1", "POST /v1/static-export/jobs/job-1/bundle"];

describe("a platform without an operation for bundles, where the job's record has the link", () => {
  const missing: [string, Reply][] = [
    ["404", answer(404, { error: "Not found" })],
    ["404 and a page", answer(404, "<h1>Not Found</h1>")],
    ["405", answer(405, { error: "Method not allowed" })],
    ["501", answer(501, "")],
  ];

  it.each(missing)("is found out at once: the error has the line of routes to paste (%s)", async (_, reply) => {
    const { minting, asked, clock } = await minted({ [mint]: reply, [look]: answer(200, record) });
    const error = await rejection(minting);
    expect(error).toMatchObject({ code: "DOCS_REFUSED" });
    expect(error.message).toContain(
      "this platform has no operation for bundles, but the record of export job job-1 has a link: ",
    );
    expect(error.message.split("\n").at(-1)).toBe(
      `    pulumi config set docs-platform:routes '{"generateBundle":"GET /v1/static-export/jobs/{jobId}"}'`,
    );
    expect(error.message).not.toContain("s3cr3t");
    expect(asked()).toEqual([mint, look]);
    expect(clock.sleeps).toEqual([]);
  });

  it("keeps the other templates in that line, which mints by one request", async () => {
    const routes = { getExport: "GET /p/{projectId}/jobs/{jobId}", startExport: "/p/it's/jobs" };
    const settings = { routes, projectId: "docs" };
    const replies = { "GET /p/docs/jobs/job-1": answer(200, record) };
    const line = (await rejection((await minted(replies, settings)).minting)).message.split("\n").at(-1) ?? "";
    const given = /^ {4}pulumi config set docs-platform:routes '(.*)'$/.exec(line)?.[1]?.replaceAll("'\\''", "'") ?? "";
    const templates = parseRouteTemplates(given);
    expect(templates).toEqual({ ...routes, generateBundle: routes.getExport });
    const { minting, asked } = await minted(replies, { ...settings, routes: templates as Settings["routes"] });
    await expect(minting).resolves.toMatchObject({ bundleUrl });
    expect(asked()).toEqual(["GET /p/docs/jobs/job-1"]);
  });

  it("is reported in the words of Terraform", async () => {
    const before = words;
    setWords(terraformWords);
    try {
      const routes = { startExport: ["/p/$", "{projectId}/jobs"].join("") };
      const { minting } = await minted({ [look]: answer(200, record) }, { routes, projectId: "docs" });
      expect((await rejection(minting)).message.split("\n").at(-1)).toBe(
        '    routes = { start_export = "/p/$${projectId}/jobs", generate_bundle = "GET /v1/static-export/jobs/{jobId}" }',
      );
    } finally {
      setWords(before);
    }
  });

  it.each<[string, Reply]>([
    ["has no link", answer(200, { jobId: "job-1", status: "completed", bundleUrl: null })],
    ["is unknown, too", answer(404, { error: "Job not found" })],
    ["cannot be had", answer(503, "")],
  ])("is not any platform whose job's record %s: the error is that of the mint", async (_, reply) => {
    const { minting, asked } = await minted({ [mint]: answer(404, { error: "Job not found" }), [look]: reply });
    expect(await rejection(minting)).toMatchObject({ code: "DOCS_NOT_FOUND" });
    expect(asked()).toEqual([mint, look]);
  });
});

describe("a bundle that is packed when its link is asked for", () => {
  it("is waited for five minutes, at the pace that the platform names, although no completion was seen", async () => {
    const packing = answer(202, { status: "packing" }, { "retry-after": "60" });
    const replies = [packing, packing, answer(200, record)];
    const { minting, clock, statuses } = await minted({
      [mint]: (...exchange) => (replies.shift() ?? packing)(...exchange),
    });
    await expect(minting).resolves.toMatchObject({ bundleUrl });
    expect(clock.sleeps).toEqual([60_000, 60_000]);
    expect(statuses[0]).toContain("the bundle is not ready yet");
  });

  it.each([{}, "", { status: "packing" }])("is an error after that: %j", async (body) => {
    const { minting, clock } = await minted({ [mint]: answer(202, body) });
    const begin = clock.now();
    expect(await rejection(minting)).toMatchObject({ status: 202 });
    expect(clock.now() - begin).toBeGreaterThan(295_000);
    expect(clock.now() - begin).toBeLessThanOrEqual(300_000);
  });

  it("is not one whose job runs: that is an error at once", async () => {
    const settings = { routes: { generateBundle: look.replace("job-1", "{jobId}") } };
    const { minting, asked } = await minted({ [look]: answer(200, { jobId: "job-1", status: "running" }) }, settings);
    expect(await rejection(minting)).toMatchObject({ code: "DOCS_CONFLICT" });
    expect(asked()).toEqual([look]);
  });
});
