import { buffer } from "node:stream/consumers";
import { expect, it } from "vitest";
import { requireFile } from "../../../../../provider/mirror/archive/requireFile";
import { gzipLike } from "../../../../support/mirror/storage";

it.each(["tar", "tar.gz", "tar.zst"] as const)("bytes that are no %s pass, in chunks of any size", async (format) => {
  const bytes = gzipLike(200_000);
  for (const size of [100, 16_383, 16_384, 65_536, 200_000]) {
    const chunks = async function* () {
      for (let at = 0; at < bytes.length; at += size) {
        yield bytes.subarray(at, at + size);
      }
    };
    expect((await buffer(requireFile(chunks(), format))).equals(bytes)).toBe(true);
  }
});
