import { readObjectDigest } from "../../storage/objectDigest";
import type { FileOrObjectStore } from "../../storage/store";
import { asDocsPlatformError } from "../../support/errors";
import { TaskPool } from "../../support/taskPool";
import { formatIsoTime } from "../../support/time/duration";
import { archiveError, quoteForMessage } from "../archive/archiveError";
import { toPathCollisionKey } from "../archive/duplicatePathCheck";
import type { ArchiveFormat } from "../archive/format";
import { type ArchivedFileDigest, checkArchiveAndListDigests } from "../archive/readArchive";
import type { ContentHashAndSize } from "../transfer/measureContent";
import { type BundleSource, openArchive } from "../transfer/openArchive";
import { explainTemporaryFileFault, withTemporaryFile } from "../transfer/temporaryFile";
import type { PublishedFile } from "./fileList";
import { ownFilePrefix, siteFileListName } from "./fileNames";
import { FilesMirror } from "./filesMirror";
import type { MirrorRecordFindResult, PublishResult } from "./mirror";
import { filesOfOthersError, type MirrorOwner, maxFilesPerError } from "./mirrorOwner";
import type { MirroredArchiveFields } from "./mirrorRecordFields";
import { applyOuterFolderRule, type SiteSource } from "./outerFolder";
import { PageLinkScanner } from "./pageLinks";
import { createPathConflictChecker } from "./pathConflicts";
import { putSiteFiles } from "./putSiteFiles";

const looksAtOnce = 8;

const siteRemedy = "give an empty folder or prefix, or move these files away";

interface VerifiedArchive extends ReturnType<typeof applyOuterFolderRule<ArchivedFileDigest>> {
  file: string;
  format: ArchiveFormat;
  facts: MirroredArchiveFields;
}

/**
 * Stores the unpacked bundle, and replaces this mirror's earlier files. The archive is first checked completely in a
 * temporary file. The mirror changes an existing file only if it can prove that it published the file.
 */
export class SiteMirror extends FilesMirror {
  constructor(store: FileOrObjectStore, owner: MirrorOwner) {
    super(store, owner, siteFileListName, siteRemedy);
  }

  async put(source: SiteSource, signal: AbortSignal): Promise<PublishResult> {
    await this.findOwn();
    const { format, expectedBytes, content } = await openArchive(source);
    let measure: ContentHashAndSize = { sha256: "", sizeBytes: 0 };
    const whole = content((found) => {
      measure = found;
    });
    return withTemporaryFile(whole, expectedBytes, async (file) => {
      source.status(`verifying the archive, mirroring job ${this.owner.jobId}`);
      const links = new PageLinkScanner();
      const observe = (path: string, page: AsyncIterable<Buffer>) => links.read(path, page);
      const site = applyOuterFolderRule(
        await checkArchiveAndListDigests(file, format, { signal, observe }),
        links,
        source,
      );
      requireFreeNames(site.files);
      const facts: MirroredArchiveFields = { format, ...measure, mirroredAt: formatIsoTime(source.clock.now()) };
      return this.#publish({ file, format, ...site, facts }, source, signal);
    });
  }

  address(): string {
    return this.store.address("");
  }

  protected async hasContent(): Promise<boolean> {
    for await (const _ of this.store.list()) {
      return true;
    }
    return false;
  }

  async #publish(archive: VerifiedArchive, source: BundleSource, signal: AbortSignal): Promise<PublishResult> {
    const { outerFolder, files, facts } = archive;
    const existing = await this.findOwn();
    const paths = files.map(({ path }) => path);
    const kept = new Set(paths);
    // The mirror overwrites and removes only files that it has certainly published. Usually the file list gives the
    // paths of these files. If somebody has changed or lost the list, the paths come from the new archive. This archive
    // must then have the sha256 in the state.
    const isSame = this.isInState && this.owner.saved?.sha256 === facts.sha256;
    const own = !existing.isOwn && isSame ? paths : this.pathsIn(existing);
    await this.#requireNoConflicts(files, own, existing);
    await this.announce(existing, facts, paths, source, signal);
    try {
      const conflicts = createPathConflictChecker(paths);
      const old = own.filter((path) => !kept.has(path));
      // An old file whose path conflicts with a new path is removed first. On a case-insensitive file system, a later
      // removal of `A` would remove the new file `a`.
      await this.store.remove(old.filter(conflicts));
      const onFiles = (count: number) =>
        source.status(`${count} of ${paths.length} files published, mirroring job ${this.owner.jobId}`);
      const revisions = await putSiteFiles(archive, this.store, signal, onFiles);
      await this.store.remove(old.filter((path) => !conflicts(path)));
      const published = files.map((one): PublishedFile => ({ ...one, revision: revisions.get(one.path) ?? "" }));
      await this.complete(facts, published, signal);
      return { ...facts, outerFolder };
    } catch (error) {
      return { ...facts, outerFolder, stopped: asDocsPlatformError(explainTemporaryFileFault(error) ?? error) };
    }
  }

  /**
   * An existing file that already has the new content is no conflict: the mirror adopts it.
   * @param own the existing paths that this mirror may overwrite.
   * @throws DestinationError if a file of another owner is in the way. At the first publication, every file of another
   * owner is in the way.
   */
  async #requireNoConflicts(
    files: readonly ArchivedFileDigest[],
    own: readonly string[],
    { record }: MirrorRecordFindResult<unknown>,
  ): Promise<void> {
    const { store, owner, isInState } = this;
    const written = new Map(files.map((file) => [file.path, file]));
    const conflicts = createPathConflictChecker([...written.keys(), siteFileListName]);
    const mine = new Set([...own, ...(record || isInState ? [siteFileListName] : [])]);
    const mayStay = (name: string) => isInState || owner.saved?.files.includes(name);
    const obstacles: string[] = [];
    const looks = new TaskPool(looksAtOnce);
    for await (const name of store.list()) {
      if (!mine.has(name) && (conflicts(name) || !mayStay(name))) {
        const file = written.get(name);
        await looks.add(async () => {
          if (file === undefined || !(await isThere(file, store))) {
            obstacles.push(name);
          }
        });
      }
      // The error shows `maxFilesPerError` names. One more name proves that there are others.
      if (obstacles.length > maxFilesPerError) {
        break;
      }
    }
    await looks.drain();
    if (obstacles.length > 0) {
      throw filesOfOthersError(obstacles, siteRemedy);
    }
  }
}

function requireFreeNames(files: readonly ArchivedFileDigest[]): void {
  const reserved = toPathCollisionKey(ownFilePrefix);
  const taken = files.find(({ path }) => toPathCollisionKey(path).startsWith(reserved));
  if (taken !== undefined) {
    throw archiveError(
      `the archive's ${quoteForMessage(taken.path)} has a name that begins like those of the mirror's own files (${ownFilePrefix})`,
    );
  }
}

async function isThere({ path, sizeBytes, sha256 }: ArchivedFileDigest, store: FileOrObjectStore): Promise<boolean> {
  const found = (await store.stat([path])).get(path);
  return found?.sizeBytes === sizeBytes && (await readObjectDigest(store, path))?.sha256 === sha256;
}
