import { randomBytes } from "node:crypto";
import type { Destination } from "../storage/destination";
import { OciStore } from "../storage/oci/store";
import { openStore, type StoreOptions } from "../storage/openStore";
import type { Store } from "../storage/store";
import { hasEnded, processName } from "../support/processes";
import { systemClock } from "../support/time/clock";
import { archiveLayout } from "./layouts/archiveLayout";
import { entryPointName, type LayoutName } from "./layouts/fileNames";
import { imageLayouts } from "./layouts/imageLayout";
import type { Inspection, Layout, Mirrored, Removal } from "./layouts/layout";
import type { MirrorOwner } from "./layouts/mirrorOwner";
import { siteLayout } from "./layouts/siteLayout";
import { type LeaseHolder, Leases, scopeOf } from "./leases";
import { areaOf, Places } from "./places";
import type { Source } from "./transfer/source";

/** The layout of a mirror over the store of its destination. The methods are those of `Layout`; what writes is alone there. */
export interface OpenMirror {
  isUsed(owner: MirrorOwner): Promise<boolean>;
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
  const at: At = { destination, layout, places, holder: thisProcess() };
  if (destination.kind === "oci") {
    const store = new OciStore(destination, options.signal);
    const address: OpenMirror["address"] = (_, { revision }) => store.reference(`@${revision}`);
    return bind(imageLayouts[layout], store, at, address, (_, signal, work) => work(signal));
  }
  return mirrorIn(openStore(destination, options), at);
}

function thisProcess(): LeaseHolder {
  return { clock: systemClock, newId: () => randomBytes(6).toString("hex"), name: processName(), hasEnded };
}

interface At {
  destination: Destination;
  layout: LayoutName;
  /** The places of the process. */
  places: Places;
  holder: LeaseHolder;
}

/** A mirror in a folder or a bucket. */
export function mirrorIn(store: Store, at: At): OpenMirror {
  const { layout } = at;
  const address: OpenMirror["address"] = (jobId, { format }) => store.address(entryPointName(layout, jobId, format));
  const leases = new Leases(store, at.holder);
  return bind(layout === "site" ? siteLayout : archiveLayout, store, at, address, ({ jobId }, ...work) =>
    leases.alone(scopeOf(layout, jobId), ...work),
  );
}

/** Runs work while no other process works at the mirror's place. */
type Lease = <T>(
  owner: MirrorOwner,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
  onWait?: () => void,
) => Promise<T>;

function bind<S extends { close(): void }>(
  layout: Layout<S>,
  store: S,
  at: At,
  address: OpenMirror["address"],
  lease: Lease,
): OpenMirror {
  const { places } = at;
  const alone: Lease = (owner, signal, work, onWait) =>
    places.alone(
      areaOf(at.destination, at.layout, owner.jobId),
      signal,
      () => lease(owner, signal, work, onWait),
      onWait,
    );
  return {
    isUsed: (owner) => layout.isUsed(owner, store),
    put(source, owner, signal) {
      const onWait = () => source.status(`waiting for another mirror at this place, mirroring job ${owner.jobId}`);
      return alone(owner, signal, (until) => layout.put(source, owner, store, until), onWait);
    },
    inspect: (owner, mirrored) => layout.inspect(owner, mirrored, store),
    repair: (owner, mirrored, signal) => alone(owner, signal, (until) => layout.repair(owner, mirrored, store, until)),
    async remove(owner, mirrored, removal) {
      // A lease at a place that is gone would make it anew.
      if (await layout.isUsed(owner, store)) {
        await alone(owner, removal.signal, (signal) => layout.remove(owner, mirrored, store, { ...removal, signal }));
      }
    },
    address,
    close: () => store.close(),
  };
}
