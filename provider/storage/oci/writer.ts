import type { RegistryAnswer } from "./authority";
import type { RegistryClient } from "./client";

/** A failed or cancelled run waits at most this time for the registry to drop the received bytes; milliseconds. */
const abortTimeout = 10_000;

const octets = { "content-type": "application/octet-stream" };

/**
 * Writes content as a blob, whole or not at all: it stays invisible until its digest is told. It is sent in one stream, as
 * Docker sends a layer, since its size and digest are known at its end only.
 * @param digest called after the last byte.
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

/** Writes a small blob, unless the repository has it. */
export async function writeSmallBlob(client: RegistryClient, bytes: Buffer, digest: string, signal: AbortSignal) {
  if (!(await hasBlob(client, digest, signal))) {
    const begun = await client.send({ method: "POST", path: "blobs/uploads/", signal });
    const path = withDigest(locationOf(client, begun), digest);
    await client.send({ method: "PUT", path, headers: octets, body: bytes, signal });
  }
}

/** Whether the repository has a blob. Many registries answer with the address of a storage that has it. */
export async function hasBlob(client: RegistryClient, digest: string, signal?: AbortSignal): Promise<boolean> {
  const accepts = (status: number) => (status >= 300 && status < 400) || status === 404;
  return (await client.send({ method: "HEAD", path: `blobs/${digest}`, accepts, signal })).status !== 404;
}

/** Where an upload goes on, as the registry says it. */
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

/** The query is left as it is written: some registries sign it. */
function withDigest(location: URL, digest: string): URL {
  const address = new URL(location);
  address.search = `${address.search}${address.search === "" ? "?" : "&"}digest=${encodeURIComponent(digest)}`;
  return address;
}

/** It never fails: the error before it is the cause to report, and registries drop unfinished uploads by themselves. */
async function abandon(client: RegistryClient, location: URL): Promise<void> {
  const signal = AbortSignal.timeout(abortTimeout);
  await client.send({ method: "DELETE", path: location, signal }).catch(() => {});
}
