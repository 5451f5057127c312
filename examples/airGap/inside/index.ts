import { createHash } from "node:crypto";
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
} from "node:fs";
import { join, resolve } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { helmValues } from "pulumi-docs-platform";

const config = new pulumi.Config();
const disk = resolve(config.get("disk") ?? "../disk");
// The folder of the web server from which the deployment fetches the archive, and the server's address.
const served = resolve(config.get("served") ?? "served");
const servedUrl = config.get("servedUrl") ?? "https://files.internal/docs";
const version = config.require("version");

function sha256Of(file: string): string {
  const hash = createHash("sha256");
  const buffer = Buffer.alloc(1024 * 1024);
  const opened = openSync(file, "r");
  for (let length = readSync(opened, buffer); length > 0; length = readSync(opened, buffer)) {
    hash.update(buffer.subarray(0, length));
  }
  closeSync(opened);
  return hash.digest("hex");
}

// This program needs no platform and no key. It trusts the disk's archive only by the pinned sha256. The archive's name
// follows from the version.
const names = ["tar.gz", "tar.zst", "tar", "zip"].map((format) => `${encodeURIComponent(version)}.${format}`);
const file = names.find((name) => existsSync(join(disk, name)));
if (file === undefined) {
  throw new pulumi.RunError(`${disk} holds no archive of version ${version}`);
}

function requirePinned(copy: string): void {
  const found = sha256Of(copy);
  if (found !== config.require("sha256").toLowerCase()) {
    throw new pulumi.RunError(`${file} has the sha256 ${found}, and another one is pinned: it is not deployed`);
  }
}

if (pulumi.runtime.isDryRun()) {
  requirePinned(join(disk, file));
} else {
  // Checks the copy, because the file on the disk may change at any moment.
  mkdirSync(served, { recursive: true });
  const folder = mkdtempSync(join(served, ".incoming-"));
  try {
    const copy = join(folder, file);
    copyFileSync(join(disk, file), copy);
    requirePinned(copy);
    renameSync(copy, join(served, file));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const url = pulumi.output(`${servedUrl}/${encodeURIComponent(file)}`);

export const values = helmValues({ mirror: { url, version: pulumi.output(version) } });
