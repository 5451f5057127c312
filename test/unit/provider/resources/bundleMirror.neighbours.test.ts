import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { bundleMirror } from "../../../../provider/resources/bundleMirror";
import * as errors from "../../../../provider/support/errors";
import { rejection } from "../../../support/clientUnderTest";
import { destroyed, type MirrorWorld, mirrored, mirrorWorld } from "../../../support/mirror/mirrorWorld";
import { contentOf, contentOfPages, first, second, siteManifest, siteWorld } from "../../../support/mirror/siteWorld";
import { contentIn, filesIn, gzipLike, sha256Of, storage } from "../../../support/mirror/storage";
import { temporaryFolder } from "../../../support/temporaryFolder";
import { archiveWith } from "../mirror/archive/archives";

afterEach(() => vi.unstubAllEnvs());

const bytes = gzipLike(30_000);
const remove = destroyed;
const create = (world: MirrorWorld, inputs: object = {}) =>
  bundleMirror.create({ ...world.inputs, ...inputs }, world.context);
const refused = async (work: Promise<unknown>) => {
  const error = await rejection(work);
  expect(error).toBeInstanceOf(errors.DestinationError);
  return error.message;
};

/** The user's own files in a folder. */
function mine(folder: string, ...names: string[]): Record<string, string> {
  for (const name of names) {
    mkdirSync(join(folder, name, ".."), { recursive: true });
    writeFileSync(join(folder, name), `mine: ${name}`);
  }
  return contentIn(folder);
}

describe("a site at a place with files that are not its own", () => {
  it("is refused with the first of them, before a link is minted", async () => {
    const world = await siteWorld(await archiveWith("tar.gz", first));
    const before = mine(world.folder, "guides/ci.html", "index.html", "notes.txt", "old/a", "old/b");
    const message = await refused(create(world));
    expect(message).toMatch(/files that do not belong to this mirror: ".+", ".+", ".+" and others/);
    expect(message).toContain("allowExisting");
    expect(world.platform.calls).toEqual([]);
    expect(contentIn(world.folder)).toEqual(before);
  });

  it("is published beside them with allowExisting, and delete leaves them", async () => {
    const world = await siteWorld(await archiveWith("tar.gz", first), await archiveWith("tar.gz", second));
    const before = mine(world.folder, "notes.txt", "guide/mine.html");
    const { state } = await create(world, { allowExisting: true });
    expect(contentOfPages(world.folder)).toEqual({ ...contentOf(first), ...before });
    const updated = await world.publish("job-2", state);
    expect(contentOfPages(world.folder)).toEqual({ ...contentOf(second), ...before });
    await remove(updated);
    expect(contentIn(world.folder)).toEqual(before);
  });

  it.each([
    ["of the name of a page", "index.html"],
    ["of such a name in another case, which some file systems take for the same", "INDEX.html"],
    ["in the place of a folder", "guide"],
    ["in a folder in the place of a file", "assets/style.css/x"],
    ["of the name of its own list", siteManifest],
  ])("overwrites none of them, also with allowExisting: one %s", async (_, name) => {
    const world = await siteWorld(await archiveWith("tar.gz", first));
    const before = mine(world.folder, name);
    expect(await refused(create(world, { allowExisting: true }))).toContain(JSON.stringify(name));
    expect(contentIn(world.folder)).toEqual(before);
  });

  it("overwrites none that has come since, in an update", async () => {
    const world = await siteWorld(await archiveWith("tar.gz", first), await archiveWith("tar.gz", second));
    const state = await world.publish("job-1");
    const before = mine(world.folder, "assets/app.js");
    expect(await refused(world.publish("job-2", state))).toContain('"assets/app.js"');
    expect(contentIn(world.folder)).toEqual(before);
  });

  it.each([false, true])(
    "follows no link to a folder, nor a link for a page (allowExisting: %s)",
    async (allowExisting) => {
      const world = await siteWorld(await archiveWith("tar.gz", first));
      const outside = temporaryFolder();
      const before = mine(outside, "start.html");
      symlinkSync(outside, join(world.folder, "guide"));
      expect(await refused(create(world, { allowExisting }))).toContain('"guide"');
      expect(contentIn(outside)).toEqual(before);
      expect(filesIn(world.folder)).toEqual([]);
    },
  );
});

describe("an archive at a place with files that are not its own", () => {
  it.each(["job-1.tar.gz", "job-1.tar.gz.sha256", "job-1.json"])("is refused where one is named %s", async (name) => {
    const world = await mirrorWorld([storage(bytes)]);
    const before = mine(world.folder, name);
    expect(await refused(create(world))).toContain(JSON.stringify(name));
    expect(contentIn(world.folder)).toEqual(before);
  });

  it("is put beside those of other names", async () => {
    const world = await mirrorWorld([storage(bytes)]);
    const before = mine(world.folder, "index.html", "job-2.tar.gz");
    await remove(await mirrored(world));
    expect(contentIn(world.folder)).toEqual(before);
  });
});

