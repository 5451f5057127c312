import { describe, expect, it } from "vitest";
import type { BundleMirrorState } from "../../../../provider/definitions/bundleMirror";
import * as errors from "../../../../provider/support/errors";
import { rejection } from "../../../support/clientUnderTest";
import { destroyMirror, mirrored } from "../../../support/mirror/mirrorWorld";
import {
  bundles,
  type ContentKind,
  eachOwnedPlace,
  editRecord,
  fieldsOf,
  namesOf,
  type RecordFields,
  warningsOf,
  worldsAt,
} from "../../../support/mirror/ownedPlaces";
import { sha256Of } from "../../../support/mirror/storage";
import { throwingLifecycles } from "../../../support/throwingLifecycles";

const { bundleMirror } = throwingLifecycles;

/* A record at the place is only a claim. A file belongs to the mirror if the state or the file's bytes prove it. */

const foreign = { path: "private/key.txt", sizeBytes: 1, sha256: "0".repeat(64), revision: "1" };

/** Another user's changes of a record. A change with a `ContentKind` is tested only where a place has such content. */
const claims: [string, (fields: RecordFields) => object, ContentKind?][] = [
  ["has no seal", () => ({ seals: [] })],
  ["names another job", () => ({ jobId: "job-9" })],
  ["has a field that no mirror writes", () => ({ note: "x" })],
  ["names a further file", ({ files = [] }) => ({ files: [...files, foreign] }), "files"],
  ["has more than 32 MiB", ({ files }) => ({ files, "": " ".repeat(32 * 1024 ** 2) }), "files"],
];

