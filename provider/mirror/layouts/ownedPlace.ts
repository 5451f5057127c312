import {
  filesOfOthersError,
  hasSavedPublicationSeal,
  type MirrorOwner,
  requireOwnPlace,
  sealRecord,
} from "./mirrorOwner";
import type { Inspection, MirroredContent, OpenedMirror } from "./openedMirror";
import type { RecordFacts } from "./recordFacts";

export interface ExistingRecord<R> {
  /** The record at the destination. Without the right seal, it does not prove who wrote it. */
  record: R | undefined;
  isUnreadable: boolean;
  /** True if the record has the seal of the publication that the state names. */
  isOwn: boolean;
}

/** A record together with the content that it describes: a list with the files, or a tag's record with the image. */
interface RecordedContent<R> {
  recordName: string;
  /** The remedy if the destination has content of another owner. The text ends without a full stop. */
  remedy: string;
  /** @returns undefined if there is no record, and "unreadable" if something else has the record's name. */
  read(): Promise<R | "unreadable" | undefined>;
  write(record: R, signal: AbortSignal): Promise<void>;
  /** Returns true if the destination has anything that this mirror may have written. */
  isThere(mirrored: MirroredContent): Promise<boolean>;
  /** Compares the content with a record of this mirror. */
  compare(record: R, mirrored: MirroredContent): Promise<Inspection>;
  /**
   * Removes the content that a record of this mirror names. The record is removed last, so that a failed removal can be
   * repeated.
   */
  remove(record: R, mirrored: MirroredContent, warn: (text: string) => void): Promise<void>;
}

/**
 * The place of one mirror: a destination, or a tag in it. A record there names the mirror and its content. The mirror
 * writes the record before the content, and removes the record after the content. Anybody may have written the record.
 * So the record permits nothing without the seal of the publication that the state names.
 */
export class OwnedPlace<R extends RecordFacts> {
  /** True if the state names this place as the mirror's own. */
  readonly isInState: boolean;

  /** @param nameInState the name of the record in a state. */
  constructor(
    readonly content: RecordedContent<R>,
    readonly owner: MirrorOwner,
    nameInState: string,
  ) {
    this.isInState = owner.saved?.files.includes(nameInState) ?? false;
  }

  async find(): Promise<ExistingRecord<R>> {
    const found = await this.content.read();
    const record = found === "unreadable" ? undefined : found;
    return {
      record,
      isUnreadable: found === "unreadable",
      isOwn: record !== undefined && hasSavedPublicationSeal(record, this.owner),
    };
  }

  /** @throws DestinationError if the place belongs to another mirror, or something else has the record's name. */
  async findOwn(): Promise<ExistingRecord<R>> {
    const { recordName, remedy } = this.content;
    const existing = await this.find();
    if (existing.isUnreadable && !this.isInState) {
      throw filesOfOthersError([recordName], remedy);
    }
    requireOwnPlace(existing.record, this.owner, recordName);
    return existing;
  }

  /** @param isPublished true when the whole content is at the place. */
  write(record: Omit<R, "seals">, isPublished: boolean, signal: AbortSignal): Promise<void> {
    return this.content.write(sealRecord(record, this.owner, isPublished) as unknown as R, signal);
  }

  async inspect(mirrored: MirroredContent): Promise<Inspection> {
    const { record, isOwn } = await this.find();
    if (!isOwn && !(await this.content.isThere(mirrored))) {
      return { kind: "missing" };
    }
    if (record === undefined || !isOwn) {
      return { kind: "differs", what: this.changedText };
    }
    return record.jobId === this.owner.jobId && record.sha256 === mirrored.sha256
      ? this.content.compare(record, mirrored)
      : { kind: "differs", what: `the record at the destination (${this.content.recordName}) is of another bundle` };
  }

  /**
   * Removes the content that a record of this mirror names. If the record belongs to another mirror, nothing is
   * removed.
   */
  async remove(mirrored: MirroredContent, warn: (text: string) => void): Promise<void> {
    const { record, isUnreadable, isOwn } = await this.find();
    const { content } = this;
    if (record !== undefined && isOwn) {
      await content.remove(record, mirrored, warn);
    } else if (record !== undefined || isUnreadable || (await content.isThere(mirrored))) {
      warn(
        `nothing was removed: ${this.changedText}. If no later publication of the same resource has replaced it, remove the files of this mirror by hand.`,
      );
    }
  }

  get changedText(): string {
    return `the record at the destination (${this.content.recordName}) is not the one that this mirror wrote`;
  }
}

/** Returns the methods of a mirror that are the same in all layouts. */
export function ownedPlaceMethods<R extends RecordFacts>(
  placeOf: (owner: MirrorOwner) => OwnedPlace<R>,
): Pick<OpenedMirror, "inspect" | "isUsed" | "remove"> {
  return {
    inspect: (owner, mirrored) => placeOf(owner).inspect(mirrored),
    isUsed: async (owner) => (await placeOf(owner).find()).record !== undefined,
    remove: (owner, mirrored, warn) => placeOf(owner).remove(mirrored, warn),
  };
}
