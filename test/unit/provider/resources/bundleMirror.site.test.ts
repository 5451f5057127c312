import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
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
  pages,
  readSiteManifest,
  second,
  siteManifest,
  siteWorld,
} from "../../../support/mirror/siteWorld";
import { contentIn, filesIn, gzipLike, sha256Of } from "../../../support/mirror/storage";
import { SavedFailure, throwingLifecycles } from "../../../support/throwingLifecycles";
import { archiveWith, formats, tarOf } from "../mirror/archive/archives";

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

it("a first publication that fails in the middle is kept in the state: the next run continues, and destroy removes it", async () => {
  const archive = await archiveWith("tar.gz", second);
  const world = await siteWorld(archive);
  // The mirror cannot write one of the site's files, because a folder lies at its path.
  mkdirSync(join(world.folder, "assets", "app.js", "x"), { recursive: true });
  const failed = await rejection(world.publish("job-1"));
  expect(failed).toBeInstanceOf(SavedFailure);
  const { id, state, reason } = failed as SavedFailure<BundleMirrorState>;
  expect(id).toBe(world.inputs.destination);
  expect(reason).toBeInstanceOf(errors.DestinationError);
  expect(reason.message).toContain("Exists now: a part of the files of job job-1");
  const __difference = "the publication did not complete";
  expect(state).toMatchObject({ jobId: "job-1", sha256: sha256Of(archive), __difference });
  expect(planned("BundleMirror", state, world.inputs, 0).action).toBe("update");
  rmSync(join(world.folder, "assets", "app.js"), { recursive: true });
  const updated = await world.publish("job-1", state);
  expect(updated).not.toHaveProperty("__difference");
  expect(contentOfPages(world.folder)).toEqual(contentOf(second));
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

function mine(folder: string, ...names: string[]): Record<string, string> {
  for (const name of names) {
    mkdirSync(join(folder, name, ".."), { recursive: true });
    writeFileSync(join(folder, name), `mine: ${name}`);
  }
  return contentIn(folder);
}

it.each([
  ["of such a name in another case, which some file systems take for the same", "INDEX.html"],
  ["in the place of a folder", "guide"],
  ["in a folder in the place of a file", "assets/style.css/x"],
])("a site overwrites no file that is not its own: one %s", async (_, name) => {
  const world = await siteWorld(await archiveWith("tar.gz", first));
  const before = mine(world.folder, name);
  const error = await rejection(bundleMirror.create(world.inputs, world.context));
  expect(error).toBeInstanceOf(errors.DestinationError);
  expect(error.message).toContain(JSON.stringify(name));
  expect(contentIn(world.folder)).toEqual(before);
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
