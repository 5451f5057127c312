import {
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { BundleMirrorState } from "../../../../provider/definitions/bundleMirror";
import * as errors from "../../../../provider/support/errors";
import { rejection } from "../../../support/clientUnderTest";
import { planned } from "../../../support/decisions";
import { destroyMirror, type MirrorWorld, mirrorWorld } from "../../../support/mirror/mirrorWorld";
import { canMount, mounted } from "../../../support/mirror/mounts";
import {
  contentOf,
  contentOfPages,
  first,
  pages,
  readSiteManifest,
  second,
  siteManifest,
  siteWorld,
} from "../../../support/mirror/siteWorld";
import { contentIn, filesIn, gzipLike, sha256Of, storageReply } from "../../../support/mirror/storage";
import { temporaryFolder } from "../../../support/temporaryFolder";
import { SavedFailure, throwingLifecycles } from "../../../support/throwingLifecycles";
import { archiveWith, type Files, formats, tarOf } from "../mirror/archive/archives";

const { bundleMirror } = throwingLifecycles;

afterEach(() => vi.unstubAllEnvs());

describe("create of a site", () => {
  it.each(formats)("publishes every file of a %s, and says what it is", async (format) => {
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
  it.each<[string, Files, Files]>([
    ["a folder takes the place of a file", [["guide", "x"]], [["guide/start.html", "y"]]],
    ["a file takes the place of a folder", [["guide/a/index.html", "x"]], [["guide", "y"]]],
  ])("removes what the new one has not, also where %s", async (_, before, after) => {
    const page: Files = [["index.html", "x"]];
    const archives = [
      await archiveWith("tar.gz", [...page, ...before]),
      await archiveWith("tar.gz", [...page, ...after]),
    ] as const;
    const world = await siteWorld(...archives);
    await world.publish("job-2", await world.publish("job-1"));
    expect(contentOfPages(world.folder)).toEqual(contentOf([...page, ...after]));
  });
});

describe("a publication that fails in the middle", () => {
  /** Makes a folder at the path of one of the site's files, so that the mirror cannot write this file. */
  const obstruct = (folder: string) => mkdirSync(join(folder, "assets", "app.js", "x"), { recursive: true });

  /** Publishes a first version of a site. Then updates the site, and the update fails after its first new file. */
  async function failedUpdate() {
    const files: typeof second = [["assets/added.css", "body {}"], ...second];
    const world = await siteWorld(await archiveWith("tar.gz", first), await archiveWith("tar.gz", files));
    const state = await world.publish("job-1");
    obstruct(world.folder);
    const failed = (await rejection(world.publish("job-2", state))) as SavedFailure<BundleMirrorState>;
    return { world, state, failed };
  }

  it("is kept in the state if it was the first, so that the next run continues and destroy removes it", async () => {
    const archive = await archiveWith("tar.gz", second);
    const world = await siteWorld(archive);
    obstruct(world.folder);
    const failed = await rejection(world.publish("job-1"));
    expect(failed).toBeInstanceOf(SavedFailure);
    const { id, state, reason } = failed as SavedFailure<BundleMirrorState>;
    expect(id).toBe(world.inputs.destination);
    expect(reason).toBeInstanceOf(errors.DestinationError);
    expect(reason.message).toContain("Exists now: a part of the files of job job-1");
    expect(state).toMatchObject({
      jobId: "job-1",
      sha256: sha256Of(archive),
      __difference: "the publication did not complete",
    });
    expect(planned("BundleMirror", state, world.inputs, 0).action).toBe("update");
    expect(await bundleMirror.read(id, state, world.context)).toMatchObject({ __difference: expect.any(String) });

    rmSync(join(world.folder, "assets", "app.js"), { recursive: true });
    const updated = await world.publish("job-1", state);
    expect(updated).not.toHaveProperty("__difference");
    expect(contentOfPages(world.folder)).toEqual(contentOf(second));
    await destroyMirror(updated);
    expect(filesIn(world.folder)).toEqual([]);
  });

  it("keeps the old job in the state and in the list if it was a later one, and destroy removes both versions", async () => {
    const { world, state, failed } = await failedUpdate();
    expect(failed).toBeInstanceOf(SavedFailure);
    expect(failed.state).toEqual({ ...state, __difference: expect.any(String) });
    expect(readSiteManifest(world.folder)).toMatchObject({
      jobId: "job-1",
      files: expect.arrayContaining([expect.objectContaining({ path: "guide/old.html" })]),
      pending: ["assets/added.css", "assets/app.js"],
    });
    expect(filesIn(world.folder)).toContain("assets/added.css");
    // The destination has files of both jobs now, so the old job's site must be published again.
    expect(planned("BundleMirror", failed.state, world.inputs, 0).action).toBe("update");
    rmSync(join(world.folder, "assets", "app.js"), { recursive: true });
    await destroyMirror(failed.state);
    expect(filesIn(world.folder)).toEqual([]);
  });
});

describe.skipIf(!canMount())("on a file system that the test mounts (skipped without the right to)", () => {
  it("a full temporary folder is reported with the way to name another one, and nothing is published", async () => {
    const noise = gzipLike(3 * 1024 ** 2);
    const archive = await tarOf([{ name: "a.bin", content: noise }]);
    const world = await siteWorld(archive);
    vi.stubEnv("TMPDIR", mounted("size=1m"));
    const error = await rejection(world.publish("job-1"));
    expect(error).toBeInstanceOf(errors.DestinationError);
    expect(error.message).toContain(`the disk is full (ENOSPC, write): at least ${archive.length} bytes are needed`);
    expect(error.message).toContain("TMPDIR");
    expect(filesIn(world.folder)).toEqual([]);
  });
});

const create = (world: MirrorWorld) => bundleMirror.create(world.inputs, world.context);
const refused = async (world: MirrorWorld) => {
  const error = await rejection(create(world));
  expect(error).toBeInstanceOf(errors.DestinationError);
  return error.message;
};

function mine(folder: string, ...names: string[]): Record<string, string> {
  for (const name of names) {
    mkdirSync(join(folder, name, ".."), { recursive: true });
    writeFileSync(join(folder, name), `mine: ${name}`);
  }
  return contentIn(folder);
}

describe("a site at a place with files that are not its own", () => {
  it("is refused with the first of them", async () => {
    const world = await siteWorld(await archiveWith("tar.gz", first));
    const before = mine(world.folder, "guides/ci.html", "index.html", "notes.txt", "old/a", "old/b");
    const message = await refused(world);
    expect(message).toMatch(/files that do not belong to this mirror: ".+", ".+", ".+" and others/);
    expect(contentIn(world.folder)).toEqual(before);
  });

  it.each([
    ["of such a name in another case, which some file systems take for the same", "INDEX.html"],
    ["in the place of a folder", "guide"],
    ["in a folder in the place of a file", "assets/style.css/x"],
  ])("overwrites none of them: one %s", async (_, name) => {
    const world = await siteWorld(await archiveWith("tar.gz", first));
    const before = mine(world.folder, name);
    expect(await refused(world)).toContain(JSON.stringify(name));
    expect(contentIn(world.folder)).toEqual(before);
  });

  it("follows no link to a folder, nor a link for a page", async () => {
    const world = await siteWorld(await archiveWith("tar.gz", first));
    const outside = temporaryFolder();
    const before = mine(outside, "start.html");
    symlinkSync(outside, join(world.folder, "guide"));
    expect(await refused(world)).toContain('"guide"');
    expect(contentIn(outside)).toEqual(before);
    expect(filesIn(world.folder)).toEqual([]);
  });
});

describe("what a killed first run has left", () => {
  /** Makes a place where the first publication stopped at its first file. The state of this publication is lost. */
  async function killed(next: Files) {
    const world = await siteWorld(await archiveWith("tar.gz", first));
    world.context.status = (text) => (text.includes("files published") ? world.cancel() : undefined);
    await rejection(create(world));
    return {
      ...(await mirrorWorld([storageReply(await archiveWith("zip", next))])),
      ...{ inputs: world.inputs, folder: world.folder },
    };
  }

  it("stays unchanged where the next run is about to publish others: nothing proves whose it is", async () => {
    const next = await killed(second);
    const before = contentIn(next.folder);
    const error = await rejection(create(next));
    expect(error).toBeInstanceOf(errors.DestinationError);
    expect(error.message).toContain("files that do not belong to this mirror");
    expect(contentIn(next.folder)).toEqual(before);
  });
});

it("a refresh of a site changes nothing where files were only touched", async () => {
  const world = await siteWorld(await archiveWith("tar.gz", first));
  const state = await world.publish("job-1");
  utimesSync(join(world.folder, "index.html"), 1, 1);
  expect(await bundleMirror.read("id", state, world.context)).toEqual(state);
  expect([world.platform.calls.length, world.server.requests.length]).toEqual([1, 1]);
});

it("a list of more than 32 MiB permits no removal", async () => {
  const world = await siteWorld(await archiveWith("tar.gz", first));
  const state = await world.publish("job-1");
  const list = JSON.stringify(readSiteManifest(world.folder));
  writeFileSync(join(world.folder, siteManifest), list.padEnd(32 * 1024 ** 2 + 1));
  const before = filesIn(world.folder);
  await destroyMirror(state);
  expect(filesIn(world.folder)).toEqual(before);
});
