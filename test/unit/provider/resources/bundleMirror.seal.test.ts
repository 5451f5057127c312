import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { bundleMirror } from "../../../../provider/resources/bundleMirror";
import type { BundleMirrorState } from "../../../../provider/resources/bundleMirrorState";
import * as errors from "../../../../provider/support/errors";
import { rejection } from "../../../support/clientUnderTest";
import { type MirrorWorld, mirrored, mirrorWorld } from "../../../support/mirror/mirrorWorld";
import {
  contentOf,
  contentOfPages,
  first,
  manifest,
  published,
  second,
  siteWorld,
} from "../../../support/mirror/siteWorld";
import { contentIn, filesIn, gzipLike, storage } from "../../../support/mirror/storage";
import { archiveOf } from "../mirror/archive/archives";

afterEach(() => vi.unstubAllEnvs());

const remove = (state: BundleMirrorState, warn?: (text: string) => void) => bundleMirror.delete?.("id", state, warn);
const create = (world: MirrorWorld) => bundleMirror.create(world.inputs, world.context);

describe("what a killed run has left", () => {
  /** A site whose publication of the first version stopped at its first file, and whose state was lost. */
  async function killed() {
    const world = await siteWorld(await archiveOf("tar.gz", first), await archiveOf("tar.gz", second));
    world.context.status = (text) => (text.includes("files published") ? world.cancel() : undefined);
    await rejection(create(world));
    const next = await mirrorWorld([storage(await archiveOf("tar.gz", second))]);
    const inputs = { ...world.inputs, jobId: "job-2" };
    return {
      world,
      next: { ...next, inputs, folder: world.folder },
      key: world.journal.changes[0]?.replace("claimed ", "") ?? "",
    };
  }

  it("of a first publication is taken over by the next run, which knows its key, also for another job", async () => {
    const { next, key } = await killed();
    next.journal.earlier = { id: key, acceptedAt: 0 };
    const { state } = await create(next);
    expect(contentOfPages(next.folder)).toEqual(contentOf(second));
    await remove(state);
    expect(filesIn(next.folder)).toEqual([]);
  });

  it("is refused for whoever does not know the key, and left", async () => {
    const { next } = await killed();
    const before = contentIn(next.folder);
    next.inputs.jobId = "job-1";
    const error = await rejection(create(next));
    expect(error).toBeInstanceOf(errors.DestinationError);
    expect(error.message).toContain("publication by another mirror did not end");
    expect(contentIn(next.folder)).toEqual(before);
  });

  it("of an archive, before it was there, is nobody's", async () => {
    const world = await mirrorWorld([storage(gzipLike(30_000))]);
    const state = await mirrored(world);
    const text = readFileSync(join(world.folder, "job-1.json"), "utf8").replace(state.__mirror, "");
    await remove(state);
    writeFileSync(join(world.folder, "job-1.json"), text);
    await remove(await mirrored(world));
    expect(filesIn(world.folder)).toEqual([]);
  });
});

describe("a list of files that somebody else has written", () => {
  const edit = (folder: string, changed: object) =>
    writeFileSync(join(folder, manifest), JSON.stringify({ ...published(folder), ...changed }));
  const foreign = { path: "private/key.txt", sizeBytes: 1, sha256: "0".repeat(64), mark: "1" };

  it.each<[string, (folder: string) => void]>([
    ["names a further file", (folder) => edit(folder, { files: [...published(folder).files, foreign] })],
    ["names a further file as pending", (folder) => edit(folder, { pending: [foreign.path] })],
    ["has no seal", (folder) => edit(folder, { files: [foreign], seals: undefined })],
    ["cannot be read", (folder) => writeFileSync(join(folder, manifest), "{")],
    ["has more than 64 MiB", (folder) => writeFileSync(join(folder, manifest), Buffer.alloc(64 * 1024 ** 2 + 1, " "))],
  ])("deletes nothing where it %s, is told, and is mended by the next update", async (_, change) => {
    const world = await siteWorld(await archiveOf("tar.gz", first));
    const state = await world.publish("job-1");
    mkdirSync(join(world.folder, "private"));
    writeFileSync(join(world.folder, foreign.path), "mine");
    change(world.folder);
    const before = contentIn(world.folder);
    const warnings: string[] = [];
    await remove(state, (text) => warnings.push(text));
    expect(contentIn(world.folder)).toEqual(before);
    expect(warnings).toEqual([expect.stringContaining("is not the one that this mirror has written")]);
    expect(await bundleMirror.read("id", state, world.context)).toEqual({
      ...state,
      __differs: true,
      __difference: expect.any(String),
    });

    const updated = await world.publish("job-1", { ...state, __differs: true });
    expect(world.warnings).toEqual([expect.stringContaining("is not the one that this mirror has written")]);
    expect(await bundleMirror.read("id", updated, world.context)).toEqual(updated);
    await remove(updated);
    expect(filesIn(world.folder)).toEqual([foreign.path]);
  });
});

describe("a mirror of release 0.1.0, whose state and list have no seal", () => {
  async function released() {
    const world = await siteWorld(await archiveOf("tar.gz", first), await archiveOf("tar.gz", second));
    const { __key: _, ...state } = await world.publish("job-1");
    const { seals: __, ...list } = published(world.folder);
    writeFileSync(join(world.folder, manifest), JSON.stringify(list));
    return { world, state: state as BundleMirrorState };
  }

  it("is found as it was, and removed as a whole", async () => {
    const { world, state } = await released();
    expect(await bundleMirror.read("id", state, world.context)).toEqual(state);
    await remove(state);
    expect(filesIn(world.folder)).toEqual([]);
  });

  it("is updated to another job, and sealed from then on", async () => {
    const { world, state } = await released();
    const updated = await world.publish("job-2", state);
    expect(contentOfPages(world.folder)).toEqual(contentOf(second));
    expect(updated.__key).toMatch(/^[0-9a-f]{16}$/);
    expect(await bundleMirror.read("id", updated, world.context)).toEqual(updated);
    await remove(updated);
    expect(filesIn(world.folder)).toEqual([]);
  });
});
