import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it, vi } from "vitest";
import type { BundleMirrorState } from "../../../../provider/definitions/bundleMirror";
import { destinationSchemes } from "../../../../provider/storage/destination";
import * as errors from "../../../../provider/support/errors";
import { rejection } from "../../../support/clientUnderTest";
import { planned } from "../../../support/decisions";
import { eachMirrorPlace, type SharedPlace } from "../../../support/mirror/mirrorPlaces";
import {
  destroyMirror,
  mirrored,
  mirrorsWhosePut,
  mirrorsWith,
  mirrorWorld,
  signature,
  storeFault,
} from "../../../support/mirror/mirrorWorld";
import { bundles, eachOwnedPlace, fieldsOf, namesOf, warningsOf, worldsAt } from "../../../support/mirror/ownedPlaces";
import { contentOf, first, second, siteManifest } from "../../../support/mirror/siteWorld";
import { gzipLike, sha256Of, storageReply } from "../../../support/mirror/storage";
import { temporaryFolder } from "../../../support/temporaryFolder";
import { SavedFailure, throwingLifecycles } from "../../../support/throwingLifecycles";
import { archiveWith } from "../mirror/archive/archives";

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
      expect(state.url).toBe(`${world.place.address}${layout === "site" ? "" : names.main}`);
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

  // Azure has no sha256 of a blob that another program has written.
  if (kind !== "azblob") {
    it("has no difference for a refresh after somebody has written its files again with the same bytes", async () => {
      const world = await placeWorld();
      const state = await mirrored(world);
      for (const [name, content] of Object.entries(await world.place.all())) {
        await world.place.write(name, content);
      }
      expect(await world.refresh(state)).toEqual(state);
      expect([world.platform.calls.length, world.server.requests.length]).toEqual([1, 1]);
    });
  }

  it("keeps its state if a refresh cannot look", async () => {
    const world = await placeWorld();
    const state = await mirrored(world);
    const mirrors = mirrorsWith(() => {
      throw storeFault();
    });
    const error = await rejection(bundleMirror.read("id", state, { ...world.context, mirrors }));
    expect(error).toBeInstanceOf(errors.DestinationError);
    expect(error.message).toContain("nothing was changed");
    expect(await world.refresh(state)).toEqual(state);
  });

  if (destinationSchemes[kind].holds === "objects") {
    it("is refused before a link is minted if only its server, and not the platform, is on this machine", async () => {
      const { inputs, place } = await placeWorld();
      const world = await mirrorWorld([storageReply(one)], { baseUrl: "https://api.example.com" });
      const error = await rejection(bundleMirror.create(inputs, world.context));
      expect(error.message).toContain("would be reached by plain http");
      expect(world.platform.calls).toEqual([]);
      expect(await place.all()).toEqual({});
    });
  }

  if (layout === "archive") {
    it("lies beside those of other jobs, also if all are written at the same time, and each removes its own", async () => {
      const world = await placeWorld(0);
      const jobs = ["job-1", "job-2", "job-3"];
      const states = await Promise.all(jobs.map((jobId) => mirrored(world, { jobId })));
      expect(await world.names()).toEqual(jobs.flatMap((job) => namesOf(holds, layout, job).all).sort());
      for (const [at, state] of states.entries()) {
        const others = states.slice(at);
        expect(await Promise.all(others.map(world.refresh))).toEqual(others);
        await destroyMirror(state);
      }
      expect([await world.place.all(), world.place.files?.() ?? []]).toEqual([{}, []]);
    });
  }
});

const pages = ["text/html; charset=utf-8", "no-cache"];
const others = (type: string) => [type, "public, max-age=300"];

/** The last file is larger than the part of a file that is held in memory. No pattern in it repeats. */
const types: [path: string, content: string, headers: string[]][] = [
  ["index.html", "<h1>One</h1>", pages],
  ["guide/old.html", "<h1>Old</h1>", pages],
  ["assets/style.css", "h1 {}", others("text/css; charset=utf-8")],
  ["assets/logo.svg", "<svg/>", others("image/svg+xml")],
  ["data", gzipLike(2 * 1024 ** 2).toString("hex"), others("application/octet-stream")],
];

