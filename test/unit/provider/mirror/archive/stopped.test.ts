import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { checkArchiveAndListDigests } from "../../../../../provider/mirror/archive/readArchive";
import type { SiteSource } from "../../../../../provider/mirror/layouts/outerFolder";
import { withSiteLayer } from "../../../../../provider/mirror/layouts/siteLayer";
import { RunCancelledError } from "../../../../../provider/support/errors";
import { archiveFile, archiveWith, formats } from "./archives";

const noise = randomBytes(300_000).toString("latin1");

describe.each(formats)("a %s that is unpacked", (format) => {
  it("ends as soon as the run is stopped, wherever it is, and is not called damaged", async () => {
    const files = Array.from({ length: 20 }, (_, at): [string, string] => [`${at}.html`, noise]);
    const file = archiveFile(await archiveWith(format, files));
    for (let turns = 0; turns < 8; turns++) {
      const run = new AbortController();
      const work = checkArchiveAndListDigests(file, format, { signal: run.signal }).catch((error: unknown) => error);
      for (let turn = 0; turn < turns; turn++) {
        await new Promise(setImmediate);
      }
      run.abort();
      expect(await work).toBeInstanceOf(RunCancelledError);
    }
  });

  it("ends so on its way into an image, too", async () => {
    const file = archiveFile(await archiveWith(format, [["index.html", ""]]));
    const run = new AbortController();
    const never = async () => {
      throw new Error("the archive was used");
    };
    const source = { outerFolder: {} } as SiteSource;
    const work = withSiteLayer(file, format, source, run.signal, never).catch((error: unknown) => error);
    run.abort();
    expect(await work).toBeInstanceOf(RunCancelledError);
  });
});
