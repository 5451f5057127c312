import { DestinationError } from "../../support/errors";
import { timeLimits } from "../../support/time/timeLimits";
import { words } from "../../support/words";
import type { RegistryClient, RegistryRequest } from "./client";
import { isUploadLost, type RegistryAnswer, RegistryRefusalError, saysMissing } from "./error";

const octets = { "content-type": "application/octet-stream" };

/**
 * Writes content as a blob, completely or not at all. The digest is known only after the last byte, so a second request
 * sends it.
 * @param digest is called after the last byte.
 * @param onBroken is called if the stream broke, or if the registry has lost the upload. The whole content must then be
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

export async function probeUploadPermission(client: RegistryClient, signal: AbortSignal): Promise<void> {
  await abandon(client, await begin(client, signal));
}

/** Returns the address to which the content must be sent. */
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

/** A refused request is no error if the registry has the blob: an earlier attempt has then completed the upload. */
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
 * A redirect also means true: many registries redirect to the storage server that has the blob. Any 404 means false,
 * even from another server: the caller may safely send an existing blob again.
 */
async function hasBlob(client: RegistryClient, digest: string, signal?: AbortSignal): Promise<boolean> {
  const { status } = await lookAtBlob(client, "HEAD", digest, signal);
  // A registry without HEAD answers with 405.
  return (status === 405 ? (await lookAtBlob(client, "GET", digest, signal)).status : status) !== 404;
}

/** @throws RegistryRefusalError if the answer seems to come from a server that is no registry. */
export async function lacksBlob(client: RegistryClient, digest: string): Promise<boolean> {
  if (await hasBlob(client, digest)) {
    return false;
  }
  // Only an answer to GET has a body, which can contain a registry's error code.
  const answer = await lookAtBlob(client, "GET", digest);
  return requireRegistryNotFound(answer).status === 404;
}

function lookAtBlob(client: RegistryClient, method: "HEAD" | "GET", digest: string, signal?: AbortSignal) {
  const accepts = (status: number) => isRedirect(status) || status === 404 || (status === 405 && method === "HEAD");
  return client.send({ method, path: `blobs/${digest}`, accepts, ignoresBody: true, signal });
}

/** Many registries redirect to a storage server that has the blob. */
export async function readBlob(client: RegistryClient, digest: string): Promise<Buffer | undefined> {
  const accepts = (status: number) => isRedirect(status) || status === 404;
  const asked = client.addressOf(`blobs/${digest}`);
  const answer = requireRegistryNotFound(await client.send({ method: "GET", path: asked, accepts }));
  const path = isRedirect(answer.status) ? locationOf(answer, asked) : undefined;
  const { status, body } = path
    ? await client.send({ method: "GET", path, accepts: (refused) => refused === 404 })
    : answer;
  return status === 404 ? undefined : body;
}

/** @throws RegistryRefusalError for a 404 that does not come from a registry. */
export function requireRegistryNotFound(answer: RegistryAnswer): RegistryAnswer {
  if (saysMissing(answer) === "perhaps") {
    throw new RegistryRefusalError(answer);
  }
  return answer;
}

function isRedirect(status: number): boolean {
  return status >= 300 && status < 400;
}

/** The address in the answer may be relative to `asked`, the address of the request. */
function locationOf({ headers: { location } }: RegistryAnswer, asked: URL): URL | undefined {
  return typeof location === "string" ? new URL(location, asked) : undefined;
}

/** The other parts of the query stay unchanged, because some registries sign them. */
function withDigest(location: URL, digest: string): URL {
  const address = new URL(location);
  address.search = `${address.search}${address.search === "" ? "?" : "&"}digest=${encodeURIComponent(digest)}`;
  return address;
}

/**
 * Never throws: an error here would hide the error that stopped the upload. The registry deletes unfinished uploads
 * later.
 */
async function abandon(client: RegistryClient, location: URL): Promise<void> {
  const signal = AbortSignal.timeout(timeLimits.abandon);
  await client.send({ method: "DELETE", path: location, signal }).catch(() => {});
}
