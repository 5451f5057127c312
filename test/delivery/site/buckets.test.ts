import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { projectRoot } from "../../../tools/projectRoot";
import { campaign } from "../../support/campaign";
import { noteLines } from "../../support/campaignResults";
import { objectStorages } from "../../support/mirror/objectPlaces";
import { campaignSeed, seededRandom } from "../../support/random";
import { requireTool } from "../../support/requireTool";
import { tarGzOf } from "../chart/archives";
import { type BucketKind, bucketKinds, objectsOf } from "./buckets";
import { crawl } from "./crawl";
import { drawSite } from "./drawnSite";
import { publishSite } from "./publish";
import { type Origin, visit } from "./visit";

const draws = campaign ? 100 : 9;

/** The rows of the table in docs/guides/publish.md, each with an address and the file in the answer. */
const rows: [row: string, address: string, page: string][] = [
  ["`/guide`, a page `guide.html`", "/guide", "guide.html"],
  ["`/guide/`, a page `guide.html`", "/guide/", "guide.html"],
  ["`/part`, a page `part/index.html`", "/part", "part/index.html"],
  ["`/part/`, a page `part/index.html`", "/part/", "part/index.html"],
];

/** The guide states these results in the sentence above the table, because they are the same for every bucket. */
const everywhere = [
  ["/", "index.html", "the page"],
  ["/guide.html", "guide.html", "the page"],
  ["/no-such-page", "", "404"],
] as const;

async function cellOf(origin: Origin, address: string, page: string): Promise<string> {
  const answer = await visit(origin, address);
  if (answer.status === 404) {
    expect(answer.body).toBe("404.html");
    return "404";
  }
  expect(answer.body).toBe(page);
  if (answer.address !== address) {
    return `redirect to \`${answer.address}\``;
  }
  return page.endsWith("/index.html") && !address.endsWith("/") ? "the page; its relative links break" : "the page";
}

describe.skipIf(!requireTool("go"))("with real object storages (built with go), a site in a bucket", () => {
  const places = { s3: objectStorages.s3.placeOfTest(), azblob: objectStorages.azblob.placeOfTest() };

  it("is answered as the page's table says", async () => {
    const names = ["index.html", "404.html", "guide.html", "guide/more.html", "part/index.html"];
    const archive = await tarGzOf(names.map((name) => ({ name, content: name })));
    const table = rows.map(([row]) => [row]);
    for (const { origin, storage } of bucketKinds) {
      await publishSite(archive, { outerFolder: "" }, places[storage].destination("site"));
      const visitors = origin(objectsOf(places[storage], "site/"), "404.html");
      for (const [address, page, cell] of everywhere) {
        expect(await cellOf(visitors, address, page)).toBe(cell);
      }
      for (const [index, [, address, page]] of rows.entries()) {
        table[index]?.push(await cellOf(visitors, address, page));
      }
    }
    const page = readFileSync(join(projectRoot, "docs", "guides", "publish.md"), "utf8");
    const lines = [["address", ...bucketKinds.map(({ name }) => name)], ...table].map(
      (cells) => `| ${cells.join(" | ")} |`,
    );
    expect(page.split("\n").filter((line) => lines.includes(line))).toEqual(lines);
  });

  async function crawlDrawn({ origin, storage, promises }: BucketKind): Promise<number> {
    const place = places[storage];
    let links = 0;
    for (let draw = 0; draw < draws; draw++) {
      const site = drawSite(seededRandom(campaignSeed() + draw));
      const archive = await tarGzOf([...site.archive].map(([name, content]) => ({ name, content })));
      await publishSite(archive, site, place.destination(`draw-${draw}${site.basePath}`));
      const errorPage = `${site.basePath}/404.html`.slice(1);
      const result = await crawl(site, origin(objectsOf(place, `draw-${draw}/`), errorPage), promises);
      expect(result.faults, `draw ${draw}, ${[...site.archive.keys()].join(" ")}`).toEqual([]);
      links += result.links;
    }
    return links;
  }

  it.each(bucketKinds)(
    "answers each link of a drawn site that it promises to answer, by its page, with its type: $name",
    { timeout: 20 * 60_000 },
    async (kind) => {
      const links = await crawlDrawn(kind);
      expect(links).toBeGreaterThan(draws);
      if (campaign) {
        noteLines([`${kind.name}: ${links} links of ${draws} sites`]);
      }
    },
  );
});
