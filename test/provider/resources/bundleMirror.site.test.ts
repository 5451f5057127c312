import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { bundleMirror } from "../../../provider/resources/bundleMirror";
import type { BundleMirrorInputs, BundleMirrorState } from "../../../provider/resources/bundleMirrorState";
import { PartialFailure } from "../../../provider/resources/lifecycle";
import * as errors from "../../../provider/support/errors";
import { type MirrorWorld, mirrored, mirrorWorld } from "../../mirror/mirrorWorld";
import { canMount, mounted } from "../../mirror/mounts";
import { contentIn, filesIn, folderFor, gzipLike, sha256Of, storage } from "../../mirror/storage";
import { rejection } from "../../support/clientUnderTest";
import { archiveOf, type Files, formats, tarOf } from "../mirror/unpack/archives";

const manifest = ".bundle-mirror.json";
const first: Files = [
  ["index.html", "<h1>One</h1>"],
  ["guide/start.html", "<h1>Start</h1>"],
  ["guide/old.html", "<h1>Old</h1>"],
  ["assets/style.css", "h1 { color: red }"],
];
const second: Files = [
  ["index.html", "<h1>Two</h1>"],
  ["guide/start.html", "<h1>Start again</h1>"],
  ["assets/app.js", "alert(2)"],
];

afterEach(() => vi.unstubAllEnvs());

interface SiteWorld extends MirrorWorld {
  /** Whatever is kept for a while has to be gone from here in the end. */
  temporary: string;
  publish(jobId: string, state?: BundleMirrorState): Promise<BundleMirrorState>;
}

/** A mirror's surroundings whose storage hands out these archives in turn. */
async function siteWorld(...archives: [Buffer, ...Buffer[]]): Promise<SiteWorld> {
  const [one, ...others] = archives.map((archive) => storage(archive));
  const world = await mirrorWorld([one ?? storage(Buffer.alloc(0)), ...others]);
  const temporary = folderFor();
  vi.stubEnv("TMPDIR", temporary);
  const site: BundleMirrorInputs = { ...world.inputs, layout: "site" };
  return {
    ...world,
    temporary,
    inputs: site,
    publish: (jobId, state) =>
      state === undefined
        ? mirrored({ ...world, inputs: site }, { jobId })
        : bundleMirror.update(site.destination, state, { ...site, jobId }, world.context),
  };
}

const pages = (folder: string) => filesIn(folder).filter((name) => name !== manifest);
const published = (folder: string) => JSON.parse(readFileSync(join(folder, manifest), "utf8"));
const contentOf = (files: Files) => Object.fromEntries(files);
const contentOfPages = (folder: string) => {
  const { [manifest]: _, ...others } = contentIn(folder);
  return others;
};

describe("create of a site", () => {
  it.each(formats)("publishes every file of a %s, and tells what it is", async (format) => {
    const archive = await archiveOf(format, first);
    const { folder, inputs, context, temporary, platform } = await siteWorld(archive);
    const { id, state } = await bundleMirror.create(inputs, context);
    expect(id).toBe(inputs.destination);
    expect(contentOfPages(folder)).toEqual(contentOf(first));
    expect(state).toMatchObject({
      ...inputs,
      url: `${inputs.destination}/`,
      sha256: sha256Of(archive),
      sizeBytes: archive.length,
      format,
      version: "job-1",
      mirroredAt: "2026-03-01T00:00:00.000Z",
    });
    expect(platform.calls).toEqual(["bundle job-1"]);
    expect(readdirSync(temporary)).toEqual([]);
  });

  it("keeps the list of files at the destination, and not in the state", async () => {
    const archive = await archiveOf("tar.gz", first);
    const { folder, publish } = await siteWorld(archive);
    const state = await publish("job-1");
    expect(JSON.stringify(state)).not.toContain("start.html");
    expect(published(folder)).toEqual({
      jobId: "job-1",
      version: "job-1",
      format: "tar.gz",
      sha256: sha256Of(archive),
      sizeBytes: archive.length,
      mirroredAt: "2026-03-01T00:00:00.000Z",
      tool: expect.stringContaining("pulumi-docs-platform"),
      mirror: state.__mirror,
      files: expect.toSatisfy((files: { path: string; sha256: string }[]) =>
        first.every(([path, content]) => files.some((file) => file.path === path && file.sha256 === sha256Of(content))),
      ),
    });
  });

  it("puts what pages refer to before the pages, and index.html last", async () => {
    const { folder, publish } = await siteWorld(await archiveOf("tar.gz", first));
    await publish("job-1");
    const changed = (name: string) => statSync(join(folder, name), { bigint: true }).ctimeNs;
    const order = pages(folder).sort((a, b) => (changed(a) < changed(b) ? -1 : 1));
    expect(order[0]).toBe("assets/style.css");
    expect(order.slice(1, 3).sort()).toEqual(["guide/old.html", "guide/start.html"]);
    expect(order[3]).toBe("index.html");
  });

  it("publishes files that are too large to be held in memory", async () => {
    const large = gzipLike(3 * 1024 ** 2 + 1).toString("latin1");
    const tar = await tarOf([
      { name: "a.bin", content: Buffer.from(large, "latin1") },
      { name: "index.html", content: "x" },
    ]);
    const { folder, publish } = await siteWorld(tar);
    await publish("job-1");
    expect(sha256Of(readFileSync(join(folder, "a.bin")))).toBe(sha256Of(Buffer.from(large, "latin1")));
  });

  it("tells a url below publicUrl", async () => {
    const world = await siteWorld(await archiveOf("zip", first));
    const { url } = await mirrored(world, { publicUrl: "https://docs.example.com" });
    expect(url).toBe("https://docs.example.com/");
  });

  it("keeps the archive for nobody else meanwhile, and removes it at every end", async () => {
    const archive = await archiveOf("tar.gz", first);
    const world = await siteWorld(archive);
    let seen: { folder: number; file: number } | undefined;
    world.context.status = (text) => {
      if (text.includes("verifying")) {
        const [name = ""] = readdirSync(world.temporary);
        const mode = (path: string) => statSync(path).mode & 0o777;
        seen = { folder: mode(join(world.temporary, name)), file: mode(join(world.temporary, name, "archive")) };
      }
    };
    await world.publish("job-1");
    expect(seen).toEqual({ folder: 0o700, file: 0o600 });
    expect(readdirSync(world.temporary)).toEqual([]);
  });
});

