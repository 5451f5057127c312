import { DestinationError } from "../../support/errors";
import { collisionKey } from "../archive/uniquePaths";
import type { Store } from "../stores/store";
import { bundleOfOtherError, filesOfOthersError, maxNamedFiles } from "./conflictErrors";
import { siteManifestName } from "./fileNames";
import { type MirrorOwner, ownersOf, ownMirrorsIn } from "./mirrorOwner";
import { conflictsWith } from "./pathConflicts";
import { pathsOf, readSiteManifest, type SiteManifest } from "./siteManifest";

/** What a destination has, before a site is published to it. */
export interface ExistingSite {
  /** Whether the state says that the destination has a site of this mirror. */
  inState: boolean;
  manifest: SiteManifest | undefined;
  /** What this mirror, or one that it comes in the place of, has surely written: nothing else is removed. */
  own: string[];
  /** The other mirrors of the same site. */
  others: string[];
  /** Whether the list of files is not the one that this mirror has written. */
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
 * What can be refused before anything is fetched.
 * @throws DestinationError where the place is another mirror's, or holds files of others that were not allowed.
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
      // One more than are named tells that there are more.
      if (foreign.push(name) > maxNamedFiles) {
        break;
      }
    }
    refuseFilesOfOthers(foreign);
  }
}

/**
 * The last look before the first file is written, by the paths that are to be written.
 * @param findSame those of some paths whose files have the content that is to be written.
 * @throws DestinationError where a file of others would be overwritten, or stands in the way of a folder.
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
  // Where the list of a site is lost, what is the same all the same was this mirror's.
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
      "give an empty folder or prefix, or move these files away; `allowExisting: true` publishes beside files of others, and overwrites none of them",
    );
  }
}

/** Whether two names that differ in case alone are those of one file. */
async function areSameFile(name: string, other: string, store: Store): Promise<boolean> {
  const found = await store.stat([name, other]);
  const revision = found.get(name)?.revision;
  return revision !== undefined && revision === found.get(other)?.revision;
}

function unfinishedByOtherError(): DestinationError {
  return new DestinationError({
    happened: "the destination holds a part of a site, whose publication by another mirror did not end",
    remedy: `run the stack of that mirror again. Where it is gone, or was killed in its first run, remove the files that ${siteManifestName} names at the destination, and that file last; then run \`pulumi up\` again.`,
  });
}
