import type { Store } from "../../storage/store";
import { DestinationError } from "../../support/errors";
import { words } from "../../support/words";
import { collisionKey } from "../archive/uniquePaths";
import { isLease } from "../leases";
import { bundleOfOtherError, filesOfOthersError, maxNamedFiles } from "./conflictErrors";
import { siteManifestName } from "./fileNames";
import { identitiesOf, isOwnerOf, type MirrorOwner, othersIn, ownersOf } from "./mirrorOwner";
import { conflictsWith } from "./pathConflicts";
import { isSealedBy, pathsOf, readSiteManifest, type SiteManifest } from "./siteManifest";

/** The content of the destination before a site is published. */
export interface ExistingSite {
  /** True if the state says that this mirror has a site at the destination. */
  inState: boolean;
  /** The list of files at the destination. What it says is a claim. */
  manifest: SiteManifest | undefined;
  /** The paths that this mirror or its predecessor has certainly written. Nothing else is removed. */
  own: string[];
  /** The other mirrors of the same site, as the list claims. */
  others: string[];
  /** True if the list should be this mirror's, but is not as this mirror has written it. */
  listChanged: boolean;
}

export async function findExistingSite(owner: MirrorOwner, store: Store): Promise<ExistingSite> {
  const inState = owner.knownFiles?.includes(siteManifestName) ?? false;
  const manifest = await readSiteManifest(store);
  if (manifest === undefined || manifest === "unreadable") {
    return { inState, manifest: undefined, own: [], others: [], listChanged: inState || manifest !== undefined };
  }
  const isSealed = identitiesOf(owner).some((identity) => isSealedBy(manifest, identity));
  const others = othersIn(manifest, owner);
  return {
    inState,
    manifest,
    own: isSealed ? pathsOf(manifest) : [],
    others,
    // A mirror that has replaced this mirror has removed the name of this mirror from the list.
    listChanged: !isSealed && (isOwnerOf(owner, manifest) || (inState && others.length === 0)),
  };
}

/**
 * Checks the destination before anything is fetched.
 * @throws DestinationError if another mirror uses it, or it contains files of others without `allowExisting`.
 */
export async function requireFreePlace(
  { jobId, knownFiles = [] }: MirrorOwner,
  { manifest, others, own, inState }: ExistingSite,
  allowExisting: boolean,
  store: Store,
): Promise<void> {
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
    for await (const name of except(filesAt(store), [...knownFiles, ...leftBehind(manifest)])) {
      // One name more than the error shows is collected, so that the error says that there are others.
      if (foreign.push(name) > maxNamedFiles) {
        break;
      }
    }
    refuseFilesOfOthers(foreign);
  }
}

/**
 * Returns the files that a killed first publication claims to have written. This publication may take them over if they
 * equal its own files.
 */
function leftBehind(manifest: SiteManifest | undefined): string[] {
  return manifest !== undefined && ownersOf(manifest).length === 0 ? [siteManifestName, ...pathsOf(manifest)] : [];
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
  allowExisting: boolean,
  store: Store,
  findSame: (paths: readonly string[]) => Promise<ReadonlySet<string>>,
): Promise<void> {
  const conflicts = conflictsWith([...paths, siteManifestName]);
  const known = new Map(own.map((path) => [collisionKey(path), path]));
  const list = manifest || inState ? [siteManifestName] : [];
  const left = new Set(allowExisting || inState ? [] : leftBehind(manifest));
  const obstacles: string[] = [];
  for await (const name of except(filesAt(store), [...own, ...list])) {
    const twin = known.get(collisionKey(name));
    if ((conflicts(name) || left.has(name)) && !(twin !== undefined && (await areSameFile(name, twin, store)))) {
      obstacles.push(name);
    }
  }
  // A list proves nothing by itself, and may be lost: the new bytes show which files belong to this mirror.
  const listed = new Set(manifest ? pathsOf(manifest) : []);
  const same = await findSame(obstacles.filter((name) => inState || listed.has(name)));
  refuseFilesOfOthers(obstacles.filter((name) => !same.has(name)));
}

/** Lists the files at a place, without the leases of runs that are at work there. */
export async function* filesAt(store: Store): AsyncGenerator<string> {
  for await (const name of store.list()) {
    if (!isLease(name)) {
      yield name;
    }
  }
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
      `give an empty folder or prefix, or move these files away; with \`${words.argument("allowExisting", "true")}\` this mirror publishes beside these files, and overwrites none of them`,
    );
  }
}

/** Returns true if two names that differ only in case are the same file. */
async function areSameFile(name: string, other: string, store: Store): Promise<boolean> {
  const found = await store.stat([name, other]);
  const revision = found.get(name)?.revision;
  return revision !== undefined && revision === found.get(other)?.revision;
}

function unfinishedByOtherError(): DestinationError {
  return new DestinationError({
    happened: "the destination contains a part of a site: another mirror did not complete its publication",
    remedy: `run the program of that mirror again. If that mirror no longer exists, or its first run was killed, remove the files that ${siteManifestName} lists at the destination, and then ${siteManifestName} itself; then run \`${words.run}\` again.`,
  });
}
