import type { S3Client } from "@aws-sdk/client-s3";
import { isSafeAddress } from "../../../support/address";
import { DestinationError } from "../../../support/errors";
import type { S3Destination } from "../destination";
import type { S3Sdk } from "./sdk";

const connectTimeout = 10_000;
/** S3 may be at work for minutes to join the parts of a large object; milliseconds. */
const idleTimeout = 300_000;

/** What we use of a request as the SDK sends it. */
interface SentRequest {
  protocol: string;
  hostname: string;
  port?: number;
  path: string;
}

export interface S3ClientOptions {
  /** Whether plain http within this machine will do. */
  plainLoopback: boolean;
  /** Called with the address of each object that is asked for, without its query. */
  onAddress(address: string, key: string): void;
}

/** A client that sends to no address that is not safe, wherever the endpoint was given: the SDK reads several places. */
export function createS3Client(sdk: S3Sdk, destination: S3Destination, options: S3ClientOptions): S3Client {
  const { region, endpoint } = destination;
  if (endpoint !== undefined && !isSafeAddress(new URL(endpoint), options)) {
    throw unsafeEndpoint(destination, new URL(endpoint).hostname);
  }
  const client = new sdk.S3Client({
    ...(region !== undefined && { region }),
    // Servers other than those of AWS rarely have a host name for each bucket.
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
    // Each part's sha256 is in its signature already; a further checksum costs time, and some servers do not take it.
    requestChecksumCalculation: "WHEN_REQUIRED",
    requestHandler: { connectionTimeout: connectTimeout, socketTimeout: idleTimeout },
  });
  client.middlewareStack.add(
    (next) => async (step) => {
      const { protocol, hostname, port, path } = step.request as SentRequest;
      if (!isSafeAddress({ protocol, hostname }, options)) {
        throw unsafeEndpoint(destination, hostname);
      }
      const { Key: key } = step.input as { Key?: string };
      if (key !== undefined) {
        options.onAddress(`${protocol}//${hostname}${port === undefined ? "" : `:${port}`}${path}`, key);
      }
      return next(step);
    },
    { step: "finalizeRequest", priority: "high", name: "safeAddress" },
  );
  return client;
}

function unsafeEndpoint({ bucket }: S3Destination, hostname: string): DestinationError {
  return new DestinationError({
    happened: `the bucket ${bucket} would be reached by plain http at ${hostname}.`,
    remedy:
      "give an https endpoint: plain http is for an endpoint and a platform (DOCS_PLATFORM_BASE_URL) on this machine.",
  });
}
