import { digestAt } from "../../storage/objectDigest";
import type { ObjectInfo, Store } from "../../storage/store";
import { unlessInterrupted } from "../../support/abort";
import { asDocsPlatformError, type DocsPlatformError } from "../../support/errors";
import { TaskPool } from "../../support/taskPool";
import { isoTime } from "../../support/time/duration";
import { archiveError, quoted } from "../archive/error";
import type { ArchiveFormat } from "../archive/format";
import type { ArchivedFile } from "../archive/readArchive";
import { collisionKey } from "../archive/uniquePaths";
import type { Measure } from "../transfer/measure";
import { type Source, unpackableFormat, withIncomingArchive } from "../transfer/source";
import { withTemporaryFile } from "../transfer/temporaryFile";
import { type ArchiveFacts, manifestOf } from "./archiveManifest";
import { bundleOfOtherError, filesStayText } from "./conflictErrors";
import { type ExistingSite, filesAt, findExistingSite, requireFreePlace, requireNoConflicts } from "./existingSite";
import { ownPrefix, siteManifestName } from "./fileNames";
import type { Inspection, Layout, Mirrored } from "./layout";
import { describeDifference, unfinishedPublication } from "./layout";
import { isOwnerOf, type MirrorOwner, mirrorNameOf, ownershipOf } from "./mirrorOwner";
import { conflictsWith } from "./pathConflicts";
import { tellFolder, type VerifiedSite, verifySite } from "./site";
import { putSiteFiles } from "./siteFiles";
import {
  isListable,
  listDigest,
  maxListBytes,
  putSiteManifest,
  revisionDigest,
  type SiteFile,
  type SiteManifest,
} from "./siteManifest";

/** The number of files at the destination that are examined at the same time. */
const looksAtOnce = 8;

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
 * Stores the unpacked bundle, and replaces this mirror's earlier files. The archive is first written to a temporary
 * file and read to its end. After any error except PublicationStopped the destination is unchanged. A file at the
 * destination that is not certainly this mirror's counts as its own only if it has the new bytes.
 */
export const siteLayout: Layout = {
  async put(source, owner, store, signal) {
    await requireFreePlace(owner, await findExistingSite(owner, store), source.allowExisting, store);
    return withIncomingArchive(source, (incoming) => {
      const format = unpackableFormat(source, incoming);
      let measure: Measure = { sha256: "", sizeBytes: 0 };
      const whole = incoming.content((found) => {
        measure = found;
      });
      return withTemporaryFile(whole, async (file) => {
        source.status(`verifying the archive, mirroring job ${owner.jobId}`);
        // Verifying may take minutes: an abort does not wait for it.
        const site = await unlessInterrupted(verifySite(file, format), signal);
        requireListable(site.files);
        tellFolder(source, site.folder);
        const facts: ArchiveFacts = { format, ...measure, mirroredAt: isoTime(source.clock.now()) };
        const archive: VerifiedArchive = { file, format, ...site, facts };
        const existing = await findExistingSite(owner, store);
        await requireFreePlace(owner, existing, source.allowExisting, store);
        const context = { owner, existing, store, signal, source };
        return (await share(archive, context)) ?? publish(archive, context);
      });
    });
  },

  async inspect(owner, mirrored, store) {
    const { manifest, own, listChanged } = await findExistingSite(owner, store);
    if (manifest === undefined && (await isEmpty(store))) {
      return { kind: "missing" };
    }
    if (manifest === undefined || listChanged) {
      return { kind: "differs", what: changedList };
    }
    if (manifest.pending) {
      return { kind: "differs", what: unfinishedPublication };
    }
    if (own.length === 0 || !isOwnerOf(owner, manifest) || listDigest(manifest, manifest.files) !== mirrored.files) {
      return { kind: "differs", what: "the list of files belongs to another bundle" };
    }
    return compare(manifest, mirrored, store);
  },

  async repair(owner, mirrored, store) {
    const found = await this.inspect(owner, mirrored, store);
    return found.kind === "same" ? found.mirrored : undefined;
  },

  isUsed: async (_, store) => !(await isEmpty(store)),

  async remove(owner, _, store, { warn, signal }) {
    const { manifest, own, others, listChanged } = await findExistingSite(owner, store);
    if (listChanged && !(await isEmpty(store))) {
      warn(`${changedList}: nothing was removed. Remove the files of this mirror by hand.`);
    }
    if (manifest === undefined || own.length === 0) {
      return;
    }
    if (others.length > 0) {
      if (isOwnerOf(owner, manifest)) {
        await putSiteManifest(store, owner, { ...manifest, sharedWith: undefined, ...ownershipOf(others) }, signal);
        warn(filesStayText(siteManifestName));
      }
      return;
    }
    await store.remove(own);
    // The manifest is removed last, so that a failed removal can be repeated.
    await store.remove([siteManifestName]);
  },
};

