import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { campaign } from "../../support/campaign";
import { anError, testPlatform } from "../../support/engineTest";
import { mirrorStack, redeclare, succeeded } from "../../support/mirror/mirrorStack";
import { type S3Server, startS3Server } from "../../support/mirror/s3Server";
import { contentIn, filesIn } from "../../support/mirror/storage";
import { temporaryFolder } from "../../support/temporaryFolder";

const nothing = { code: 0, requests: [] };

/** bundleMirror.s3.neighbours.test.ts holds the same for S3, without an engine. */
const kinds: ("file" | "s3")[] = campaign ? ["file", "s3"] : ["file"];

let server: S3Server;
let count = 0;
beforeAll(async () => {
  if (kinds.includes("s3")) {
    server = await startS3Server();
  }
});
afterAll(() => server?.close());

/** A destination of each kind for several stacks: its address, its environment, and the files in it. */
const places = {
  file() {
    const folder = temporaryFolder();
    return { destination: pathToFileURL(folder).href, environment: {}, folder, files: () => filesIn(folder) };
  },
  s3() {
    const bucket = `neighbours-${count++}`;
    const destination = server.destination(bucket, "docs");
    const folder = join(server.folderOf(bucket), "docs");
    const files = () => filesIn(server.folderOf(bucket)).map((name) => name.replace("docs/", ""));
    mkdirSync(folder);
    return { destination, environment: server.environment, folder, files };
  },
};

describe.each(kinds)("two stacks, prod and staging, at one place (%s)", (kind) => {
  /** Both stacks mirror the same job, so the second one starts none. */
  async function twoStacks(mirror: Record<string, unknown>) {
    const platform = await testPlatform({ jobTime: 0 });
    const place = places[kind]();
    const prod = await mirrorStack(platform, { ...mirror, destination: place.destination });
    const staging = await mirrorStack(platform, { ...mirror, destination: place.destination });
    for (const { stack } of [prod, staging]) {
      Object.assign(stack.environment, place.environment);
    }
    succeeded(await prod.stack.up());
    const { jobId } = await prod.stack.outputs();
    redeclare(staging, {
      site: { domain: "docs.example.com", jobId },
      mirror: { ...mirror, destination: place.destination },
    });
    return { platform, place, prod: prod.stack, staging, jobId };
  }

  it("share the archive of one job: destroying one leaves it to the other, and destroying both removes it", async () => {
    const { place, prod, staging } = await twoStacks({});
    const before = place.files();
    expect(before).toHaveLength(3);
    succeeded(await staging.stack.up());
    expect(await staging.stack.destroy()).toMatchObject(nothing);
    expect(place.files()).toEqual(before);
    expect(await prod.refresh("--expect-no-changes")).toMatchObject({ code: 0 });
    expect(await prod.destroy()).toMatchObject(nothing);
    expect(place.files()).toEqual([]);
  });

  it("are told where the sites of two jobs have names that some file systems treat as equal, and the first one stays whole", async () => {
    const { place, prod, staging } = await twoStacks({ layout: "site" });
    const before = contentIn(place.folder);
    const another = { domain: "docs.example.com", triggers: 2 };
    redeclare(staging, { site: another, mirror: { layout: "site", destination: place.destination } });
    const { code, output } = await staging.stack.up();
    expect(code).toEqual(anError);
    expect(output).toContain("DOCS_DESTINATION");
    expect(output).toContain("another mirror has put the bundle");
    succeeded(await staging.stack.destroy());
    expect(contentIn(place.folder)).toEqual(before);
    expect(await prod.refresh("--expect-no-changes")).toMatchObject({ code: 0 });
    prod.environment.DOCS_PLATFORM_API_KEY = undefined;
    expect(await prod.destroy()).toMatchObject(nothing);
    expect(place.files()).toEqual([]);
  });
});
