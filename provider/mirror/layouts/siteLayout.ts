import { createHash } from "node:crypto";
import { pipeline } from "node:stream/promises";
import { unlessInterrupted } from "../../support/abort";
import { asDocsPlatformError, type DocsPlatformError } from "../../support/errors";
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
import { describeDifference, unfinishedPublication } from "./difference";
import { type ExistingSite, findExistingSite, requireFreePlace, requireNoConflicts } from "./existingSite";
import { siteManifestName } from "./fileNames";
import type { Layout } from "./layout";
import { type MirrorOwner, ownershipOf, ownersOf } from "./mirrorOwner";
import { conflictsWith } from "./pathConflicts";
import { putSiteFiles } from "./siteFiles";
import { maxManifestBytes, pathsOf, putSiteManifest, type SiteManifest } from "./siteManifest";

/**
 * A publication started and did not complete. The destination contains parts of two versions; its manifest lists all
 * of them.
 */
export class PublicationStopped extends Error {
  constructor(
    readonly facts: ArchiveFacts,
    readonly reason: DocsPlatformError,
  ) {
    super(reason.message);
  }
}

/**
 * Stores the unpacked bundle, and replaces this mirror's earlier files. The archive is first written to a temporary file
 * and read to its end. After any other error than PublicationStopped the destination is unchanged.
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
        source.status(`verifying the archive, mirroring job ${owner.jobId}`);
        // Verifying may take minutes: an abort does not wait for it.
        const { paths } = await unlessInterrupted(verifyArchive(file, format), signal);
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
      return listChanged ? { kind: "differs", what: changedList } : { kind: "missing" };
    }
    if (own.length === 0 || manifest.jobId !== owner.jobId || manifest.sha256 !== mirrored.sha256) {
      return { kind: "differs", what: "the list of files is of another bundle" };
    }
    const what = await difference(manifest, store);
    return what === undefined ? { kind: "same", mirrored } : { kind: "differs", what };
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
    // The manifest is removed last, so that a failed removal can be repeated.
    await store.remove([siteManifestName]);
  },
};

const changedList = `the list of files at the destination (${siteManifestName}) is not the one that this mirror has written`;

/** An archive that `verifyArchive` has accepted. */
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
 * Returns the site of other mirrors, if it is certainly whole and has this archive.
 * @throws DestinationError if it has another archive.
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
  return (await difference(manifest, store)) === undefined ? manifest : undefined;
}

/** Only adds this mirror to the manifest. */
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
  // Mirrors share a site only with the same archive: other paths are not this mirror's.
  const own = before && others.length > 0 ? pathsOf(before).filter((path) => kept.has(path)) : existing.own;
  await requireNoConflicts(paths, { ...existing, own }, store, (found) => sameInArchive(archive, found, store));
  if (listChanged) {
    source.warn(`${changedList}: what it names beyond the new version was not removed.`);
  }
  const { seals, files = [] } = (own.length > 0 ? before : undefined) ?? {};
  const next = { ...manifestOf(jobId, [...others, mirror], facts), seals };
  // Until the end the manifest names the old job, so that an incomplete site can still be removed as that job's.
  const base = before && own.length > 0 && ownersOf(before).includes(mirror) ? before : { ...next, files };
  await putSiteManifest(store, owner, { ...base, pending: [...new Set([...own, ...paths])] }, signal);
  try {
    const conflicts = conflictsWith(paths);
    const old = own.filter((path) => !kept.has(path));
    // On a case-insensitive file system a new name may be the same file as an old one: the old one is removed first.
    await store.remove(old.filter(conflicts));
    const onFiles = (count: number) =>
      source.status(`${count} of ${paths.length} files published, mirroring job ${jobId}`);
    const published = await putSiteFiles({ file, format, store, signal, onFiles });
    await store.remove(old.filter((path) => !conflicts(path)));
    await putSiteManifest(store, owner, { ...next, files: published }, signal);
  } catch (error) {
    throw new PublicationStopped(facts, asDocsPlatformError(error));
  }
  return facts;
}

/** Returns the paths whose files at the destination have the same content as in the archive. */
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

/**
 * What is not as published, for a person; undefined if every file is. A file with a new revision is compared by sha256, if
 * that needs no transfer.
 */
async function difference(manifest: SiteManifest, store: Store): Promise<string | undefined> {
  if (manifest.pending) {
    return unfinishedPublication;
  }
  const paths: string[] = [];
  const found = await store.stat(pathsOf(manifest));
  for (const { path, sizeBytes, revision, sha256 } of manifest.files) {
    const there = found.get(path);
    if (there?.sizeBytes !== sizeBytes || (there.revision !== revision && (await store.sha256(path)) !== sha256)) {
      paths.push(path);
    }
  }
  return paths.length > 0 ? describeDifference(paths) : undefined;
}

/** Refuses an archive whose list of files could not be read back: its files could never be removed. */
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
