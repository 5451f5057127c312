import { mkdirSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import * as pulumi from "@pulumi/pulumi";
import { BundleMirror, StaticExport } from "pulumi-docs-platform";

const config = new pulumi.Config();
// The folder on the disk that is carried to the other network.
const disk = resolve(config.get("disk") ?? "disk");
mkdirSync(disk, { recursive: true });

const site = new StaticExport("site", {
  domain: config.get("domain") ?? "docs.example.com",
  triggers: config.get("revision"),
});
// The archive, its checksum and its manifest. `destroy` leaves the files on the disk.
const mirror = new BundleMirror(
  "mirror",
  { jobId: site.jobId, destination: pathToFileURL(disk).href },
  { retainOnDelete: true },
);

// The version to pin inside. Carry it by another way than the disk.
export const version = mirror.version;
export const sha256 = mirror.sha256;
