import { describe, expect, it } from "vitest";
import type { BundleMirrorInputs, BundleMirrorState } from "../../../../provider/definitions/bundleMirror";
import { archivedJobs } from "../../../../provider/mirror/archivedJobs";
import * as errors from "../../../../provider/support/errors";
import { never, rejection } from "../../../support/clientUnderTest";
import type { Reply } from "../../../support/loopback";
import { destroyMirror, type MirrorWorld, mirrored, mirrorWorld } from "../../../support/mirror/mirrorWorld";
import { eachObjectPlace } from "../../../support/mirror/objectPlaces";
import { gzipLike, sha256Of, storage } from "../../../support/mirror/storage";
import { toldByHost } from "../../../support/toldByHost";
import { archiveWith, type Files } from "../mirror/archive/archives";

const { bundleMirror } = toldByHost;

const mebibyte = 1024 ** 2;
const large = gzipLike(20 * mebibyte);
const small = gzipLike(30_000);
const planted = gzipLike(30_000, 2);
const manifest = ".bundle-mirror.json";

const first: Files = [
  ["index.html", "<h1>One</h1>"],
  ["guide/old.html", "<h1>Old</h1>"],
  ["assets/style.css", "h1 {}"],
  ["assets/logo.svg", "<svg/>"],
  ["data", "x"],
];
const second: Files = [
  ["index.html", "<h1>Two</h1>"],
  ["guide/start.html", "<h1>Start</h1>"],
];

