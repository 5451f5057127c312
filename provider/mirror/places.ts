import type { Destination } from "../storage/destination";
import { unlessInterrupted } from "../support/abort";
import { collisionKey } from "./archive/uniquePaths";
import { type LayoutName, manifestName } from "./layouts/fileNames";
import { recordTagOf, tagOf } from "./layouts/imageTags";

interface Visit {
  area: string;
  ended: Promise<void>;
}

/**
 * The places at which the mirrors of a process work at the moment. A mirror reads there what others have written, and then
 * writes: two that did so at the same time would overwrite each other's manifest. Leases do the same between processes.
 */
export class Places {
  readonly #visits = new Set<Visit>();

  /**
   * Runs the work as soon as all earlier work at the same area, in it, or around it has ended.
   * @param onWait called if there is such work.
   * @throws the error of `stopError` if the signal aborts before.
   */
  async alone<T>(area: string, signal: AbortSignal, work: () => Promise<T>, onWait = () => {}): Promise<T> {
    const earlier = [...this.#visits].filter((visit) => visit.area.startsWith(area) || area.startsWith(visit.area));
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const visit = { area, ended };
    this.#visits.add(visit);
    try {
      if (earlier.length > 0) {
        onWait();
        await unlessInterrupted(Promise.all(earlier.map((one) => one.ended)), signal);
      }
      return await work();
    } finally {
      this.#visits.delete(visit);
      end();
    }
  }
}

/** Where a mirror writes. The area of a site begins the area of whatever lies in it; the archives of two jobs are apart. */
export function areaOf(destination: Destination, layout: LayoutName, jobId: string): string {
  const name = layout === "site" ? "" : manifestName(jobId);
  switch (destination.kind) {
    case "file":
      return collisionKey(`file ${destination.folder}/${name}`);
    // One bucket may have several addresses: another mirror waits in vain at worst.
    case "s3":
      return `s3 ${destination.bucket}/${destination.prefix}${name}`;
    case "azblob":
      return `azblob ${destination.account}/${destination.container}/${destination.prefix}${name}`;
    case "oci":
      return `oci ${destination.registry}/${destination.repository}:${recordTagOf(tagOf(layout, jobId))}`;
  }
}
