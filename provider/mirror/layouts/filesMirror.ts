import type { FileOrObjectStore } from "../../storage/store";
import type { BundleSource } from "../transfer/openArchive";
import { listOwnedPaths, type MirroredFileList, type PublishedFile, readFileList, writeFileList } from "./fileList";
import { Mirror, type MirrorInspectionResult, type MirrorRecordFindResult, unfinishedPublicationText } from "./mirror";
import type { MirrorOwner } from "./mirrorOwner";
import { type MirroredArchiveFields, toMirrorRecordFields } from "./mirrorRecordFields";

const shownFiles = 3;

export abstract class FilesMirror extends Mirror<MirroredFileList> {
  constructor(
    protected readonly store: FileOrObjectStore,
    owner: MirrorOwner,
    listName: string,
    remedy: string,
  ) {
    super(owner, listName, listName, remedy);
  }

  protected pathsIn({ record, isOwn }: MirrorRecordFindResult<MirroredFileList>): string[] {
    return record && isOwn ? listOwnedPaths(record) : [];
  }

  /** Called before the first new file is written, so that a later run finds the files if the publication stops. */
  protected async announce(
    { record, isOwn }: MirrorRecordFindResult<MirroredFileList>,
    facts: MirroredArchiveFields,
    paths: readonly string[],
    { warn }: Pick<BundleSource, "warn">,
    signal: AbortSignal,
  ): Promise<void> {
    if (!isOwn && this.isInState) {
      warn(`${this.changedText}: files of an earlier version may remain there.`);
    }
    const next = { ...toMirrorRecordFields(this.owner, facts), files: [] };
    // Until the publication is complete, the list has the earlier files and the new paths. So a removal finds the new
    // files, too.
    const base: Omit<MirroredFileList, "seals"> = record && isOwn ? { ...record, owner: next.owner } : next;
    const listed = new Set(base.files.map(({ path }) => path));
    const pending = [...new Set([...(base.pending ?? []), ...paths])].filter((path) => !listed.has(path));
    await this.write({ ...base, pending }, false, signal);
  }

  protected complete(facts: MirroredArchiveFields, files: PublishedFile[], signal: AbortSignal): Promise<void> {
    return this.write({ ...toMirrorRecordFields(this.owner, facts), files }, true, signal);
  }

  protected readRecord(): Promise<MirroredFileList | "unreadable" | undefined> {
    return readFileList(this.store, this.recordName);
  }

  protected writeRecord(list: MirroredFileList, signal: AbortSignal): Promise<void> {
    return writeFileList(this.store, this.recordName, list, signal);
  }

  protected async removeContent(list: MirroredFileList): Promise<void> {
    await this.store.remove(listOwnedPaths(list));
    await this.store.remove([this.recordName]);
  }

  /** A file whose revision has changed is compared by its sha256. */
  protected async compare({ files, pending }: MirroredFileList): Promise<MirrorInspectionResult> {
    if (pending) {
      return { kind: "differs", what: unfinishedPublicationText };
    }
    const found = await this.store.stat(files.map(({ path }) => path));
    const differing: string[] = [];
    for (const { path, sizeBytes, sha256, revision } of files) {
      const there = found.get(path);
      const isSame =
        there?.sizeBytes === sizeBytes && (there.revision === revision || (await this.store.sha256(path)) === sha256);
      if (!isSame) {
        differing.push(path);
      }
    }
    return differing.length === 0 ? { kind: "same" } : { kind: "differs", what: describeDifference(differing) };
  }
}

function describeDifference(paths: readonly string[]): string {
  const more = paths.length > shownFiles ? ` and ${paths.length - shownFiles} more` : "";
  const count = paths.length === 1 ? "1 file differs" : `${paths.length} files differ`;
  return `${count}: ${paths.slice(0, shownFiles).join(", ")}${more}`;
}
