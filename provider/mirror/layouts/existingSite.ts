import { DestinationError } from "../../support/errors";
import { collisionKey } from "../archive/uniquePaths";
import type { Store } from "../stores/store";
import { foreignFiles, mostNamed, takenByOther } from "./conflictErrors";
import { siteManifestName } from "./fileNames";
import { type Owner, ownersOf, ownIn } from "./mirrorOwner";
import { inTheWayOf } from "./pathConflicts";
import { pathsOf, readSiteManifest, type SiteManifest } from "./siteManifest";

/** What a destination has, before a site is published to it. */
export interface Ground {
  /** Whether the state says that the destination has a site of this mirror. */
  held: boolean;
  manifest: SiteManifest | undefined;
  /** What this mirror, or one that it comes in the place of, has surely written: nothing else is removed. */
  own: string[];
  /** The other mirrors of the same site. */
  others: string[];
  /** Whether the list of files is not the one that this mirror has written. */
  changed: boolean;
}

export async function survey(owner: Owner, store: Store): Promise<Ground> {
  const held = owner.holds?.includes(siteManifestName) ?? false;
  const manifest = await readSiteManifest(store);
  if (manifest === undefined || manifest === "unreadable") {
    return { held, manifest: undefined, own: [], others: [], changed: manifest !== undefined };
  }
  const [paths, mirrors] = [pathsOf(manifest), ownersOf(manifest)];
  const own = ownIn(manifest, paths, owner);
  return {
    held,
    manifest,
    own: own.length > 0 ? paths : [],
    others: mirrors.filter((mirror) => mirror !== owner.mirror && !own.includes(mirror)),
    changed: own.length === 0 && mirrors.includes(owner.mirror),
  };
}

/**
 * What can be refused before anything is fetched.
 * @throws DestinationError where the place is another mirror's, or holds files of others that were not allowed.
 */
export async function requireRoom(
  { jobId, holds = [] }: Owner,
  ground: Ground,
  allowExisting: boolean,
  store: Store,
): Promise<void> {
  const { manifest, others, own, held } = ground;
  if (manifest && others.length > 0) {
    if (manifest.jobId !== jobId) {
      throw takenByOther(manifest);
    }
    if (manifest.pending && own.length === 0) {
      throw unfinishedByOther();
    }
  }
  if (own.length === 0 && others.length === 0 && !held && !allowExisting) {
    const foreign: string[] = [];
    for await (const name of except(store.list(), holds)) {
      // One more than are named tells that there are more.
      if (foreign.push(name) > mostNamed) {
        break;
      }
    }
    refuse(foreign);
  }
}

/**
 * The last look before the first file is written, by the paths that are to be written.
 * @param findSame those of some paths whose files have the content that is to be written.
 * @throws DestinationError where a file of others would be overwritten, or stands in the way of a folder.
 */
export async function requireNoneInTheWay(
  paths: readonly string[],
  { own, held, manifest }: Ground,
  store: Store,
  findSame: (paths: ReadonlySet<string>) => Promise<ReadonlySet<string>>,
): Promise<void> {
  const isInTheWay = inTheWayOf([...paths, siteManifestName]);
  const known = new Map(own.map((path) => [collisionKey(path), path]));
  const list = manifest || held ? [siteManifestName] : [];
  const obstacles = new Set<string>();
  for await (const name of except(store.list(), [...own, ...list])) {
    const twin = known.get(collisionKey(name));
    if (isInTheWay(name) && !(twin !== undefined && (await areOne(name, twin, store)))) {
      obstacles.add(name);
    }
  }
  // Where the list of a site is lost, what is the same all the same was this mirror's.
  const same = held && own.length === 0 && obstacles.size > 0 ? await findSame(obstacles) : new Set();
  refuse([...obstacles].filter((name) => !same.has(name)));
}

async function* except(names: AsyncIterable<string>, left: readonly string[]): AsyncGenerator<string> {
  const without = new Set(left);
  for await (const name of names) {
    if (!without.has(name)) {
      yield name;
    }
  }
}

function refuse(foreign: readonly string[]): void {
  if (foreign.length > 0) {
    throw foreignFiles(
      foreign,
      "give an empty folder or prefix, or move these files away; `allowExisting: true` publishes beside files of others, and overwrites none of them",
    );
  }
}

/** Whether two names that differ in case alone are those of one file. */
async function areOne(name: string, other: string, store: Store): Promise<boolean> {
  const found = await store.stat([name, other]);
  const revision = found.get(name)?.revision;
  return revision !== undefined && revision === found.get(other)?.revision;
}

function unfinishedByOther(): DestinationError {
  return new DestinationError({
    happened: "the destination holds a part of a site, whose publication by another mirror did not end",
    remedy: `run the stack of that mirror again. Where it is gone, or was killed in its first run, remove the files that ${siteManifestName} names at the destination, and that file last; then run \`pulumi up\` again.`,
  });
}
