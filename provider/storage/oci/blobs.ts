import { DestinationError } from "../../support/errors";
import { timeLimits } from "../../support/time/timeLimits";
import { words } from "../../support/words";
import type { RegistryClient, RegistryRequest } from "./client";
import { isUploadLost, type RegistryAnswer, RegistryRefusalError, registryRefusalOf, saysMissing } from "./error";

const octets = { "content-type": "application/octet-stream" };

/**
 * Writes content as a blob, completely or not at all: the blob is invisible until the registry receives the digest. To
 * send the content and the digest in one request, the digest must be known before the first byte. It is known only
 * after the last byte. So one request sends the content as a stream, and a second request sends the digest.
 * @param digest returns the digest of the content. It is called after the last byte.
 * @param onBroken called if the stream broke, or if the registry has lost the upload. The whole content must then be
 * sent again, in a new upload.
 */
export async function writeBlob(
  client: RegistryClient,
  content: AsyncIterable<Buffer>,
  digest: () => string,
  signal: AbortSignal,
  onBroken: () => void,
): Promise<void> {
  let location = await begin(client, signal);
  try {
    const stream = { method: "PATCH", path: location, headers: octets, body: content, signal } as const;
    const sent = await client.send(stream).catch((error: unknown) => {
      onBroken();
      throw error;
    });
    location = locationOf(sent, location) ?? location;
    await complete(client, location, digest(), { signal });
  } catch (error) {
    if (isUploadLost(error)) {
      onBroken();
    }
    await abandon(client, location);
    throw error;
  }
}

export async function writeSmallBlob(client: RegistryClient, bytes: Buffer, digest: string, signal?: AbortSignal) {
  if (!(await hasBlob(client, digest, signal))) {
    await complete(client, await begin(client, signal), digest, { headers: octets, body: bytes, signal });
  }
}

/** Begins an upload and cancels it. */
export async function probeUploadPermission(client: RegistryClient, signal: AbortSignal): Promise<void> {
  await abandon(client, await begin(client, signal));
}

/** Begins an upload, and returns the address to which the content must be sent. */
async function begin(client: RegistryClient, signal: AbortSignal | undefined): Promise<URL> {
  const path = client.addressOf("blobs/uploads/");
  const location = locationOf(await client.send({ method: "POST", path, signal }), path);
  if (location === undefined) {
    throw new DestinationError({
      happened:
        "the registry accepts an upload, but names no place for it, as a read-only mirror of another registry does",
      remedy: `give the registry to which images are pushed; then run \`${words.run}\` again.`,
    });
  }
  return location;
}

/**
 * Completes an upload. It is no error if the registry refuses the request but has the blob: then an earlier attempt has
 * completed the upload, and only the answer was lost.
 */
async function complete(
  client: RegistryClient,
  location: URL,
  digest: string,
  request: Pick<RegistryRequest, "headers" | "body" | "signal">,
): Promise<void> {
  try {
    await client.send({ ...request, method: "PUT", path: withDigest(location, digest) });
  } catch (error) {
    if (!(error instanceof RegistryRefusalError) || !(await hasBlob(client, digest, request.signal))) {
      throw error;
    }
  }
}

/**
 * Returns true if the repository has a blob. A redirect also means true: many registries redirect to the storage server
 * that has the blob. Returns false for every 404. A server other than the registry may have sent the 404, but an answer
 * to HEAD has no error code that could prove its origin. If the blob exists, the caller sends it again, which does no
 * harm.
 */
async function hasBlob(client: RegistryClient, digest: string, signal?: AbortSignal): Promise<boolean> {
  const { status } = await lookAtBlob(client, "HEAD", digest, signal);
  // A registry that does not support HEAD answers with 405.
  return (status === 405 ? (await lookAtBlob(client, "GET", digest, signal)).status : status) !== 404;
}

/**
 * Returns true if the repository certainly has no blob with this digest.
 * @throws RegistryRefusalError if the answer seems to come from a server that is no registry.
 */
export async function lacksBlob(client: RegistryClient, digest: string): Promise<boolean> {
  if (await hasBlob(client, digest)) {
    return false;
  }
  // Only an answer to GET has a body, and only the body can contain an error code that proves that a registry answered.
  const answer = await lookAtBlob(client, "GET", digest);
  return requireRegistryAnswer(answer).status === 404;
}

function lookAtBlob(client: RegistryClient, method: "HEAD" | "GET", digest: string, signal?: AbortSignal) {
  const accepts = (status: number) => isRedirect(status) || status === 404 || (status === 405 && method === "HEAD");
  return client.send({ method, path: `blobs/${digest}`, accepts, ignoresBody: true, signal });
}

/**
 * Reads a blob. Returns undefined if the blob is missing. Many registries redirect to a storage server that has the
 * blob.
 */
export async function readBlob(client: RegistryClient, digest: string): Promise<Buffer | undefined> {
  const accepts = (status: number) => isRedirect(status) || status === 404;
  const asked = client.addressOf(`blobs/${digest}`);
  const answer = requireRegistryAnswer(await client.send({ method: "GET", path: asked, accepts }));
  const path = isRedirect(answer.status) ? locationOf(answer, asked) : undefined;
  const { status, body } = path
    ? await client.send({ method: "GET", path, accepts: (refused) => refused === 404 })
    : answer;
  return status === 404 ? undefined : body;
}

/** @throws RegistryRefusalError for an answer 404 that does not come from a registry. */
export function requireRegistryAnswer(answer: RegistryAnswer): RegistryAnswer {
  if (saysMissing(answer) === "perhaps") {
    throw registryRefusalOf(answer);
  }
  return answer;
}

function isRedirect(status: number): boolean {
  return status >= 300 && status < 400;
}

/** @param asked the address of the request. The address in the answer may be relative to it. */
function locationOf({ headers: { location } }: RegistryAnswer, asked: URL): URL | undefined {
  return typeof location === "string" ? new URL(location, asked) : undefined;
}

/** Adds the digest to the query. The other parts of the query stay unchanged, because some registries sign them. */
function withDigest(location: URL, digest: string): URL {
  const address = new URL(location);
  address.search = `${address.search}${address.search === "" ? "?" : "&"}digest=${encodeURIComponent(digest)}`;
  return address;
}

/**
 * Cancels an upload. It never throws, because an error here would hide the error that stopped the upload. If the
 * request fails, the registry deletes the unfinished upload later.
 */
async function abandon(client: RegistryClient, location: URL): Promise<void> {
  const signal = AbortSignal.timeout(timeLimits.abandon);
  await client.send({ method: "DELETE", path: location, signal }).catch(() => {});
}
