import type { S3Client } from "@aws-sdk/client-s3";
import { openStorageDispatcher } from "../../network/dispatcher";
import { baseUrl } from "../../settings/settingTable";
import { DestinationError } from "../../support/errors";
import { isSafeAddress } from "../../support/hostNames";
import { addSecret, addToken } from "../../support/redact";
import type { S3Destination, S3Sdk } from "./destination";
import { type SdkRequest, s3HttpHandler } from "./http";

export interface S3ClientOptions {
  /** True if plain http within this machine is allowed. */
  plainLoopback: boolean;
  /** Called with the address of each requested object, without its query. */
  onAddress?(address: string, key: string): void;
}

/**
 * Creates a client that sends to safe addresses only. The SDK reads endpoints from several places, so each request is
 * checked.
 */
export function createS3Client(sdk: S3Sdk, destination: S3Destination, options: S3ClientOptions): S3Client {
  const { region, endpoint } = destination;
  if (endpoint !== undefined && !isSafeAddress(new URL(endpoint), options)) {
    throw unsafeEndpoint(destination, new URL(endpoint).hostname);
  }
  const client = new sdk.S3Client({
    ...(region !== undefined && { region }),
    // Servers other than AWS rarely have a host name for each bucket.
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
    // The signature already contains each part's sha256. Another checksum costs time, and some servers refuse it.
    requestChecksumCalculation: "WHEN_REQUIRED",
    // Every request is repeated by the rule of all storages.
    maxAttempts: 1,
    // Our HTTP library does not wait for the server's consent before it sends a body.
    expectContinueHeader: false,
    requestHandler: s3HttpHandler(openStorageDispatcher()),
  });
  client.middlewareStack.add(
    (next) => async (step) => {
      const { protocol, hostname, port, path } = step.request as SdkRequest;
      if (!isSafeAddress({ protocol, hostname }, options)) {
        throw unsafeEndpoint(destination, hostname);
      }
      const { secretAccessKey, sessionToken = "" } = await client.config.credentials();
      addSecret(secretAccessKey);
      addToken(sessionToken);
      const { Key: key } = step.input as { Key?: string };
      if (key !== undefined) {
        options.onAddress?.(`${protocol}//${hostname}${port === undefined ? "" : `:${port}`}${path}`, key);
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
    remedy: `use an https endpoint: plain http is allowed only if the endpoint and the platform (${baseUrl.variable}) are both on this machine.`,
  });
}
