import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { anError, look, mint } from "../../support/engineTest";
import { mirroredSite, redeclare, succeeded, tellMirrorStory } from "../../support/mirror/mirrorStack";
import { type S3Server, startS3Server } from "../../support/mirror/s3Server";
import { filesIn, sha256Of } from "../../support/mirror/storage";

const nothing = { code: 0, requests: [] };
const another = { ...mirroredSite, triggers: { revision: 2 } };
const bucket = "docs-bucket";

let server: S3Server;
beforeAll(async () => {
  server = await startS3Server();
}, 600_000);
afterAll(() => server?.close());

/** Runs on a real S3 server. */
describe("the life of a mirror in a bucket", () => {
  const made = tellMirrorStory();
  const objects = () => filesIn(server.folderOf(bucket)).filter((name) => !name.startsWith(".sgwtmp"));
  const archive = (jobId: unknown) => join(server.folderOf(bucket), "docs", `${jobId}.tar.gz`);

  beforeAll(() => {
    Object.assign(made.stack.environment, server.environment);
    made.destination = server.destination(bucket, "docs");
  });

  it("begins with an error where the bucket is not there, with its name and what to do", async () => {
    redeclare(made, { mirror: { destination: `s3://never-made?endpoint=${server.endpoint}` } });
    const { code, output } = await made.stack.up();
    expect(code).toEqual(anError);
    expect(output).toContain("DOCS_DESTINATION: the bucket never-made");
    expect(output).toContain("create the bucket");
  });

  it("goes on in the next run, and costs nothing where nothing changed", async () => {
    const { stack } = made;
    redeclare(made, {});
    succeeded(await stack.up());
    const { jobId, url, sha256, sizeBytes } = await stack.outputs();
    expect(url).toBe(`${server.endpoint}/${bucket}/docs/${jobId}.tar.gz`);
    const stored = readFileSync(archive(jobId));
    expect([sha256Of(stored), stored.length]).toEqual([sha256, sizeBytes]);
    expect(objects()).toHaveLength(3);
    expect(await stack.up("--expect-no-changes")).toMatchObject(nothing);
    expect(await stack.refresh("--expect-no-changes")).toMatchObject({ code: 0, requests: [look(jobId)] });
  });

  it("mends what a refresh has found to be missing, without a transfer", async () => {
    const { stack, platform } = made;
    const { jobId } = await stack.outputs();
    const { download } = platform.counts;
    rmSync(`${archive(jobId)}.sha256`);
    expect(await stack.refresh()).toMatchObject({ code: 0, requests: [look(jobId)] });
    expect(await stack.up()).toMatchObject(nothing);
    expect(platform.counts.download).toBe(download);
    expect(objects()).toHaveLength(3);
  });

  it("has only what belongs to the new job after its job has changed", async () => {
    redeclare(made, { site: another });
    succeeded(await made.stack.up());
    const { jobId } = await made.stack.outputs();
    expect(objects()).toEqual([`docs/${jobId}.json`, `docs/${jobId}.tar.gz`, `docs/${jobId}.tar.gz.sha256`]);
  });

  it("has only the pages where it becomes a site", async () => {
    const { stack } = made;
    redeclare(made, { site: another, mirror: { layout: "site" } });
    const { requests } = succeeded(await stack.up());
    const { jobId } = await stack.outputs();
    expect(requests).toEqual([mint(jobId)]);
    const list = join(server.folderOf(bucket), "docs", ".bundle-mirror.json");
    const { files, ...published } = JSON.parse(readFileSync(list, "utf8"));
    expect(published).toMatchObject({ jobId });
    const paths = files.map(({ path }: { path: string }) => `docs/${path}`);
    expect(paths).toContain("docs/index.html");
    expect(objects()).toEqual(["docs/.bundle-mirror.json", ...paths].sort());
    expect(await stack.refresh("--expect-no-changes")).toMatchObject({ code: 0 });
  });

  it("stays in the state while the bucket cannot be asked, in a refresh and in a destroy", async () => {
    const { stack } = made;
    const before = objects();
    stack.environment.AWS_SECRET_ACCESS_KEY = "wrong-0123456789";
    for (const run of [await stack.refresh(), await stack.destroy()]) {
      expect(run.code).toEqual(anError);
      expect(run.output).toContain("DOCS_DESTINATION");
      expect(run.output).not.toMatch(/\n\s+at .*\.js:/);
      expect(await stack.state("mirror")).toBeDefined();
    }
    expect(objects()).toEqual(before);
  });

  it("ends with a destroy that leaves nothing in the bucket", async () => {
    Object.assign(made.stack.environment, server.environment);
    expect(await made.stack.destroy()).toMatchObject(nothing);
    expect(objects()).toEqual([]);
  });

  it("has left the credentials in no file of the stack and in no output", () => {
    const { stack } = made;
    const secret = String(server.environment.AWS_SECRET_ACCESS_KEY);
    const holding = filesIn(stack.folder).filter((name) =>
      readFileSync(join(stack.folder, name), "latin1").includes(secret),
    );
    expect(holding).toEqual([]);
    expect(stack.printed.join()).not.toContain(secret);
  });
});
