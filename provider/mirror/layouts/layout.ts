import type { Store } from "../stores/store";
import type { Source } from "../transfer/source";
import type { ArchiveFacts } from "./archiveManifest";
import type { MirrorOwner } from "./mirrorOwner";

/** A mirrored bundle, as the state keeps it. */
export interface Mirrored extends ArchiveFacts {
  /** Of an archive: see `ObjectInfo`. */
  revision?: string;
  /** Of an archive: the size of its manifest. */
  manifestBytes?: number;
}

/** What a look at a mirrored bundle has found, without a transfer. */
export type Inspection = { kind: "missing" } | { kind: "differs" } | { kind: "same"; mirrored: Mirrored };

/** How a bundle lies at its destination. */
export interface Layout {
  /** Puts it there, whole or not at all. */
  put(source: Source, owner: MirrorOwner, store: Store, signal: AbortSignal): Promise<Mirrored>;
  inspect(owner: MirrorOwner, mirrored: Mirrored, store: Store): Promise<Inspection>;
  /** Mends what can be mended without a transfer. @returns undefined where a transfer is needed. */
  repair(owner: MirrorOwner, mirrored: Mirrored, store: Store, signal: AbortSignal): Promise<Mirrored | undefined>;
  /**
   * Removes what the destination still has of this owner, and is not shared with others.
   * @param warn is told of what may be the owner's, and is left.
   */
  remove(owner: MirrorOwner, mirrored: Mirrored, store: Store, warn: (text: string) => void): Promise<void>;
}