/** A mirror in each kind of object storage, on its real server. */
describe.each(eachObjectPlace)("at a place of the scheme %s,", (_, placeOfTest) => {
  const place = placeOfTest();

  /** The surroundings of a mirror with a place of its own. */
  async function objectWorld(replies: [Reply, ...Reply[]], layout: BundleMirrorInputs["layout"] = "archive") {
    const world = await mirrorWorld(replies);
    return { ...world, inputs: { ...world.inputs, layout, destination: place.destination("docs") } };
  }

  /** Returns the state after a refresh. */
  const refreshed = (world: MirrorWorld, state: BundleMirrorState) => bundleMirror.read("id", state, world.context);

  /** Overwrites an archive as somebody else, with a manifest of all that a reader may believe. */
  async function plant(): Promise<void> {
    const isThere = (await place.names()).includes("docs/job-1.json");
    const { seals } = isThere ? JSON.parse(String(await place.read("docs/job-1.json"))) : { seals: [] };
    const claim = {
      ...{ jobId: "job-1", version: "job-1", format: "tar.gz", sha256: sha256Of(small), sizeBytes: small.length },
      ...{ mirroredAt: "2026-03-01T00:00:00.000Z", tool: "pulumi-docs-platform 0.1.0", owner: "this mirror", seals },
      files: [{ path: "job-1.tar.gz", sizeBytes: planted.length, sha256: sha256Of(planted), revision: "1" }],
    };
    await place.write("docs/job-1.json", JSON.stringify(claim));
    await place.write("docs/job-1.tar.gz", planted);
    await place.write("docs/job-1.tar.gz.sha256", `${sha256Of(small)}  job-1.tar.gz\n`);
  }

  describe("an archive", () => {
    it("is found with its owner, for who looks for older archives, and nothing else is", async () => {
      const world = await objectWorld([storage(small)]);
      await place.write("docs/other.json", "{}");
      const state = await mirrored(world);
      const found = await archivedJobs(world.inputs.destination, { plainLoopback: true, signal: never });
      const { __owner: owner, mirroredAt } = state;
      expect(found).toEqual([{ jobId: "job-1", owner, mirroredAt }]);
    });

    it.each([
      ["one part", small],
      ["several parts", large],
    ])("of %s is put there with its manifest and checksum, under an address without a signature", async (_, bytes) => {
      const world = await objectWorld([storage(bytes)]);
      const { id, state } = await bundleMirror.create(world.inputs, world.context);
      expect(id).toBe(`${world.inputs.destination}#job-1`);
      expect(state).toMatchObject({
        sha256: sha256Of(bytes),
        sizeBytes: bytes.length,
        format: "tar.gz",
        url: `${place.root}docs/job-1.tar.gz`,
      });
      expect(await place.names()).toEqual(["docs/job-1.json", "docs/job-1.tar.gz", "docs/job-1.tar.gz.sha256"]);
      expect(sha256Of(await place.read("docs/job-1.tar.gz"))).toBe(sha256Of(bytes));
      expect((await place.read("docs/job-1.tar.gz.sha256")).toString()).toBe(`${sha256Of(bytes)}  job-1.tar.gz\n`);
      expect((await place.headers("docs/job-1.tar.gz")).contentType).toBe("application/gzip");
      expect(await refreshed(world, state)).toEqual(state);
    });

    it("holds no credentials in its state", async () => {
      const world = await objectWorld([storage(small)]);
      const text = JSON.stringify(await mirrored(world));
      expect(place.secrets.filter((secret) => secret === "" || text.includes(secret))).toEqual([]);
    });

    it.each([
      ["one part", small],
      ["several parts", large],
    ])("of another sha256 than expected (%s) is never completed: nothing is there", async (_, bytes) => {
      const world = await objectWorld([storage(bytes)]);
      const create = bundleMirror.create({ ...world.inputs, expectedSha256: "0".repeat(64) }, world.context);
      expect(await rejection(create)).toBeInstanceOf(errors.ChecksumError);
      expect(await place.names()).toEqual([]);
    });

    it.each([
      ["alone", () => place.write("docs/job-1.tar.gz", planted)],
      ["with its manifest and its checksum", plant],
    ])("that was overwritten %s is marked without a transfer, and mended by the next update", async (_, overwrite) => {
      const world = await objectWorld([storage(small)]);
      const state = await mirrored(world);
      await overwrite();
      const read = await refreshed(world, state);
      expect(read).toEqual({ ...state, __difference: expect.any(String) });
      expect(world.server.requests).toHaveLength(1);
      const updated = await bundleMirror.update("id", read as BundleMirrorState, world.inputs, world.context);
      expect(updated).toEqual({ ...state, __publication: expect.any(String) });
      expect(sha256Of(await place.read("docs/job-1.tar.gz"))).toBe(sha256Of(small));
      expect(await refreshed(world, updated)).toEqual(updated);
      expect(world.server.requests).toHaveLength(2);
    });

    it("of others, with a manifest that tells the expected sha256, is not taken for the bundle", async () => {
      const world = await objectWorld([storage(small)]);
      await plant();
      const inputs = { ...world.inputs, expectedSha256: sha256Of(small) };
      expect(await rejection(bundleMirror.create(inputs, world.context))).toBeInstanceOf(errors.DestinationError);
      expect((await place.read("docs/job-1.tar.gz")).equals(planted)).toBe(true);
    });

    it("of several parts and the same bytes is taken over, and another one is refused", async () => {
      const world = await objectWorld([storage(large), storage(large), storage(gzipLike(20 * mebibyte, 2))]);
      await mirrored(world);
      const same = await mirrored(world);
      expect(await rejection(mirrored(world))).toBeInstanceOf(errors.DestinationError);
      expect(await refreshed(world, same)).toEqual(same);
    });

    it("is removed by its own mirror, and by no other", async () => {
      const world = await objectWorld([storage(small)]);
      const old = await mirrored(world);
      const state = await mirrored(world);
      await destroyMirror(old);
      expect(await place.names()).toHaveLength(3);
      await destroyMirror(state);
      expect(await place.names()).toEqual([]);
      await destroyMirror(state);
    });

    it("is left in the state where the place cannot be asked", async () => {
      const world = await objectWorld([storage(small)]);
      const state = await mirrored(world);
      place.useWrongSecret();
      const error = await rejection(refreshed(world, state) as Promise<unknown>);
      expect(error).toBeInstanceOf(errors.DestinationError);
      expect(error.message).toContain("nothing was changed");
    });
  });

  describe("a site", () => {
    it("is published with the content types and the caching of a static host", async () => {
      const world = await objectWorld([storage(await archiveWith("tar.gz", first))], "site");
      const state = await mirrored(world);
      expect(state.url).toBe(`${place.root}docs/`);
      expect(await place.names()).toEqual(
        [manifest, ...first.map(([path]) => path)].map((name) => `docs/${name}`).sort(),
      );
      const headers = new Map<string, unknown>();
      for (const [path] of first) {
        const { contentType, cacheControl } = await place.headers(`docs/${path}`);
        headers.set(path, [contentType, cacheControl]);
      }
      expect(Object.fromEntries(headers)).toEqual({
        "index.html": ["text/html; charset=utf-8", "no-cache"],
        "guide/old.html": ["text/html; charset=utf-8", "no-cache"],
        "assets/style.css": ["text/css; charset=utf-8", "public, max-age=300"],
        "assets/logo.svg": ["image/svg+xml", "public, max-age=300"],
        data: ["application/octet-stream", "public, max-age=300"],
      });
      expect(await refreshed(world, state)).toEqual(state);
    });

    it("has only the new files after the job has changed, and none after it was removed", async () => {
      const archives = [await archiveWith("tar.gz", first), await archiveWith("zip", second)] as const;
      const world = await objectWorld([storage(archives[0]), storage(archives[1])], "site");
      const state = await mirrored(world);
      const inputs = { ...world.inputs, jobId: "job-2" };
      const updated = await bundleMirror.update("id", state, inputs, world.context);
      expect(await place.names()).toEqual(
        [manifest, ...second.map(([path]) => path)].map((name) => `docs/${name}`).sort(),
      );
      expect(await refreshed(world, updated)).toEqual(updated);
      await destroyMirror(updated);
      expect(await place.names()).toEqual([]);
    });

    it("is refused beside objects of others", async () => {
      const world = await objectWorld([storage(await archiveWith("tar.gz", second))], "site");
      await place.write("docs/notes/a.txt", "mine");
      await place.write("docs-of-others.txt", "mine");
      const error = await rejection(mirrored(world));
      expect(error.message).toContain('do not belong to this mirror: "notes/a.txt".');
      expect(await place.names()).toEqual(["docs-of-others.txt", "docs/notes/a.txt"]);
    });
  });

  it.each(["archive", "site"] as const)(
    "a mirror of layout %s is gone with its place: a refresh drops it, and a removal ends",
    async (layout) => {
      const bytes = layout === "site" ? await archiveWith("tar.gz", first) : small;
      const world = await objectWorld([storage(bytes), storage(bytes)], layout);
      const state = await mirrored(world);
      await place.removeWhole();
      await destroyMirror(state);
      expect(await refreshed(world, state)).toBeUndefined();
      // A place that is gone is not a free place.
      const error = await rejection(mirrored(world));
      expect(error.message).toContain(place.missing.code);
    },
  );

  it("a place that does not exist is an error of the first run", async () => {
    const world = await mirrorWorld([storage(small)]);
    const { destination, code } = place.missing;
    const error = await rejection(bundleMirror.create({ ...world.inputs, destination }, world.context));
    expect(error).toBeInstanceOf(errors.DestinationError);
    expect(error.message).toContain(code);
  });

  it("a server on this machine is refused to a platform that is not, before a link is minted", async () => {
    const world = await mirrorWorld([storage(small)], { baseUrl: "https://api.example.com" });
    const destination = place.destination();
    const error = await rejection(bundleMirror.create({ ...world.inputs, destination }, world.context));
    expect(error.message).toContain("would be reached by plain http");
    expect(world.platform.calls).toEqual([]);
  });
});
