import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { mirrorNameOf } from "../../../../provider/mirror/layouts/mirrorOwner";
import { bundleMirror } from "../../../../provider/resources/bundleMirror";
import * as errors from "../../../../provider/support/errors";
import { rejection } from "../../../support/clientUnderTest";
import { destroyed, type MirrorWorld, mirrored, mirrorWorld } from "../../../support/mirror/mirrorWorld";
import {
  contentOf,
  contentOfPages,
  first,
  published,
  second,
  siteManifest,
  siteWorld,
} from "../../../support/mirror/siteWorld";
import { contentIn, filesIn, gzipLike, storage } from "../../../support/mirror/storage";
import { archiveWith, type Files } from "../mirror/archive/archives";

afterEach(() => vi.unstubAllEnvs());

const remove = destroyed;
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
    await remove(state);
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

  it("is refused beside files that its list does not name, before a link is minted", async () => {
    const next = await killed(first);
    writeFileSync(join(next.folder, "mine.txt"), "mine");
    expect((await rejection(create(next))).message).toContain('"mine.txt"');
    expect(next.platform.calls).toEqual([]);
  });

  it("of an archive, before it was there, is nobody's", async () => {
    const world = await mirrorWorld([storage(gzipLike(30_000))]);
    const state = await mirrored(world);
    const text = readFileSync(join(world.folder, "job-1.json"), "utf8").replace(mirrorNameOf({ key: state.__key }), "");
    await remove(state);
    writeFileSync(join(world.folder, "job-1.json"), text);
    await remove(await mirrored(world));
    expect(filesIn(world.folder)).toEqual([]);
  });
});

describe("a list of files that somebody else has written", () => {
  const edit = (folder: string, changed: object) =>
    writeFileSync(join(folder, siteManifest), JSON.stringify({ ...published(folder), ...changed }));
  const foreign = { path: "private/key.txt", sizeBytes: 1, sha256: "0".repeat(64), mark: "1" };

  it.each<[string, (folder: string) => void]>([
    ["names a further file", (folder) => edit(folder, { files: [...published(folder).files, foreign] })],
    ["names a further file as pending", (folder) => edit(folder, { pending: [foreign.path] })],
    ["has no seal", (folder) => edit(folder, { files: [foreign], seals: undefined })],
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
    await remove(state, { warn: (text) => warnings.push(text) });
    expect(contentIn(world.folder)).toEqual(before);
    expect(warnings).toEqual([expect.stringContaining("is not the one that this mirror wrote")]);
    expect(await bundleMirror.read("id", state, world.context)).toEqual({
      ...state,
      __differs: true,
      __difference: expect.any(String),
    });

    const updated = await world.publish("job-1", { ...state, __differs: true });
    expect(world.warnings).toEqual([expect.stringContaining("is not the one that this mirror wrote")]);
    expect(await bundleMirror.read("id", updated, world.context)).toEqual(updated);
    await remove(updated);
    expect(filesIn(world.folder)).toEqual([foreign.path]);
  });
});
