/** The facts that are checked before a release. */
export interface ReleaseFacts {
  /** The version in package.json. */
  version: string;
  /** The version in package-lock.json. */
  lockedVersion: string;
  changelog: string;
  /** The tags of the checked-out commit. */
  tags: readonly string[];
  /** The files that differ from that commit, as git names them. */
  changedFiles: readonly string[];
  tarball: Tarball;
  /** See {@link auditProblems}. */
  audit: readonly string[];
  /** The names of the packages that are installed with this one, in the bill of materials and in the lockfile. */
  billed: readonly string[];
  installed: readonly string[];
}

/** The tarball that `npm pack` would make. */
export interface Tarball {
  /** The packed size, in bytes. */
  size: number;
  files: readonly string[];
  /** The files that package.json leads to. */
  entryPoints: readonly string[];
}

/** The largest packed size of a release, in bytes. */
export const largestTarball = 220_000;

/** Returns everything that stands against a release; empty if nothing does. */
export function releaseProblems({
  version,
  lockedVersion,
  changelog,
  tags,
  changedFiles,
  tarball,
  audit,
  billed,
  installed,
}: ReleaseFacts): string[] {
  const released = new RegExp(`^## ${version.replaceAll(".", "\\.")} - \\d{4}-\\d{2}-\\d{2}$`, "m");
  const unreleased = /^## Unreleased\n(.*?)(?=^## |(?![\s\S]))/ms.exec(changelog)?.[1]?.trim();
  return [
    /^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/.test(version) ? "" : `version: ${version} is no semantic version`,
    lockedVersion === version ? "" : `version: package-lock.json has ${lockedVersion}: run \`npm install\``,
    released.test(changelog) ? "" : `changelog: there is no section "## ${version} - <date>"`,
    unreleased ? `changelog: "Unreleased" still holds entries: move them to ${version}` : "",
    tags.includes(`v${version}`) ? "" : `tag: the commit has no tag v${version}`,
    changedFiles.length === 0 ? "" : `tag: these files are not committed: ${changedFiles.join(", ")}`,
    ...tarballProblems(tarball),
    ...audit,
    ...installed.filter((name) => !billed.includes(name)).map((name) => `sbom: ${name} is missing`),
  ].filter((problem) => problem !== "");
}

/** The problems of a tarball. */
export function tarballProblems({ size, files, entryPoints }: Tarball): string[] {
  const known = new Set(files);
  const strange = files.filter(
    (file) => !/^(dist|docs|plugin)\/|^(package\.json|README\.md|LICENSE|CHANGELOG\.md)$/.test(file),
  );
  const sources = files.filter((file) => /(?<!\.d)\.[cm]?ts$|\.tsbuildinfo$|\.test\./.test(file));
  return [
    size < largestTarball ? "" : `tarball: ${size} bytes, and ${largestTarball} is too much`,
    ...entryPoints.filter((file) => !known.has(file)).map((file) => `tarball: ${file} is missing`),
    ...[...strange, ...sources].map((file) => `tarball: ${file} does not belong there`),
  ].filter((problem) => problem !== "");
}