describe("two mirrors of one job at one place", () => {
  it("share an archive: it is written once, and the last one removes it", async () => {
    const world = await mirrorWorld([storage(bytes)]);
    const prod = await mirrored(world);
    const staging = await mirrored(world);
    // The same revision shows that nothing was written.
    expect(await bundleMirror.read("id", prod, world.context)).toEqual(prod);
    expect(await bundleMirror.read("id", staging, world.context)).toEqual(staging);
    expect(staging).toMatchObject({ sha256: prod.sha256, __mark: prod.__mark });
    await remove(staging);
    expect(filesIn(world.folder)).toHaveLength(3);
    expect(await bundleMirror.read("id", prod, world.context)).toEqual(prod);
    await remove(staging);
    expect(filesIn(world.folder)).toHaveLength(3);
    await remove(prod);
    expect(filesIn(world.folder)).toEqual([]);
  });

  it.each(["archive", "site"] as const)(
    "say that the files stay, where another one is named, as a killed first run leaves it: layout %s",
    async (layout) => {
      const world = await siteWorld(await archiveWith("tar.gz", first));
      const inputs = { layout, jobId: "job-1" };
      const [, prod] = [await mirrored(world, inputs), await mirrored(world, inputs)];
      const warnings: string[] = [];
      await remove(prod, { warn: (text) => warnings.push(text) });
      expect(warnings).toEqual([
        expect.stringMatching(
          /^the files of this mirror stay: (job-1|\.bundle-mirror)\.json names other mirrors of the same/,
        ),
      ]);
    },
  );

  it("keep both names where one of them mends what stands beside the archive", async () => {
    const world = await mirrorWorld([storage(bytes)]);
    const [prod, staging] = [await mirrored(world), await mirrored(world)];
    rmSync(join(world.folder, "job-1.tar.gz.sha256"));
    await bundleMirror.update("id", { ...prod, __differs: true }, world.inputs, world.context);
    await remove(prod);
    expect(filesIn(world.folder)).toHaveLength(3);
    await remove(staging);
    expect(filesIn(world.folder)).toEqual([]);
  });

  it("mend a shared archive by the same bytes", async () => {
    const world = await mirrorWorld([storage(bytes)]);
    const [prod, staging] = [await mirrored(world), await mirrored(world)];
    writeFileSync(join(world.folder, "job-1.tar.gz"), "damaged");
    const mended = await bundleMirror.update("id", { ...staging, __differs: true }, world.inputs, world.context);
    expect(readFileSync(join(world.folder, "job-1.tar.gz")).equals(bytes)).toBe(true);
    expect(await bundleMirror.read("id", mended, world.context)).toEqual(mended);
    await remove(mended);
    expect(await bundleMirror.read("id", prod, world.context)).toMatchObject({ sha256: prod.sha256 });
  });

  it("with other bytes are refused, in a create and in an update, and the archive stays", async () => {
    const other = gzipLike(20_000, 2);
    const world = await mirrorWorld([storage(bytes), storage(other)]);
    await mirrored(world);
    const before = contentIn(world.folder);
    expect(await refused(create(world))).toContain("another mirror has put the bundle");
    expect(contentIn(world.folder)).toEqual(before);
    const shared = await mirrorWorld([storage(bytes), storage(bytes), storage(other)]);
    const [prod] = [await mirrored(shared), await mirrored(shared)];
    const inputs = { ...shared.inputs, expectedSha256: sha256Of(other) };
    expect(await refused(bundleMirror.update("id", prod, inputs, shared.context))).toContain("another mirror has put");
  });

  it("share a site of the same bytes, and the last one removes it", async () => {
    const world = await siteWorld(await archiveWith("tar.gz", first));
    const [prod, staging] = [await world.publish("job-1"), await world.publish("job-1")];
    expect(await bundleMirror.read("id", prod, world.context)).toEqual(prod);
    expect(await bundleMirror.read("id", staging, world.context)).toEqual(staging);
    await remove(prod);
    expect(contentOfPages(world.folder)).toEqual(contentOf(first));
    expect(await bundleMirror.read("id", staging, world.context)).toEqual(staging);
    await remove(staging);
    expect(filesIn(world.folder)).toEqual([]);
  });

  it("publish no other site over that of another mirror", async () => {
    const world = await siteWorld(await archiveWith("tar.gz", first), await archiveWith("tar.gz", second));
    const prod = await world.publish("job-1");
    const before = contentIn(world.folder);
    expect(await refused(create(world, { jobId: "job-2" }))).toContain("another mirror has put the bundle");
    expect(world.platform.calls).toEqual(["bundle job-1"]);
    expect(contentIn(world.folder)).toEqual(before);
    expect(await bundleMirror.read("id", prod, world.context)).toEqual(prod);
  });

  it("publish no other site over one that they share", async () => {
    const world = await siteWorld(await archiveWith("tar.gz", first));
    const [prod] = [await world.publish("job-1"), await world.publish("job-1")];
    const before = contentIn(world.folder);
    expect(await refused(world.publish("job-2", prod))).toContain("another mirror has put the bundle");
    expect(contentIn(world.folder)).toEqual(before);
  });
});

describe("a mirror that replaces another one at its place", () => {
  it.each(["archive", "site"] as const)("takes over what that one put there: %s", async (layout) => {
    const archives = [await archiveWith("tar.gz", first), await archiveWith("tar.gz", second)] as const;
    const world = await siteWorld(...archives);
    const inputs = { ...world.inputs, layout };
    const old = await mirrored(world, inputs);
    const changed = { ...inputs, destination: `${inputs.destination}/` };
    const { state } = await bundleMirror.create(changed, world.context, old);
    const before = contentIn(world.folder);
    await remove(old);
    expect(contentIn(world.folder)).toEqual(before);
    expect(await bundleMirror.read("id", state, world.context)).toEqual(state);
    await remove(state);
    expect(filesIn(world.folder)).toEqual([]);
  });

  it("in another layout is put beside the files of that one", async () => {
    const world = await siteWorld(await archiveWith("tar.gz", first));
    const old = await mirrored(world, { layout: "archive" });
    const { state } = await bundleMirror.create(world.inputs, world.context, old);
    await remove(old);
    expect(contentOfPages(world.folder)).toEqual(contentOf(first));
    await remove(state);
    expect(filesIn(world.folder)).toEqual([]);
  });
});
