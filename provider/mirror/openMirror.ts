import type { Destination } from "../storage/destination";
import { OciStore } from "../storage/oci/store";
import { openStore, type StoreOptions } from "../storage/openStore";
import type { Store } from "../storage/store";
import { archiveLayout } from "./layouts/archiveLayout";
import { entryPointName, type LayoutName } from "./layouts/fileNames";
import { imageLayouts } from "./layouts/imageLayout";
import type { Inspection, Layout, Mirrored, Removal } from "./layouts/layout";
import type { MirrorOwner } from "./layouts/mirrorOwner";
import { siteLayout } from "./layouts/siteLayout";
import type { Source } from "./transfer/source";

/** The layout of a mirror over the store of its destination; the methods are those of `Layout`. */
export interface OpenMirror {
  put(source: Source, owner: MirrorOwner, signal: AbortSignal): Promise<Mirrored>;
  inspect(owner: MirrorOwner, mirrored: Mirrored): Promise<Inspection>;
  repair(owner: MirrorOwner, mirrored: Mirrored, signal: AbortSignal): Promise<Mirrored | undefined>;
  remove(owner: MirrorOwner, mirrored: Mirrored, removal: Removal): Promise<void>;
  /** The address of a mirrored bundle, without a signature; known after `put`. */
  address(jobId: string, mirrored: Mirrored): string;
  close(): void;
}

/** @throws DestinationError if a package that the store needs is not installed. */
export function openMirror(destination: Destination, layout: LayoutName, options: StoreOptions): OpenMirror {
  if (destination.kind === "oci") {
    const store = new OciStore(destination, options.signal);
    return bind(imageLayouts[layout], store, (_, { revision }) => store.reference(`@${revision}`));
  }
  return mirrorIn(openStore(destination, options), layout);
}

/** A mirror in a folder or a bucket. */
export function mirrorIn(store: Store, layout: LayoutName): OpenMirror {
  const address: OpenMirror["address"] = (jobId, { format }) => store.address(entryPointName(layout, jobId, format));
  return bind(layout === "site" ? siteLayout : archiveLayout, store, address);
}

function bind<S extends { close(): void }>(layout: Layout<S>, store: S, address: OpenMirror["address"]): OpenMirror {
  return {
    put: (source, owner, signal) => layout.put(source, owner, store, signal),
    inspect: (owner, mirrored) => layout.inspect(owner, mirrored, store),
    repair: (owner, mirrored, signal) => layout.repair(owner, mirrored, store, signal),
    remove: (owner, mirrored, removal) => layout.remove(owner, mirrored, store, removal),
    address,
    close: () => store.close(),
  };
}
