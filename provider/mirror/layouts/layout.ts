import type { DocsPlatformError } from "../../support/errors";
import type { Signed, Signing } from "../signing/signImage";
import type { MirrorOwner } from "./mirrorOwner";
import type { OuterFolder, SiteSource } from "./outerFolder";
import type { ArchiveFacts } from "./record";

export interface Mirrored extends ArchiveFacts {
  digest?: string | undefined;
  signed?: Signed | undefined;
  /** The decision for a site; undefined for an archive. */
  outerFolder?: OuterFolder | undefined;
}

export interface Published extends Mirrored {
  /**
   * Why only a part of the site was published. The list has the files of both versions, and the next put completes it.
   */
  stopped?: DocsPlatformError;
}

export type Inspection =
  | { kind: "missing" }
  | { kind: "differs"; what: string }
  | { kind: "same"; unsigned?: string | undefined };

export interface OpenMirror {
  /**
   * Stores the bundle. After an error, the place has no file of the new bundle, and the earlier files are unchanged.
   * @param signing how the image is to be signed. Only images have signatures.
   */
  put(source: SiteSource, owner: MirrorOwner, signal: AbortSignal, signing?: Signing): Promise<Published>;
  inspect(owner: MirrorOwner, mirrored: Mirrored): Promise<Inspection>;
  sign?(owner: MirrorOwner, mirrored: Mirrored, signing: Signing, signal: AbortSignal): Promise<Mirrored>;
  isUsed(owner: MirrorOwner): Promise<boolean>;
  /**
   * Removes the files of the publication that the state names. If the record at the place belongs to another
   * publication, removes nothing.
   * @param warn called with a description of files that may be the owner's, and stay.
   */
  remove(owner: MirrorOwner, mirrored: Mirrored, warn: (text: string) => void): Promise<void>;
  /** Returns the address of a mirrored bundle, without a signature. The address is known after `put`. */
  address(jobId: string, mirrored: Mirrored): string;
  close(): void;
}

const namedFiles = 3;

export const unfinishedPublication = "the publication did not complete";

export function describeDifference(paths: readonly string[]): string {
  const more = paths.length > namedFiles ? ` and ${paths.length - namedFiles} more` : "";
  const count = paths.length === 1 ? "1 file differs" : `${paths.length} files differ`;
  return `${count}: ${paths.slice(0, namedFiles).join(", ")}${more}`;
}
