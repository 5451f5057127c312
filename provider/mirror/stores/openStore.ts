import type { Destination } from "./destination";
import { FileStore } from "./file/store";
import { S3Store } from "./s3/store";
import type { Store } from "./store";

/** @throws DestinationError if a package that the store needs is not installed. */
export function openStore(destination: Destination, options: { plainLoopback: boolean }): Store {
  return destination.kind === "file" ? new FileStore(destination) : new S3Store(destination, options);
}
