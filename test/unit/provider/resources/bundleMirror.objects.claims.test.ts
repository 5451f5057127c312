import { describe, expect, it } from "vitest";
import type { BundleMirrorState } from "../../../../provider/definitions/bundleMirror";
import { bundleMirror } from "../../../../provider/resources/bundleMirror";
import { parseDestination } from "../../../../provider/storage/destination";
import { type ObjectDestination, openObjectStore } from "../../../../provider/storage/openStore";
import { DestinationError } from "../../../../provider/support/errors";
import { never, rejection } from "../../../support/clientUnderTest";
import { type MirrorWorld, mirrored, mirrorWorld } from "../../../support/mirror/mirrorWorld";
import { eachObjectPlace } from "../../../support/mirror/objectPlaces";
import { gzipLike, sha256Of, storage } from "../../../support/mirror/storage";

const genuine = gzipLike(30_000);
const planted = gzipLike(30_000, 2);
const refreshed = (world: MirrorWorld, state: BundleMirrorState) => bundleMirror.read("id", state, world.context);

describe.each(eachObjectPlace)("at a place of the scheme %s,", (_, placeOfTest) => {
  const place = placeOfTest();

  /** A place whose other writer puts what it likes. */
  async function objectWorld(archive: Buffer) {
    const world = await mirrorWorld([storage(archive)]);
    return { ...world, inputs: { ...world.inputs, destination: place.destination("docs") } };
  }

  /** Claims that an archive is another mirror's too, by a manifest that holds whatever a reader may believe. */
  async function plantArchive(own: object = {}): Promise<void> {
    await place.write("docs/job-1.tar.gz", planted);
    const store = openObjectStore(parseDestination(place.destination("docs")) as ObjectDestination, {
      plainLoopback: true,
      signal: never,
    });
    const revision = (await store.stat(["job-1.tar.gz"])).get("job-1.tar.gz")?.revision;
    const claim = {
      ...{ file: "job-1.tar.gz", jobId: "job-1", version: "job-1", format: "tar.gz", sha256: sha256Of(genuine) },
      ...{ sizeBytes: genuine.length, mirroredAt: "2026-03-01T00:00:00.000Z", tool: "pulumi-docs-platform 0.1.0" },
      ...{ mirror: "0".repeat(16), ...own, revision, sharedWith: ["1".repeat(16)] },
    };
    await place.write("docs/job-1.json", JSON.stringify(claim));
    await place.write("docs/job-1.tar.gz.sha256", `${sha256Of(genuine)}  job-1.tar.gz\n`);
  }

  describe("an archive that somebody else has written", () => {
    it("before the first publication, with a manifest that tells the expected sha256, is not taken for the bundle", async () => {
      const world = await objectWorld(genuine);
      await plantArchive();
      const inputs = { ...world.inputs, expectedSha256: sha256Of(genuine) };
      expect(await rejection(bundleMirror.create(inputs, world.context))).toBeInstanceOf(DestinationError);
      expect((await place.read("docs/job-1.tar.gz")).equals(planted)).toBe(true);
    });

    it("after the publication, with such a manifest, is seen by a refresh and replaced by the next update", async () => {
      const world = await objectWorld(genuine);
      const state = await mirrored(world);
      const { mirror } = JSON.parse((await place.read("docs/job-1.json")).toString());
      await plantArchive({ mirror });
      const read = await refreshed(world, state);
      expect(read).toMatchObject({ __differs: true });
      const updated = await bundleMirror.update("id", read as BundleMirrorState, world.inputs, world.context);
      expect((await place.read("docs/job-1.tar.gz")).equals(genuine)).toBe(true);
      expect(await refreshed(world, updated)).toEqual(updated);
    });

    it.each(["job-1.tar.gz.sha256", "job-1.json"])(
      "is seen where only %s is changed, in its size the same",
      async (name) => {
        const world = await objectWorld(genuine);
        const state = await mirrored(world);
        const text = (await place.read(`docs/${name}`)).toString();
        await place.write(`docs/${name}`, text.replace(sha256Of(genuine), sha256Of(planted)));
        expect(await refreshed(world, state)).toMatchObject({ __differs: true });
      },
    );
  });
});
