import { timeLimits } from "../../support/time/timeLimits";
import type { RegistryAnswer } from "./authority";
import type { RegistryClient } from "./client";

const octets = { "content-type": "application/octet-stream" };

/**
 * Writes content as a blob, whole or not at all: the blob stays invisible until the registry receives its digest. The
 * content is sent in one stream, as Docker sends a layer, since its size and digest are known only at its end.
 * @param digest returns the digest; called after the last byte.
 */
export async function writeBlob(
  client: RegistryClient,
  content: AsyncIterable<Buffer>,
  digest: () => string,
  signal: AbortSignal,
): Promise<void> {
  const begun = await client.send({ method: "POST", path: "blobs/uploads/", signal });
  let location = locationOf(client, begun);
  try {
    const sent = await client.send({
      method: "PATCH",
      path: location,
      headers: octets,
      body: content,
      signal,
    });
    location = locationOf(client, sent, location);
    await client.send({ method: "PUT", path: withDigest(location, digest()), signal });
  } catch (error) {
    await abandon(client, location);
    throw error;
  }
}

/** Writes a small blob, unless the repository already has it. */
export async function writeSmallBlob(client: RegistryClient, bytes: Buffer, digest: string, signal: AbortSignal) {
  if (!(await hasBlob(client, digest, signal))) {
    const begun = await client.send({ method: "POST", path: "blobs/uploads/", signal });
    const path = withDigest(locationOf(client, begun), digest);
    await client.send({ method: "PUT", path, headers: octets, body: bytes, signal });
  }
}

/**
 * Returns true if the repository has a blob. Many registries answer with a redirect to the storage server that has the
 * blob.
 */
export async function hasBlob(client: RegistryClient, digest: string, signal?: AbortSignal): Promise<boolean> {
  const accepts = (status: number) => (status >= 300 && status < 400) || status === 404;
  return (await client.send({ method: "HEAD", path: `blobs/${digest}`, accepts, signal })).status !== 404;
}

/** Returns the address for the next request of an upload, as the registry gives it. */
function locationOf(client: RegistryClient, { headers }: RegistryAnswer, before?: URL): URL {
  const { location } = headers;
  if (typeof location !== "string") {
    if (before === undefined) {
      throw new Error("the registry does not return an address for the upload");
    }
    return before;
  }
  return client.addressOf(location);
}

/** Adds the digest to the query. The rest of the query stays unchanged, since some registries sign it. */
function withDigest(location: URL, digest: string): URL {
  const address = new URL(location);
  address.search = `${address.search}${address.search === "" ? "?" : "&"}digest=${encodeURIComponent(digest)}`;
  return address;
}

/**
 * Cancels an upload. Never throws: the earlier error is the cause to report, and registries drop unfinished uploads by
 * themselves.
 */
async function abandon(client: RegistryClient, location: URL): Promise<void> {
  const signal = AbortSignal.timeout(timeLimits.abandon);
  await client.send({ method: "DELETE", path: location, signal }).catch(() => {});
}
