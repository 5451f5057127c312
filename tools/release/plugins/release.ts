import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { projectRoot } from "../../projectRoot";
import { cacheFolder } from "../../toolchain/cacheFolder";
import { findOrBuild } from "../../toolchain/findOrBuild";
import { fingerprint } from "../../toolchain/pins";
import { buildExecutable } from "./buildExecutable";
import { type Bundle, bundleProgram } from "./bundle";
import { licenceFiles } from "./licenceFiles";
import { linuxRuntime } from "./linuxRuntime";
import { nodeBinary } from "./nodeBinary";
import { type ReleaseFile, reproducibleTarGz, reproducibleZip } from "./releaseArchives";
import { executableName, ownTarget, type Target } from "./target";

/** A program that is published as one archive for each target. */
export interface Release {
  /** The entry file, by its path from the project's root. */
  readonly entry: string;
  /** Returns the name of the executable, without an ending. */
  executable(version: string): string;
  archive(version: string, target: Target): string;
  pack(files: readonly ReleaseFile[]): Promise<Buffer>;
}

/** The plugin, with the names by which the engine requests it. */
export const pluginRelease: Release = {
  entry: "provider/hosts/plugin/serve.ts",
  executable: () => "pulumi-resource-docs-platform",
  archive: (version, { name }) => `pulumi-resource-docs-platform-v${version}-${name}.tar.gz`,
  pack: reproducibleTarGz,
};

/** The provider for Terraform and OpenTofu, with the names that their registries require. */
export const terraformProvider: Release = {
  entry: "provider/hosts/terraform/main.ts",
  executable: (version) => `terraform-provider-docsplatform_v${version}`,
  archive: (version, { os, arch }) => `terraform-provider-docsplatform_${version}_${os}_${arch}.zip`,
  pack: reproducibleZip,
};

const manifest = JSON.parse(readFileSync(join(projectRoot, "package.json"), "utf8"));
export const version: string = manifest.version;
export const projectAddress: string = manifest.homepage.replace("#readme", "");

/** How long, in milliseconds, the cache keeps an archive. Older archives are removed when a new one is made. */
const keptFor = 24 * 3_600_000;

/** Finds the archive in the user's cache, or makes it. The folder's name contains a hash of the archive's sources. */
export async function makeReleaseArchive(release: Release, target: Target): Promise<string> {
  const bundle = await bundleProgram(release.entry);
  const name = release.archive(version, target);
  const maker = readdirSync(__dirname).map((file) => readFileSync(join(__dirname, file)));
  const hash = fingerprint(bundle.main, bundle.libraries, JSON.stringify(target), ...maker);
  // A download needs the cache's lock. Inside `findOrBuild`, which holds this lock, it would wait forever.
  for (const needed of [ownTarget(), target]) {
    await nodeBinary(needed);
  }
  const folder = await findOrBuild([
    {
      keptName: `${name}-${hash}`,
      doing: `building ${name}`,
      async problemOf(kept) {
        return existsSync(join(kept, name)) ? "" : "it is not there";
      },
      async make(made, work, signal) {
        await removeOlder(name);
        await writeFile(join(made, name), await makeArchive(release, bundle, target, work, signal));
        return "";
      },
    },
  ]);
  return join(folder, name);
}

async function makeArchive(
  release: Release,
  bundle: Bundle,
  target: Target,
  work: string,
  signal: AbortSignal,
): Promise<Buffer> {
  const name = release.executable(version);
  const { file, nodeLicence } = await buildExecutable(bundle, target, work, name, signal);
  const executable = executableName(name, target);
  const program = await readFile(file);
  if (target.os !== "linux") {
    const files = licenceFiles(bundle.packages, [`Node.js\n\n${nodeLicence}`]);
    return release.pack([{ name: executable, content: program, isExecutable: true }, ...files]);
  }
  const { launcher, libraries, licences } = await linuxRuntime(target, work, signal);
  return release.pack([
    { name: executable, content: launcher, isExecutable: true },
    { name: "lib/program", content: program, isExecutable: true },
    ...libraries,
    ...licenceFiles(bundle.packages, [`Node.js\n\n${nodeLicence}`, ...licences]),
  ]);
}

async function removeOlder(archive: string): Promise<void> {
  const folders = readdirSync(cacheFolder()).filter((name) => name.startsWith(`${archive}-`));
  const old = folders.filter((name) => Date.now() - statSync(join(cacheFolder(), name)).mtimeMs > keptFor);
  await Promise.all(old.map((name) => rm(join(cacheFolder(), name), { recursive: true })));
}
