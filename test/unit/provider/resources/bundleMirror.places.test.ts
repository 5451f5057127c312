import { beforeAll, describe, expect, it, vi } from "vitest";
import type { BundleMirrorInputs, BundleMirrorState } from "../../../../provider/definitions/bundleMirror";
import { archivedJobs } from "../../../../provider/mirror/archivedJobs";
import * as errors from "../../../../provider/support/errors";
import { never, rejection } from "../../../support/clientUnderTest";
import { planned } from "../../../support/decisions";
import { eachMirrorPlace, type SharedPlace } from "../../../support/mirror/mirrorPlaces";
import { destroyMirror, type MirrorWorld, mirrored, mirrorWorld, signature } from "../../../support/mirror/mirrorWorld";
import { contentOf, first, second } from "../../../support/mirror/siteWorld";
import { sha256Of, storage } from "../../../support/mirror/storage";
import { toldByHost } from "../../../support/toldByHost";
import { archiveWith } from "../mirror/archive/archives";

const { bundleMirror } = toldByHost;

/* Each rule of a mirror, at a place of each store. Texts that somebody else wrote there are claims: the state, or the bytes, decide. */

const layouts = ["archive", "site"] as const;
type Layout = (typeof layouts)[number];
type Holds = "files" | "images";

let bundles: readonly [Buffer, Buffer];
let sha256 = "";
beforeAll(async () => {
  bundles = [await archiveWith("tar.gz", first), await archiveWith("tar.gz", second)];
  sha256 = sha256Of(bundles[0]);
});

/** The names that a mirror of the first bundle has at its place: what it is read by, its record, and the rest. */
function namesOf(holds: Holds, layout: Layout, job = "job-1", files = first) {
  if (holds === "images") {
    const tag = layout === "site" ? "latest" : job;
    return { main: tag, record: `${tag}.mirror`, all: [tag, `${tag}.mirror`] };
  }
  if (layout === "site") {
    const record = ".bundle-mirror.json";
    return { main: "index.html", record, all: [...files.map(([path]) => path), record].sort() };
  }
  const main = `${job}.tar.gz`;
  return { main, record: `${job}.json`, all: [main, `${job}.json`, `${main}.sha256`].sort() };
}

const annotation = "pulumi-docs-platform.mirror";

interface Fields {
  seals: string[];
  files?: { path: string }[];
  digest?: string;
}

/** The fields of a record, which is a file or an annotation of an image. */
function fieldsOf(record: string): Fields {
  const whole = JSON.parse(record);
  return JSON.parse(whole.annotations?.[annotation] ?? record);
}

/** Writes a record with other fields, as somebody else can. */
async function editRecord(place: SharedPlace, name: string, change: (fields: Fields) => object): Promise<void> {
  const { [name]: record = "" } = await place.all();
  const fields = fieldsOf(record);
  const changed = JSON.stringify({ ...fields, ...change(fields) });
  const isImage = fields.files === undefined;
  const annotations = { [annotation]: changed };
  await place.write(name, isImage ? JSON.stringify({ ...JSON.parse(record), annotations }) : changed);
}

const foreign = { path: "private/key.txt", sizeBytes: 1, sha256: "0".repeat(64), revision: "1" };

/** Records that somebody else has changed. The first ones exist in every store. */
const claims: [string, (fields: Fields) => object, Holds?][] = [
  ["has no seal", () => ({ seals: [] })],
  ["names another job", () => ({ jobId: "job-9" })],
  ["has a field that no mirror writes", () => ({ note: "x" })],
  ["has an invalid sha256", () => ({ sha256: "0" })],
  ["names a further file", ({ files = [] }) => ({ files: [...files, foreign] }), "files"],
  ["names a further file as pending", () => ({ pending: [foreign.path] }), "files"],
  ["names another file, without a seal", () => ({ files: [foreign], seals: [] }), "files"],
  ["has a path that leads elsewhere", () => ({ pending: ["../../etc"] }), "files"],
];

const cases = eachMirrorPlace.flatMap(([kind, holds, places]) =>
  layouts.map((layout) => [layout, kind, holds, places] as const),
);

