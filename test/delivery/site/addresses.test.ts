import { existsSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasTool, requireTool } from "../../support/requireTool";
import { helmExecutable, toolTime } from "../chart/helm";
import { Pod } from "../chart/pod";
import { image } from "../chart/values";
import { behindIngress, type Origin, visit } from "./visit";
import { startNginx, type WebServer } from "./webServers";

const site = [
  "index.html",
  "404.html",
  "guide.html",
  "guide/more.html",
  "both.html",
  "both/index.html",
  "section/index.html",
  "section/style.css",
  "section/deep/index.html",
  "a b#c?50%ü.html",
  "section/word",
  "section/word.html",
  "v1.2/index.html",
  "v1.2/notes-1.2.html",
];
const odd = "a%20b%23c%3F50%25%C3%BC";

/** For each address: the address after all redirects, and the page there. Without a page, the answer is 404. */
const addresses: Record<string, [address: string, page?: string]> = {
  "/": ["/", "index.html"],
  "/?a=1": ["/?a=1", "index.html"],
  "/guide": ["/guide", "guide.html"],
  "/guide.html": ["/guide.html", "guide.html"],
  "/guide/": ["/guide", "guide.html"],
  "/guide/?a=1&b=%2F": ["/guide?a=1&b=%2F", "guide.html"],
  "/guide/more/": ["/guide/more", "guide/more.html"],
  "/both": ["/both", "both.html"],
  "/both/": ["/both/", "both/index.html"],
  "/section": ["/section/", "section/index.html"],
  "/section?a=1&b=?": ["/section/?a=1&b=?", "section/index.html"],
  "/section/": ["/section/", "section/index.html"],
  "/section/index.html": ["/section/index.html", "section/index.html"],
  "/section/deep": ["/section/deep/", "section/deep/index.html"],
  "/section/style.css": ["/section/style.css", "section/style.css"],
  "/section/word": ["/section/word", "section/word"],
  "/section/word/?a=1": ["/section/word.html?a=1", "section/word.html"],
  "/v1.2": ["/v1.2/", "v1.2/index.html"],
  "/v1.2/notes-1.2/": ["/v1.2/notes-1.2", "v1.2/notes-1.2.html"],
  [`/${odd}`]: [`/${odd}`, "a b#c?50%ü.html"],
  [`/${odd}/`]: [`/${odd}`, "a b#c?50%ü.html"],
  "/no-such-page": ["/no-such-page"],
  "/no-such-page/": ["/no-such-page/"],
  "/section/no-such-page.html": ["/section/no-such-page.html"],
  "/guide//": ["/guide//"],
};

interface Case {
  name: string;
  basePath: string;
  folder: string;
  /** True if the ingress removes the base path from each request. */
  removes: boolean;
}

const cases: Case[] = [{ name: "at the root of its host", basePath: "", folder: "", removes: false }];
for (const basePath of ["/docs", "/team.a/docs"]) {
  for (const folder of ["", basePath.slice(1)]) {
    for (const removes of [false, true]) {
      const files = folder === "" ? "at the archive's root" : "in a folder";
      const name = `under ${basePath}, its files ${files}, behind an ingress that ${removes ? "removes" : "hands on"} the path`;
      cases.push({ name, basePath, folder, removes });
    }
  }
}

describe.skipIf(!requireTool("go") || !hasTool("nginx"))("by nginx and Helm (built with go), a site", () => {
  beforeAll(async () => void (await helmExecutable()), toolTime);
  afterAll(() => Pod.removeAll());

  describe.each(cases)("$name", ({ basePath, folder, removes }) => {
    let server: WebServer;
    let origin: Origin;

    beforeAll(async () => {
      const pod = await Pod.create({ busybox: false }, "", { image: image.image }, { basePath });
      pod.mount(site.map((path) => [folder === "" ? path : `${folder}/${path}`, path]));
      server = await startNginx(pod);
      origin = behindIngress(server.origin, basePath, removes);
    });
    afterAll(() => server?.close());

    it("answers each address with its page, and shows one address for each page", async () => {
      const seen: Record<string, unknown> = {};
      const wanted: Record<string, unknown> = {};
      for (const [asked, [address, page]] of Object.entries(addresses)) {
        const { type: _, ...answer } = await visit(origin, basePath + asked);
        seen[asked] = answer;
        wanted[asked] = { status: page ? 200 : 404, address: basePath + address, body: page ?? "404.html" };
      }
      expect(seen).toEqual(wanted);
    });

    it.skipIf(basePath === "")("is ready by the probe of a kubelet, with the base path or without", async () => {
      for (const path of ["/", `${basePath}/`, basePath]) {
        const answer = await fetch(server.origin + path);
        expect([answer.status, await answer.text()]).toEqual([200, "index.html"]);
      }
    });

    it.skipIf(basePath === "" || removes)("leads from the base path itself to its first page", async () => {
      const { address, body } = await visit(origin, `${basePath}?a=1`);
      expect([address, body]).toEqual([`${basePath}/?a=1`, "index.html"]);
    });

    it.skipIf(!existsSync("/proc/net/if_inet6"))("answers at an address of IPv6, too", async () => {
      expect(await (await fetch(`${server.origin6}/guide`)).text()).toBe("guide.html");
    });
  });

  it("listens at no address of IPv6 if that is said, for kernels without it", async () => {
    const pod = await Pod.create({ busybox: false }, "", { image: image.image }, { ipv6: false });
    pod.mount([["index.html", "x"]]);
    const server = await startNginx(pod);
    await expect(fetch(server.origin6)).rejects.toThrow();
    expect((await fetch(server.origin)).status).toBe(200);
    await server.close();
  });

  it("without a page for that answers an unknown address with 404 as well", async () => {
    const pod = await Pod.create({ busybox: false }, "", { image: image.image }, { basePath: "/docs" });
    pod.mount([["docs/index.html", "x"]]);
    const server = await startNginx(pod);
    expect((await fetch(`${server.origin}/docs/no-such-page`)).status).toBe(404);
    pod.mount([
      ["docs/index.html", "x"],
      ["404.html", "beside the folder"],
    ]);
    const answer = await fetch(`${server.origin}/docs/no-such-page`);
    expect([answer.status, await answer.text()]).toEqual([404, "beside the folder"]);
    await server.close();
  });
});
