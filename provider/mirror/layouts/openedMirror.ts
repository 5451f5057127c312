import type { DocsPlatformError } from "../../support/errors";
import type { EarlierSigner, SigningKeys } from "../signing/signImage";
import type { MirrorOwner } from "./mirrorOwner";
import type { OuterFolder, SiteSource } from "./outerFolder";
import type { ArchiveFacts } from "./recordFacts";

export interface MirroredContent extends ArchiveFacts {
  digest?: string | undefined;
  signed?: EarlierSigner | undefined;
  /** The decision about the folder around a site. It is undefined for an archive. */
  outerFolder?: OuterFolder | undefined;
}

export interface PublishResult extends MirroredContent {
  /**
   * The reason why the publication did not complete. Until the next `put` completes the publication, a list of files
   * has the files of both versions.
   */
  stopped?: DocsPlatformError;
}

export type Inspection =
  | { kind: "missing" }
  | { kind: "differs"; what: string }
  | { kind: "same"; unsigned?: string | undefined };

export interface OpenedMirror {
  /**
   * Stores the bundle. If it throws, the destination has no file of the new bundle, and the earlier files are
   * unchanged.
   * @param signing the keys for the image's signatures. Only images have signatures.
   */
  put(source: SiteSource, owner: MirrorOwner, signal: AbortSignal, signing?: SigningKeys): Promise<PublishResult>;
  inspect(owner: MirrorOwner, mirrored: MirroredContent): Promise<Inspection>;
  sign?(
    owner: MirrorOwner,
    mirrored: MirroredContent,
    signing: SigningKeys,
    signal: AbortSignal,
  ): Promise<MirroredContent>;
  isUsed(owner: MirrorOwner): Promise<boolean>;
  /**
   * Removes the files of the publication that the state names. If the record at the destination belongs to another
   * publication, nothing is removed.
   * @param warn receives a description of files that stay, although they may belong to the owner.
   */
  remove(owner: MirrorOwner, mirrored: MirroredContent, warn: (text: string) => void): Promise<void>;
  /** Returns the address of a mirrored bundle. The address has no signature. It is known after `put`. */
  address(jobId: string, mirrored: MirroredContent): string;
  close(): void;
}

const namedFiles = 3;

export const unfinishedPublication = "the publication did not complete";

export function describeDifference(paths: readonly string[]): string {
  const more = paths.length > namedFiles ? ` and ${paths.length - namedFiles} more` : "";
  const count = paths.length === 1 ? "1 file differs" : `${paths.length} files differ`;
  return `${count}: ${paths.slice(0, namedFiles).join(", ")}${more}`;
}
