import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Platform, startPlatform } from "../../../simulator/index";
import { browserFile } from "../../support/chromium";
import { completedJob } from "../../support/completedJob";
import { hasTool, requireTool } from "../../support/requireTool";
import { helmExecutable, toolTime } from "../chart/helm";
import { Pod, toolsets } from "../chart/pod";
import { startNginx, type WebServer } from "../site/webServers";
import { readInChromium } from "./readInChromium";

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
  const { jobId, bundleUrl } = await completedJob(platform);
  pod = await Pod.create(tools, bundleUrl, { version: jobId });
  const { code, message } = await pod.start();
  expect(code, message).toBe(0);
}, toolTime);

afterAll(async () => {
  Pod.removeAll();
  await platform?.close();
});

describe.skipIf(!canUnpack || !hasTool("nginx"))("the site of a pod (Helm built with go), served by nginx", () => {
  let server: WebServer;

  beforeAll(async () => {
    server = await startNginx(pod);
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

  it.skipIf(browserFile === undefined)(
    "leads a real Chromium from each page to each other, and to no other origin",
    async () => {
      const { titles, faults } = await readInChromium(server.origin);
      expect(titles.length).toBe([...(pod.pages?.keys() ?? [])].filter((name) => name.endsWith(".html")).length);
      expect(faults).toEqual([]);
    },
  );
});