describe("an update of a site to another job", () => {
  it("publishes the new files, and removes those that the last version had and this one has not", async () => {
    const world = await siteWorld(await archiveOf("tar.gz", first), await archiveOf("zip", second));
    const state = await world.publish("job-1");
    writeFileSync(join(world.folder, "mine.txt"), "mine");
    const updated = await world.publish("job-2", state);
    expect(contentOfPages(world.folder)).toEqual({ ...contentOf(second), "mine.txt": "mine" });
    expect(readdirSync(join(world.folder, "guide"))).toEqual(["start.html"]);
    expect(updated).toMatchObject({ jobId: "job-2", version: "job-2", format: "zip", __mirror: state.__mirror });
    expect(published(world.folder)).toMatchObject({ jobId: "job-2" });
    expect(published(world.folder)).not.toHaveProperty("pending");
    expect(world.platform.calls).toEqual(["bundle job-1", "bundle job-2"]);
  });

  it.each<[string, Files, Files]>([
    ["a folder takes the place of a file", [["guide", "x"]], [["guide/index.html", "y"]]],
    ["a file takes the place of a folder", [["guide/a/index.html", "x"]], [["guide", "y"]]],
  ])("also where %s", async (_, before, after) => {
    const world = await siteWorld(await archiveOf("tar.gz", before), await archiveOf("tar.gz", after));
    await world.publish("job-2", await world.publish("job-1"));
    expect(contentOfPages(world.folder)).toEqual(contentOf(after));
  });

  it("goes on from another platform, since a new job is known where it was made", async () => {
    const world = await siteWorld(await archiveOf("tar.gz", first), await archiveOf("tar.gz", second));
    const state = { ...(await world.publish("job-1")), __origin: "https://old.example.com" };
    expect(await world.publish("job-2", state)).toMatchObject({ __origin: world.context.settings().origin });
  });
});

describe("an archive that is refused leaves the previous version whole:", () => {
  const refused: [string, () => Promise<Buffer>][] = [
    ["a path with ..", () => tarOf([{ name: "index.html" }, { name: "../evil.html", content: "x" }])],
    ["an absolute path", () => tarOf([{ name: "/etc/evil.html", content: "x" }])],
    ["a symbolic link", () => tarOf([{ name: "index.html" }, { name: "a", type: "symlink", linkname: "/etc/passwd" }])],
    ["a hard link", () => tarOf([{ name: "index.html" }, { name: "a", type: "link", linkname: "index.html" }])],
    ["a device", () => tarOf([{ name: "index.html" }, { name: "a", type: "character-device" }])],
    ["one that is cut short", async () => (await archiveOf("tar.gz", first)).subarray(0, 120)],
    ["one that is no tar inside", async () => gzipLike(5_000)],
    ["the name of the mirror's own list", () => archiveOf("zip", [[manifest, "{}"]])],
  ];

  it.each(refused)("%s", async (_, archive) => {
    const world = await siteWorld(await archiveOf("tar.gz", first), await archive());
    const state = await world.publish("job-1");
    const before = contentIn(world.folder);
    const error = await rejection(world.publish("job-2", state));
    expect(error).toBeInstanceOf(errors.ArchiveError);
    expect(error.message).toContain("before: job job-1, mirrored at");
    expect(contentIn(world.folder)).toEqual(before);
    expect(readdirSync(world.temporary)).toEqual([]);
  });

  it("one of another sha256", async () => {
    const world = await siteWorld(await archiveOf("tar.gz", first), await archiveOf("tar.gz", second));
    const state = await world.publish("job-1");
    const before = contentIn(world.folder);
    const inputs = { ...world.inputs, jobId: "job-2", expectedSha256: "0".repeat(64) };
    expect(await rejection(bundleMirror.update("id", state, inputs, world.context))).toBeInstanceOf(
      errors.ChecksumError,
    );
    expect(contentIn(world.folder)).toEqual(before);
    expect(readdirSync(world.temporary)).toEqual([]);
  });

  it("at the first time leaves nothing at all", async () => {
    const world = await siteWorld(await tarOf([{ name: "../evil.html", content: "x" }]));
    expect(await rejection(world.publish("job-1"))).toBeInstanceOf(errors.ArchiveError);
    expect(filesIn(world.folder)).toEqual([]);
  });
});

