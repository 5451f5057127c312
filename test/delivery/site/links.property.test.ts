import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { campaign } from "../../support/campaign";
import { noteLines } from "../../support/campaignResults";
import { serve } from "../../support/loopback";
import { filesIn } from "../../support/mirror/storage";
import { campaignSeed, seededRandom } from "../../support/random";
import { hasTool, requireTool } from "../../support/requireTool";
import { temporaryFolder } from "../../support/temporaryFolder";
import { tarGzOf } from "../chart/archives";
import { helmExecutable, toolTime } from "../chart/helm";
import { Pod, toolsets } from "../chart/pod";
import { image } from "../chart/values";
import { crawl } from "./crawl";
import { type DrawnSite, drawSite } from "./drawnSite";
import { filesOfImage, publishSite } from "./publish";
import { behindIngress } from "./visit";
import { startNginx, type WebServer } from "./webServers";

const draws = campaign ? 200 : 6;
const tools = toolsets.find(({ there, busybox }) => there && !busybox);

/** A pod of the chart with its server, for each set of values. */
const pods = new Map<string, Promise<{ pod: Pod; server: WebServer }>>();

function podWith(staticExport: { image?: string }, others: object): Promise<{ pod: Pod; server: WebServer }> {
  const key = JSON.stringify([staticExport, others]);
  const found = pods.get(key) ?? startPod(staticExport, others);
  pods.set(key, found);
  return found;
}

async function startPod(staticExport: object, others: object): Promise<{ pod: Pod; server: WebServer }> {
  const pod = await Pod.create({ busybox: false }, "", staticExport, others);
  return { pod, server: await startNginx(pod) };
}

/** Brings the site of an archive into a pod, and returns the address of its server. */
type Deliver = (archive: Buffer, site: DrawnSite, basePath: string) => Promise<string>;

const deliveries: Record<string, Deliver> = {
  "the chart with a link": async (archive, { outerFolder }, basePath) => {
    const { pod, server } = await podWith({}, { basePath, outerFolder });
    const { url } = await serve((response) => response.end(archive));
    pod.link = `${url}/bundle`;
    rmSync(pod.path("site/bundle"), { recursive: true, force: true });
    const { code, message } = await pod.start();
    expect(code, message).toBe(0);
    return server.origin;
  },
  "the chart with an image": async (archive, site, basePath) => {
    const { pod, server } = await podWith({ image: image.image }, { basePath });
    pod.mount(await filesOfImage(archive, site));
    return server.origin;
  },
  "the chart's server over a mirror's folder": async (archive, site, basePath) => {
    const { pod, server } = await podWith({ image: image.image }, { basePath });
    const folder = temporaryFolder();
    await publishSite(archive, site, pathToFileURL(folder).href);
    pod.mount(filesIn(folder).map((path) => [path, readFileSync(join(folder, path), "utf8")]));
    return server.origin;
  },
};

const canRun = requireTool("go") && hasTool("nginx") && tools !== undefined;

describe.skipIf(!canRun)("each link of each page of a drawn site, by nginx and Helm (built with go)", () => {
  beforeAll(async () => void (await helmExecutable()), toolTime);
  afterAll(async () => {
    await Promise.all([...pods.values()].map(async (pod) => (await pod).server.close()));
    Pod.removeAll();
  });

  it.each(Object.entries(deliveries))(
    "is answered by the page that it means, with its type: %s, whether an ingress removes the base path or hands it on",
    { timeout: 20 * 60_000 },
    async (name, deliver) => {
      let links = 0;
      for (let draw = 0; draw < draws; draw++) {
        const random = seededRandom(campaignSeed() + draw);
        const site = drawSite(random);
        const archive = await tarGzOf([...site.archive].map(([path, content]) => ({ name: path, content })));
        for (const removes of site.basePath === "" ? [false] : [false, true]) {
          // As the page says: an ingress that removes the path, and a folder of the same name in the site.
          const basePath = removes && site.repeatsBase ? "" : site.basePath;
          const server = await deliver(archive, site, basePath);
          const result = await crawl(site, behindIngress(server, site.basePath, removes), () => true);
          links += result.links;
          const words = `draw ${draw}, base path ${site.basePath}${removes ? ", removed" : ""}, ${[...site.archive.keys()].join(" ")}`;
          expect(result.faults, words).toEqual([]);
        }
      }
      expect(links).toBeGreaterThan(draws);
      if (campaign) {
        noteLines([`${name}: ${links} links of ${draws} sites`]);
      }
    },
  );
});
