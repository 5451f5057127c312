import { describe, expect, it } from "vitest";
import { bundleMirror } from "../../../../provider/resources/bundleMirror";
import { DestinationError } from "../../../../provider/support/errors";
import { rejection } from "../../../support/clientUnderTest";
import type { Reply } from "../../../support/loopback";
import { destroyed, mirrored, mirrorWorld } from "../../../support/mirror/mirrorWorld";
import { eachObjectPlace } from "../../../support/mirror/objectPlaces";
import { gzipLike, storage } from "../../../support/mirror/storage";
import { archiveWith, type Files } from "../mirror/archive/archives";

const site: Files = [
  ["index.html", "<h1>One</h1>"],
  ["guide/start.html", "<h1>Start</h1>"],
];
const large = gzipLike(20 * 1024 ** 2);

describe.each(eachObjectPlace)("at a place of the scheme %s,", (_, placeOfTest) => {
  const place = placeOfTest();

  async function objectWorld(layout: "archive" | "site", ...replies: [Reply, ...Reply[]]) {
    const world = await mirrorWorld(replies);
    return { ...world, inputs: { ...world.inputs, layout, destination: place.destination("docs") } };
  }

  /** Every object of the place, with its content. */
  async function contents(): Promise<Record<string, string>> {
    const names = await place.names();
    return Object.fromEntries(await Promise.all(names.map(async (name) => [name, String(await place.read(name))])));
  }

  describe("two mirrors of one job at one prefix", () => {
    it.each([
      ["of one part", gzipLike(30_000)],
      ["of several parts", large],
    ])("share an archive %s, and the last one removes it", async (_, bytes) => {
      const world = await objectWorld("archive", storage(bytes));
      const [prod, staging] = [await mirrored(world), await mirrored(world)];
      expect(await bundleMirror.read("id", prod, world.context)).toEqual(prod);
      await destroyed(staging);
      expect(await place.names()).toHaveLength(3);
      expect(await bundleMirror.read("id", prod, world.context)).toEqual(prod);
      await destroyed(prod);
      expect(await place.names()).toEqual([]);
    });

    it("with other bytes are refused, and the archive stays", async () => {
      const world = await objectWorld("archive", storage(large), storage(gzipLike(20 * 1024 ** 2, 2)));
      const prod = await mirrored(world);
      expect(await rejection(mirrored(world))).toBeInstanceOf(DestinationError);
      expect(await bundleMirror.read("id", prod, world.context)).toEqual(prod);
    });

    it("share a site, and the last one removes it", async () => {
      const world = await objectWorld("site", storage(await archiveWith("tar.gz", site)));
      const [prod, staging] = [await mirrored(world), await mirrored(world)];
      await destroyed(prod);
      expect(await bundleMirror.read("id", staging, world.context)).toEqual(staging);
      await destroyed(staging);
      expect(await place.names()).toEqual([]);
    });
  });

  describe("a site at a prefix with objects that are not its own", () => {
    it("is refused before a link is minted, and with allowExisting leaves them", async () => {
      const world = await objectWorld("site", storage(await archiveWith("tar.gz", site)));
      await place.write("docs/notes/a.txt", "mine");
      await place.write("docs-of-others.txt", "mine");
      const before = await contents();
      const error = await rejection(mirrored(world));
      expect(error.message).toContain('do not belong to this mirror: "notes/a.txt".');
      expect(world.platform.calls).toEqual([]);
      const state = await mirrored(world, { allowExisting: true });
      expect(await place.names()).toHaveLength(5);
      await destroyed(state);
      expect(await contents()).toEqual(before);
    });

    it("overwrites none of them", async () => {
      const world = await objectWorld("site", storage(await archiveWith("tar.gz", site)));
      await place.write("docs/guide/start.html", "mine");
      const before = await contents();
      expect((await rejection(mirrored(world, { allowExisting: true }))).message).toContain('"guide/start.html"');
      expect(await contents()).toEqual(before);
    });
  });
});
