import { createHash } from "node:crypto";
import { request } from "undici";

/** The archive behind a link, read once. */
export interface Download {
  sizeBytes: number;
  sha256: string;
}

/** Reads the whole archive, keeping nothing of it. The key is not sent: the link is its own authorization. */
export async function download(link: string, signal: AbortSignal): Promise<Download> {
  const response = await request(link, { signal });
  if (response.statusCode !== 200) {
    await response.body.dump();
    throw new Error(`the bundle's link was answered HTTP ${response.statusCode}`);
  }
  const hash = createHash("sha256");
  let sizeBytes = 0;
  for await (const chunk of response.body) {
    hash.update(chunk);
    sizeBytes += chunk.length;
  }
  return { sizeBytes, sha256: hash.digest("hex") };
}

/** Where a link leads, without the signature that opens it. */
export function masked(link: string): string {
  const url = new URL(link);
  return `${url.host}${url.pathname}${url.search ? "?[signature masked]" : ""}`;
}
