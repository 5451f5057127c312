import { rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { bundleMirror } from "../../../../provider/resources/bundleMirror";
import { destroyed } from "../../../support/mirror/mirrorWorld";
import {
  contentOf,
  contentOfPages,
  first,
  published,
  siteManifest,
  siteWorld,
} from "../../../support/mirror/siteWorld";
import { contentIn, filesIn } from "../../../support/mirror/storage";
import { archiveWith } from "../mirror/archive/archives";

afterEach(() => vi.unstubAllEnvs());

const listChanged = expect.stringContaining("is not the one that this mirror wrote");

function editManifest(folder: string, changed: object): void {
  writeFileSync(join(folder, siteManifest), JSON.stringify({ ...published(folder), ...changed }));
}

describe("read of a site", () => {
  it("changes nothing where all is as it was, also where files were only touched", async () => {
    const world = await siteWorld(await archiveWith("tar.gz", first));
    const state = await world.publish("job-1");
    utimesSync(join(world.folder, "index.html"), 1, 1);
    const read = await bundleMirror.read("id", state, world.context);
    expect(read).toEqual({ ...state, __mark: expect.not.stringMatching(`^${state.__mark}$`) });
    expect(await bundleMirror.read("id", read ?? {}, world.context)).toEqual(read);
    expect(world.platform.calls).toHaveLength(1);
    expect(world.server.requests).toHaveLength(1);
  });

  it("drops a site of which nothing is left", async () => {
    const world = await siteWorld(await archiveWith("tar.gz", first));
    const state = await world.publish("job-1");
    rmSync(world.folder, { recursive: true });
    expect(await bundleMirror.read("id", state, world.context)).toBeUndefined();
  });

  it.each<[string, string, (folder: string) => void]>([
    ["a missing page", "1 file differs: guide/start.html", (folder) => rmSync(join(folder, "guide/start.html"))],
    [
      "a changed page",
      "1 file differs: index.html",
      (folder) => writeFileSync(join(folder, "index.html"), "<h1>0ne</h1>"),
    ],
    ["a list that cannot be read", listChanged, (folder) => writeFileSync(join(folder, siteManifest), "{")],
    ["a list that is gone", listChanged, (folder) => rmSync(join(folder, siteManifest))],
    ["a list of another job", listChanged, (folder) => editManifest(folder, { jobId: "job-9" })],
    [
      "a list with a path that leads elsewhere",
      listChanged,
      (folder) => editManifest(folder, { pending: ["../../etc"] }),
    ],
  ])("marks %s, and the next update publishes everything anew", async (_, __difference, change) => {
    const world = await siteWorld(await archiveWith("tar.gz", first));
    const state = await world.publish("job-1");
    change(world.folder);
    const read = await bundleMirror.read("id", state, world.context);
    expect(read).toEqual({ ...state, __differs: true, __difference });
    expect(world.server.requests).toHaveLength(1);
    const updated = await world.publish("job-1", { ...state, __differs: true });
    expect(contentOfPages(world.folder)).toEqual(contentOf(first));
    expect(await bundleMirror.read("id", updated, world.context)).toEqual(updated);
  });
});

describe("delete of a site", () => {
  it("removes its files and its list, and nothing else", async () => {
    const world = await siteWorld(await archiveWith("tar.gz", first));
    const state = await world.publish("job-1");
    writeFileSync(join(world.folder, "guide", "mine.html"), "mine");
    await destroyed(state);
    expect(filesIn(world.folder)).toEqual(["guide/mine.html"]);
    await destroyed(state);
  });

  it.each([
    ["names another job", { jobId: "job-2" }],
    ["is another mirror's", { mirror: "0".repeat(16) }],
    ["holds a path that leads elsewhere", { pending: ["../outside.txt"] }],
    ["holds an absolute path", { pending: ["/etc/passwd"] }],
  ])("removes nothing where the list %s", async (_, changed) => {
    const world = await siteWorld(await archiveWith("tar.gz", first));
    const state = await world.publish("job-1");
    editManifest(world.folder, changed);
    const before = contentIn(world.folder);
    await destroyed(state);
    expect(contentIn(world.folder)).toEqual(before);
  });

  it("of what was replaced leaves the new one of the same job", async () => {
    const world = await siteWorld(await archiveWith("tar.gz", first));
    const old = await world.publish("job-1");
    await world.publish("job-1");
    await destroyed(old);
    expect(contentOfPages(world.folder)).toEqual(contentOf(first));
  });
});
