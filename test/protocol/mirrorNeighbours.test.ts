import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { requestsTo, testPlatform } from "../support/engineTest";
import { contentIn, filesIn } from "../support/mirror/storage";
import { DynamicProviderProcess } from "../support/protocol/dynamicProvider";
import { temporaryFolder } from "../support/temporaryFolder";
import { until } from "../support/until";

/** A mirror of a completed job's site to a folder. */
async function siteMirror() {
  const platform = await testPlatform();
  const { jobId } = platform.jobs.add({ domain: "docs.example.com", status: "completed" });
  const provider = await DynamicProviderProcess.start(platform);
  const mirror = provider.resource("BundleMirror", "mirror");
  const folder = temporaryFolder();
  const site = { jobId, layout: "site", destination: pathToFileURL(folder).href };
  return { platform, provider, mirror, folder, site };
}

describe("a site at a place that holds files of the user's", () => {
  it("is refused with their names, and with allowExisting leaves them from the first run to destroy", async () => {
    const { platform, mirror, folder, site } = await siteMirror();
    for (const name of ["notes.html", "mine/ci.html"]) {
      mkdirSync(join(folder, name, ".."), { recursive: true });
      writeFileSync(join(folder, name), "mine");
    }
    const before = contentIn(folder);
    const { inputs: alone } = await mirror.check(site);
    await expect(mirror.create(alone)).rejects.toMatchObject({
      message: expect.stringMatching(/files that do not belong to this mirror: "mine\/ci\.html", "notes\.html"/),
      saved: undefined,
    });
    expect(contentIn(folder)).toEqual(before);

    const { inputs: beside } = await mirror.check({ ...site, allowExisting: true });
    const saved = await mirror.create(beside);
    expect(contentIn(folder)).toMatchObject(before);
    expect(filesIn(folder)).toContain("index.html");
    const sent = requestsTo(platform).length;
    expect(await mirror.diff(saved, alone)).toEqual({ changes: true, replaces: [] });
    await mirror.delete(await mirror.update(saved, alone));
    expect(contentIn(folder)).toEqual(before);
    expect(requestsTo(platform)).toHaveLength(sent);
  });
});

describe("a list of files that somebody else has changed", () => {
  it("removes nothing in a destroy, which tells so", async () => {
    const { provider, mirror, folder, site } = await siteMirror();
    const { inputs } = await mirror.check(site);
    const saved = await mirror.create(inputs);
    const list = join(folder, ".bundle-mirror.json");
    const changed = { ...JSON.parse(readFileSync(list, "utf8")), pending: ["private/key.txt"] };
    writeFileSync(list, JSON.stringify(changed));
    const before = filesIn(folder);
    await mirror.delete(saved);
    await until(() => provider.warnings.length > 0);
    expect(provider.warnings.join()).toContain("is not the one that this mirror wrote: nothing was removed");
    expect(filesIn(folder)).toEqual(before);
  });
});
