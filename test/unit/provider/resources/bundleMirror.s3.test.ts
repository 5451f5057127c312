import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { BundleMirrorState } from "../../../../provider/definitions/bundleMirror";
import { bundleMirror } from "../../../../provider/resources/bundleMirror";
import { PartialFailure } from "../../../../provider/resources/lifecycle";
import { rejection } from "../../../support/clientUnderTest";
import { mirrorWorld } from "../../../support/mirror/mirrorWorld";
import { testS3 } from "../../../support/mirror/s3Server";
import { first } from "../../../support/mirror/siteWorld";
import { filesIn, storage } from "../../../support/mirror/storage";
import { archiveWith } from "../mirror/archive/archives";

const s3 = testS3();
const objects = () => filesIn(s3.server.folderOf(s3.bucket)).filter((name) => !name.startsWith(".sgwtmp"));
const fileOf = (name: string) => join(s3.server.folderOf(s3.bucket), "docs", name);

it("a site whose publication fails in the middle goes on in the next update", async () => {
  const world = await mirrorWorld([storage(await archiveWith("tar.gz", first))]);
  const inputs = { ...world.inputs, layout: "site", destination: s3.server.destination(s3.bucket, "docs") } as const;
  // This server keeps objects in folders, so a folder can stand in an object's way.
  mkdirSync(fileOf("assets/style.css/x"), { recursive: true });
  const failed = (await rejection(bundleMirror.create(inputs, world.context))) as PartialFailure<BundleMirrorState>;
  expect(failed).toBeInstanceOf(PartialFailure);
  rmSync(fileOf("assets/style.css"), { recursive: true });
  const updated = await bundleMirror.update("id", failed.state, inputs, world.context);
  expect(await bundleMirror.read("id", updated, world.context)).toEqual(updated);
  expect(objects()).toHaveLength(first.length + 1);
});
