import type { Store } from "../../storage/store";
import type { BundleSource } from "../transfer/openArchive";
import { type FileList, listOwnedPaths, type PublishedFile, readFileList, writeFileList } from "./fileList";
import type { MirrorOwner } from "./mirrorOwner";
import { describeDifference, type Inspection, type MirroredContent, unfinishedPublication } from "./openedMirror";
import { type ExistingRecord, OwnedPlace } from "./ownedPlace";
import { type ArchiveFacts, recordFactsOf } from "./recordFacts";

/** Files with a record that lists them. */
export class OwnedFiles extends OwnedPlace<FileList> {
  /**
   * @param isThere returns true if the destination has a file that this mirror may have written.
   * @param remedy the remedy if the destination has files of another owner.
   */
  constructor(
    readonly store: Store,
    owner: MirrorOwner,
    readonly listName: string,
    isThere: (mirrored: MirroredContent) => Promise<boolean>,
    remedy: string,
  ) {
    super(
      {
        ...{ recordName: listName, remedy, isThere },
        read: () => readFileList(store, listName),
        write: (list, signal) => writeFileList(store, listName, list, signal),
        compare: (list) => compare(list, store),
        async remove(list) {
          await store.remove(listOwnedPaths(list));
          await store.remove([listName]);
        },
      },
      owner,
      listName,
    );
  }

  /** Returns the paths in the list. Returns an empty array if the list does not belong to this mirror. */
  static pathsIn({ record, isOwn }: ExistingRecord<FileList>): string[] {
    return record && isOwn ? listOwnedPaths(record) : [];
  }

  /**
   * Adds the new files to the list before the first new file is written. If the publication then stops, a later run
   * finds the files in the list, and completes the publication or removes the files.
   */
  async announce(
    { record, isOwn }: ExistingRecord<FileList>,
    facts: ArchiveFacts,
    paths: readonly string[],
    { warn }: Pick<BundleSource, "warn">,
    signal: AbortSignal,
  ): Promise<void> {
    if (!isOwn && this.isInState) {
      warn(`${this.changedText}: files of an earlier version may remain there.`);
    }
    const next = { ...recordFactsOf(this.owner, facts), files: [] };
    // Until the publication is complete, the list describes the earlier version, and also has the paths of the new
    // files. So a removal of the earlier version also removes the new files.
    const base: Omit<FileList, "seals"> = record && isOwn ? { ...record, owner: next.owner } : next;
    const listed = new Set(base.files.map(({ path }) => path));
    const pending = [...new Set([...(base.pending ?? []), ...paths])].filter((path) => !listed.has(path));
    await this.write({ ...base, pending }, false, signal);
  }

  complete(facts: ArchiveFacts, files: PublishedFile[], signal: AbortSignal): Promise<void> {
    return this.write({ ...recordFactsOf(this.owner, facts), files }, true, signal);
  }
}

/**
 * Compares the files at a destination with a sealed list. A file whose revision has changed is compared by its sha256.
 */
async function compare({ files, pending }: FileList, store: Store): Promise<Inspection> {
  if (pending) {
    return { kind: "differs", what: unfinishedPublication };
  }
  const found = await store.stat(files.map(({ path }) => path));
  const differing: string[] = [];
  for (const { path, sizeBytes, sha256, revision } of files) {
    const there = found.get(path);
    const isSame =
      there?.sizeBytes === sizeBytes && (there.revision === revision || (await store.sha256(path)) === sha256);
    if (!isSame) {
      differing.push(path);
    }
  }
  return differing.length === 0 ? { kind: "same" } : { kind: "differs", what: describeDifference(differing) };
}
