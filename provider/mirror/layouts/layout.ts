import type { Store } from "../../storage/store";
import type { Source } from "../transfer/source";
import type { ArchiveFacts } from "./archiveManifest";
import type { MirrorOwner } from "./mirrorOwner";

/** A mirrored bundle, as the state describes it. */
export interface Mirrored extends ArchiveFacts {
  /**
   * The revision of the stored content: for an archive, see `ObjectInfo`; for a site, a digest of the revisions of its
   * files; in a registry, the digest of the image.
   */
  revision?: string;
  /** For a site only: see `listDigest`. */
  files?: string;
}

/** The result of inspecting a mirrored bundle without a transfer. */
export type Inspection =
  | { kind: "missing" }
  /** `what` describes the difference for a person. */
  | { kind: "differs"; what: string }
  | { kind: "same"; mirrored: Mirrored };

/** How a bundle is stored at its destination. */
export interface Layout<S = Store> {
  /** Stores the bundle as a whole or not at all. */
  put(source: Source, owner: MirrorOwner, store: S, signal: AbortSignal): Promise<Mirrored>;
  inspect(owner: MirrorOwner, mirrored: Mirrored, store: S): Promise<Inspection>;
  /**
   * Repairs everything that needs no transfer.
   * @returns undefined if a transfer is needed.
   */
  repair(owner: MirrorOwner, mirrored: Mirrored, store: S, signal: AbortSignal): Promise<Mirrored | undefined>;
  /** Returns true if the place may hold files of this owner, or of another mirror. */
  isUsed(owner: MirrorOwner, store: S): Promise<boolean>;
  /** Removes this owner's files from the destination, except files that other mirrors share. */
  remove(owner: MirrorOwner, mirrored: Mirrored, store: S, removal: Removal): Promise<void>;
}

export interface Removal {
  /** Called with a description of files that may be the owner's, and stay. */
  warn(text: string): void;
  signal: AbortSignal;
}

/** The largest number of files that are named. */
const namedFiles = 3;

/** The difference in the state of a mirror that was published only in part. */
export const unfinishedPublication = "the publication did not complete";

/** Names the files that were changed or are missing. */
export function describeDifference(paths: readonly string[]): string {
  const more = paths.length > namedFiles ? ` and ${paths.length - namedFiles} more` : "";
  const count = paths.length === 1 ? "1 file differs" : `${paths.length} files differ`;
  return `${count}: ${paths.slice(0, namedFiles).join(", ")}${more}`;
}
