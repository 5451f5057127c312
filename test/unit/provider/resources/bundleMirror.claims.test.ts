import { cpSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { BundleMirrorState } from "../../../../provider/definitions/bundleMirror";
import { bundleMirror } from "../../../../provider/resources/bundleMirror";
import { DestinationError } from "../../../../provider/support/errors";
import { rejection } from "../../../support/clientUnderTest";
import { destroyed, type MirrorWorld, mirrored } from "../../../support/mirror/mirrorWorld";
import {
  contentOf,
  contentOfPages,
  first,
  published,
  siteManifest,
  siteWorld,
} from "../../../support/mirror/siteWorld";
import { contentIn, sha256Of } from "../../../support/mirror/storage";
import { archiveWith } from "../mirror/archive/archives";

afterEach(() => vi.unstubAllEnvs());

/* Texts that somebody else wrote at a destination are claims. The state, or the bytes in hand, decide. */

const refreshed = (world: MirrorWorld, state: BundleMirrorState) => bundleMirror.read("id", state, world.context);
const remove = destroyed;

describe("a page that somebody else has written", () => {
  /** Changes a page and its line in the manifest, as an attacker with write access can. */
  function plantPage(folder: string, path: string, text: string): void {
    const file = join(folder, path);
    writeFileSync(file, text);
    const list = published(folder);
    const line = list.files.find((one: { path: string }) => one.path === path);
    line.sizeBytes = text.length;
    line.sha256 = sha256Of(text);
    line.mark = String(statSync(file, { bigint: true }).ctimeNs);
    writeFileSync(join(folder, siteManifest), JSON.stringify(list));
  }

  it("with its line in the list is seen by a refresh, and replaced by the next update", async () => {
    const world = await siteWorld(await archiveWith("tar.gz", first));
    const state = await world.publish("job-1");
    plantPage(world.folder, "index.html", "<h1>Planted</h1>");
    const read = await refreshed(world, state);
    expect(read).toMatchObject({ __differs: true });
    const updated = await world.publish("job-1", read);
    expect(contentOfPages(world.folder)).toEqual(contentOf(first));
    expect(await refreshed(world, updated)).toEqual(updated);
  });

  it("before the first publication, as a site of another mirror with the same bundle, is not taken for the site", async () => {
    const world = await siteWorld(await archiveWith("tar.gz", first));
    await world.publish("job-1");
    plantPage(world.folder, "index.html", "<h1>Planted</h1>");
    const before = contentIn(world.folder);
    expect(await rejection(world.publish("job-1"))).toBeInstanceOf(DestinationError);
    expect(contentIn(world.folder)).toEqual(before);
  });

  it("with its revision, so that only its content differs, is seen by a refresh", async () => {
    const world = await siteWorld(await archiveWith("tar.gz", first));
    const state = await world.publish("job-1");
    const file = join(world.folder, "index.html");
    writeFileSync(file, "<h1>0ne</h1>");
    const list = published(world.folder);
    const line = list.files.find((one: { path: string }) => one.path === "index.html");
    line.mark = String(statSync(file, { bigint: true }).ctimeNs);
    writeFileSync(join(world.folder, siteManifest), JSON.stringify(list));
    expect(await refreshed(world, state)).toMatchObject({ __differs: true });
  });
});

describe("a list of files that was this mirror's once", () => {
  it("removes nothing that the current one does not name, where somebody has put it back", async () => {
    const archives = [await archiveWith("tar.gz", first), await archiveWith("tar.gz", [["index.html", "x"]])] as const;
    const world = await siteWorld(...archives);
    const state = await world.publish("job-1");
    const old = readFileSync(join(world.folder, siteManifest));
    const updated = await world.publish("job-2", state);
    // Foreign files have replaced pages of the first version.
    cpSync(join(world.folder, "index.html"), join(world.folder, "guide/start.html"));
    writeFileSync(join(world.folder, siteManifest), old);
    const { jobId } = state;
    await remove({ ...updated, jobId });
    expect(Object.keys(contentOfPages(world.folder))).toEqual(["guide/start.html", "index.html"]);
  });
});

describe("what a manifest of another shape tells", () => {
  it.each<[string, object]>([
    ["a field that no mirror writes", { note: "x" }],
    ["an owner that is no name of one", { mirror: "x".repeat(16) }],
    ["an invalid sha256", { sha256: "0" }],
    ["a size below zero", { sizeBytes: -1 }],
    ["owners without end", { sharedWith: Array.from({ length: 100_000 }, () => "0".repeat(16)) }],
  ])("is not read: %s", async (_, changed) => {
    const world = await siteWorld(await archiveWith("tar.gz", first));
    const state = await world.publish("job-1");
    writeFileSync(join(world.folder, siteManifest), JSON.stringify({ ...published(world.folder), ...changed }));
    const before = contentIn(world.folder);
    const warnings: string[] = [];
    await remove(state, { warn: (text) => warnings.push(text) });
    expect(contentIn(world.folder)).toEqual(before);
    expect(warnings).toHaveLength(1);
  });
});

describe("a delete by a state that somebody has made up from what lies at the destination", () => {
  it.each(["archive", "site"] as const)("removes nothing: %s", async (layout) => {
    const world = await siteWorld(await archiveWith("tar.gz", first));
    const state = await mirrored(world, { layout });
    const name = layout === "site" ? siteManifest : "job-1.json";
    const { mirror } = JSON.parse(readFileSync(join(world.folder, name), "utf8"));
    const before = contentIn(world.folder);
    for (const key of ["", mirror, "0".repeat(32)]) {
      await remove({ ...state, __key: key });
    }
    expect(contentIn(world.folder)).toEqual(before);
    await remove(state);
  });
});
