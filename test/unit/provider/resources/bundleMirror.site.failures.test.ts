import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { BundleMirrorState } from "../../../../provider/definitions/bundleMirror";
import * as errors from "../../../../provider/support/errors";
import { rejection } from "../../../support/clientUnderTest";
import { planned } from "../../../support/decisions";
import { destroyMirror } from "../../../support/mirror/mirrorWorld";
import { canMount, mounted } from "../../../support/mirror/mounts";
import {
  contentOf,
  contentOfPages,
  first,
  readSiteManifest,
  second,
  siteManifest,
  siteWorld,
} from "../../../support/mirror/siteWorld";
import { contentIn, filesIn, gzipLike, sha256Of } from "../../../support/mirror/storage";
import { SavedFailure, toldByHost } from "../../../support/toldByHost";
import { archiveWith, tarOf } from "../mirror/archive/archives";

const { bundleMirror } = toldByHost;

afterEach(() => vi.unstubAllEnvs());

describe("an archive that is refused leaves the previous version whole:", () => {
  const refused: [string, () => Promise<Buffer>][] = [
    ["a path with ..", () => tarOf([{ name: "index.html" }, { name: "../evil.html", content: "x" }])],
    ["a symbolic link", () => tarOf([{ name: "index.html" }, { name: "a", type: "symlink", linkname: "/etc/passwd" }])],
    ["one that is cut short", async () => (await archiveWith("tar.gz", first)).subarray(0, 120)],
    ["the name of the mirror's own list", () => archiveWith("zip", [[siteManifest, "{}"]])],
    ["that name in another case", () => archiveWith("zip", [[".Bundle-MIRROR.json", "{}"]])],
    [
      "that name with a sign that some file systems leave out",
      () => archiveWith("tar", [[".bundle\u200c-mirror.json", "{}"]]),
    ],
    ["that name for a folder", () => archiveWith("tar.gz", [[`${siteManifest}/x`, "{}"]])],
  ];

  it.each(refused)("%s", async (_, archive) => {
    const world = await siteWorld(await archiveWith("tar.gz", first), await archive());
    const state = await world.publish("job-1");
    const before = contentIn(world.folder);
    const error = await rejection(world.publish("job-2", state));
    expect(error).toBeInstanceOf(errors.ArchiveError);
    expect(error.message).toMatch(/the earlier files at .*: job job-1, mirrored at/);
    expect(contentIn(world.folder)).toEqual(before);
    expect(readdirSync(world.temporary)).toEqual([]);
  });
});

describe("a publication that fails in the middle", () => {
  /** A foreign folder in the place of a page. */
  const obstruct = (folder: string) => mkdirSync(join(folder, "assets", "app.js", "x"), { recursive: true });

  /** A site of the first version, whose update to the second one has failed after its first new file. */
  async function failedUpdate() {
    const files: typeof second = [["assets/added.css", "body {}"], ...second];
    const world = await siteWorld(await archiveWith("tar.gz", first), await archiveWith("tar.gz", files));
    const state = await world.publish("job-1");
    obstruct(world.folder);
    const failed = (await rejection(world.publish("job-2", state))) as SavedFailure<BundleMirrorState>;
    return { world, state, failed };
  }

  it("of a first version is kept in the state, so that the next run goes on and destroy removes it", async () => {
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

  it("of a later version keeps the old job in the state and in the list, and destroy removes both versions", async () => {
    const { world, state, failed } = await failedUpdate();
    expect(failed).toBeInstanceOf(SavedFailure);
    expect(failed.state).toEqual({ ...state, __difference: expect.any(String) });
    expect(readSiteManifest(world.folder)).toMatchObject({
      jobId: "job-1",
      files: expect.arrayContaining([expect.objectContaining({ path: "guide/old.html" })]),
      pending: ["assets/added.css", "assets/app.js"],
    });
    expect(filesIn(world.folder)).toContain("assets/added.css");
    // The program goes back to the old job. The destination is a mixture, and is published again.
    expect(planned("BundleMirror", failed.state, world.inputs, 0).action).toBe("update");
    rmSync(join(world.folder, "assets", "app.js"), { recursive: true });
    await destroyMirror(failed.state);
    expect(filesIn(world.folder)).toEqual([]);
  });

  it("also where it is cancelled", async () => {
    const world = await siteWorld(await archiveWith("tar.gz", first), await archiveWith("tar.gz", second));
    const state = await world.publish("job-1");
    world.context.status = (text) => (text.includes("files published") ? world.cancel() : undefined);
    const failed = (await rejection(world.publish("job-2", state))) as SavedFailure<BundleMirrorState>;
    expect(failed).toBeInstanceOf(SavedFailure);
    expect(failed.reason).toBeInstanceOf(errors.InterruptedError);
    expect(readdirSync(world.temporary)).toEqual([]);
  });
});

describe.skipIf(!canMount())("on a file system that the test mounts (skipped without the right to)", () => {
  it("a full temporary folder is told with the way to name another one, and nothing is published", async () => {
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
