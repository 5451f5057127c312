import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import http from "node:http";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { tarGzOf } from "../../../test/delivery/chart/archives";
import { helmExecutable, toolTime } from "../../../test/delivery/chart/helm";
import { behindIngress, visit } from "../../../test/delivery/site/visit";
import { campaign } from "../../../test/support/campaign";
import { noteLines } from "../../../test/support/campaignResults";
import { openPort } from "../../../test/support/loopback";
import { folderOfFile } from "../../../test/support/temporaryFolder";
import { clusterProblem } from "../cluster";
import { SiteCluster } from "../siteCluster";
import { Load } from "./load";

const minutes = 60_000;
const folder = folderOfFile();
const base = "/docs";
/** The requested path, the status, and the file in the answer's body. */
const answers = [
  ["/docs/", 200, "index.html"],
  ["/docs/guide/", 200, "guide.html"],
  ["/docs/part", 200, "part/index.html"],
  ["/docs/no-such-page", 404, "404.html"],
] as const;
const contentOf = (version: string, name: string) => `<a href="/docs/guide">${version} ${name}</a>`;
const pagesOf = (version: string, place: string) =>
  answers.map(([_, __, name]) => ({ name: join(place, name), content: contentOf(version, name) }));

describe.runIf(campaign && clusterProblem() === "")("on a real node, a site under /docs", () => {
  let site: SiteCluster;
  let load: Load;
  /** The values for the chart, by the site's version. */
  const sources = new Map<string, object>();
  const archives = new Map<string, Buffer>();
  const server = http.createServer((request, response) => response.end(archives.get(request.url ?? "")));

  beforeAll(async () => {
    await helmExecutable();
    archives.set("/one", await tarGzOf(pagesOf("one", "docs")));
    archives.set("/two", await tarGzOf(pagesOf("two", "")));
    const port = await openPort(server);
    site = await SiteCluster.start();
    const { origin } = await site.cluster.gateway(`http://127.0.0.1:${port}`);
    chmodSync(folder, 0o755);
    for (const { name, content } of pagesOf("three", folder)) {
      mkdirSync(dirname(name), { recursive: true });
      writeFileSync(name, content);
    }
    sources.set("one", { bundleUrl: `${origin}/one` });
    sources.set("two", { bundleUrl: `${origin}/two` });
    sources.set("three", { image: await site.cluster.images.make("docs", { layers: [{ folder }] }) });
  }, toolTime);

  afterAll(async () => {
    load?.stop();
    await site?.close();
    server.close();
  });

  async function rollOut(version: string): Promise<void> {
    const staticExport = { enabled: true, version, ...sources.get(version) };
    await site.rollOut({ staticExport, basePath: base, probePath: "/docs/guide" });
  }

  /** The first ingress keeps the base path in the request, and the second removes it. */
  async function seen(): Promise<unknown[]> {
    const origin = await site.origin();
    const visits = [false, true].flatMap((removes) =>
      answers.map(([address]) => visit(behindIngress(origin, base, removes), address)),
    );
    return (await Promise.all(visits)).map(({ status, body }) => [status, body]);
  }

  /** Polls, because a pod of the previous version still answers for some seconds after its shutdown has begun. */
  async function expectServed(version: string): Promise<void> {
    const expected = answers.map(([_, status, name]) => [status, contentOf(version, name)]);
    await expect.poll(seen).toEqual([...expected, ...expected]);
  }

  it("is served from an archive with its files in docs/", { timeout: 3 * minutes }, async () => {
    await rollOut("one");
    await expectServed("one");
    load = new Load(`${await site.origin()}/docs/guide`, 10);
  });

  it.each([
    ["two", "to an archive with its files at the root"],
    ["three", "to an image"],
    ["one", "back to the first archive"],
  ])("rolls to version %s, %s, and fails no request", { timeout: 3 * minutes }, async (version, step) => {
    await rollOut(version);
    await expectServed(version);
    const { requests, failures } = load.take();
    noteLines([`under /docs, rolled ${step}: ${requests} requests, ${failures.length} failed`]);
    expect(requests).toBeGreaterThan(0);
    expect(failures).toEqual([]);
  });
});
