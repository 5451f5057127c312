import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { BundleMirrorState } from "../../../../provider/definitions/bundleMirror";
import { bundleMirror } from "../../../../provider/resources/bundleMirror";
import * as errors from "../../../../provider/support/errors";
import { rejection } from "../../../support/clientUnderTest";
import { planned } from "../../../support/decisions";
import { type MirrorWorld, mirrored, mirrorWorld } from "../../../support/mirror/mirrorWorld";
import { contentIn, filesIn, gzipLike, sha256Of, storage } from "../../../support/mirror/storage";
import { archiveWith } from "../mirror/archive/archives";

const bytes = gzipLike(30_000);
const sha256 = sha256Of(bytes);
const other = gzipLike(20_000, 2);

/** Returns the state after a refresh and the update that follows it. */
async function refreshedAndUpdated(world: MirrorWorld, state: BundleMirrorState): Promise<BundleMirrorState> {
  const read = await bundleMirror.read("id", state, world.context);
  if (read === undefined) {
    throw new Error("the mirror is gone");
  }
  expect(planned("BundleMirror", read, world.inputs, 0).action).toBe("update");
  const updated = await bundleMirror.update("id", read, world.inputs, world.context);
  expect(planned("BundleMirror", updated, world.inputs, 0)).toMatchObject({ action: "none" });
  expect(await bundleMirror.read("id", updated, world.context)).toEqual(updated);
  return updated;
}

describe("an update without a transfer", () => {
  it.each([
    ["an expectedSha256 that equals the stored one", { expectedSha256: sha256 }],
    ["the same in capitals", { expectedSha256: sha256.toUpperCase() }],
    ["a publicUrl", { publicUrl: "https://cdn.example.com/docs" }],
    ["what counts for a transfer only", { allowExisting: true, maxBytes: 1, waitTimeout: "1s" }],
  ])("is one of %s: nothing is sent, and nothing is looked at", async (_, changed) => {
    const world = await mirrorWorld([storage(bytes)]);
    const state = await mirrored(world);
    rmSync(world.folder, { recursive: true });
    const updated = await bundleMirror.update("id", state, { ...world.inputs, ...changed }, world.context);
    expect(updated).toMatchObject({ ...changed, sha256, mirroredAt: state.mirroredAt });
    expect(world.platform.calls).toHaveLength(1);
    expect(await bundleMirror.update("id", updated, world.inputs, world.context)).toEqual(state);
  });

  it("changes the url with publicUrl, and goes back to the destination's own without it", async () => {
    const world = await mirrorWorld([storage(bytes)]);
    const state = await mirrored(world, { publicUrl: "https://cdn.example.com/a/" });
    expect(state.url).toBe("https://cdn.example.com/a/job-1.tar.gz");
    const updated = await bundleMirror.update("id", state, world.inputs, world.context);
    expect(updated.url).toBe(`${world.inputs.destination}/job-1.tar.gz`);
  });
});

describe("an update to another expectedSha256", () => {
  it("transfers, and puts what has it", async () => {
    const world = await mirrorWorld([storage(bytes), storage(other)]);
    const state = await mirrored(world);
    const inputs = { ...world.inputs, expectedSha256: sha256Of(other) };
    expect(await bundleMirror.update("id", state, inputs, world.context)).toMatchObject({ sizeBytes: 20_000 });
    expect(readFileSync(join(world.folder, "job-1.tar.gz")).equals(other)).toBe(true);
  });

  it("that the archive has not is an error, and the former archive stays whole", async () => {
    const world = await mirrorWorld([storage(bytes)]);
    const state = await mirrored(world);
    const before = contentIn(world.folder);
    const inputs = { ...world.inputs, expectedSha256: sha256Of(other) };
    const error = await rejection(bundleMirror.update("id", state, inputs, world.context));
    expect(error).toBeInstanceOf(errors.ChecksumError);
    expect(error.message).toContain(`: job job-1, mirrored at ${state.mirroredAt}`);
    expect(contentIn(world.folder)).toEqual(before);
  });
});

