import type { Store } from "../../storage/store";
import type { Source } from "../transfer/source";
import { type FileList, type PublishedFile, pathsOf, readFileList, writeFileList } from "./fileList";
import { describeDifference, type Inspection, type Mirrored, unfinishedPublication } from "./layout";
import type { MirrorOwner } from "./mirrorOwner";
import { type Existing, OwnedPlace } from "./ownedPlace";
import { type ArchiveFacts, factsOf } from "./record";

/** Files whose record is a list of them. */
export class OwnedFiles extends OwnedPlace<FileList> {
  /**
   * @param isThere returns true if the place has a file that this mirror may have written.
   * @param remedy the remedy if the place has files of others.
   */
  constructor(
    readonly store: Store,
    owner: MirrorOwner,
    readonly listName: string,
    isThere: (mirrored: Mirrored) => Promise<boolean>,
    remedy: string,
  ) {
    super(
      {
        ...{ recordName: listName, remedy, isThere },
        read: () => readFileList(store, listName),
        write: (list, signal) => writeFileList(store, listName, list, signal),
        compare: (list) => compare(list, store),
        async remove(list) {
          await store.remove(pathsOf(list));
          await store.remove([listName]);
        },
      },
      owner,
      listName,
    );
  }

  /** Returns the paths in a list that is this mirror's own. */
  static pathsIn({ record, isOwn }: Existing<FileList>): string[] {
    return record && isOwn ? pathsOf(record) : [];
  }

  /**
   * Lists the new files beside the earlier ones, before the first new file is written. If a publication stops after
   * this, the state keeps it, so that a later run completes or removes it.
   */
  async announce(
    { record, isOwn }: Existing<FileList>,
    facts: ArchiveFacts,
    paths: readonly string[],
    { warn }: Pick<Source, "warn">,
    signal: AbortSignal,
  ): Promise<void> {
    if (!isOwn && this.isInState) {
      warn(`${this.changedText}: files of an earlier version may remain there.`);
    }
    const next = { ...factsOf(this.owner, facts), files: [] };
    // Until the publication is complete, the list names the old job, so that the existing files can be removed as that
    // job's files.
    const base: Omit<FileList, "seals"> = record && isOwn ? { ...record, owner: next.owner } : next;
    const listed = new Set(base.files.map(({ path }) => path));
    const pending = [...new Set([...(base.pending ?? []), ...paths])].filter((path) => !listed.has(path));
    await this.write({ ...base, pending }, false, signal);
  }

  complete(facts: ArchiveFacts, files: PublishedFile[], signal: AbortSignal): Promise<void> {
    return this.write({ ...factsOf(this.owner, facts), files }, true, signal);
  }
}

/** Compares the files at a place with a sealed list. A file with a new revision is compared by sha256. */
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
