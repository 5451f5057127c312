import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { destroyed, mirrored, mirrorWorld } from "../../../support/mirror/mirrorWorld";
import { contentIn, filesIn, gzipLike, storage } from "../../../support/mirror/storage";

const bytes = gzipLike(30_000);
const remove = destroyed;

describe("delete of an archive", () => {
  it("removes the archive and what stands beside it, and nothing else", async () => {
    const world = await mirrorWorld([storage(bytes)]);
    writeFileSync(join(world.folder, "other.txt"), "mine");
    await remove(await mirrored(world));
    expect(filesIn(world.folder)).toEqual(["other.txt"]);
    expect(world.platform.calls).toHaveLength(1);
  });

  it("finds no fault in what is missing already", async () => {
    const world = await mirrorWorld([storage(bytes)]);
    const state = await mirrored(world);
    rmSync(join(world.folder, "job-1.tar.gz"));
    await remove(state);
    expect(filesIn(world.folder)).toEqual([]);
    rmSync(world.folder, { recursive: true });
    await remove(state);
  });

  it.each<[string, (manifest: Record<string, unknown>) => string]>([
    ["names another job", (manifest) => JSON.stringify({ ...manifest, jobId: "job-2" })],
    ["is another mirror's", (manifest) => JSON.stringify({ ...manifest, mirror: "0".repeat(16) })],
    ["cannot be read", () => "{"],
    ["is something else", () => "null"],
  ])("removes nothing where the manifest %s", async (_, change) => {
    const world = await mirrorWorld([storage(bytes)]);
    const state = await mirrored(world);
    const file = join(world.folder, "job-1.json");
    writeFileSync(file, change(JSON.parse(readFileSync(file, "utf8"))));
    const before = contentIn(world.folder);
    await remove(state);
    expect(contentIn(world.folder)).toEqual(before);
  });

  it("removes nothing where there is no manifest", async () => {
    const world = await mirrorWorld([storage(bytes)]);
    const state = await mirrored(world);
    rmSync(join(world.folder, "job-1.json"));
    await remove(state);
    expect(filesIn(world.folder)).toEqual(["job-1.tar.gz", "job-1.tar.gz.sha256"]);
  });

  it("of what was replaced leaves the new archive of another job", async () => {
    const world = await mirrorWorld([storage(bytes)]);
    const old = await mirrored(world);
    await mirrored(world, { jobId: "job-2" });
    await remove(old);
    expect(filesIn(world.folder)).toEqual(["job-2.json", "job-2.tar.gz", "job-2.tar.gz.sha256"]);
  });

  it.each(["", "/"])("of what was replaced leaves the new archive of the same job (%j)", async (slash) => {
    const world = await mirrorWorld([storage(bytes)]);
    const old = await mirrored(world);
    const state = await mirrored(world, { destination: world.inputs.destination + slash });
    await remove(old);
    expect(filesIn(world.folder)).toHaveLength(3);
    await remove(state);
    expect(filesIn(world.folder)).toEqual([]);
  });
});
