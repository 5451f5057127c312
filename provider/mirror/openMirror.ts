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
import { areaOf, Places } from "./places";
import type { Source } from "./transfer/source";

/** The layout of a mirror over the store of its destination. The methods are those of `Layout`; what writes is alone there. */
export interface OpenMirror {
  put(source: Source, owner: MirrorOwner, signal: AbortSignal): Promise<Mirrored>;
  inspect(owner: MirrorOwner, mirrored: Mirrored): Promise<Inspection>;
  repair(owner: MirrorOwner, mirrored: Mirrored, signal: AbortSignal): Promise<Mirrored | undefined>;
  remove(owner: MirrorOwner, mirrored: Mirrored, removal: Removal): Promise<void>;
  /** Returns the address of a mirrored bundle, without a signature. The address is known after `put`. */
  address(jobId: string, mirrored: Mirrored): string;
  close(): void;
}

/** Those of this process. */
const places = new Places();

/** @throws DestinationError if a package that the store needs is not installed. */
export function openMirror(destination: Destination, layout: LayoutName, options: StoreOptions): OpenMirror {
  const at: At = { destination, layout, places };
  if (destination.kind === "oci") {
    const store = new OciStore(destination, options.signal);
    return bind(imageLayouts[layout], store, at, (_, { revision }) => store.reference(`@${revision}`));
  }
  return mirrorIn(openStore(destination, options), at);
}

interface At {
  destination: Destination;
  layout: LayoutName;
  /** The places of the process. */
  places: Places;
}

/** A mirror in a folder or a bucket. */
export function mirrorIn(store: Store, at: At): OpenMirror {
  const { layout } = at;
  const address: OpenMirror["address"] = (jobId, { format }) => store.address(entryPointName(layout, jobId, format));
  return bind(layout === "site" ? siteLayout : archiveLayout, store, at, address);
}

function bind<S extends { close(): void }>(
  layout: Layout<S>,
  store: S,
  at: At,
  address: OpenMirror["address"],
): OpenMirror {
  const area = ({ jobId }: MirrorOwner) => areaOf(at.destination, at.layout, jobId);
  const { places } = at;
  return {
    put(source, owner, signal) {
      const onWait = () => source.status(`waiting for another mirror at this place, mirroring job ${owner.jobId}`);
      return places.alone(area(owner), signal, () => layout.put(source, owner, store, signal), onWait);
    },
    inspect: (owner, mirrored) => layout.inspect(owner, mirrored, store),
    repair: (owner, mirrored, signal) =>
      places.alone(area(owner), signal, () => layout.repair(owner, mirrored, store, signal)),
    remove: (owner, mirrored, removal) =>
      places.alone(area(owner), removal.signal, () => layout.remove(owner, mirrored, store, removal)),
    address,
    close: () => store.close(),
  };
}
