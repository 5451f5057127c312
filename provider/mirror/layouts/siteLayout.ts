import { createHash } from "node:crypto";
import { pipeline } from "node:stream/promises";
import { unlessAborted } from "../../support/abort";
import { asDocsPlatformError, type DocsPlatformError, InterruptedError } from "../../support/errors";
import { isoTime } from "../../support/isoTime";
import { archiveError, quoted } from "../archive/error";
import type { ArchiveFormat } from "../archive/format";
import { readArchive, verifyArchive } from "../archive/readArchive";
import { collisionKey } from "../archive/uniquePaths";
import { maxTextBytes, type Store } from "../stores/store";
import type { Measure } from "../transfer/measure";
import { receive, type Source } from "../transfer/source";
import { withTemporaryFile } from "../transfer/temporaryFile";
import { type ArchiveFacts, manifestOf } from "./archiveManifest";
import { bundleOfOtherError } from "./conflictErrors";
import { type ExistingSite, findExistingSite, requireFreePlace, requireNoConflicts } from "./existingSite";
import { siteManifestName } from "./fileNames";
import type { Layout } from "./layout";
import { type MirrorOwner, ownershipOf, ownersOf } from "./mirrorOwner";
import { conflictsWith } from "./pathConflicts";
import { putSiteFiles } from "./siteFiles";
import { maxManifestBytes, pathsOf, putSiteManifest, type SiteManifest } from "./siteManifest";

/** Publishing began and did not end: the destination holds parts of two versions, and its manifest knows all of them. */
export class PublicationStopped extends Error {
  constructor(
    readonly facts: ArchiveFacts,
    readonly reason: DocsPlatformError,
  ) {
    super(reason.message);
  }
}

/**
 * The unpacked bundle, in the place of what the destination has of this mirror. The archive is kept in a temporary file
 * and read to its end before anything is published: `put` fails with PublicationStopped after that, and for every other
 * error the destination is as it was.
 */
export const siteLayout: Layout = {
  async put(source, owner, store, signal) {
    await requireFreePlace(owner, await findExistingSite(owner, store), source.allowExisting, store);
    return receive(source, ({ format, content }) => {
      let measure: Measure = { sha256: "", sizeBytes: 0 };
      const whole = content((found) => {
        measure = found;
      });
      return withTemporaryFile(whole, async (file) => {
        source.status(`mirroring job ${owner.jobId}: verifying the archive`);
        const { paths } = await unlessAborted(verifyArchive(file, format), signal).catch((error: unknown) => {
          throw signal.aborted ? new InterruptedError() : error;
        });
        requireListable(paths);
        const facts: ArchiveFacts = { format, ...measure, mirroredAt: isoTime(source.clock.now()) };
        const archive: VerifiedArchive = { file, format, paths, facts };
        const existing = await findExistingSite(owner, store);
        await requireFreePlace(owner, existing, source.allowExisting, store);
        const shared = await findShared(archive, existing, store);
        return shared
          ? share(shared, { owner, existing, store, signal })
          : publish(archive, { owner, existing, store, signal, source });
      });
    });
  },

  async inspect(owner, mirrored, store) {
    const { manifest, own, listChanged } = await findExistingSite(owner, store);
    if (manifest === undefined) {
      return { kind: listChanged ? "differs" : "missing" };
    }
    const same = own.length > 0 && manifest.jobId === owner.jobId && manifest.sha256 === mirrored.sha256;
    return same && (await isWhole(manifest, store)) ? { kind: "same", mirrored } : { kind: "differs" };
  },

  async repair(owner, mirrored, store) {
    const found = await this.inspect(owner, mirrored, store);
    return found.kind === "same" ? found.mirrored : undefined;
  },

  async remove(owner, _, store, warn) {
    const { manifest, own, others, listChanged } = await findExistingSite(owner, store);
    if (listChanged) {
      warn(`${changedList}: nothing was removed. Remove by hand what is the mirror's.`);
    }
    if (manifest === undefined || manifest.jobId !== owner.jobId || own.length === 0) {
      return;
    }
    if (others.length > 0) {
      const { signal } = new AbortController();
      await putSiteManifest(store, owner, { ...manifest, sharedWith: undefined, ...ownershipOf(others) }, signal);
      return;
    }
    await store.remove(own);
    // Last, so that a removal that fails can be tried again.
    await store.remove([siteManifestName]);
  },
};

const changedList = `the list of files at the destination (${siteManifestName}) is not the one that this mirror has written`;

/** An archive that was verified. */
interface VerifiedArchive {
  file: string;
  format: ArchiveFormat;
  paths: readonly string[];
  facts: ArchiveFacts;
}

