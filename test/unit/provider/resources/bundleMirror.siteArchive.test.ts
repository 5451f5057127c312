import { readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { BundleMirrorInputs, BundleMirrorState } from "../../../../provider/definitions/bundleMirror";
import { ArchiveError } from "../../../../provider/support/errors";
import { campaign } from "../../../support/campaign";
import { rejection } from "../../../support/clientUnderTest";
import { mirrored } from "../../../support/mirror/mirrorWorld";
import { contentOf, contentOfPages, first, second, siteManifest, siteWorld } from "../../../support/mirror/siteWorld";
import { contentIn } from "../../../support/mirror/storage";
import { campaignSeed } from "../../../support/random";
import { throwingLifecycles } from "../../../support/throwingLifecycles";
import { archiveWith, type Files, tarOf } from "../mirror/archive/archives";

const { bundleMirror } = throwingLifecycles;

afterEach(() => vi.unstubAllEnvs());

const within = (folder: string, files: Files): Files => files.map(([path, content]) => [`${folder}/${path}`, content]);
const said = (folder: string) =>
  `the whole site is in the folder "${folder}" of the archive: it is published without that folder`;

describe("a single folder around the whole site", () => {
  it("is removed whatever the next archive calls it: pages keep their addresses, and no old file stays", async () => {
    const sites = [within("site-7", first), second, within("site-8", first)];
    const archives = await Promise.all(sites.map((files) => archiveWith("tar.gz", files)));
    const { folder, publish, infos } = await siteWorld(...(archives as [Buffer, ...Buffer[]]));
    let state = await publish("job-1");
    state = await publish("job-2", state);
    expect(contentOfPages(folder)).toEqual(contentOf(second));
    state = await publish("job-3", state);
    expect(contentOfPages(folder)).toEqual(contentOf(first));
    expect(infos).toEqual([said("site-7"), said("site-8")]);
  });

  const linked = { "docs/index.html": '<a href="/docs/guide.html">', "docs/guide.html": "x" };
  it.each<[string, Record<string, string>]>([
    ["of which the index page is missing", { "docs/start.html": "x" }],
    ["beside which another folder lies", { "docs/index.html": "x", "blog/index.html": "x" }],
    ["whose index page lies deeper", { "docs/en/index.html": "x" }],
    ["that another one has in other case", { "docs/index.html": "x", "Docs/a.html": "x" }],
    ["through which its pages address each other", linked],
    ["through which a page beside it leads", { "docs/index.html": "x", "404.html": "<a href=docs/>" }],
    [
      "with a name of other letters, through which its pages lead",
      { "größe/index.html": '<link href="/gr%C3%B6%C3%9Fe/style.css">', "größe/a.html": "x" },
    ],
  ])("is kept as a folder of the site: one %s", async (_, files) => {
    const { folder, publish, infos } = await siteWorld(await archiveWith("tar.gz", Object.entries(files)));
    await publish("job-1");
    expect(contentOfPages(folder)).toEqual(files);
    expect(infos).toEqual([]);
  });

  describe("through which its pages address each other", () => {
    const linking: Files = [
      ["index.html", '<a href="/docs/guide.html">'],
      ["guide.html", "x"],
    ];

    it.each([
      ["at the end of its public address", "docs", "https://example.com/team/docs", true],
      ["at the end of its public address, with a slash", "docs", "https://example.com/docs/", true],
      ["at the end of its destination", "docs", undefined, true],
      ["in other letters than its address has", "dócs", "https://example.com/d%C3%B3cs", true],
      ["but its public address has no path", "docs", "https://example.com", false],
      ["but its public address has another path", "docs", "https://example.com/docs/de", false],
    ])("is the base path of the site, %s", async (_, name, publicUrl, isBase) => {
      const pages = linking.map(([path, content]): Files[0] => [
        path,
        content.replace("docs", encodeURIComponent(name)),
      ]);
      const world = await siteWorld(await archiveWith("tar.gz", within(name, pages)));
      const folder = join(world.folder, "docs");
      const destination = pathToFileURL(folder).href;
      await mirrored(world, { destination, ...(publicUrl !== undefined && { publicUrl }) });
      expect(contentOfPages(folder)).toEqual(contentOf(isBase ? pages : within(name, pages)));
    });
  });
});

describe("the decision about the folder around a site", () => {
  type Turn = [Files, BundleMirrorInputs["outerFolder"]?];

  async function publishAll(turns: readonly Turn[]) {
    const archives = await Promise.all(turns.map(([files]) => archiveWith("tar.gz", files)));
    const world = await siteWorld(...(archives as [Buffer, ...Buffer[]]));
    let state: BundleMirrorState | undefined;
    const contents: Record<string, string>[] = [];
    for (const [turn, [, outerFolder]] of turns.entries()) {
      const inputs = { ...world.inputs, jobId: `job-${turn}`, ...(outerFolder && { outerFolder }) };
      const published = state
        ? bundleMirror.update("id", state, inputs, world.context)
        : bundleMirror.create(inputs, world.context).then((created) => created.state);
      const outcome = await published.catch((error: unknown) => error as Error);
      if (outcome instanceof Error) {
        return { ...world, contents, error: outcome, state };
      }
      state = outcome;
      contents.push(contentOfPages(world.folder));
    }
    return { ...world, contents, error: undefined, state };
  }
  const inDocs = within("docs", first);
  const linking: Files = [
    ["docs/index.html", '<a href="/docs/guide.html">'],
    ["docs/guide.html", "x"],
  ];

  it.each<[string, Files, Files, string]>([
    ["a folder comes to lie around the site", first, inDocs, 'the whole site in the folder "docs"'],
    ["a second folder comes", inDocs, [...inDocs, ["blog/index.html", "x"]], "no single"],
    ["an index page comes beside it", inDocs, [...inDocs, ["index.html", "x"]], "another"],
    ["its pages come to lead through it", inDocs, linking, "address each other by /docs/"],
    ["a file comes beside it that is in it, too", inDocs, [...inDocs, ["GUIDE", "x"]], "GUIDE"],
  ])("is contradicted when %s: that is refused, and what serves continues", async (_, one, other, words) => {
    const { contents, error, folder } = await publishAll([[one], [other]]);
    expect(error).toBeInstanceOf(ArchiveError);
    expect(error?.message).toContain(words);
    expect(error?.message).toMatch(/set `outerFolder` to "keep".* or to "remove"/);
    expect(contents).toEqual([contentOfPages(folder)]);
    const kept = await publishAll([[one], [other, "keep"]]);
    expect(kept.contents[1]).toEqual(contentOf(other));
  });

  it("is changed by the input alone, which transfers the same job again, and stays without it", async () => {
    const turns: Turn[] = [[inDocs], [inDocs, "keep"], [[...inDocs, ["robots.txt", "x"]]]];
    const { contents, state, inputs, context, platform } = await publishAll(turns);
    expect(contents).toEqual([first, inDocs, [...inDocs, ["robots.txt", "x"]] as Files].map(contentOf));
    const update = (before: BundleMirrorState | undefined, outerFolder: "keep" | "remove") =>
      bundleMirror.update("id", before as BundleMirrorState, { ...inputs, jobId: "job-2", outerFolder }, context);
    const mints = platform.calls.length;
    const same = await update(state, "keep");
    expect(platform.calls).toHaveLength(mints);
    await update(same, "remove");
    expect(platform.calls).toHaveLength(mints + 1);
  });

  it("never depends on a file beside it: a page keeps its address, or the archive is refused", async () => {
    const names = fc.constantFrom("robots.txt", "404.html", "index.html", ".DS_Store", "a.html", ".well-known/x");
    const sites = fc.record({
      folder: fc.constantFrom("", "docs/", "site-7/", "a b/"),
      links: fc.constantFrom("guide.html", "/guide.html", "/docs/guide.html", "/a%20b/guide.html"),
      beside: fc.subarray(["robots.txt", ".DS_Store", "__MACOSX/._a", "404.html"]),
    });
    const seen = { published: 0, refused: 0 };
    await fc.assert(
      fc.asyncProperty(sites, names, async ({ folder, links, beside }, one) => {
        const pages: Files = [
          [`${folder}index.html`, `<a href="${links}">`],
          [`${folder}guide.html`, "guide"],
        ];
        const files: Files = [...beside.map((name): [string, string] => [name, "beside"]), ...pages];
        const more: Files = [
          ...files.filter(([name]) => name !== one),
          ...(folder === "" && one === "index.html" ? [] : [[one, "one more"] as [string, string]]),
        ];
        fc.pre(more.some(([name]) => name === `${folder}index.html`));
        const { contents, error } = await publishAll([[files], [more]]);
        const addresses = Object.keys(contents[0] ?? {}).filter((name) => /(index|guide)\.html$/.test(name));
        expect(addresses).toHaveLength(2);
        seen[error === undefined ? "published" : "refused"]++;
        expect(error === undefined || error instanceof ArchiveError).toBe(true);
        expect(Object.keys(contents.at(-1) ?? {})).toEqual(expect.arrayContaining(addresses));
      }),
      { seed: campaignSeed(), numRuns: campaign ? 200 : 15 },
    );
    expect(seen.published).toBeGreaterThan(0);
  }, 300_000);
});

describe("an archive that is refused leaves the previous version whole:", () => {
  const zip = (...names: string[]) =>
    archiveWith(
      "zip",
      names.map((name) => [name, "{}"]),
    );
  it.each<[string, () => Promise<Buffer>, string]>([
    ["no file", () => zip(), "the archive has no file"],
    ["folders only", () => archiveWith("zip", [["docs/", ""]]), "the archive has no file"],
    ["no page", () => zip("robots.txt"), "the archive has no page (.html)"],
    ["a page of a packer only", () => zip("__MACOSX/._index.html"), "the archive has no page (.html)"],
    ["a path with ..", () => tarOf([{ name: "index.html" }, { name: "../evil.html", content: "x" }]), ".."],
    ["a link", () => tarOf([{ name: "index.html" }, { name: "a", type: "symlink", linkname: "/etc/passwd" }]), "link"],
    ["one that is cut short", async () => (await archiveWith("tar.gz", first)).subarray(0, 120), "archive"],
    ["the name of the mirror's own list", () => zip("index.html", siteManifest), siteManifest],
    ["that name in another case", () => zip("index.html", ".Bundle-MIRROR.json"), siteManifest.slice(0, -4)],
    [
      "that name with a sign that some file systems leave out",
      () => zip("index.html", ".bundle\u200c-mirror.json"),
      "own files",
    ],
    ["that name for a folder", () => zip("index.html", `${siteManifest}/x`), siteManifest],
  ])("%s", async (_, archive, words) => {
    const world = await siteWorld(await archiveWith("tar.gz", first), await archive());
    const state = await world.publish("job-1");
    const before = contentIn(world.folder);
    const error = await rejection(world.publish("job-2", state));
    expect(error).toBeInstanceOf(ArchiveError);
    expect(error.message).toContain(words);
    expect(error.message).toMatch(/the earlier files at .*: job job-1, mirrored at/);
    expect(contentIn(world.folder)).toEqual(before);
    expect(readdirSync(world.temporary)).toEqual([]);
  });
});