const changedList = `the list of files at the destination (${siteManifestName}) is not the one that this mirror wrote`;

async function isEmpty(store: Store): Promise<boolean> {
  for await (const _ of filesAt(store)) {
    return false;
  }
  return true;
}

/** An archive with a site that was accepted. */
interface VerifiedArchive extends VerifiedSite {
  file: string;
  format: ArchiveFormat;
  facts: ArchiveFacts;
}

interface PublishContext {
  source: Source;
  owner: MirrorOwner;
  existing: ExistingSite;
  store: Store;
  signal: AbortSignal;
}

/**
 * Only adds this mirror to the manifest, if the site of other mirrors is certainly complete and has the new files.
 * @throws DestinationError if the site is from another archive.
 */
async function share(archive: VerifiedArchive, context: PublishContext): Promise<Mirrored | undefined> {
  const { manifest, others } = context.existing;
  if (manifest === undefined || others.length === 0) {
    return undefined;
  }
  const { owner, store, signal } = context;
  const { files, facts } = archive;
  if (manifest.sha256 !== facts.sha256) {
    throw bundleOfOtherError(manifest);
  }
  const digest = listDigest({ ...facts, jobId: owner.jobId }, files);
  if (manifest.pending || listDigest(manifest, manifest.files) !== digest) {
    return undefined;
  }
  const found = await findSame(files, store);
  if (found.size < files.length) {
    return undefined;
  }
  await putSiteManifest(store, owner, { ...manifest, ...ownershipOf([...others, mirrorNameOf(owner)]) }, signal);
  return { ...facts, mirroredAt: manifest.mirroredAt, files: digest, revision: revisionDigest(found) };
}

/** Returns the files whose content at the destination equals the new content. */
async function findSame(files: readonly ArchivedFile[], store: Store): Promise<Map<string, ObjectInfo>> {
  const same = new Map<string, ObjectInfo>();
  const found = await store.stat(files.map(({ path }) => path));
  const looks = new TaskPool(looksAtOnce);
  for (const { path, sizeBytes, sha256 } of files) {
    if (found.get(path)?.sizeBytes === sizeBytes) {
      await looks.add(async () => {
        const there = await digestAt(store, path);
        if (there?.sha256 === sha256) {
          same.set(path, there);
        }
      });
    }
  }
  await looks.drain();
  return same;
}

