import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { projectRoot } from "../../../../../tools/projectRoot";
import { folderFor } from "../../../../support/mirror/storage";

it("without the AWS SDK, a mirror to S3 and a journal in a bucket name the command which installs it, in the preview already", () => {
  const modules = join(folderFor(), "node_modules");
  const installed = join(modules, "pulumi-docs-platform");
  mkdirSync(installed, { recursive: true });
  for (const part of ["package.json", "dist"]) {
    cpSync(join(projectRoot, part), join(installed, part), { recursive: true });
  }
  for (const name of ["undici", "zod", "mime-types", "tar-stream", "xz-decompress", "yauzl"]) {
    symlinkSync(join(projectRoot, "node_modules", name), join(modules, name));
  }
  const script = `
    const { openMirror } = require("./node_modules/pulumi-docs-platform/dist/provider/mirror/index.js");
    const destination = { kind: "s3", bucket: "docs", prefix: "", region: undefined, endpoint: undefined };
    openMirror({ kind: "file", folder: "/nowhere" }, "archive", { plainLoopback: false });
    try { openMirror(destination, "archive", { plainLoopback: false }) } catch (error) { console.log(error.message) }
    const { journalProblem, openJournal } = require("./node_modules/pulumi-docs-platform/dist/provider/journal/openJournal.js");
    console.log(journalProblem({ place: "s3://docs/journal" }));
    console.log(journalProblem({ place: "/journal" }));
    const { resources } = require("./node_modules/pulumi-docs-platform/dist/provider/definitions/index.js");
    const { check } = require("./node_modules/pulumi-docs-platform/dist/provider/engine/check.js");
    for (const place of ["s3://docs", "file:///docs"]) {
      const inputs = { jobId: "job-1", destination: place };
      console.log(check(resources.BundleMirror, inputs, { projectId() {}, problems: () => [] }).failures);
    }
    // A run that starts nothing opens its journal too, and must not load the SDK for that.
    openJournal("s3://docs/journal");`;
  const { stdout, stderr } = spawnSync(process.execPath, ["-e", script], {
    cwd: join(modules, ".."),
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  expect(stdout).toContain("DOCS_DESTINATION: the destination needs the AWS SDK, which is not installed");
  expect(stdout.match(/run `npm install @aws-sdk\/client-s3`/g)).toHaveLength(3);
  expect(stdout).toMatch(/the setting journal names a bucket, which needs the AWS SDK.*\nundefined\n/);
  expect(stdout).toMatch(
    /property: 'destination',\s+reason: 'names a bucket, which needs the AWS SDK[^}]*}\s*\]\n\[\]\n$/,
  );
});
