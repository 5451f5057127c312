import type { AttemptLimits } from "./attempt";
import { AzureBlobs } from "./azblob/client";
import type { Destination } from "./destination";
import type { FileDestination } from "./file/destination";
import { FileStore } from "./file/store";
import type { ImageStore } from "./imageStore";
import { type ObjectClient, ObjectStore } from "./objectStore";
import type { OciDestination } from "./oci/destination";
import { OciStore } from "./oci/store";
import type { OciLayoutDestination } from "./oci-layout/destination";
import { OciLayoutStore } from "./oci-layout/store";
import { S3Objects } from "./s3/client";
import type { Store } from "./store";

export type ObjectDestination = Exclude<Destination, FileDestination | OciDestination | OciLayoutDestination>;

export interface StoreOptions extends AttemptLimits {
  /** True if plain http within this machine is allowed. */
  plainLoopback: boolean;
}

const clients: {
  [Kind in ObjectDestination["kind"]]: (
    destination: Extract<ObjectDestination, { kind: Kind }>,
    options: StoreOptions,
  ) => ObjectClient;
} = {
  s3: (destination, options) => new S3Objects(destination, options),
  azblob: (destination, options) => new AzureBlobs(destination, options),
};

export function openStore(destination: Destination, options: StoreOptions): Store | ImageStore {
  switch (destination.kind) {
    case "file":
      return new FileStore(destination, options.signal);
    case "oci":
      return new OciStore(destination, options);
    case "oci-layout":
      return new OciLayoutStore(destination, options.signal);
    default:
      return openObjectStore(destination, options);
  }
}

/** @throws DestinationError if a package that the store needs is not installed. */
export function openObjectStore(destination: ObjectDestination, options: StoreOptions): ObjectStore {
  const create = clients[destination.kind] as (destination: ObjectDestination, options: StoreOptions) => ObjectClient;
  return new ObjectStore(create(destination, options), options);
}