async function publish(archive: VerifiedArchive, context: PublishContext): Promise<Mirrored> {
  const { owner, existing, store, signal, source } = context;
  const { file, format, folder, files, facts } = archive;
  const { jobId } = owner;
  const { manifest: before, others, listChanged } = existing;
  const paths = files.map(({ path }) => path);
  const kept = new Set(paths);
  const digest = listDigest({ ...facts, jobId }, files);
  // Mirrors share a site only if they have the same archive: other paths do not belong to this mirror.
  const proven = others.length > 0 ? existing.own.filter((path) => kept.has(path)) : existing.own;
  // A changed or lost list does no harm if the state says that it was equal to the new list.
  const own = proven.length === 0 && owner.files === digest ? paths : proven;
  await requireNoConflicts(paths, { ...existing, own }, source.allowExisting, store, async (found) => {
    const wanted = new Set(found);
    return new Set(
      (
        await findSame(
          files.filter(({ path }) => wanted.has(path)),
          store,
        )
      ).keys(),
    );
  });
  if (listChanged) {
    source.warn(`${changedList}: files of an earlier version may remain there.`);
  }
  const isShared = before !== undefined && others.length > 0;
  const next: SiteManifest = {
    ...manifestOf(jobId, [...others, mirrorNameOf(owner)], facts),
    // The seals of the other mirrors stay valid only if these fields stay unchanged.
    ...(isShared && {
      mirroredAt: before.mirroredAt,
      tool: before.tool,
      replaces: before.replaces,
      seals: before.seals,
    }),
    ...(!isShared && { replaces: owner.files ?? owner.predecessor?.files }),
    files: [],
  };
  // Until the end, the manifest names the old job, so that an incomplete site can still be removed as the site of that
  // job. It names no mirror that did not own the site before: the name of a killed run would stay in it.
  const base = before && proven.length > 0 ? before : { ...next, sharedWith: undefined, ...ownershipOf(others) };
  const listed = new Set(base.files.map(({ path }) => path));
  const pending = [...new Set([...own, ...paths])].filter((path) => !listed.has(path));
  await putSiteManifest(store, owner, { ...base, pending }, signal);
  try {
    const conflicts = conflictsWith(paths);
    const old = own.filter((path) => !kept.has(path));
    // On a case-insensitive file system a new name may be the same file as an old name: the old file is removed first.
    await store.remove(old.filter(conflicts));
    const onFiles = (count: number) =>
      source.status(`${count} of ${paths.length} files published, mirroring job ${jobId}`);
    const revisions = await putSiteFiles({ file, format, folder, store, signal, onFiles });
    await store.remove(old.filter((path) => !conflicts(path)));
    const published = files.map((one): SiteFile => ({ ...one, revision: revisions.get(one.path)?.revision ?? "" }));
    await putSiteManifest(store, owner, { ...next, files: published }, signal);
    return { ...facts, mirroredAt: next.mirroredAt, files: digest, revision: revisionDigest(revisions) };
  } catch (error) {
    throw new PublicationStopped(facts, asDocsPlatformError(error));
  }
}

/**
 * Compares the files at the destination with what the state knows. Only the names are taken from the list. A file with
 * a new revision is compared by sha256, if that needs no transfer.
 */
async function compare(manifest: SiteManifest, mirrored: Mirrored, store: Store): Promise<Inspection> {
  const { files } = manifest;
  const found = await store.stat(files.map(({ path }) => path));
  const revision = revisionDigest(found);
  const isSame = async ({ path, sha256 }: SiteFile) => (await store.sha256(path)) === sha256;
  const differing: string[] = [];
  for (const file of files) {
    const there = found.get(file.path);
    if (there?.sizeBytes !== file.sizeBytes) {
      differing.push(file.path);
    } else if (revision !== mirrored.revision && there.revision !== file.revision && !(await isSame(file))) {
      differing.push(file.path);
    }
  }
  if (differing.length === 0 && revision !== mirrored.revision) {
    // The revisions in the list are not those of the state, so they do not show which file differs.
    for (const file of files) {
      if (found.get(file.path)?.revision === file.revision && !(await isSame(file))) {
        differing.push(file.path);
        break;
      }
    }
  }
  return differing.length === 0
    ? { kind: "same", mirrored: { ...mirrored, revision } }
    : { kind: "differs", what: describeDifference(differing) };
}

/** Refuses an archive whose list of files could not be read back: its files could never be removed. */
function requireListable(files: readonly ArchivedFile[]): void {
  const paths = files.map(({ path }) => path);
  const reserved = collisionKey(ownPrefix);
  const taken = paths.find((path) => collisionKey(path).startsWith(reserved));
  if (taken !== undefined) {
    throw archiveError(
      `the archive's ${quoted(taken)} has a name that begins like those of the mirror's own files (${ownPrefix})`,
    );
  }
  if (!isListable(paths)) {
    throw archiveError(`the archive has names that are too long for a list of all its files (${maxListBytes} bytes)`);
  }
}
