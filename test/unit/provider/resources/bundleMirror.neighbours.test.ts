import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import * as errors from "../../../../provider/support/errors";
import { rejection } from "../../../support/clientUnderTest";
import { destroyMirror, type MirrorWorld, mirrored, mirrorWorld } from "../../../support/mirror/mirrorWorld";
import { first, second, siteManifest, siteWorld } from "../../../support/mirror/siteWorld";
import { contentIn, filesIn, gzipLike, storage } from "../../../support/mirror/storage";
import { temporaryFolder } from "../../../support/temporaryFolder";
import { toldByHost } from "../../../support/toldByHost";
import { archiveWith } from "../mirror/archive/archives";

const { bundleMirror } = toldByHost;

afterEach(() => vi.unstubAllEnvs());

const bytes = gzipLike(30_000);
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
  it("is refused with the first of them", async () => {
    const world = await siteWorld(await archiveWith("tar.gz", first));
    const before = mine(world.folder, "guides/ci.html", "index.html", "notes.txt", "old/a", "old/b");
    const message = await refused(create(world));
    expect(message).toMatch(/files that do not belong to this mirror: ".+", ".+", ".+" and others/);
    expect(contentIn(world.folder)).toEqual(before);
  });

  it.each([
    ["of the name of a page", "index.html"],
    ["of such a name in another case, which some file systems take for the same", "INDEX.html"],
    ["in the place of a folder", "guide"],
    ["in a folder in the place of a file", "assets/style.css/x"],
    ["of the name of its own list", siteManifest],
  ])("overwrites none of them: one %s", async (_, name) => {
    const world = await siteWorld(await archiveWith("tar.gz", first));
    const before = mine(world.folder, name);
    expect(await refused(create(world))).toContain(JSON.stringify(name));
    expect(contentIn(world.folder)).toEqual(before);
  });

  it("follows no link to a folder, nor a link for a page", async () => {
    const world = await siteWorld(await archiveWith("tar.gz", first));
    const outside = temporaryFolder();
    const before = mine(outside, "start.html");
    symlinkSync(outside, join(world.folder, "guide"));
    expect(await refused(create(world))).toContain('"guide"');
    expect(contentIn(outside)).toEqual(before);
    expect(filesIn(world.folder)).toEqual([]);
  });
});

describe("an archive at a place with files that are not its own", () => {
  it.each(["job-1.tar.gz", "job-1.tar.gz.sha256", "job-1.json"])("is refused where one is named %s", async (name) => {
    const world = await mirrorWorld([storage(bytes)]);
    const before = mine(world.folder, name);
    expect(await refused(create(world))).toContain(JSON.stringify(name));
    expect(contentIn(world.folder)).toEqual(before);
  });
});

describe.each(["archive", "site"] as const)("the place of a mirror (%s)", (layout) => {
  /** The first mirror of a place, and worlds in which other resources, or the renamed one, mirror the same job there. */
  async function ownedPlace() {
    const archives = [await archiveWith("tar.gz", first), await archiveWith("tar.gz", second)] as const;
    const world = await siteWorld(archives[0], archives[0], archives[1]);
    const inputs = { ...world.inputs, layout };
    const named = (owner: string): MirrorWorld => ({ ...world, inputs, context: { ...world.context, owner } });
    return { named, folder: world.folder, platform: world.platform, state: await mirrored(named("prod site")) };
  }

  it("is refused to another one by an error that names the place and its owner, before a link is minted", async () => {
    const { named, folder, platform } = await ownedPlace();
    const before = contentIn(folder);
    const manifest = layout === "site" ? siteManifest : "job-1.json";
    const message = await refused(create(named("staging site")));
    expect(message).toContain(`the destination belongs to another mirror: ${manifest} names "prod site" as its owner`);
    expect(platform.calls).toEqual(["bundle job-1"]);
    expect(contentIn(folder)).toEqual(before);
  });

  it("stays its own after a rename of the stack, with other bytes too", async () => {
    const { named, folder, state } = await ownedPlace();
    const { inputs, context } = named("renamed site");
    const repaired = { ...state, __difference: "changed" };
    writeFileSync(join(folder, layout === "site" ? "index.html" : "job-1.tar.gz"), "changed");
    await bundleMirror.update("id", repaired, inputs, context);
    const last = await bundleMirror.update("id", repaired, inputs, context);
    expect(last.sha256).not.toBe(state.sha256);
    await destroyMirror(last);
    expect(filesIn(folder)).toEqual([]);
  });

  it("is refused to the earlier one where another one has taken it since", async () => {
    const { named, folder, state } = await ownedPlace();
    for (const name of filesIn(folder)) {
      rmSync(join(folder, name));
    }
    await mirrored(named("staging site"));
    const before = contentIn(folder);
    const { inputs, context } = named("prod site");
    expect(await refused(bundleMirror.update("id", { ...state, __difference: "changed" }, inputs, context))).toContain(
      'names "staging site" as its owner',
    );
    const warnings: string[] = [];
    await destroyMirror(state, { warn: (text) => warnings.push(text) });
    expect(warnings).toEqual([expect.stringContaining("nothing was removed")]);
    expect(contentIn(folder)).toEqual(before);
  });
});

describe("what lies at a place without an owner", () => {
  it.each(["archive", "site"] as const)("is taken over where it has the very bytes: %s", async (layout) => {
    const world = await siteWorld(await archiveWith("tar.gz", first));
    await mirrored(world, { layout });
    rmSync(join(world.folder, layout === "site" ? siteManifest : "job-1.json"));
    rmSync(join(world.folder, "job-1.tar.gz.sha256"), { force: true });
    await destroyMirror(await mirrored(world, { layout }));
    expect(filesIn(world.folder)).toEqual([]);
  });
});
