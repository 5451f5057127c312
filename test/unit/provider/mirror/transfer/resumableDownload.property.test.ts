import fc from "fast-check";
import { expect, it } from "vitest";
import { ResumableDownload } from "../../../../../provider/mirror/transfer/resumableDownload";
import { DocsPlatformError } from "../../../../../provider/support/errors";
import { never } from "../../../../support/clientUnderTest";
import { FakeClock } from "../../../../support/fakeClock";
import { answer, closed, type Reply, reset, serve } from "../../../../support/loopback";
import { directNetwork, fetched, wideLimits } from "../../../../support/mirror/downloads";
import { gzipLike, sha256Of, storageReply } from "../../../../support/mirror/storage";

const versions = [gzipLike(40_000, 1), gzipLike(30_000, 2)] as const;

const reply: fc.Arbitrary<Reply> = fc.oneof(
  fc.constantFrom(reset, closed),
  fc.constantFrom(200, 204, 206, 302, 400, 403, 404, 416, 429, 500, 503).map((status) => answer(status, "")),
  fc
    .record({
      version: fc.constantFrom(0, 1),
      etag: fc.constantFrom(undefined, "strong", "weak"),
      cutAfter: fc.option(fc.integer({ min: 0, max: 45_000 }), { nil: undefined }),
      withoutRanges: fc.boolean(),
      chunked: fc.boolean(),
    })
    .map(({ version, etag, cutAfter, withoutRanges, chunked }) =>
      storageReply(versions[version] ?? versions[0], {
        etag: etag && `${etag === "weak" ? "W/" : ""}"v${version}"`,
        withoutRanges,
        chunked,
        ...(cutAfter !== undefined && { cutAfter }),
      }),
    ),
);

it("whatever the storage does, one whole version arrives, or an error of ours, after a bounded number of requests", async () => {
  const whole: string[] = [...versions, Buffer.alloc(0)].map((version) => sha256Of(version));
  await fc.assert(
    fc.asyncProperty(fc.array(reply, { minLength: 1, maxLength: 8 }), async (replies) => {
      const server = await serve(...(replies as [Reply, ...Reply[]]));
      let minted = 0;
      const download = new ResumableDownload({
        mint: async () => ({ bundleUrl: `${server.url}/${minted++}?X-Amz-Signature=s3cr3t` }),
        rule: { loopback: true },
        network: directNetwork,
        limit: wideLimits,
        timeout: 2_000,
        clock: new FakeClock(),
        random: () => 1,
        signal: never,
      });
      const end = await fetched(download).catch((error: unknown) => error);
      await download.close();
      if (typeof end === "string") {
        expect(whole).toContain(end);
      } else {
        expect(end).toBeInstanceOf(DocsPlatformError);
        expect(String((end as Error).message)).not.toContain("s3cr3t");
      }
      // A download may send twelve requests, and up to twenty more for each new link.
      expect(server.requests.length).toBeLessThanOrEqual(12 + 20 * minted);
      expect(minted).toBeLessThanOrEqual(5);
    }),
    { numRuns: 150, seed: 20261121 },
  );
});