describe("a publication that fails in the middle", () => {
  /** A folder of somebody else's where a page has to be. */
  const obstruct = (folder: string) => mkdirSync(join(folder, "assets", "app.js", "x"), { recursive: true });

  it("of a first version is kept in the state, so that the next run goes on and destroy removes it", async () => {
    const archive = await archiveOf("tar.gz", second);
    const world = await siteWorld(archive);
    obstruct(world.folder);
    const failed = await rejection(world.publish("job-1"));
    expect(failed).toBeInstanceOf(PartialFailure);
    const { id, state, reason } = failed as PartialFailure<BundleMirrorState>;
    expect(id).toBe(world.inputs.destination);
    expect(reason).toBeInstanceOf(errors.DestinationError);
    expect(reason.message).toContain("Exists now: a part of the files of job job-1");
    expect(state).toMatchObject({ jobId: "job-1", sha256: sha256Of(archive), __differs: true });
    expect(bundleMirror.diff(state, world.inputs, 0).update).toBe(true);
    expect(await bundleMirror.read(id, state, world.context)).toMatchObject({ __differs: true });

    rmSync(join(world.folder, "assets", "app.js"), { recursive: true });
    const updated = await world.publish("job-1", state);
    expect(updated).not.toHaveProperty("__differs");
    expect(contentOfPages(world.folder)).toEqual(contentOf(second));
    await bundleMirror.delete?.(id, updated);
    expect(filesIn(world.folder)).toEqual([]);
  });

  it("of a later version keeps the old job in the state and in the list, and destroy removes both versions", async () => {
    const world = await siteWorld(await archiveOf("tar.gz", first), await archiveOf("tar.gz", second));
    const state = await world.publish("job-1");
    obstruct(world.folder);
    const failed = (await rejection(world.publish("job-2", state))) as PartialFailure<BundleMirrorState>;
    expect(failed).toBeInstanceOf(PartialFailure);
    expect(failed.state).toEqual({ ...state, __differs: true });
    expect(published(world.folder)).toMatchObject({
      jobId: "job-1",
      pending: expect.arrayContaining(["guide/old.html", "assets/app.js"]),
    });
    // The program goes back to the old job: what is there is a mixture, and is published anew.
    expect(bundleMirror.diff(failed.state, world.inputs, 0).update).toBe(true);
    rmSync(join(world.folder, "assets", "app.js"), { recursive: true });
    await bundleMirror.delete?.(failed.id, failed.state);
    expect(filesIn(world.folder)).toEqual([]);
  });

  it("goes on to the new job, and nothing of the old one alone is left", async () => {
    const world = await siteWorld(await archiveOf("tar.gz", first), await archiveOf("tar.gz", second));
    const state = await world.publish("job-1");
    obstruct(world.folder);
    const failed = (await rejection(world.publish("job-2", state))) as PartialFailure<BundleMirrorState>;
    rmSync(join(world.folder, "assets", "app.js"), { recursive: true });
    await world.publish("job-2", failed.state);
    expect(contentOfPages(world.folder)).toEqual(contentOf(second));
  });

  it("also where it is cancelled", async () => {
    const world = await siteWorld(await archiveOf("tar.gz", first), await archiveOf("tar.gz", second));
    const state = await world.publish("job-1");
    world.context.status = (text) => (text.includes("files published") ? world.cancel() : undefined);
    const failed = (await rejection(world.publish("job-2", state))) as PartialFailure<BundleMirrorState>;
    expect(failed).toBeInstanceOf(PartialFailure);
    expect(failed.reason).toBeInstanceOf(errors.InterruptedError);
    expect(readdirSync(world.temporary)).toEqual([]);
  });

  it("is no partial failure where it is cancelled before: the previous version is whole", async () => {
    const world = await siteWorld(await archiveOf("tar.gz", first), await archiveOf("tar.gz", second));
    const state = await world.publish("job-1");
    const before = contentIn(world.folder);
    world.context.status = (text) => (text.includes("verifying") ? world.cancel() : undefined);
    expect(await rejection(world.publish("job-2", state))).toBeInstanceOf(errors.InterruptedError);
    expect(contentIn(world.folder)).toEqual(before);
    expect(readdirSync(world.temporary)).toEqual([]);
  });
});