interface PublishContext {
  owner: MirrorOwner;
  existing: ExistingSite;
  store: Store;
  signal: AbortSignal;
}

/**
 * The site of other mirrors, where it is surely whole and of this archive.
 * @throws DestinationError where it is of another one.
 */
async function findShared(
  { facts }: VerifiedArchive,
  { manifest, others }: ExistingSite,
  store: Store,
): Promise<SiteManifest | undefined> {
  if (manifest === undefined || others.length === 0) {
    return undefined;
  }
  if (manifest.sha256 !== facts.sha256) {
    throw bundleOfOtherError(manifest);
  }
  return (await isWhole(manifest, store)) ? manifest : undefined;
}

/** Writes nothing but the own name beside those of the others. */
async function share(
  manifest: SiteManifest,
  { owner, existing, store, signal }: PublishContext,
): Promise<ArchiveFacts> {
  await putSiteManifest(store, owner, { ...manifest, ...ownershipOf([...existing.others, owner.mirror]) }, signal);
  const { format, sha256, sizeBytes, mirroredAt } = manifest;
  return { format, sha256, sizeBytes, mirroredAt };
}

async function publish(
  archive: VerifiedArchive,
  { owner, existing, store, signal, source }: PublishContext & { source: Source },
): Promise<ArchiveFacts> {
  const { file, format, paths, facts } = archive;
  const { jobId, mirror } = owner;
  const { manifest: before, others, listChanged } = existing;
  const kept = new Set(paths);
  // Of others there are only the files of this archive.
  const own = before && others.length > 0 ? pathsOf(before).filter((path) => kept.has(path)) : existing.own;
  await requireNoConflicts(paths, { ...existing, own }, store, (found) => sameInArchive(archive, found, store));
  if (listChanged) {
    source.warn(`${changedList}: what it names beyond the new version was not removed.`);
  }
  const { seals, files = [] } = (own.length > 0 ? before : undefined) ?? {};
  const next = { ...manifestOf(jobId, [...others, mirror], facts), seals };
  // Until the end it names the old job: what stands there then can still be removed as that job's.
  const base = before && own.length > 0 && ownersOf(before).includes(mirror) ? before : { ...next, files };
  await putSiteManifest(store, owner, { ...base, pending: [...new Set([...own, ...paths])] }, signal);
  try {
    const conflicts = conflictsWith(paths);
    const old = own.filter((path) => !kept.has(path));
    // Where case is folded, a name that is to be written stands for an old one, too: the old one goes before.
    await store.remove(old.filter(conflicts));
    const onFiles = (count: number) =>
      source.status(`mirroring job ${jobId}: ${count} of ${paths.length} files published`);
    const published = await putSiteFiles({ file, format, store, signal, onFiles });
    await store.remove(old.filter((path) => !conflicts(path)));
    await putSiteManifest(store, owner, { ...next, files: published }, signal);
  } catch (error) {
    throw new PublicationStopped(facts, asDocsPlatformError(error));
  }
  return facts;
}

/** Those of the paths at the destination that have the content which the archive has for them. */
async function sameInArchive(
  { file, format }: VerifiedArchive,
  paths: ReadonlySet<string>,
  store: Store,
): Promise<ReadonlySet<string>> {
  const same = new Set<string>();
  for await (const { path, stream } of readArchive(file, format)) {
    if (paths.has(path)) {
      const hash = createHash("sha256");
      await pipeline(stream, hash);
      if (hash.digest("hex") === (await store.sha256(path))) {
        same.add(path);
      }
    }
  }
  return same;
}

/** Whether every file is as it was published. One that was written since is read, where that is no transfer. */
async function isWhole(manifest: SiteManifest, store: Store): Promise<boolean> {
  if (manifest.pending) {
    return false;
  }
  const found = await store.stat(pathsOf(manifest));
  for (const { path, sizeBytes, revision, sha256 } of manifest.files) {
    const there = found.get(path);
    if (there?.sizeBytes !== sizeBytes || (there.revision !== revision && (await store.sha256(path)) !== sha256)) {
      return false;
    }
  }
  return true;
}

/** Nothing is published that could not be read back, and so never be removed. */
function requireListable(paths: readonly string[]): void {
  const reserved = collisionKey(siteManifestName);
  const taken = paths.find((path) => collisionKey(path.split("/")[0] ?? "") === reserved);
  if (taken !== undefined) {
    throw archiveError(
      `the archive's ${quoted(taken)} has the name of the mirror's own list of files (${siteManifestName})`,
    );
  }
  if (maxManifestBytes(paths) > maxTextBytes) {
    throw archiveError(`the archive has names that are too long for a list of all its files (${maxTextBytes} bytes)`);
  }
}
