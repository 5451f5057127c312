import { describe, expect, it } from "vitest";
import type { MirrorOwner } from "../../../../../provider/mirror/layouts/mirrorOwner";
import { siteLayout } from "../../../../../provider/mirror/layouts/siteLayout";
import type { Source } from "../../../../../provider/mirror/transfer/source";
import { systemClock } from "../../../../../provider/support/time/clock";
import { never } from "../../../../support/clientUnderTest";
import { serve } from "../../../../support/loopback";
import { downloadOf } from "../../../../support/mirror/downloads";
import { FoldingStore } from "../../../../support/mirror/foldingStore";
import { contentOfPages } from "../../../../support/mirror/siteWorld";
import { contentIn, storage } from "../../../../support/mirror/storage";
import { temporaryFolder } from "../../../../support/temporaryFolder";
import { archiveWith, type Files } from "../archive/archives";

const owner: MirrorOwner = {
  jobId: "job-1",
  key: "1".repeat(16),
  knownFiles: [".bundle-mirror.json"],
};
const silent = () => {};

/** Publishes sites in turn to a folder that ignores case. Each update gets the state of the one before. */
async function published(...sites: Files[]) {
  const folder = temporaryFolder();
  const store = new FoldingStore(folder);
  for (const site of sites) {
    const { url } = await serve(storage(await archiveWith("zip", site)));
    const source: Source = {
      jobId: "job-1",
      expectedSha256: undefined,
      download: downloadOf([`${url}/bundle`]).download,
      clock: systemClock,
      allowExisting: false,
      status: silent,
      warn: silent,
      info: silent,
    };
    await siteLayout.put(source, owner, store, never);
  }
  return { folder, store };
}

describe("on a file system that folds case, an update", () => {
  it("that renames a page in case alone leaves the new one", async () => {
    const { folder } = await published([["API.html", "one"]], [["api.html", "two"]]);
    expect(contentOfPages(folder)).toEqual({ "api.html": "two" });
  });

  it("that renames a folder in case alone leaves the new one, and goes on in later updates", async () => {
    const { folder, store } = await published(
      [["Guide/a.html", "one"]],
      [["guide/b.html", "two"]],
      [["GUIDE/b.html", "three"]],
      [["GUIDE/b.html", "four"]],
    );
    expect(contentOfPages(folder)).toEqual({ "guide/b.html": "four" });
    await siteLayout.remove(owner, { format: "zip", sha256: "", sizeBytes: 0, mirroredAt: "" }, store, {
      warn: silent,
      signal: never,
    });
    expect(contentIn(folder)).toEqual({});
  });
});
