import type { AttemptLimits } from "./attempt";
import { AzureBlobs } from "./azblob/objects";
import type { Destination } from "./destination";
import type { FileDestination } from "./file/destination";
import { FileStore } from "./file/store";
import { type ObjectClient, ObjectStore } from "./objectStore";
import type { OciDestination } from "./oci/destination";
import type { OciLayoutDestination } from "./oci-layout/destination";
import { S3Objects } from "./s3/objects";

export type ObjectDestination = Exclude<Destination, FileDestination | OciDestination | OciLayoutDestination>;

export interface StoreOptions extends AttemptLimits {
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

export function openStore(
  destination: FileDestination | ObjectDestination,
  options: StoreOptions,
): FileStore | ObjectStore {
  return destination.kind === "file"
    ? new FileStore(destination, options.signal)
    : openObjectStore(destination, options);
}

export function openObjectStore(destination: ObjectDestination, options: StoreOptions): ObjectStore {
  const create = clients[destination.kind] as (destination: ObjectDestination, options: StoreOptions) => ObjectClient;
  return new ObjectStore(create(destination, options), options);
}
