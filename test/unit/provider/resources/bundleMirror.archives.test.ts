import { readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { BundleMirrorInputs, BundleMirrorState } from "../../../../provider/definitions/bundleMirror";
import { ArchiveError } from "../../../../provider/support/errors";
import { campaign } from "../../../support/campaign";
import { rejection } from "../../../support/clientUnderTest";
import { mirrored, mirrorWorld } from "../../../support/mirror/mirrorWorld";
import {
  contentOf,
  contentOfPages,
  first,
  second,
  siteManifest,
  siteWorld,
  within,
} from "../../../support/mirror/siteWorld";
import { contentIn, filesIn, gzipLike, storageReply } from "../../../support/mirror/storage";
import { campaignSeed, seededRandom } from "../../../support/random";
import { drawArchive, packerOf } from "../../../support/strangers/archives";
import { folderForTemporaryFiles } from "../../../support/temporaryFolder";
import { throwingLifecycles } from "../../../support/throwingLifecycles";
import { archiveWith, type Files, tarOf } from "../mirror/archive/archives";

const { bundleMirror } = throwingLifecycles;

afterEach(() => vi.unstubAllEnvs());

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

type Layout = BundleMirrorInputs["layout"];
const draws = campaign ? 300 : 18;
const site = { "index.html": "<h1>Docs</h1>", "guide/start.html": "<h1>Start</h1>", "assets/": "" };

/** A refused archive, words of the error, and the only layout that refuses it (default: both layouts). */
type Refused = [what: string, archive: () => Promise<Buffer>, words: string, layout?: Layout];

const zip = (...names: string[]) =>
  archiveWith(
    "zip",
    names.map((name) => [name, "{}"]),
  );
const noArchive = "is not a .tar.gz, .tar, .tar.zst or .zip archive: it begins with";
const raw =
  (...parts: (Buffer | string)[]) =>
  async () =>
    Buffer.concat(parts.map((part) => Buffer.from(part)));
const refused: Refused[] = [
  ["no file", () => zip(), "the archive has no file"],
  ["folders only", () => archiveWith("zip", [["docs/", ""]]), "the archive has no file"],
  ...Array.from({ length: draws }, (_, draw): Refused => {
    const random = seededRandom(campaignSeed() + draw);
    const packer = packerOf(draw, { withoutFiles: true });
    const empty = async () => (await drawArchive(random, packer, { "guide/": "", "assets/img/": "" })).bytes;
    return [`folders only, of ${packer.name}, ${draw}`, empty, "the archive has no file"];
  }),
  ["a page of HTML", raw("<!DOCTYPE html><h1>Sign in</h1>"), noArchive],
  ["an error in JSON", raw('\ufeff{"error": "größer"}\r\n\t'), noArchive],
  ["nothing", raw(), "is empty"],
  ["one byte of a gzip", raw(Buffer.from([0x1f])), noArchive],
  ["zeros", raw(Buffer.alloc(3_000)), noArchive],
  ["a .7z", raw(Buffer.from("7z\xbc\xaf\x27\x1c\0\x04", "latin1"), gzipLike(3_000)), noArchive],
  ["a .tar.bz2", raw("BZh91AY&SY", gzipLike(3_000)), noArchive],
  ["a .tar without a magic", raw("index.html", Buffer.alloc(3_062)), noArchive],
  ["no page", () => zip("robots.txt"), "the archive has no page (.html)", "site"],
  ["a page of a packer only", () => zip("__MACOSX/._index.html"), "the archive has no page (.html)", "site"],
  ["a path with ..", () => tarOf([{ name: "index.html" }, { name: "../evil.html", content: "x" }]), "..", "site"],
  [
    "a link",
    () => tarOf([{ name: "index.html" }, { name: "a", type: "symlink", linkname: "/etc/passwd" }]),
    "link",
    "site",
  ],
  ["one that is cut short", async () => (await archiveWith("tar.gz", first)).subarray(0, 120), "archive", "site"],
  ["the name of the mirror's own list", () => zip("index.html", siteManifest), siteManifest, "site"],
  ["that name in another case", () => zip("index.html", ".Bundle-MIRROR.json"), siteManifest.slice(0, -4), "site"],
  [
    "that name with a sign that some file systems leave out",
    () => zip("index.html", ".bundle\u200c-mirror.json"),
    "own files",
    "site",
  ],
  ["that name for a folder", () => zip("index.html", `${siteManifest}/x`), siteManifest, "site"],
];

describe("an archive that is refused leaves the previous version whole:", () => {
  const each = refused.flatMap(([what, archive, words, only]) =>
    (["archive", "site"] as const)
      .filter((layout) => only === undefined || layout === only)
      .map((layout) => [what, layout, archive, words] as const),
  );
  it.each(each)("%s, in a mirror of layout %s", async (_, layout, archive, words) => {
    const bytes = await archive();
    const chunked = bytes.length % 2 === 1;
    const world = await mirrorWorld([
      storageReply(await archiveWith("tar.gz", first)),
      storageReply(bytes, { chunked }),
    ]);
    const temporary = folderForTemporaryFiles();
    const state = await mirrored(world, { layout });
    const before = contentIn(world.folder);
    const inputs: BundleMirrorInputs = { ...world.inputs, layout, jobId: "job-2" };
    const error = await rejection(
      layout === "site"
        ? bundleMirror.update("id", state, inputs, world.context)
        : bundleMirror.create(inputs, world.context),
    );
    expect(error).toBeInstanceOf(ArchiveError);
    expect(error.message).toContain(words);
    expect(error.message).toMatch(
      layout === "site" ? /the earlier files at .*: job job-1, mirrored at/ : "Exists now: no files of job job-2",
    );
    expect(contentIn(world.folder)).toEqual(before);
    expect(readdirSync(temporary)).toEqual([]);
  });
});

it("an archive is published at the same addresses, whichever packer made it", async () => {
  const wrong: object[] = [];
  const random = seededRandom(campaignSeed());
  for (let draw = 0; draw < draws; draw++) {
    const { bytes, packer, format } = await drawArchive(random, packerOf(draw), site);
    const { folder, publish } = await siteWorld(bytes);
    const outcome = await publish("job-1").then(
      (state) => state.format,
      (error: Error) => error.message.split("\n")[0],
    );
    const { "index.html": index, "guide/start.html": start } = contentOfPages(folder);
    if (outcome !== format || index !== site["index.html"] || start !== site["guide/start.html"]) {
      wrong.push({ packer, format, outcome, index, start });
    }
  }
  expect(wrong).toEqual([]);
});

it.each([
  'attachment; filename="docs-export-2026-03-01.tar.gz"',
  'attachment; filename="../../evil.tar.gz"',
  "attachment; filename*=UTF-8''%2e%2e%2fevil.zip",
  'inline; filename=".bundle-mirror.json"',
])("no file gets the name that the storage gives: Content-Disposition %s", async (name) => {
  const { bytes } = await drawArchive(seededRandom(0), packerOf(0), { "index.html": "<h1>Docs</h1>" });
  const world = await mirrorWorld([storageReply(bytes, { headers: { "content-disposition": name } })]);
  const { format } = await mirrored(world);
  expect(filesIn(world.folder)).toEqual(["job-1.json", `job-1.${format}`, `job-1.${format}.sha256`]);
  await mirrored(world, { layout: "site", destination: `${world.inputs.destination}/site` });
  expect(filesIn(join(world.folder, "site"))).toEqual([siteManifest, "index.html"]);
});
