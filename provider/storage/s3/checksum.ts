import { createHash } from "node:crypto";
import type { S3Client } from "@aws-sdk/client-s3";

/** The clients whose bucket wants a checksum with each put, as one with Object Lock does. */
const strict = new WeakSet<S3Client>();

/**
 * Sends bytes, and again with a checksum if the bucket asks for one; from then on all that the client sends has it. The
 * signature holds a digest of the bytes already, so that elsewhere another one would only cost time.
 * @param send with the fields to add to its command. MD5 is what every server knows.
 */
export async function withChecksum<T>(
  client: S3Client,
  bytes: Buffer,
  send: (checksum: { ContentMD5?: string }) => Promise<T>,
): Promise<T> {
  const checksum = () => ({ ContentMD5: createHash("md5").update(bytes).digest("base64") });
  if (strict.has(client)) {
    return send(checksum());
  }
  try {
    return await send({});
  } catch (error) {
    if (!wantsChecksum(error)) {
      throw error;
    }
    strict.add(client);
    return send(checksum());
  }
}

/** S3 has no code of its own for it. */
function wantsChecksum(error: unknown): boolean {
  return error instanceof Error && error.name === "InvalidRequest" && /Content-MD5/i.test(error.message);
}
