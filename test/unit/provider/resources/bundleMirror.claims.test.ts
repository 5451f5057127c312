import { mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { BundleMirrorState } from "../../../../provider/definitions/bundleMirror";
import * as errors from "../../../../provider/support/errors";
import { DestinationError } from "../../../../provider/support/errors";
import { rejection } from "../../../support/clientUnderTest";
import { destroyMirror, type MirrorWorld, mirrored, mirrorWorld } from "../../../support/mirror/mirrorWorld";
import {
  contentOf,
  contentOfPages,
  first,
  readSiteManifest,
  second,
  siteManifest,
  siteWorld,
} from "../../../support/mirror/siteWorld";
import { contentIn, filesIn, gzipLike, sha256Of, storage } from "../../../support/mirror/storage";
import { toldByHost } from "../../../support/toldByHost";
import { archiveWith, type Files } from "../mirror/archive/archives";

const { bundleMirror } = toldByHost;

afterEach(() => vi.unstubAllEnvs());

/* Texts that somebody else wrote at a destination are claims. The state, or the bytes in hand, decide. */

const refreshed = (world: MirrorWorld, state: BundleMirrorState) => bundleMirror.read("id", state, world.context);

describe("a page that somebody else has written", () => {
  /** Changes a page and its line in the manifest, as an attacker with write access can. */
  function plantPage(folder: string, path: string, text: string): void {
    const file = join(folder, path);
    writeFileSync(file, text);
    const list = readSiteManifest(folder);
    const line = list.files.find((one: { path: string }) => one.path === path);
    line.sizeBytes = text.length;
    line.sha256 = sha256Of(text);
    const { ctimeNs, ino } = statSync(file, { bigint: true });
    line.revision = `${ctimeNs}-${ino}`;
    writeFileSync(join(folder, siteManifest), JSON.stringify(list));
  }

  it("with its line in the list is seen by a refresh, and replaced by the next update", async () => {
    const world = await siteWorld(await archiveWith("tar.gz", first));
    const state = await world.publish("job-1");
    plantPage(world.folder, "index.html", "<h1>Planted</h1>");
    const read = await refreshed(world, state);
    expect(read).toMatchObject({ __difference: expect.any(String) });
    const updated = await world.publish("job-1", read);
    expect(contentOfPages(world.folder)).toEqual(contentOf(first));
    expect(await refreshed(world, updated)).toEqual(updated);
  });

  it("before the first publication, with a list that names this mirror, is not taken for the site", async () => {
    const world = await siteWorld(await archiveWith("tar.gz", first));
    await world.publish("job-1");
    plantPage(world.folder, "index.html", "<h1>Planted</h1>");
    const before = contentIn(world.folder);
    expect(await rejection(world.publish("job-1"))).toBeInstanceOf(DestinationError);
    expect(contentIn(world.folder)).toEqual(before);
  });
});

describe("the list of a version that was rolled back", () => {
  it("removes nothing where somebody has put it back: no publication has the right of an earlier one", async () => {
    const archives = [await archiveWith("tar.gz", first), await archiveWith("tar.gz", second)] as const;
    const world = await siteWorld(...archives, archives[0]);
    const v2 = await world.publish("job-2", await world.publish("job-1"));
    const old = readFileSync(join(world.folder, siteManifest));
    const v1 = await world.publish("job-1", v2);
    // Another team has the path of a page of the second version.
    writeFileSync(join(world.folder, "assets/app.js"), "theirs");
    for (const list of [old, readFileSync(join(world.folder, siteManifest))]) {
      writeFileSync(join(world.folder, siteManifest), list);
      await destroyMirror(v1);
      expect(contentOfPages(world.folder)["assets/app.js"]).toBe("theirs");
    }
  });
});

describe("what a manifest of another shape tells", () => {
  it.each<[string, object]>([
    ["a field that no mirror writes", { note: "x" }],
    ["an invalid sha256", { sha256: "0" }],
  ])("is not read: %s", async (_, changed) => {
    const world = await siteWorld(await archiveWith("tar.gz", first));
    const state = await world.publish("job-1");
    writeFileSync(join(world.folder, siteManifest), JSON.stringify({ ...readSiteManifest(world.folder), ...changed }));
    const before = contentIn(world.folder);
    const warnings: string[] = [];
    await destroyMirror(state, { warn: (text) => warnings.push(text) });
    expect(contentIn(world.folder)).toEqual(before);
    expect(warnings).toHaveLength(1);
  });
});

describe("a delete by a state that somebody has made up from what lies at the destination", () => {
  it.each(["archive", "site"] as const)("removes nothing: %s", async (layout) => {
    const world = await siteWorld(await archiveWith("tar.gz", first));
    const state = await mirrored(world, { layout });
    const name = layout === "site" ? siteManifest : "job-1.json";
    const { seals } = JSON.parse(readFileSync(join(world.folder, name), "utf8"));
    const before = contentIn(world.folder);
    for (const __publication of ["", seals[0], "0".repeat(32)]) {
      await destroyMirror({ ...state, __publication });
    }
    expect(contentIn(world.folder)).toEqual(before);
    await destroyMirror(state);
  });
});

const create = (world: MirrorWorld) => bundleMirror.create(world.inputs, world.context);

describe("what a killed first run has left", () => {
  /** A site whose first publication stopped at its first file, and whose state was lost. */
  async function killed(next: Files) {
    const world = await siteWorld(await archiveWith("tar.gz", first));
    world.context.status = (text) => (text.includes("files published") ? world.cancel() : undefined);
    await rejection(create(world));
    return {
      ...(await mirrorWorld([storage(await archiveWith("zip", next))])),
      ...{ inputs: world.inputs, folder: world.folder },
    };
  }

  it("is taken over by a run that is about to publish the same files", async () => {
    const next = await killed(first);
    const { state } = await create(next);
    expect(contentOfPages(next.folder)).toEqual(contentOf(first));
    await destroyMirror(state);
    expect(filesIn(next.folder)).toEqual([]);
  });

  it("stays as it is where the next run is about to publish others: nothing proves whose it is", async () => {
    const next = await killed(second);
    const before = contentIn(next.folder);
    const error = await rejection(create(next));
    expect(error).toBeInstanceOf(errors.DestinationError);
    expect(error.message).toContain("files that do not belong to this mirror");
    expect(contentIn(next.folder)).toEqual(before);
  });
});

describe("a list of files that somebody else has written", () => {
  const edit = (folder: string, changed: object) =>
    writeFileSync(join(folder, siteManifest), JSON.stringify({ ...readSiteManifest(folder), ...changed }));
  const foreign = { path: "private/key.txt", sizeBytes: 1, sha256: "0".repeat(64), revision: "1" };

  it.each<[string, (folder: string) => void]>([
    ["names a further file", (folder) => edit(folder, { files: [...readSiteManifest(folder).files, foreign] })],
    ["names a further file as pending", (folder) => edit(folder, { pending: [foreign.path] })],
    ["has no seal", (folder) => edit(folder, { files: [foreign], seals: [] })],
    ["names another job", (folder) => edit(folder, { jobId: "job-9" })],
    ["has a path that leads elsewhere", (folder) => edit(folder, { pending: ["../../etc"] })],
    ["is gone", (folder) => rmSync(join(folder, siteManifest))],
    ["cannot be read", (folder) => writeFileSync(join(folder, siteManifest), "{")],
    [
      "has more than 32 MiB",
      (folder) => writeFileSync(join(folder, siteManifest), Buffer.alloc(32 * 1024 ** 2 + 1, " ")),
    ],
  ])("deletes nothing where it %s, is told, and is mended by the next update", async (_, change) => {
    const world = await siteWorld(await archiveWith("tar.gz", first));
    const state = await world.publish("job-1");
    mkdirSync(join(world.folder, "private"));
    writeFileSync(join(world.folder, foreign.path), "mine");
    change(world.folder);
    const before = contentIn(world.folder);
    const warnings: string[] = [];
    await destroyMirror(state, { warn: (text) => warnings.push(text) });
    expect(contentIn(world.folder)).toEqual(before);
    expect(warnings).toEqual([expect.stringContaining("is not the one that this mirror wrote")]);
    expect(await bundleMirror.read("id", state, world.context)).toEqual({
      ...state,
      __difference: expect.any(String),
    });

    const updated = await world.publish("job-1", { ...state, __difference: "changed" });
    expect(world.warnings).toEqual([expect.stringContaining("is not the one that this mirror wrote")]);
    expect(await bundleMirror.read("id", updated, world.context)).toEqual(updated);
    await destroyMirror(updated);
    expect(filesIn(world.folder)).toEqual([foreign.path]);
  });
});

const bytes = gzipLike(30_000);

describe("delete of an archive", () => {
  it("finds no fault in what is missing already", async () => {
    const world = await mirrorWorld([storage(bytes)]);
    const state = await mirrored(world);
    rmSync(join(world.folder, "job-1.tar.gz"));
    await destroyMirror(state);
    expect(filesIn(world.folder)).toEqual([]);
    rmSync(world.folder, { recursive: true });
    await destroyMirror(state);
  });
});

describe("read of a site", () => {
  it("changes nothing where all is as it was, also where files were only touched", async () => {
    const world = await siteWorld(await archiveWith("tar.gz", first));
    const state = await world.publish("job-1");
    utimesSync(join(world.folder, "index.html"), 1, 1);
    expect(await bundleMirror.read("id", state, world.context)).toEqual(state);
    expect(world.platform.calls).toHaveLength(1);
    expect(world.server.requests).toHaveLength(1);
  });

  it.each<[string, string, (folder: string) => void]>([
    ["a missing page", "1 file differs: guide/start.html", (folder) => rmSync(join(folder, "guide/start.html"))],
    [
      "a changed page",
      "1 file differs: index.html",
      (folder) => writeFileSync(join(folder, "index.html"), "<h1>0ne</h1>"),
    ],
  ])("marks %s, and the next update publishes everything anew", async (_, __difference, change) => {
    const world = await siteWorld(await archiveWith("tar.gz", first));
    const state = await world.publish("job-1");
    change(world.folder);
    const read = await bundleMirror.read("id", state, world.context);
    expect(read).toEqual({ ...state, __difference });
    expect(world.server.requests).toHaveLength(1);
    const updated = await world.publish("job-1", { ...state, __difference: "changed" });
    expect(contentOfPages(world.folder)).toEqual(contentOf(first));
    expect(await bundleMirror.read("id", updated, world.context)).toEqual(updated);
  });
});
