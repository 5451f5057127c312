import { createHash } from "node:crypto";
import { rmSync, statSync } from "node:fs";
import http from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Platform, startPlatform } from "../../../simulator/index";
import { completedJob } from "../../support/completedJob";
import { openPort } from "../../support/loopback";
import { requireTool } from "../../support/requireTool";
import { filesOf, tarGzOf } from "./archives";
import { helmExecutable, toolTime } from "./helm";
import { nothing, Pod, toolsets } from "./pod";

const open: { close(): unknown }[] = [];

afterAll(async () => {
  Pod.removeAll();
  await Promise.all(open.map((thing) => thing.close()));
});

async function platformAndLink(): Promise<{ platform: Platform; link: string }> {
  const platform = await startPlatform();
  open.push(platform);
  return { platform, link: (await completedJob(platform)).bundleUrl };
}

async function download(link: string): Promise<Buffer> {
  return Buffer.from(await (await fetch(link)).arrayBuffer());
}

function sha256Of(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

async function served(bytes: Buffer): Promise<string> {
  const server = http.createServer((_, response) => response.end(bytes));
  const port = await openPort(server);
  open.push({ close: () => server.close() });
  return `http://127.0.0.1:${port}/bundle`;
}

describe.skipIf(!requireTool("go"))("the init container's script, as Helm (built with go) renders it", () => {
  beforeAll(async () => void (await helmExecutable()), toolTime);

  for (const tools of toolsets) {
    describe(`with ${tools.name}`, { concurrent: true, skip: !tools.there }, () => {
      it("unpacks the bundle of the platform, and a second start fetches nothing", async () => {
        const { platform, link } = await platformAndLink();
        const pod = await Pod.create(tools, `${link}\n`, { version: "job-1" });
        const first = await pod.start();
        expect(first).toMatchObject({ code: 0, message: "" });
        expect(pod.pages).toEqual(await filesOf(await download(link)));
        platform.resetCounts();
        platform.clockOffset = 3_600_000;
        const second = await pod.start();
        expect(second).toMatchObject({ code: 0, message: "" });
        expect(second.log).toContain("nothing is fetched");
        expect(platform.counts.download).toBe(0);
      });

      it("serves a bundle of no version too, and a second start fetches nothing", async () => {
        const link = await served(await tarGzOf([{ name: "index.html", content: "one" }]));
        const pod = await Pod.create(tools, 'https://storage.invalid/"', {});
        expect((await pod.start()).message).toContain("The site cannot be served: the link in the Secret");
        pod.link = link;
        expect(await pod.start()).toMatchObject({
          code: 0,
          log: expect.stringContaining("unpacked the bundle: "),
        });
        expect((await pod.start()).log).toContain("the bundle is here already: nothing is fetched");
        expect(pod.pages).toEqual(new Map([["index.html", "one"]]));
      });

      it("hands the link to curl, and to no command line and no environment", async () => {
        const { link } = await platformAndLink();
        const pod = await Pod.create(tools, link, { version: "job-1" });
        expect(await pod.start()).toMatchObject({ code: 0 });
        expect(pod.seen).toContain("--config");
        for (const part of new URL(link).searchParams.values()) {
          expect(pod.seen).not.toContain(part);
        }
      });

      it("replaces the site by that of another version, whole", async () => {
        const one = await served(await tarGzOf([{ name: "index.html", content: "one" }, { name: "old.html" }]));
        const pod = await Pod.create(tools, one, { version: "job-1" });
        expect(await pod.start()).toMatchObject({ code: 0 });
        pod.link = await served(await tarGzOf([{ name: "index.html", content: "two" }]));
        await pod.configure({ version: "job-2" });
        expect(await pod.start()).toMatchObject({ code: 0 });
        expect(pod.pages).toEqual(new Map([["index.html", "two"]]));
        expect(pod.left.site).toEqual(["bundle"]);
      });

      it("accepts the archive with the sha256 that is asked for, in any case of its letters", async () => {
        const archive = await tarGzOf([{ name: "index.html", content: "one" }]);
        const pod = await Pod.create(tools, await served(archive), {
          version: "1",
          sha256: sha256Of(archive).toUpperCase(),
        });
        expect(await pod.start()).toMatchObject({ code: 0 });
        // Version 2 has the same sha256, so nothing may be fetched from the new link, which leads nowhere.
        pod.link = "https://storage.invalid/";
        await pod.configure({ version: "2", sha256: sha256Of(archive) });
        expect((await pod.start()).log).toContain("nothing is fetched");
      });

      it("refuses an archive of another sha256, and leaves the site of before", async () => {
        const archive = await tarGzOf([{ name: "index.html", content: "one" }]);
        const pod = await Pod.create(tools, await served(archive), { version: "job-1" });
        expect(await pod.start()).toMatchObject({ code: 0 });
        await pod.configure({ version: "job-2", sha256: "0".repeat(64) });
        const { code, message } = await pod.start();
        expect(code).toBe(1);
        expect(message).toContain(`sha256 ${sha256Of(archive)}, and not the ${"0".repeat(64)}`);
        expect(pod.pages).toEqual(new Map([["index.html", "one"]]));
      });

      it("says what to do when the link has expired, without the link", async () => {
        const { platform, link } = await platformAndLink();
        platform.clockOffset = 3_600_000;
        const pod = await Pod.create(tools, link, { version: "job-1" });
        const { code, message, log } = await pod.start();
        expect(code).toBe(1);
        expect(message).toContain("The site of version job-1 cannot be served: the storage refuses the link with 403");
        expect(message).toContain("`pulumi up`");
        expect(message).toContain("Secret docs-link, key bundleUrl");
        expect(message.length).toBeLessThan(4_096);
        expect(message + log).not.toContain("X-Amz");
        expect(platform.counts.download).toBe(1);
        expect(pod.left).toEqual(nothing);
        platform.clockOffset = 0;
        expect(await pod.start()).toMatchObject({ code: 0 });
      });

      it.each([400, 410])("asks once, and for a fresh link, where the storage answers %i", async (status) => {
        const { platform, link } = await platformAndLink();
        platform.inject({ operation: "download", kind: "status", status, count: 5 });
        const pod = await Pod.create(tools, link, { version: "job-1" });
        const { code, message } = await pod.start();
        expect(code).toBe(1);
        expect(message).toContain(`refuses the link with ${status}`);
        expect(platform.counts.download).toBe(1);
      });

      it("tries again after a fault of the storage", async () => {
        const { platform, link } = await platformAndLink();
        platform.inject({ operation: "download", kind: "status", status: 503 });
        const pod = await Pod.create(tools, link, { version: "job-1" });
        expect(await pod.start()).toMatchObject({ code: 0 });
        expect(platform.counts.download).toBe(2);
      });

      it("gives up after three downloads that were cut short", async () => {
        const { platform, link } = await platformAndLink();
        platform.inject({ operation: "download", kind: "truncate", count: 5 });
        const pod = await Pod.create(tools, link, { version: "job-1" });
        const { code, message } = await pod.start();
        expect(code).toBe(1);
        expect(message).toContain("no download in 3 tries");
        expect(platform.counts.download).toBe(3);
        expect(pod.left).toEqual(nothing);
      });

      it("removes what a killed start left", async () => {
        const archive = await tarGzOf([{ name: "index.html", content: "one" }]);
        const pod = await Pod.create(tools, await served(archive), { version: "1", sha256: sha256Of(archive) });
        pod.leave("site/unfinished/bundle/pages/half.html");
        expect(await pod.start()).toMatchObject({ code: 0 });
        expect(pod.pages).toEqual(new Map([["index.html", "one"]]));
        expect(pod.left.site).toEqual(["bundle"]);
      });

      it("dates the pages by their archive, so that no ETag stands for two contents", async () => {
        const dates = await Promise.all(
          ["one", "one", "two"].map(async (content) => {
            const pod = await Pod.create(tools, await served(await tarGzOf([{ name: "index.html", content }])), {
              version: "1",
            });
            expect(await pod.start()).toMatchObject({ code: 0 });
            return statSync(pod.path("site/bundle/pages/index.html")).mtimeMs;
          }),
        );
        expect(dates[0]).toBe(dates[1]);
        expect(dates[2]).not.toBe(dates[0]);
        expect(Math.max(...dates)).toBeLessThan(Date.now());
      });

      it.each([
        ["", "is not https"],
        ["http://storage.example.com/bundle", "is not https"],
        ["file:///etc/passwd", "is not https"],
        ["https://user:password@storage.example.com/bundle", "has a user name"],
        ['https://storage.example.com/"\noutput = "x', "a character that no URL has"],
      ])("refuses the link %j without a download", async (link, reason) => {
        const pod = await Pod.create(tools, link, { version: "job-1" });
        const { code, message, log } = await pod.start();
        expect(code).toBe(1);
        expect(message).toContain(reason);
        expect(message + log).not.toContain("storage.example.com");
        expect(pod.seen).toBe("");
      });

      it("names the Secret that lacks the key", async () => {
        const pod = await Pod.create(tools, "", { version: "job-1" });
        rmSync(pod.path("link/bundleUrl"));
        const { code, message } = await pod.start();
        expect(code).toBe(1);
        expect(message).toContain("the Secret docs-link has no key bundleUrl");
      });

      it("follows no redirect to plain http", async () => {
        const { platform, link } = await platformAndLink();
        const target = await served(await tarGzOf([{ name: "index.html" }]));
        platform.inject({ operation: "download", kind: "status", status: 302, headers: { Location: target } });
        const pod = await Pod.create(tools, link, { version: "job-1" });
        const { code, message } = await pod.start();
        expect(code).toBe(1);
        expect(message).toContain("redirects to no https address");
      });
    });
  }
});