describe.each(eachOwnedPlace)("a mirror of layout %s at a place of the scheme %s", (layout, kind, holds, places) => {
  const placeWorld = worldsAt(layout, places());
  const names = namesOf(holds, layout);
  const isImage = holds === "images";

  it("is refused to another mirror by an error that names the record and its owner, before a link is minted", async () => {
    const world = await placeWorld();
    await mirrored(world.named("prod site"));
    const before = await world.place.all();
    const error = await rejection(mirrored(world.named("staging site")));
    expect(error).toBeInstanceOf(errors.DestinationError);
    expect(error.message).toContain("the destination belongs to another mirror: ");
    expect(error.message).toContain(`${names.record} names "prod site" as its owner`);
    expect(world.platform.calls).toEqual(["bundle job-1"]);
    expect(await world.place.all()).toEqual(before);
  });

  it("is refused to the earlier mirror where another one has taken its place since", async () => {
    const world = await placeWorld();
    const state = await mirrored(world.named("prod site"));
    for (const name of names.all) {
      await world.place.remove(name);
    }
    await mirrored(world.named("staging site"));
    const before = await world.place.all();
    const { inputs, context } = world.named("prod site");
    const error = await rejection(bundleMirror.update("id", { ...state, __difference: "changed" }, inputs, context));
    expect(error.message).toContain('names "staging site" as its owner');
    expect(await warningsOf(state)).toEqual([expect.stringContaining("nothing was removed")]);
    expect(await world.place.all()).toEqual(before);
  });

  const isSite = layout === "site" && !isImage;
  // Some file systems take a name in another case for the same, or a folder lies in the place of a file.
  const taken = isSite ? ["INDEX.html", "guide", "assets/style.css/x"] : [];
  it.each([...new Set([...(isSite ? [names.main, names.record] : names.all), ...taken])])(
    "overwrites nothing of others, nor treats it as its own: %s",
    async (name) => {
      const world = await placeWorld();
      await world.place.write(name, "theirs");
      const before = await world.place.all();
      const error = await rejection(mirrored(world));
      expect(error).toBeInstanceOf(errors.DestinationError);
      expect(error.message).toContain("files that do not belong to this mirror: ");
      expect(error.message).toContain(`${name}"`);
      expect(world.platform.calls).toHaveLength(isImage || name === names.record ? 0 : 1);
      expect(await world.place.all()).toEqual(before);
    },
  );

  it("does not take the content of others for the bundle because a record with this owner has the expected sha256", async () => {
    const world = await placeWorld();
    const publisher = await placeWorld();
    await mirrored(publisher);
    for (const [name, content] of Object.entries(await publisher.place.all())) {
      await world.place.write(name, content);
    }
    await world.place.write(names.main, "planted");
    const before = await world.place.all();
    const inputs = { ...world.inputs, expectedSha256: sha256Of((await bundles)[0] ?? "") };
    expect(await rejection(bundleMirror.create(inputs, world.context))).toBeInstanceOf(errors.DestinationError);
    expect(await world.place.all()).toEqual(before);
  });

  it("adopts files without a record that have the very bytes, but no image", async () => {
    const world = await placeWorld(0);
    const state = await mirrored(world);
    await world.place.remove(names.record);
    if (isImage) {
      expect((await rejection(mirrored(world))).message).toContain("do not belong to this mirror");
    }
    await destroyMirror(isImage ? await world.update({ ...state, __difference: "changed" }) : await mirrored(world));
    expect(await world.place.all()).toEqual({});
  });

  // Only two stores are tested with every claim, because the same code checks the records of all stores.
  it.each(claims.filter(([, , where = holds], at) => where === holds && (at === 0 || /^(file|oci)$/.test(kind))))(
    "deletes nothing where its record %s, says so, and is repaired by the next update",
    async (_, change) => {
      const world = await placeWorld(0);
      const state = await mirrored(world);
      await world.place.write(isImage ? "theirs" : foreign.path, "theirs");
      await editRecord(world.place, names.record, change);
      const before = await world.place.all();
      const notWritten = [expect.stringContaining("is not the one that this mirror wrote")];
      expect(await warningsOf(state)).toEqual(notWritten);
      expect(await world.place.all()).toEqual(before);
      expect(await world.refresh(state)).toEqual({ ...state, __difference: expect.any(String) });
      // The stack was renamed after the publication, so the mirror has another name.
      const { inputs, context } = world.named("the renamed mirror");
      const updated = await bundleMirror.update("id", { ...state, __difference: "changed" }, inputs, context);
      expect(world.warnings).toEqual(isImage ? [] : notWritten);
      expect(await world.refresh(updated)).toEqual(updated);
      await destroyMirror(updated);
      expect(await world.names()).toEqual([isImage ? "theirs" : foreign.path]);
    },
  );

  it("with content that somebody has changed, and its line in the record, is marked, and repaired by the next update", async () => {
    const world = await placeWorld(0);
    const state = await mirrored(world);
    await world.place.write(names.main, "planted");
    const planted = (await world.place.all())[names.main] ?? "";
    const line = { sizeBytes: planted.length, sha256: sha256Of(planted), revision: "1" };
    await editRecord(world.place, names.record, ({ files }) =>
      files === undefined
        ? { digest: `sha256:${sha256Of(planted)}` }
        : { files: files.map((file) => (file.path === names.main ? { ...file, ...line } : file)) },
    );
    const read = await world.refresh(state);
    expect(read).toEqual({ ...state, __difference: expect.any(String) });
    const updated = await world.update(read);
    expect((await world.place.all())[names.main]).not.toBe(planted);
    expect(await world.refresh(updated)).toEqual(updated);
  });

  it("is not removed by a state that somebody has made up from what lies at the destination", async () => {
    const world = await placeWorld();
    const state = await mirrored(world);
    const before = await world.place.all();
    const { seals } = fieldsOf(before[names.record] ?? "");
    for (const __publication of ["", seals[0] ?? "", "0".repeat(32)]) {
      expect(await warningsOf({ ...state, __publication })).toHaveLength(1);
    }
    expect(await world.place.all()).toEqual(before);
    expect(await warningsOf(state)).toEqual([]);
    expect(await world.place.all()).toEqual({});
  });

  it("takes over nothing of others if the layout of the mirror has changed", async () => {
    const world = await placeWorld();
    const old = await mirrored(world, { layout: layout === "site" ? "archive" : "site" });
    await world.place.write(names.main, "theirs");
    const before = await world.place.all();
    const error = await rejection(bundleMirror.create(world.inputs, world.context, old));
    expect(error).toBeInstanceOf(errors.DestinationError);
    expect(error.message).toContain(`${names.main}"`);
    expect(await world.place.all()).toEqual(before);
  });

  it("is removed by its own publication, and by no earlier one, without what others have put there", async () => {
    const world = await placeWorld(0);
    const old = await mirrored(world);
    const state = await mirrored(world);
    // In a registry, both tags lead to the same image.
    const { [names.main]: copy = "" } = await world.place.all();
    await world.place.write("theirs.txt", copy);
    await destroyMirror(old);
    expect(await world.names()).toEqual([...names.all, "theirs.txt"].sort());
    await destroyMirror(state);
    expect(await world.place.all()).toEqual({ "theirs.txt": copy });
    expect(await warningsOf(state)).toHaveLength(layout === "site" && !isImage ? 1 : 0);
  });

  it("is not removed if somebody has put back its earlier record: no publication has the right of another", async () => {
    const world = await placeWorld(0, 1, 0);
    const inPlace = (state: BundleMirrorState, jobId: string) =>
      world.update({ ...state, __difference: "changed" }, { jobId: layout === "site" ? jobId : "job-1" });
    const old = await inPlace(await mirrored(world), "job-2");
    const { [names.record]: record = "" } = await world.place.all();
    const state = await inPlace(old, "job-1");
    await world.place.write(names.record, record);
    const before = await world.place.all();
    expect(await warningsOf(state)).toHaveLength(1);
    expect(await world.place.all()).toEqual(before);
  });
});
