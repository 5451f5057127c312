import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Platform, startPlatform } from "../../../simulator/index";
import { browserFile, launchChromium } from "../../support/chromium";
import { hasTool, requireTool } from "../../support/requireTool";
import { helmExecutable, toolTime } from "../chart/helm";
import { Pod, toolsets } from "../chart/pod";
import { startNginx, startSmallServer, type WebServer } from "./webServers";

const tools = toolsets.find(({ there }) => there);
const canUnpack = requireTool("go") && tools !== undefined;

let platform: Platform;
let pod: Pod;

beforeAll(async () => {
  if (!canUnpack) {
    return;
  }
  await helmExecutable();
  platform = await startPlatform();
  const { jobId } = platform.jobs.add({ domain: "docs.example.com", status: "completed" });
  const headers = { authorization: `Bearer ${platform.apiKey}` };
  const mint = `${platform.baseUrl}/v1/static-export/jobs/${jobId}/bundle`;
  const { bundleUrl } = (await (await fetch(mint, { method: "POST", headers })).json()) as { bundleUrl: string };
  pod = await Pod.create(tools, bundleUrl, { version: jobId });
  const { code, message } = await pod.start();
  expect(code, message).toBe(0);
}, toolTime);

afterAll(async () => {
  Pod.removeAll();
  await platform?.close();
});

/** A browser shows the first of these pages that exists. */
const nginx = hasTool("nginx");
const servers = [
  { name: "nginx, as the chart sets it up", there: nginx, shown: nginx, start: startNginx },
  { name: "the small server of the tests", there: true, shown: !nginx, start: startSmallServer },
];

for (const { name, there, shown, start } of servers) {
  describe.skipIf(!canUnpack || !there)(`the site of a pod (Helm built with go), served by ${name}`, () => {
    let server: WebServer;

    beforeAll(async () => {
      server = await start(pod);
    });

    afterAll(() => server?.close());

    it.each([
      ["/", 200, "index.html"],
      ["/index.html", 200, "index.html"],
      ["/docs/admin-api.html", 200, "docs/admin-api.html"],
      ["/docs/admin-api", 200, "docs/admin-api.html"],
      ["/style.css", 200, "style.css"],
    ])("answers %s with %i and its page", async (path, status, file) => {
      const answer = await fetch(server.origin + path, { redirect: "error" });
      expect(answer.status).toBe(status);
      expect(await answer.text()).toBe(pod.pages?.get(file));
    });

    it.each(["/no-such-page", "/docs", "/docs/", "/../config/nginx.conf", "/%2e%2e/marker", "/marker"])(
      "answers %s with 404",
      async (path) => {
        expect((await fetch(server.origin + path, { redirect: "error" })).status).toBe(404);
      },
    );

    if (!shown) {
      return;
    }

    describe.skipIf(browserFile === undefined)("to a real Chromium", () => {
      let browser: Browser;

      beforeAll(async () => {
        browser = await launchChromium();
      });

      afterAll(() => browser?.close());

      it("leads from each page to each other, asks no other origin, and reports no error", async () => {
        const page = await browser.newPage();
        const { asked, errors } = watch(page);
        await page.goto(server.origin);
        const links = page.locator("nav li a");
        const titles = await links.allTextContents();
        expect(titles.length).toBe([...(pod.pages?.keys() ?? [])].filter((name) => name.endsWith(".html")).length);
        for (const title of titles) {
          await page.getByRole("link", { name: title, exact: true }).first().click();
          await page.locator("nav [aria-current]", { hasText: title }).waitFor();
          expect(await page.title()).toContain(title);
          expect(await page.locator("main").innerText()).not.toBe("");
        }
        await page.goto(`${server.origin}/docs/admin-api`, { waitUntil: "networkidle" });
        expect(await page.locator("nav [aria-current]").count()).toBe(1);
        expect(errors).toEqual([]);
        expect(asked.size).toBeGreaterThan(titles.length);
        expect([...asked].filter((url) => new URL(url).origin !== server.origin)).toEqual([]);
      });

      it("shows the navigation of a narrow screen by the site's own script", async () => {
        const page = await browser.newPage({ viewport: { width: 400, height: 800 } });
        const { errors } = watch(page);
        await page.goto(server.origin);
        expect(await page.locator("nav").isVisible()).toBe(false);
        await page.locator("#menu").click();
        expect(await page.locator("nav").isVisible()).toBe(true);
        expect(errors).toEqual([]);
      });
    });
  });
}

/** Lists the requests of a page (without data URLs), and the errors that it reports. */
function watch(page: Page): { asked: Set<string>; errors: string[] } {
  const asked = new Set<string>();
  const errors: string[] = [];
  page.on("request", (request) => void (request.url().startsWith("data:") || asked.add(request.url())));
  page.on("requestfailed", (request) => void errors.push(`${request.url()}: ${request.failure()?.errorText}`));
  page.on("response", (answer) => void (answer.status() < 400 || errors.push(`${answer.url()}: ${answer.status()}`)));
  page.on("console", (message) => void (message.type() === "log" || errors.push(message.text())));
  page.on("pageerror", (error) => void errors.push(error.message));
  return { asked, errors };
}