describe("a read", () => {
  it("changes nothing where all is as it was, sends nothing, and needs no setting", async () => {
    const world = await mirrorWorld([storage(bytes)]);
    const state = await mirrored(world);
    const settings = () => {
      throw new errors.ConfigurationError(["no setting"]);
    };
    expect(await bundleMirror.read("id", state, { ...world.context, settings, connect: settings })).toEqual(state);
    expect(world.platform.calls).toHaveLength(1);
    expect(world.server.requests).toHaveLength(1);
  });

  it("keeps an archive that is gone until its manifest is gone, too: its removal may have failed", async () => {
    const world = await mirrorWorld([storage(bytes)]);
    const state = await mirrored(world);
    rmSync(join(world.folder, "job-1.tar.gz"));
    expect(await bundleMirror.read("id", state, world.context)).toMatchObject({ __difference: "the archive is gone" });
    rmSync(join(world.folder, "job-1.json"));
    expect(await bundleMirror.read("id", state, world.context)).toBeUndefined();
    rmSync(world.folder, { recursive: true });
    expect(await bundleMirror.read("id", state, world.context)).toBeUndefined();
  });

  it("of an id alone finds nothing", async () => {
    const world = await mirrorWorld([storage(bytes)]);
    expect(await bundleMirror.read("id", {}, world.context)).toBeUndefined();
  });

  it("takes a file that was only touched, or written with the same bytes, for the same", async () => {
    const world = await mirrorWorld([storage(bytes)]);
    const state = await mirrored(world);
    writeFileSync(join(world.folder, "job-1.tar.gz"), bytes);
    const { __mark: mark, ...read } = (await bundleMirror.read("id", state, world.context)) ?? {};
    expect(state).toMatchObject(read);
    expect(mark).not.toBe(state.__mark);
  });

  it.each<[string, (folder: string) => void]>([
    ["another byte", (folder) => writeFileSync(join(folder, "job-1.tar.gz"), gzipLike(30_000, 9))],
    ["another size", (folder) => writeFileSync(join(folder, "job-1.tar.gz"), other)],
    ["no checksum", (folder) => rmSync(join(folder, "job-1.tar.gz.sha256"))],
    ["another checksum", (folder) => writeFileSync(join(folder, "job-1.tar.gz.sha256"), "x")],
    ["no manifest", (folder) => rmSync(join(folder, "job-1.json"))],
    ["an empty manifest", (folder) => writeFileSync(join(folder, "job-1.json"), "")],
  ])("marks %s, transfers nothing, and the next update mends it", async (_, change) => {
    const world = await mirrorWorld([storage(bytes)]);
    const state = await mirrored(world);
    const before = contentIn(world.folder);
    change(world.folder);
    const read = await bundleMirror.read("id", state, world.context);
    expect(read).toEqual({ ...state, __differs: true, __difference: expect.any(String) });
    expect(world.server.requests).toHaveLength(1);
    expect(await refreshedAndUpdated(world, state)).toMatchObject({ sha256, sizeBytes: 30_000 });
    expect(contentIn(world.folder)).toEqual(before);
  });

  it("finds that what was marked is good again, where somebody else has mended it", async () => {
    const world = await mirrorWorld([storage(bytes)]);
    const state = await mirrored(world);
    expect(await bundleMirror.read("id", { ...state, __differs: true }, world.context)).toEqual(state);
  });

  it("that cannot look leaves the state alone", async () => {
    const world = await mirrorWorld([storage(bytes)]);
    const state = { ...(await mirrored(world)), destination: `file://${world.folder}/${"x".repeat(300)}` };
    const error = await rejection(bundleMirror.read("id", state, world.context));
    expect(error).toBeInstanceOf(errors.DestinationError);
    expect(error.message).toContain("nothing was changed");
  });
});

describe("an update of what a refresh has marked", () => {
  it("writes the description anew without a transfer where only that is missing", async () => {
    const world = await mirrorWorld([storage(bytes)]);
    const state = await mirrored(world);
    rmSync(join(world.folder, "job-1.json"));
    rmSync(join(world.folder, "job-1.tar.gz.sha256"));
    await refreshedAndUpdated(world, state);
    expect(world.platform.calls).toHaveLength(1);
    expect(filesIn(world.folder)).toHaveLength(3);
  });

  it("mints one link and transfers once where the archive itself differs", async () => {
    const world = await mirrorWorld([storage(bytes)]);
    const state = await mirrored(world);
    writeFileSync(join(world.folder, "job-1.tar.gz"), other);
    await refreshedAndUpdated(world, state);
    expect(world.platform.calls).toEqual(["bundle job-1", "bundle job-1"]);
    expect(world.server.requests).toHaveLength(2);
  });

  it("transfers nothing where somebody else has mended it since", async () => {
    const world = await mirrorWorld([storage(bytes)]);
    const state = await mirrored(world);
    const updated = await bundleMirror.update("id", { ...state, __differs: true }, world.inputs, world.context);
    expect(updated).toEqual(state);
    expect(world.platform.calls).toHaveLength(1);
  });

  it("is refused under another origin, where the job is not known", async () => {
    const world = await mirrorWorld([storage(bytes)]);
    const state = { ...(await mirrored(world)), __origin: "https://old.example.com", __differs: true as const };
    writeFileSync(join(world.folder, "job-1.tar.gz"), other);
    const error = await rejection(bundleMirror.update("id", state, world.inputs, world.context));
    expect(error).toBeInstanceOf(errors.OriginError);
    expect(world.platform.calls).toHaveLength(1);
  });

  it("leaves no archive of another format behind where the platform packs it otherwise now", async () => {
    const zip = await archiveWith("zip", [["index.html", "<h1>Docs</h1>"]]);
    const world = await mirrorWorld([storage(bytes), storage(zip)]);
    const state = await mirrored(world);
    writeFileSync(join(world.folder, "job-1.tar.gz"), other);
    const updated = await refreshedAndUpdated(world, state);
    expect(updated).toMatchObject({ format: "zip", url: expect.stringMatching(/job-1\.zip$/) });
    expect(filesIn(world.folder)).toEqual(["job-1.json", "job-1.zip", "job-1.zip.sha256"]);
  });
});
