import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { campaign } from "../../support/campaign";
import { browserFile, launchChromium } from "../../support/chromium";
import { serve } from "../../support/loopback";
import { objectStorages } from "../../support/mirror/objectPlaces";
import { tarGzOf } from "../chart/archives";
import { helmExecutable, toolTime } from "../chart/helm";
import { bucketKinds, objectsOf } from "../site/buckets";
import { canDeliver, closeDeliveries, deliveries } from "../site/deliveries";
import { publishSite } from "../site/publish";
import { behindIngress, type Origin } from "../site/visit";

const base = "/docs";
const word = "A script of the page has written this.";
const files = {
  "index.html": "<!doctype html><title>Start</title>",
  "404.html": "<!doctype html><title>Not here</title>",
  "part/guide.html": `<!doctype html><title>Guide</title><link rel="stylesheet" href="${base}/style.css">
    <h1>Guide</h1><img src="../picture.svg" alt=""><p></p><script type="module" src="write.mjs"></script>`,
  "part/write.mjs": `document.querySelector("p").textContent = "${word}";`,
  "picture.svg":
    '<svg xmlns="http://www.w3.org/2000/svg" width="200" height="90"><circle cx="99" cy="45" r="40"/></svg>',
  "style.css": "h1 { color: rebeccapurple } p { border: 3px solid }",
};

describe.runIf(campaign && canDeliver && browserFile !== undefined)(
  "a page in Chromium, by nginx and Helm (built with go)",
  () => {
    const places = { s3: objectStorages.s3.placeOfTest(), azblob: objectStorages.azblob.placeOfTest() };
    let archive: Buffer;
    let browser: Browser;
    let first: Buffer | undefined;

    beforeAll(async () => {
      await helmExecutable();
      archive = await tarGzOf(Object.entries(files).map(([name, content]) => ({ name, content })));
      browser = await launchChromium();
    }, toolTime);

    afterAll(async () => {
      await browser?.close();
      await closeDeliveries();
    });

    const byChart = Object.entries(deliveries).flatMap(([name, deliver]) =>
      [false, true].map((removes): [string, () => Promise<Origin>] => [
        `${name}, ${removes ? "an ingress removes the base path" : "an ingress hands the base path on"}`,
        async () => behindIngress(await deliver(archive, { outerFolder: "" }, base), base, removes),
      ]),
    );
    const byBucket = bucketKinds.map(({ name, storage, origin }, index): [string, () => Promise<Origin>] => [
      name,
      async () => {
        await publishSite(archive, { outerFolder: "" }, places[storage].destination(`kind-${index}${base}`));
        return origin(objectsOf(places[storage], `kind-${index}/`), `${base}/404.html`.slice(1));
      },
    ]);

    it.each([...byChart, ...byBucket])("looks the same by %s", async (_, deliver) => {
      const origin = await deliver();
      const { url } = await serve(async (response, { request }) => {
        const answer = await origin(request.url);
        // `fetch` has already decompressed the body.
        const { "content-encoding": _, ...headers } = Object.fromEntries(answer.headers);
        response.writeHead(answer.status, headers);
        response.end(Buffer.from(await answer.arrayBuffer()));
      });
      const page = await browser.newPage();
      await page.goto(`${url}${base}/part/guide.html`, { waitUntil: "networkidle" });
      expect(await page.locator("p").textContent()).toBe(word);
      const picture = await page.screenshot();
      await page.close();
      first ??= picture;
      expect(picture.equals(first)).toBe(true);
    });
  },
);