describe.each(eachMirrorPlace.filter(([, holds]) => holds === "files"))(
  "at a place of the scheme %s,",
  (_, __, places) => {
    const newPlace = places();
    const [siteAt, archiveAt] = [worldsAt("site", newPlace), worldsAt("archive", newPlace)];

    it("a site is published with its large files, and with the content types and the caching of a static host", async () => {
      const world = await siteAt(
        await archiveWith(
          "tar.zst",
          types.map(([path, content]) => [path, content]),
        ),
      );
      const { format } = await mirrored(world);
      expect(format).toBe("tar.zst");
      const all = await world.place.all();
      for (const [path, content, expected] of types) {
        expect(sha256Of(all[path] ?? "")).toBe(sha256Of(content));
        const { contentType, cacheControl } = (await world.place.headers?.(path)) ?? {};
        expect([path, contentType, cacheControl]).toEqual([
          path,
          ...(world.place.headers ? expected : [undefined, undefined]),
        ]);
      }
    });

    it("a site gets what pages refer to before the pages, and index.html last", async () => {
      const order: string[] = [];
      const world = await siteAt();
      world.context.mirrors = mirrorsWhosePut((name, write) => write().finally(() => order.push(name)));
      await mirrored(world);
      const published = order.filter((name) => name !== siteManifest);
      expect([published[0], published.slice(1, 3).sort(), published.slice(3)]).toEqual([
        "assets/style.css",
        ["guide/old.html", "guide/start.html"],
        ["index.html"],
      ]);
    });

    it("a first publication that fails in the middle is kept in the state: the next run continues, and destroy removes it", async () => {
      const world = await siteAt(1);
      const mirrors = mirrorsWhosePut((name, write) =>
        name.startsWith("guide/") ? Promise.reject(storeFault()) : write(),
      );
      const failed = await rejection(bundleMirror.create(world.inputs, { ...world.context, mirrors }));
      expect(failed).toBeInstanceOf(SavedFailure);
      const { id, state, reason } = failed as SavedFailure<BundleMirrorState>;
      expect(id).toBe(world.inputs.destination);
      expect(reason).toBeInstanceOf(errors.DestinationError);
      expect(reason.message).toContain("Exists now: a part of the files of job job-1");
      const __difference = "the publication did not complete";
      expect(state).toMatchObject({ jobId: "job-1", sha256: sha256Of(two), __difference });
      expect(await world.names()).toEqual([siteManifest, "assets/app.js"]);
      expect(planned("BundleMirror", state, world.inputs, 0).action).toBe("update");
      const updated = await world.update(state);
      expect(updated).not.toHaveProperty("__difference");
      expect(await world.place.all()).toMatchObject(contentOf(second));
      await destroyMirror(updated);
      expect(await world.place.all()).toEqual({});
    });

    it("an archive has the type of its format, and is checked on the other side by sha256sum", async () => {
      const world = await archiveAt();
      await mirrored(world);
      expect((await world.place.headers?.("job-1.tar.gz"))?.contentType ?? "application/gzip").toBe("application/gzip");
      const folder = temporaryFolder();
      for (const [name, content] of Object.entries(await world.place.all())) {
        writeFileSync(join(folder, name), content, "latin1");
      }
      const check = () => execFileSync("sha256sum", ["-c", "job-1.tar.gz.sha256"], { cwd: folder, stdio: "pipe" });
      expect(String(check())).toBe("job-1.tar.gz: OK\n");
      writeFileSync(join(folder, "job-1.tar.gz"), two);
      expect(check).toThrow("1 computed checksum did NOT match");
    });

    it.each([
      ["job/../1", "job%2F..%2F1"],
      ["job 1?#", "job%201%3F%23"],
      ["jöb", "j%C3%B6b"],
    ])("an archive of job %j is named %s, and lies in the destination", async (jobId, name) => {
      const world = await archiveAt(0);
      const state = await mirrored(world, { jobId });
      expect(await world.names()).toContain(`${name}.tar.gz`);
      expect(state.url).toBe(`${world.place.address}${encodeURIComponent(`${name}.tar.gz`)}`);
      const { url } = await world.update(state, { jobId, publicUrl: "https://cdn.example.com/docs/" });
      expect(url).toBe(`https://cdn.example.com/docs/${encodeURIComponent(`${name}.tar.gz`)}`);
    });

    it("an update leaves no archive of another format behind if the platform packs it otherwise now", async () => {
      const world = await archiveAt(0, await archiveWith("zip", first));
      const state = { ...(await mirrored(world)), __difference: "changed" };
      const url = expect.stringMatching(/job-1\.zip$/);
      expect(await world.update(state)).toMatchObject({ format: "zip", url });
      expect(await world.names()).toEqual(["job-1.json", "job-1.zip", "job-1.zip.sha256"]);
    });
  },
);
