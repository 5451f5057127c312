import { existsSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { extname, join, posix } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writeSite } from "../../tools/docs/site.mjs";
import { filesIn } from "../../tools/filesIn";
import { browserFile, launchChromium } from "../support/chromium";
import { openPort } from "../support/loopback";
import { folderOfFile } from "../support/temporaryFolder";

const folder = folderOfFile();
const htmlPages = () => filesIn(folder).filter((name) => name.endsWith(".html"));

beforeAll(() => writeSite(folder), 60_000);

it("the docs site has no link to a page that is not there", () => {
  expect(htmlPages().length).toBeGreaterThan(40);
  const missing = htmlPages().flatMap((name) =>
    [...readFileSync(join(folder, name), "utf8").matchAll(/<a [^>]*href="([^"#]+)/g)]
      .map(([, href = ""]) => href)
      .filter((href) => !/^[a-z]+:/.test(href))
      .map((href) => posix.join(posix.dirname(name), decodeURIComponent(href)))
      .filter((target) => !existsSync(join(folder, target))),
  );
  expect(missing).toEqual([]);
});

describe.skipIf(browserFile === undefined)("the docs site in a real Chromium", () => {
  const types: Record<string, string> = {
    ".html": "text/html",
    ".js": "text/javascript",
    ".css": "text/css",
    ".svg": "image/svg+xml",
  };
  let server: Server;
  let origin: string;
  let browser: Browser;
  let page: Page;
  const faults: string[] = [];

  beforeAll(async () => {
    server = createServer((request, response) => {
      const file = join(folder, decodeURIComponent(new URL(request.url ?? "/", "http://x").pathname));
      const found = existsSync(file);
      response.writeHead(found ? 200 : 404, { "content-type": types[extname(file)] ?? "application/octet-stream" });
      response.end(found ? readFileSync(file) : "");
    });
    origin = `http://127.0.0.1:${await openPort(server)}`;
    browser = await launchChromium();
    page = await browser.newPage();
    page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
    page.on("pageerror", (error) => faults.push(error.message));
    page.on("request", (request) => request.url().startsWith(origin) || faults.push(`left the site: ${request.url()}`));
    page.on("response", (answer) => answer.status() < 400 || faults.push(`${answer.url()}: ${answer.status()}`));
  });

  afterAll(async () => {
    await browser?.close();
    server?.close();
  });

  it("fits a phone and a desk: no page is wider than its window, reports an error, lacks what it asks for, or leaves the site", async () => {
    const wider: string[] = [];
    for (const name of htmlPages()) {
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
});
