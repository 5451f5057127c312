import { createHash } from "node:crypto";
import type { S3Client } from "@aws-sdk/client-s3";

/** The clients whose bucket requires a checksum with each put, for example a bucket with Object Lock. */
const strict = new WeakSet<S3Client>();

/**
 * Sends bytes. If the bucket asks for a checksum, sends them again with a checksum; from then on the client sends a
 * checksum with all bytes. Other buckets get none, since the signature already contains a digest of the bytes.
 * @param send is called with the fields to add to its command. The checksum is MD5, which every server knows.
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

/** Returns true if S3 asks for a checksum. S3 has no error code for this case. */
function wantsChecksum(error: unknown): boolean {
  return error instanceof Error && error.name === "InvalidRequest" && /Content-MD5/i.test(error.message);
}
