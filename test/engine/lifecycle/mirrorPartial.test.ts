import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { variant } from "../../support/campaign";
import { anError, mint, testPlatform } from "../../support/engineTest";
import { mirrorAfterUp, mirroredSite, mirrorStack, redeclare, succeeded } from "../../support/mirror/mirrorStack";
import { filesIn } from "../../support/mirror/storage";

const nothing = { code: 0, requests: [] };
const manifest = ".bundle-mirror.json";

/** A foreign folder stands in the place of the entry page. */
function obstruct(folder: string): { clear(): void } {
  const entrance = join(folder, "index.html");
  rmSync(entrance, { force: true });
  mkdirSync(join(entrance, "x"), { recursive: true });
  return { clear: () => rmSync(entrance, { recursive: true }) };
}

describe("a site whose publication fails in the middle", () => {
  it("at the first time is kept in the state, and the next run publishes the rest", async () => {
    const platform = await testPlatform({ jobTime: 0 });
    const { stack, folder, destination } = await mirrorStack(platform, { layout: "site" });
    const obstacle = obstruct(folder);
    const { code, output } = await stack.up();
    expect(code).toEqual(anError);
    expect(output).toContain("DOCS_DESTINATION");
    expect(output).toContain("Exists now: a part of the files of job");
    expect(await stack.state("mirror")).toMatchObject({ id: destination, outputs: { __differs: true } });
    obstacle.clear();
    const { requests } = succeeded(await stack.up());
    const { jobId } = await stack.outputs();
    expect(requests).toEqual([mint(jobId)]);
    expect(filesIn(folder)).toContain("index.html");
    expect(await stack.up("--expect-no-changes")).toMatchObject(nothing);
    expect(await stack.destroy()).toMatchObject(nothing);
    expect(filesIn(folder)).toEqual([]);
  });

  it("is removed as a whole by destroy, without a further run", async () => {
    const { stack, folder } = await mirrorStack(await testPlatform({ jobTime: 0 }), { layout: "site" });
    const obstacle = obstruct(folder);
    expect((await stack.up()).code).toEqual(anError);
    expect(filesIn(folder).length).toBeGreaterThan(1);
    obstacle.clear();
    expect(await stack.destroy()).toMatchObject(nothing);
    expect(filesIn(folder)).toEqual([]);
  });

  variant(
    "for another job goes on to that job, also where the program has gone back to the old one meanwhile",
    async () => {
      const platform = await testPlatform({ jobTime: 0 });
      const made = await mirrorAfterUp(platform, { layout: "site" });
      const { jobId: old } = await made.stack.outputs();
      const obstacle = obstruct(made.folder);
      redeclare(made, { site: { ...mirroredSite, triggers: 2 }, mirror: { layout: "site" } });
      expect((await made.stack.up()).code).toEqual(anError);
      expect((await made.stack.state("mirror"))?.outputs).toMatchObject({ jobId: old, __differs: true });
      obstacle.clear();
      redeclare(made, { site: { ...mirroredSite, jobId: old }, mirror: { layout: "site" } });
      succeeded(await made.stack.up());
      expect(await made.stack.outputs()).toMatchObject({ jobId: old });
      expect(filesIn(made.folder)).toEqual(expect.arrayContaining([manifest, "index.html"]));
      expect(await made.stack.refresh("--expect-no-changes")).toMatchObject({ code: 0 });
      expect(await made.stack.up("--expect-no-changes")).toMatchObject(nothing);
    },
  );
});