describe("read of a site", () => {
  it("changes nothing where all is as it was, also where files were only touched", async () => {
    const world = await siteWorld(await archiveOf("tar.gz", first));
    const state = await world.publish("job-1");
    utimesSync(join(world.folder, "index.html"), 1, 1);
    expect(await bundleMirror.read("id", state, world.context)).toEqual(state);
    expect(world.platform.calls).toHaveLength(1);
    expect(world.server.requests).toHaveLength(1);
  });

  it("drops a site whose list is missing", async () => {
    const world = await siteWorld(await archiveOf("tar.gz", first));
    const state = await world.publish("job-1");
    rmSync(join(world.folder, manifest));
    expect(await bundleMirror.read("id", state, world.context)).toBeUndefined();
  });

  it.each<[string, (folder: string) => void]>([
    ["a missing page", (folder) => rmSync(join(folder, "guide/start.html"))],
    ["a changed page", (folder) => writeFileSync(join(folder, "index.html"), "<h1>0ne</h1>")],
    ["a list that cannot be read", (folder) => writeFileSync(join(folder, manifest), "{")],
    ["a list of another job", (folder) => editManifest(folder, { jobId: "job-9" })],
    ["a list with a path that leads elsewhere", (folder) => editManifest(folder, { pending: ["../../etc"] })],
  ])("marks %s, and the next update publishes everything anew", async (_, change) => {
    const world = await siteWorld(await archiveOf("tar.gz", first));
    const state = await world.publish("job-1");
    change(world.folder);
    const read = await bundleMirror.read("id", state, world.context);
    expect(read).toEqual({ ...state, __differs: true });
    expect(world.server.requests).toHaveLength(1);
    const updated = await world.publish("job-1", { ...state, __differs: true });
    expect(contentOfPages(world.folder)).toEqual(contentOf(first));
    expect(await bundleMirror.read("id", updated, world.context)).toEqual(updated);
  });
});

function editManifest(folder: string, changed: object): void {
  writeFileSync(join(folder, manifest), JSON.stringify({ ...published(folder), ...changed }));
}

describe("delete of a site", () => {
  it("removes its files and its list, and nothing else", async () => {
    const world = await siteWorld(await archiveOf("tar.gz", first));
    const state = await world.publish("job-1");
    writeFileSync(join(world.folder, "guide", "mine.html"), "mine");
    await bundleMirror.delete?.("id", state);
    expect(filesIn(world.folder)).toEqual(["guide/mine.html"]);
    await bundleMirror.delete?.("id", state);
  });

  it.each([
    ["names another job", { jobId: "job-2" }],
    ["is another mirror's", { mirror: "0".repeat(16) }],
    ["holds a path that leads elsewhere", { pending: ["../outside.txt"] }],
    ["holds an absolute path", { pending: ["/etc/passwd"] }],
  ])("removes nothing where the list %s", async (_, changed) => {
    const world = await siteWorld(await archiveOf("tar.gz", first));
    const state = await world.publish("job-1");
    editManifest(world.folder, changed);
    const before = contentIn(world.folder);
    await bundleMirror.delete?.("id", state);
    expect(contentIn(world.folder)).toEqual(before);
  });

  it("of what was replaced leaves the new one of the same job", async () => {
    const world = await siteWorld(await archiveOf("tar.gz", first));
    const old = await world.publish("job-1");
    await world.publish("job-1");
    await bundleMirror.delete?.("id", old);
    expect(contentOfPages(world.folder)).toEqual(contentOf(first));
  });
});

describe.skipIf(!canMount())("on a file system that the test mounts (skipped without the right to)", () => {
  it("a full temporary folder is told with the way to name another one, and nothing is published", async () => {
    const noise = gzipLike(3 * 1024 ** 2);
    const world = await siteWorld(await tarOf([{ name: "a.bin", content: noise }]));
    vi.stubEnv("TMPDIR", mounted("size=1m"));
    const error = await rejection(world.publish("job-1"));
    expect(error).toBeInstanceOf(errors.DestinationError);
    expect(error.message).toContain("the disk is full");
    expect(error.message).toContain("TMPDIR");
    expect(filesIn(world.folder)).toEqual([]);
  });
});
