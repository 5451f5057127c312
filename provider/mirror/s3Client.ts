import type { S3Client } from "@aws-sdk/client-s3";
import { DestinationError } from "../support/errors";
import { isSafeAddress } from "./address";
import type { S3Destination } from "./destination";
import type { S3Sdk } from "./s3Sdk";

const connectTime = 10_000;
/** S3 may be at work for minutes to join the parts of a large object; milliseconds. */
const silentTime = 300_000;

/** A run that failed or was cancelled waits no longer than that until S3 has dropped what it has got; milliseconds. */
const takeBackTime = 10_000;

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
export function createS3Client({ s3 }: S3Sdk, destination: S3Destination, options: S3ClientOptions): S3Client {
  const { region, endpoint } = destination;
  if (endpoint !== undefined && !isSafeAddress(new URL(endpoint), options)) {
    throw unsafe(destination, new URL(endpoint).hostname);
  }
  const client = new s3.S3Client({
    ...(region !== undefined && { region }),
    // Servers other than those of AWS rarely have a host name for each bucket.
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
    // Each part's sha256 is in its signature already; a further checksum costs time, and some servers do not take it.
    requestChecksumCalculation: "WHEN_REQUIRED",
    requestHandler: { connectionTimeout: connectTime, socketTimeout: silentTime },
  });
  client.middlewareStack.add(
    (next) => async (step) => {
      const { protocol, hostname, port, path } = step.request as SentRequest;
      if (!isSafeAddress({ protocol, hostname }, options)) {
        throw unsafe(destination, hostname);
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

/**
 * The client as an upload uses it: what is sent of a part is given up when the signal aborts. What begins or ends an
 * upload is not, since only its answer tells what there is to take back; and that has its time.
 */
export function abortable(client: S3Client, { s3 }: S3Sdk, signal: AbortSignal): S3Client {
  const send: unknown = (command: Parameters<S3Client["send"]>[0]) => {
    if (command instanceof s3.UploadPartCommand) {
      return client.send(command, { abortSignal: signal });
    }
    return command instanceof s3.AbortMultipartUploadCommand
      ? client.send(command, { abortSignal: AbortSignal.timeout(takeBackTime) })
      : client.send(command);
  };
  return Object.assign(Object.create(client) as S3Client, { send });
}

function unsafe({ bucket }: S3Destination, hostname: string): DestinationError {
  return new DestinationError({
    happened: `the bucket ${bucket} would be reached by plain http at ${hostname}.`,
    remedy:
      "give an https endpoint: plain http is for an endpoint and a platform (DOCS_PLATFORM_BASE_URL) on this machine.",
  });
}
