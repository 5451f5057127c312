import { createReadStream, existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { extname, join, normalize } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writeSite } from "../../tools/docs/site.mjs";
import { filesIn } from "../../tools/filesIn";
import { browserFile, launchChromium } from "../support/chromium";
import { openPort } from "../support/loopback";

const types: Record<string, string> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
};
const folder = mkdtempSync(join(tmpdir(), "docs-site-"));

let server: Server;
let origin: string;

beforeAll(async () => {
  await writeSite(folder);
  server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url ?? "/", "http://x").pathname));
    const file = join(folder, path.endsWith("/") ? `${path}index.html` : path);
    if (!existsSync(file) || !statSync(file).isFile()) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { "content-type": types[extname(file)] ?? "application/octet-stream" });
    createReadStream(file).pipe(response);
  });
  origin = `http://127.0.0.1:${await openPort(server)}`;
});

afterAll(() => {
  server?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Returns the paths of the site's own pages that a page links to. */
async function linksOf(path: string): Promise<string[]> {
  const html = await (await fetch(origin + path)).text();
  return [...html.matchAll(/<a [^>]*href="([^"#]+)/g)]
    .map(([, href = ""]) => new URL(href, origin + path))
    .filter((url) => url.origin === origin)
    .map(({ pathname }) => pathname);
}

describe("the docs site", () => {
  it("has no link that leads nowhere, and reaches every page from the first", async () => {
    const seen = new Set(["/index.html"]);
    const missing: string[] = [];
    for (const path of seen) {
      const { status } = await fetch(origin + path);
      if (status !== 200) {
        missing.push(path);
      } else if (path.endsWith(".html")) {
        for (const link of await linksOf(path)) {
          seen.add(link);
        }
      }
    }
    expect(missing).toEqual([]);
    expect(seen).toContain("/docs/guides/air-gap.html");
    expect(seen).toContain("/docs/reference/StaticExport.html");
  });

  it.each(["/index.html", "/docs/reference/StaticExport.html"])("has its icon on %s", async (path) => {
    const [, href = ""] = /<link rel="icon" [^>]*href="([^"]+)"/.exec(await (await fetch(origin + path)).text()) ?? [];
    const icon = await fetch(new URL(href, origin + path));
    expect([icon.status, icon.headers.get("content-type")]).toEqual([200, "image/svg+xml"]);
  });

  it("has a page for each file that a page links to, and copies nothing but drawings", () => {
    expect(readdirSync(join(folder, "media")).filter((name) => !name.endsWith(".svg"))).toEqual([]);
    expect(existsSync(join(folder, "examples", "pipeline", "publish.yml.html"))).toBe(true);
  });
});

describe.skipIf(browserFile === undefined)("the docs site in a real Chromium", () => {
  let browser: Browser;
  let page: Page;
  const faults: string[] = [];

  beforeAll(async () => {
    browser = await launchChromium();
    page = await browser.newPage();
    page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
    page.on("pageerror", (error) => faults.push(error.message));
    page.on("request", (request) => request.url().startsWith(origin) || faults.push(`left the site: ${request.url()}`));
    page.on("response", (answer) => answer.status() < 400 || faults.push(`${answer.url()}: ${answer.status()}`));
  });

  afterAll(() => browser?.close());

  it("shows its pages by its navigation, with drawings and anchors, and requests nothing from elsewhere", async () => {
    await page.goto(`${origin}/index.html`);
    await page.locator(".site-menu summary", { hasText: "Background" }).click();
    await page.locator(".site-menu").getByRole("link", { name: "Architecture" }).click();
    await page.waitForURL("**/docs/architecture.html");
    expect(
      await page.locator("img[src$='architecture.svg']").evaluate((image) => image.getBoundingClientRect().width),
    ).toBeGreaterThan(300);
    await page.goto(`${origin}/docs/troubleshooting.html`);
    await page.getByRole("link", { name: "DOCS_WAIT_TIMEOUT" }).first().click();
    expect(new URL(page.url()).hash.toLowerCase()).toMatch(/docs_wait_timeout/);
    expect(faults).toEqual([]);
  });

  it("finds the section of a page by a word of its text", async () => {
    await page.goto(`${origin}/index.html`);
    // The search field opens after its script has run.
    await page.locator("#tsd-search-trigger").click();
    await page.locator("#tsd-search-input").pressSequentially("metadata service");
    const found = page.locator("#tsd-search-results a", { hasText: "Configuration › The addresses of links" });
    await found.click();
    await page.waitForURL("**/docs/configuration.html#the-addresses-of-links");
    expect(await page.locator("#the-addresses-of-links").innerText()).toBe("The addresses of links");
    expect(faults).toEqual([]);
  });

  it("fits a phone and a desk: no page is wider than its window, reports an error, or lacks what it asks for", async () => {
    const all = filesIn(folder).filter((name) => name.endsWith(".html"));
    // All pages of files have one form, so one of them is tested.
    const pages = all.filter((name) => !/\.[a-z]+\.html$/.test(name) || name.endsWith("publish.yml.html"));
    expect(pages.length).toBeGreaterThan(40);
    const wider: string[] = [];
    for (const name of pages) {
      await page.goto(`${origin}/${name}`);
      for (const width of [390, 1280]) {
        await page.setViewportSize({ width, height: 900 });
        const needed = await page.evaluate<number>("document.documentElement.scrollWidth");
        if (needed > width) {
          wider.push(`${name} needs ${needed} of ${width}`);
        }
      }
    }
    expect(wider).toEqual([]);
    expect(faults).toEqual([]);
  }, 300_000);

  it("highlights a file of the examples", async () => {
    await page.goto(`${origin}/examples/pipeline/README.html`);
    await page.getByRole("link", { name: "publish.yml" }).first().click();
    await page.waitForURL("**/examples/pipeline/publish.yml.html");
    expect(await page.locator("pre code.yaml span[class^='hl-']").count()).toBeGreaterThan(50);
  });

  it.each([
    ["light", 255],
    ["dark", 0],
  ] as const)("shows its drawings in the colours that the reader has chosen: %s", async (theme, paper) => {
    await page.goto(`${origin}/docs/architecture.html`);
    await page.evaluate(`localStorage.setItem("tsd-theme", "${theme}")`);
    await page.reload();
    const picture = await page.locator("img[src$='architecture.svg']").screenshot();
    const red = await page.evaluate<number>(`(async () => {
      const image = await createImageBitmap(await (await fetch("data:image/png;base64,${picture.toString("base64")}")).blob());
      const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
      context.drawImage(image, 0, 0);
      return context.getImageData(3, 3, 1, 1).data[0];
    })()`);
    expect(Math.abs(red - paper)).toBeLessThan(40);
  });

  it("shows the recorded run on a phone in letters of eight pixels or more", async () => {
    await page.setViewportSize({ width: 390, height: 900 });
    await page.goto(`${origin}/index.html`);
    const scale = await page.evaluate<number>(
      `[document.querySelector("img[src$='run.svg']")].map((image) => image.width / image.naturalWidth)[0]`,
    );
    expect(12 * scale).toBeGreaterThan(8);
  });
});
