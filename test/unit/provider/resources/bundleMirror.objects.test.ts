import { describe, expect, it } from "vitest";
import type { BundleMirrorInputs, BundleMirrorState } from "../../../../provider/definitions/bundleMirror";
import * as errors from "../../../../provider/support/errors";
import { rejection } from "../../../support/clientUnderTest";
import type { Reply } from "../../../support/loopback";
import { type MirrorWorld, mirrored, mirrorWorld } from "../../../support/mirror/mirrorWorld";
import { eachObjectPlace } from "../../../support/mirror/objectPlaces";
import { gzipLike, sha256Of, storageReply } from "../../../support/mirror/storage";
import { toldByHost } from "../../../support/toldByHost";
import { archiveWith, type Files } from "../mirror/archive/archives";

const { bundleMirror } = toldByHost;

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
      const world = await objectWorld([storageReply(bytes)]);
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

    it("contains no credentials in its state", async () => {
      const world = await objectWorld([storageReply(small)]);
      const text = JSON.stringify(await mirrored(world));
      expect(place.secrets.filter((secret) => secret === "" || text.includes(secret))).toEqual([]);
    });

    it("in several parts of another sha256 than expected is never completed: nothing is there", async () => {
      const world = await objectWorld([storageReply(large)]);
      const create = bundleMirror.create({ ...world.inputs, expectedSha256: "0".repeat(64) }, world.context);
      expect(await rejection(create)).toBeInstanceOf(errors.ChecksumError);
      expect(await place.names()).toEqual([]);
    });

    it("of several parts and the same bytes is adopted, and another one is refused", async () => {
      const world = await objectWorld([
        storageReply(large),
        storageReply(large),
        storageReply(gzipLike(20 * mebibyte, 2)),
      ]);
      await mirrored(world);
      const same = await mirrored(world);
      expect(await rejection(mirrored(world))).toBeInstanceOf(errors.DestinationError);
      expect(await refreshed(world, same)).toEqual(same);
    });

    it("is left in the state where the place cannot be asked", async () => {
      const world = await objectWorld([storageReply(small)]);
      const state = await mirrored(world);
      place.useWrongSecret();
      const error = await rejection(refreshed(world, state) as Promise<unknown>);
      expect(error).toBeInstanceOf(errors.DestinationError);
      expect(error.message).toContain("nothing was changed");
    });
  });

  describe("a site", () => {
    it("is published with the content types and the caching of a static host", async () => {
      const world = await objectWorld([storageReply(await archiveWith("tar.gz", first))], "site");
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

    it("is refused beside objects of others", async () => {
      const world = await objectWorld([storageReply(await archiveWith("tar.gz", first))], "site");
      await place.write("docs/notes/a.txt", "mine");
      await place.write("docs-of-others.txt", "mine");
      const error = await rejection(mirrored(world));
      expect(error.message).toContain('do not belong to this mirror: "notes/a.txt".');
      expect(await place.names()).toEqual(["docs-of-others.txt", "docs/notes/a.txt"]);
    });
  });

  it("a place that does not exist is an error of the first run", async () => {
    const world = await mirrorWorld([storageReply(small)]);
    const { destination, code } = place.missing;
    const error = await rejection(bundleMirror.create({ ...world.inputs, destination }, world.context));
    expect(error).toBeInstanceOf(errors.DestinationError);
    expect(error.message).toContain(code);
  });

  it("a server on this machine is refused to a platform that is not, before a link is minted", async () => {
    const world = await mirrorWorld([storageReply(small)], { baseUrl: "https://api.example.com" });
    const destination = place.destination();
    const error = await rejection(bundleMirror.create({ ...world.inputs, destination }, world.context));
    expect(error.message).toContain("would be reached by plain http");
    expect(world.platform.calls).toEqual([]);
  });
});
