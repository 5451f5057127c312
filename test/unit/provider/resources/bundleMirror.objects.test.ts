import { describe, expect, it } from "vitest";
import type { BundleMirrorInputs, BundleMirrorState } from "../../../../provider/definitions/bundleMirror";
import { bundleMirror } from "../../../../provider/resources/bundleMirror";
import * as errors from "../../../../provider/support/errors";
import { rejection } from "../../../support/clientUnderTest";
import type { Reply } from "../../../support/loopback";
import { destroyed, type MirrorWorld, mirrored, mirrorWorld } from "../../../support/mirror/mirrorWorld";
import { eachObjectPlace } from "../../../support/mirror/objectPlaces";
import { gzipLike, sha256Of, storage } from "../../../support/mirror/storage";
import { archiveWith, type Files } from "../mirror/archive/archives";

const mebibyte = 1024 ** 2;
const large = gzipLike(20 * mebibyte);
const small = gzipLike(30_000);
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

  describe("an archive", () => {
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

    it("that is cut short is never completed: nothing is there", async () => {
      const world = await objectWorld([storage(large, { cutAfter: 12 * mebibyte })]);
      expect(await rejection(bundleMirror.create(world.inputs, world.context))).toBeInstanceOf(errors.DownloadError);
      expect(await place.names()).toEqual([]);
    });

    it("begins anew where the storage of the platform cannot go on", async () => {
      const world = await objectWorld([
        storage(gzipLike(20 * mebibyte, 2), { cutAfter: 12 * mebibyte }),
        storage(large),
      ]);
      expect(await mirrored(world)).toMatchObject({ sha256: sha256Of(large) });
      expect(sha256Of(await place.read("docs/job-1.tar.gz"))).toBe(sha256Of(large));
    });

    it("is dropped from the state where it and its manifest are missing", async () => {
      const world = await objectWorld([storage(small)]);
      const state = await mirrored(world);
      await place.remove("docs/job-1.tar.gz");
      expect(await refreshed(world, state)).toMatchObject({ __difference: "the archive is gone" });
      await place.remove("docs/job-1.json");
      expect(await refreshed(world, state)).toBeUndefined();
    });

    it("is left in the state where the place cannot be asked", async () => {
      const world = await objectWorld([storage(small)]);
      const state = await mirrored(world);
      place.useWrongSecret();
      const error = await rejection(refreshed(world, state) as Promise<unknown>);
      expect(error).toBeInstanceOf(errors.DestinationError);
      expect(error.message).toContain("nothing was changed");
    });

    it("that was overwritten is marked without a transfer, and mended by the next update", async () => {
      const world = await objectWorld([storage(small)]);
      const state = await mirrored(world);
      await place.write("docs/job-1.tar.gz", gzipLike(30_000, 2));
      const read = await refreshed(world, state);
      expect(read).toEqual({ ...state, __differs: true, __difference: expect.any(String) });
      expect(world.server.requests).toHaveLength(1);
      const updated = await bundleMirror.update("id", { ...state, __differs: true }, world.inputs, world.context);
      // Some servers give the same bytes a new revision.
      expect(updated).toEqual({ ...state, __mark: expect.any(String) });
      expect(await refreshed(world, updated)).toEqual(updated);
      expect(world.server.requests).toHaveLength(2);
    });

    it("whose checksum is missing has it written anew, without a transfer", async () => {
      const world = await objectWorld([storage(small)]);
      const state = await mirrored(world);
      await place.remove("docs/job-1.tar.gz.sha256");
      expect(await refreshed(world, state)).toEqual({ ...state, __differs: true, __difference: expect.any(String) });
      await bundleMirror.update("id", { ...state, __differs: true }, world.inputs, world.context);
      expect(await place.names()).toHaveLength(3);
      expect(world.server.requests).toHaveLength(1);
    });

    it("is removed by its own mirror, and by no other", async () => {
      const world = await objectWorld([storage(small)]);
      const old = await mirrored(world);
      const state = await mirrored(world);
      await destroyed(old);
      expect(await place.names()).toHaveLength(3);
      await destroyed(state);
      expect(await place.names()).toEqual([]);
      await destroyed(state);
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
      await destroyed(updated);
      expect(await place.names()).toEqual([]);
    });

    it("is marked where a page of many is missing or changed, and published anew by the next update", async () => {
      const many: Files = Array.from({ length: 20 }, (_, page) => [`pages/${page}.html`, `<h1>${page}</h1>`]);
      const world = await objectWorld([storage(await archiveWith("tar.gz", [...first, ...many]))], "site");
      const state = await mirrored(world);
      await place.remove("docs/pages/7.html");
      expect(await refreshed(world, state)).toEqual({ ...state, __differs: true, __difference: expect.any(String) });
      const updated = await bundleMirror.update("id", { ...state, __differs: true }, world.inputs, world.context);
      expect(await refreshed(world, updated)).toEqual(updated);
      await place.write("docs/pages/7.html", "<h1>changed</h1>");
      expect(await refreshed(world, updated)).toEqual({
        ...updated,
        __differs: true,
        __difference: expect.any(String),
      });
    });
  });

  describe("where the place does not exist", () => {
    it.each(["archive", "site"] as const)("is an error of the first run (%s), and nothing is kept", async (layout) => {
      const world = await mirrorWorld([storage(await archiveWith("tar.gz", first))]);
      const { destination, code } = place.missing;
      const error = await rejection(bundleMirror.create({ ...world.inputs, layout, destination }, world.context));
      expect(error).toBeInstanceOf(errors.DestinationError);
      expect(error.message).toContain(code);
    });
  });

  describe("a server on this machine, and a platform that is not", () => {
    it("are refused before a link is minted", async () => {
      const world = await mirrorWorld([storage(small)], { baseUrl: "https://api.example.com" });
      const destination = place.destination();
      const error = await rejection(bundleMirror.create({ ...world.inputs, destination }, world.context));
      expect(error.message).toContain("would be reached by plain http");
      expect(world.platform.calls).toEqual([]);
    });
  });
});