describe.each(cases)("a mirror of layout %s at a place of the scheme %s", (layout, _, holds, places) => {
  const newPlace = places();
  const names = namesOf(holds, layout);
  const isImage = holds === "images";

  async function placeWorld(archives: readonly [Buffer, ...Buffer[]] = bundles) {
    const place = await newPlace();
    const [one, ...others] = archives.map((archive) => storage(archive));
    const world = await mirrorWorld([one ?? storage(bundles[0]), ...others]);
    const inputs: BundleMirrorInputs = { ...world.inputs, layout, destination: place.destination };
    const named = (owner: string): MirrorWorld => ({ ...world, inputs, context: { ...world.context, owner } });
    return {
      ...{ ...world, place, inputs, named },
      refresh: async (state: BundleMirrorState) =>
        (await bundleMirror.read("id", state, world.context)) as BundleMirrorState,
      update: (state: BundleMirrorState, changed: Partial<BundleMirrorInputs> = {}) =>
        bundleMirror.update("id", state, { ...inputs, ...changed }, world.context),
    };
  }

  /** Removes a mirror, and returns the warnings. */
  async function warningsOf(state: BundleMirrorState): Promise<string[]> {
    const warnings: string[] = [];
    await destroyMirror(state, { warn: (text) => warnings.push(text) });
    return warnings;
  }
  const namesAt = async ({ place }: { place: SharedPlace }) => Object.keys(await place.all()).sort();

  it("is whole and named in its state after one link, holds no secret, and a refresh finds it so", async () => {
    const world = await placeWorld();
    const { id, state } = await bundleMirror.create(world.inputs, world.context);
    expect(world.platform.calls).toEqual(["bundle job-1"]);
    expect(world.server.requests).toHaveLength(1);
    expect(id).toBe(`${world.inputs.destination}${layout === "site" ? "" : "#job-1"}`);
    const facts = { sha256, sizeBytes: bundles[0].length, format: "tar.gz", version: "job-1" };
    expect(state).toMatchObject({ ...world.inputs, ...facts, mirroredAt: "2026-03-01T00:00:00.000Z" });
    const { [names.record]: record = "", ...others } = await world.place.all();
    expect([...Object.keys(others), names.record].sort()).toEqual(names.all);
    if (isImage) {
      expect(state.url).toMatch(new RegExp(`@sha256:${sha256Of(others[names.main] ?? "")}$`));
    } else {
      const archive = {
        [names.main]: bundles[0].toString("latin1"),
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

  it("is found with its owner by who looks for older archives, and nothing else is", async () => {
    const world = await placeWorld();
    const state = await mirrored(world);
    await world.place.write("other.json", "{}");
    const { __owner: owner, mirroredAt } = state;
    const found = await archivedJobs(world.inputs.destination, { plainLoopback: true, signal: never });
    expect(found).toEqual([{ jobId: "job-1", owner, mirroredAt }]);
  });

  it("of another sha256 than expected is never there, and the error has both", async () => {
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

  it("stays its own after a rename of the stack, with other bytes too", async () => {
    const world = await placeWorld([bundles[0], bundles[0], bundles[1]]);
    const state = await mirrored(world.named("prod site"));
    const { inputs, context } = world.named("renamed site");
    const repaired = { ...state, __difference: "changed" };
    await world.place.write(names.main, "changed");
    await bundleMirror.update("id", repaired, inputs, context);
    const last = await bundleMirror.update("id", repaired, inputs, context);
    expect(last.sha256).not.toBe(state.sha256);
    await destroyMirror(last);
    expect(await world.place.all()).toEqual({});
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

  it.each(layout === "archive" ? names.all : [names.main, names.record])(
    "overwrites nothing of others, nor takes it for its own: %s",
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

  it("of others is not taken for the bundle where a record with this owner tells the expected sha256", async () => {
    const world = await placeWorld();
    const publisher = await placeWorld();
    await mirrored(publisher);
    for (const [name, content] of Object.entries(await publisher.place.all())) {
      await world.place.write(name, content);
    }
    await world.place.write(names.main, "planted");
    const before = await world.place.all();
    const inputs = { ...world.inputs, expectedSha256: sha256 };
    expect(await rejection(bundleMirror.create(inputs, world.context))).toBeInstanceOf(errors.DestinationError);
    expect(await world.place.all()).toEqual(before);
  });

  it("takes over files without a record that have the very bytes, but no image", async () => {
    const world = await placeWorld([bundles[0]]);
    const state = await mirrored(world);
    await world.place.remove(names.record);
    if (isImage) {
      expect((await rejection(mirrored(world))).message).toContain("do not belong to this mirror");
    }
    await destroyMirror(isImage ? await world.update({ ...state, __difference: "changed" }) : await mirrored(world));
    expect(await world.place.all()).toEqual({});
  });

  it.each(
    names.all.flatMap((name) => [
      [name, "gone", (place: SharedPlace) => place.remove(name)] as const,
      [name, "overwritten", (place: SharedPlace, bytes: number) => place.write(name, "x".repeat(bytes))] as const,
    ]),
  )("with %s %s is marked without a transfer, and the next update mends it by one", async (name, how, change) => {
    const world = await placeWorld([bundles[0]]);
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
    // A transfer is another publication, with another seal.
    expect(updated).toEqual({ ...state, __publication: expect.any(String) });
    expect(updated.__publication).not.toBe(state.__publication);
    expect({ ...(await world.place.all()), [names.record]: "" }).toEqual({ ...before, [names.record]: "" });
    expect(await world.refresh(updated)).toEqual(updated);
    expect([world.platform.calls.length, world.server.requests.length]).toEqual([2, 2]);
  });

  it.each(claims.filter(([, , where = holds]) => where === holds))(
    "deletes nothing where its record %s, says so, and is mended by the next update",
    async (_, change) => {
      const world = await placeWorld([bundles[0]]);
      const state = await mirrored(world);
      await world.place.write(isImage ? "theirs" : foreign.path, "theirs");
      await editRecord(world.place, names.record, change);
      const before = await world.place.all();
      const notWritten = [expect.stringContaining("is not the one that this mirror wrote")];
      expect(await warningsOf(state)).toEqual(notWritten);
      expect(await world.place.all()).toEqual(before);
      expect(await world.refresh(state)).toEqual({ ...state, __difference: expect.any(String) });
      const updated = await world.update({ ...state, __difference: "changed" });
      expect(world.warnings).toEqual(isImage ? [] : notWritten);
      expect(await world.refresh(updated)).toEqual(updated);
      await destroyMirror(updated);
      expect(await namesAt(world)).toEqual([isImage ? "theirs" : foreign.path]);
    },
  );

  it("with content that somebody has changed, and its line in the record, is marked, and mended by the next update", async () => {
    const world = await placeWorld([bundles[0]]);
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

  it("that a later run has published, and saved in no state, is marked by the earlier state, and mended", async () => {
    const world = await placeWorld();
    const state = await mirrored(world);
    await world.update({ ...state, __difference: "changed" });
    const read = await world.refresh(state);
    expect(read).toEqual({ ...state, __difference: expect.any(String) });
    const updated = await world.update(read);
    expect(await world.refresh(updated)).toEqual(updated);
    await destroyMirror(updated);
    expect(await world.place.all()).toEqual({});
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

  it("is removed by its own publication, and by no earlier one, without what others have put there", async () => {
    const world = await placeWorld([bundles[0]]);
    const old = await mirrored(world);
    const state = await mirrored(world);
    await world.place.write("theirs.txt", "theirs");
    await destroyMirror(old);
    expect(await namesAt(world)).toEqual([...names.all, "theirs.txt"].sort());
    await destroyMirror(state);
    expect(await namesAt(world)).toEqual(["theirs.txt"]);
    expect(await warningsOf(state)).toHaveLength(layout === "site" && !isImage ? 1 : 0);
  });

  it("with other bytes is refused to a mirror that was not told of it, and replaced by one that was", async () => {
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

  it("of another job has only its own files, and leaves those of others", async () => {
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
    expect(await namesAt(world)).toEqual([...namesOf(holds, layout, "job-2", second).all, "theirs.txt"].sort());
    expect(next).toMatchObject({ jobId: "job-2", version: "job-2", sha256: sha256Of(bundles[1]) });
    expect(next.__publication).not.toBe(state.__publication);
    expect(await world.refresh(next)).toEqual(next);
    expect(world.platform.calls).toEqual(["bundle job-1", "bundle job-2"]);
    await destroyMirror(next);
    expect(await namesAt(world)).toEqual(["theirs.txt"]);
  });

  it("whose record of an earlier version somebody has put back is not removed: no publication has the right of another", async () => {
    const world = await placeWorld([...bundles, bundles[0]]);
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
    // A bucket that is gone is not a free place.
    if (/^(s3|azblob):/.test(world.inputs.destination)) {
      expect((await rejection(mirrored(world))).message).toMatch(/NoSuchBucket|ContainerNotFound/);
    }
  });

  it("goes on from another platform with another job only", async () => {
    const world = await placeWorld();
    const state = { ...(await mirrored(world)), __origin: "https://old.example.com", __difference: "changed" };
    expect(await rejection(world.update(state))).toBeInstanceOf(errors.OriginError);
    expect(world.platform.calls).toHaveLength(1);
    if (layout === "site") {
      expect(await world.update(state, { jobId: "job-2" })).toMatchObject({
        __origin: world.context.settings().origin,
      });
    }
  });
});
