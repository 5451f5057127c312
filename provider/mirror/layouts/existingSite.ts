import { DestinationError } from "../../support/errors";
import { words } from "../../support/words";
import { collisionKey } from "../archive/uniquePaths";
import type { Store } from "../stores/store";
import { bundleOfOtherError, filesOfOthersError, maxNamedFiles } from "./conflictErrors";
import { siteManifestName } from "./fileNames";
import { type MirrorOwner, ownersOf, ownMirrorsIn } from "./mirrorOwner";
import { conflictsWith } from "./pathConflicts";
import { pathsOf, readSiteManifest, type SiteManifest } from "./siteManifest";

/** What the destination contains before a site is published. */
export interface ExistingSite {
  /** Whether the state says that this mirror has a site at the destination. */
  inState: boolean;
  manifest: SiteManifest | undefined;
  /** The paths that this mirror or a predecessor has certainly written. Nothing else is removed. */
  own: string[];
  /** The other mirrors of the same site. */
  others: string[];
  /** Whether somebody else has changed the list of files. */
  listChanged: boolean;
}

export async function findExistingSite(owner: MirrorOwner, store: Store): Promise<ExistingSite> {
  const inState = owner.knownFiles?.includes(siteManifestName) ?? false;
  const manifest = await readSiteManifest(store);
  if (manifest === undefined || manifest === "unreadable") {
    return { inState, manifest: undefined, own: [], others: [], listChanged: manifest !== undefined };
  }
  const [paths, mirrors] = [pathsOf(manifest), ownersOf(manifest)];
  const own = ownMirrorsIn(manifest, paths, owner);
  return {
    inState,
    manifest,
    own: own.length > 0 ? paths : [],
    others: mirrors.filter((mirror) => mirror !== owner.mirror && !own.includes(mirror)),
    listChanged: own.length === 0 && mirrors.includes(owner.mirror),
  };
}

/**
 * Checks the destination before anything is fetched.
 * @throws DestinationError if another mirror uses it, or it contains files of others without `allowExisting`.
 */
export async function requireFreePlace(
  { jobId, knownFiles = [] }: MirrorOwner,
  existing: ExistingSite,
  allowExisting: boolean,
  store: Store,
): Promise<void> {
  const { manifest, others, own, inState } = existing;
  if (manifest && others.length > 0) {
    if (manifest.jobId !== jobId) {
      throw bundleOfOtherError(manifest);
    }
    if (manifest.pending && own.length === 0) {
      throw unfinishedByOtherError();
    }
  }
  if (own.length === 0 && others.length === 0 && !inState && !allowExisting) {
    const foreign: string[] = [];
    for await (const name of except(store.list(), knownFiles)) {
      // One more than the error names: it then says that there are others.
      if (foreign.push(name) > maxNamedFiles) {
        break;
      }
    }
    refuseFilesOfOthers(foreign);
  }
}

/**
 * The last check before the first file is written.
 * @param paths the paths to write.
 * @param findSame returns the paths whose existing files already have the new content.
 * @throws DestinationError if a file of others would be overwritten, or conflicts with a folder.
 */
export async function requireNoConflicts(
  paths: readonly string[],
  { own, inState, manifest }: ExistingSite,
  store: Store,
  findSame: (paths: ReadonlySet<string>) => Promise<ReadonlySet<string>>,
): Promise<void> {
  const conflicts = conflictsWith([...paths, siteManifestName]);
  const known = new Map(own.map((path) => [collisionKey(path), path]));
  const list = manifest || inState ? [siteManifestName] : [];
  const obstacles = new Set<string>();
  for await (const name of except(store.list(), [...own, ...list])) {
    const twin = known.get(collisionKey(name));
    if (conflicts(name) && !(twin !== undefined && (await areSameFile(name, twin, store)))) {
      obstacles.add(name);
    }
  }
  // If the list of the site is lost, files with the same content are taken as this mirror's.
  const same = inState && own.length === 0 && obstacles.size > 0 ? await findSame(obstacles) : new Set();
  refuseFilesOfOthers([...obstacles].filter((name) => !same.has(name)));
}

async function* except(names: AsyncIterable<string>, left: readonly string[]): AsyncGenerator<string> {
  const without = new Set(left);
  for await (const name of names) {
    if (!without.has(name)) {
      yield name;
    }
  }
}

function refuseFilesOfOthers(foreign: readonly string[]): void {
  if (foreign.length > 0) {
    throw filesOfOthersError(
      foreign,
      `give an empty folder or prefix, or move these files away; \`${words.argument("allowExisting", "true")}\` publishes beside files of others, and overwrites none of them`,
    );
  }
}

/** Whether two names that differ only in case are the same file. */
async function areSameFile(name: string, other: string, store: Store): Promise<boolean> {
  const found = await store.stat([name, other]);
  const revision = found.get(name)?.revision;
  return revision !== undefined && revision === found.get(other)?.revision;
}

function unfinishedByOtherError(): DestinationError {
  return new DestinationError({
    happened: "the destination holds a part of a site, whose publication by another mirror did not end",
    remedy: `run the stack of that mirror again. Where it is gone, or was killed in its first run, remove the files that ${siteManifestName} names at the destination, and that file last; then run \`${words.run}\` again.`,
  });
}
