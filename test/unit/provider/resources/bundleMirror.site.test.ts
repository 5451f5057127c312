import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  contentOf,
  contentOfPages,
  first,
  pages,
  readSiteManifest,
  second,
  siteWorld,
} from "../../../support/mirror/siteWorld";
import { gzipLike, sha256Of } from "../../../support/mirror/storage";
import { toldByHost } from "../../../support/toldByHost";
import { archiveWith, type Files, formats, tarOf } from "../mirror/archive/archives";

const { bundleMirror } = toldByHost;

afterEach(() => vi.unstubAllEnvs());

describe("create of a site", () => {
  it.each(formats)("publishes every file of a %s, and tells what it is", async (format) => {
    const archive = await archiveWith(format, first);
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
    const archive = await archiveWith("tar.gz", first);
    const { folder, publish } = await siteWorld(archive);
    const state = await publish("job-1");
    expect(JSON.stringify(state)).not.toContain("start.html");
    expect(JSON.stringify(readSiteManifest(folder))).not.toContain(state.__publication);
    expect(Object.keys(readSiteManifest(folder).files[0] ?? {})).toEqual(["path", "sizeBytes", "sha256", "revision"]);
    expect(readSiteManifest(folder)).toEqual({
      jobId: "job-1",
      version: "job-1",
      format: "tar.gz",
      sha256: sha256Of(archive),
      sizeBytes: archive.length,
      mirroredAt: "2026-03-01T00:00:00.000Z",
      tool: expect.stringContaining("pulumi-docs-platform"),
      owner: "this mirror",
      seals: [expect.stringMatching(/^[0-9a-f]{64}$/)],
      files: expect.toSatisfy((files: { path: string; sha256: string }[]) =>
        first.every(([path, content]) => files.some((file) => file.path === path && file.sha256 === sha256Of(content))),
      ),
    });
  });

  it("puts what pages refer to before the pages, and index.html last", async () => {
    const { folder, publish } = await siteWorld(await archiveWith("tar.gz", first));
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

  it("keeps the archive for nobody else meanwhile, and removes it at every end", async () => {
    const archive = await archiveWith("tar.gz", first);
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
    const world = await siteWorld(await archiveWith("tar.gz", first), await archiveWith("zip", second));
    const state = await world.publish("job-1");
    writeFileSync(join(world.folder, "mine.txt"), "mine");
    const updated = await world.publish("job-2", state);
    expect(contentOfPages(world.folder)).toEqual({ ...contentOf(second), "mine.txt": "mine" });
    expect(readdirSync(join(world.folder, "guide"))).toEqual(["start.html"]);
    expect(updated).toMatchObject({ jobId: "job-2", version: "job-2", format: "zip" });
    expect(updated.__publication).not.toBe(state.__publication);
    expect(readSiteManifest(world.folder)).toMatchObject({ jobId: "job-2" });
    expect(readSiteManifest(world.folder)).not.toHaveProperty("pending");
    expect(world.platform.calls).toEqual(["bundle job-1", "bundle job-2"]);
  });

  it.each<[string, Files, Files]>([
    ["a folder takes the place of a file", [["guide", "x"]], [["guide/start.html", "y"]]],
    ["a file takes the place of a folder", [["guide/a/index.html", "x"]], [["guide", "y"]]],
  ])("also where %s", async (_, before, after) => {
    const page: Files = [["index.html", "x"]];
    const archives = [
      await archiveWith("tar.gz", [...page, ...before]),
      await archiveWith("tar.gz", [...page, ...after]),
    ] as const;
    const world = await siteWorld(...archives);
    await world.publish("job-2", await world.publish("job-1"));
    expect(contentOfPages(world.folder)).toEqual(contentOf([...page, ...after]));
  });

  it("goes on from another platform with another job", async () => {
    const world = await siteWorld(await archiveWith("tar.gz", first), await archiveWith("tar.gz", second));
    const state = { ...(await world.publish("job-1")), __origin: "https://old.example.com" };
    expect(await world.publish("job-2", state)).toMatchObject({ __origin: world.context.settings().origin });
  });
});
