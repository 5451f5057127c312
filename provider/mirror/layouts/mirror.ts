import type { DocsPlatformError } from "../../support/errors";
import type { PublicKeyInState, WantedAndEarlierKeys } from "../signing/signImage";
import {
  addHmacSeals,
  filesOfOthersError,
  isSealedByPublicationInState,
  type MirrorOwner,
  requireOwnDestination,
} from "./mirrorOwner";
import type { MirroredArchiveFields, MirrorRecordFields } from "./mirrorRecordFields";
import type { OuterFolderDecision, SiteSource } from "./outerFolder";

export interface MirroredContent extends MirroredArchiveFields {
  digest?: string | undefined;
  signed?: PublicKeyInState | undefined;
  /** The decision about the folder around a site. Undefined with the layout `archive`. */
  outerFolder?: OuterFolderDecision | undefined;
}

export interface PublishResult extends MirroredContent {
  /** The reason why the publication did not complete. */
  stopped?: DocsPlatformError;
}

export type MirrorInspectionResult =
  | { kind: "missing" }
  | { kind: "differs"; what: string }
  | { kind: "same"; unsigned?: string | undefined };

export const unfinishedPublicationText = "the publication did not complete";

export interface MirrorRecordFindResult<R> {
  /** The record at the destination. Anybody may have written it, unless `isOwn` is true. */
  record: R | undefined;
  isUnreadable: boolean;
  /** True if the record has the seal of the publication that the state names. */
  isOwn: boolean;
}

/**
 * A mirror at its place: a destination, or a tag in an image repository. A record at the place names the mirror and its
 * content. The record is written before the content, and removed after the content. Anybody may have written the
 * record. So the mirror trusts only a record with a seal whose secret is in the state.
 */
export abstract class Mirror<R extends MirrorRecordFields = MirrorRecordFields> {
  /** True if the state names this place as the mirror's own. */
  readonly isInState: boolean;

  /**
   * @param recordName the record's name at the destination.
   * @param nameInState the record's name in a state.
   * @param remedy the advice in an error about another owner's content, without a full stop.
   */
  constructor(
    readonly owner: MirrorOwner,
    readonly recordName: string,
    nameInState: string,
    readonly remedy: string,
  ) {
    this.isInState = owner.saved?.files.includes(nameInState) ?? false;
  }

  /**
   * Stores the bundle. If it throws, the destination has no file of the new bundle, and the earlier files are
   * unchanged. Only images use `signing`.
   */
  abstract put(source: SiteSource, signal: AbortSignal, signing?: WantedAndEarlierKeys): Promise<PublishResult>;
  sign?(mirrored: MirroredContent, signing: WantedAndEarlierKeys, signal: AbortSignal): Promise<MirroredContent>;
  /** Returns the unsigned address of a mirrored bundle. It is known after `put`. */
  abstract address(mirrored: MirroredContent): string;

  /** @returns undefined if there is no record, and "unreadable" if something else has the record's name. */
  protected abstract readRecord(): Promise<R | "unreadable" | undefined>;
  protected abstract writeRecord(record: R, signal: AbortSignal): Promise<void>;
  /** Returns true if the destination has anything that this mirror may have written. */
  protected abstract hasContent(mirrored: MirroredContent): Promise<boolean>;
  protected abstract compare(record: R, mirrored: MirroredContent): Promise<MirrorInspectionResult>;
  /** Removes the content that `record` names, then the record itself, so that a failed removal can be repeated. */
  protected abstract removeContent(record: R, mirrored: MirroredContent, warn: (text: string) => void): Promise<void>;

  async find(): Promise<MirrorRecordFindResult<R>> {
    const found = await this.readRecord();
    const record = found === "unreadable" ? undefined : found;
    return {
      record,
      isUnreadable: found === "unreadable",
      isOwn: record !== undefined && isSealedByPublicationInState(record, this.owner),
    };
  }

  /** @throws DestinationError if the place belongs to another mirror, or something else has the record's name. */
  async findOwn(): Promise<MirrorRecordFindResult<R>> {
    const existing = await this.find();
    if (existing.isUnreadable && !this.isInState) {
      throw filesOfOthersError([this.recordName], this.remedy);
    }
    requireOwnDestination(existing.record, this.owner, this.recordName);
    return existing;
  }

  async isUsed(): Promise<boolean> {
    return (await this.find()).record !== undefined;
  }

  /** @param isPublished true when the whole content is at the place. */
  write(record: Omit<R, "seals">, isPublished: boolean, signal: AbortSignal): Promise<void> {
    return this.writeRecord(addHmacSeals(record, this.owner, isPublished) as unknown as R, signal);
  }

  async inspect(mirrored: MirroredContent): Promise<MirrorInspectionResult> {
    const { record, isOwn } = await this.find();
    if (!isOwn && !(await this.hasContent(mirrored))) {
      return { kind: "missing" };
    }
    if (record === undefined || !isOwn) {
      return { kind: "differs", what: this.changedText };
    }
    return record.jobId === this.owner.jobId && record.sha256 === mirrored.sha256
      ? this.compare(record, mirrored)
      : { kind: "differs", what: `the record at the destination (${this.recordName}) is of another bundle` };
  }

  /**
   * Removes the mirror's files if the record belongs to the publication that the state names.
   * @param warn gets a text about files of this mirror that may remain.
   */
  async remove(mirrored: MirroredContent, warn: (text: string) => void): Promise<void> {
    const { record, isUnreadable, isOwn } = await this.find();
    if (record !== undefined && isOwn) {
      await this.removeContent(record, mirrored, warn);
    } else if (record !== undefined || isUnreadable || (await this.hasContent(mirrored))) {
      warn(
        `nothing was removed: ${this.changedText}. If no later publication of the same resource has replaced it, remove the files of this mirror by hand.`,
      );
    }
  }

  get changedText(): string {
    return `the record at the destination (${this.recordName}) is not the one that this mirror wrote`;
  }
}
