import { describe, expect, it } from "vitest";
import { ObjectJournal } from "../../../../provider/journal/objectJournal";
import { campaign } from "../../../support/campaign";
import { destroyMirror, mirrored, mirrorWorld } from "../../../support/mirror/mirrorWorld";
import { eachObjectPlace, objectDestination } from "../../../support/mirror/objectPlaces";
import { first } from "../../../support/mirror/siteWorld";
import { gzipLike, storageReply } from "../../../support/mirror/storage";
import { throwingLifecycles } from "../../../support/throwingLifecycles";
import { withoutMd5 } from "../../../support/withoutMd5";
import { archiveWith } from "../mirror/archive/archives";

const { bundleMirror } = throwingLifecycles;

describe.each(eachObjectPlace)("on a machine under FIPS, a place of the scheme %s", (_, placeOfTest) => {
  const place = placeOfTest();

  const all = [
    ["an archive of one part", "archive", async () => gzipLike(30_000)],
    ["an archive of several parts", "archive", async () => gzipLike(20 * 1024 ** 2)],
    ["a site", "site", () => archiveWith("tar.gz", first)],
  ] as const;
  // `npm test` leaves out the first two cases, because other tests already put archives into S3 without MD5.
  it.each(campaign ? all : all.slice(2))(
    "gets %s, and only the optional checksum wants MD5",
    async (_, layout, content) => {
      const wanted = withoutMd5();
      const world = await mirrorWorld([storageReply(await content())]);
      const state = await mirrored(world, { layout, destination: place.destination("docs") });
      expect(await bundleMirror.read("id", state, world.context)).toEqual(state);
      await destroyMirror(state);
      expect(await place.names()).toEqual([]);
      expect(wanted.filter((stack) => !stack.includes("objectDigest.ts"))).toEqual([]);
    },
  );

  it("keeps a journal", async () => {
    const wanted = withoutMd5();
    const address = place.destination("team");
    const journal = new ObjectJournal(address, objectDestination(address));
    const name = `${"a".repeat(32)}-${"b".repeat(32)}.0123456789ab`;
    await journal.write(name, "one");
    expect(await journal.read(name)).toBe("one");
    await journal.remove(name);
    expect(wanted.filter((stack) => !stack.includes("objectDigest.ts"))).toEqual([]);
  });
});
