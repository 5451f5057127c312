import { beforeAll, describe, expect, it, vi } from "vitest";
import { destinationSchemes } from "../../../../provider/storage/destination";
import * as errors from "../../../../provider/support/errors";
import { rejection } from "../../../support/clientUnderTest";
import { planned } from "../../../support/decisions";
import type { SharedPlace } from "../../../support/mirror/mirrorPlaces";
import { destroyMirror, mirrored, signature } from "../../../support/mirror/mirrorWorld";
import { bundles, eachOwnedPlace, fieldsOf, namesOf, warningsOf, worldsAt } from "../../../support/mirror/ownedPlaces";
import { contentOf, first, second } from "../../../support/mirror/siteWorld";
import { sha256Of } from "../../../support/mirror/storage";
import { throwingLifecycles } from "../../../support/throwingLifecycles";

const { bundleMirror } = throwingLifecycles;

/* The tests play the life of a mirror, at a place in each store. */

let one: Buffer = Buffer.alloc(0);
let two: Buffer = one;
let sha256 = "";
beforeAll(async () => {
  [one = one, two = two] = await bundles;
  sha256 = sha256Of(one);
});

describe.each(eachOwnedPlace)("a mirror of layout %s at a place of the scheme %s", (layout, kind, holds, places) => {
  const placeWorld = worldsAt(layout, places());
  const names = namesOf(holds, layout);
  const isImage = holds === "images";

  it("is whole and named in its state after one link, contains no secret, and a refresh finds it so", async () => {
    const world = await placeWorld();
    const { id, state } = await bundleMirror.create(world.inputs, world.context);
    expect(world.platform.calls).toEqual(["bundle job-1"]);
    expect(world.server.requests).toHaveLength(1);
    expect(id).toBe(`${world.inputs.destination}${layout === "site" ? "" : "#job-1"}`);
    const facts = { sha256, sizeBytes: one.length, format: "tar.gz", version: "job-1" };
    expect(state).toMatchObject({ ...world.inputs, ...facts, mirroredAt: "2026-03-01T00:00:00.000Z" });
    const { [names.record]: record = "", ...others } = await world.place.all();
    expect([...Object.keys(others), names.record].sort()).toEqual(names.all);
    if (isImage) {
      expect(state.url).toMatch(new RegExp(`@sha256:${sha256Of(others[names.main] ?? "")}$`));
    } else {
      const archive = {
        [names.main]: one.toString("latin1"),
        [`${names.main}.sha256`]: `${sha256}  ${names.main}\n`,
      };
      expect(others).toEqual(layout === "site" ? contentOf(first) : archive);
      const address = new RegExp(`[^?]/${layout === "site" ? "" : names.main}$`);
      expect(state.url).toMatch(address);
      const listed = Object.entries(others).map(([path, content]) =>
        expect.objectContaining({ path, sha256: sha256Of(Buffer.from(content, "latin1")) }),
      );
      expect(fieldsOf(record).files).toHaveLength(listed.length);
      expect(fieldsOf(record).files).toEqual(expect.arrayContaining(listed));
    }
    const { files, digest, ...fields } = fieldsOf(record);
    expect([files === undefined, digest === undefined]).toEqual([isImage, !isImage]);
    expect(fields).toEqual({
      ...{ ...facts, jobId: "job-1", mirroredAt: state.mirroredAt, owner: "this mirror" },
      tool: expect.stringMatching(/^pulumi-docs-platform \d+\.\d+\.\d+/),
      seals: [expect.stringMatching(/^[0-9a-f]{64}$/)],
    });
    expect(record).not.toContain(state.__publication);
    expect([world.statuses.join(), JSON.stringify(state), JSON.stringify(others), record].join()).not.toContain(
      signature,
    );
    expect(world.statuses[0]).toMatch(/^(\d+ % \d+s left|100 %), \d+ B of \d+ B/);
    expect(planned("BundleMirror", state, world.inputs, 0).action).toBe("none");
    const settings = () => {
      throw new errors.ConfigurationError(["no setting"]);
    };
    expect(await bundleMirror.read("id", state, { ...world.context, settings, connect: settings })).toEqual(state);
    expect([world.platform.calls.length, world.server.requests.length]).toEqual([1, 1]);
  });

  it("is never published with another sha256 than the expected one, and the error has both", async () => {
    const world = await placeWorld();
    const expectedSha256 = "0".repeat(64);
    const error = await rejection(bundleMirror.create({ ...world.inputs, expectedSha256 }, world.context));
    expect(error).toBeInstanceOf(errors.ChecksumError);
    for (const text of [sha256, expectedSha256, "Exists now: no files of job job-1"]) {
      expect(error.message).toContain(text);
    }
    expect(await world.place.all()).toEqual({});
  });

  it("asks the host's state at its creation only where a mirror's record lies already", async () => {
    const world = await placeWorld();
    const savedState = vi.fn(async (): Promise<object | undefined> => undefined);
    const context = { ...world.context, savedState } as typeof world.context;
    const { state } = await bundleMirror.create(world.inputs, context);
    expect(savedState).not.toHaveBeenCalled();
    savedState.mockResolvedValue(state);
    await bundleMirror.create(world.inputs, context);
    expect(savedState).toHaveBeenCalledOnce();
  });

  it.each(
    // One page of a site is enough, because the same code compares all pages.
    (layout === "site" ? [names.main, names.record] : names.all).flatMap((name) => [
      [name, "gone", (place: SharedPlace) => place.remove(name)] as const,
      [name, "overwritten", (place: SharedPlace, bytes: number) => place.write(name, "x".repeat(bytes))] as const,
    ]),
  )("with %s %s is marked without a transfer, and the next update repairs it by one", async (name, how, change) => {
    const world = await placeWorld(0);
    const state = await mirrored(world);
    const before = await world.place.all();
    await change(world.place, before[name]?.length ?? 0);
    const read = await world.refresh(state);
    const gone = isImage ? "the tag of the image is missing" : `1 file differs: ${name}`;
    const isContent = name !== names.record;
    expect(read).toEqual({ ...state, __difference: isContent && how === "gone" ? gone : expect.any(String) });
    expect([world.platform.calls.length, world.server.requests.length]).toEqual([1, 1]);
    expect(planned("BundleMirror", read, world.inputs, 0).action).toBe("update");
    const updated = await world.update(read);
    // Each transfer is a new publication with a new secret, so only `__publication` differs.
    expect(updated).toEqual({ ...state, __publication: expect.any(String) });
    expect(updated.__publication).not.toBe(state.__publication);
    expect({ ...(await world.place.all()), [names.record]: "" }).toEqual({ ...before, [names.record]: "" });
    expect(await world.refresh(updated)).toEqual(updated);
    expect([world.platform.calls.length, world.server.requests.length]).toEqual([2, 2]);
  });

  it("with other bytes is refused to a mirror that was not reported it, and replaced by one that was", async () => {
    const world = await placeWorld();
    const one = await mirrored(world);
    const before = await world.place.all();
    expect((await rejection(mirrored(world))).message).toContain("do not belong to this mirror");
    expect(await world.place.all()).toEqual(before);
    const { state } = await bundleMirror.create(world.inputs, world.context, one);
    await destroyMirror(one, { hasMade: () => true, warn: (text) => expect.fail(text) });
    expect(await world.refresh(state)).toEqual(state);
    await destroyMirror(state);
    expect(await world.place.all()).toEqual({});
  });

  it("has only its own files after another job, and leaves those of others", async () => {
    const world = await placeWorld();
    const state = await mirrored(world);
    await world.place.write("theirs.txt", "theirs");
    const inputs = { ...world.inputs, jobId: "job-2" };
    const next =
      layout === "site"
        ? await world.update(state, { jobId: "job-2" })
        : (await bundleMirror.create(inputs, world.context, state)).state;
    if (layout === "archive") {
      expect(await world.refresh(state)).toEqual(state);
      expect(await warningsOf(state)).toEqual([]);
    }
    expect(await world.names()).toEqual([...namesOf(holds, layout, "job-2", second).all, "theirs.txt"].sort());
    expect(next).toMatchObject({ jobId: "job-2", version: "job-2", sha256: sha256Of(two) });
    expect(next.__publication).not.toBe(state.__publication);
    expect(await world.refresh(next)).toEqual(next);
    expect(world.platform.calls).toEqual(["bundle job-1", "bundle job-2"]);
    await destroyMirror(next);
    expect(await world.names()).toEqual(["theirs.txt"]);
  });

  it("is gone with all that it has: a refresh drops it, and a removal ends", async () => {
    const world = await placeWorld();
    const state = await mirrored(world);
    for (const name of names.all) {
      await world.place.remove(name);
    }
    expect(await bundleMirror.read("id", state, world.context)).toBeUndefined();
    await world.place.removeWhole?.();
    expect(await bundleMirror.read("id", state, world.context)).toBeUndefined();
    expect(await warningsOf(state)).toEqual([]);
    // A read treats a missing bucket as an empty place, but a publication to it must fail.
    if (destinationSchemes[kind].holds === "objects") {
      expect((await rejection(mirrored(world))).message).toMatch(/cannot be used: \w+, /);
    }
  });

  it("continues from another platform with another job only", async () => {
    const world = await placeWorld();
    const state = { ...(await mirrored(world)), __origin: "https://old.example.com", __difference: "changed" };
    expect(await rejection(world.update(state))).toBeInstanceOf(errors.PlatformOriginMismatchError);
    expect(world.platform.calls).toHaveLength(1);
    if (layout === "site") {
      expect(await world.update(state, { jobId: "job-2" })).toMatchObject({
        __origin: world.context.settings().origin,
      });
    }
  });
});
