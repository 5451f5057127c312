import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DownloadError, LinkRefusedError } from "../../../../provider/support/errors";
import { answer, type Reply } from "../../../support/loopback";
import { mirrorWorld } from "../../../support/mirror/mirrorWorld";
import { filesIn, storage } from "../../../support/mirror/storage";
import { campaignSeed } from "../../../support/random";
import { toldByHost } from "../../../support/toldByHost";
import { archiveWith } from "../mirror/archive/archives";

const { bundleMirror } = toldByHost;

/** A link is asked every 1.5 s for 30 s, the first time at once. */
const asks = 20;

const situation = fc.record({
  status: fc.constantFrom(403, 404),
  layout: fc.constantFrom("archive", "site"),
  /** True if the link has delivered a part of the archive before the bad answers. */
  hasDelivered: fc.boolean(),
  badAnswers: fc.oneof(fc.nat(3), fc.nat(2 * asks + 5)),
});

/** Returns how the transfer ends: the number of links that it takes, or the error. */
function expectedEnd({
  status,
  hasDelivered,
  badAnswers,
}: Awaited<typeof situation extends fc.Arbitrary<infer S> ? S : never>) {
  if (status === 404) {
    return badAnswers < (hasDelivered ? 1 : asks) ? 1 : DownloadError;
  }
  const first = hasDelivered ? 1 : asks;
  return badAnswers < first ? 1 : badAnswers < first + asks ? 2 : LinkRefusedError;
}

describe("a storage that does not know a link yet", () => {
  it("is asked again for half a minute, and only about a link that has not delivered anything", async () => {
    const bytes = await archiveWith("tar", [["index.html", "x".repeat(100_000)]]);
    await fc.assert(
      fc.asyncProperty(situation, async (drawn) => {
        const { status, layout, hasDelivered, badAnswers } = drawn;
        const bad: Reply[] = Array(badAnswers).fill(answer(status, "not yet"));
        const begun = hasDelivered ? [storage(bytes, { etag: '"1"', cutAfter: 50_000 })] : [];
        const [reply, ...others] = [...begun, ...bad];
        const good = storage(bytes, { etag: '"1"' });
        const world = await mirrorWorld(reply ? [reply, ...others, good] : [good]);
        const end = await bundleMirror.create({ ...world.inputs, layout }, world.context).then(
          () => world.platform.calls.length,
          (error: Error) => error.constructor,
        );
        expect(end).toBe(expectedEnd(drawn));
        expect(filesIn(world.folder).length > 0).toBe(typeof end === "number");
      }),
      { numRuns: 60, seed: campaignSeed() },
    );
  });

  it("is not asked again after waitTimeout", async () => {
    const world = await mirrorWorld([answer(404, "not yet")]);
    await expect(bundleMirror.create({ ...world.inputs, waitTimeout: "4s" }, world.context)).rejects.toThrow(
      "HTTP 404",
    );
    expect(world.server.requests).toHaveLength(3);
  });
});
