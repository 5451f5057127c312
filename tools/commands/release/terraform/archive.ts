import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Zippable, zipSync } from "fflate";
import { projectRoot } from "../../../projectRoot";
import { bundleProvider } from "./bundle";

/** How a zip says that an entry was made on Unix: only then do readers look at its mode. */
const unix = 3;

/** The same bytes for the same content: zip has no earlier time. */
const mtime = "1980-01-01T12:00:00";

/** The targets that a script with Node.js on PATH serves: Windows starts no script by its first line. */
export const scriptTargets = ["linux_amd64", "linux_arm64", "darwin_amd64", "darwin_arm64"] as const;

/**
 * Writes what a registry, or a mirror in the file system, holds of this provider: a zip for each target, their sha256 sums, and
 * the manifest, which tells the protocol.
 * @returns the names of what was written.
 */
export async function archiveProvider(
  folder: string,
  version: string,
  targets: readonly string[] = scriptTargets,
): Promise<string[]> {
  mkdirSync(folder, { recursive: true });
  const scratch = mkdtempSync(join(tmpdir(), "terraform-provider-"));
  try {
    await bundleProvider(scratch, version);
    const zip = zipSync({ ...entriesOf(scratch), LICENSE: [readFileSync(join(projectRoot, "LICENSE")), { mtime }] });
    const base = `terraform-provider-docsplatform_${version}`;
    const manifest = Buffer.from(JSON.stringify({ version: 1, metadata: { protocol_versions: ["6.0"] } }));
    const files = new Map<string, Uint8Array>(targets.map((target) => [`${base}_${target}.zip`, zip]));
    files.set(`${base}_manifest.json`, manifest);
    const sums = [...files].map(([name, bytes]) => `${createHash("sha256").update(bytes).digest("hex")}  ${name}\n`);
    files.set(`${base}_SHA256SUMS`, Buffer.from(sums.join("")));
    for (const [name, bytes] of files) {
      writeFileSync(join(folder, name), bytes);
    }
    return [...files.keys()];
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function entriesOf(folder: string): Zippable {
  return Object.fromEntries(
    readdirSync(folder).map((name) => {
      const mode = statSync(join(folder, name)).mode & 0o777;
      return [name, [readFileSync(join(folder, name)), { mtime, os: unix, attrs: (0o100000 | mode) << 16 }]];
    }),
  );
}
