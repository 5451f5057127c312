import { mkdirSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import * as pulumi from "@pulumi/pulumi";
import { BundleMirror, StaticExport } from "pulumi-docs-platform";

const config = new pulumi.Config();
// The disk that is carried over.
const disk = resolve(config.get("disk") ?? "disk");
mkdirSync(disk, { recursive: true });

const site = new StaticExport("site", {
  domain: config.get("domain") ?? "docs.example.com",
  triggers: config.get("revision"),
});
// The archive, its checksum and its manifest. The files stay on the disk when the stack is destroyed.
const mirror = new BundleMirror(
  "mirror",
  { jobId: site.jobId, destination: pathToFileURL(disk).href },
  { retainOnDelete: true },
);

// The digest that the other side pins: carry it over by another way than the disk.
export const version = mirror.version;
export const sha256 = mirror.sha256;
