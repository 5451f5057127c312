import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { lastLines, runTool } from "../../tools/processes/runTool";
import { findOrBuild } from "../../tools/toolchain/findOrBuild";
import { fingerprint } from "../../tools/toolchain/pins";

const limit = 10 * 60_000;

/**
 * Unpacks Debian packages and their dependencies into a folder of the user's cache, without installing them. No version
 * is pinned: the archive of a Debian release keeps only the newest version of each package.
 * @throws ToolNotMade if this machine has no `apt-get`, or if `apt-get` fails.
 */
export async function debianFolder(name: string, packages: readonly string[]): Promise<string> {
  const folder = await findOrBuild([
    {
      keptName: `debian-${name}-${await codename()}-${fingerprint(packages.join())}`,
      doing: `unpacking Debian's ${packages.join(", ")}`,
      problemOf: async (made) => (existsSync(join(made, "root", "usr")) ? "" : "it is empty"),
      make: (made, work, signal) => unpack(packages, join(made, "root"), work, signal),
    },
  ]);
  return join(folder, "root");
}

/** With an empty list of installed packages, `apt-get` also fetches dependencies that this machine already has. */
async function unpack(packages: readonly string[], root: string, work: string, signal: AbortSignal): Promise<string> {
  const options = { cwd: work, timeLimit: limit, signal };
  await mkdir(join(work, "archives", "partial"), { recursive: true });
  await mkdir(root);
  await writeFile(join(work, "none"), "");
  const settings = [
    `Dir::State::status=${join(work, "none")}`,
    `Dir::Cache::archives=${join(work, "archives")}`,
    "APT::Sandbox::User=root",
  ].flatMap((setting) => ["-o", setting]);
  await runTool("apt-get", ["update", "-qq"], options);
  const flags = ["install", "-y", "-qq", "--download-only", "--no-install-recommends", ...settings];
  const fetched = await runTool("apt-get", [...flags, ...packages], options);
  if (!fetched.ok) {
    return `apt-get: ${fetched.problem}\n${lastLines(fetched.output, 5)}`;
  }
  const archives = (await readdir(join(work, "archives"))).filter((file) => file.endsWith(".deb"));
  for (const file of archives) {
    const unpacked = await runTool("dpkg-deb", ["-x", join(work, "archives", file), root], options);
    if (!unpacked.ok) {
      return `dpkg-deb: ${unpacked.problem}`;
    }
  }
  // Normally, the installation script of mawk makes this link. No installation script runs here.
  if (existsSync(join(root, "usr/bin/mawk"))) {
    await symlink("mawk", join(root, "usr/bin/awk"));
  }
  return "";
}

async function codename(): Promise<string> {
  const release = await readFile("/etc/os-release", "utf8").catch(() => "");
  return /^VERSION_CODENAME=(\S+)$/m.exec(release)?.[1] ?? "unknown";
}
