import { createReadStream, existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { extname, join, normalize } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writeSite } from "../../tools/commands/docs/site.mjs";
import { executablesOnPath } from "../../tools/processes/executables";
import { openPort } from "../support/loopback";

const types: Record<string, string> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
};
const browserFile = ["chromium", "chromium-browser", "google-chrome"].flatMap(executablesOnPath)[0];
const folder = mkdtempSync(join(tmpdir(), "docs-site-"));

let server: Server;
let origin: string;

beforeAll(async () => {
  await writeSite(folder);
  server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url ?? "/", "http://x").pathname));
    const file = join(folder, path.endsWith("/") ? `${path}index.html` : path);
    if (path === "/favicon.ico") {
      response.writeHead(204).end();
      return;
    }
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

/** The paths of a site's own pages that a page links to. */
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
        for (const link of await linksOf(path)) seen.add(link);
      }
    }
    expect(missing).toEqual([]);
    expect(seen).toContain("/docs/guides/air-gap.html");
    expect(seen).toContain("/docs/reference/StaticExport.html");
  });
});

describe.skipIf(browserFile === undefined)("the docs site in a real Chromium", () => {
  let browser: Browser;
  let page: Page;
  const faults: string[] = [];

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: browserFile ?? "", args: ["--no-sandbox"] });
    page = await browser.newPage();
    page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
    page.on("pageerror", (error) => faults.push(error.message));
    page.on("request", (request) => request.url().startsWith(origin) || faults.push(`left the site: ${request.url()}`));
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

  it("finds a page by a word of its text", async () => {
    await page.goto(`${origin}/index.html`);
    // The field opens once the script of the search has run.
    await page.locator("#tsd-search-trigger").click();
    await page.locator("#tsd-search-input").pressSequentially("renewBefore");
    await page.locator("#tsd-search-results li").first().waitFor();
    expect(await page.locator("#tsd-search-results").innerText()).toMatch(/renewal|ExportBundle/i);
    expect(faults).toEqual([]);
  });
});
