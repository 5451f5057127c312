import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Platform } from "../../simulator/index";
import { type MirrorStack, mirrorStack, redeclare, site, succeeded } from "../mirror/mirrorStack";
import { type S3Server, startS3Server } from "../mirror/s3Server";
import { filesIn, sha256Of } from "../mirror/storage";
import { anError, look, mint, testPlatform } from "../support/engineTest";

const nothing = { code: 0, requests: [] };
const another = { ...site, triggers: { revision: 2 } };

let server: S3Server;
let count = 0;
beforeAll(async () => {
  server = await startS3Server();
});
afterAll(() => server?.close());

interface BucketStack extends MirrorStack {
  bucket: string;
  objects(): string[];
}

/** A stack that mirrors to a bucket of its own on a real S3 server. */
async function bucketStack(platform: Platform, mirror: Record<string, unknown> = {}): Promise<BucketStack> {
  const bucket = `stack-${count++}`;
  const destination = server.destination(bucket, "docs");
  const made = await mirrorStack(platform, { destination, ...mirror });
  Object.assign(made.stack.environment, server.environment);
  const objects = () => filesIn(server.folderOf(bucket)).filter((name) => !name.startsWith(".sgwtmp"));
  return { ...made, destination, bucket, objects };
}

describe("a mirror in a bucket", () => {
  it("goes through its life: first run, no change, drift, mend, another job, destroy", async () => {
    const platform = await testPlatform({ jobTime: 0 });
    const made = await bucketStack(platform);
    const { stack, bucket, objects } = made;
    succeeded(await stack.up());
    const { jobId: old, url, sha256, sizeBytes } = await stack.outputs();
    const archive = join(server.folderOf(bucket), "docs", `${old}.tar.gz`);
    expect(url).toBe(`${server.endpoint}/${bucket}/docs/${old}.tar.gz`);
    expect([sha256Of(readFileSync(archive)), readFileSync(archive).length]).toEqual([sha256, sizeBytes]);

    expect(await stack.up("--expect-no-changes")).toMatchObject(nothing);
    expect(await stack.refresh("--expect-no-changes")).toMatchObject({ code: 0, requests: [look(old)] });
    rmSync(`${archive}.sha256`);
    expect(await stack.refresh()).toMatchObject({ code: 0, requests: [look(old)] });
    expect(await stack.up()).toMatchObject(nothing);
    expect(platform.counts.download).toBe(1);
    expect(objects()).toHaveLength(3);

    redeclare(made, { site: another });
    succeeded(await stack.up());
    const { jobId } = await stack.outputs();
    expect(objects()).toEqual([`docs/${jobId}.json`, `docs/${jobId}.tar.gz`, `docs/${jobId}.tar.gz.sha256`]);
    expect(await stack.refresh("--expect-no-changes")).toMatchObject({ code: 0 });
    expect(await stack.destroy()).toMatchObject(nothing);
    expect(objects()).toEqual([]);
  });

  it("as a site has everything of the new job after up, and nothing after destroy", async () => {
    const made = await bucketStack(await testPlatform({ jobTime: 0 }), { layout: "site" });
    succeeded(await made.stack.up());
    expect(made.objects()).toContain("docs/index.html");
    redeclare(made, { site: another, mirror: { layout: "site" } });
    const { requests } = succeeded(await made.stack.up());
    const { jobId } = await made.stack.outputs();
    expect(requests).toContain(mint(jobId));
    const list = join(server.folderOf(made.bucket), "docs", ".bundle-mirror.json");
    const { files, ...published } = JSON.parse(readFileSync(list, "utf8"));
    expect(published).toMatchObject({ jobId });
    const paths = files.map(({ path }: { path: string }) => `docs/${path}`);
    expect(made.objects()).toEqual(["docs/.bundle-mirror.json", ...paths].sort());
    expect(await made.stack.up("--expect-no-changes")).toMatchObject(nothing);
    expect(await made.stack.destroy()).toMatchObject(nothing);
    expect(made.objects()).toEqual([]);
  });

  it("leaves the credentials in no file of the stack and in no output", async () => {
    const { stack } = await bucketStack(await testPlatform({ jobTime: 0 }));
    succeeded(await stack.up());
    const secret = String(server.environment.AWS_SECRET_ACCESS_KEY);
    const holding = filesIn(stack.folder).filter((name) =>
      readFileSync(join(stack.folder, name), "latin1").includes(secret),
    );
    expect(holding).toEqual([]);
    expect(stack.printed.join()).not.toContain(secret);
  });

  it("that cannot be asked stays in the state, in a refresh and in a destroy, until it can", async () => {
    const { stack, objects } = await bucketStack(await testPlatform({ jobTime: 0 }));
    succeeded(await stack.up());
    stack.environment.AWS_SECRET_ACCESS_KEY = "wrong-0123456789";
    for (const run of [await stack.refresh(), await stack.destroy()]) {
      expect(run.code).toEqual(anError);
      expect(run.output).toContain("DOCS_DESTINATION");
      expect(run.output).not.toMatch(/\n\s+at .*\.js:/);
      expect(await stack.state("mirror")).toBeDefined();
    }
    expect(objects()).toHaveLength(3);
    Object.assign(stack.environment, server.environment);
    expect(await stack.destroy()).toMatchObject(nothing);
    expect(objects()).toEqual([]);
  });

  it("that is not there is an error with its name and what to do, and the next run tries again", async () => {
    const made = await bucketStack(await testPlatform({ jobTime: 0 }));
    redeclare(made, { mirror: { destination: `s3://never-made?endpoint=${server.endpoint}` } });
    const { code, output } = await made.stack.up();
    expect(code).toEqual(anError);
    expect(output).toContain("DOCS_DESTINATION: the bucket never-made");
    expect(output).toContain("make the bucket");
    redeclare(made, {});
    succeeded(await made.stack.up());
    expect(made.objects()).toHaveLength(3);
  });
});
