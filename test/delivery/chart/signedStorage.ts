import { createHash, createHmac } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type S3Server, startS3Server } from "../../support/mirror/s3Server";

/** A real S3 server that signs links to its objects. */
export class SignedStorage {
  #files = 0;

  readonly #server: S3Server;
  private constructor(server: S3Server) {
    this.#server = server;
  }

  static async start(): Promise<SignedStorage> {
    return new SignedStorage(await startS3Server());
  }

  /**
   * Stores a file and returns a link to it: AWS signature version 4 in the query, valid for 15 minutes from that time.
   */
  linkTo(content: Buffer, signedAt = Date.now()): string {
    const folder = this.#server.folderOf("bundles");
    const name = `${++this.#files}.bin`;
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, name), content);
    return sign(new URL(`/bundles/${name}`, this.#server.endpoint), this.#server.environment, signedAt);
  }

  close(): Promise<void> {
    return this.#server.close();
  }
}

function sign(url: URL, account: Record<string, string>, signedAt: number): string {
  const date = new Date(signedAt).toISOString().replace(/[-:]|\.\d{3}/g, "");
  const scope = `${date.slice(0, 8)}/${account.AWS_REGION}/s3/aws4_request`;
  const query = new URLSearchParams({
    "X-Amz-Algorithm": "AWS4-HMAC-SHA256",
    "X-Amz-Credential": `${account.AWS_ACCESS_KEY_ID}/${scope}`,
    "X-Amz-Date": date,
    "X-Amz-Expires": "900",
    "X-Amz-SignedHeaders": "host",
  });
  const request = ["GET", url.pathname, query, `host:${url.host}\n`, "host", "UNSIGNED-PAYLOAD"].join("\n");
  const hash = createHash("sha256").update(request).digest("hex");
  const secret = `AWS4${account.AWS_SECRET_ACCESS_KEY}`;
  const key = scope.split("/").reduce<string | Buffer>((from, part) => hmac(from, part), secret);
  query.append("X-Amz-Signature", hmac(key, `AWS4-HMAC-SHA256\n${date}\n${scope}\n${hash}`).toString("hex"));
  url.search = query.toString();
  return url.href;
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}
