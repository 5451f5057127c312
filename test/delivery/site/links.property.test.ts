import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { campaign } from "../../support/campaign";
import { noteLines } from "../../support/campaignResults";
import { campaignSeed, seededRandom } from "../../support/random";
import { tarGzOf } from "../chart/archives";
import { helmExecutable, toolTime } from "../chart/helm";
import { crawl } from "./crawl";
import { canDeliver, closeDeliveries, deliveries } from "./deliveries";
import { drawSite } from "./drawnSite";
import { behindIngress } from "./visit";

const draws = campaign ? 200 : 6;

describe.skipIf(!canDeliver)("each link of each page of a drawn site, by nginx and Helm (built with go)", () => {
  beforeAll(async () => void (await helmExecutable()), toolTime);
  afterAll(closeDeliveries);

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
          // A rule of the publishing page: if the ingress removes the base path, and the site has a folder with the
          // same name, publish without a base path.
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
