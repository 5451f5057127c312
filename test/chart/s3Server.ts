import { createHash, createHmac } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildVersitygw } from "../../tools/versitygw/buildVersitygw.js";
import { ServerProcess } from "../kubernetes/serverProcess.js";
import { unusedPort } from "../support/loopback.js";

const region = "us-east-1";
const access = "access";
const secret = "secret-of-the-test";

/** A real S3 server with one bucket: a folder of files, and signed links to them. */
export class S3Server {
  private constructor(
    private readonly folder: string,
    private readonly port: number,
    private readonly process: ServerProcess,
  ) {}

  static async start(): Promise<S3Server> {
    const folder = mkdtempSync(join(tmpdir(), "s3-"));
    mkdirSync(join(folder, "bundles"));
    const port = await unusedPort();
    const place = ["--port", `127.0.0.1:${port}`, "--health", "/health", "posix", folder];
    const ready = async () => (await fetch(`http://127.0.0.1:${port}/health`)).ok;
    const args = ["--quiet", "--access", access, "--secret", secret, ...place];
    return new S3Server(folder, port, await ServerProcess.start(await buildVersitygw(), args, ready));
  }

  put(name: string, content: Buffer): void {
    writeFileSync(join(this.folder, "bundles", name), content);
  }

  /** A link to a file, signed at a time for some seconds: AWS signature version 4 in the query. */
  link(name: string, signedAt = Date.now(), life = 900): string {
    const date = new Date(signedAt).toISOString().replace(/[-:]|\.\d{3}/g, "");
    const scope = `${date.slice(0, 8)}/${region}/s3/aws4_request`;
    const url = new URL(`http://127.0.0.1:${this.port}/bundles/${name}`);
    const query = new URLSearchParams({
      "X-Amz-Algorithm": "AWS4-HMAC-SHA256",
      "X-Amz-Credential": `${access}/${scope}`,
      "X-Amz-Date": date,
      "X-Amz-Expires": String(life),
      "X-Amz-SignedHeaders": "host",
    });
    const request = ["GET", url.pathname, query, `host:${url.host}\n`, "host", "UNSIGNED-PAYLOAD"].join("\n");
    const hash = createHash("sha256").update(request).digest("hex");
    const key = scope.split("/").reduce<string | Buffer>((from, part) => hmac(from, part), `AWS4${secret}`);
    query.append("X-Amz-Signature", hmac(key, `AWS4-HMAC-SHA256\n${date}\n${scope}\n${hash}`).toString("hex"));
    url.search = query.toString();
    return url.href;
  }

  async close(): Promise<void> {
    await this.process.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}
